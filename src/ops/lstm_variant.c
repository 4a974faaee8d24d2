// Variants of the float LSTM: coupled gates, peepholes, layer normalisation, projection; see
// lstm_cell.h. Gates are computed for all units, one after the other, in scratch.
#include <float.h>
#include <math.h>

#include "../kernels/activation.h"
#include "../kernels/fmath.h"
#include "../kernels/lstm.h"
#include "../kernels/unary.h"
#include "../kernels/widen.h"
#include "lstm_cell.h"

enum { COUPLED = ARN__LSTM_COUPLED, PEEPHOLES = ARN__LSTM_PEEPHOLES };
enum { NORMALISED = ARN__LSTM_NORMALISED, PROJECTED = ARN__LSTM_PROJECTED };

#define SMALLEST_VARIANCE 1e-8f  // is added, so that equal sums are no division by zero

// ---- prepare ------------------------------------------------------------------------------------

// All gates that there are must have such an input, or none. `first` is that of the input gate.
static arn_status check_presence(const arn_prepare *p, const arn__lstm *s, uint32_t first,
                                 uint32_t count, bool *present) {
  const uint32_t skip = s->variant & COUPLED ? 1 : 0;
  *present = arn_prepare_has_input(p, first + count - 1);
  for (uint32_t i = 0; i < count; i++) {
    const bool want = *present && i >= skip;
    if (arn_prepare_has_input(p, first + i) != want) {
      return arn_refuse_model(p, ARN_WHAT_INPUT_COUNT, NULL);
    }
  }
  return ARN_OK;
}

static arn_status check_coupled(const arn_prepare *p, arn__lstm *s) {
  const uint32_t weights = s->weights_at;
  const bool input = arn_prepare_has_input(p, weights);
  if (arn_prepare_has_input(p, weights + ARN__LSTM_RECURRENT) != input ||
      arn_prepare_has_input(p, weights + ARN__LSTM_BIAS) != input) {
    return arn_refuse_model(p, ARN_WHAT_INPUT_COUNT, NULL);
  }
  if (!input) s->variant |= COUPLED;
  return ARN_OK;
}

static arn_status check_peepholes(const arn_prepare *p, arn__lstm *s, arn__lstm_more *more) {
  bool present;
  const uint32_t first = s->weights_at + ARN__LSTM_PEEPHOLE;
  arn_status status = check_presence(p, s, first, 3, &present);
  if (status != ARN_OK || !present) return status;
  s->variant |= PEEPHOLES;
  for (uint32_t i = s->variant & COUPLED ? 1 : 0; i < 3; i++) {
    arn_tensor t;
    int32_t zero = 0;
    status = arn_prepare_input(p, first + i, &t);
    if (status != ARN_OK) return status;
    more->peephole_scale[i] = 1.0f;
    more->peephole_type = t.type;
    if (t.type == ARN_INT8) status = arn__quantised_read(p, &t, &more->peephole_scale[i], &zero);
    if (status != ARN_OK) return status;
    if (zero != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, &t);
    if (t.type != ARN_FLOAT32 && t.type != ARN_INT8) return arn_refuse(p, ARN_WHAT_TYPE, &t);
    if (t.count != s->units) return arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
  }
  return ARN_OK;
}

static arn_status check_norms(const arn_prepare *p, arn__lstm *s, const arn__lstm_more *more) {
  bool present;
  arn_status status = check_presence(p, s, more->norm_at, ARN__LSTM_GATES, &present);
  if (status != ARN_OK || !present) return status;
  s->variant |= NORMALISED;
  for (uint32_t i = s->variant & COUPLED ? 1 : 0; i < ARN__LSTM_GATES; i++) {
    arn_tensor norm;
    status = arn_prepare_input(p, more->norm_at + i, &norm);
    if (status != ARN_OK) return status;
    if (norm.type != ARN_FLOAT32) return arn_refuse(p, ARN_WHAT_TYPE, &norm);
    if (norm.count != s->units) return arn_refuse_model(p, ARN_WHAT_SHAPE, &norm);
  }
  return ARN_OK;
}

static arn_status check_projection_bias(const arn_prepare *p, const arn__lstm *s,
                                        arn__lstm_more *more) {
  arn_tensor bias;
  const uint32_t at = s->weights_at + ARN__LSTM_PROJECTION_BIAS;
  more->projection_bias = ARN__DENSE_NO_BIAS;
  if (!arn_prepare_has_input(p, at)) return ARN_OK;
  const arn_status status = arn_prepare_input(p, at, &bias);
  if (status != ARN_OK) return status;
  if (bias.type != ARN_FLOAT32) return arn_refuse(p, ARN_WHAT_TYPE, &bias);
  if (bias.count != more->outputs) return arn_refuse_model(p, ARN_WHAT_SHAPE, &bias);
  more->projection_bias = bias.type;
  return ARN_OK;
}

static arn_status check_projection(const arn_prepare *p, arn__lstm *s, arn__lstm_more *more) {
  arn_tensor w;
  float scale;
  int32_t zero;
  const uint32_t at = s->weights_at + ARN__LSTM_PROJECTION;
  if (!arn_prepare_has_input(p, at)) {
    const bool bias = arn_prepare_has_input(p, s->weights_at + ARN__LSTM_PROJECTION_BIAS);
    return bias ? arn_refuse_model(p, ARN_WHAT_INPUT_COUNT, NULL) : ARN_OK;
  }
  arn_status status = arn_prepare_input(p, at, &w);
  if (status != ARN_OK) return status;
  s->variant |= PROJECTED;
  more->projection_type = w.type;
  if (!(more->projection_clip >= 0.0f)) return arn_refuse(p, ARN_WHAT_OPTION, NULL);
  if (!arn__dense_takes(ARN_FLOAT32, w.type)) return arn_refuse(p, ARN_WHAT_TYPE, &w);
  if (w.flags & ARN_TENSOR_SPARSE) return arn_refuse(p, ARN_WHAT_SPARSITY, &w);
  if (w.rank != 2 || (uint32_t)w.dims[0] != more->outputs || (uint32_t)w.dims[1] != s->units) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &w);
  }
  if (w.type != ARN_FLOAT32 && w.type != ARN_FLOAT16) {
    status = arn__quantised_read(p, &w, &scale, &zero);
    if (status != ARN_OK) return status;
    if (zero != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, &w);
    more->projection_scales_at = w.scales_at;
  }
  return check_projection_bias(p, s, more);
}

arn_status arn__lstm_variant_prepare(const arn_prepare *p, arn__lstm *s, arn__lstm_more *more) {
  arn_status status = check_coupled(p, s);
  if (status == ARN_OK) status = check_peepholes(p, s, more);
  if (status == ARN_OK) status = check_norms(p, s, more);
  if (status == ARN_OK) status = check_projection(p, s, more);
  if (status != ARN_OK) return status;
  return s->variant && s->units == 0 ? arn_refuse(p, ARN_WHAT_SHAPE, NULL) : ARN_OK;
}

// ---- eval ---------------------------------------------------------------------------------------

// Adds a peephole's products. Its gates are input, forget, output: there is none for the cell gate.
static void add_peephole(const arn__lstm_site *t, uint32_t gate, float *sums) {
  const arn__lstm *s = t->s;
  const uint32_t i = gate == ARN__LSTM_OUTPUT ? 2 : gate;
  const void *weights = arn_eval_in(t->e, s->weights_at + ARN__LSTM_PEEPHOLE + i);
  const float *cell = (const float *)(const void *)t->cell;
  const float scale = t->more->peephole_scale[i];
  for (uint32_t u = 0; u < s->units; u++) {
    const float w = t->more->peephole_type == ARN_INT8 ? (float)((const int8_t *)weights)[u] * scale
                                                      : ((const float *)weights)[u];
    sums[u] += w * cell[u];
  }
}

// Element `i` of a bias that is float32, or float16.
static float bias_at(const void *bias, uint32_t type, uint32_t i) {
  float value;
  if (type == ARN_FLOAT32) return ((const float *)bias)[i];
  arn__widen_f16_f32(&value, (const uint16_t *)bias + i, 1);
  return value;
}

// Makes the mean of the sums 0 and their variance 1; then scale and bias of the gate.
static void normalise(const arn__lstm_site *t, uint32_t gate, float *sums) {
  const uint32_t units = t->s->units;
  const float *norm = arn_eval_in(t->e, t->more->norm_at + gate);
  const void *bias = arn_eval_in(t->e, t->s->weights_at + ARN__LSTM_BIAS + gate);
  float mean = 0.0f, variance = 0.0f;
  for (uint32_t u = 0; u < units; u++) mean += sums[u];
  mean /= (float)units;
  for (uint32_t u = 0; u < units; u++) variance += (sums[u] - mean) * (sums[u] - mean);
  const float inverse = 1.0f / sqrtf(variance / (float)units + SMALLEST_VARIANCE);
  for (uint32_t u = 0; u < units; u++) {
    sums[u] = (sums[u] - mean) * inverse * norm[u] + bias_at(bias, t->s->bias_type, u);
  }
}

static void run_gate(const arn__lstm_site *t, uint32_t gate, float *out) {
  const arn__lstm *s = t->s;
  float recurrent[ARN__DENSE_BLOCK];
  for (uint32_t first = 0; first < s->units; first += ARN__DENSE_BLOCK) {
    const uint32_t left = s->units - first;
    const uint32_t n = left < ARN__DENSE_BLOCK ? left : ARN__DENSE_BLOCK;
    arn__lstm_layer(t, 0, gate, first, out + first);
    arn__lstm_layer(t, 1, gate, first, recurrent);
    arn__lstm_add_f32(out + first, out + first, recurrent, n);
  }
  if ((s->variant & PEEPHOLES) && gate != ARN__LSTM_CELL) add_peephole(t, gate, out);
  if (s->variant & NORMALISED) normalise(t, gate, out);
  if (gate == ARN__LSTM_CELL) arn__unary_tanh_f32(out, out, s->units, NULL);
  else arn__unary_logistic_f32(out, out, s->units, NULL);
}

static void project_block(const arn__lstm_site *t, const float *units, uint32_t first, float *out) {
  const arn__lstm_more *more = t->more;
  const uint32_t weights = t->s->weights_at + ARN__LSTM_PROJECTION;
  const float clip = more->projection_clip > 0.0f ? more->projection_clip : FLT_MAX;
  arn__dense d = {.depth = t->s->units,
                  .channels = more->outputs,
                  .clamp.f32 = {-clip, clip},
                  .type = ARN_FLOAT32,
                  .w_type = more->projection_type,
                  .bias_type = more->projection_bias,
                  .out_type = ARN_FLOAT32,
                  .scaling = ARN__DENSE_UNSCALED,
                  .scale.real = {more->projection_scales_at, 0, 1.0f}};
  arn__dense_block block;
  arn__dense_run run = {&arn__dense_any, &d, t->e->model->bytes, arn_eval_input(t->e, weights, 0),
                        arn_eval_in(t->e, weights + 1), 1, false, NULL};
  arn__dense_set_whole(&run.w);
  arn__dense_begin(&run, first, &block);
  arn__dense_clear(&run, &block);
  arn__dense_add(&run, &block, (arn_span){0, d.depth}, (const uint8_t *)units);
  arn__dense_finish(&run, &block, (uint8_t *)(out + first));
}

void arn__lstm_variant_step(const arn__lstm_site *t) {
  const arn__lstm *s = t->s;
  const uint32_t units = s->units;
  float *input = t->e->scratch, *forget = input + units, *value = forget + units;
  float *output = value + units, *cell = (float *)(void *)t->cell;
  float *out = (float *)(void *)t->out;
  run_gate(t, ARN__LSTM_FORGET, forget);
  run_gate(t, ARN__LSTM_CELL, value);
  if (s->variant & COUPLED) {
    for (uint32_t u = 0; u < units; u++) input[u] = 1.0f - forget[u];
  } else {
    run_gate(t, ARN__LSTM_INPUT, input);
  }
  arn__lstm_multiply_f32(value, value, input, units);
  arn__lstm_cell_f32(cell, forget, value, units, s->clip.f32);
  run_gate(t, ARN__LSTM_OUTPUT, output);
  arn__unary_tanh_f32(cell, value, units, NULL);
  if (!(s->variant & PROJECTED)) {
    arn__lstm_multiply_f32(out, value, output, units);
    return;
  }
  arn__lstm_multiply_f32(value, value, output, units);
  for (uint32_t first = 0; first < t->more->outputs; first += ARN__DENSE_BLOCK) {
    project_block(t, value, first, out);
  }
}
