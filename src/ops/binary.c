#include "binary.h"

#include <float.h>

arn_status arn__binary_open(arn_prepare *p, arn__broadcast *b, arn__binary *t, int32_t out_type) {
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn_prepare_input(p, 0, &t->in[0]));
  ARN__TRY(arn_prepare_input(p, 1, &t->in[1]));
  ARN__TRY(arn_prepare_output(p, 0, &t->out));
  const uint32_t type = t->in[0].type;
  if (type >= 32 || !(p->op->types >> type & 1)) return arn_refuse(p, ARN_WHAT_TYPE, &t->in[0]);
  if (t->in[1].type != type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &t->in[1]);
  if (t->out.type != (out_type < 0 ? type : (uint32_t)out_type)) {
    return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &t->out);
  }
  ARN__TRY(arn__broadcast_check(p, t->in, 2, &t->out));
  arn__broadcast_prepare(p, b, t->in, 2, &t->out);
  b->type = (uint8_t)type;
  return ARN_OK;
}

arn_status arn__binary_unquantised(const arn_prepare *p, const arn__binary *t) {
  if (t->in[0].scale_count > 0) return arn_refuse(p, ARN_WHAT_QUANTISATION, &t->in[0]);
  if (t->in[1].scale_count > 0) return arn_refuse(p, ARN_WHAT_QUANTISATION, &t->in[1]);
  if (t->out.scale_count > 0) return arn_refuse(p, ARN_WHAT_QUANTISATION, &t->out);
  return ARN_OK;
}

arn_status arn__binary_scales(const arn_prepare *p, const arn__binary *t, float *scales,
                              int32_t *zeros) {
  ARN__TRY(arn__quantised_read(p, &t->in[0], &scales[0], &zeros[0]));
  ARN__TRY(arn__quantised_read(p, &t->in[1], &scales[1], &zeros[1]));
  return arn__quantised_read(p, &t->out, &scales[2], &zeros[2]);
}

static arn_status read_factor(const arn_prepare *p, const arn_tensor *t, float *scale,
                              int32_t *zero) {
  *scale = arn_tensor_scale(p->model, t, 0);
  if (t->scale_count != 1 || *scale != 0.0f) return arn__quantised_read(p, t, scale, zero);
  const int64_t wide = arn_tensor_zero(p->model, t, 0);
  const arn__clamp range = arn__quantised_range(t->type);
  if (wide < range.low || wide > range.high) return arn_refuse_model(p, ARN_WHAT_ZERO_POINT, t);
  *zero = (int32_t)wide;
  return ARN_OK;
}

arn_status arn__binary_factors(const arn_prepare *p, const arn__binary *t, float *scales,
                               int32_t *zeros) {
  ARN__TRY(read_factor(p, &t->in[0], &scales[0], &zeros[0]));
  ARN__TRY(read_factor(p, &t->in[1], &scales[1], &zeros[1]));
  return arn__quantised_read(p, &t->out, &scales[2], &zeros[2]);
}

arn_status arn__binary_activation(const arn_prepare *p, uint8_t *activation) {
  const int32_t value = arn_option_u8(p, 0, ARN__ACTIVATION_NONE);
  if (value > ARN__ACTIVATION_RELU6) return arn_refuse(p, ARN_WHAT_ACTIVATION, NULL);
  *activation = (uint8_t)value;
  return ARN_OK;
}

arn__clamp arn__binary_bounds(uint32_t activation) {
  switch (activation) {
    case ARN__ACTIVATION_RELU: return (arn__clamp){0, INT32_MAX};
    case ARN__ACTIVATION_RELU_N1_TO_1: return (arn__clamp){-1, 1};
    case ARN__ACTIVATION_RELU6: return (arn__clamp){0, 6};
    default: return (arn__clamp){INT32_MIN, INT32_MAX};
  }
}

arn__clamp_f32 arn__binary_bounds_f32(uint32_t activation) {
  const arn__clamp c = arn__binary_bounds(activation);
  return (arn__clamp_f32){c.low == INT32_MIN ? -FLT_MAX : (float)c.low,
                          c.high == INT32_MAX ? FLT_MAX : (float)c.high};
}
