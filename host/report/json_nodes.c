// The nodes of a plan as JSON: what each reads and writes.
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
