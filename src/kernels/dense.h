// A dense layer of int8 from input to output in one go, where the machine has a kernel for that:
//
//   out[c] = clamp(multiplier * (sum over i < n of (x[i] - in_zero) * w[c][i] + bias[c])) + zero
#ifndef ARENITE_SRC_KERNELS_DENSE_H
#define ARENITE_SRC_KERNELS_DENSE_H

#include "dsp/dsp.h"
#include "kernel.h"

typedef struct arn__dense_layer {
  uint32_t n, count;         // inputs, outputs; not 0
  int32_t in_zero, zero;
  const int32_t *bias;       // [count]; NULL: none
  arn__requant multiplier;   // of all outputs
  arn__clamp clamp;          // relative to the zero point
} arn__dense_layer;

// Returns false where there is no kernel.
#if defined(ARN__DSP)
#define arn__dense_s8 arn__dense_s8_dsp
bool arn__dense_s8(int8_t *out,      // [count]
                   const int8_t *x,  // [n]
                   const int8_t *w,  // [count][n]
                   const arn__dense_layer *layer);
#else
static inline bool arn__dense_s8(int8_t *out, const int8_t *x, const int8_t *w,
                                 const arn__dense_layer *layer) {
  (void)out, (void)x, (void)w, (void)layer;
  return false;
}
#endif

#endif
