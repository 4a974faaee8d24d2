// BIDIRECTIONAL_SEQUENCE_LSTM: two LSTMs (lstm_cell.h) over the same sequence, one from its start,
// one from its end; float32. Outputs are apart, or side by side in one tensor. An auxiliary input
// is not supported. Runs whole.
#include "arenite/ops.h"
#include "lstm_cell.h"

enum {
  INPUT = 0,
  FORWARD_WEIGHTS = 1,
  BACKWARD_WEIGHTS = 18,
  FORWARD_HIDDEN = 35,
  FORWARD_CELL = 36,
  BACKWARD_HIDDEN = 37,
  BACKWARD_CELL = 38,
  AUXILIARY = 39,
  INPUTS = 48,
};
enum {
  OPTION_ACTIVATION = 0,
  OPTION_CELL_CLIP = 1,
  OPTION_MERGE_OUTPUTS = 3,
  OPTION_TIME_MAJOR = 4,
};

typedef struct bidirectional {
  uint32_t batches, steps;
  uint8_t time_major, merges;
  arn__lstm forward, backward;
} bidirectional;

typedef struct tensors {
  arn_tensor in, forward, backward;  // the last absent where outputs merge
} tensors;

static arn_status check_variant(const arn_prepare *p, const bidirectional *s) {
  const arn_status status = arn_prepare_counts(p, AUXILIARY, INPUTS, s->merges ? 1 : 2);
  if (status != ARN_OK) return status;
  for (uint32_t i = AUXILIARY; i < INPUTS; i++) {
    if (arn_prepare_has_input(p, i)) return arn_refuse(p, ARN_WHAT_INPUT_COUNT, NULL);
  }
  if (arn_option_u8(p, OPTION_ACTIVATION, ARN__ACTIVATION_NONE) != ARN__ACTIVATION_TANH) {
    return arn_refuse(p, ARN_WHAT_ACTIVATION, NULL);
  }
  return ARN_OK;
}

static arn_status check_output(const arn_prepare *p, const arn_tensor *in, const arn_tensor *out,
                               uint32_t units) {
  if (out->type != in->type) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, out);
  if (out->rank != 3 || out->dims[0] != in->dims[0] || out->dims[1] != in->dims[1] ||
      (uint32_t)out->dims[2] != units) {
    return arn_refuse(p, ARN_WHAT_SHAPE, out);
  }
  return ARN_OK;
}

// The recurrent weights of a direction say how many units it has.
static arn_status count_units(const arn_prepare *p, uint32_t weights_at, uint32_t *units) {
  arn_tensor w;
  const arn_status status = arn_prepare_input(p, weights_at + ARN__LSTM_GATES, &w);
  if (status != ARN_OK) return status;
  if (w.rank != 2) return arn_refuse(p, ARN_WHAT_RANK, &w);
  *units = (uint32_t)w.dims[0];
  return ARN_OK;
}

static arn_status check_shapes(const arn_prepare *p, const tensors *t, bidirectional *s) {
  const arn_tensor *in = &t->in;
  const uint32_t forward = s->forward.units, backward = s->backward.units;
  if (in->type != ARN_FLOAT32) return arn_refuse(p, ARN_WHAT_TYPE, in);
  if (in->rank != 3) return arn_refuse(p, ARN_WHAT_RANK, in);
  if (forward > INT32_MAX - backward) return arn_refuse(p, ARN_WHAT_SHAPE, &t->forward);
  const arn_status status = check_output(p, in, &t->forward,
                                         s->merges ? forward + backward : forward);
  if (status != ARN_OK) return status;
  s->batches = (uint32_t)in->dims[s->time_major ? 1 : 0];
  s->steps = t->forward.count == 0 ? 0 : (uint32_t)in->dims[s->time_major ? 0 : 1];
  s->forward.inputs = s->backward.inputs = (uint32_t)in->dims[2];
  if ((uint64_t)s->batches * (forward + backward) > UINT32_MAX) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &t->forward);
  }
  return s->merges ? ARN_OK : check_output(p, in, &t->backward, backward);
}

static arn_status prepare_directions(const arn_prepare *p, const arn_tensor *in,
                                     bidirectional *s) {
  const float clip = arn_option_f32(p, OPTION_CELL_CLIP, 0.0f);
  const arn_status status = arn__lstm_prepare(p, in, s->batches, clip, &s->forward, NULL);
  if (status != ARN_OK) return status;
  return arn__lstm_prepare(p, in, s->batches, clip, &s->backward, NULL);
}

static arn_status prepare(arn_prepare *p, void *state) {
  bidirectional *s = state;
  tensors t;
  s->merges = arn_option_u8(p, OPTION_MERGE_OUTPUTS, 0) != 0;
  s->time_major = arn_option_u8(p, OPTION_TIME_MAJOR, 1) != 0;
  s->forward.weights_at = FORWARD_WEIGHTS;
  s->forward.hidden_at = FORWARD_HIDDEN;
  s->forward.cell_at = FORWARD_CELL;
  s->backward.weights_at = BACKWARD_WEIGHTS;
  s->backward.hidden_at = BACKWARD_HIDDEN;
  s->backward.cell_at = BACKWARD_CELL;
  arn_status status = check_variant(p, s);
  if (status == ARN_OK) status = arn_prepare_input(p, INPUT, &t.in);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &t.forward);
  if (status == ARN_OK && !s->merges) status = arn_prepare_output(p, 1, &t.backward);
  if (status == ARN_OK) status = count_units(p, FORWARD_WEIGHTS, &s->forward.units);
  if (status == ARN_OK) status = count_units(p, BACKWARD_WEIGHTS, &s->backward.units);
  if (status == ARN_OK) status = check_shapes(p, &t, s);
  return status == ARN_OK ? prepare_directions(p, &t.in, s) : status;
}

// Where a direction writes: the value of step `i`, batch by batch.
typedef struct target {
  uint8_t *base;
  uint32_t bytes;  // from a step to the next
} target;

static void run(const arn_eval *e, const bidirectional *s, const arn__lstm *cell, target to) {
  const uint8_t *in = arn_eval_in(e, INPUT);
  const uint32_t in_bytes = cell->inputs * (uint32_t)sizeof(float);
  for (uint32_t b = 0; b < s->batches; b++) {
    for (uint32_t i = 0; i < s->steps; i++) {
      const uint32_t step = cell == &s->forward ? i : s->steps - 1 - i;
      const uint32_t at = s->time_major ? step * s->batches + b : b * s->steps + step;
      arn__lstm_site t = {
          .e = e, .s = cell, .x = in + at * in_bytes, .out = to.base + at * to.bytes};
      arn__lstm_step(&t, b);
    }
  }
}

static arn_status eval(const arn_eval *e, const void *state) {
  const bidirectional *s = state;
  const uint32_t forward_bytes = s->forward.units * (uint32_t)sizeof(float);
  const uint32_t backward_bytes = s->backward.units * (uint32_t)sizeof(float);
  uint8_t *out = arn_eval_out(e, 0);
  target forward = {out, forward_bytes}, backward = {NULL, backward_bytes};
  if (s->merges) {
    forward.bytes = backward.bytes = forward_bytes + backward_bytes;
    backward.base = out + forward_bytes;
  } else {
    backward.base = arn_eval_out(e, 1);
  }
  run(e, s, &s->forward, forward);
  run(e, s, &s->backward, backward);
  return ARN_OK;
}

const arn_op arn_op_bidirectional_sequence_lstm = {
    .name = "BIDIRECTIONAL_SEQUENCE_LSTM",
    .code = 52,
    .state_bytes = sizeof(bidirectional),
    .types = ARN_TYPE_BIT(ARN_FLOAT32),
    .folds = 0xFFu << FORWARD_WEIGHTS | 0xFu << 12 | 0xFFu << BACKWARD_WEIGHTS,
    .prepare = prepare,
    .eval = eval,
};
