// Inner loops of DIV, FLOOR_DIV, FLOOR_MOD and STABLEHLO_REMAINDER. All have the signature of
// elementwise.h; all take two inputs of equal type, in[0] divided by in[1], and write that type.
//
// Integers: a divisor of zero makes the kernel return false; the lowest number divided by -1 wraps.
#ifndef ARENITE_SRC_KERNELS_DIVIDE_H
#define ARENITE_SRC_KERNELS_DIVIDE_H

#include "elementwise.h"

// Quotients of int8 or uint8. zero is 128 larger for int8, for which flip is 0x80.
typedef struct arn__quotient_params {
  int32_t zero[2];
  arn__requant to_out;
  arn__clamp clamp;  // bounds before zero_out is added
  int32_t zero_out;
  uint8_t flip;
} arn__quotient_params;

typedef struct arn__quotient_bounds_f32 {
  float low, high;
} arn__quotient_bounds_f32;

arn__elementwise_kernel arn__divide_s8_portable;   // arn__quotient_params
arn__elementwise_kernel arn__divide_s32_portable;  // arn__clamp; rounds towards zero
arn__elementwise_kernel arn__divide_f32_portable;  // arn__quotient_bounds_f32

// No parameters. Integers that are not quantised, rounded down; the remainder has the divisor's
// sign.
arn__elementwise_kernel arn__divide_floor_s8_portable;
arn__elementwise_kernel arn__divide_floor_s16_portable;
arn__elementwise_kernel arn__divide_floor_s32_portable;
arn__elementwise_kernel arn__divide_floor_s64_portable;
arn__elementwise_kernel arn__divide_floor_f32_portable;  // false at a divisor of zero
arn__elementwise_kernel arn__divide_modulo_s8_portable;
arn__elementwise_kernel arn__divide_modulo_s16_portable;
arn__elementwise_kernel arn__divide_modulo_s32_portable;
arn__elementwise_kernel arn__divide_modulo_s64_portable;
arn__elementwise_kernel arn__divide_modulo_f32_portable;  // NaN at a divisor of zero

// The same, rounded towards zero: the remainder has the dividend's sign.
arn__elementwise_kernel arn__divide_remainder_s8_portable;
arn__elementwise_kernel arn__divide_remainder_s16_portable;
arn__elementwise_kernel arn__divide_remainder_s32_portable;
arn__elementwise_kernel arn__divide_remainder_s64_portable;
arn__elementwise_kernel arn__divide_remainder_f32_portable;  // NaN at a divisor of zero

#define arn__divide_s8 arn__divide_s8_portable
#define arn__divide_s32 arn__divide_s32_portable
#define arn__divide_f32 arn__divide_f32_portable
#define arn__divide_floor_s8 arn__divide_floor_s8_portable
#define arn__divide_floor_s16 arn__divide_floor_s16_portable
#define arn__divide_floor_s32 arn__divide_floor_s32_portable
#define arn__divide_floor_s64 arn__divide_floor_s64_portable
#define arn__divide_floor_f32 arn__divide_floor_f32_portable
#define arn__divide_modulo_s8 arn__divide_modulo_s8_portable
#define arn__divide_modulo_s16 arn__divide_modulo_s16_portable
#define arn__divide_modulo_s32 arn__divide_modulo_s32_portable
#define arn__divide_modulo_s64 arn__divide_modulo_s64_portable
#define arn__divide_modulo_f32 arn__divide_modulo_f32_portable
#define arn__divide_remainder_s8 arn__divide_remainder_s8_portable
#define arn__divide_remainder_s16 arn__divide_remainder_s16_portable
#define arn__divide_remainder_s32 arn__divide_remainder_s32_portable
#define arn__divide_remainder_s64 arn__divide_remainder_s64_portable
#define arn__divide_remainder_f32 arn__divide_remainder_f32_portable

#endif
