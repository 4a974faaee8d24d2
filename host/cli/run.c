// arenite run: inputs from files or generated, outputs to files or as text.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "host/io/npy.h"
#include "host/report/json.h"

#define MAX_FILES 64
#define SHOWN_VALUES 16u

static const char usage[] =
    "Usage: arenite run [--input I=F]... [--output I=F]... [--invocations N] [--arena BYTES]\n"
    "                   [--planner P] [--align N] [--stream-input N]... [--stream-output N]...\n"
    "                   [--budget S] [--json] MODEL.tflite\n"
    "Runs a model. F is raw little-endian bytes, or NumPy's format where it ends in .npy; I is "
    "the\n"
    "number of the input or output, or its tensor's name. Inputs that are not given are "
    "pseudo-random:\n"
    "splitmix64 seeded with 1000 * invocation + input (see docs/architecture.md).\n"
    "  --invocations N  run N times (state carries over); files are read before each\n"
    "  --arena BYTES    in an arena of this size (64K, 1M are understood) rather than the exact "
    "one\n"
    "  --planner P      as for `arenite plan`; rows: planned by rows first, in --budget seconds "
    "(10)\n"
    "  --stream-input N, --stream-output N\n"
    "                   input (output) N goes through a callback row by row and is never whole "
    "in the\n"
    "                   arena; implies --planner rows\n"
    "  --json           schema arenite.run, version 1\n"
    "Example: arenite run --input 0=image.npy --output 0=scores.npy model.tflite\n";

// "I=F" of the command line.
struct file_option {
  const char *index;
  size_t index_length;
  const char *path;
};

struct run_options {
  cli_options common;
  struct file_option inputs[MAX_FILES], outputs[MAX_FILES];
  uint32_t input_count, output_count, invocations;
};

static bool add_file(struct file_option *files, uint32_t *count, const char *text) {
  const char *equals = strchr(text, '=');
  if (equals == NULL || equals == text || equals[1] == '\0' || *count == MAX_FILES) return false;
  files[(*count)++] = (struct file_option){text, (size_t)(equals - text), equals + 1};
  return true;
}

static int parse(int argc, char **argv, struct run_options *o) {
  static const struct option options[] = {
      {"input", required_argument, 0, 'i'},   {"output", required_argument, 0, 'o'},
      {"planner", required_argument, 0, 'p'}, {"align", required_argument, 0, 'a'},
      {"arena", required_argument, 0, 'b'},   {"invocations", required_argument, 0, 'n'},
      {"stream-input", required_argument, 0, 's'}, {"stream-output", required_argument, 0, 't'},
      {"budget", required_argument, 0, 'u'},
      {"json", no_argument, 0, 'j'},          {"help", no_argument, 0, 'h'},
      {0, 0, 0, 0}};
  int c;
  optind = 1;
  while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
    bool ok = true;
    switch (c) {
      case 'i': ok = add_file(o->inputs, &o->input_count, optarg); break;
      case 'o': ok = add_file(o->outputs, &o->output_count, optarg); break;
      case 'p': ok = cli_parse_planner(optarg, &o->common.planner); break;
      case 'a': ok = cli_parse_number(optarg, 4, 64, &o->common.alignment); break;
      case 'b': ok = cli_parse_bytes(optarg, &o->common.arena_bytes); break;
      case 'n': ok = cli_parse_number(optarg, 1, 1000000, &o->invocations); break;
      case 'u': ok = cli_parse_number(optarg, 1, 86400, &o->common.budget_seconds); break;
      case 's': ok = cli_parse_stream(optarg, &o->common, true); break;
      case 't': ok = cli_parse_stream(optarg, &o->common, false); break;
      case 'j': o->common.json = true; break;
      case 'h': fputs(usage, stdout); return -1;
      default: return EXIT_USAGE;
    }
    if (!ok) {
      return cli_fail(EXIT_USAGE, "\"%s\" is not what this option takes; see `arenite run --help`",
                      optarg);
    }
  }
  if (argc - optind != 1) {
    fputs(usage, stderr);
    return EXIT_USAGE;
  }
  o->common.path = argv[optind];
  return EXIT_OK;
}

static bool names_tensor(const struct file_option *f, const host_engine *e, int32_t tensor) {
  arn_subgraph g;
  arn_tensor t;
  uint32_t length;
  if (arn_model_subgraph(&e->model, 0, &g) != ARN_OK) return false;
  arn_model_tensor(&e->model, &g, (uint32_t)tensor, &t);
  const char *name = arn_model_string(&e->model, t.name_at, &length);
  return length == f->index_length && memcmp(name, f->index, length) == 0;
}

// Finds the file for number `i` of a list of tensors, by number or by name.
static const struct file_option *file_for(const struct file_option *files, uint32_t count,
                                          const host_engine *e, uint32_t i, int32_t tensor) {
  char number[16];
  snprintf(number, sizeof number, "%u", i);
  for (uint32_t k = 0; k < count; k++) {
    const bool by_number = strlen(number) == files[k].index_length &&
                           memcmp(number, files[k].index, files[k].index_length) == 0;
    if (by_number || names_tensor(&files[k], e, tensor)) return &files[k];
  }
  return NULL;
}

static int check_names(const struct run_options *o, const host_engine *e, const arn_subgraph *g) {
  for (uint32_t k = 0; k < o->input_count + o->output_count; k++) {
    const bool is_input = k < o->input_count;
    const struct file_option *f = is_input ? &o->inputs[k] : &o->outputs[k - o->input_count];
    const uint32_t count = is_input ? g->input_count : g->output_count;
    bool found = false;
    for (uint32_t i = 0; i < count && !found; i++) {
      const int32_t tensor = arn_model_index(&e->model, is_input ? g->inputs_at : g->outputs_at, i);
      found = file_for(f, 1, e, i, tensor) != NULL;
    }
    if (!found) {
      return cli_fail(EXIT_USAGE, "%s: there is no %s \"%.*s\"; `arenite inspect` lists them",
                      o->common.path, is_input ? "input" : "output", (int)f->index_length,
                      f->index);
    }
  }
  return EXIT_OK;
}

static int write_inputs(const struct run_options *o, const host_engine *e, const arn_subgraph *g,
                        uint32_t invocation) {
  for (uint32_t i = 0; i < g->input_count; i++) {
    const arn_tensor_view t = host_engine_input(e, i);
    const int32_t tensor = arn_model_index(&e->model, g->inputs_at, i);
    const struct file_option *f = file_for(o->inputs, o->input_count, e, i, tensor);
    if (f == NULL) {
      host_generate_input(&t, invocation, i);
      continue;
    }
    const char *wrong = host_tensor_read(f->path, &t);
    if (wrong) {
      return cli_fail(EXIT_IO, "%s: for input %u (%u bytes): %s", f->path, i, t.bytes, wrong);
    }
  }
  return EXIT_OK;
}

static int write_outputs(const struct run_options *o, const host_engine *e, const arn_subgraph *g) {
  for (uint32_t i = 0; i < g->output_count; i++) {
    const int32_t tensor = arn_model_index(&e->model, g->outputs_at, i);
    const struct file_option *f = file_for(o->outputs, o->output_count, e, i, tensor);
    const arn_tensor_view t = host_engine_output(e, i);
    const char *wrong = f ? host_tensor_write(f->path, &t) : NULL;
    if (wrong) return cli_fail(EXIT_IO, "%s: %s", f->path, wrong);
  }
  return EXIT_OK;
}

static double value_at(const arn_tensor_view *t, uint32_t i) {
  const uint8_t *p = (const uint8_t *)t->data + (size_t)i * arn_type_bytes(t->type);
  float f;
  int16_t s;
  uint16_t us;
  int32_t w;
  int64_t l;
  switch (t->type) {
    case ARN_FLOAT32: memcpy(&f, p, sizeof f); return (double)f;
    case ARN_INT8: return (int8_t)*p;
    case ARN_INT16: memcpy(&s, p, sizeof s); return s;
    case ARN_UINT16: memcpy(&us, p, sizeof us); return us;
    case ARN_INT32: memcpy(&w, p, sizeof w); return w;
    case ARN_UINT32: memcpy(&w, p, sizeof w); return (uint32_t)w;
    case ARN_INT64:
    case ARN_UINT64: memcpy(&l, p, sizeof l); return (double)l;
    default: return *p;
  }
}

static uint32_t element_count(const arn_tensor_view *t) {
  const uint32_t element = arn_type_bytes(t->type);
  return element && t->data ? t->bytes / element : 0;
}

static void print_outputs(const host_engine *e, const arn_subgraph *g) {
  for (uint32_t o = 0; o < g->output_count; o++) {
    const arn_tensor_view t = host_engine_output(e, o);
    const uint32_t count = element_count(&t);
    printf("output %u (%s, %u elements):", o, arn_type_name(t.type), count);
    for (uint32_t i = 0; i < count && i < SHOWN_VALUES; i++) printf(" %.6g", value_at(&t, i));
    printf("%s\n", count > SHOWN_VALUES ? " ..." : "");
  }
}

static cJSON *outputs_as_json(const host_engine *e, const arn_subgraph *g) {
  cJSON *list = cJSON_CreateArray();
  for (uint32_t o = 0; o < g->output_count; o++) {
    const arn_tensor_view t = host_engine_output(e, o);
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "output", o);
    cJSON_AddStringToObject(item, "type", arn_type_name(t.type));
    cJSON *values = cJSON_AddArrayToObject(item, "values");
    for (uint32_t i = 0; i < element_count(&t); i++) {
      cJSON_AddItemToArray(values, cJSON_CreateNumber(value_at(&t, i)));
    }
    cJSON_AddItemToArray(list, item);
  }
  return list;
}

static int run_once(const struct run_options *o, const cli_model *m, host_engine *e,
                    const arn_subgraph *g, uint32_t invocation) {
  arn_error error = {0};
  const int code = write_inputs(o, e, g, invocation);
  if (code != EXIT_OK) return code;
  const arn_status status = host_engine_invoke(e, &error);
  if (status < 0) return cli_complain(m, &error);
  return EXIT_OK;
}

static int run_all(const struct run_options *o, const cli_model *m, host_engine *e) {
  arn_subgraph g;
  if (arn_model_subgraph(&e->model, 0, &g) != ARN_OK) return EXIT_INTERNAL;
  int code = check_names(o, e, &g);
  cJSON *json = o->common.json ? host_json_new("arenite.run", 1, o->common.path) : NULL;
  cJSON *list = json ? cJSON_AddArrayToObject(json, "invocations") : NULL;
  for (uint32_t i = 0; i < o->invocations && code == EXIT_OK; i++) {
    code = run_once(o, m, e, &g, i);
    if (code != EXIT_OK) break;
    if (json) cli_progress_show("running", (i + 1.0) / o->invocations);
    if (list) cJSON_AddItemToArray(list, outputs_as_json(e, &g));
    if (!json && o->invocations > 1) printf("invocation %u\n", i);
    if (!json) print_outputs(e, &g);
  }
  if (code == EXIT_OK) code = write_outputs(o, e, &g);
  if (code == EXIT_OK && json) {
    return host_json_print(json) ? EXIT_OK : cli_fail(EXIT_INTERNAL, "out of host memory");
  }
  cJSON_Delete(json);
  return code;
}

int cli_run(int argc, char **argv) {
  struct run_options o = {.invocations = 1};
  cli_model m;
  host_engine e;
  int code = parse(argc, argv, &o);
  if (code != EXIT_OK) return code < 0 ? EXIT_OK : code;
  code = cli_load(&m, o.common.path);
  if (code != EXIT_OK) return code;
  code = cli_start(&m, &o.common, NULL, &e);
  if (code == EXIT_OK) {
    code = run_all(&o, &m, &e);
    host_engine_close(&e);
  }
  cli_unload(&m);
  return code;
}
