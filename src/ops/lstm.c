// UNIDIRECTIONAL_SEQUENCE_LSTM without peepholes, projection, layer normalisation, coupled gates.
//
//   gate g   = act(Wx[g] x + b[g]  +  Wh[g] h)     tanh for the cell gate, logistic for the rest
//   cell     = clip(forget * cell + input * g_cell)
//   out = h  = output * tanh(cell)
//
// float32 (weights of any type that dense.h takes), int8 and int16, whose cell has 16 bits and a
// power of two as its scale. Gates are two dense layers, whose 16-bit results (Q3.12) are added
// saturating.
//
// A step in time needs no scratch: units are computed in blocks, all four gates of a block before
// the next one; the new hidden values go to the output and become the hidden state when all are
// there.
//
// Rows. [1,T,...] runs in rows: steps in time, or the batches of a single step.
#include <float.h>
#include <math.h>

#include "../graph/rows.h"
#include "../kernels/activation.h"
#include "../kernels/lstm.h"
#include "arenite/ops.h"
#include "dense.h"

enum {
  INPUT = 0,
  INPUT_WEIGHTS = 1,       // to the input, forget, cell, output gate
  RECURRENT_WEIGHTS = 5,
  PEEPHOLES = 9,           // and on
  GATE_BIASES = 12,
  PROJECTION = 16,         // weights, bias
  HIDDEN = 18,
  CELL = 19,
  LAYER_NORM = 20,         // and on
  INPUTS = 24,
};
enum { GATE_INPUT = 0, GATE_FORGET = 1, GATE_CELL = 2, GATE_OUTPUT = 3, GATES = 4 };
enum {
  OPTION_ACTIVATION = 0,
  OPTION_CELL_CLIP = 1,
  OPTION_TIME_MAJOR = 3,
  OPTION_DIAGONAL_RECURRENT = 5,
};

#define GATE_SCALE 0x1p-12f  // of what goes into a gate's activation
#define UNIT_SCALE 0x1p-15   // of what comes out

// How a layer's sums become values: a multiplier; for float the position of the weights' scale.
typedef union layer_scale {
  arn__requant one;
  uint32_t scales_at;
} layer_scale;

typedef struct lstm {
  uint32_t inputs, units, batches, steps;
  union {
    float f32;
    int32_t s16;
  } clip;                   // negative: none
  int16_t in_zero, hidden_zero;
  uint8_t type, w_type, bias_type;
  uint8_t time_major;
  uint8_t whole;            // not cut into rows
  int8_t cell_power;        // the cell's scale is 2^cell_power
  layer_scale scale[2][GATES];       // input, recurrent
  arn__requant product, hidden;      // of gates: into the cell, into the hidden state
} lstm;

// ---- prepare -----------------------------------------------------------------------------------

typedef struct tensors {
  arn_tensor in, out, hidden, cell;
} tensors;

static bool has_any(const arn_prepare *p, uint32_t first, uint32_t count) {
  for (uint32_t i = first; i < first + count; i++) {
    if (arn_prepare_has_input(p, i)) return true;
  }
  return false;
}

static arn_status check_variant(const arn_prepare *p) {
  if (has_any(p, PEEPHOLES, 3) || has_any(p, PROJECTION, 2) || has_any(p, LAYER_NORM, GATES)) {
    return arn_refuse(p, ARN_WHAT_INPUT_COUNT, NULL);
  }
  if (arn_option_u8(p, OPTION_ACTIVATION, ARN__ACTIVATION_NONE) != ARN__ACTIVATION_TANH) {
    return arn_refuse(p, ARN_WHAT_ACTIVATION, NULL);
  }
  const bool has_bounds = arn_option_f32(p, OPTION_CELL_CLIP, 0.0f) >= 0.0f;
  if (!has_bounds || arn_option_u8(p, OPTION_DIAGONAL_RECURRENT, 0)) {
    return arn_refuse(p, ARN_WHAT_OPTION, NULL);
  }
  return ARN_OK;
}

static arn_status read_tensors(const arn_prepare *p, tensors *t) {
  arn_status status = arn_prepare_counts(p, LAYER_NORM, INPUTS, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, INPUT, &t->in);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &t->out);
  if (status == ARN_OK) status = arn_prepare_input(p, HIDDEN, &t->hidden);
  if (status == ARN_OK) status = arn_prepare_input(p, CELL, &t->cell);
  return status;
}

static arn_status check_shapes(const arn_prepare *p, const tensors *t, lstm *s) {
  const arn_tensor *in = &t->in, *out = &t->out;
  if (in->rank != 3) return arn_refuse(p, ARN_WHAT_RANK, in);
  if (out->rank != 3) return arn_refuse(p, ARN_WHAT_RANK, out);
  if (out->dims[0] != in->dims[0] || out->dims[1] != in->dims[1]) {
    return arn_refuse(p, ARN_WHAT_SHAPE, out);
  }
  s->time_major = arn_option_u8(p, OPTION_TIME_MAJOR, 0) != 0;
  s->batches = (uint32_t)in->dims[s->time_major ? 1 : 0];
  s->steps = (uint32_t)in->dims[s->time_major ? 0 : 1];
  s->inputs = (uint32_t)in->dims[2];
  s->units = (uint32_t)out->dims[2];
  if (out->count == 0) s->steps = 0;  // nothing to do
  const uint64_t kept = (uint64_t)s->batches * s->units;
  if (t->hidden.count != kept) return arn_refuse(p, ARN_WHAT_SHAPE, &t->hidden);
  if (t->cell.count != kept) return arn_refuse(p, ARN_WHAT_SHAPE, &t->cell);
  return ARN_OK;
}

static arn_status check_types(const arn_prepare *p, const tensors *t) {
  const uint8_t type = t->in.type;
  if (type != ARN_FLOAT32 && type != ARN_INT8 && type != ARN_INT16) {
    return arn_refuse(p, ARN_WHAT_TYPE, &t->in);
  }
  if (t->out.type != type) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->out);
  if (t->hidden.type != type) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->hidden);
  if (t->cell.type != (type == ARN_FLOAT32 ? ARN_FLOAT32 : ARN_INT16)) {
    return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->cell);
  }
  if (!(t->hidden.flags & ARN_TENSOR_VARIABLE)) {
    return arn_refuse(p, ARN_WHAT_TENSOR_VARIABLE, &t->hidden);
  }
  if (!(t->cell.flags & ARN_TENSOR_VARIABLE)) {
    return arn_refuse(p, ARN_WHAT_TENSOR_VARIABLE, &t->cell);
  }
  return ARN_OK;
}

// Checks one layer's weights, of `depth` columns, and sets its scale.
static arn_status prepare_weights(const arn_prepare *p, uint32_t input, uint32_t depth,
                                  float in_scale, lstm *s, layer_scale *scale) {
  arn_tensor w;
  float w_scale;
  int32_t zero;
  arn_status status = arn_prepare_input(p, input, &w);
  if (status != ARN_OK) return status;
  if (input == INPUT_WEIGHTS) s->w_type = w.type;
  if (w.type != s->w_type || !arn__dense_takes(s->type, w.type)) {
    return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &w);
  }
  if (w.flags & ARN_TENSOR_SPARSE) return arn_refuse(p, ARN_WHAT_SPARSITY, &w);
  if (w.rank != 2 || (uint32_t)w.dims[0] != s->units || (uint32_t)w.dims[1] != depth) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &w);
  }
  if (w.type == ARN_FLOAT32 || w.type == ARN_FLOAT16) return ARN_OK;
  status = arn__quantised_read(p, &w, &w_scale, &zero);
  if (status != ARN_OK) return status;
  if (zero != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, &w);
  if (s->type == ARN_FLOAT32) scale->scales_at = w.scales_at;
  else scale->one = arn__requant_of((double)(float)(in_scale * w_scale) / (double)GATE_SCALE);
  return ARN_OK;
}

static arn_status prepare_biases(const arn_prepare *p, lstm *s) {
  for (uint32_t g = 0; g < GATES; g++) {
    arn_tensor bias;
    const arn_status status = arn_prepare_input(p, GATE_BIASES + g, &bias);
    if (status != ARN_OK) return status;
    if (g == 0) s->bias_type = bias.type;
    const bool takes = s->type == ARN_FLOAT32 ? bias.type == ARN_FLOAT32 || bias.type == ARN_FLOAT16
                       : s->type == ARN_INT8  ? bias.type == ARN_INT32
                                              : bias.type == ARN_INT64 || bias.type == ARN_INT32;
    if (bias.type != s->bias_type || !takes) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &bias);
    if (bias.count != s->units) return arn_refuse(p, ARN_WHAT_SHAPE, &bias);
  }
  return ARN_OK;
}

static arn_status prepare_layers(const arn_prepare *p, float in_scale, float hidden_scale,
                                 lstm *s) {
  arn_status status = ARN_OK;
  for (uint32_t g = 0; g < GATES && status == ARN_OK; g++) {
    status = prepare_weights(p, INPUT_WEIGHTS + g, s->inputs, in_scale, s, &s->scale[0][g]);
    if (status != ARN_OK) break;
    status = prepare_weights(p, RECURRENT_WEIGHTS + g, s->units, hidden_scale, s,
                             &s->scale[1][g]);
  }
  return status == ARN_OK ? prepare_biases(p, s) : status;
}

// Returns the exponent of the power of two that is nearest to a scale, by ratio.
static int32_t nearest_power(float scale) {
  int power;
  const float fraction = frexpf(scale, &power);  // in [1/2, 1)
  return fraction < 0.707106781f ? power - 1 : power;
}

static arn_status prepare_cell(const arn_prepare *p, const tensors *t, lstm *s) {
  const float clip = arn_option_f32(p, OPTION_CELL_CLIP, 0.0f);
  float scale;
  int32_t zero;
  const arn_status status = arn__quantised_read(p, &t->cell, &scale, &zero);
  if (status != ARN_OK) return status;
  if (zero != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, &t->cell);
  const int32_t power = nearest_power(scale);
  if (power < -31 || power > 0) return arn_refuse(p, ARN_WHAT_SCALE, &t->cell);
  s->cell_power = (int8_t)power;
  const double bound = (double)clip / (double)scale;
  s->clip.s16 = !(clip > 0.0f) ? -1 : bound < 32767.0 ? (int32_t)bound : 32767;
  s->product = arn__requant_of(UNIT_SCALE * UNIT_SCALE / (double)scale);
  return ARN_OK;
}

static arn_status prepare_quantised(const arn_prepare *p, const tensors *t, lstm *s) {
  float in_scale, hidden_scale;
  int32_t in_zero, hidden_zero;
  arn_status status = arn__quantised_read(p, &t->in, &in_scale, &in_zero);
  if (status == ARN_OK) status = arn__quantised_read(p, &t->hidden, &hidden_scale, &hidden_zero);
  if (status == ARN_OK) status = prepare_cell(p, t, s);
  if (status != ARN_OK) return status;
  if (s->type == ARN_INT16 && in_zero != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, &t->in);
  if (s->type == ARN_INT16 && hidden_zero != 0) {
    return arn_refuse(p, ARN_WHAT_ZERO_POINT, &t->hidden);
  }
  s->in_zero = (int16_t)in_zero;
  s->hidden_zero = (int16_t)hidden_zero;
  s->hidden = arn__requant_of(UNIT_SCALE * UNIT_SCALE / (double)hidden_scale);
  return prepare_layers(p, in_scale, hidden_scale, s);
}

static arn_status prepare_float(const arn_prepare *p, lstm *s) {
  const float clip = arn_option_f32(p, OPTION_CELL_CLIP, 0.0f);
  s->clip.f32 = clip > 0.0f ? clip : -1.0f;
  return prepare_layers(p, 1.0f, 1.0f, s);
}

static uint32_t state_bytes(const lstm *s) {
  if (s->type != ARN_FLOAT32) return sizeof *s;
  const bool scaled = s->w_type != ARN_FLOAT32 && s->w_type != ARN_FLOAT16;
  return (uint32_t)(scaled ? offsetof(lstm, product) : offsetof(lstm, scale));
}

static arn_status prepare(arn_prepare *p, void *state) {
  lstm *s = state;
  tensors t;
  arn_status status = read_tensors(p, &t);
  if (status == ARN_OK) status = check_variant(p);
  if (status == ARN_OK) status = check_types(p, &t);
  if (status == ARN_OK) status = check_shapes(p, &t, s);
  if (status != ARN_OK) return status;
  s->type = t.in.type;
  status = s->type == ARN_FLOAT32 ? prepare_float(p, s) : prepare_quantised(p, &t, s);
  if (status != ARN_OK) return status;
  const uint32_t in_rows = arn__rows_of(&t.in).rows, out_rows = arn__rows_of(&t.out).rows;
  s->whole = in_rows != out_rows || out_rows == 1;
  if (!s->whole) {
    p->work = ARN_ROWS;
    p->rows = out_rows;
  }
  p->state_bytes = state_bytes(s);
  return ARN_OK;
}

static void rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  *in = input == INPUT ? out : (arn_span){0, 1};
}

// ---- eval --------------------------------------------------------------------------------------

// One step in time of one batch.
typedef struct step {
  const arn_eval *e;
  const lstm *s;
  const uint8_t *x;
  const uint8_t *hidden;  // [units], of the step before
  uint8_t *cell;          // [units]
  uint8_t *out;           // [units]
} step;

// Values of a block of units.
typedef union values {
  int16_t s16[ARN__DENSE_BLOCK];
  float f32[ARN__DENSE_BLOCK];
} values;

// Sets the layer of gate `gate` on the input (side 0) or on the hidden state (side 1).
static void set_layer(const lstm *s, uint32_t side, uint32_t gate, arn__dense *d) {
  d->depth = side == 0 ? s->inputs : s->units;
  d->channels = s->units;
  d->in_zero = side == 0 ? s->in_zero : s->hidden_zero;
  d->w_zero = d->out_zero = 0;
  d->type = s->type;
  d->w_type = s->w_type;
  d->bias_type = side == 0 ? s->bias_type : ARN__DENSE_NO_BIAS;
  if (s->type == ARN_FLOAT32) {
    const bool scaled = s->w_type != ARN_FLOAT32 && s->w_type != ARN_FLOAT16;
    d->out_type = ARN_FLOAT32;
    d->clamp.f32 = (arn__clamp_f32){-FLT_MAX, FLT_MAX};
    d->scaling = ARN__DENSE_UNSCALED;
    d->scale.real = (arn__dense_float){scaled ? s->scale[side][gate].scales_at : 0, 0, 1.0f};
  } else {
    d->out_type = ARN_INT16;
    d->clamp.s32 = (arn__clamp){INT16_MIN, INT16_MAX};
    d->scaling = ARN__DENSE_PER_TENSOR;
    d->scale.one = s->scale[side][gate].one;
  }
}

static void run_layer(const step *t, uint32_t side, uint32_t gate, uint32_t first, values *out) {
  arn__dense d;
  arn__dense_block block;
  const uint32_t weights = (side == 0 ? INPUT_WEIGHTS : RECURRENT_WEIGHTS) + gate;
  arn__dense_run run = {&d, t->e->model->bytes, arn_eval_input(t->e, weights, 0),
                        arn_eval_in(t->e, GATE_BIASES + gate), 1, false, NULL};
  set_layer(t->s, side, gate, &d);
  arn__dense_set_whole(&run.w);
  arn__dense_begin(&run, first, &block);
  arn__dense_clear(&run, &block);
  arn__dense_add(&run, &block, (arn_span){0, d.depth}, side == 0 ? t->x : t->hidden);
  arn__dense_finish(&run, &block, (uint8_t *)out);
}

static void activate(const lstm *s, uint32_t gate, values *v, uint32_t n) {
  const arn__activation_lookup q3_12 = {3, 0};
  const bool is_tanh = gate == GATE_CELL;
  if (s->type == ARN_FLOAT32) {
    if (is_tanh) arn__unary_tanh_f32(v->f32, v->f32, n, NULL);
    else arn__unary_logistic_f32(v->f32, v->f32, n, NULL);
  } else {
    if (is_tanh) arn__activation_tanh_s16(v->s16, v->s16, n, &q3_12);
    else arn__activation_logistic_s16(v->s16, v->s16, n, &q3_12);
  }
}

static void run_gate(const step *t, uint32_t gate, uint32_t first, uint32_t n, values *out) {
  values recurrent;
  run_layer(t, 0, gate, first, out);
  run_layer(t, 1, gate, first, &recurrent);
  if (t->s->type == ARN_FLOAT32) arn__lstm_add_f32(out->f32, out->f32, recurrent.f32, n);
  else arn__lstm_add_s16(out->s16, out->s16, recurrent.s16, n);
  activate(t->s, gate, out, n);
}

// The cell's scale relative to 2^-12, as tanh's lookup takes it.
static arn__activation_lookup cell_lookup(const lstm *s) {
  const int32_t left = s->cell_power + 12;
  return left < 0 ? (arn__activation_lookup){3, -left} : (arn__activation_lookup){3 << left, 0};
}

static void run_block_float(const step *t, uint32_t first, uint32_t n) {
  values a, b;
  float *cell = (float *)(void *)t->cell + first;
  run_gate(t, GATE_INPUT, first, n, &a);
  run_gate(t, GATE_CELL, first, n, &b);
  arn__lstm_multiply_f32(a.f32, a.f32, b.f32, n);
  run_gate(t, GATE_FORGET, first, n, &b);
  arn__lstm_cell_f32(cell, b.f32, a.f32, n, t->s->clip.f32);
  run_gate(t, GATE_OUTPUT, first, n, &b);
  arn__unary_tanh_f32(cell, a.f32, n, NULL);
  arn__lstm_multiply_f32((float *)(void *)t->out + first, a.f32, b.f32, n);
}

static void run_block_quantised(const step *t, uint32_t first, uint32_t n) {
  const lstm *s = t->s;
  const arn__activation_lookup lookup = cell_lookup(s);
  values a, b;
  int16_t *cell = (int16_t *)(void *)t->cell + first;
  run_gate(t, GATE_INPUT, first, n, &a);
  run_gate(t, GATE_CELL, first, n, &b);
  arn__lstm_multiply_s16(a.s16, a.s16, b.s16, n, s->product);
  run_gate(t, GATE_FORGET, first, n, &b);
  arn__lstm_cell_s16(cell, b.s16, a.s16, n, s->clip.s16);
  run_gate(t, GATE_OUTPUT, first, n, &b);
  arn__activation_tanh_s16(cell, a.s16, n, &lookup);
  if (s->type == ARN_INT8) {
    arn__lstm_hidden_s8((int8_t *)t->out + first, a.s16, b.s16, n, s->hidden, s->hidden_zero);
  } else {
    arn__lstm_multiply_s16((int16_t *)(void *)t->out + first, a.s16, b.s16, n, s->hidden);
  }
}

static void run_step(const step *t) {
  const uint32_t units = t->s->units;
  for (uint32_t first = 0; first < units; first += ARN__DENSE_BLOCK) {
    const uint32_t n = units - first < ARN__DENSE_BLOCK ? units - first : ARN__DENSE_BLOCK;
    if (t->s->type == ARN_FLOAT32) run_block_float(t, first, n);
    else run_block_quantised(t, first, n);
  }
}

static arn_status eval(const arn_eval *e, const void *state) {
  const lstm *s = state;
  const uint32_t es = arn_type_bytes((arn_type)s->type);
  const uint32_t cell_es = s->type == ARN_FLOAT32 ? 4 : 2;
  const arn_rows in = arn_eval_input(e, INPUT, s->inputs * es);
  const arn_rows out = arn_eval_output(e, 0, s->units * es);
  const arn_rows hidden = arn_eval_input(e, HIDDEN, s->units * es);
  const arn_rows cell = arn_eval_input(e, CELL, s->units * cell_es);
  const arn_span span = s->whole ? (arn_span){0, s->batches * s->steps} : e->span;
  for (uint32_t i = span.first; i < span.first + span.count; i++) {
    const uint32_t batch = s->time_major ? i % s->batches : i / s->steps;
    uint8_t *kept = hidden.base + batch * s->units * es;
    const step t = {e, s, arn_row(&in, i), kept, cell.base + batch * s->units * cell_es,
                    arn_row(&out, i)};
    run_step(&t);
    memcpy(kept, t.out, s->units * es);
  }
  return ARN_OK;
}

const arn_op arn_op_unidirectional_sequence_lstm = {
    .name = "UNIDIRECTIONAL_SEQUENCE_LSTM",
    .code = 44,
    .state_bytes = sizeof(lstm),
    .types = ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_INT16),
    .folds = 0xFu << INPUT_WEIGHTS | 0xFu << RECURRENT_WEIGHTS | 0xFu << GATE_BIASES,
    .prepare = prepare,
    .rows = rows,
    .eval = eval,
};
