// arenite optimize: write a file that carries its plan.
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "host/report/json.h"
#include "host/rewrite/optimize.h"
#include "host/rewrite/reorder.h"
#include "host/rewrite/same.h"

static const char usage[] =
    "Usage: arenite optimize [--budget S] [--stream-input N]... [--stream-output N]...\n"
    "                        [--max-steps N] [--trade] [--seed N] [--keep-graph] [--order]\n"
    "                        [--json] -o OUT.tflite MODEL.tflite\n"
    "Simplifies the graph (dead operators, constants, paddings and activations that neighbours\n"
    "can do, transposes that cancel; another order, where it needs less), plans the model by\n"
    "rows and writes it with that plan in its metadata (docs/plan-format.md), and with a\n"
    "whole-tensor plan that TFLite Micro honours.\n"
    "Everything else in the file is carried over. Before anything is written, the result is\n"
    "started, its plan verified, and run on generated inputs next to the original: the outputs\n"
    "must be equal to the byte. No multiplication is done twice.\n"
    "  --budget S         seconds to search, about: counted in work, so that a\n"
    "                     seed gives one file on any host (10)\n"
    "  --max-steps N      the smallest arena in at most N steps, or the fewest steps there are\n"
    "  --trade            prints what fewer steps would cost, as a table\n"
    "  --seed N           of the choices that the search makes (0)\n"
    "  --stream-input N   input N arrives by rows through a callback and is never whole in memory\n"
    "  --stream-output N  likewise for output N\n"
    "  --keep-graph       no graph rewrites: the operators stay as they are\n"
    "  --order            only another order of operators, the one with the least alive at once:\n"
    "                     no row plan, no other rewrites; exit code 1 where none needs less\n"
    "  --json             schema arenite.optimize, version 1\n"
    "Example: arenite optimize -o person_rows.tflite person_detect.tflite\n";

#define MAX_TRADES 512u

// Arenas by steps; of those found, only the ones that no other beats in both.
struct trades {
  struct {
    uint32_t steps, bytes;
  } list[MAX_TRADES];
  uint32_t count;
};

struct request {
  const char *path, *out;
  host_search_options search;
  bool json, trade, order_only;
  struct trades trades;
};

static void note_trade(void *context, uint32_t steps, uint32_t bytes) {
  struct trades *t = &((struct request *)context)->trades;
  uint32_t kept = 0, at;
  for (uint32_t i = 0; i < t->count; i++) {
    if (t->list[i].steps <= steps && t->list[i].bytes <= bytes) return;
  }
  for (uint32_t i = 0; i < t->count; i++) {
    if (t->list[i].steps < steps || t->list[i].bytes < bytes) t->list[kept++] = t->list[i];
  }
  for (at = kept; at > 0 && at < MAX_TRADES && t->list[at - 1].steps > steps; at--) {
    t->list[at] = t->list[at - 1];
  }
  t->count = kept;
  if (kept == MAX_TRADES) return;
  t->list[at].steps = steps;
  t->list[at].bytes = bytes;
  t->count++;
}

static int parse(int argc, char **argv, struct request *q) {
  static const struct option options[] = {
      {"budget", required_argument, 0, 'b'},       {"stream-input", required_argument, 0, 'i'},
      {"stream-output", required_argument, 0, 's'}, {"json", no_argument, 0, 'j'},
      {"output", required_argument, 0, 'o'},       {"help", no_argument, 0, 'h'},
      {"keep-graph", no_argument, 0, 'k'},         {"max-steps", required_argument, 0, 'm'},
      {"trade", no_argument, 0, 't'},              {"seed", required_argument, 0, 'e'},
      {"order", no_argument, 0, 'r'},
      {0, 0, 0, 0}};
  int c;
  optind = 1;
  while ((c = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
    uint32_t number = 0;
    bool ok = true;
    switch (c) {
      case 'b':
        ok = cli_parse_number(optarg, 1, 86400, &number);
        q->search.budget_seconds = number;
        break;
      case 'i':
        ok = cli_parse_number(optarg, 0, 31, &number);
        q->search.stream.inputs |= 1u << (number & 31);
        break;
      case 's':
        ok = cli_parse_number(optarg, 0, 31, &number);
        q->search.stream.outputs |= 1u << (number & 31);
        break;
      case 'm': ok = cli_parse_number(optarg, 1, UINT32_MAX, &q->search.max_steps); break;
      case 'e':
        ok = cli_parse_number(optarg, 0, UINT32_MAX, &number);
        q->search.seed = number;
        break;
      case 't': q->trade = true; break;
      case 'r': q->order_only = true; break;
      case 'o': q->out = optarg; break;
      case 'k': q->search.keep_graph = true; break;
      case 'j': q->json = true; break;
      case 'h': fputs(usage, stdout); return -1;
      default: return EXIT_USAGE;
    }
    if (!ok) {
      return cli_fail(EXIT_USAGE, "\"%s\" is not what this option takes; see "
                                  "`arenite optimize --help`", optarg);
    }
  }
  if (argc - optind != 1 || q->out == NULL) {
    fputs(usage, stderr);
    return EXIT_USAGE;
  }
  q->path = argv[optind];
  return EXIT_OK;
}

static void show_progress(void *context, double share) {
  (void)context;   // which is for the trades
  cli_progress_show("planning rows", share);
}

static int save(const char *path, const uint8_t *bytes, size_t size) {
  FILE *f = fopen(path, "wb");
  const bool ok = f && fwrite(bytes, 1, size, f) == size;
  if ((f && fclose(f) != 0) || !ok) {
    return cli_fail(EXIT_IO, "%s: can't be written: %s", path, strerror(errno));
  }
  return EXIT_OK;
}

// One line of counts, without those of 0; none where the graph is as it came.
static void print_rewrites(const arn_simplified *s) {
  const struct {
    const char *name;
    uint32_t count;
  } kinds[] = {{"dead operators", s->dead}, {"identities", s->identities},
               {"activations fused", s->activations}, {"paddings fused", s->paddings},
               {"constants folded", s->constants}};
  const char *before = "  graph rewrites                 ";
  for (uint32_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
    if (kinds[i].count == 0) continue;
    printf("%s%u %s", before, kinds[i].count, kinds[i].name);
    before = ", ";
  }
  if (before[0] == ',') printf("\n");
}

static void print_order(bool reordered) {
  if (reordered) printf("  order of operators             changed: a smaller arena\n");
}

static void add_rewrites(cJSON *json, const arn_simplified *s) {
  cJSON *rewrites = cJSON_AddObjectToObject(json, "rewrites");
  cJSON_AddNumberToObject(rewrites, "dead", s->dead);
  cJSON_AddNumberToObject(rewrites, "identities", s->identities);
  cJSON_AddNumberToObject(rewrites, "activations", s->activations);
  cJSON_AddNumberToObject(rewrites, "paddings", s->paddings);
  cJSON_AddNumberToObject(rewrites, "constants", s->constants);
  cJSON_AddNumberToObject(rewrites, "constant_bytes", s->constant_bytes);
}

static void print_trades(const struct trades *t) {
  printf("  fewer steps                        steps    bytes\n");
  for (uint32_t i = 0; i < t->count; i++) {
    printf("  %34u %10u\n", t->list[i].steps, t->list[i].bytes);
  }
}

static void add_trades(cJSON *json, const struct trades *t) {
  cJSON *list = cJSON_AddArrayToObject(json, "trade");
  for (uint32_t i = 0; i < t->count; i++) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "steps", t->list[i].steps);
    cJSON_AddNumberToObject(item, "bytes", t->list[i].bytes);
    cJSON_AddItemToArray(list, item);
  }
}

static double gap(uint32_t bytes, uint64_t bound) {
  return bound ? 100.0 * bytes / (double)bound - 100.0 : 0.0;
}

static void print_rows(const arn_optimized *r) {
  if (!r->by_rows) {
    printf("  dynamic region now             %9u bytes: rows save nothing more, no row plan\n",
           r->row_bytes);
    return;
  }
  printf("  dynamic region, rows           %9u bytes in %u steps, %u segments\n", r->row_bytes,
         r->steps, r->segments);
  printf("  live bytes of this schedule    %9llu bytes: no placement needs less; gap %.1f %%\n",
         (unsigned long long)r->live_peak, gap(r->row_bytes, r->live_peak));
  printf("  proved of any schedule         %9llu bytes: none of rows needs less; gap %.1f %%\n",
         (unsigned long long)r->bound, gap(r->row_bytes, r->bound));
}

static int print(const struct request *q, const arn_optimized *r, const arn_usage *before) {
  if (!q->json) {
    printf("%s\n", q->path);
    print_rewrites(&r->simplified);
    print_order(r->reordered);
    printf("  dynamic region, whole tensors  %9u bytes\n", r->whole_bytes);
    print_rows(r);
    if (q->trade) print_trades(&q->trades);
    printf("  whole arena                    %9u bytes (was %u), static part %u\n",
           r->usage.arena_bytes, before->arena_bytes, r->usage.static_bytes);
    printf("  outputs equal to the byte; written to %s\n", q->out);
    return EXIT_OK;
  }
  cJSON *json = host_json_new("arenite.optimize", 1, q->path);
  cJSON_AddStringToObject(json, "output", q->out);
  add_rewrites(json, &r->simplified);
  cJSON_AddBoolToObject(json, "reordered", r->reordered);
  cJSON_AddBoolToObject(json, "by_rows", r->by_rows);
  cJSON_AddNumberToObject(json, "arena_bytes_before", before->arena_bytes);
  cJSON_AddNumberToObject(json, "arena_bytes", r->usage.arena_bytes);
  cJSON_AddNumberToObject(json, "static_bytes", r->usage.static_bytes);
  cJSON_AddNumberToObject(json, "whole_tensor_bytes", r->whole_bytes);
  cJSON_AddNumberToObject(json, "dynamic_peak_bytes", r->row_bytes);
  cJSON_AddNumberToObject(json, "lower_bound_bytes", (double)r->live_peak);
  cJSON_AddNumberToObject(json, "proved_bound_bytes", (double)r->bound);
  cJSON_AddNumberToObject(json, "steps", r->steps);
  if (q->trade) add_trades(json, &q->trades);
  return host_json_print(json) ? EXIT_OK : cli_fail(EXIT_INTERNAL, "out of host memory");
}

// The two files, run next to each other, before the second is kept.
static int check_and_save(const struct request *q, const cli_model *m, const uint8_t *bytes,
                          size_t size) {
  if (!arn_run_the_same(m->bytes, m->size, bytes, size, 2)) {
    return cli_fail(EXIT_CHECK, "%s: the new file gives other bytes: please report", m->path);
  }
  return save(q->out, bytes, size);
}

// A wish that was not granted is an error, not a file that surprises.
static int check_streams(const struct request *q, const cli_model *m, const arn_optimized *r) {
  const host_options options = {.fill = HOST_FILL_ZERO};
  const host_stream_wish wish = q->search.stream;
  host_engine e;
  arn_error error = {0};
  if (wish.inputs == 0 && wish.outputs == 0) return EXIT_OK;
  if (host_engine_open(&e, r->bytes, r->size, &options, &error) != ARN_OK) {
    return cli_complain(m, &error);
  }
  const int code = cli_check_streams(m, wish, &e);
  host_engine_close(&e);
  return code;
}

static int print_reordered(const struct request *q, uint32_t before, uint32_t after) {
  if (!q->json) {
    printf("%s\n  whole arena                    %9u bytes (was %u), by order of operators alone\n"
           "  outputs equal to the byte; written to %s\n", q->path, after, before, q->out);
    return EXIT_OK;
  }
  cJSON *json = host_json_new("arenite.optimize", 1, q->path);
  cJSON_AddStringToObject(json, "output", q->out);
  cJSON_AddBoolToObject(json, "reordered", true);
  cJSON_AddBoolToObject(json, "by_rows", false);
  cJSON_AddNumberToObject(json, "arena_bytes_before", before);
  cJSON_AddNumberToObject(json, "arena_bytes", after);
  return host_json_print(json) ? EXIT_OK : cli_fail(EXIT_INTERNAL, "out of host memory");
}

static int reorder(const struct request *q, const cli_model *m) {
  arn_reordered r;
  arn_error error = {0};
  arn_usage before;
  const char *why = NULL;
  const arn_config config = {.ops = &arn_ops_all, .flags = ARN_IGNORE_PLAN};
  if (host_measure(&m->model, &config, &before, &error) != ARN_OK) return cli_complain(m, &error);
  if (!arn_reorder_measured(m->bytes, m->size, &config, &r, &why)) {
    return cli_fail(EXIT_UNSUPPORTED, "%s: %s", m->path, why);
  }
  if (r.bytes == NULL || r.usage.arena_bytes >= before.arena_bytes) {
    free(r.bytes);
    return cli_fail(EXIT_CHECK, "%s: no order of operators that was found needs less than the "
                    "file's; nothing was written", m->path);
  }
  int code = check_and_save(q, m, r.bytes, r.size);
  free(r.bytes);
  return code == EXIT_OK ? print_reordered(q, before.arena_bytes, r.usage.arena_bytes) : code;
}

static int optimize(const struct request *q, const cli_model *m) {
  arn_error error = {0};
  arn_optimized r;
  const char *why = NULL;
  arn_usage before;
  const arn_config config = {.ops = &arn_ops_all, .flags = ARN_IGNORE_PLAN};
  if (host_measure(&m->model, &config, &before, &error) != ARN_OK) return cli_complain(m, &error);
  const arn_status status = arn_optimize(m->bytes, m->size, &q->search, &r, &error, &why);
  if (status != ARN_OK && why) return cli_fail(EXIT_UNSUPPORTED, "%s: %s", m->path, why);
  if (status != ARN_OK) return cli_complain(m, &error);
  int code = check_streams(q, m, &r);
  if (code == EXIT_OK) code = check_and_save(q, m, r.bytes, r.size);
  if (code == EXIT_OK) code = print(q, &r, &before);
  free(r.bytes);
  return code;
}

int cli_optimize(int argc, char **argv) {
  struct request q = {.search = {.budget_seconds = 10.0}};
  cli_model m;
  int code = parse(argc, argv, &q);
  if (code != EXIT_OK) return code < 0 ? EXIT_OK : code;
  q.search.progress = show_progress;
  if (q.trade) q.search.trade = note_trade;
  q.search.context = &q;
  code = cli_load(&m, q.path);
  if (code != EXIT_OK) return code;
  code = q.order_only ? reorder(&q, &m) : optimize(&q, &m);
  cli_unload(&m);
  return code;
}
