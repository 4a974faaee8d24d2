// Functions of real numbers that have quantised versions: LOGISTIC and TANH (fixed point for 8
// bits, a table with interpolation for 16), and ELU, GELU, EXP and LOG (dequantised and quantised
// again).
#include <math.h>
#include <stddef.h>

#include "../kernels/activation.h"
#include "quantised.h"
#include "unary.h"

#define TYPES_8 (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8))

// uint8 values are computed as int8 with the highest bit flipped, so that 128 less is the zero
// point.
static uint8_t flip_of(uint8_t type) { return type == ARN_UINT8 ? 0x80 : 0; }

static void run_float(const arn_eval *e, uint32_t row_count, arn__unary_fn fn) {
  const arn__unary_job job = {fn, NULL, row_count, 4, 4};
  arn__unary_run(e, &job);
}

// ---- LOGISTIC, TANH
// ------------------------------------------------------------------------------

typedef struct sigmoid {
  uint32_t row_count;
  uint8_t type;
  int8_t in_zero;
  int8_t shift;        // 16 bits: to the right
  uint8_t spare;
  int32_t multiplier;  // float32: absent
} sigmoid;

// The output quantisation that the fixed-point formulas produce: 2^exponent and a zero point (of
// int8).
typedef struct fixed_output {
  int32_t exponent, zero;
} fixed_output;

// Says whether a scale is a power of two, within what the reference allows (1/1000 of the
// logarithm).
static bool is_power_of_two(float scale, int32_t *exponent) {
  int e;
  const float fraction = frexpf(scale, &e);
  *exponent = fraction < 0.70710678f ? e - 1 : e;
  return fraction < 0.50034669f || fraction > 0.99930709f;
}

static arn_status check_output(const arn_prepare *p, const arn_tensor *out, fixed_output want) {
  float scale;
  int32_t zero, exponent;
  ARN__TRY(arn__quantised_read(p, out, &scale, &zero));
  if (!is_power_of_two(scale, &exponent) || exponent != want.exponent) {
    return arn_refuse(p, ARN_WHAT_SCALE, out);
  }
  if (zero - flip_of(out->type) != want.zero) return arn_refuse(p, ARN_WHAT_ZERO_POINT, out);
  return ARN_OK;
}

// 16 bits: the multiplier that takes the input to 1/12288. Scales of 2^-12 (and, for tanh, 2^-11)
// need no rounding.
static arn_status set_lookup(const arn_prepare *p, sigmoid *s, const arn_tensor *in,
                             int32_t most_doublings) {
  float scale;
  int32_t zero, exponent;
  ARN__TRY(arn__quantised_read(p, in, &scale, &zero));
  if (zero != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, in);
  const bool exact = is_power_of_two(scale, &exponent);
  const int32_t doublings = exponent + 12;
  s->shift = 0;
  if (exact && doublings >= 0 && doublings <= most_doublings) {
    s->multiplier = 3 << doublings;
    return ARN_OK;
  }
  double multiplier = (double)scale * 4096.0 * 3.0;
  if (multiplier >= 32768.0) return arn_refuse(p, ARN_WHAT_SCALE, in);
  for (; multiplier <= 32767.0 / 2.0 && s->shift <= 30; s->shift++) multiplier *= 2.0;
  s->multiplier = (int32_t)multiplier;
  return ARN_OK;
}

static arn_status prepare_sigmoid(arn_prepare *p, sigmoid *s, fixed_output narrow,
                                  int32_t most_doublings) {
  arn_tensor in, out;
  float scale;
  int32_t zero;
  ARN__TRY(arn__unary_prepare_same(p, &in, &out, &s->row_count));
  s->type = in.type;
  if (in.type == ARN_FLOAT32) {
    p->state_bytes = (uint32_t)offsetof(sigmoid, multiplier);
    return ARN_OK;
  }
  if (in.type == ARN_INT16) {
    ARN__TRY(check_output(p, &out, (fixed_output){-15, 0}));
    return set_lookup(p, s, &in, most_doublings);
  }
  ARN__TRY(check_output(p, &out, narrow));
  ARN__TRY(arn__quantised_read(p, &in, &scale, &zero));
  const arn__requant r = arn__requant_of((double)scale * (1 << 27));
  s->multiplier = r.q;
  s->shift = (int8_t)r.shift;
  s->in_zero = (int8_t)(zero - flip_of(in.type));
  return ARN_OK;
}

static arn_status prepare_logistic(arn_prepare *p, void *state) {
  return prepare_sigmoid(p, state, (fixed_output){-8, -128}, 0);
}

static arn_status prepare_tanh(arn_prepare *p, void *state) {
  return prepare_sigmoid(p, state, (fixed_output){-7, 0}, 1);
}

static void run_curve(const arn_eval *e, const sigmoid *s, arn__unary_fn fn) {
  const arn__activation_curve params = {{s->multiplier, s->shift}, s->in_zero};
  const arn__unary_job job = {fn, &params, s->row_count, 1, 1};
  arn__unary_run_8(e, &job, flip_of(s->type));
}

static void run_lookup(const arn_eval *e, const sigmoid *s, arn__unary_fn fn) {
  const arn__activation_lookup params = {s->multiplier, s->shift};
  const arn__unary_job job = {fn, &params, s->row_count, 2, 2};
  arn__unary_run(e, &job);
}

static arn_status eval_logistic(const arn_eval *e, const void *state) {
  const sigmoid *s = state;
  switch (s->type) {
    case ARN_FLOAT32: run_float(e, s->row_count, arn__unary_logistic_f32); break;
    case ARN_INT16: run_lookup(e, s, arn__activation_logistic_s16); break;
    default: run_curve(e, s, arn__activation_logistic_s8); break;
  }
  return ARN_OK;
}

static arn_status eval_tanh(const arn_eval *e, const void *state) {
  const sigmoid *s = state;
  switch (s->type) {
    case ARN_FLOAT32: run_float(e, s->row_count, arn__unary_tanh_f32); break;
    case ARN_INT16: run_lookup(e, s, arn__activation_tanh_s16); break;
    default: run_curve(e, s, arn__activation_tanh_s8); break;
  }
  return ARN_OK;
}

// ---- ELU, GELU, EXP, LOG
// -------------------------------------------------------------------------

typedef struct curve {
  uint32_t row_count;
  uint8_t type;
  int8_t in_zero, out_zero;    // 0 where 16 bits
  uint8_t approximate;         // GELU by tanh
  float in_scale, out_inverse; // float32: absent
} curve;

static arn_status prepare_curve(arn_prepare *p, void *state) {
  curve *s = state;
  arn_tensor in, out;
  float out_scale;
  int32_t in_zero, out_zero;
  ARN__TRY(arn__unary_prepare_same(p, &in, &out, &s->row_count));
  s->type = in.type;
  if (in.type == ARN_FLOAT32) {
    p->state_bytes = (uint32_t)offsetof(curve, in_scale);
    return ARN_OK;
  }
  ARN__TRY(arn__quantised_read(p, &in, &s->in_scale, &in_zero));
  ARN__TRY(arn__quantised_read(p, &out, &out_scale, &out_zero));
  if (in.type == ARN_INT16 && (in_zero != 0 || out_zero != 0)) {
    return arn_refuse(p, ARN_WHAT_ZERO_POINT, in_zero != 0 ? &in : &out);
  }
  s->out_inverse = 1.0f / out_scale;
  s->in_zero = (int8_t)(in_zero - flip_of(in.type));
  s->out_zero = (int8_t)(out_zero - flip_of(in.type));
  return ARN_OK;
}

static arn_status prepare_gelu(arn_prepare *p, void *state) {
  curve *s = state;
  ARN__TRY(prepare_curve(p, state));
  s->approximate = arn_option_u8(p, 0, 0) != 0;
  return ARN_OK;
}

// One function for each type.
typedef struct kernels {
  arn__unary_fn f32, s8, s16;
} kernels;

static arn_status run_curve_of(const arn_eval *e, const curve *s, kernels k) {
  const arn__activation_real params = {s->in_scale, s->out_inverse, s->in_zero, s->out_zero};
  arn__unary_job job = {k.s8, &params, s->row_count, 1, 1};
  switch (s->type) {
    case ARN_FLOAT32: run_float(e, s->row_count, k.f32); break;
    case ARN_INT16:
      job = (arn__unary_job){k.s16, &params, s->row_count, 2, 2};
      arn__unary_run(e, &job);
      break;
    default: arn__unary_run_8(e, &job, flip_of(s->type)); break;
  }
  return ARN_OK;
}

static arn_status eval_elu(const arn_eval *e, const void *state) {
  const kernels k = {arn__unary_elu_f32, arn__activation_elu_s8, arn__activation_elu_s16};
  return run_curve_of(e, state, k);
}

static arn_status eval_gelu(const arn_eval *e, const void *state) {
  const kernels exact = {arn__unary_gelu_f32, arn__activation_gelu_s8, arn__activation_gelu_s16};
  const kernels approximate = {arn__unary_gelu_tanh_f32, arn__activation_gelu_tanh_s8,
                               arn__activation_gelu_tanh_s16};
  return run_curve_of(e, state, ((const curve *)state)->approximate ? approximate : exact);
}

static arn_status eval_exp(const arn_eval *e, const void *state) {
  const kernels k = {arn__unary_exp_f32, arn__activation_exp_s8, arn__activation_exp_s16};
  return run_curve_of(e, state, k);
}

static arn_status eval_log(const arn_eval *e, const void *state) {
  const kernels k = {arn__unary_log_f32, arn__activation_log_s8, arn__activation_log_s16};
  return run_curve_of(e, state, k);
}

const arn_op arn_op_logistic = {
    .name = "LOGISTIC",
    .code = 14,
    .state_bytes = sizeof(sigmoid),
    .types = TYPES_8 | ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_logistic,
    .rows = arn__unary_rows,
    .eval = eval_logistic,
};

const arn_op arn_op_tanh = {
    .name = "TANH",
    .code = 28,
    .state_bytes = sizeof(sigmoid),
    .types = TYPES_8 | ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_tanh,
    .rows = arn__unary_rows,
    .eval = eval_tanh,
};

const arn_op arn_op_elu = {
    .name = "ELU",
    .code = 111,
    .state_bytes = sizeof(curve),
    .types = TYPES_8 | ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_curve,
    .rows = arn__unary_rows,
    .eval = eval_elu,
};

const arn_op arn_op_gelu = {
    .name = "GELU",
    .code = 150,
    .state_bytes = sizeof(curve),
    .types = TYPES_8 | ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_gelu,
    .rows = arn__unary_rows,
    .eval = eval_gelu,
};

const arn_op arn_op_exp = {
    .name = "EXP",
    .code = 47,
    .state_bytes = sizeof(curve),
    .types = TYPES_8 | ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_curve,
    .rows = arn__unary_rows,
    .eval = eval_exp,
};

const arn_op arn_op_log = {
    .name = "LOG",
    .code = 73,
    .state_bytes = sizeof(curve),
    .types = TYPES_8 | ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_curve,
    .rows = arn__unary_rows,
    .eval = eval_log,
};
