// What float layers with a memory share: every activation of the schema's enumeration.
#ifndef ARENITE_SRC_OPS_RECURRENT_H
#define ARENITE_SRC_OPS_RECURRENT_H

#include "../kernels/fmath.h"
#include "quantised.h"

static inline bool arn__recurrent_has(int32_t activation) {
  return activation >= ARN__ACTIVATION_NONE && activation <= ARN__ACTIVATION_SIGN_BIT;
}

static inline float arn__recurrent_activate(float x, uint8_t activation) {
  switch (activation) {
    case ARN__ACTIVATION_RELU: return x < 0.0f ? 0.0f : x;
    case ARN__ACTIVATION_RELU_N1_TO_1: return x < -1.0f ? -1.0f : 1.0f < x ? 1.0f : x;
    case ARN__ACTIVATION_RELU6: return x < 0.0f ? 0.0f : 6.0f < x ? 6.0f : x;
    case ARN__ACTIVATION_TANH: return arn__fmath_tanh(x);
    case ARN__ACTIVATION_SIGN_BIT: return (float)(arn__fmath_bits(x) >> 31);
    default: return x;
  }
}

#endif
