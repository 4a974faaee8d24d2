// Kernels that fold many values into few: sums, extremes, products. MEAN, SUM, REDUCE_x and the
// pools differ only in which values they walk over and in how a folded value becomes an output.
//
// A fold kernel takes a strided box of inputs into a dense block of accumulators:
//
//   acc[o * inner + i] = fold(acc[...], in[o * outer_stride + r * row_stride + i * run + j])
//
// for all r < rows and j < run, in ascending order of r, then j: float results do not depend on how
// the box was cut. Strides and counts are in elements.
#ifndef ARENITE_SRC_KERNELS_REDUCE_H
#define ARENITE_SRC_KERNELS_REDUCE_H

#include "kernel.h"

typedef struct arn__reduce_box {
  uint32_t outer, outer_stride;
  uint32_t rows, row_stride;
  uint32_t inner, run;
} arn__reduce_box;

// acc: [outer][inner] accumulators. They must not overlap the input.
typedef void arn__reduce_fold(void *acc, const void *in, const arn__reduce_box *box);

// How accumulators become outputs. Which fields are read is said at each kernel.
typedef struct arn__reduce_finish {
  int32_t count;              // values folded into each output; at least 1
  int32_t bias;               // added to the accumulator
  arn__requant scale;
  int32_t zero;               // added after scaling
  arn__clamp clamp;
  float low, high;
} arn__reduce_finish;

// Writes `count` outputs from as many accumulators; `out` may be the accumulators' own memory where
// an output is no wider than an accumulator.
typedef void arn__reduce_store(void *out, const void *acc, uint32_t count,
                               const arn__reduce_finish *finish);

// Sums. 32-bit accumulators must not overflow (|x| * count < 2^31); 64-bit ones wrap.
arn__reduce_fold arn__reduce_add_s8;    // int8 -> int32
arn__reduce_fold arn__reduce_add_u8;    // uint8 -> int32
arn__reduce_fold arn__reduce_add_s16;   // int16 -> int32
arn__reduce_fold arn__reduce_add_s32;   // int32 -> int64
arn__reduce_fold arn__reduce_add_s64;   // int64 -> int64
arn__reduce_fold arn__reduce_add_f32;   // float -> float
arn__reduce_fold arn__reduce_square_f32;  // float -> float: sum of squares

// Products. Integers wrap.
arn__reduce_fold arn__reduce_multiply_s32;  // int32 -> int32
arn__reduce_fold arn__reduce_multiply_s64;  // int64 -> int64
arn__reduce_fold arn__reduce_multiply_f32;  // float -> float

// Sums and products of any integers of so many bits, into accumulators as wide: they wrap. Truth
// values, of accumulators that are 0 or 1.
arn__reduce_fold arn__reduce_add_8, arn__reduce_add_16, arn__reduce_add_32;
arn__reduce_fold arn__reduce_multiply_8, arn__reduce_multiply_16;
arn__reduce_fold arn__reduce_all_8, arn__reduce_any_8;

// Extremes. A NaN is passed over.
arn__reduce_fold arn__reduce_max_s8, arn__reduce_min_s8;
arn__reduce_fold arn__reduce_max_u8, arn__reduce_min_u8;
arn__reduce_fold arn__reduce_max_s16, arn__reduce_min_s16;
arn__reduce_fold arn__reduce_max_s32, arn__reduce_min_s32;
arn__reduce_fold arn__reduce_max_s64, arn__reduce_min_s64;
arn__reduce_fold arn__reduce_max_f32, arn__reduce_min_f32;

// out = clamp(requantise(acc + bias, scale) + zero), from int32.
arn__reduce_store arn__reduce_requantise_8, arn__reduce_requantise_16;

// out = clamp(acc / count), rounded to nearest, halves away from zero; from int32. |acc| < 2^30.
arn__reduce_store arn__reduce_average_8, arn__reduce_average_16;

// out = clamp(acc / count), clamp(sqrt(acc / count)), clamp(acc), within [low, high].
arn__reduce_store arn__reduce_average_f32, arn__reduce_root_f32, arn__reduce_clamp_f32;

// out = clamp(acc), for extremes.
arn__reduce_store arn__reduce_clamp_s8, arn__reduce_clamp_u8, arn__reduce_clamp_s16;

// out = acc / count, towards zero; from int64.
arn__reduce_store arn__reduce_average_s32, arn__reduce_average_s64;

// out = acc, as it is, of 1, 2, 4 or 8 bytes; out = acc != 0; the low half of an int64.
arn__reduce_store arn__reduce_copy_8, arn__reduce_copy_16, arn__reduce_copy_32, arn__reduce_copy_64;
arn__reduce_store arn__reduce_truth_8;
arn__reduce_store arn__reduce_low_32;

#endif
