#include "lstm_cell.h"

#include <float.h>
#include <math.h>

#include "../kernels/activation.h"
#include "../kernels/lstm.h"

enum {
  GATE_INPUT = ARN__LSTM_INPUT,
  GATE_FORGET = ARN__LSTM_FORGET,
  GATE_CELL = ARN__LSTM_CELL,
  GATE_OUTPUT = ARN__LSTM_OUTPUT,
  GATES = ARN__LSTM_GATES,
};
enum { RECURRENT = ARN__LSTM_RECURRENT, BIASES = ARN__LSTM_BIAS };

#define GATE_SCALE 0x1p-12f  // of what goes into a gate's activation
#define UNIT_SCALE 0x1p-15   // of what comes out

// ---- prepare ------------------------------------------------------------------------------------

// Without a variant, nothing of one may be there.
static arn_status refuse_variants(const arn_prepare *p, const arn__lstm *s) {
  for (uint32_t i = ARN__LSTM_PEEPHOLE; i <= ARN__LSTM_PROJECTION_BIAS; i++) {
    const bool is_bias = i >= BIASES && i < ARN__LSTM_PROJECTION;
    if (!is_bias && arn_prepare_has_input(p, s->weights_at + i)) {
      return arn_refuse(p, ARN_WHAT_INPUT_COUNT, NULL);
    }
  }
  return ARN_OK;
}

// *outputs is how many values the hidden state of a batch has.
static arn_status find_variant(const arn_prepare *p, arn__lstm *s, arn__lstm_more *more,
                               uint32_t *outputs) {
  *outputs = s->units;
  if (more == NULL || s->type != ARN_FLOAT32) return refuse_variants(p, s);
  const arn_status status = arn__lstm_variant_prepare(p, s, more);
  if (s->variant & ARN__LSTM_PROJECTED) *outputs = more->outputs;
  return status;
}

static arn_status check_state(const arn_prepare *p, const arn_tensor *t, uint32_t type,
                              uint32_t kept) {
  if (t->type != type) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, t);
  if (!(t->flags & ARN_TENSOR_VARIABLE)) return arn_refuse(p, ARN_WHAT_TENSOR_VARIABLE, t);
  return t->count == kept ? ARN_OK : arn_refuse(p, ARN_WHAT_SHAPE, t);
}

// Checks one layer's weights, of `depth` columns, and sets its scale.
static arn_status prepare_weights(const arn_prepare *p, uint32_t input, uint32_t depth,
                                  float in_scale, arn__lstm *s, arn__lstm_scale *scale) {
  arn_tensor w;
  float w_scale;
  int32_t zero;
  arn_status status = arn_prepare_input(p, input, &w);
  if (status != ARN_OK) return status;
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
  else scale->one = arn__requant_ratio(in_scale * w_scale, 1.0f, GATE_SCALE, 0);
  return ARN_OK;
}

static bool takes_bias(uint32_t type, uint32_t bias) {
  switch (type) {
    case ARN_FLOAT32: return bias == ARN_FLOAT32 || bias == ARN_FLOAT16;
    case ARN_INT8: return bias == ARN_INT32;
    default: return bias == ARN_INT64 || bias == ARN_INT32;
  }
}

// There is no input gate where it is coupled to the forget gate.
static uint32_t first_gate(const arn__lstm *s) {
  return s->variant & ARN__LSTM_COUPLED ? GATE_FORGET : GATE_INPUT;
}

static arn_status prepare_biases(const arn_prepare *p, arn__lstm *s) {
  for (uint32_t g = GATES; g-- > first_gate(s);) {
    arn_tensor bias;
    const arn_status status = arn_prepare_input(p, s->weights_at + BIASES + g, &bias);
    if (status != ARN_OK) return status;
    if (g == GATES - 1) s->bias_type = bias.type;
    if (bias.type != s->bias_type || !takes_bias(s->type, bias.type)) {
      return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &bias);
    }
    if (bias.count != s->units) return arn_refuse(p, ARN_WHAT_SHAPE, &bias);
  }
  return ARN_OK;
}

static arn_status prepare_layers(const arn_prepare *p, float in_scale, float hidden_scale,
                                 uint32_t outputs, arn__lstm *s) {
  arn_tensor w;
  arn_status status = arn_prepare_input(p, s->weights_at + GATE_FORGET, &w);
  s->w_type = w.type;
  for (uint32_t g = first_gate(s); g < GATES && status == ARN_OK; g++) {
    status = prepare_weights(p, s->weights_at + g, s->inputs, in_scale, s, &s->scale[0][g]);
    if (status != ARN_OK) break;
    status = prepare_weights(p, s->weights_at + RECURRENT + g, outputs, hidden_scale, s,
                             &s->scale[1][g]);
  }
  if (status != ARN_OK) return status;
  return prepare_biases(p, s);
}

// Returns the exponent of the power of two that is nearest to a scale, by ratio.
static int32_t nearest_power(float scale) {
  int power;
  const float fraction = frexpf(scale, &power);  // in [1/2, 1)
  return fraction < 0.707106781f ? power - 1 : power;
}

static arn_status prepare_cell(const arn_prepare *p, const arn_tensor *cell, float clip,
                               arn__lstm *s) {
  float scale;
  int32_t zero;
  const arn_status status = arn__quantised_read(p, cell, &scale, &zero);
  if (status != ARN_OK) return status;
  if (zero != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, cell);
  const int32_t power = nearest_power(scale);
  if (power < -31 || power > 0) return arn_refuse(p, ARN_WHAT_SCALE, cell);
  s->cell_power = (int8_t)power;
  const double bound = (double)clip / (double)scale;
  s->clip.s16 = !(clip > 0.0f) ? -1 : bound < 32767.0 ? (int32_t)bound : 32767;
  s->product = arn__requant_of(UNIT_SCALE * UNIT_SCALE / (double)scale);
  return ARN_OK;
}

static arn_status prepare_quantised(const arn_prepare *p, const arn_tensor *in,
                                    const arn_tensor *hidden, arn__lstm *s) {
  float in_scale, hidden_scale;
  int32_t in_zero, hidden_zero;
  arn_status status = arn__quantised_read(p, in, &in_scale, &in_zero);
  if (status == ARN_OK) status = arn__quantised_read(p, hidden, &hidden_scale, &hidden_zero);
  if (status != ARN_OK) return status;
  const bool symmetric = s->type == ARN_INT16;
  if (symmetric && in_zero != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, in);
  if (symmetric && hidden_zero != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, hidden);
  s->in_zero = (int16_t)in_zero;
  s->hidden_zero = (int16_t)hidden_zero;
  s->hidden = arn__requant_of(UNIT_SCALE * UNIT_SCALE / (double)hidden_scale);
  return prepare_layers(p, in_scale, hidden_scale, s->units, s);
}

arn_status arn__lstm_prepare(const arn_prepare *p, const arn_tensor *in, uint32_t batches,
                             float clip, arn__lstm *s, arn__lstm_more *more) {
  arn_tensor hidden, cell;
  uint32_t outputs;
  s->type = in->type;
  if (s->type != ARN_FLOAT32 && s->type != ARN_INT8 && s->type != ARN_INT16) {
    return arn_refuse(p, ARN_WHAT_TYPE, in);
  }
  const bool is_float = s->type == ARN_FLOAT32;
  arn_status status = find_variant(p, s, more, &outputs);
  if (!(clip >= 0.0f)) status = arn_refuse(p, ARN_WHAT_OPTION, NULL);
  if (status == ARN_OK) status = arn_prepare_input(p, s->hidden_at, &hidden);
  if (status == ARN_OK) status = arn_prepare_input(p, s->cell_at, &cell);
  if (status == ARN_OK) status = check_state(p, &hidden, s->type, batches * outputs);
  if (status == ARN_OK) {
    status = check_state(p, &cell, is_float ? ARN_FLOAT32 : ARN_INT16, batches * s->units);
  }
  if (status != ARN_OK) return status;
  if (is_float) {
    s->clip.f32 = clip > 0.0f ? clip : -1.0f;
    return prepare_layers(p, 1.0f, 1.0f, outputs, s);
  }
  status = prepare_cell(p, &cell, clip, s);
  return status == ARN_OK ? prepare_quantised(p, in, &hidden, s) : status;
}

static bool has_float_weights(const arn__lstm *s) {
  return s->w_type == ARN_FLOAT32 || s->w_type == ARN_FLOAT16;
}

uint32_t arn__lstm_state_bytes(const arn__lstm *s) {
  if (s->variant || s->type != ARN_FLOAT32) return sizeof *s;
  return (uint32_t)(has_float_weights(s) ? offsetof(arn__lstm, scale)
                                         : offsetof(arn__lstm, product));
}

uint32_t arn__lstm_scratch_bytes(const arn__lstm *s) {
  return s->variant ? GATES * s->units * (uint32_t)sizeof(float) : 0;
}

// ---- eval ---------------------------------------------------------------------------------------

typedef arn__lstm_site step;

// Values of a block of units.
typedef union values {
  int16_t s16[ARN__DENSE_BLOCK];
  float f32[ARN__DENSE_BLOCK];
} values;

// Sets the layer of gate `gate` on the input (side 0) or on the hidden state (side 1).
static void set_layer(const step *t, uint32_t side, uint32_t gate, arn__dense *d) {
  const arn__lstm *s = t->s;
  d->depth = side == 0 ? s->inputs : arn__lstm_outputs(s, t->more);
  d->channels = s->units;
  d->in_zero = side == 0 ? s->in_zero : s->hidden_zero;
  d->w_zero = d->out_zero = 0;
  d->type = s->type;
  d->w_type = s->w_type;
  d->bias_type = side == 0 && !(s->variant & ARN__LSTM_NORMALISED) ? s->bias_type
                                                                   : ARN__DENSE_NO_BIAS;
  if (s->type == ARN_FLOAT32) {
    d->out_type = ARN_FLOAT32;
    d->clamp.f32 = (arn__clamp_f32){-FLT_MAX, FLT_MAX};
    d->scaling = ARN__DENSE_UNSCALED;
    const uint32_t scales_at = has_float_weights(s) ? 0 : s->scale[side][gate].scales_at;
    d->scale.real = (arn__dense_float){scales_at, 0, 1.0f};
  } else {
    d->out_type = ARN_INT16;
    d->clamp.s32 = (arn__clamp){INT16_MIN, INT16_MAX};
    d->scaling = ARN__DENSE_PER_TENSOR;
    d->scale.one = s->scale[side][gate].one;
  }
}

void arn__lstm_layer(const step *t, uint32_t side, uint32_t gate, uint32_t first, void *out) {
  arn__dense d;
  arn__dense_block block;
  const uint32_t weights = t->s->weights_at + gate;
  arn__dense_run run = {&arn__dense_any, &d, t->e->model->bytes,
                        arn_eval_input(t->e, weights + (side == 0 ? 0 : RECURRENT), 0),
                        arn_eval_in(t->e, weights + BIASES), 1, false, NULL};
  set_layer(t, side, gate, &d);
  arn__dense_set_whole(&run.w);
  arn__dense_begin(&run, first, &block);
  arn__dense_clear(&run, &block);
  arn__dense_add(&run, &block, (arn_span){0, d.depth}, side == 0 ? t->x : t->hidden);
  arn__dense_finish(&run, &block, out);
}

static void activate(const arn__lstm *s, uint32_t gate, values *v, uint32_t n) {
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
  arn__lstm_layer(t, 0, gate, first, out);
  arn__lstm_layer(t, 1, gate, first, &recurrent);
  if (t->s->type == ARN_FLOAT32) arn__lstm_add_f32(out->f32, out->f32, recurrent.f32, n);
  else arn__lstm_add_s16(out->s16, out->s16, recurrent.s16, n);
  activate(t->s, gate, out, n);
}

// The cell's scale relative to 2^-12, as tanh's lookup takes it.
static arn__activation_lookup cell_lookup(const arn__lstm *s) {
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
  const arn__lstm *s = t->s;
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

void arn__lstm_step(step *t, uint32_t batch) {
  const arn__lstm *s = t->s;
  const uint32_t outputs = arn__lstm_outputs(s, t->more);
  const uint32_t hidden_bytes = outputs * arn_type_bytes((arn_type)s->type);
  const uint32_t cell_bytes = s->units * (s->type == ARN_FLOAT32 ? 4 : 2);
  t->hidden = arn_eval_input(t->e, s->hidden_at, 0).base + batch * hidden_bytes;
  t->cell = arn_eval_input(t->e, s->cell_at, 0).base + batch * cell_bytes;
  if (s->variant) arn__lstm_variant_step(t);
  for (uint32_t first = 0; first < s->units && !s->variant; first += ARN__DENSE_BLOCK) {
    const uint32_t left = s->units - first;
    const uint32_t n = left < ARN__DENSE_BLOCK ? left : ARN__DENSE_BLOCK;
    if (s->type == ARN_FLOAT32) run_block_float(t, first, n);
    else run_block_quantised(t, first, n);
  }
  memcpy(t->hidden, t->out, hidden_bytes);
}
