// The dot products over time of SVDF: each unit has its own states and weights, both in rows of n.
//   sums[u] += sum over i < n of (states[u][i] - zero) * weights[u][i]
// Integer sums wrap.
#ifndef ARENITE_SRC_KERNELS_SVDF_H
#define ARENITE_SRC_KERNELS_SVDF_H

#include "dsp/dsp.h"
#include "kernel.h"
#include "mve/mve.h"

typedef struct arn__svdf_time {
  uint32_t n, units;
  int32_t zero;  // of int8 states
} arn__svdf_time;

void arn__svdf_time_s8_portable(int32_t *sums,         // [units]
                                const int8_t *states,  // [units][n]
                                const int8_t *weights, // [units][n]
                                const arn__svdf_time *t);
void arn__svdf_time_s16_portable(int32_t *sums, const int16_t *states, const int16_t *weights,
                                 const arn__svdf_time *t);
void arn__svdf_time_f32(float *sums, const float *states, const float *weights,
                        const arn__svdf_time *t);

// Moves `bytes` bytes of states down by `step`; the first ones are lost, the last ones stay.
static inline void arn__svdf_age_portable(uint8_t *states, uint32_t bytes, uint32_t step) {
  memmove(states, states + step, bytes - step);
}

#if defined(ARN__DSP)
void arn__svdf_time_s8_dsp(int32_t *sums, const int8_t *states, const int8_t *weights,
                           const arn__svdf_time *t);
void arn__svdf_age_dsp(uint8_t *states, uint32_t bytes, uint32_t step);
#define arn__svdf_time_s8 arn__svdf_time_s8_dsp
#define arn__svdf_age arn__svdf_age_dsp
#elif defined(ARN__MVE)
void arn__svdf_time_s8_mve(int32_t *sums, const int8_t *states, const int8_t *weights,
                           const arn__svdf_time *t);
void arn__svdf_time_s16_mve(int32_t *sums, const int16_t *states, const int16_t *weights,
                            const arn__svdf_time *t);
void arn__svdf_age_mve(uint8_t *states, uint32_t bytes, uint32_t step);
#define arn__svdf_time_s8 arn__svdf_time_s8_mve
#define arn__svdf_time_s16 arn__svdf_time_s16_mve
#define arn__svdf_age arn__svdf_age_mve
#else
#define arn__svdf_time_s8 arn__svdf_time_s8_portable
#define arn__svdf_age arn__svdf_age_portable
#endif
#if !defined(ARN__MVE)
#define arn__svdf_time_s16 arn__svdf_time_s16_portable
#endif

#endif
