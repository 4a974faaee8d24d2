// arenite compare: two to four models, planners or versions held against each other.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/command.h"
#include "host/cli/gate.h"
#include "host/cli/progress.h"
#include "host/decide/compare.h"
#include "host/decide/names.h"
#include "host/decide/outputs.h"
#include "host/report/json.h"

#define MAX_SIDES 4u
#define SHOWN_CHANGES 40u
#define LABEL_BYTES 34

static const char usage[] =
    "Usage: arenite compare [--planner P]... [--align N] [--invocations N] [--json]\n"
    "                       [--max-arena BYTES] [--max-growth PERCENT] A [B [C [D]]]\n"
    "Compares plans: bytes by category, operators that came and went, where the peak moved. A\n"
    "to D are models, or files with the output of `arenite plan --json` (of another version,\n"
    "say). Each is compared with A; one model with several --planner is compared with itself.\n"
    "Models of the same inputs and outputs also get the quantisation table (weights,\n"
    "activations, arena by type) and run on the same inputs, in real numbers: how far are the\n"
    "outputs from those of A?\n"
    "  --planner P       the planner of the next side: auto, greedy, lifetime, colour, id,\n"
    "                    offline, rows\n"
    "  --align N         alignment of arena and tensors\n"
    "  --invocations N   runs for the output differences (20); 0: none\n"
    "  --max-arena B     exit code 1 where the last side's arena needs more (64K, 1M are\n"
    "                    understood)\n"
    "  --max-growth P    exit code 1 where it needs more than P % above A's\n"
    "  --json            schema arenite.compare, version 1\n"
    "Example: arenite compare --max-growth 2% old.tflite new.tflite\n";

// One of the things compared.
struct side {
  const char *path;
  const char *planner;       // as given; NULL: not given
  char label[LABEL_BYTES];
  cJSON *plan;
  cli_model model;
  host_engine engine;
  bool started;              // a model, not a plan from a file
};

struct request {
  struct side sides[MAX_SIDES];
  const char *planners[MAX_SIDES];
  uint32_t side_count, planner_count, invocations, alignment;
  bool json;
};

static bool take(void *request, int option) {
  struct request *q = request;
  uint8_t planner;
  switch (option) {
    case 'p':
      if (q->planner_count == MAX_SIDES || !cli_parse_planner(optarg, &planner)) return false;
      q->planners[q->planner_count++] = optarg;
      return true;
    case 'a': return cli_parse_number(optarg, 4, 64, &q->alignment);
    case 'n': return cli_parse_number(optarg, 0, 100000, &q->invocations);
    default: q->json = true; return true;
  }
}

// One file with several planners stands for as many sides; one planner for all files.
static bool lay_out(struct request *q, int count, char **files) {
  if (count < 1 || count > (int)MAX_SIDES) return false;
  q->side_count = (uint32_t)count;
  if (count == 1) q->side_count = q->planner_count;
  if (q->side_count < 2 || (q->planner_count > 1 && q->planner_count != q->side_count)) {
    return false;
  }
  for (uint32_t i = 0; i < q->side_count; i++) {
    q->sides[i].path = files[count == 1 ? 0 : i];
    q->sides[i].planner = q->planner_count == 1 ? q->planners[0] : q->planners[i];
  }
  return true;
}

static int parse(int argc, char **argv, struct request *q) {
  static const struct option options[] = {
      {"planner", required_argument, 0, 'p'},     {"align", required_argument, 0, 'a'},
      {"invocations", required_argument, 0, 'n'}, {"json", no_argument, 0, 'j'},
      {"help", no_argument, 0, 'h'},              {0, 0, 0, 0}};
  const cli_parser parser = {"compare", usage, options, take};
  const int code = cli_parse_options(argc, argv, &parser, q);
  if (code != EXIT_OK) return code;
  if (lay_out(q, argc - optind, argv + optind)) return EXIT_OK;
  fputs(usage, stderr);
  return EXIT_USAGE;
}

// ---- loading ------------------------------------------------------------------------------------

static cJSON *plan_in_file(const char *path) {
  size_t size;
  char *text = host_read_file(path, &size);
  cJSON *plan = text && size > 0 && text[0] == '{' ? cJSON_ParseWithLength(text, size) : NULL;
  free(text);
  if (host_plan_is_known(plan)) return plan;
  cJSON_Delete(plan);
  return NULL;
}

static int plan_model(const struct request *q, struct side *s) {
  host_facts facts;
  cli_options o = {.path = s->path, .alignment = q->alignment};
  if (s->planner) (void)cli_parse_planner(s->planner, &o.planner);
  int code = cli_load(&s->model, s->path);
  if (code != EXIT_OK) return code;
  code = cli_start(&s->model, &o, NULL, &s->engine);
  if (code != EXIT_OK) return code;
  s->started = true;
  s->plan = host_json_new("arenite.plan", 1, s->path);
  if (!host_facts_gather(&facts, &s->engine.nn)) {
    return cli_fail(EXIT_INTERNAL, "out of host memory");
  }
  host_json_add_plan(s->plan, &facts);
  host_facts_free(&facts);
  return EXIT_OK;
}

static int load(const struct request *q, struct side *s) {
  const char *name = strrchr(s->path, '/');
  const host_name shown =
      host_name_from(name ? name + 1 : s->path, strlen(name ? name + 1 : s->path));
  if (s->planner) snprintf(s->label, sizeof s->label, "%.22s %.10s", shown.text, s->planner);
  else snprintf(s->label, sizeof s->label, "%.33s", shown.text);
  s->plan = plan_in_file(s->path);
  if (s->plan == NULL) return plan_model(q, s);
  cli_gate_note(host_plan_u32(s->plan, "arena_bytes"));
  return EXIT_OK;
}

static void unload(struct side *s) {
  cJSON_Delete(s->plan);
  if (s->started) host_engine_close(&s->engine);
  if (s->model.bytes) cli_unload(&s->model);
}

// ---- two sides ----------------------------------------------------------------------------------

static void print_categories(const host_comparison *c) {
  for (uint32_t i = 0; i < HOST_CATEGORIES; i++) {
    const host_category *k = &c->categories[i];
    const double change = k->b - k->a;
    if (k->a == 0.0 && k->b == 0.0) continue;
    printf("  %-32s %14.0f %14.0f %+14.0f", k->name, k->a, k->b, change);
    if (k->a > 0.0 && change != 0.0) printf(" %+9.1f %%", 100.0 * change / k->a);
    printf("\n");
  }
}

static void print_peak(const host_comparison *c) {
  char a[80], b[80];
  host_plan_op(c->a, c->peak_a.node, a, sizeof a);
  host_plan_op(c->b, c->peak_b.node, b, sizeof b);
  if (c->peak_a.step == c->peak_b.step && strcmp(a, b) == 0) {
    printf("  the peak stays at step %u (%s)\n", c->peak_a.step, a);
    return;
  }
  printf("  the peak moves from step %u (%.34s)\n              to step %u (%.34s)\n",
         c->peak_a.step, a, c->peak_b.step, b);
}

static void print_changes(const host_comparison *c) {
  char name[80];
  if (!c->ops_compared) printf("  too many operators to be compared one by one\n");
  else if (c->change_count == 0) printf("  the same operators in the same order\n");
  for (uint32_t i = 0; i < c->change_count && i < SHOWN_CHANGES; i++) {
    const host_op_change *change = &c->changes[i];
    host_plan_op(change->added ? c->b : c->a, change->node, name, sizeof name);
    printf("  %c node %-5u %s\n", change->added ? '+' : '-', change->node, name);
  }
  if (c->change_count > SHOWN_CHANGES) {
    printf("  ... and %u more\n", c->change_count - SHOWN_CHANGES);
  }
}

static void print_pair(const struct side *a, const struct side *b, const host_comparison *c) {
  printf("%s  ->  %s\n", a->label, b->label);
  printf("  %-32s %14s %14s %14s\n", "", "before", "after", "change");
  print_categories(c);
  print_peak(c);
  print_changes(c);
}

static cJSON *peak_as_json(const host_peak *peak) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddNumberToObject(item, "step", peak->step);
  cJSON_AddStringToObject(item, "op", peak->op);
  cJSON_AddNumberToObject(item, "live_bytes", peak->live_bytes);
  return item;
}

static cJSON *pair_as_json(const struct side *a, const struct side *b, const host_comparison *c) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddStringToObject(item, "a", a->label);
  cJSON_AddStringToObject(item, "b", b->label);
  cJSON *bytes = cJSON_AddObjectToObject(item, "categories");
  for (uint32_t i = 0; i < HOST_CATEGORIES; i++) {
    cJSON *values = cJSON_AddArrayToObject(bytes, c->categories[i].key);
    cJSON_AddItemToArray(values, cJSON_CreateNumber(c->categories[i].a));
    cJSON_AddItemToArray(values, cJSON_CreateNumber(c->categories[i].b));
  }
  cJSON_AddItemToObject(item, "peak_a", peak_as_json(&c->peak_a));
  cJSON_AddItemToObject(item, "peak_b", peak_as_json(&c->peak_b));
  cJSON_AddBoolToObject(item, "operators_compared", c->ops_compared);
  cJSON *changes = cJSON_AddArrayToObject(item, "operator_changes");
  for (uint32_t i = 0; i < c->change_count; i++) {
    cJSON *change = cJSON_CreateObject();
    char name[80];
    host_plan_op(c->changes[i].added ? c->b : c->a, c->changes[i].node, name, sizeof name);
    cJSON_AddBoolToObject(change, "added", c->changes[i].added);
    cJSON_AddNumberToObject(change, "node", c->changes[i].node);
    cJSON_AddStringToObject(change, "operator", name);
    cJSON_AddItemToArray(changes, change);
  }
  return item;
}

// ---- quantisation -------------------------------------------------------------------------------

// The type that most bytes of the intermediate tensors have.
static const char *type_of(const cJSON *plan) {
  static const char *const names[] = {"FLOAT32", "INT16", "INT8", "UINT8"};
  double bytes[4] = {0};
  const cJSON *tensor;
  cJSON_ArrayForEach(tensor, cJSON_GetObjectItemCaseSensitive(plan, "tensors")) {
    const char *type = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tensor, "type"));
    const char *role = cJSON_GetStringValue(cJSON_GetObjectItemCaseSensitive(tensor, "role"));
    if (type == NULL || role == NULL || strcmp(role, "constant") == 0) continue;
    for (int i = 0; i < 4; i++) {
      if (strcmp(type, names[i]) == 0) bytes[i] += host_plan_number(tensor, "bytes");
    }
  }
  int most = 0;
  for (int i = 1; i < 4; i++) most = bytes[i] > bytes[most] ? i : most;
  return most == 1 ? "INT16x8" : names[most];
}

static void print_gap(const host_output_gap *g) {
  if (g->why) printf("  outputs not compared: %s\n", g->why);
  else if (g->worst == 0.0) printf("  outputs: equal in all %u runs\n", g->invocations);
  else {
    printf("  outputs: worst difference %.4g, mean %.4g, over a range of %.4g;\n"
           "  signal to noise %.1f dB; output 0 has the same largest element in %u of %u runs\n",
           g->worst, g->mean, g->spread, g->signal_db, g->same_largest, g->invocations);
  }
}

static cJSON *gap_as_json(const host_output_gap *g) {
  cJSON *item = cJSON_CreateObject();
  cJSON_AddNumberToObject(item, "invocations", g->invocations);
  if (g->why) {
    cJSON_AddStringToObject(item, "not_compared", g->why);
    return item;
  }
  cJSON_AddNumberToObject(item, "worst", g->worst);
  cJSON_AddNumberToObject(item, "mean", g->mean);
  cJSON_AddNumberToObject(item, "range", g->spread);
  cJSON_AddNumberToObject(item, "signal_to_noise_db", g->signal_db);
  cJSON_AddNumberToObject(item, "same_largest", g->same_largest);
  return item;
}

static void print_table(const struct request *q) {
  printf("\n%-34s %-9s %14s %14s %14s\n", "by type", "type", "weights", "activations", "arena");
  for (uint32_t i = 0; i < q->side_count; i++) {
    const cJSON *plan = q->sides[i].plan;
    printf("%-34s %-9s %14.0f %14.0f %14.0f\n", q->sides[i].label, type_of(plan),
           host_plan_number(plan, "weight_bytes"), host_plan_number(plan, "dynamic_peak_bytes"),
           host_plan_number(plan, "arena_bytes"));
  }
}

static void add_table(const struct request *q, cJSON *json) {
  cJSON *list = cJSON_AddArrayToObject(json, "sides");
  for (uint32_t i = 0; i < q->side_count; i++) {
    const cJSON *plan = q->sides[i].plan;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "label", q->sides[i].label);
    cJSON_AddStringToObject(item, "path", q->sides[i].path);
    cJSON_AddStringToObject(item, "type", type_of(plan));
    cJSON_AddNumberToObject(item, "weight_bytes", host_plan_number(plan, "weight_bytes"));
    cJSON_AddNumberToObject(item, "activation_bytes", host_plan_number(plan, "dynamic_peak_bytes"));
    cJSON_AddNumberToObject(item, "arena_bytes", host_plan_number(plan, "arena_bytes"));
    cJSON_AddItemToArray(list, item);
  }
}

// ---- all of it ----------------------------------------------------------------------------------

static int compare_pair(struct request *q, uint32_t i, cJSON *pairs) {
  struct side *a = &q->sides[0], *b = &q->sides[i];
  host_comparison c;
  host_output_gap gap = {.why = "a side is a plan, not a model"};
  if (!host_compare_plans(&c, a->plan, b->plan)) {
    return cli_fail(EXIT_INTERNAL, "out of host memory");
  }
  if (a->started && b->started && q->invocations > 0) {
    gap = host_compare_outputs(&a->engine, &b->engine, q->invocations, cli_progress_show);
  }
  if (pairs) {
    cJSON *item = pair_as_json(a, b, &c);
    cJSON_AddItemToObject(item, "outputs", gap_as_json(&gap));
    cJSON_AddItemToArray(pairs, item);
  } else {
    if (i > 1) printf("\n");
    print_pair(a, b, &c);
    if (a->started && b->started && q->invocations > 0) print_gap(&gap);
  }
  host_comparison_free(&c);
  return EXIT_OK;
}

static int compare(struct request *q) {
  int code = EXIT_OK;
  cJSON *json = q->json ? host_json_new("arenite.compare", 1, q->sides[0].path) : NULL;
  cJSON *pairs = json ? cJSON_AddArrayToObject(json, "pairs") : NULL;
  for (uint32_t i = 1; i < q->side_count && code == EXIT_OK; i++) code = compare_pair(q, i, pairs);
  if (code == EXIT_OK && json) {
    add_table(q, json);
    return host_json_print(json) ? EXIT_OK : cli_fail(EXIT_INTERNAL, "out of host memory");
  }
  if (code == EXIT_OK) print_table(q);
  cJSON_Delete(json);
  return code;
}

int cli_compare(int argc, char **argv) {
  struct request q = {.invocations = 20};
  int code = parse(argc, argv, &q);
  if (code != EXIT_OK) return code < 0 ? EXIT_OK : code;
  for (uint32_t i = 0; i < q.side_count && code == EXIT_OK; i++) code = load(&q, &q.sides[i]);
  if (code == EXIT_OK) code = compare(&q);
  for (uint32_t i = 0; i < q.side_count; i++) unload(&q.sides[i]);
  return code;
}
