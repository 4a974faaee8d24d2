// Activations made of straight lines: RELU, RELU6, RELU_N1_TO_1, RELU_0_TO_1, LEAKY_RELU and
// HARD_SWISH; and ABS and NEG, which on quantised values are lines through zero too.
#include "../kernels/activation.h"

#include <math.h>
#include <stddef.h>

#include "quantised.h"
#include "unary.h"

#define TYPES_8_16                                                                    \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |     \
   ARN_TYPE_BIT(ARN_INT16))

// uint8 values are computed as int8 with the highest bit flipped, so that 128 less is the zero
// point.
static uint8_t flip_of(uint8_t type) { return type == ARN_UINT8 ? 0x80 : 0; }

static bool is_quantised(const arn_tensor *t) {
  return t->type == ARN_INT8 || t->type == ARN_UINT8 || t->type == ARN_INT16;
}

// ---- lines
// ---------------------------------------------------------------------------------------

typedef struct lines {
  uint32_t row_count;
  uint8_t type;
  int8_t shift;
  int16_t in_zero, out_zero;
  int8_t negative_shift;
  uint8_t spare;
  int32_t q;                  // float32: the slope below zero, as bits
  union {
    int16_t bounds[2];        // RELU and its kin
    int32_t negative_q;       // LEAKY_RELU
  } last;                     // ABS and NEG: absent
} lines;

#define STATE_OF_FLOAT ((uint32_t)offsetof(lines, in_zero) + 2u)

// The scales of both tensors; the zero points go to the state.
typedef struct scales {
  float in, out;
} scales;

static arn_status read_quantisation(arn_prepare *p, const arn_tensor *in, const arn_tensor *out,
                                    lines *s, scales *scale) {
  int32_t in_zero, out_zero;
  ARN__TRY(arn__quantised_read(p, in, &scale->in, &in_zero));
  ARN__TRY(arn__quantised_read(p, out, &scale->out, &out_zero));
  s->in_zero = (int16_t)(in_zero - flip_of(in->type));
  s->out_zero = (int16_t)(out_zero - flip_of(in->type));
  return ARN_OK;
}

static void set_slope(lines *s, arn__requant r) {
  s->q = r.q;
  s->shift = (int8_t)r.shift;
}

static arn_status begin(arn_prepare *p, lines *s, arn_tensor *in, arn_tensor *out) {
  ARN__TRY(arn__unary_prepare_same(p, in, out, &s->row_count));
  s->type = in->type;
  if (!is_quantised(in)) p->state_bytes = STATE_OF_FLOAT;
  return ARN_OK;
}

// Runs lines of one slope, or of two, within bounds.
static void run_lines(const arn_eval *e, const lines *s, arn__requant negative, arn__clamp clamp) {
  const arn__activation_slopes slopes = {
      {s->q, s->shift}, negative, s->in_zero, s->out_zero, clamp};
  arn__unary_job job = {arn__activation_slopes_s16, &slopes, s->row_count, 2, 2};
  if (s->type == ARN_INT16) {
    arn__unary_run(e, &job);
    return;
  }
  job = (arn__unary_job){arn__activation_slopes_s8, &slopes, s->row_count, 1, 1};
  arn__unary_run_8(e, &job, flip_of(s->type));
}

static void run_float(const arn_eval *e, const lines *s, arn__unary_fn fn, const void *params) {
  const arn__unary_job job = {fn, params, s->row_count, 4, 4};
  arn__unary_run(e, &job);
}

static arn__clamp whole_range(const lines *s) {
  return arn__quantised_range(s->type == ARN_INT16 ? ARN_INT16 : ARN_INT8);
}

// ---- RELU and its kin
// ----------------------------------------------------------------------------

static void set_bounds(lines *s, arn__clamp c) {
  s->last.bounds[0] = (int16_t)(c.low - flip_of(s->type));
  s->last.bounds[1] = (int16_t)(c.high - flip_of(s->type));
}

// `activation` of the schema bounds the output; the bounds are then raised to zero where
// `positive`.
static arn_status prepare_bounded(arn_prepare *p, lines *s, int32_t activation, bool positive) {
  arn_tensor in, out;
  scales scale;
  arn__clamp clamp;
  ARN__TRY(begin(p, s, &in, &out));
  if (!is_quantised(&in)) return ARN_OK;
  ARN__TRY(read_quantisation(p, &in, &out, s, &scale));
  const int32_t zero = s->out_zero + flip_of(in.type);
  ARN__TRY(arn__quantised_clamp(p, activation, &out, scale.out, zero, &clamp));
  if (positive) clamp.low = zero;
  set_bounds(s, clamp);
  set_slope(s, arn__requant_ratio(scale.in, 1.0f, scale.out, 0));
  return ARN_OK;
}

static arn_status prepare_relu(arn_prepare *p, void *state) {
  return prepare_bounded(p, state, ARN__ACTIVATION_RELU, true);
}

static arn_status prepare_relu_n1_to_1(arn_prepare *p, void *state) {
  return prepare_bounded(p, state, ARN__ACTIVATION_RELU_N1_TO_1, false);
}

static arn_status prepare_relu_0_to_1(arn_prepare *p, void *state) {
  return prepare_bounded(p, state, ARN__ACTIVATION_RELU_N1_TO_1, true);
}

// The reference clamps int8 and int16 in the quantisation of the input and hands that on, whatever
// the output's is; models have the same for both.
static arn_status prepare_relu6(arn_prepare *p, void *state) {
  lines *s = state;
  ARN__TRY(prepare_bounded(p, s, ARN__ACTIVATION_RELU6, true));
  if (s->type != ARN_INT8 && s->type != ARN_INT16) return ARN_OK;
  arn_tensor in;
  float scale;
  int32_t zero;
  arn__clamp clamp;
  ARN__TRY(arn_prepare_input(p, 0, &in));
  ARN__TRY(arn__quantised_read(p, &in, &scale, &zero));
  ARN__TRY(arn__quantised_clamp(p, ARN__ACTIVATION_RELU6, &in, scale, zero, &clamp));
  set_bounds(s, clamp);
  return ARN_OK;
}

static arn_status run_bounded(const arn_eval *e, const lines *s, float low, float high) {
  const float bounds[2] = {low, high};
  if (s->type == ARN_FLOAT32) {
    run_float(e, s, arn__unary_clamp_f32, bounds);
  } else {
    const arn__clamp clamp = {s->last.bounds[0], s->last.bounds[1]};
    run_lines(e, s, (arn__requant){s->q, s->shift}, clamp);
  }
  return ARN_OK;
}

static arn_status eval_relu(const arn_eval *e, const void *state) {
  return run_bounded(e, state, 0.0f, INFINITY);
}

static arn_status eval_relu_n1_to_1(const arn_eval *e, const void *state) {
  return run_bounded(e, state, -1.0f, 1.0f);
}

static arn_status eval_relu_0_to_1(const arn_eval *e, const void *state) {
  return run_bounded(e, state, 0.0f, 1.0f);
}

static arn_status eval_relu6(const arn_eval *e, const void *state) {
  const lines *s = state;
  const arn__clamp clamp = {s->last.bounds[0], s->last.bounds[1]};
  if (s->type == ARN_INT8) {
    const arn__unary_job job = {arn__activation_clamp_s8, &clamp, s->row_count, 1, 1};
    arn__unary_run(e, &job);
  } else if (s->type == ARN_INT16) {
    const arn__unary_job job = {arn__activation_clamp_s16, &clamp, s->row_count, 2, 2};
    arn__unary_run(e, &job);
  } else {
    return run_bounded(e, s, 0.0f, 6.0f);
  }
  return ARN_OK;
}

// ---- LEAKY_RELU
// ----------------------------------------------------------------------------------

// A multiplier of any sign. Products of floats have 24 bits, so that nothing is rounded here.
static arn__requant signed_requant(float real) {
  arn__requant r = arn__requant_of_float(real < 0.0f ? -real : real);
  if (real < 0.0f) r.q = -r.q;
  return r;
}

static arn_status prepare_leaky_relu(arn_prepare *p, void *state) {
  lines *s = state;
  arn_tensor in, out;
  scales scale;
  const float alpha = arn_option_f32(p, 0, 0.0f);
  ARN__TRY(begin(p, s, &in, &out));
  if (!(alpha - alpha == 0.0f)) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  if (!is_quantised(&in)) {
    p->state_bytes = (uint32_t)offsetof(lines, last);
    memcpy(&s->q, &alpha, sizeof alpha);
    return ARN_OK;
  }
  ARN__TRY(read_quantisation(p, &in, &out, s, &scale));
  const float negative = scale.in * alpha / scale.out;
  if (!(negative - negative == 0.0f)) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  const arn__requant below = signed_requant(negative);
  s->last.negative_q = below.q;
  s->negative_shift = (int8_t)below.shift;
  set_slope(s, arn__requant_of_float(scale.in / scale.out));
  return ARN_OK;
}

static arn_status eval_leaky_relu(const arn_eval *e, const void *state) {
  const lines *s = state;
  if (s->type == ARN_FLOAT32) {
    run_float(e, s, arn__unary_leaky_f32, &s->q);
  } else {
    run_lines(e, s, (arn__requant){s->last.negative_q, s->negative_shift}, whole_range(s));
  }
  return ARN_OK;
}

// ---- ABS, NEG
// ------------------------------------------------------------------------------------

// int16 without quantisation is a plain integer: its type is kept as UINT16, which it cannot be.
#define PLAIN_INT16 ARN_UINT16

static arn_status prepare_signs(arn_prepare *p, void *state) {
  lines *s = state;
  arn_tensor in, out;
  scales scale;
  ARN__TRY(begin(p, s, &in, &out));
  if (in.type == ARN_INT16 && in.scale_count == 0) s->type = PLAIN_INT16;
  if (!is_quantised(&in) || s->type == PLAIN_INT16) {
    p->state_bytes = STATE_OF_FLOAT;
    return ARN_OK;
  }
  p->state_bytes = (uint32_t)offsetof(lines, last);
  ARN__TRY(read_quantisation(p, &in, &out, s, &scale));
  set_slope(s, arn__requant_ratio(scale.in, 1.0f, scale.out, 0));
  return ARN_OK;
}

static arn_status eval_abs(const arn_eval *e, const void *state) {
  const lines *s = state;
  arn__unary_job job = {arn__unary_abs_s16, NULL, s->row_count, 2, 2};
  switch (s->type) {
    case ARN_FLOAT32: run_float(e, s, arn__unary_abs_f32, NULL); break;
    case ARN_INT32: run_float(e, s, arn__unary_abs_s32, NULL); break;
    case PLAIN_INT16: arn__unary_run(e, &job); break;
    default: run_lines(e, s, (arn__requant){-s->q, s->shift}, whole_range(s)); break;
  }
  return ARN_OK;
}

static arn_status eval_neg(const arn_eval *e, const void *state) {
  const lines *s = state;
  lines negated = *s;
  arn__unary_job job = {arn__unary_neg_s16, NULL, s->row_count, 2, 2};
  switch (s->type) {
    case ARN_FLOAT32: run_float(e, s, arn__unary_neg_f32, NULL); break;
    case ARN_INT32: run_float(e, s, arn__unary_neg_s32, NULL); break;
    case PLAIN_INT16: arn__unary_run(e, &job); break;
    case ARN_INT64:
      job = (arn__unary_job){arn__unary_neg_s64, NULL, s->row_count, 8, 8};
      arn__unary_run(e, &job);
      break;
    default:
      negated.q = -s->q;
      run_lines(e, &negated, (arn__requant){-s->q, s->shift}, whole_range(s));
      break;
  }
  return ARN_OK;
}

// ---- HARD_SWISH
// ----------------------------------------------------------------------------------

typedef struct hard_swish {
  uint32_t row_count;
  uint8_t type;
  uint8_t right_shift;
  int16_t gate, multiplier;
  int16_t in_zero, out_zero;
  int8_t gate_exponent;
  uint8_t spare;
} hard_swish;

// A multiplier of 31 bits rounded to 15.
static int16_t to_q15(int32_t q) {
  return q >= INT32_MAX - (1 << 15) ? INT16_MAX : (int16_t)((q + (1 << 15)) >> 16);
}

static arn_status prepare_hard_swish(arn_prepare *p, void *state) {
  hard_swish *s = state;
  arn_tensor in, out;
  float in_scale, out_scale;
  int32_t in_zero, out_zero;
  ARN__TRY(arn__unary_prepare_same(p, &in, &out, &s->row_count));
  s->type = in.type;
  if (in.type == ARN_FLOAT32) {
    p->state_bytes = (uint32_t)offsetof(hard_swish, multiplier);
    return ARN_OK;
  }
  ARN__TRY(arn__quantised_read(p, &in, &in_scale, &in_zero));
  ARN__TRY(arn__quantised_read(p, &out, &out_scale, &out_zero));
  const float fine_scale = (1.0f / 128.0f) * in_scale;
  const arn__requant output = arn__requant_of_float(fine_scale / out_scale);
  const arn__requant gate = arn__requant_of_float(fine_scale / (3.0f / 32768.0f));
  if (output.shift > 0) return arn_refuse(p, ARN_WHAT_SCALE, &out);
  s->multiplier = to_q15(output.q);
  s->right_shift = (uint8_t)-output.shift;
  s->gate = to_q15(gate.q);
  s->gate_exponent = (int8_t)gate.shift;
  s->in_zero = (int16_t)(in_zero - flip_of(in.type));
  s->out_zero = (int16_t)(out_zero - flip_of(in.type));
  return ARN_OK;
}

static arn_status eval_hard_swish(const arn_eval *e, const void *state) {
  const hard_swish *s = state;
  if (s->type == ARN_FLOAT32) {
    const arn__unary_job job = {arn__unary_hard_swish_f32, NULL, s->row_count, 4, 4};
    arn__unary_run(e, &job);
    return ARN_OK;
  }
  const arn__activation_hard_swish params = {s->in_zero,       s->out_zero,   s->gate,
                                             s->gate_exponent, s->multiplier, s->right_shift};
  const arn__unary_job job = {arn__activation_hard_swish_s8, &params, s->row_count, 1, 1};
  arn__unary_run_8(e, &job, flip_of(s->type));
  return ARN_OK;
}

const arn_op arn_op_relu = {
    .name = "RELU",
    .code = 19,
    .state_bytes = sizeof(lines),
    .types = TYPES_8_16,
    .prepare = prepare_relu,
    .rows = arn__unary_rows,
    .eval = eval_relu,
};

const arn_op arn_op_relu6 = {
    .name = "RELU6",
    .code = 21,
    .state_bytes = sizeof(lines),
    .types = TYPES_8_16,
    .prepare = prepare_relu6,
    .rows = arn__unary_rows,
    .eval = eval_relu6,
};

const arn_op arn_op_relu_n1_to_1 = {
    .name = "RELU_N1_TO_1",
    .code = 20,
    .state_bytes = sizeof(lines),
    .types = TYPES_8_16,
    .prepare = prepare_relu_n1_to_1,
    .rows = arn__unary_rows,
    .eval = eval_relu_n1_to_1,
};

const arn_op arn_op_relu_0_to_1 = {
    .name = "RELU_0_TO_1",
    .code = 152,
    .state_bytes = sizeof(lines),
    .types = TYPES_8_16,
    .prepare = prepare_relu_0_to_1,
    .rows = arn__unary_rows,
    .eval = eval_relu_0_to_1,
};

const arn_op arn_op_leaky_relu = {
    .name = "LEAKY_RELU",
    .code = 98,
    .state_bytes = sizeof(lines),
    .types = TYPES_8_16,
    .prepare = prepare_leaky_relu,
    .rows = arn__unary_rows,
    .eval = eval_leaky_relu,
};

const arn_op arn_op_hard_swish = {
    .name = "HARD_SWISH",
    .code = 117,
    .state_bytes = sizeof(hard_swish),
    .types = ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8),
    .prepare = prepare_hard_swish,
    .rows = arn__unary_rows,
    .eval = eval_hard_swish,
};

const arn_op arn_op_abs = {
    .name = "ABS",
    .code = 101,
    .state_bytes = sizeof(lines),
    .types = TYPES_8_16 | ARN_TYPE_BIT(ARN_INT32),
    .prepare = prepare_signs,
    .rows = arn__unary_rows,
    .eval = eval_abs,
};

const arn_op arn_op_neg = {
    .name = "NEG",
    .code = 59,
    .state_bytes = sizeof(lines),
    .types = TYPES_8_16 | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64),
    .prepare = prepare_signs,
    .rows = arn__unary_rows,
    .eval = eval_neg,
};
