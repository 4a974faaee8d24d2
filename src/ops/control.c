// IF, WHILE, STABLEHLO_WHILE, CALL_ONCE, STABLEHLO_COMPOSITE, and the resource variables:
// VAR_HANDLE, READ_VARIABLE, ASSIGN_VARIABLE.
//
// The engine runs a subgraph in the node's scratch and then evaluates the node again; `phase` tells
// where it was. Values go in and out by copying between this node's tensors and the callee's.
#include <string.h>

#include "../graph/parts.h"
#include "../graph/place.h"
#include "../graph/rows.h"
#include "../model/flatbuffer.h"
#include "arenite/config.h"
#include "arenite/ops.h"

#define FIELD_FIRST 0
#define FIELD_SECOND 1
#define COMPOSITE_SUBGRAPH 1
#define CODE_STABLEHLO_WHILE 200

// ---- tensors of a called subgraph ---------------------------------------------------------------

// One of the two subgraphs of a control-flow node.
struct callee {
  arn_subgraph g;
  const uint32_t *places;
  const arn_eval *e;
};

static struct callee callee_of(const arn_eval *e, int32_t subgraph, uint32_t which) {
  struct callee c = {{0}, e->call->places[which], e};
  if (arn_model_subgraph(e->model, (uint32_t)subgraph, &c.g) != ARN_OK) c.places = NULL;
  return c;
}

static uint8_t *address_of(const struct callee *c, int32_t tensor) {
  const uint32_t place = c->places[tensor];
  const uint32_t offset = arn__place_offset(place);
  if (place == ARN__PLACE_NONE) return NULL;
  if (arn__place_kind(place) == ARN__PLACE_STATIC) return c->e->arena + offset;
  if (arn__place_kind(place) == ARN__PLACE_FILE) {
    return (uint8_t *)(uintptr_t)(c->e->model->bytes + offset);
  }
  return c->e->call->dynamic + offset;
}

static uint32_t bytes_of(const struct callee *c, int32_t tensor) {
  arn_tensor t;
  arn_model_tensor(c->e->model, &c->g, (uint32_t)tensor, &t);
  return t.type == ARN_RESOURCE ? 0 : t.bytes;
}

static void copy_in(const struct callee *c, uint32_t i, const void *from) {
  const int32_t tensor = arn_model_index(c->e->model, c->g.inputs_at, i);
  uint8_t *to = address_of(c, tensor);
  if (to && from) memmove(to, from, bytes_of(c, tensor));
}

static void copy_out(const struct callee *c, uint32_t i, void *to) {
  const int32_t tensor = arn_model_index(c->e->model, c->g.outputs_at, i);
  const uint8_t *from = address_of(c, tensor);
  if (to && from) memmove(to, from, bytes_of(c, tensor));
}

// ---- preparing ----------------------------------------------------------------------------------

// What eval needs to know.
struct control_state {
  int32_t calls[2];
};

static arn_status read_callee(arn_prepare *p, int32_t index, arn_subgraph *g) {
  if (index < 0 || arn_model_subgraph(p->model, (uint32_t)index, g) != ARN_OK) {
    return arn_refuse_model(p, ARN_WHAT_SUBGRAPH_INDEX, NULL);
  }
  return ARN_OK;
}

// A tensor of this node and one of the callee must hold the same bytes.
static arn_status check_pair(const arn_prepare *p, const arn_tensor *mine, const arn_subgraph *g,
                             uint32_t vector_at, uint32_t i) {
  arn_tensor theirs;
  arn_model_tensor(p->model, g, (uint32_t)arn_model_index(p->model, vector_at, i), &theirs);
  if (mine->type != theirs.type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, mine);
  if (mine->bytes != theirs.bytes) return arn_refuse_model(p, ARN_WHAT_SHAPE, mine);
  return ARN_OK;
}

static arn_status check_inputs(const arn_prepare *p, const arn_subgraph *g, uint32_t skip) {
  if (g->input_count + skip != p->node->input_count) {
    return arn_refuse_model(p, ARN_WHAT_INPUT_COUNT, NULL);
  }
  for (uint32_t i = 0; i < g->input_count; i++) {
    arn_tensor t;
    arn_status status = arn_prepare_input(p, i + skip, &t);
    if (status == ARN_OK) status = check_pair(p, &t, g, g->inputs_at, i);
    if (status != ARN_OK) return status;
  }
  return ARN_OK;
}

static arn_status check_outputs(const arn_prepare *p, const arn_subgraph *g) {
  if (g->output_count != p->node->output_count) {
    return arn_refuse_model(p, ARN_WHAT_OUTPUT_COUNT, NULL);
  }
  for (uint32_t i = 0; i < g->output_count; i++) {
    arn_tensor t;
    arn_status status = arn_prepare_output(p, i, &t);
    if (status == ARN_OK) status = check_pair(p, &t, g, g->outputs_at, i);
    if (status != ARN_OK) return status;
  }
  return ARN_OK;
}

// STABLEHLO_WHILE has the fields of WHILE in the other options.
static int32_t read_option(const arn_prepare *p, uint32_t id) {
  const bool second = p->op->code == CODE_STABLEHLO_WHILE;
  const uint32_t at = second ? p->node->options2_at : p->node->options_at;
  return at ? arn__fb_field_i32(p->model, at, id, 0) : 0;
}

static arn_status read_calls(arn_prepare *p, struct control_state *s, arn_subgraph g[2]) {
  s->calls[0] = read_option(p, FIELD_FIRST);
  s->calls[1] = read_option(p, FIELD_SECOND);
  for (uint32_t i = 0; i < 2; i++) {
    const arn_status status = read_callee(p, s->calls[i], &g[i]);
    if (status != ARN_OK) return status;
    p->calls[i] = s->calls[i];
  }
  p->call_count = 2;
  return ARN_OK;
}

static arn_status check_condition(const arn_prepare *p, const arn_tensor *t) {
  if (t->type != ARN_BOOL) return arn_refuse(p, ARN_WHAT_TYPE, t);
  return t->count == 1 ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, t);
}

// ---- IF -----------------------------------------------------------------------------------------

static arn_status if_prepare(arn_prepare *p, void *state) {
  struct control_state *s = state;
  arn_subgraph g[2];
  arn_tensor condition;
  arn_status status = read_calls(p, s, g);
  if (status == ARN_OK) status = arn_prepare_input(p, 0, &condition);
  if (status == ARN_OK) status = check_condition(p, &condition);
  for (uint32_t i = 0; i < 2 && status == ARN_OK; i++) {
    status = check_inputs(p, &g[i], 1);
    if (status == ARN_OK) status = check_outputs(p, &g[i]);
  }
  return status;
}

static arn_status if_eval(const arn_eval *e, const void *state) {
  const struct control_state *s = state;
  const uint32_t which = e->call->phase == 0 ? *(const uint8_t *)arn_eval_in(e, 0) == 0
                                             : e->call->phase - 1;
  const struct callee c = callee_of(e, s->calls[which], which);
  if (e->call->phase == 0) {
    for (uint32_t i = 0; i < c.g.input_count; i++) copy_in(&c, i, arn_eval_in(e, i + 1));
    e->call->subgraph = s->calls[which];
    e->call->phase = which + 1;
    return ARN_CALL;
  }
  for (uint32_t i = 0; i < c.g.output_count; i++) copy_out(&c, i, arn_eval_out(e, i));
  return ARN_OK;
}

// ---- WHILE --------------------------------------------------------------------------------------
// phase 0: start; odd: the condition has run; even: the body has run. The loop's values lie in the
// node's outputs.

static arn_status while_prepare(arn_prepare *p, void *state) {
  struct control_state *s = state;
  arn_subgraph g[2];
  arn_tensor t;
  arn_status status = read_calls(p, s, g);
  for (uint32_t i = 0; i < 2 && status == ARN_OK; i++) status = check_inputs(p, &g[i], 0);
  if (status == ARN_OK) status = check_outputs(p, &g[1]);
  if (status != ARN_OK) return status;
  if (p->node->input_count != p->node->output_count) {
    return arn_refuse_model(p, ARN_WHAT_OUTPUT_COUNT, NULL);
  }
  if (g[0].output_count != 1) return arn_refuse_model(p, ARN_WHAT_OUTPUT_COUNT, NULL);
  arn_model_tensor(p->model, &g[0], (uint32_t)arn_model_index(p->model, g[0].outputs_at, 0), &t);
  return check_condition(p, &t);
}

static arn_status run_condition(const arn_eval *e, const struct control_state *s) {
  const struct callee c = callee_of(e, s->calls[0], 0);
  for (uint32_t i = 0; i < c.g.input_count; i++) copy_in(&c, i, arn_eval_out(e, i));
  e->call->subgraph = s->calls[0];
  e->call->phase++;
  return ARN_CALL;
}

static void start_loop(const arn_eval *e, const struct control_state *s) {
  const struct callee body = callee_of(e, s->calls[1], 1);
  for (uint32_t i = 0; i < body.g.input_count; i++) {
    const uint32_t bytes = bytes_of(&body, arn_model_index(e->model, body.g.inputs_at, i));
    if (arn_eval_out(e, i)) memmove(arn_eval_out(e, i), arn_eval_in(e, i), bytes);
  }
}

static arn_status while_eval(const arn_eval *e, const void *state) {
  const struct control_state *s = state;
  const struct callee body = callee_of(e, s->calls[1], 1);
  const uint32_t phase = e->call->phase;
  if (phase == 0) {
    start_loop(e, s);
    return run_condition(e, s);
  }
  if (phase % 2 == 0) {
    for (uint32_t i = 0; i < body.g.output_count; i++) copy_out(&body, i, arn_eval_out(e, i));
    return run_condition(e, s);
  }
  const struct callee condition = callee_of(e, s->calls[0], 0);
  uint8_t go_on = 0;
  copy_out(&condition, 0, &go_on);
  if (!go_on) return ARN_OK;
  if (phase / 2 >= ARN_MAX_LOOPS) return arn_eval_fail(e, ARN_WHAT_LOOP, phase / 2, ARN_MAX_LOOPS);
  for (uint32_t i = 0; i < body.g.input_count; i++) copy_in(&body, i, arn_eval_out(e, i));
  e->call->subgraph = s->calls[1];
  e->call->phase++;
  return ARN_CALL;
}

// ---- CALL_ONCE ----------------------------------------------------------------------------------

static arn_status call_once_prepare(arn_prepare *p, void *state) {
  struct control_state *s = state;
  arn_subgraph g;
  s->calls[0] = arn_option_i32(p, FIELD_FIRST, 0);
  const arn_status status = read_callee(p, s->calls[0], &g);
  if (status != ARN_OK) return status;
  if (g.input_count > 0 || p->node->input_count > 0) {
    return arn_refuse_model(p, ARN_WHAT_INPUT_COUNT, NULL);
  }
  if (g.output_count > 0 || p->node->output_count > 0) {
    return arn_refuse_model(p, ARN_WHAT_OUTPUT_COUNT, NULL);
  }
  p->calls[0] = s->calls[0];
  p->call_count = 1;
  p->persistent_bytes = 4;
  return ARN_OK;
}

static arn_status call_once_eval(const arn_eval *e, const void *state) {
  const struct control_state *s = state;
  uint8_t *done = e->persistent;
  if (e->call->phase > 0) {
    *done = 1;
    return ARN_OK;
  }
  if (*done) return ARN_OK;
  e->call->subgraph = s->calls[0];
  e->call->phase = 1;
  return ARN_CALL;
}

// ---- STABLEHLO_COMPOSITE ------------------------------------------------------------------------
// A part of the model under a name, for engines that have a kernel of that name. The subgraph is
// what it means: that runs here, whatever the name.

static arn_status composite_prepare(arn_prepare *p, void *state) {
  struct control_state *s = state;
  arn_subgraph g;
  const uint32_t options = p->node->options2_at;
  s->calls[0] = options ? arn__fb_field_i32(p->model, options, COMPOSITE_SUBGRAPH, 0) : 0;
  arn_status status = read_callee(p, s->calls[0], &g);
  if (status == ARN_OK) status = check_inputs(p, &g, 0);
  if (status == ARN_OK) status = check_outputs(p, &g);
  p->calls[0] = s->calls[0];
  p->call_count = 1;
  p->state_bytes = sizeof s->calls[0];
  return status;
}

static arn_status composite_eval(const arn_eval *e, const void *state) {
  const struct control_state *s = state;
  const struct callee c = callee_of(e, s->calls[0], 0);
  if (e->call->phase > 0) {
    for (uint32_t i = 0; i < c.g.output_count; i++) copy_out(&c, i, arn_eval_out(e, i));
    return ARN_OK;
  }
  for (uint32_t i = 0; i < c.g.input_count; i++) copy_in(&c, i, arn_eval_in(e, i));
  e->call->subgraph = s->calls[0];
  e->call->phase = 1;
  return ARN_CALL;
}

// ---- resource variables -------------------------------------------------------------------------
// The engine gives a RESOURCE tensor the place of its variable.

static arn_status var_handle_prepare(arn_prepare *p, void *state) {
  arn_tensor t;
  (void)state;
  arn_status status = arn_prepare_counts(p, 0, 0, 1);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &t);
  if (status == ARN_OK && t.type != ARN_RESOURCE) return arn_refuse_model(p, ARN_WHAT_TYPE, &t);
  return status;
}

static arn_status var_handle_eval(const arn_eval *e, const void *state) {
  (void)e;
  (void)state;
  return ARN_OK;
}

// Bytes to move.
struct variable_state {
  uint32_t bytes;
};

static arn_status check_handle(const arn_prepare *p) {
  arn_tensor t;
  const arn_status status = arn_prepare_input(p, 0, &t);
  if (status != ARN_OK) return status;
  return t.type == ARN_RESOURCE ? ARN_OK : arn_refuse_model(p, ARN_WHAT_TYPE, &t);
}

static arn_status read_variable_prepare(arn_prepare *p, void *state) {
  struct variable_state *s = state;
  arn_tensor t;
  arn_status status = arn_prepare_counts(p, 1, 1, 1);
  if (status == ARN_OK) status = check_handle(p);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &t);
  if (status != ARN_OK) return status;
  s->bytes = t.bytes;
  arn_prepare_view(p, 0, 0, 0);
  return ARN_OK;
}

static arn_status read_variable_eval(const arn_eval *e, const void *state) {
  const struct variable_state *s = state;
  const void *variable = arn_eval_in(e, 0);
  void *value = arn_eval_out(e, 0);
  if (value && variable && value != variable) memcpy(value, variable, s->bytes);
  return ARN_OK;
}

static arn_status assign_variable_prepare(arn_prepare *p, void *state) {
  struct variable_state *s = state;
  arn_tensor t;
  arn_status status = arn_prepare_counts(p, 2, 2, 0);
  if (status == ARN_OK) status = check_handle(p);
  if (status == ARN_OK) status = arn_prepare_input(p, 1, &t);
  if (status != ARN_OK) return status;
  s->bytes = t.bytes;
  return ARN_OK;
}

static arn_status assign_variable_eval(const arn_eval *e, const void *state) {
  const struct variable_state *s = state;
  void *variable = (void *)(uintptr_t)arn_eval_in(e, 0);
  const void *value = arn_eval_in(e, 1);
  if (variable && value && variable != value) memmove(variable, value, s->bytes);
  return ARN_OK;
}

const arn_op arn_op_if = {.name = "IF", .code = 118, .state_bytes = sizeof(struct control_state),
                          .types = ARN_TYPE_BIT(ARN_BOOL), .kinds = &arn__control_flow,
                          .prepare = if_prepare, .eval = if_eval};

const arn_op arn_op_while = {.name = "WHILE", .code = 119,
                             .state_bytes = sizeof(struct control_state), .types = UINT32_MAX,
                             .kinds = &arn__control_flow, .prepare = while_prepare,
                             .eval = while_eval};

const arn_op arn_op_stablehlo_while = {.name = "STABLEHLO_WHILE", .code = CODE_STABLEHLO_WHILE,
                                       .state_bytes = sizeof(struct control_state),
                                       .types = UINT32_MAX, .kinds = &arn__control_flow,
                                       .prepare = while_prepare, .eval = while_eval};

const arn_op arn_op_call_once = {.name = "CALL_ONCE", .code = 129,
                                 .state_bytes = sizeof(struct control_state),
                                 .kinds = &arn__control_flow,
                                 .prepare = call_once_prepare, .eval = call_once_eval};

const arn_op arn_op_stablehlo_composite = {.name = "STABLEHLO_COMPOSITE", .code = 206,
                                           .state_bytes = sizeof(struct control_state),
                                           .types = UINT32_MAX, .kinds = &arn__control_flow,
                                           .prepare = composite_prepare,
                                           .eval = composite_eval};

const arn_op arn_op_var_handle = {.name = "VAR_HANDLE", .code = 142,
                                  .kinds = &arn__resource_variables,
                                  .prepare = var_handle_prepare, .eval = var_handle_eval};

const arn_op arn_op_read_variable = {.name = "READ_VARIABLE", .code = 143,
                                     .state_bytes = sizeof(struct variable_state),
                                     .types = ARN_TYPE_BIT(ARN_RESOURCE),
                                     .prepare = read_variable_prepare,
                                     .eval = read_variable_eval};

const arn_op arn_op_assign_variable = {.name = "ASSIGN_VARIABLE", .code = 144,
                                       .state_bytes = sizeof(struct variable_state),
                                       .types = ARN_TYPE_BIT(ARN_RESOURCE),
                                       .prepare = assign_variable_prepare,
                                       .eval = assign_variable_eval};
