// The nodes of a plan as JSON: what each reads and writes; accumulators of those that fold rows.
#include "host/report/json.h"

static void add_list(cJSON *item, const char *name, const host_facts *f, uint32_t at,
                     uint32_t count) {
  cJSON *list = cJSON_AddArrayToObject(item, name);
  for (uint32_t i = 0; i < count; i++) {
    cJSON_AddItemToArray(list, cJSON_CreateNumber(arn_model_index(f->nn->model, at, i)));
  }
}

void host_json_add_nodes(cJSON *object, const host_facts *f) {
  cJSON *list = cJSON_AddArrayToObject(object, "nodes");
  for (uint32_t n = 0; n < f->subgraph.node_count; n++) {
    arn_node node;
    arn_model_node(f->nn->model, &f->subgraph, n, &node);
    cJSON *item = cJSON_CreateObject();
    add_list(item, "inputs", f, node.inputs_at, node.input_count);
    add_list(item, "outputs", f, node.outputs_at, node.output_count);
    cJSON_AddItemToArray(list, item);
  }
}

void host_json_add_accumulators(cJSON *object, const host_facts *f) {
  if (!f->by_row_plan) return;
  cJSON *list = cJSON_AddArrayToObject(object, "accumulators");
  for (uint32_t i = 0; i < f->group_count; i++) {
    const host_group_fact *g = &f->groups[i];
    if (g->tensor >= 0) continue;
    cJSON *item = cJSON_CreateObject();
    cJSON_AddNumberToObject(item, "offset", g->offset);
    cJSON_AddNumberToObject(item, "bytes", g->bytes);
    cJSON_AddNumberToObject(item, "first_step", g->first);
    cJSON_AddNumberToObject(item, "last_step", g->last);
    cJSON_AddItemToArray(list, item);
  }
}
