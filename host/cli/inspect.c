// arenite inspect: what is in a model, and all reasons why it would not run here.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/check/typed.h"
#include "host/cli/command.h"
#include "host/report/json.h"
#include "host/report/text.h"

static const char usage[] =
    "Usage: arenite inspect [--tensors] [--json] MODEL.tflite\n"
    "Shows subgraphs, inputs and outputs, operators with their multiply-accumulates, "
    "quantisation and\n"
    "weights, every operator that would not run here, with the reason, and the operators that an\n"
    "application with this model needs to list.\n"
    "  --tensors  list all tensors\n"
    "  --json     schema arenite.inspect, version 1\n"
    "Exit code: 0 the model runs here, 3 broken, 4 something in it does not run here.\n"
    "Example: arenite inspect model.tflite\n";

// A model under inspection; `json` NULL for text.
struct inspection {
  const cli_model *m;
  bool tensors;
  cJSON *json, *problems;
  uint32_t problem_count;
  uint64_t macs, weight_bytes;
};

static void tensor_name(const arn_model *m, const arn_tensor *t, char *name, size_t size) {
  uint32_t length;
  const char *text = arn_model_string(m, t->name_at, &length);
  snprintf(name, size, "%.*s", (int)(length < size ? length : size - 1), text);
}

static void op_name(const arn_model *m, const arn_node *n, char *name, size_t size) {
  uint32_t length;
  const char *text = arn_model_string(m, n->name_at, &length);
  if (n->code == ARN_CODE_CUSTOM) {
    snprintf(name, size, "custom %.*s", (int)(length < size ? length : size - 1), text);
  } else {
    snprintf(name, size, "%s", arn_code_name(n->code));
  }
}

static void show_tensor(const struct inspection *x, const arn_subgraph *g, uint32_t index,
                        const char *label, cJSON *list) {
  arn_tensor t;
  char name[128], shape[64];
  arn_model_tensor(&x->m->model, g, index, &t);
  tensor_name(&x->m->model, &t, name, sizeof name);
  if (list) {
    cJSON_AddItemToArray(list, host_json_tensor(&x->m->model, &t, name));
    return;
  }
  printf("  %s #%-4u %-8s %-16s %9u bytes", label, index, arn_type_name((arn_type)t.type),
         host_text_shape(&t, shape, sizeof shape), t.data_bytes ? t.data_bytes : t.bytes);
  if (t.scale_count == 1) {
    printf("  %.6g * (q %+d)", (double)arn_tensor_scale(&x->m->model, &t, 0),
           -(int)arn_tensor_zero(&x->m->model, &t, 0));
  } else if (t.scale_count > 1) {
    printf("  %u channels", t.scale_count);
  }
  printf("  %.40s\n", name);
}

static void show_list(const struct inspection *x, const arn_subgraph *g, uint32_t at,
                      uint32_t count, const char *label, cJSON *subgraph) {
  char key[16];
  snprintf(key, sizeof key, "%ss", label);
  cJSON *list = subgraph ? cJSON_AddArrayToObject(subgraph, key) : NULL;
  for (uint32_t i = 0; i < count; i++) {
    show_tensor(x, g, (uint32_t)arn_model_index(&x->m->model, at, i), label, list);
  }
}

static void note_problem(struct inspection *x, uint32_t subgraph, uint32_t node, const char *op,
                         const arn_error *error) {
  char text[256];
  arn_error_format(error, text, sizeof text);
  x->problem_count++;
  if (x->problems == NULL) {
    printf("  would not run here: node %u (%s): %s\n", node, op, text);
    return;
  }
  cJSON *item = cJSON_CreateObject();
  cJSON_AddNumberToObject(item, "subgraph", subgraph);
  cJSON_AddNumberToObject(item, "node", node);
  cJSON_AddStringToObject(item, "op", op);
  cJSON_AddStringToObject(item, "status", arn_status_name(error->status));
  cJSON_AddStringToObject(item, "reason", text);
  cJSON_AddItemToArray(x->problems, item);
}

static void show_node(struct inspection *x, const arn_subgraph *g, uint32_t s, uint32_t n,
                      cJSON *list) {
  arn_node node;
  arn_error error = {0};
  char name[96];
  arn_model_node(&x->m->model, g, n, &node);
  op_name(&x->m->model, &node, name, sizeof name);
  const uint64_t macs = host_macs(&x->m->model, g, &node);
  x->macs += macs;
  const bool bad = arn_check_node(&x->m->model, &arn_ops_all, s, n, &error) != ARN_OK;
  cli_say_not_supported(&error);
  if (list) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "node", n);
    cJSON_AddStringToObject(item, "op", name);
    cJSON_AddNumberToObject(item, "op_version", node.version);
    cJSON_AddNumberToObject(item, "macs", (double)macs);
    cJSON_AddBoolToObject(item, "runs", !bad);
    cJSON_AddItemToArray(list, item);
  } else {
    printf("  node %-4u %-28s version %-2d %12llu MACs\n", n, name, node.version,
           (unsigned long long)macs);
  }
  if (bad) note_problem(x, s, n, name, &error);
}

static void sum_weights(struct inspection *x, const arn_subgraph *g) {
  for (uint32_t i = 0; i < g->tensor_count; i++) {
    arn_tensor t;
    arn_model_tensor(&x->m->model, g, i, &t);
    x->weight_bytes += t.data_bytes;
  }
}

static void show_subgraph(struct inspection *x, uint32_t s, cJSON *subgraphs) {
  arn_subgraph g;
  if (arn_model_subgraph(&x->m->model, s, &g) != ARN_OK) return;
  cJSON *item = subgraphs ? cJSON_CreateObject() : NULL;
  if (item) cJSON_AddItemToArray(subgraphs, item);
  if (!item) printf("subgraph %u: %u tensors, %u nodes\n", s, g.tensor_count, g.node_count);
  sum_weights(x, &g);
  show_list(x, &g, g.inputs_at, g.input_count, "input", item);
  show_list(x, &g, g.outputs_at, g.output_count, "output", item);
  cJSON *tensors = item ? cJSON_AddArrayToObject(item, "tensors") : NULL;
  for (uint32_t i = 0; i < g.tensor_count && (x->tensors || tensors); i++) {
    show_tensor(x, &g, i, "tensor", tensors);
  }
  cJSON *nodes = item ? cJSON_AddArrayToObject(item, "nodes") : NULL;
  for (uint32_t n = 0; n < g.node_count; n++) show_node(x, &g, s, n, nodes);
}

// The shortest list of operators for an application with this model (arn_op_list).
static void show_list_to_link(const struct inspection *x) {
  static host_typed_ops typed;
  if (x->problem_count > 0 || !host_typed_ops_choose(&x->m->model, &typed, NULL)) return;
  cJSON *names = x->json ? cJSON_AddArrayToObject(x->json, "operators") : NULL;
  if (!x->json) printf("list");
  for (uint32_t i = 0; i < typed.list.count; i++) {
    const char *name = host_typed_op_name(typed.ops[i]);
    if (names) cJSON_AddItemToArray(names, cJSON_CreateString(name));
    else printf("%s &arn_op_%s", i ? "," : "", name);
  }
  const bool plans = host_typed_needs_plans(&x->m->model);
  if (names) cJSON_AddBoolToObject(x->json, "needs_file_plans", plans);
  else printf("; plans %s\n", plans ? "&arn_file_plans" : "NULL");
}

static int inspect(struct inspection *x) {
  const arn_model *m = &x->m->model;
  cJSON *subgraphs = x->json ? cJSON_AddArrayToObject(x->json, "subgraphs") : NULL;
  x->problems = x->json ? cJSON_AddArrayToObject(x->json, "problems") : NULL;
  for (uint32_t s = 0; s < m->subgraph_count; s++) show_subgraph(x, s, subgraphs);
  if (x->json) {
    show_list_to_link(x);
    cJSON_AddNumberToObject(x->json, "file_bytes", m->size_bytes);
    cJSON_AddNumberToObject(x->json, "weight_bytes", (double)x->weight_bytes);
    cJSON_AddNumberToObject(x->json, "macs", (double)x->macs);
    if (!host_json_print(x->json)) return cli_fail(EXIT_INTERNAL, "out of host memory");
  } else {
    printf("file %u bytes, weights %llu bytes, %llu MACs an invocation\n", m->size_bytes,
           (unsigned long long)x->weight_bytes, (unsigned long long)x->macs);
    show_list_to_link(x);
    if (x->problem_count > 0) printf("%u nodes would not run here\n", x->problem_count);
  }
  return x->problem_count > 0 ? EXIT_UNSUPPORTED : EXIT_OK;
}

int cli_inspect(int argc, char **argv) {
  static const struct option options[] = {{"tensors", no_argument, 0, 't'},
                                          {"json", no_argument, 0, 'j'},
                                          {"help", no_argument, 0, 'h'},
                                          {0, 0, 0, 0}};
  struct inspection x = {0};
  bool json = false;
  cli_model m;
  int c;
  optind = 1;
  while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
    switch (c) {
      case 't': x.tensors = true; break;
      case 'j': json = true; break;
      case 'h': fputs(usage, stdout); return EXIT_OK;
      default: return EXIT_USAGE;
    }
  }
  if (argc - optind != 1) {
    fputs(usage, stderr);
    return EXIT_USAGE;
  }
  int code = cli_load(&m, argv[optind]);
  if (code != EXIT_OK) return code;
  x.m = &m;
  if (json) x.json = host_json_new("arenite.inspect", 1, m.path);
  code = inspect(&x);
  cli_unload(&m);
  return code;
}
