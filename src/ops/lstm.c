// UNIDIRECTIONAL_SEQUENCE_LSTM, and LSTM, which is one step of it: see lstm_cell.h.
//
// Rows. A sequence [1,T,...] runs in rows: steps in time, or the batches of a single step.
#include "../graph/rows.h"
#include "arenite/ops.h"
#include "lstm_cell.h"

enum {
  INPUT = 0,
  WEIGHTS = 1,  // first of nine input and recurrent weights, three peepholes, biases, projection
  HIDDEN = 18,
  CELL = 19,
  LAYER_NORM = 20,
  INPUTS = 24,
};
enum {
  OPTION_ACTIVATION = 0,
  OPTION_CELL_CLIP = 1,
  OPTION_PROJECTION_CLIP = 2,
  OPTION_TIME_MAJOR = 3,
  OPTION_DIAGONAL_RECURRENT = 5,
};
enum { STEP_KERNEL_TYPE = 3 };  // of LSTMOptions: FULL is 0, BASIC (another set of tensors) is 1

typedef struct lstm {
  uint32_t batches, steps;
  uint8_t time_major;
  uint8_t whole;  // not cut into rows
  arn__lstm cell;
  arn__lstm_more more;  // of a variant
} lstm;

static arn_status check_options(const arn_prepare *p) {
  if (arn_option_u8(p, OPTION_ACTIVATION, ARN__ACTIVATION_NONE) != ARN__ACTIVATION_TANH) {
    return arn_refuse(p, ARN_WHAT_ACTIVATION, NULL);
  }
  return ARN_OK;
}

static arn_status read_tensors(const arn_prepare *p, arn_tensor *in, arn_tensor *out) {
  arn_status status = arn_prepare_counts(p, LAYER_NORM, INPUTS, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, INPUT, in);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, out);
  if (status == ARN_OK) status = check_options(p);
  if (status != ARN_OK) return status;
  return out->type == in->type ? ARN_OK : arn_refuse(p, ARN_WHAT_TYPES_DIFFER, out);
}

// The cell gate's weights say how many units there are: a projection makes fewer outputs of them.
static arn_status prepare_cell(arn_prepare *p, const arn_tensor *in, uint32_t outputs, lstm *s) {
  arn_tensor w;
  arn_status status = arn_prepare_input(p, WEIGHTS + ARN__LSTM_CELL, &w);
  if (status != ARN_OK) return status;
  if (w.rank != 2) return arn_refuse(p, ARN_WHAT_RANK, &w);
  s->cell.units = (uint32_t)w.dims[0];
  s->cell.weights_at = WEIGHTS;
  s->cell.hidden_at = HIDDEN;
  s->cell.cell_at = CELL;
  s->more.norm_at = LAYER_NORM;
  s->more.outputs = outputs;
  s->more.projection_clip = arn_option_f32(p, OPTION_PROJECTION_CLIP, 0.0f);
  const float clip = arn_option_f32(p, OPTION_CELL_CLIP, 0.0f);
  if ((uint64_t)s->batches * s->cell.units > UINT32_MAX) return arn_refuse(p, ARN_WHAT_SHAPE, &w);
  status = arn__lstm_prepare(p, in, s->batches, clip, &s->cell, &s->more);
  if (status == ARN_OK && arn__lstm_outputs(&s->cell, &s->more) != outputs) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &w);
  }
  p->scratch_bytes = arn__lstm_scratch_bytes(&s->cell);
  p->state_bytes = (uint32_t)offsetof(lstm, cell) + arn__lstm_state_bytes(&s->cell);
  if (s->cell.variant) p->state_bytes = sizeof *s;
  return status;
}

static arn_status check_shapes(const arn_prepare *p, const arn_tensor *in, const arn_tensor *out,
                               lstm *s) {
  if (in->rank != 3) return arn_refuse(p, ARN_WHAT_RANK, in);
  if (out->rank != 3) return arn_refuse(p, ARN_WHAT_RANK, out);
  if (out->dims[0] != in->dims[0] || out->dims[1] != in->dims[1]) {
    return arn_refuse(p, ARN_WHAT_SHAPE, out);
  }
  s->time_major = arn_option_u8(p, OPTION_TIME_MAJOR, 0) != 0;
  s->batches = (uint32_t)in->dims[s->time_major ? 1 : 0];
  s->steps = out->count == 0 ? 0 : (uint32_t)in->dims[s->time_major ? 0 : 1];
  s->cell.inputs = (uint32_t)in->dims[2];
  return ARN_OK;
}

static arn_status prepare(arn_prepare *p, void *state) {
  lstm *s = state;
  arn_tensor in, out;
  arn_status status = read_tensors(p, &in, &out);
  if (status == ARN_OK && arn_option_u8(p, OPTION_DIAGONAL_RECURRENT, 0)) {
    status = arn_refuse(p, ARN_WHAT_OPTION, NULL);
  }
  if (status == ARN_OK) status = check_shapes(p, &in, &out, s);
  if (status == ARN_OK) status = prepare_cell(p, &in, (uint32_t)out.dims[2], s);
  if (status != ARN_OK) return status;
  const uint32_t in_rows = arn__rows_of(&in).rows, out_rows = arn__rows_of(&out).rows;
  s->whole = in_rows != out_rows || out_rows == 1;
  if (!s->whole) {
    p->work = ARN_ROWS;
    p->rows = out_rows;
  }
  return ARN_OK;
}

static arn_status prepare_step(arn_prepare *p, void *state) {
  lstm *s = state;
  arn_tensor in, out;
  if (arn_option_u8(p, STEP_KERNEL_TYPE, 0) != 0) return arn_refuse(p, ARN_WHAT_OPTION, NULL);
  const arn_status status = read_tensors(p, &in, &out);
  if (status != ARN_OK) return status;
  if (in.rank != 2) return arn_refuse(p, ARN_WHAT_RANK, &in);
  if (out.rank != 2 || out.dims[0] != in.dims[0]) return arn_refuse(p, ARN_WHAT_SHAPE, &out);
  s->batches = (uint32_t)in.dims[0];
  s->steps = out.count == 0 ? 0 : 1;
  s->cell.inputs = (uint32_t)in.dims[1];
  s->whole = 1;
  return prepare_cell(p, &in, (uint32_t)out.dims[1], s);
}

static void rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  *in = input == INPUT ? out : (arn_span){0, 1};
}

static arn_status eval(const arn_eval *e, const void *state) {
  const lstm *s = state;
  const uint32_t es = arn_type_bytes((arn_type)s->cell.type);
  const arn_rows in = arn_eval_input(e, INPUT, s->cell.inputs * es);
  const uint32_t outputs = arn__lstm_outputs(&s->cell, &s->more);
  const arn_rows out = arn_eval_output(e, 0, outputs * es);
  const arn_span span = s->whole ? (arn_span){0, s->batches * s->steps} : e->span;
  for (uint32_t i = span.first; i < span.first + span.count; i++) {
    const uint32_t batch = s->time_major ? i % s->batches : i / s->steps;
    arn__lstm_site step = {.e = e,
                           .s = &s->cell,
                           .more = &s->more,
                           .x = arn_row(&in, i),
                           .out = arn_row(&out, i)};
    arn__lstm_step(&step, batch);
  }
  return ARN_OK;
}

const arn_op arn_op_unidirectional_sequence_lstm = {
    .name = "UNIDIRECTIONAL_SEQUENCE_LSTM",
    .code = 44,
    .state_bytes = sizeof(lstm),
    .types = ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_INT16),
    .folds = 0xFFu << WEIGHTS | 0xFu << 12 | 1u << 16,
    .prepare = prepare,
    .rows = rows,
    .eval = eval,
};

const arn_op arn_op_lstm = {
    .name = "LSTM",
    .code = 16,
    .state_bytes = sizeof(lstm),
    .types = ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_INT16),
    .folds = 0xFFu << WEIGHTS | 0xFu << 12 | 1u << 16,
    .prepare = prepare_step,
    .rows = rows,
    .eval = eval,
};
