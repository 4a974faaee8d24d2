// Running by a row plan.
#include "../graph/rows.h"
#include "calls.h"
#include "plans.h"

// Rows of a streamed input or output.
ARN__APART static arn_status run_port(arn__run *r, const arn__row_plan *plan,
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

static arn_status run_step(arn__run *r, const arn__row_plan *plan, const arn__row_step *step) {
  arn_eval e;
  const arn__node_record *record = arn__record_of_node(r->nn, 0, step->node);
  const arn_op *op = r->nn->config.ops->ops[record->op];
  const uint32_t fold = arn__row_plan_fold(plan, step->node);
  r->frame.node = (uint16_t)step->node;
  arn__run_prepare_eval(r, record, &e);
  e.tables = arn__row_tables(plan);
  e.span = (arn_span){step->first, step->count};
  if (fold != ARN__PLAN_NONE && step->count < record->rows) e.fold = e.dynamic + fold;
  r->error->subgraph = 0;
  r->error->node = (int32_t)step->node;
  return arn__run_span(r, op, r->nn->arena + record->state_at, &e);
}

// Control flow inside a row plan: the node runs whole, and the subgraphs it calls in the file's
// order.
ARN__APART static arn_status run_calls(arn__run *r, uint32_t node) {
  r->frame.node = (uint16_t)node;
  arn_status status = arn__run_node(r);
  while (status == ARN_OK && (r->depth > 0 || r->frame.node == node)) {
    if (r->frame.node < r->g.node_count && !(r->depth == 0 && r->frame.node != node)) {
      status = arn__run_node(r);
    } else if (r->depth > 0) {
      status = arn__run_leave(r);
    }
  }
  return status;
}

static bool is_control(const arn__run *r, uint32_t n) {
  const arn__node_record *record = arn__record_of_node(r->nn, 0, n);
  return arn__calls_any(r->nn->config.ops->ops[record->op]->code);
}

arn_status arn__plans_run(arn__run *r) {
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
