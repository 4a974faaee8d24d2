// Constants behind DEQUANTIZE or DENSIFY that their readers take in place.
#include "graph.h"
#include "parts.h"

#define CODE_DEQUANTIZE 6
#define CODE_DENSIFY 124

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

static int32_t source_of(const arn_model *m, const arn_subgraph *g, const arn_op_list *ops,
                         int32_t tensor) {
  const int32_t source = constant_behind(m, g, tensor);
  arn_tensor t;
  if (source < 0) return -1;
  arn_model_tensor(m, g, (uint32_t)source, &t);
  const uint32_t how = t.flags & ARN_TENSOR_SPARSE ? ARN_FOLDS_SPARSE : 0;
  return readers_fold(m, g, ops, tensor, how, one_link) ? source : -1;
}

const struct arn__folding arn__folded_constants = {source_of};
