// The dot products over time of SVDF: each unit has its own states and weights, both in rows of n.
//   sums[u] += sum over i < n of (states[u][i] - zero) * weights[u][i]
// Integer sums wrap.
#ifndef ARENITE_SRC_KERNELS_SVDF_H
#define ARENITE_SRC_KERNELS_SVDF_H

#include "kernel.h"

typedef struct arn__svdf_time {
  uint32_t n, units;
  int32_t zero;  // of int8 states
} arn__svdf_time;

void arn__svdf_time_s8(int32_t *sums,         // [units]
                       const int8_t *states,  // [units][n]
                       const int8_t *weights, // [units][n]
                       const arn__svdf_time *t);
void arn__svdf_time_s16(int32_t *sums, const int16_t *states, const int16_t *weights,
                        const arn__svdf_time *t);
void arn__svdf_time_f32(float *sums, const float *states, const float *weights,
                        const arn__svdf_time *t);

#endif
