// Preparing single nodes again, for tools: arn_check_node, arn_memory_of_node.
#include <string.h>

#include "calls.h"
#include "starter.h"

// A node prepared without an arena.
struct trial {
  arn_subgraph g;
  arn_node node;
  const arn_op *op;
  arn_prepare p;
  uint32_t state[ARN_STATE_MAX_BYTES / 4];
};

// A node of a subgraph of a model, with the operators to run it.
struct subject {
  const arn_model *model;
  const arn_op_list *ops;
  uint32_t subgraph, node;
};

static arn_status fail(arn_error *error, arn_status status, arn_what what,
                       const struct subject *at) {
  *error = (arn_error){status, what, (int32_t)at->subgraph, (int32_t)at->node, ARN_NOWHERE, 0, 0,
                       0};
  return status;
}

static arn_status try_node(const struct subject *at, struct trial *t, arn_error *error) {
  uint32_t index;
  arn_what what = ARN_WHAT_NONE;
  memset(t, 0, sizeof *t);
  if (arn_model_subgraph(at->model, at->subgraph, &t->g) != ARN_OK ||
      at->node >= t->g.node_count) {
    return fail(error, ARN_ERR_ARGUMENT, ARN_WHAT_INDEX, at);
  }
  arn_model_node(at->model, &t->g, at->node, &t->node);
  const arn_status status = arn__find_op(at->model, at->ops, &t->node, &t->op, &index, &what);
  if (arn__is_folded_away(at->model, &t->g, at->ops, &t->node)) return ARN_OK;
  if (status != ARN_OK) return fail(error, status, what, at);
  t->p = (arn_prepare){.model = at->model,
                       .subgraph = &t->g,
                       .node = &t->node,
                       .op = t->op,
                       .ops = at->ops,
                       .subgraph_index = (int32_t)at->subgraph,
                       .node_index = (int32_t)at->node,
                       .error = error};
  return t->op->prepare(&t->p, t->state);
}

arn_status arn_check_node(const arn_model *model, const arn_op_list *ops, uint32_t subgraph,
                          uint32_t node, arn_error *error) {
  struct trial t;
  arn_error ignored;
  const struct subject at = {model, ops, subgraph, node};
  if (error == NULL) error = &ignored;
  if (model == NULL || ops == NULL) {
    return fail(error, ARN_ERR_ARGUMENT, ARN_WHAT_NULL_POINTER, &at);
  }
  return try_node(&at, &t, error);
}

static uint32_t called_bytes(const arn_interpreter *nn, const arn_prepare *p) {
  uint32_t most = p->scratch_bytes;
  for (uint32_t i = 0; i < p->call_count; i++) {
    const uint32_t bytes = arn_dynamic_bytes(nn, (uint32_t)p->calls[i]);
    if (bytes > most) most = bytes;
  }
  return most;
}

arn_node_memory arn_memory_of_node(const arn_interpreter *nn, uint32_t subgraph, uint32_t node) {
  arn_node_memory memory;
  struct trial t;
  arn_error error;
  memset(&memory, 0, sizeof memory);
  if (!arn__is_ready(nn) || subgraph >= nn->model->subgraph_count ||
      arn__record_of_subgraph(nn, subgraph)->places_at == 0) {
    return memory;
  }
  const struct subject at = {nn->model, nn->config.ops, subgraph, node};
  if (try_node(&at, &t, &error) != ARN_OK) return memory;
  const arn__node_record *record = arn__record_of_node(nn, subgraph, node);
  memory.op = t.op;
  memory.skipped = record->flags & ARN__NODE_SKIP;
  memory.view_input = t.p.view_input;
  if (memory.skipped) return memory;
  memory.work = t.p.work;
  memory.rows = record->rows;
  memory.by_rows = record->flags & ARN__NODE_BY_ROWS;
  memory.scratch_bytes = called_bytes(nn, &t.p);
  memory.scratch_offset = record->scratch_at;
  memory.state_offset = record->state_at;
  memory.state_bytes = t.p.state_bytes ? (t.p.state_bytes + 3) & ~3u : t.op->state_bytes;
  memory.persistent_bytes = t.p.persistent_bytes;
  memory.fold_bytes = t.p.fold_bytes;
  return memory;
}
