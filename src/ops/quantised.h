// What many quantised operators check and derive while they prepare: per-tensor scales and zero
// points, and the bounds that a fused activation puts on the output.
#ifndef ARENITE_SRC_OPS_QUANTISED_H
#define ARENITE_SRC_OPS_QUANTISED_H

#include "../kernels/requant.h"
#include "arenite/op.h"

// ActivationFunctionType of the schema.
enum {
  ARN__ACTIVATION_NONE = 0,
  ARN__ACTIVATION_RELU = 1,
  ARN__ACTIVATION_RELU_N1_TO_1 = 2,
  ARN__ACTIVATION_RELU6 = 3,
  ARN__ACTIVATION_TANH = 4,
  ARN__ACTIVATION_SIGN_BIT = 5,
};

// Bounds of a float output.
typedef struct arn__clamp_f32 {
  float low, high;
} arn__clamp_f32;

// A NaN passes, as in the reference.
static inline float arn__quantised_clamp_f32(float x, arn__clamp_f32 c) {
  x = x < c.low ? c.low : x;
  return c.high < x ? c.high : x;
}

// Reads the one scale and zero point of a tensor quantised as a whole. Fails: QUANTISATION (none,
// or several scales), SCALE (not positive and finite), ZERO_POINT (outside the tensor's type). An
// absent zero point is 0.
ARN_MUST_CHECK arn_status arn__quantised_read(const arn_prepare *p, const arn_tensor *tensor,
                                              float *scale, int32_t *zero);

// Returns the range of values of a quantised type (int4, int8, uint8, int16; int32 otherwise).
arn__clamp arn__quantised_range(uint32_t type);

// Sets the bounds of a quantised output under a fused activation: zero + round(bound / scale),
// within the type's range. Fails: ACTIVATION for those that are no bounds (TANH, SIGN_BIT).
ARN_MUST_CHECK arn_status arn__quantised_clamp(const arn_prepare *p, int32_t activation,
                                               const arn_tensor *output, float scale, int32_t zero,
                                               arn__clamp *clamp);

// The same for float outputs.
ARN_MUST_CHECK arn_status arn__quantised_clamp_float(const arn_prepare *p, int32_t activation,
                                                     arn__clamp_f32 *clamp);

#endif
