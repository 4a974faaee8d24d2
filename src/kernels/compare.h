// Inner loops of comparisons: signature of elementwise.h, two inputs of one type, output bool.
//
// Six operators come from three relations: greater is less with the inputs exchanged, and "not" is
// free (less or equal of integers is not greater; floats have a loop of their own, because of NaN).
#ifndef ARENITE_SRC_KERNELS_COMPARE_H
#define ARENITE_SRC_KERNELS_COMPARE_H

#include "elementwise.h"

// How two quantised inputs come to a common scale. The kernels of int8 take uint8 as well: zero
// points are 128 larger for int8, for which flip is 0x80.
typedef struct arn__compare_scales {
  int32_t zero[2];
  arn__requant to_common[2];  // shift <= 0
  uint8_t flip;
} arn__compare_scales;

typedef struct arn__compare_params {
  uint8_t left;    // the input on the left of the relation: 0 or 1
  uint8_t invert;  // 1: write the opposite
  arn__compare_scales scales;  // int8, uint8, int16
} arn__compare_params;

arn__elementwise_kernel arn__compare_equal_bool_portable;  // any byte but 0 is true
arn__elementwise_kernel arn__compare_equal_s8_portable;
arn__elementwise_kernel arn__compare_equal_s16_portable;
arn__elementwise_kernel arn__compare_equal_s32_portable;
arn__elementwise_kernel arn__compare_equal_s64_portable;
arn__elementwise_kernel arn__compare_equal_f32_portable;
arn__elementwise_kernel arn__compare_less_s8_portable;
arn__elementwise_kernel arn__compare_less_s16_portable;
arn__elementwise_kernel arn__compare_less_s32_portable;
arn__elementwise_kernel arn__compare_less_s64_portable;
arn__elementwise_kernel arn__compare_less_f32_portable;
arn__elementwise_kernel arn__compare_less_equal_f32_portable;

#define arn__compare_equal_bool arn__compare_equal_bool_portable
#define arn__compare_equal_s8 arn__compare_equal_s8_portable
#define arn__compare_equal_s16 arn__compare_equal_s16_portable
#define arn__compare_equal_s32 arn__compare_equal_s32_portable
#define arn__compare_equal_s64 arn__compare_equal_s64_portable
#define arn__compare_equal_f32 arn__compare_equal_f32_portable
#define arn__compare_less_s8 arn__compare_less_s8_portable
#define arn__compare_less_s16 arn__compare_less_s16_portable
#define arn__compare_less_s32 arn__compare_less_s32_portable
#define arn__compare_less_s64 arn__compare_less_s64_portable
#define arn__compare_less_f32 arn__compare_less_f32_portable
#define arn__compare_less_equal_f32 arn__compare_less_equal_f32_portable

#endif
