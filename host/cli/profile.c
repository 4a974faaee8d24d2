// arenite profile: run with a recorder, and hold what was measured against the plan.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "host/report/json.h"
#include "host/report/recorder.h"

static const char usage[] =
    "Usage: arenite profile [--invocations N] [--planner P] [--arena BYTES] [--stream-input N]...\n"
    "                       [--stream-output N]... [--budget S] [--json] MODEL.tflite\n"
    "Runs a model on generated inputs with a recorder: for each operator the time, "
    "multiply-accumulates,\n"
    "live bytes and the highest byte that it touched; at the end the measured high water next to "
    "the\n"
    "planned one. They are equal, or the exit code is 1. Times are of this machine.\n"
    "  --json  schema arenite.profile, version 1\n"
    "Example: arenite profile person_detect.tflite\n";

static int parse(int argc, char **argv, cli_options *o, uint32_t *invocations) {
  static const struct option options[] = {
      {"planner", required_argument, 0, 'p'}, {"arena", required_argument, 0, 'b'},
      {"invocations", required_argument, 0, 'n'}, {"json", no_argument, 0, 'j'},
      {"stream-input", required_argument, 0, 's'}, {"stream-output", required_argument, 0, 't'},
      {"budget", required_argument, 0, 'u'},
      {"help", no_argument, 0, 'h'}, {0, 0, 0, 0}};
  int c;
  optind = 1;
  while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
    bool ok = true;
    switch (c) {
      case 'p': ok = cli_parse_planner(optarg, &o->planner); break;
      case 'b': ok = cli_parse_bytes(optarg, &o->arena_bytes); break;
      case 'n': ok = cli_parse_number(optarg, 1, 1000000, invocations); break;
      case 'u': ok = cli_parse_number(optarg, 1, 86400, &o->budget_seconds); break;
      case 's': ok = cli_parse_stream(optarg, o, true); break;
      case 't': ok = cli_parse_stream(optarg, o, false); break;
      case 'j': o->json = true; break;
      case 'h': fputs(usage, stdout); return -1;
      default: return EXIT_USAGE;
    }
    if (!ok) {
      return cli_fail(EXIT_USAGE, "\"%s\" is not what this option takes; see `arenite profile "
                                  "--help`",
                      optarg);
    }
  }
  if (argc - optind != 1) {
    fputs(usage, stderr);
    return EXIT_USAGE;
  }
  o->path = argv[optind];
  return EXIT_OK;
}

static int run(const cli_model *m, host_engine *e, uint32_t invocations) {
  arn_subgraph g;
  arn_error error = {0};
  if (arn_model_subgraph(&e->model, 0, &g) != ARN_OK) return EXIT_INTERNAL;
  for (uint32_t v = 0; v < invocations; v++) {
    for (uint32_t i = 0; i < g.input_count; i++) {
      const arn_tensor_view t = host_engine_input(e, i);
      host_generate_input(&t, v, i);
    }
    if (host_engine_invoke(e, &error) < 0) return cli_complain(m, &error);
    cli_progress_show("running", (v + 1.0) / invocations);
  }
  return EXIT_OK;
}

static void print_text(const host_facts *f, const host_recorder *r, uint32_t invocations) {
  double total = 0.0;
  printf("  step  %-26s %9s %12s %10s %10s\n", "operator", "us", "MACs", "live", "high water");
  for (uint32_t n = 0; n < f->step_count; n++) {
    const host_step_fact *s = &f->steps[n];
    const double us = 1e6 * r->steps[n].seconds / invocations;
    total += us;
    printf("  %4u  %-26.26s %9.1f %12llu %10u %10u%s\n", n, s->op, us, (unsigned long long)s->macs,
           s->live_bytes, r->steps[n].high_water, s->memory.by_rows ? "  by rows" : "");
  }
  printf("  all   %-26s %9.1f %12llu\n", "", total, (unsigned long long)f->macs);
}

static int judge(const host_facts *f, const host_recorder *r, bool quiet) {
  const uint32_t planned = f->usage.arena_bytes;
  const uint32_t measured = host_recorder_high_water(r);
  if (!quiet) printf("high water: measured %u, planned %u bytes\n", measured, planned);
  if (measured == planned) return EXIT_OK;
  return cli_fail(EXIT_CHECK, "the measured high water (%u) is not the planned one (%u): please "
                              "report",
                  measured, planned);
}

static int report(const cli_options *o, const host_facts *f, const host_recorder *r,
                  uint32_t invocations) {
  if (!o->json) {
    print_text(f, r, invocations);
    return judge(f, r, false);
  }
  cJSON *json = host_json_new("arenite.profile", 1, o->path);
  cJSON_AddNumberToObject(json, "invocations", invocations);
  cJSON_AddNumberToObject(json, "measured_high_water_bytes", host_recorder_high_water(r));
  host_json_add_plan(json, f);
  cJSON *steps = cJSON_GetObjectItem(json, "steps");
  for (uint32_t n = 0; n < f->step_count; n++) {
    cJSON *item = cJSON_GetArrayItem(steps, (int)n);
    cJSON_AddNumberToObject(item, "microseconds", 1e6 * r->steps[n].seconds / invocations);
    cJSON_AddNumberToObject(item, "measured_high_water", r->steps[n].high_water);
  }
  if (!host_json_print(json)) return cli_fail(EXIT_INTERNAL, "out of host memory");
  return judge(f, r, true);
}

static int profile(const cli_options *o, const cli_model *m, uint32_t invocations) {
  host_recorder r;
  host_engine e;
  host_facts f;
  if (!host_recorder_open(&r, &m->model)) return cli_fail(EXIT_INTERNAL, "out of host memory");
  const arn_hooks hooks = host_recorder_hooks(&r);
  int code = cli_start(m, o, &hooks, &e);
  if (code == EXIT_OK) {
    code = host_recorder_start(&r, &e) ? run(m, &e, invocations) : EXIT_INTERNAL;
    if (code == EXIT_OK && !host_facts_gather(&f, &e.nn)) code = EXIT_INTERNAL;
    if (code == EXIT_OK) {
      code = report(o, &f, &r, invocations);
      host_facts_free(&f);
    }
    host_engine_close(&e);
  }
  host_recorder_close(&r);
  return code;
}

int cli_profile(int argc, char **argv) {
  cli_options o = {0};
  cli_model m;
  uint32_t invocations = 1;
  int code = parse(argc, argv, &o, &invocations);
  if (code != EXIT_OK) return code < 0 ? EXIT_OK : code;
  code = cli_load(&m, o.path);
  if (code != EXIT_OK) return code;
  code = profile(&o, &m, invocations);
  cli_unload(&m);
  return code;
}
