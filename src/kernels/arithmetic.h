// Inner loops of ADD, SUB, MUL and SQUARED_DIFFERENCE. All have the signature of elementwise.h; all
// take two inputs of equal type and write the same type.
//
// Integer overflow wraps, then bounds apply. The kernels of int8 take uint8 as well: they read a
// byte as unsigned after flipping its highest bit for int8, so that zero points are 128 larger
// there.
#ifndef ARENITE_SRC_KERNELS_ARITHMETIC_H
#define ARENITE_SRC_KERNELS_ARITHMETIC_H

#include "elementwise.h"
#include "mve/mve.h"

// Sums, differences and squared differences of two scales. Both inputs, left-shifted for precision,
// are brought to twice the larger scale: the input of the larger scale is halved, the other one is
// requantised.
typedef struct arn__rescale_params {
  uint32_t small;          // which input has the smaller scale: 0 or 1
  int32_t zero[2];         // zero points of the inputs; + 128 for int8
  arn__requant to_common;  // of input `small`: at most one half, so shift <= 0
  arn__requant to_out;     // of sums and differences: shift < 0
  arn__clamp clamp;        // bounds before the output's zero point is added
  int32_t zero_out;
  uint8_t flip;            // 0x80 for int8, 0 for uint8; int16 does not look
} arn__rescale_params;

// Products.
typedef struct arn__product_params {
  int32_t zero[2];
  arn__requant to_out;
  arn__clamp clamp;
  int32_t zero_out;
  uint8_t flip;
} arn__product_params;

typedef struct arn__bounds_f32 {
  float low, high;
} arn__bounds_f32;

typedef struct arn__bounds_s64 {
  int64_t low, high;
} arn__bounds_s64;

// int8 and uint8: arn__rescale_params, arn__product_params.
arn__elementwise_kernel arn__arithmetic_add_s8_portable;
arn__elementwise_kernel arn__arithmetic_sub_s8_portable;
arn__elementwise_kernel arn__arithmetic_mul_s8_portable;
arn__elementwise_kernel arn__arithmetic_squared_difference_s8_portable;

// int16: the same.
arn__elementwise_kernel arn__arithmetic_add_s16_portable;
arn__elementwise_kernel arn__arithmetic_sub_s16_portable;
arn__elementwise_kernel arn__arithmetic_mul_s16_portable;
arn__elementwise_kernel arn__arithmetic_squared_difference_s16_portable;

// int32: arn__clamp. squared_difference has no bounds (NULL).
arn__elementwise_kernel arn__arithmetic_add_s32_portable;
arn__elementwise_kernel arn__arithmetic_sub_s32_portable;
arn__elementwise_kernel arn__arithmetic_mul_s32_portable;
arn__elementwise_kernel arn__arithmetic_squared_difference_s32_portable;

// int64: arn__bounds_s64.
arn__elementwise_kernel arn__arithmetic_add_s64_portable;
arn__elementwise_kernel arn__arithmetic_sub_s64_portable;
arn__elementwise_kernel arn__arithmetic_mul_s64_portable;

// float32: arn__bounds_f32; a NaN passes. squared_difference has no bounds (NULL).
arn__elementwise_kernel arn__arithmetic_add_f32_portable;
arn__elementwise_kernel arn__arithmetic_sub_f32_portable;
arn__elementwise_kernel arn__arithmetic_mul_f32_portable;
arn__elementwise_kernel arn__arithmetic_squared_difference_f32_portable;

#if defined(ARN__MVE)
arn__elementwise_kernel arn__arithmetic_add_s8_mve;
arn__elementwise_kernel arn__arithmetic_sub_s8_mve;
arn__elementwise_kernel arn__arithmetic_mul_s8_mve;
#define arn__arithmetic_add_s8 arn__arithmetic_add_s8_mve
#define arn__arithmetic_sub_s8 arn__arithmetic_sub_s8_mve
#define arn__arithmetic_mul_s8 arn__arithmetic_mul_s8_mve
#else
#define arn__arithmetic_add_s8 arn__arithmetic_add_s8_portable
#define arn__arithmetic_sub_s8 arn__arithmetic_sub_s8_portable
#define arn__arithmetic_mul_s8 arn__arithmetic_mul_s8_portable
#endif
#define arn__arithmetic_squared_difference_s8 arn__arithmetic_squared_difference_s8_portable
#define arn__arithmetic_add_s16 arn__arithmetic_add_s16_portable
#define arn__arithmetic_sub_s16 arn__arithmetic_sub_s16_portable
#define arn__arithmetic_mul_s16 arn__arithmetic_mul_s16_portable
#define arn__arithmetic_squared_difference_s16 arn__arithmetic_squared_difference_s16_portable
#define arn__arithmetic_add_s32 arn__arithmetic_add_s32_portable
#define arn__arithmetic_sub_s32 arn__arithmetic_sub_s32_portable
#define arn__arithmetic_mul_s32 arn__arithmetic_mul_s32_portable
#define arn__arithmetic_squared_difference_s32 arn__arithmetic_squared_difference_s32_portable
#define arn__arithmetic_add_s64 arn__arithmetic_add_s64_portable
#define arn__arithmetic_sub_s64 arn__arithmetic_sub_s64_portable
#define arn__arithmetic_mul_s64 arn__arithmetic_mul_s64_portable
#define arn__arithmetic_add_f32 arn__arithmetic_add_f32_portable
#define arn__arithmetic_sub_f32 arn__arithmetic_sub_f32_portable
#define arn__arithmetic_mul_f32 arn__arithmetic_mul_f32_portable
#define arn__arithmetic_squared_difference_f32 arn__arithmetic_squared_difference_f32_portable

#endif
