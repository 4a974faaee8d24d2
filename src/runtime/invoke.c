// Running: node after node; subgraph calls keep their frames in the arena.
#include "../graph/rows.h"
#include "../model/glance.h"
#include "../plan/rowplan.h"
#include "calls.h"
#include "pace.h"
#include "records.h"
#include "starter.h"

// A running invocation.
struct run {
  arn_interpreter *nn;
  arn_error *error;
  arn_subgraph g;        // of the current frame
  arn__frame frame;
  uint32_t depth;        // frames saved in the arena
};

// Of a node's description in the file, only the lists of its tensors are read. (Member by member: a
// call of memset() would cost more.)
static void fill_eval(const struct run *r, const arn__node_record *record, arn_eval *e) {
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

static arn_status run_span(const struct run *r, const arn_op *op, const void *state, arn_eval *e) {
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

static arn_status run_rows(const struct run *r, const arn_op *op, const arn__node_record *record,
                           arn_eval *e) {
  const void *state = r->nn->arena + record->state_at;
  if (!(record->flags & ARN__NODE_BY_ROWS)) {
    e->span = (arn_span){0, record->rows};
    return run_span(r, op, state, e);
  }
  const arn__pace pace = arn__pace_of(&r->g, e, record->rows);
  for (uint32_t row = 0; row < record->rows; row += e->span.count) {
    e->span = (arn_span){row, arn__pace_next(&pace, op, state, row)};
    const arn_status status = run_span(r, op, state, e);
    if (status != ARN_OK) return status;
  }
  return ARN_OK;
}

static arn_status enter(struct run *r, const arn_call *call) {
  *arn__frame_of(r->nn, r->depth++) = r->frame;
  r->frame.phase = 0;
  r->frame.node = 0;
  r->frame.subgraph = (uint16_t)call->subgraph;
  r->frame.dynamic_at = (uint32_t)(call->dynamic - r->nn->dynamic);
  return arn_model_subgraph(r->nn->model, r->frame.subgraph, &r->g);
}

// Control flow: eval either ends, or asks for a subgraph to run and to be called again after it.
ARN__APART static arn_status run_control(struct run *r, const arn_op *op,
                                         const arn__node_record *record, arn_eval *e) {
  arn_node node;
  int32_t callees[2];
  arn_model_node(r->nn->model, &r->g, r->frame.node, &node);
  arn_call call = {.subgraph = -1, .phase = r->frame.phase, .arena = e->arena};
  const uint32_t count = arn__calls_of(r->nn->model, &node, callees);
  for (uint32_t i = 0; i < count; i++) {
    call.places[i] = arn__places_of(r->nn, (uint32_t)callees[i]);
  }
  call.dynamic = e->scratch ? e->scratch : e->dynamic;
  e->call = &call;
  const arn_status status = run_rows(r, op, record, e);
  r->frame.phase = status == ARN_CALL ? call.phase : 0;
  return status == ARN_CALL ? enter(r, &call) : (r->frame.node++, status);
}

static arn_status run_node(struct run *r) {
  arn_eval e;
  const arn__node_record *record = arn__record_of_node(r->nn, r->frame.subgraph, r->frame.node);
  if (record->flags & ARN__NODE_SKIP) {
    r->frame.node++;
    return ARN_OK;
  }
  const arn_op *op = r->nn->config.ops->ops[record->op];
  fill_eval(r, record, &e);
  r->error->subgraph = r->frame.subgraph;
  r->error->node = r->frame.node;
  if (arn__calls_any(op->code)) return run_control(r, op, record, &e);
  const arn_status status = run_rows(r, op, record, &e);
  r->frame.node++;
  return status;
}

// Returns to the caller of a subgraph; its control-flow node is evaluated again.
static arn_status leave(struct run *r) {
  r->frame = *arn__frame_of(r->nn, --r->depth);
  return arn_model_subgraph(r->nn->model, r->frame.subgraph, &r->g);
}

ARN__APART static arn_status run_all(struct run *r) {
  arn_status status = arn_model_subgraph(r->nn->model, 0, &r->g);
  while (status == ARN_OK) {
    if (r->frame.node < r->g.node_count) {
      status = run_node(r);
    } else if (r->depth > 0) {
      status = leave(r);
    } else {
      break;
    }
  }
  return status;
}

// ---- by a row plan ------------------------------------------------------------------------------

// Rows of a streamed input or output.
ARN__APART static arn_status run_port(struct run *r, const arn__row_plan *plan,
                                      const arn__row_step *step) {
  const arn_stream *stream = &r->nn->config.stream;
  const bool arrives = step->node == plan->node_count;
  const uint32_t vector_at = arrives ? r->g.inputs_at : r->g.outputs_at;
  const uint32_t port = step->port;
  const int32_t tensor = arn_model_index(r->nn->model, vector_at, port);
  arn_tensor t;
  arn_model_tensor(r->nn->model, &r->g, (uint32_t)tensor, &t);
  const arn_eval e = {.model = r->nn->model,
                      .arena = r->nn->arena,
                      .dynamic = r->nn->dynamic + r->frame.dynamic_at,
                      .places = arn__places_of(r->nn, 0),
                      .tables = arn__row_tables(plan),
                      .inputs_at = vector_at,
                      .input_count = port + 1};
  const arn_rows rows = arn_eval_input(&e, port, arn__rows_bytes(&t));
  bool go_on = arrives ? stream->fetch != NULL : stream->deliver != NULL;
  for (uint32_t row = step->first; row < step->first + step->count && go_on; row++) {
    uint8_t *at = arn_row(&rows, row);
    go_on = arrives ? stream->fetch(stream->context, port, row, at, rows.row_bytes)
                    : stream->deliver(stream->context, port, row, at, rows.row_bytes);
  }
  if (go_on) return ARN_OK;
  r->error->what = ARN_WHAT_HOOK;
  return ARN_ERR_ABORTED;
}

static arn_status run_step(struct run *r, const arn__row_plan *plan, const arn__row_step *step) {
  arn_eval e;
  const arn__node_record *record = arn__record_of_node(r->nn, 0, step->node);
  const arn_op *op = r->nn->config.ops->ops[record->op];
  const uint32_t fold = arn__row_plan_fold(plan, step->node);
  r->frame.node = (uint16_t)step->node;
  fill_eval(r, record, &e);
  e.tables = arn__row_tables(plan);
  e.span = (arn_span){step->first, step->count};
  if (fold != ARN__PLAN_NONE && step->count < record->rows) e.fold = e.dynamic + fold;
  r->error->subgraph = 0;
  r->error->node = (int32_t)step->node;
  return run_span(r, op, r->nn->arena + record->state_at, &e);
}

// Control flow inside a row plan: the node runs whole, and the subgraphs it calls in the file's
// order.
ARN__APART static arn_status run_calls(struct run *r, uint32_t node) {
  r->frame.node = (uint16_t)node;
  arn_status status = run_node(r);
  while (status == ARN_OK && (r->depth > 0 || r->frame.node == node)) {
    if (r->frame.node < r->g.node_count && !(r->depth == 0 && r->frame.node != node)) {
      status = run_node(r);
    } else if (r->depth > 0) {
      status = leave(r);
    }
  }
  return status;
}

static bool is_control(const struct run *r, uint32_t n) {
  const arn__node_record *record = arn__record_of_node(r->nn, 0, n);
  return arn__calls_any(r->nn->config.ops->ops[record->op]->code);
}

ARN__APART static arn_status run_plan(struct run *r) {
  arn__row_plan plan;
  arn__row_step step;
  arn_status status = arn_model_subgraph(r->nn->model, 0, &r->g);
  arn__row_plan_reopen(&plan, r->nn->model, r->nn->row_plan_at);
  uint32_t cursor = plan.steps_at;
  for (uint32_t i = 0; i < plan.step_count && status == ARN_OK; i++) {
    if (!arn__row_plan_next(&plan, &cursor, &step)) return ARN_ERR_INTERNAL;
    if (step.node >= plan.node_count) status = run_port(r, &plan, &step);
    else if (is_control(r, step.node)) status = run_calls(r, step.node);
    else status = run_step(r, &plan, &step);
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
  struct run r = {.nn = nn, .error = error};
  error->status = nn->row_plan_at ? run_plan(&r) : run_all(&r);
  if (error->status == ARN_OK) error->subgraph = error->node = ARN_NOWHERE;
  return error->status;
}
