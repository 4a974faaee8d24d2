// Local response normalisation.
#ifndef ARENITE_SRC_KERNELS_LRN_H
#define ARENITE_SRC_KERNELS_LRN_H

#include "kernel.h"

typedef struct arn__lrn_shape {
  uint32_t vectors, depth;
  uint32_t radius;
  float bias, alpha, beta;
} arn__lrn_shape;

// in, out: [vectors][depth], apart from each other.
// out[c] = in[c] * (bias + alpha * (sum of in[k]^2, |k - c| <= radius)) ^ -beta.
void arn__lrn_f32(float *out, const float *in, const arn__lrn_shape *shape);

#endif
