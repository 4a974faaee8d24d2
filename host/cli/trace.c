// arenite trace: what every operator computed, as checksums and ranges that can be compared.
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/command.h"
#include "host/cli/progress.h"
#include "host/decide/layers.h"
#include "host/decide/names.h"
#include "host/io/npy.h"
#include "host/report/json.h"

#define MAX_INPUTS 32u
#define SHOWN_VALUES 64u
#define TEXT_COLUMNS 100

static const char usage[] =
    "Usage: arenite trace [--against FILE] [--floats] [--read T [--after NODE]] [--invocations N]\n"
    "                     [--input I=F]... [--planner P] [--keep-all] [--ignore-plan] [--json]\n"
    "                     MODEL.tflite\n"
    "Runs a model on generated or given inputs and prints, for each tensor, the checksum\n"
    "(CRC-32) and the range of its values as they were when its operator had written the last\n"
    "row, in the file's order of nodes under any plan: `diff` two outputs to compare plans,\n"
    "kernels or machines. After each node, everything still alive is summed again; bytes that\n"
    "changed without being written: exit code 1.\n"
    "  --against FILE  compare with checksums from elsewhere: lines of words under a line that\n"
    "                  names the columns (invocation, subgraph, tensor, crc32), such as this\n"
    "                  command prints and firmware with arenite/trace.h does. The first\n"
    "                  operator that differs: exit code 1\n"
    "  --floats        judge float tensors too: equal to the bit\n"
    "  --read T        print the values of tensor T (its number) when the invocation is over;\n"
    "                  one whose memory may be another's by then is refused: exit code 1\n"
    "  --after NODE    ... right after that node\n"
    "  --keep-all      no reuse of memory: every tensor can be read at the end\n"
    "  --ignore-plan   run node by node, though the file carries a plan by rows\n"
    "  --input I=F     values of input number I: raw bytes, or .npy\n"
    "  --json          schema arenite.trace, version 1\n"
    "Example: arenite trace --against device.log person_detect.tflite\n";

struct request {
  cli_options common;
  const char *against, *inputs[MAX_INPUTS];
  uint32_t invocations;
  int32_t read, after;
  bool floats;
};

static bool take_input(struct request *q, const char *text) {
  char *end;
  if (text[0] < '0' || text[0] > '9') return false;
  const unsigned long input = strtoul(text, &end, 10);
  if (input >= MAX_INPUTS || *end != '=' || end[1] == '\0') return false;
  q->inputs[input] = end + 1;
  return true;
}

static bool take_index(const char *text, int32_t *index) {
  uint32_t number;
  if (!cli_parse_number(text, 0, INT32_MAX, &number)) return false;
  *index = (int32_t)number;
  return true;
}

static bool take(void *request, int option) {
  struct request *q = request;
  switch (option) {
    case 'g': q->against = optarg; return true;
    case 'f': q->floats = true; return true;
    case 'r': return take_index(optarg, &q->read);
    case 'a': return take_index(optarg, &q->after);
    case 'n': return cli_parse_number(optarg, 1, 100000, &q->invocations);
    case 'i': return take_input(q, optarg);
    case 'p': return cli_parse_planner(optarg, &q->common.planner);
    case 'k': q->common.flags |= ARN_KEEP_ALL; return true;
    case 'w': q->common.flags |= ARN_IGNORE_PLAN; return true;
    default: q->common.json = true; return true;
  }
}

static int parse(int argc, char **argv, struct request *q) {
  static const struct option options[] = {
      {"against", required_argument, 0, 'g'},     {"floats", no_argument, 0, 'f'},
      {"read", required_argument, 0, 'r'},        {"after", required_argument, 0, 'a'},
      {"invocations", required_argument, 0, 'n'}, {"input", required_argument, 0, 'i'},
      {"planner", required_argument, 0, 'p'},     {"keep-all", no_argument, 0, 'k'},
      {"ignore-plan", no_argument, 0, 'w'},       {"json", no_argument, 0, 'j'},
      {"help", no_argument, 0, 'h'},              {0, 0, 0, 0}};
  const cli_parser parser = {"trace", usage, options, take};
  const int code = cli_parse_options(argc, argv, &parser, q);
  if (code != EXIT_OK) return code;
  if (argc - optind != 1 || (q->after >= 0 && q->read < 0)) {
    fputs(usage, stderr);
    return EXIT_USAGE;
  }
  q->common.path = argv[optind];
  return EXIT_OK;
}

// ---- running ------------------------------------------------------------------------------------

static int write_inputs(const struct request *q, const host_engine *e, const arn_subgraph *g,
                        uint32_t invocation) {
  for (uint32_t i = 0; i < MAX_INPUTS; i++) {
    if (q->inputs[i] == NULL || i < g->input_count) continue;
    return cli_fail(EXIT_USAGE, "%s: there is no input %u", q->common.path, i);
  }
  for (uint32_t i = 0; i < g->input_count; i++) {
    const arn_tensor_view t = arn_input(&e->nn, i);
    const char *file = i < MAX_INPUTS ? q->inputs[i] : NULL;
    const char *wrong = NULL;
    if (file) wrong = host_tensor_read(file, &t);
    else host_generate_input(&t, invocation, i);
    if (wrong) return cli_fail(EXIT_IO, "%s: for input %u (%u bytes): %s", file, i, t.bytes, wrong);
  }
  return EXIT_OK;
}

static int run(const struct request *q, const cli_model *m, host_engine *e, host_layers *l) {
  arn_subgraph g;
  arn_error error = {0};
  if (arn_model_subgraph(&e->model, 0, &g) != ARN_OK) return EXIT_INTERNAL;
  for (uint32_t v = 0; v < q->invocations; v++) {
    const int code = write_inputs(q, e, &g, v);
    if (code != EXIT_OK) return code;
    const arn_status status = host_layers_run(l, e, v, &error);
    if (status < 0) return cli_complain(m, &error);
    cli_progress_show("running", (v + 1.0) / q->invocations);
  }
  if (l->over || l->trace.lost > 0) return cli_fail(EXIT_INTERNAL, "out of host memory");
  return EXIT_OK;
}

// ---- printing -----------------------------------------------------------------------------------

static void put_value(char *text, size_t size, const arn_trace_entry *e, arn_trace_value v) {
  if (!e->has_range) snprintf(text, size, "-");
  else if (e->type == ARN_FLOAT32) snprintf(text, size, "%.6g", (double)v.real);
  else snprintf(text, size, "%lld", (long long)v.integer);
}

static void place_of(const arn_model *m, const host_layer *l, char *node, host_name *op) {
  const arn_trace_entry *e = &l->entry;
  snprintf(node, 12, "-");
  if (l->main_node == HOST_LAYER_INPUT) *op = host_name_from("input", 5);
  else if (l->main_node == HOST_LAYER_VARIABLE) *op = host_name_from("variable", 8);
  else {
    snprintf(node, 12, "%u", e->node);
    *op = host_name_of_node(m, e->subgraph, e->node);
  }
}

static void print_layer(const arn_model *m, const host_layer *l) {
  const arn_trace_entry *e = &l->entry;
  char node[12], least[24], most[24], line[256], nan[24] = "";
  host_name op;
  const host_name name = host_name_of_tensor(m, e->subgraph, e->tensor);
  place_of(m, l, node, &op);
  put_value(least, sizeof least, e, e->least);
  put_value(most, sizeof most, e, e->most);
  if (e->nan_count > 0) snprintf(nan, sizeof nan, "%u NaN, ", e->nan_count);
  snprintf(line, sizeof line, "%3u %3u %4s %6u %-8s %7u %08x %12s %12s %s%s %s", l->invocation,
           e->subgraph, node, e->tensor, arn_type_name(e->type), e->bytes, e->crc, least, most, nan,
           op.text, name.text);
  line[TEXT_COLUMNS] = '\0';
  puts(line);
}

static void print_text(const arn_model *m, const host_layers *l) {
  printf("inv sub node tensor type       bytes crc32           least         most operator name\n");
  for (uint32_t i = 0; i < l->count; i++) print_layer(m, &l->list[i]);
}

static void add_value(cJSON *item, const char *key, const arn_trace_entry *e, arn_trace_value v) {
  const double real = (double)v.real;
  if (!e->has_range) return;
  if (e->type != ARN_FLOAT32) cJSON_AddNumberToObject(item, key, (double)v.integer);
  else if (real - real == 0.0) cJSON_AddNumberToObject(item, key, real);
  else cJSON_AddStringToObject(item, key, real > 0.0 ? "inf" : "-inf");
}

static cJSON *layer_as_json(const arn_model *m, const host_layer *l) {
  const arn_trace_entry *e = &l->entry;
  cJSON *item = cJSON_CreateObject();
  char node[12], crc[12];
  host_name op;
  place_of(m, l, node, &op);
  snprintf(crc, sizeof crc, "%08x", e->crc);
  cJSON_AddNumberToObject(item, "invocation", l->invocation);
  cJSON_AddNumberToObject(item, "subgraph", e->subgraph);
  if (node[0] != '-') cJSON_AddNumberToObject(item, "node", e->node);
  cJSON_AddStringToObject(item, "op", op.text);
  cJSON_AddNumberToObject(item, "tensor", e->tensor);
  cJSON_AddStringToObject(item, "name", host_name_of_tensor(m, e->subgraph, e->tensor).text);
  cJSON_AddStringToObject(item, "type", arn_type_name(e->type));
  cJSON_AddNumberToObject(item, "bytes", e->bytes);
  cJSON_AddStringToObject(item, "crc32", crc);
  add_value(item, "least", e, e->least);
  add_value(item, "most", e, e->most);
  if (e->nan_count > 0) cJSON_AddNumberToObject(item, "nan_count", e->nan_count);
  return item;
}

static int print(const struct request *q, const arn_model *m, const host_layers *l) {
  if (!q->common.json) {
    print_text(m, l);
    return EXIT_OK;
  }
  cJSON *json = host_json_new("arenite.trace", 1, q->common.path);
  cJSON *list = cJSON_AddArrayToObject(json, "tensors");
  for (uint32_t i = 0; i < l->count; i++) {
    cJSON_AddItemToArray(list, layer_as_json(m, &l->list[i]));
  }
  return host_json_print(json) ? EXIT_OK : cli_fail(EXIT_INTERNAL, "out of host memory");
}

// ---- judging ------------------------------------------------------------------------------------

static int judge_changes(const struct request *q, const arn_model *m, const host_layers *l) {
  const host_layer_change *c = &l->change;
  if (!c->seen) return EXIT_OK;
  return cli_fail(EXIT_CHECK,
                  "%s: tensor %u (\"%s\") changed after node %u (%s) of invocation %u, though "
                  "nobody wrote it: please report",
                  q->common.path, c->tensor, host_name_of_tensor(m, 0, c->tensor).text, c->node,
                  host_name_of_node(m, 0, c->node).text, c->invocation);
}

// Names in a sentence what differs first.
static void say_difference(const struct request *q, const arn_model *m, const host_layer *l,
                           uint32_t want) {
  const arn_trace_entry *e = &l->entry;
  char node[12];
  host_name op;
  place_of(m, l, node, &op);
  cli_fail(EXIT_CHECK,
           "%s: the first difference: invocation %u, subgraph %u, node %s (%s), tensor %u "
           "(\"%s\"): %08x here, %08x in %s",
           q->common.path, l->invocation, e->subgraph, node, op.text, e->tensor,
           host_name_of_tensor(m, e->subgraph, e->tensor).text, e->crc, want, q->against);
}

static int compare(const struct request *q, const arn_model *m, const host_layers *l,
                   const host_reference *r) {
  uint32_t equal = 0, differ = 0, floats = 0, missing = 0;
  for (uint32_t i = 0; i < l->count; i++) {
    const host_layer *layer = &l->list[i];
    const arn_trace_entry *e = &layer->entry;
    const host_reference_line *line = host_reference_find(r, layer->invocation, e->subgraph,
                                                          e->tensor);
    if (line == NULL) missing++;
    else if (line->crc == e->crc) equal++;
    else if (e->type == ARN_FLOAT32 && !q->floats) floats++;
    else if (differ++ == 0) say_difference(q, m, layer, line->crc);
  }
  if (!q->common.json) {
    printf("against %s: %u equal, %u differ, %u float tensors differ and are not judged,\n"
           "%u not in it\n", q->against, equal, differ, floats, missing);
  }
  if (equal + differ + floats == 0) {
    return cli_fail(EXIT_CHECK, "%s: no line of it is about a tensor of this trace", q->against);
  }
  return differ > 0 ? EXIT_CHECK : EXIT_OK;
}

static int judge_against(const struct request *q, const arn_model *m, const host_layers *l) {
  host_reference r;
  size_t size;
  uint32_t line = 0;
  if (q->against == NULL) return EXIT_OK;
  char *text = host_read_file(q->against, &size);
  if (text == NULL) {
    return cli_fail(EXIT_IO, "%s: can't be read: %s", q->against, strerror(errno));
  }
  char *ended = realloc(text, size + 1);
  if (ended == NULL) {
    free(text);
    return cli_fail(EXIT_INTERNAL, "out of host memory");
  }
  ended[size] = '\0';
  const char *wrong = host_reference_parse(ended, &r, &line);
  int code = EXIT_IO;
  if (wrong) cli_fail(EXIT_IO, "%s:%u: %s", q->against, line, wrong);
  else code = compare(q, m, l, &r);
  if (!wrong) host_reference_free(&r);
  free(ended);
  return code;
}

// ---- reading one tensor -------------------------------------------------------------------------

// A tensor to be read in the last invocation; filled by a hook where --after names a node.
struct reading {
  host_layers *layers;
  const struct request *q;
  uint8_t *bytes;
  arn_tensor_view view;
  arn_error error;
  bool done;
};

static void read_now(struct reading *r, const arn_interpreter *nn, int32_t after) {
  const uint32_t tensor = (uint32_t)r->q->read;
  r->done = true;
  if (arn_tensor_read(nn, tensor, after, &r->view, &r->error) != ARN_OK) return;
  free(r->bytes);
  r->bytes = malloc(r->view.bytes + 1u);
  if (r->bytes) memcpy(r->bytes, r->view.data, r->view.bytes);
}

static bool before(void *context, const arn_interpreter *nn, const arn_step *step) {
  struct reading *r = context;
  return host_layers_hooks(r->layers).before(r->layers, nn, step);
}

static void after(void *context, const arn_interpreter *nn, const arn_step *step) {
  struct reading *r = context;
  host_layers_hooks(r->layers).after(r->layers, nn, step);
  if (step->subgraph == 0 && (int32_t)step->node == r->q->after) read_now(r, nn, r->q->after);
}

static int refuse_reading(const struct request *q, const arn_model *m, const arn_error *e) {
  if (e->what != ARN_WHAT_TENSOR_DEAD) {
    return cli_fail(EXIT_USAGE,
                    "%s: there is no tensor %d, or no node %d; `arenite inspect --tensors` "
                    "lists them",
                    q->common.path, q->read, q->after);
  }
  const host_name name = host_name_of_tensor(m, 0, (uint32_t)q->read);
  char when[32] = "when the invocation is over", last[64] = "nobody reads it";
  if (q->after >= 0) snprintf(when, sizeof when, "after node %d", q->after);
  if (e->need > 0) snprintf(last, sizeof last, "node %u is the last that reads it", e->need - 1);
  return cli_fail(EXIT_CHECK,
                  "%s: tensor %d (\"%s\") is dead or not written %s (%s): its bytes may be "
                  "another tensor's; run with --keep-all",
                  q->common.path, q->read, name.text, when, last);
}

static void print_values(const struct reading *r) {
  const arn_tensor_view *t = &r->view;
  const uint32_t element = arn_type_bytes(t->type);
  const uint32_t count = element ? t->bytes / element : 0;
  printf("tensor %d (%s, %u elements):", r->q->read, arn_type_name(t->type), count);
  for (uint32_t i = 0; i < count && i < SHOWN_VALUES; i++) {
    arn_trace_entry one = {.type = t->type};
    char text[24];
    arn_trace_add(&one, r->bytes + (size_t)i * element, element);
    put_value(text, sizeof text, &one, one.least);
    printf("%s%s", i % 8 == 0 ? "\n  " : " ", one.nan_count ? "nan" : text);
  }
  puts(count > SHOWN_VALUES ? "\n  ..." : "");
}

static int print_reading(struct reading *r, const host_engine *e) {
  if (r->q->after < 0) read_now(r, &e->nn, ARN_NOWHERE);
  if (!r->done) {
    return cli_fail(EXIT_USAGE, "%s: node %d has no step in this plan", r->q->common.path,
                    r->q->after);
  }
  if (r->error.status != ARN_OK) return refuse_reading(r->q, &e->model, &r->error);
  if (r->bytes == NULL) return cli_fail(EXIT_INTERNAL, "out of host memory");
  print_values(r);
  return EXIT_OK;
}

static int finish(struct reading *r, const host_engine *e) {
  const struct request *q = r->q;
  if (q->read >= 0) return print_reading(r, e);
  int code = print(q, &e->model, r->layers);
  if (code == EXIT_OK) code = judge_changes(q, &e->model, r->layers);
  if (code == EXIT_OK) code = judge_against(q, &e->model, r->layers);
  return code;
}

static int trace(const struct request *q, const cli_model *m) {
  host_layers l;
  host_engine e;
  struct reading r = {.layers = &l, .q = q};
  if (!host_layers_open(&l, &m->model)) return cli_fail(EXIT_INTERNAL, "out of host memory");
  const arn_hooks hooks = {.before = before, .after = after, .context = &r};
  int code = cli_start(m, &q->common, &hooks, &e);
  if (code == EXIT_OK) {
    code = run(q, m, &e, &l);
    if (code == EXIT_OK) code = finish(&r, &e);
    host_engine_close(&e);
  }
  free(r.bytes);
  host_layers_close(&l);
  return code;
}

int cli_trace(int argc, char **argv) {
  struct request q = {.invocations = 1, .read = -1, .after = -1};
  cli_model m;
  int code = parse(argc, argv, &q);
  if (code != EXIT_OK) return code < 0 ? EXIT_OK : code;
  code = cli_load(&m, q.common.path);
  if (code != EXIT_OK) return code;
  code = trace(&q, &m);
  cli_unload(&m);
  return code;
}
