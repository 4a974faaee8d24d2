#include "quantised.h"

#include <float.h>
#include <math.h>

arn__clamp arn__quantised_range(uint32_t type) {
  switch (type) {
    case ARN_INT4: return (arn__clamp){-8, 7};
    case ARN_INT8: return (arn__clamp){INT8_MIN, INT8_MAX};
    case ARN_UINT8: return (arn__clamp){0, UINT8_MAX};
    case ARN_INT16: return (arn__clamp){INT16_MIN, INT16_MAX};
    default: return (arn__clamp){INT32_MIN, INT32_MAX};
  }
}

arn_status arn__quantised_read(const arn_prepare *p, const arn_tensor *t, float *scale,
                               int32_t *zero) {
  if (t->scale_count != 1) return arn_refuse(p, ARN_WHAT_QUANTISATION, t);
  *scale = arn_tensor_scale(p->model, t, 0);
  if (!(*scale > 0.0f) || *scale > FLT_MAX) return arn_refuse_model(p, ARN_WHAT_SCALE, t);
  const int64_t wide = arn_tensor_zero(p->model, t, 0);
  const arn__clamp range = arn__quantised_range(t->type);
  if (wide < range.low || wide > range.high) return arn_refuse_model(p, ARN_WHAT_ZERO_POINT, t);
  *zero = (int32_t)wide;
  return ARN_OK;
}

// The reference rounds half away from zero; a quotient beyond the types' range saturates.
static int32_t quantise_bound(float bound, float scale, int32_t zero, arn__clamp range) {
  const float rounded = roundf(bound / scale);
  if (rounded > 131072.0f) return range.high;
  if (rounded < -131072.0f) return range.low;
  return arn__clamp_s32(zero + (int32_t)rounded, range);
}

arn_status arn__quantised_clamp(const arn_prepare *p, int32_t activation, const arn_tensor *output,
                                float scale, int32_t zero, arn__clamp *clamp) {
  arn__clamp_f32 bounds;
  const arn_status status = arn__quantised_clamp_float(p, activation, &bounds);
  if (status != ARN_OK) return status;
  const arn__clamp range = arn__quantised_range(output->type);
  *clamp = range;
  if (bounds.low > -FLT_MAX) clamp->low = quantise_bound(bounds.low, scale, zero, range);
  if (bounds.high < FLT_MAX) clamp->high = quantise_bound(bounds.high, scale, zero, range);
  return ARN_OK;
}

arn_status arn__quantised_clamp_float(const arn_prepare *p, int32_t activation,
                                      arn__clamp_f32 *clamp) {
  *clamp = (arn__clamp_f32){-FLT_MAX, FLT_MAX};
  switch (activation) {
    case ARN__ACTIVATION_NONE: return ARN_OK;
    case ARN__ACTIVATION_RELU: clamp->low = 0.0f; return ARN_OK;
    case ARN__ACTIVATION_RELU_N1_TO_1: *clamp = (arn__clamp_f32){-1.0f, 1.0f}; return ARN_OK;
    case ARN__ACTIVATION_RELU6: *clamp = (arn__clamp_f32){0.0f, 6.0f}; return ARN_OK;
    default: return arn_refuse(p, ARN_WHAT_ACTIVATION, NULL);
  }
}
