// Kernels that scale vectors to unit length.
#ifndef ARENITE_SRC_KERNELS_L2NORM_H
#define ARENITE_SRC_KERNELS_L2NORM_H

#include "kernel.h"

// in, out: [vectors][depth]; they may be the same memory. `zero` is the input's zero point.
// Needs: 255 * 255 * depth < 2^31 for the integer kernels.
typedef struct arn__l2norm_shape {
  uint32_t vectors, depth;
  int32_t zero;
} arn__l2norm_shape;

// Outputs of scale 1/128: about zero point 0 (int8), 128 (uint8).
void arn__l2norm_s8(int8_t *out, const int8_t *in, const arn__l2norm_shape *shape);
void arn__l2norm_u8(uint8_t *out, const uint8_t *in, const arn__l2norm_shape *shape);

// A vector shorter than 1e-6 is divided by 1e-6.
void arn__l2norm_f32(float *out, const float *in, const arn__l2norm_shape *shape);

// The multiplier 1 / sqrt(square), as the reference makes it; {INT32_MAX, 0} for 0 and 1.
arn__requant arn__l2norm_inverse_root(int32_t square);

#endif
