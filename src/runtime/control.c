#include "control.h"

#include "calls.h"

static arn_status enter(arn__run *r, const arn_call *call) {
  *arn__frame_of(r->nn, r->depth++) = r->frame;
  r->frame.phase = 0;
  r->frame.node = 0;
  r->frame.subgraph = (uint16_t)call->subgraph;
  r->frame.dynamic_at = (uint32_t)(call->dynamic - r->nn->dynamic);
  return arn_model_subgraph(r->nn->model, r->frame.subgraph, &r->g);
}

// Control flow: eval either ends, or asks for a subgraph to run and to be called again after it.
static arn_status run(arn__run *r, const arn_op *op, const arn__node_record *record,
                      arn_eval *e) {
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
  const arn_status status = arn__run_rows(r, op, record, e);
  r->frame.phase = status == ARN_CALL ? call.phase : 0;
  return status == ARN_CALL ? enter(r, &call) : (r->frame.node++, status);
}

const arn__control arn__control_flow = {arn__calls_depths, run};
