// DIV, FLOOR_DIV, FLOOR_MOD and STABLEHLO_REMAINDER.
#include "../kernels/divide.h"

#include "binary.h"

// ---- DIV ----------------------------------------------------------------------------------------

// Parameters of a quantised quotient.
struct quotient {
  int32_t q;
  int16_t zero[3];  // of the inputs and the output
  int16_t low, high;
  int8_t shift;
};

static arn_status prepare_quotient(arn_prepare *p, arn__broadcast *b, const arn__binary *t) {
  float scales[3];
  int32_t zeros[3];
  arn__clamp clamp;
  ARN__TRY(arn__binary_scales(p, t, scales, zeros));
  ARN__TRY(arn__quantised_clamp(p, b->option, &t->out, scales[2], zeros[2], &clamp));
  const float real = scales[0] / (scales[1] * scales[2]);  // in float, as the reference
  const arn__requant r = arn__requant_of_float(real);
  const struct quotient kept = {
      .q = r.q, .zero = {(int16_t)zeros[0], (int16_t)zeros[1], (int16_t)zeros[2]},
      .low = (int16_t)clamp.low, .high = (int16_t)clamp.high, .shift = (int8_t)r.shift};
  arn__broadcast_keep(p, b, &kept, sizeof kept);
  return ARN_OK;
}

static arn_status div_prepare(arn_prepare *p, void *state) {
  arn__broadcast *b = state;
  arn__binary t;
  ARN__TRY(arn__binary_open(p, b, &t, ARN__BINARY_SAME));
  ARN__TRY(arn__binary_activation(p, &b->option));
  if (b->type == ARN_FLOAT32) return ARN_OK;
  if (b->type == ARN_INT32) return arn__binary_unquantised(p, &t);
  return prepare_quotient(p, b, &t);
}

static arn_status run_quotient(const arn_eval *e, const arn__broadcast *b) {
  struct quotient kept;
  arn__broadcast_recall(b, &kept, sizeof kept);
  const uint8_t flip = arn__binary_flip(b->type);
  const arn__quotient_params params = {
      .zero = {kept.zero[0] + flip, kept.zero[1] + flip},
      .to_out = {kept.q, kept.shift},
      .clamp = {kept.low - kept.zero[2], kept.high - kept.zero[2]},
      .zero_out = kept.zero[2],
      .flip = flip};
  arn__elementwise job = arn__binary_job(b->type, arn__divide_s8, &params);
  job.fault = ARN_WHAT_DATA_DIVISOR;
  return arn__broadcast_run(e, b, &job);
}

static arn_status div_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  if (b->type == ARN_INT8 || b->type == ARN_UINT8) return run_quotient(e, b);
  const arn__clamp bounds = arn__binary_bounds(b->option);
  const arn__clamp_f32 bounds_f32 = arn__binary_bounds_f32(b->option);
  const arn__quotient_bounds_f32 low_high = {bounds_f32.low, bounds_f32.high};
  arn__elementwise job = arn__binary_job(b->type, arn__divide_s32, &bounds);
  job.fault = ARN_WHAT_DATA_DIVISOR;
  if (b->type == ARN_FLOAT32) {
    job.kernel = arn__divide_f32;
    job.params = &low_high;
  }
  return arn__broadcast_run(e, b, &job);
}

// ---- FLOOR_DIV, FLOOR_MOD, STABLEHLO_REMAINDER --------------------------------------------------

// Numbers as they are: quotients of quantised integers would mean something else.
static arn_status floor_prepare(arn_prepare *p, void *state) {
  arn__broadcast *b = state;
  arn__binary t;
  ARN__TRY(arn__binary_open(p, b, &t, ARN__BINARY_SAME));
  return b->type == ARN_FLOAT32 ? ARN_OK : arn__binary_unquantised(p, &t);
}

static arn_status run_floor(const arn_eval *e, const arn__broadcast *b,
                            arn__elementwise_kernel *kernel) {
  arn__elementwise job = arn__binary_job(b->type, kernel, NULL);
  job.fault = ARN_WHAT_DATA_DIVISOR;
  return arn__broadcast_run(e, b, &job);
}

static arn_status floor_div_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  switch (b->type) {
    case ARN_INT8: return run_floor(e, b, arn__divide_floor_s8);
    case ARN_INT16: return run_floor(e, b, arn__divide_floor_s16);
    case ARN_INT32: return run_floor(e, b, arn__divide_floor_s32);
    case ARN_INT64: return run_floor(e, b, arn__divide_floor_s64);
    default: return run_floor(e, b, arn__divide_floor_f32);
  }
}

static arn_status floor_mod_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  switch (b->type) {
    case ARN_INT8: return run_floor(e, b, arn__divide_modulo_s8);
    case ARN_INT16: return run_floor(e, b, arn__divide_modulo_s16);
    case ARN_INT32: return run_floor(e, b, arn__divide_modulo_s32);
    case ARN_INT64: return run_floor(e, b, arn__divide_modulo_s64);
    default: return run_floor(e, b, arn__divide_modulo_f32);
  }
}

static arn_status remainder_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  switch (b->type) {
    case ARN_INT8: return run_floor(e, b, arn__divide_remainder_s8);
    case ARN_INT16: return run_floor(e, b, arn__divide_remainder_s16);
    case ARN_INT32: return run_floor(e, b, arn__divide_remainder_s32);
    case ARN_INT64: return run_floor(e, b, arn__divide_remainder_s64);
    default: return run_floor(e, b, arn__divide_remainder_f32);
  }
}

#define FLOOR_TYPES                                                                        \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_INT16) |          \
   ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64))

const arn_op arn_op_div = {"DIV", 42, sizeof(arn__broadcast),
                           ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) |
                               ARN_TYPE_BIT(ARN_UINT8) | ARN_TYPE_BIT(ARN_INT32),
                           0, NULL, div_prepare, arn__broadcast_rows, div_eval};
const arn_op arn_op_floor_div = {"FLOOR_DIV", 90, sizeof(arn__broadcast), FLOOR_TYPES, 0, NULL,
                                 floor_prepare, arn__broadcast_rows, floor_div_eval};
const arn_op arn_op_floor_mod = {"FLOOR_MOD", 95, sizeof(arn__broadcast), FLOOR_TYPES, 0, NULL,
                                 floor_prepare, arn__broadcast_rows, floor_mod_eval};
const arn_op arn_op_stablehlo_remainder = {
    .name = "STABLEHLO_REMAINDER",
    .code = 185,
    .state_bytes = sizeof(arn__broadcast),
    .types = FLOOR_TYPES,
    .prepare = floor_prepare,
    .rows = arn__broadcast_rows,
    .eval = remainder_eval,
};
