#include "graph.h"

#include "../model/flatbuffer.h"
#include "../model/glance.h"
#include "../model/schema.h"
#include "parts.h"

#define CODE_DEQUANTIZE 6
#define CODE_DENSIFY 124
#define FIRST_STABLEHLO 162

void arn__graph_read(const arn_model *m, const arn_subgraph *g, uint32_t index, arn_tensor *t) {
  arn_model_tensor(m, g, index, t);
}

int32_t arn__graph_producer(const arn_model *m, const arn_subgraph *g, int32_t tensor) {
  for (uint32_t n = 0; n < g->node_count; n++) {
    uint32_t first, count;
    const arn__fb_table node = arn__fb_open(m, arn__fb_element(m, g->nodes_at, n));
    arn__fb_find_vector(m, &node, ARN__OPERATOR_OUTPUTS, &first, &count);
    if (arn_model_index_find(m, first, count, tensor) >= 0) return (int32_t)n;
  }
  return -1;
}

static bool takes_folded(const arn_op *op, uint32_t input) {
  return input < 31 && (op->folds >> input & 1u);
}

int32_t arn__graph_folded(const arn_model *m, const arn_subgraph *g, const arn_op_list *ops,
                          int32_t tensor) {
  const struct arn__folding *folding = arn__graph_part(ops, CODE_DEQUANTIZE);
  if (folding == NULL) folding = arn__graph_part(ops, CODE_DENSIFY);
  return folding ? folding->source(m, g, ops, tensor) : -1;
}

int32_t arn__graph_folded_source(const arn_prepare *p, uint32_t i) {
  if (!takes_folded(p->op, i) || p->ops == NULL) return -1;
  const int32_t tensor = arn_model_index(p->model, p->node->inputs_at, i);
  if (arn__model_type(p->model, p->subgraph, (uint32_t)tensor) != ARN_FLOAT32) return -1;
  if (arn__model_glance(p->model, p->subgraph, (uint32_t)tensor).flags != 0) return -1;
  return arn__graph_folded(p->model, p->subgraph, p->ops, tensor);
}

// Operators of StableHLO without options are builtin ones under another number. 255: no such one.
static int32_t plain_code(int32_t code) {
  static const uint8_t codes[] = {
      14,  0,   42,  18,  55,  22,  255, 255, 255, 255, 255, 255, 255, 101, 86,  // LOGISTIC .. AND
      108, 47,  8,   73,  57,  59,  84,  78,  255, 76,  123, 41,  28,            // COSINE .. TANH
      255, 255, 53};                                                             // .. CONVERT
  const int32_t i = code - FIRST_STABLEHLO;
  if (i < 0 || i >= (int32_t)sizeof codes || codes[i] == 255) return code;
  return codes[i];
}

int32_t arn__graph_find_op(const arn_model *m, const arn_op_list *ops, const arn_node *node) {
  const int32_t code = plain_code(node->code);
  for (uint32_t i = 0; i < ops->count; i++) {
    const arn_op *op = ops->ops[i];
    if (op->code != code) continue;
    if (op->code == ARN_CODE_CUSTOM && !arn_model_string_is(m, node->name_at, op->name)) continue;
    return (int32_t)i;
  }
  return -1;
}

const void *arn__graph_part(const arn_op_list *ops, int32_t code) {
  for (uint32_t i = 0; i < ops->count; i++) {
    if (ops->ops[i]->code == code) return ops->ops[i]->kinds;
  }
  return NULL;
}
