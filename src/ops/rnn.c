// RNN, UNIDIRECTIONAL_SEQUENCE_RNN and BIDIRECTIONAL_SEQUENCE_RNN: out = h = act(Wx x + Wh h + b),
// float32 with weights of any type that dense.h takes. In two directions, one layer starts at the
// end; outputs are apart, or side by side in one tensor; an auxiliary input is not supported.
//
// As in lstm.c, new values of a step go to the output and become the hidden state when all are
// there: no scratch.
//
// Rows. A sequence [1,T,...] runs in rows: steps in time, or the batches of a single step. In two
// directions it runs whole.
#include <float.h>

#include "../graph/rows.h"
#include "arenite/ops.h"
#include "dense.h"
#include "recurrent.h"

// Inputs of a layer follow from its first one on.
enum { INPUT = 0, FORWARD = 1, BACKWARD = 5, AUXILIARY = 9, BIDIRECTIONAL_INPUTS = 12 };
enum { WEIGHTS = 0, RECURRENT = 1, BIAS = 2, HIDDEN = 3, LAYER_INPUTS = 4 };
enum { RNN_ACTIVATION = 0, SEQUENCE_TIME_MAJOR = 0, SEQUENCE_ACTIVATION = 1, MERGE_OUTPUTS = 2 };

typedef struct rnn {
  uint32_t inputs, units, batches, steps;
  uint32_t scales_at[2];  // of integer weights, in the file: input, recurrent; else 0
  uint8_t w_type, bias_type;
  uint8_t activation, time_major;
  uint8_t whole;          // not cut into rows
  uint8_t layer;          // its first input
} rnn;

typedef struct tensors {
  arn_tensor in, weights, recurrent, bias, hidden, out;
} tensors;

// ---- prepare ------------------------------------------------------------------------------------

static arn_status read_tensors(const arn_prepare *p, uint32_t layer, uint32_t output,
                               tensors *t) {
  arn_status status = arn_prepare_input(p, INPUT, &t->in);
  if (status == ARN_OK) status = arn_prepare_input(p, layer + WEIGHTS, &t->weights);
  if (status == ARN_OK) status = arn_prepare_input(p, layer + RECURRENT, &t->recurrent);
  if (status == ARN_OK) status = arn_prepare_input(p, layer + BIAS, &t->bias);
  if (status == ARN_OK) status = arn_prepare_input(p, layer + HIDDEN, &t->hidden);
  if (status == ARN_OK) status = arn_prepare_output(p, output, &t->out);
  return status;
}

// As read_tensors, of nodes of one layer.
static arn_status read_one_layer(const arn_prepare *p, rnn *s, tensors *t) {
  const uint32_t inputs = FORWARD + LAYER_INPUTS;
  const arn_status status = arn_prepare_counts(p, inputs, inputs, 1);
  s->layer = FORWARD;
  return status == ARN_OK ? read_tensors(p, FORWARD, 0, t) : status;
}

// Checks weights of `depth` columns.
static arn_status check_weights(const arn_prepare *p, const arn_tensor *w, uint32_t depth,
                                const rnn *s, uint32_t *scales_at) {
  float scale;
  int32_t zero;
  if (w->type != s->w_type || !arn__dense_takes(ARN_FLOAT32, w->type)) {
    return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, w);
  }
  if (w->flags & ARN_TENSOR_SPARSE) return arn_refuse(p, ARN_WHAT_SPARSITY, w);
  if (w->rank != 2 || (uint32_t)w->dims[0] != s->units || (uint32_t)w->dims[1] != depth) {
    return arn_refuse(p, ARN_WHAT_SHAPE, w);
  }
  if (w->type == ARN_FLOAT32 || w->type == ARN_FLOAT16) return ARN_OK;
  const arn_status status = arn__quantised_read(p, w, &scale, &zero);
  *scales_at = w->scales_at;
  return status == ARN_OK && zero != 0 ? arn_refuse(p, ARN_WHAT_ZERO_POINT, w) : status;
}

static arn_status check_rest(const arn_prepare *p, const tensors *t, const rnn *s) {
  if (t->in.type != ARN_FLOAT32) return arn_refuse(p, ARN_WHAT_TYPE, &t->in);
  if (t->out.type != ARN_FLOAT32) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->out);
  if (t->hidden.type != ARN_FLOAT32) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->hidden);
  if (!(t->hidden.flags & ARN_TENSOR_VARIABLE)) {
    return arn_refuse(p, ARN_WHAT_TENSOR_VARIABLE, &t->hidden);
  }
  if (t->bias.type != ARN_FLOAT32 && t->bias.type != ARN_FLOAT16) {
    return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->bias);
  }
  if (t->bias.count != s->units) return arn_refuse(p, ARN_WHAT_SHAPE, &t->bias);
  if (t->hidden.count != (uint64_t)s->batches * s->units) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &t->hidden);
  }
  return arn__recurrent_has(s->activation) ? ARN_OK : arn_refuse(p, ARN_WHAT_ACTIVATION, NULL);
}

static arn_status check_tensors(const arn_prepare *p, const tensors *t, rnn *s) {
  s->w_type = t->weights.type;
  s->bias_type = t->bias.type;
  arn_status status = check_rest(p, t, s);
  if (status == ARN_OK) status = check_weights(p, &t->weights, s->inputs, s, &s->scales_at[0]);
  if (status == ARN_OK) status = check_weights(p, &t->recurrent, s->units, s, &s->scales_at[1]);
  return status;
}

static arn_status prepare(arn_prepare *p, void *state) {
  rnn *s = state;
  tensors t;
  const arn_status status = read_one_layer(p, s, &t);
  if (status != ARN_OK) return status;
  if (t.in.rank != 2) return arn_refuse(p, ARN_WHAT_RANK, &t.in);
  if (t.out.rank != 2 || t.out.dims[0] != t.in.dims[0]) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &t.out);
  }
  s->activation = (uint8_t)arn_option_u8(p, RNN_ACTIVATION, ARN__ACTIVATION_NONE);
  s->batches = (uint32_t)t.in.dims[0];
  s->steps = t.out.count == 0 ? 0 : 1;
  s->inputs = (uint32_t)t.in.dims[1];
  s->units = (uint32_t)t.out.dims[1];
  s->whole = 1;
  return check_tensors(p, &t, s);
}

static arn_status prepare_sequence(arn_prepare *p, void *state) {
  rnn *s = state;
  tensors t;
  arn_status status = read_one_layer(p, s, &t);
  if (status != ARN_OK) return status;
  if (t.in.rank != 3) return arn_refuse(p, ARN_WHAT_RANK, &t.in);
  if (t.out.rank != 3 || t.out.dims[0] != t.in.dims[0] || t.out.dims[1] != t.in.dims[1]) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &t.out);
  }
  s->activation = (uint8_t)arn_option_u8(p, SEQUENCE_ACTIVATION, ARN__ACTIVATION_NONE);
  s->time_major = arn_option_u8(p, SEQUENCE_TIME_MAJOR, 0) != 0;
  s->batches = (uint32_t)t.in.dims[s->time_major ? 1 : 0];
  s->steps = t.out.count == 0 ? 0 : (uint32_t)t.in.dims[s->time_major ? 0 : 1];
  s->inputs = (uint32_t)t.in.dims[2];
  s->units = (uint32_t)t.out.dims[2];
  status = check_tensors(p, &t, s);
  if (status != ARN_OK) return status;
  const uint32_t in_rows = arn__rows_of(&t.in).rows, out_rows = arn__rows_of(&t.out).rows;
  s->whole = in_rows != out_rows || out_rows == 1;
  if (!s->whole) {
    p->work = ARN_ROWS;
    p->rows = out_rows;
  }
  return ARN_OK;
}

static void rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  *in = input == INPUT ? out : (arn_span){0, 1};
}

// ---- eval ---------------------------------------------------------------------------------------

// Computes a block of units of the layer on the input (side 0) or on the hidden state (side 1).
static uint32_t run_layer(const arn_eval *e, const rnn *s, uint32_t side, uint32_t first,
                          const uint8_t *x, float *out) {
  const uint32_t input = s->layer + (side == 0 ? (uint32_t)WEIGHTS : (uint32_t)RECURRENT);
  arn__dense d;
  arn__dense_block block;
  arn__dense_run run = {&arn__dense_any, &d, e->model->bytes, arn_eval_input(e, input, 0),
                        arn_eval_in(e, s->layer + BIAS), 1, false, NULL};
  d.depth = side == 0 ? s->inputs : s->units;
  d.channels = s->units;
  d.clamp.f32 = (arn__clamp_f32){-FLT_MAX, FLT_MAX};
  d.in_zero = d.w_zero = d.out_zero = 0;
  d.type = d.out_type = ARN_FLOAT32;
  d.w_type = s->w_type;
  d.bias_type = side == 0 ? s->bias_type : ARN__DENSE_NO_BIAS;
  d.scaling = ARN__DENSE_UNSCALED;
  d.scale.real = (arn__dense_float){s->scales_at[side], 0, 1.0f};
  arn__dense_set_whole(&run.w);
  arn__dense_begin(&run, first, &block);
  arn__dense_clear(&run, &block);
  arn__dense_add(&run, &block, (arn_span){0, d.depth}, x);
  arn__dense_finish(&run, &block, (uint8_t *)out);
  return block.channels.count;
}

static void run_step(const arn_eval *e, const rnn *s, const uint8_t *x, uint8_t *hidden,
                     uint8_t *out) {
  float *values = (float *)(void *)out;
  float recurrent[ARN__DENSE_BLOCK];
  for (uint32_t first = 0; first < s->units; first += ARN__DENSE_BLOCK) {
    run_layer(e, s, 0, first, x, values + first);
    const uint32_t n = run_layer(e, s, 1, first, hidden, recurrent);
    for (uint32_t i = first; i < first + n; i++) {
      values[i] = arn__recurrent_activate(values[i] + recurrent[i - first], s->activation);
    }
  }
  memcpy(hidden, out, s->units * sizeof(float));
}

static arn_status eval(const arn_eval *e, const void *state) {
  const rnn *s = state;
  const uint32_t out_bytes = s->units * (uint32_t)sizeof(float);
  const arn_rows in = arn_eval_input(e, INPUT, s->inputs * (uint32_t)sizeof(float));
  const arn_rows out = arn_eval_output(e, 0, out_bytes);
  uint8_t *hidden = arn_eval_input(e, s->layer + HIDDEN, out_bytes).base;
  const arn_span span = s->whole ? (arn_span){0, s->batches * s->steps} : e->span;
  for (uint32_t i = span.first; i < span.first + span.count; i++) {
    const uint32_t batch = s->time_major ? i % s->batches : i / s->steps;
    run_step(e, s, arn_row(&in, i), hidden + batch * out_bytes, arn_row(&out, i));
  }
  return ARN_OK;
}

// ---- two directions -----------------------------------------------------------------------------

typedef struct bidirectional {
  rnn layers[2];      // forward, backward
  uint32_t out_step;  // bytes from a step of the first output to the next
  uint8_t merges;
} bidirectional;

static arn_status check_direction(const arn_prepare *p, tensors *t, const rnn *first,
                                  uint32_t units, rnn *s) {
  if (t->out.rank != 3 || t->out.dims[0] != t->in.dims[0] || t->out.dims[1] != t->in.dims[1] ||
      (uint32_t)t->out.dims[2] != units) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &t->out);
  }
  s->activation = first->activation;
  s->time_major = first->time_major;
  s->batches = (uint32_t)t->in.dims[s->time_major ? 1 : 0];
  s->steps = t->out.count == 0 ? 0 : (uint32_t)t->in.dims[s->time_major ? 0 : 1];
  s->inputs = (uint32_t)t->in.dims[2];
  s->units = (uint32_t)t->weights.dims[0];
  s->whole = 1;
  return check_tensors(p, t, s);
}

// The weights of a direction say how many units it has.
static arn_status prepare_directions(const arn_prepare *p, bidirectional *s) {
  tensors t[2];
  rnn *forward = &s->layers[0], *backward = &s->layers[1];
  arn_status status = read_tensors(p, FORWARD, 0, &t[0]);
  if (status == ARN_OK) status = read_tensors(p, BACKWARD, s->merges ? 0 : 1, &t[1]);
  if (status != ARN_OK) return status;
  if (t[0].in.rank != 3) return arn_refuse(p, ARN_WHAT_RANK, &t[0].in);
  for (uint32_t i = 0; i < 2; i++) {
    if (t[i].weights.rank != 2) return arn_refuse(p, ARN_WHAT_RANK, &t[i].weights);
  }
  const uint32_t units[] = {(uint32_t)t[0].weights.dims[0], (uint32_t)t[1].weights.dims[0]};
  const uint32_t merged = units[0] + units[1];
  status = check_direction(p, &t[0], forward, s->merges ? merged : units[0], forward);
  if (status != ARN_OK) return status;
  s->out_step = (s->merges ? merged : units[0]) * (uint32_t)sizeof(float);
  return check_direction(p, &t[1], forward, s->merges ? merged : units[1], backward);
}

static arn_status prepare_bidirectional(arn_prepare *p, void *state) {
  bidirectional *s = state;
  s->merges = arn_option_u8(p, MERGE_OUTPUTS, 0) != 0;
  s->layers[0].layer = FORWARD;
  s->layers[1].layer = BACKWARD;
  s->layers[0].time_major = arn_option_u8(p, SEQUENCE_TIME_MAJOR, 0) != 0;
  s->layers[0].activation = (uint8_t)arn_option_u8(p, SEQUENCE_ACTIVATION, ARN__ACTIVATION_NONE);
  const arn_status status = arn_prepare_counts(p, AUXILIARY, BIDIRECTIONAL_INPUTS,
                                               s->merges ? 1 : 2);
  if (status != ARN_OK) return status;
  for (uint32_t i = AUXILIARY; i < BIDIRECTIONAL_INPUTS; i++) {
    if (arn_prepare_has_input(p, i)) return arn_refuse(p, ARN_WHAT_INPUT_COUNT, NULL);
  }
  return prepare_directions(p, s);
}

static void run_direction(const arn_eval *e, const rnn *s, uint8_t *out, uint32_t out_step) {
  const uint8_t *in = arn_eval_in(e, INPUT);
  const uint32_t in_bytes = s->inputs * (uint32_t)sizeof(float);
  const uint32_t hidden_bytes = s->units * (uint32_t)sizeof(float);
  uint8_t *hidden = arn_eval_input(e, s->layer + HIDDEN, hidden_bytes).base;
  for (uint32_t i = 0; i < s->steps; i++) {
    const uint32_t step = s->layer == FORWARD ? i : s->steps - 1 - i;
    for (uint32_t b = 0; b < s->batches; b++) {
      const uint32_t at = s->time_major ? step * s->batches + b : b * s->steps + step;
      run_step(e, s, in + at * in_bytes, hidden + b * hidden_bytes, out + at * out_step);
    }
  }
}

static arn_status eval_bidirectional(const arn_eval *e, const void *state) {
  const bidirectional *s = state;
  const rnn *forward = &s->layers[0], *backward = &s->layers[1];
  const uint32_t beside = forward->units * (uint32_t)sizeof(float);
  uint8_t *out = arn_eval_out(e, 0);
  run_direction(e, forward, out, s->out_step);
  if (s->merges) {
    run_direction(e, backward, out + beside, s->out_step);
  } else {
    run_direction(e, backward, arn_eval_out(e, 1), backward->units * (uint32_t)sizeof(float));
  }
  return ARN_OK;
}

// ---- records ------------------------------------------------------------------------------------

#define LAYER_FOLDS (1u << WEIGHTS | 1u << RECURRENT | 1u << BIAS)

const arn_op arn_op_rnn = {
    .name = "RNN",
    .code = 24,
    .state_bytes = sizeof(rnn),
    .types = ARN_TYPE_BIT(ARN_FLOAT32),
    .folds = LAYER_FOLDS << FORWARD,
    .prepare = prepare,
    .rows = rows,
    .eval = eval,
};

const arn_op arn_op_unidirectional_sequence_rnn = {
    .name = "UNIDIRECTIONAL_SEQUENCE_RNN",
    .code = 35,
    .state_bytes = sizeof(rnn),
    .types = ARN_TYPE_BIT(ARN_FLOAT32),
    .folds = LAYER_FOLDS << FORWARD,
    .prepare = prepare_sequence,
    .rows = rows,
    .eval = eval,
};

const arn_op arn_op_bidirectional_sequence_rnn = {
    .name = "BIDIRECTIONAL_SEQUENCE_RNN",
    .code = 46,
    .state_bytes = sizeof(bidirectional),
    .types = ARN_TYPE_BIT(ARN_FLOAT32),
    .folds = LAYER_FOLDS << FORWARD | LAYER_FOLDS << BACKWARD,
    .prepare = prepare_bidirectional,
    .eval = eval_bidirectional,
};
