// Finding a node's operator, and saying why there is none.
#include <string.h>

#include "../graph/graph.h"
#include "../model/glance.h"
#include "calls.h"
#include "control.h"
#include "starter.h"

static bool starts_with(const char *text, uint32_t length, const char *prefix) {
  uint32_t i = 0;
  while (prefix[i] && i < length && text[i] == prefix[i]) i++;
  return prefix[i] == '\0';
}

static arn_what why_no_custom_op(const arn_model *m, const arn_node *node) {
  static const char *const vendors[] = {"edgetpu-custom-op", "ethos-u", "XC_", "MTKEXT_",
                                        "DISPATCH_OP", "NeuronFlow", "QNN", "hexagon"};
  uint32_t length;
  const char *name = arn_model_string(m, node->name_at, &length);
  if (starts_with(name, length, "Flex")) return ARN_WHAT_OP_FLEX;
  for (size_t i = 0; i < sizeof vendors / sizeof vendors[0]; i++) {
    if (starts_with(name, length, vendors[i])) return ARN_WHAT_OP_VENDOR;
  }
  return ARN_WHAT_OP_CUSTOM;
}

arn_status arn__find_op(const arn_model *m, const arn_op_list *ops, const arn_node *node,
                        const arn_op **op, uint32_t *index, arn_what *what) {
  const int32_t found = arn__graph_find_op(m, ops, node);
  if (found >= 0) {
    *op = ops->ops[found];
    *index = (uint32_t)found;
    *what = ARN_WHAT_SIZE;  // of the data that the record of an application says it prepares
    return (*op)->state_bytes <= ARN_STATE_MAX_BYTES ? ARN_OK : ARN_ERR_ARGUMENT;
  }
  *what = node->code == ARN_CODE_CUSTOM ? why_no_custom_op(m, node) : ARN_WHAT_OP_NOT_REGISTERED;
  return ARN_ERR_NO_OP;
}

bool arn__is_folded_away(const arn_model *m, const arn_subgraph *g, const arn_op_list *ops,
                         const arn_node *node) {
  if (node->code != ARN__CODE_DEQUANTIZE && node->code != ARN__CODE_DENSIFY) return false;
  if (node->output_count != 1) return false;
  const int32_t tensor = arn_model_index(m, node->outputs_at, 0);
  return arn__graph_folded(m, g, ops, tensor) >= 0;
}

arn_status arn__depths(const arn_model *m, const arn_op_list *ops, uint8_t *depth,
                       arn_error *error) {
  arn_subgraph g;
  memset(depth, 0, ARN_MAX_SUBGRAPHS);
  depth[0] = 1;
  if (m->subgraph_count > ARN_MAX_SUBGRAPHS) {
    if (error) {
      *error = (arn_error){ARN_ERR_UNSUPPORTED, ARN_WHAT_LIMIT, ARN_NOWHERE, ARN_NOWHERE,
                           ARN_NOWHERE, 0, 0, 0};
    }
    return ARN_ERR_UNSUPPORTED;
  }
  if (arn_model_subgraph(m, 0, &g) != ARN_OK) return ARN_ERR_INTERNAL;
  for (uint32_t n = 0; n < g.node_count; n++) {
    const int32_t code = arn__model_code(m, &g, n);
    const arn__control *control = arn__calls_any(code) ? arn__graph_part(ops, code) : NULL;
    if (control) return control->depths(m, depth, error);
  }
  return ARN_OK;
}
