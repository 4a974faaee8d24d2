// Dot products of one input vector with several rows or columns of a matrix: the inner loops of
// fully connected, batch matmul, transposed convolution, LSTM and SVDF.
//
// All kernels add to the accumulators they are given. Products are exact; 32-bit accumulators wrap.
// The weights' zero point is left to the caller: subtract it times arn__dot_sum_*() once.
// The input and the weights may overlap each other, never the accumulators.
#ifndef ARENITE_SRC_KERNELS_DOT_H
#define ARENITE_SRC_KERNELS_DOT_H

#include "dsp/dsp.h"
#include "kernel.h"
#include "mve/mve.h"
#include "rv32/rv32.h"

// The shape of a call. By rows, the weights are [count][stride] and the first n of each row count:
//   acc[c] += sum over i < n of (x[i * step] - zero) * w[c * stride + i]       (step is 1)
// By columns, they are [n][stride] and the first `count` of each row count:
//   acc[c] += sum over i < n of (x[i * step] - zero) * w[i * stride + c]
typedef struct arn__dot {
  uint32_t n;       // products of a sum
  uint32_t count;   // accumulators
  uint32_t stride;  // of the weights, in elements
  uint32_t step;    // of the input, in elements; by rows it is taken to be 1
  int32_t zero;     // zero point of the input; used by 8-bit inputs only, in [-128, 255]
  uint32_t spare;   // elements behind the last weight that may be read (not counted); 0 is right
} arn__dot;

// By rows.
void arn__dot_rows_s8_portable(int32_t *acc,      // [count]
                               const int8_t *x,   // [n]
                               const int8_t *w,   // [count][stride]
                               const arn__dot *d);
void arn__dot_rows_u8_portable(int32_t *acc, const uint8_t *x, const uint8_t *w,
                               const arn__dot *d);
void arn__dot_rows_s16_s8_portable(int64_t *acc, const int16_t *x, const int8_t *w,
                                   const arn__dot *d);
void arn__dot_rows_s16_portable(int64_t *acc, const int16_t *x, const int16_t *w,
                                const arn__dot *d);
void arn__dot_rows_f32_portable(float *acc, const float *x, const float *w, const arn__dot *d);
// `zero` is that of the weights here.
void arn__dot_rows_f32_s8_portable(float *acc, const float *x, const int8_t *w, const arn__dot *d);

// By columns.
void arn__dot_columns_s8_portable(int32_t *acc,     // [count]
                                  const int8_t *x,  // [n], `step` apart
                                  const int8_t *w,  // [n][stride]
                                  const arn__dot *d);
void arn__dot_columns_s16_s8_portable(int64_t *acc, const int16_t *x, const int8_t *w,
                                      const arn__dot *d);
void arn__dot_columns_s16_portable(int64_t *acc, const int16_t *x, const int16_t *w,
                                   const arn__dot *d);
void arn__dot_columns_f32_portable(float *acc, const float *x, const float *w, const arn__dot *d);

// Return the sum of (x[i * step] - zero) over i < n, wrapping.
int32_t arn__dot_sum_s8_portable(const int8_t *x, const arn__dot *d);
int32_t arn__dot_sum_u8_portable(const uint8_t *x, const arn__dot *d);

#if defined(ARN__DSP)
void arn__dot_rows_s8_dsp(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d);
#define arn__dot_rows_s8 arn__dot_rows_s8_dsp
#elif defined(ARN__MVE)
void arn__dot_rows_s8_mve(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d);
#define arn__dot_rows_s8 arn__dot_rows_s8_mve
#elif defined(ARN__RV32)
void arn__dot_rows_s8_rv32(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d);
#define arn__dot_rows_s8 arn__dot_rows_s8_rv32
#else
#define arn__dot_rows_s8 arn__dot_rows_s8_portable
#endif
#define arn__dot_rows_u8 arn__dot_rows_u8_portable
#define arn__dot_rows_s16_s8 arn__dot_rows_s16_s8_portable
#define arn__dot_rows_s16 arn__dot_rows_s16_portable
#define arn__dot_rows_f32 arn__dot_rows_f32_portable
#define arn__dot_rows_f32_s8 arn__dot_rows_f32_s8_portable
#define arn__dot_sum_s8 arn__dot_sum_s8_portable
#define arn__dot_sum_u8 arn__dot_sum_u8_portable
#define arn__dot_columns_s8 arn__dot_columns_s8_portable
#define arn__dot_columns_s16_s8 arn__dot_columns_s16_s8_portable
#define arn__dot_columns_s16 arn__dot_columns_s16_portable
#define arn__dot_columns_f32 arn__dot_columns_f32_portable

// For kernels: returns how many rows (all, or a multiple of 4) may be read `more` elements further.
static inline uint32_t arn__dot_padded_rows(const arn__dot *d, uint32_t more) {
  if (d->spare >= more) return d->count;
  if (d->count <= 4) return 0;
  const uint32_t last = (more - d->spare + d->stride - 1) / d->stride;
  return d->count > last ? (d->count - last) / 4 * 4 : 0;
}

// For kernels: returns how many rows may be read `lanes` wide from column c on.
static inline uint32_t arn__dot_wide_rows(const arn__dot *d, uint32_t c, uint32_t lanes) {
  const uint32_t end = d->count + d->spare;  // of the last row, as far as it may be read
  if (c + lanes <= end) return d->n;
  const uint32_t last = (c + lanes - end + d->stride - 1) / d->stride;
  return d->n > last ? d->n - last : 0;
}

// Adds with wrapping.
static inline int32_t arn__dot_add(int32_t a, int32_t b) {
  return (int32_t)((uint32_t)a + (uint32_t)b);
}

#endif
