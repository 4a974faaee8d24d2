#include "graph.h"

#include "../model/flatbuffer.h"
#include "../model/glance.h"
#include "../model/schema.h"

#define CODE_DEQUANTIZE 6
#define CODE_DENSIFY 124
#define FIRST_STABLEHLO 162

void arn__graph_read(const arn_model *m, const arn_subgraph *g, uint32_t index, arn_tensor *t) {
  arn_model_tensor(m, g, index, t);
}

int32_t arn__graph_producer(const arn_model *m, const arn_subgraph *g, int32_t tensor) {
  for (uint32_t n = 0; n < g->node_count; n++) {
    uint32_t first, count;
    const uint32_t table = arn__fb_element(m, g->nodes_at, n);
    arn__fb_vector(m, table, ARN__OPERATOR_OUTPUTS, &first, &count);
    if (arn_model_index_find(m, first, count, tensor) >= 0) return (int32_t)n;
  }
  return -1;
}

// Follows DEQUANTIZE and DENSIFY back from `tensor` to a constant; -1 where there is none.
static int32_t constant_behind(const arn_model *m, const arn_subgraph *g, int32_t tensor) {
  for (uint32_t depth = 0; depth < 3; depth++) {
    arn_tensor t;
    arn_node node;
    arn_model_tensor(m, g, (uint32_t)tensor, &t);
    if (t.flags & ARN_TENSOR_CONST) return depth > 0 ? tensor : -1;
    const int32_t producer = arn__graph_producer(m, g, tensor);
    if (producer < 0) return -1;
    arn_model_node(m, g, (uint32_t)producer, &node);
    if (node.code != CODE_DEQUANTIZE && node.code != CODE_DENSIFY) return -1;
    if (node.input_count != 1) return -1;
    tensor = arn_model_index(m, node.inputs_at, 0);
    if (tensor < 0) return -1;
  }
  return -1;
}

static bool takes_folded(const arn_op *op, uint32_t input) {
  return input < 31 && (op->folds >> input & 1u);
}

// Says whether every input slot of `node` that reads `tensor` takes it folded. `how` is 0, or
// ARN_FOLDS_SPARSE for a sparse constant.
static bool reader_folds(const arn_model *m, const arn_node *node, const arn_op *op, int32_t tensor,
                         uint32_t how) {
  if (op == NULL || (op->folds & how) != how) return false;
  for (uint32_t i = 0; i < node->input_count; i++) {
    if (arn_model_index(m, node->inputs_at, i) == tensor && !takes_folded(op, i)) return false;
  }
  return true;
}

static bool is_unpacking(const arn_node *node) {
  return (node->code == CODE_DEQUANTIZE || node->code == CODE_DENSIFY) && node->output_count == 1;
}

// Says whether all readers of `tensor` take it folded. Readers that unpack further (DENSIFY, then
// DEQUANTIZE) do where `chained`, the readers of what they write, says so.
static bool readers_fold(const arn_model *m, const arn_subgraph *g, const arn_op_list *ops,
                         int32_t tensor, uint32_t how,
                         bool (*chained)(const arn_model *, const arn_subgraph *,
                                         const arn_op_list *, const arn_node *, uint32_t)) {
  if (arn_model_index_find(m, g->outputs_at, g->output_count, tensor) >= 0) return false;
  for (uint32_t n = 0; n < g->node_count; n++) {
    arn_node node;
    arn_model_node(m, g, n, &node);
    if (arn_model_index_find(m, node.inputs_at, node.input_count, tensor) < 0) continue;
    if (is_unpacking(&node)) {
      if (!chained(m, g, ops, &node, how)) return false;
      continue;
    }
    const int32_t found = arn__graph_find_op(m, ops, &node);
    const arn_op *op = found < 0 ? NULL : ops->ops[found];
    if (!reader_folds(m, &node, op, tensor, how)) return false;
  }
  return true;
}

static bool no_chain(const arn_model *m, const arn_subgraph *g, const arn_op_list *ops,
                     const arn_node *node, uint32_t how) {
  (void)m;
  (void)g;
  (void)ops;
  (void)node;
  (void)how;
  return false;
}

static bool one_link(const arn_model *m, const arn_subgraph *g, const arn_op_list *ops,
                     const arn_node *node, uint32_t how) {
  return readers_fold(m, g, ops, arn_model_index(m, node->outputs_at, 0), how, no_chain);
}

int32_t arn__graph_folded(const arn_model *m, const arn_subgraph *g, const arn_op_list *ops,
                          int32_t tensor) {
  const int32_t source = constant_behind(m, g, tensor);
  arn_tensor t;
  if (source < 0) return -1;
  arn_model_tensor(m, g, (uint32_t)source, &t);
  const uint32_t how = t.flags & ARN_TENSOR_SPARSE ? ARN_FOLDS_SPARSE : 0;
  return readers_fold(m, g, ops, tensor, how, one_link) ? source : -1;
}

int32_t arn__graph_folded_source(const arn_prepare *p, uint32_t i) {
  if (!takes_folded(p->op, i) || p->ops == NULL) return -1;
  const int32_t tensor = arn_model_index(p->model, p->node->inputs_at, i);
  arn_tensor t;
  if (arn__model_type(p->model, p->subgraph, (uint32_t)tensor) != ARN_FLOAT32) return -1;
  arn_model_tensor(p->model, p->subgraph, (uint32_t)tensor, &t);
  if (t.flags & (ARN_TENSOR_CONST | ARN_TENSOR_VARIABLE)) return -1;
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
