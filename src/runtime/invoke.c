// Running: node after node; subgraph calls keep their frames in the arena.
#include "../model/glance.h"
#include "calls.h"
#include "control.h"
#include "pace.h"
#include "plans.h"

// Of a node's description in the file, only the lists of its tensors are read. (Member by member: a
// call of memset() would cost more.)
void arn__run_prepare_eval(const arn__run *r, const arn__node_record *record, arn_eval *e) {
  arn_interpreter *nn = r->nn;
  uint32_t bytes;
  e->model = nn->model;
  e->arena = nn->arena;
  e->dynamic = nn->dynamic + r->frame.dynamic_at;
  e->places = arn__places_of(nn, r->frame.subgraph);
  e->tables = NULL;
  const uint32_t node = r->frame.node;
  arn__model_node_inputs(nn->model, &r->g, node, &e->inputs_at, &e->input_count);
  arn__model_node_outputs(nn->model, &r->g, node, &e->outputs_at, &e->output_count);
  e->scratch = record->scratch_at == UINT32_MAX ? NULL : e->dynamic + record->scratch_at;
  e->fold = NULL;
  e->persistent = arn__persistent_of(nn, record, &bytes);
  e->error = r->error;
  e->call = NULL;
}

arn_status arn__run_span(const arn__run *r, const arn_op *op, const void *state, arn_eval *e) {
  const arn_hooks *hooks = &r->nn->config.hooks;
  e->op = op;
  const arn_step step = {r->frame.subgraph, r->frame.node, op, e->span, e};
  if (hooks->before && !hooks->before(hooks->context, r->nn, &step)) {
    r->error->what = ARN_WHAT_HOOK;
    return ARN_ERR_ABORTED;
  }
  const arn_status status = op->eval(e, state);
  if (hooks->after) hooks->after(hooks->context, r->nn, &step);
  return status;
}

arn_status arn__run_rows(const arn__run *r, const arn_op *op, const arn__node_record *record,
                         arn_eval *e) {
  const void *state = r->nn->arena + record->state_at;
  if (!(record->flags & ARN__NODE_BY_ROWS)) {
    e->span = (arn_span){0, record->rows};
    return arn__run_span(r, op, state, e);
  }
  const arn__pace pace = arn__pace_of(&r->g, e, record->rows);
  for (uint32_t row = 0; row < record->rows; row += e->span.count) {
    e->span = (arn_span){row, arn__pace_next(&pace, op, state, row)};
    const arn_status status = arn__run_span(r, op, state, e);
    if (status != ARN_OK) return status;
  }
  return ARN_OK;
}

arn_status arn__run_node(arn__run *r) {
  arn_eval e;
  const arn__node_record *record = arn__record_of_node(r->nn, r->frame.subgraph, r->frame.node);
  if (record->flags & ARN__NODE_SKIP) {
    r->frame.node++;
    return ARN_OK;
  }
  const arn_op *op = r->nn->config.ops->ops[record->op];
  arn__run_prepare_eval(r, record, &e);
  r->error->subgraph = r->frame.subgraph;
  r->error->node = r->frame.node;
  if (arn__calls_any(op->code) && op->kinds) {
    const arn__control *control = op->kinds;
    return control->run(r, op, record, &e);
  }
  const arn_status status = arn__run_rows(r, op, record, &e);
  r->frame.node++;
  return status;
}

// Returns to the caller of a subgraph; its control-flow node is evaluated again.
arn_status arn__run_leave(arn__run *r) {
  r->frame = *arn__frame_of(r->nn, --r->depth);
  return arn_model_subgraph(r->nn->model, r->frame.subgraph, &r->g);
}

ARN__APART static arn_status run_all(arn__run *r) {
  arn_status status = arn_model_subgraph(r->nn->model, 0, &r->g);
  while (status == ARN_OK) {
    if (r->frame.node < r->g.node_count) {
      status = arn__run_node(r);
    } else if (r->depth > 0) {
      status = arn__run_leave(r);
    } else {
      break;
    }
  }
  return status;
}

arn_status arn_invoke(arn_interpreter *nn, arn_error *error) {
  arn_error ignored;
  if (error == NULL) error = &ignored;
  *error = (arn_error){ARN_OK, ARN_WHAT_NONE, ARN_NOWHERE, ARN_NOWHERE, ARN_NOWHERE, 0, 0, 0};
  if (!arn__is_ready(nn)) {
    error->status = ARN_ERR_NOT_READY;
    return ARN_ERR_NOT_READY;
  }
  arn__run r = {.nn = nn, .error = error};
  error->status = nn->row_plan_at ? nn->config.ops->plans->run(&r) : run_all(&r);
  if (error->status == ARN_OK) error->subgraph = error->node = ARN_NOWHERE;
  return error->status;
}
