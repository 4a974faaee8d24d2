// Inner loops of ADD_N: sums over many inputs are gathered in a piece of accumulators, one input
// after the other.
#ifndef ARENITE_SRC_KERNELS_ADD_N_H
#define ARENITE_SRC_KERNELS_ADD_N_H

#include "kernel.h"

typedef struct arn__add_n_params {
  int32_t start;        // added to each sum: what the zero points come to
  int32_t shift;        // left shift of a sum before it is requantised
  arn__requant to_out;  // shift <= 0
  arn__clamp clamp;     // bounds before zero_out is added
  int32_t zero_out;
} arn__add_n_params;

// sums[count] += in[count].
void arn__add_n_gather_s8_portable(int32_t *sums, const int8_t *in, uint32_t count);

// out[count] = a[count] + b[count]; int32 wraps. out may be a or b.
void arn__add_n_s32_portable(int32_t *out, const int32_t *a, const int32_t *b, uint32_t count);
void arn__add_n_f32_portable(float *out, const float *a, const float *b, uint32_t count);

// out[count] = sums[count], requantised. Needs: |sum + start| << shift fits 31 bits.
void arn__add_n_write_s8_portable(int8_t *out, const int32_t *sums, uint32_t count,
                                  const arn__add_n_params *params);

#define arn__add_n_gather_s8 arn__add_n_gather_s8_portable
#define arn__add_n_s32 arn__add_n_s32_portable
#define arn__add_n_f32 arn__add_n_f32_portable
#define arn__add_n_write_s8 arn__add_n_write_s8_portable

#endif
