// Kernels that take one array to another of the same length, element by element.
//
// All have one signature, so that operators, tables of 8-bit functions and instruction-set variants
// exchange them freely. in: count elements; out: count elements, the same memory as in (then of the
// same or a smaller char type) or apart. `params` is what the family's header says; NULL where it
// says nothing.
#ifndef ARENITE_SRC_KERNELS_UNARY_H
#define ARENITE_SRC_KERNELS_UNARY_H

#include "elementwise.h"

typedef void (*arn__unary_fn)(const void *in, void *out, uint32_t count, const void *params);

// Fills the table of an int8 kernel's 256 results, by the bits of its input: for int8 (flip 0), or
// for uint8 values whose int8 twins have the highest bit flipped (0x80).
void arn__unary_fill_table(uint8_t *table, arn__unary_fn fn, const void *params, uint8_t flip);

// out[i] = table[in[i]]
void arn__unary_look_up(const uint8_t *table, const uint8_t *in, uint8_t *out, uint32_t count);

#define ARN__UNARY_DECLARE(name) \
  void arn__unary_##name(const void *in, void *out, uint32_t count, const void *params)

// float32
ARN__UNARY_DECLARE(abs_f32);
ARN__UNARY_DECLARE(neg_f32);
ARN__UNARY_DECLARE(sign_f32);
ARN__UNARY_DECLARE(square_f32);
ARN__UNARY_DECLARE(sqrt_f32);
ARN__UNARY_DECLARE(rsqrt_f32);
ARN__UNARY_DECLARE(exp_f32);
ARN__UNARY_DECLARE(log_f32);
ARN__UNARY_DECLARE(sin_f32);
ARN__UNARY_DECLARE(cos_f32);
ARN__UNARY_DECLARE(ceil_f32);
ARN__UNARY_DECLARE(floor_f32);
ARN__UNARY_DECLARE(round_f32);  // ties to even
ARN__UNARY_DECLARE(elu_f32);
ARN__UNARY_DECLARE(logistic_f32);
ARN__UNARY_DECLARE(tanh_f32);
ARN__UNARY_DECLARE(hard_swish_f32);
ARN__UNARY_DECLARE(gelu_f32);
ARN__UNARY_DECLARE(gelu_tanh_f32);
ARN__UNARY_DECLARE(leaky_f32);  // params: float[1], the slope below 0
ARN__UNARY_DECLARE(clamp_f32);  // params: float[2], low and high; NaN stays

// Rounds to the nearest of evenly spaced values, the first of which is `low`; halves upwards.
typedef struct arn__unary_steps {
  float low, high, step;
} arn__unary_steps;

ARN__UNARY_DECLARE(steps_f32);  // params: arn__unary_steps

// Plain integers; overflow wraps.
ARN__UNARY_DECLARE(abs_s16);
ARN__UNARY_DECLARE(abs_s32);
ARN__UNARY_DECLARE(neg_s16);
ARN__UNARY_DECLARE(neg_s32);
ARN__UNARY_DECLARE(neg_s64);
ARN__UNARY_DECLARE(sign_s32);

// rsqrt of quantised values. What lies below the zero point has no root: the caller looks for it
// (the result there, as for zero itself, is the largest value).
typedef struct arn__unary_rsqrt {
  arn__requant requant;  // 1 / (sqrt(in_scale) * out_scale); shift >= -11
  int32_t in_zero, out_zero;
} arn__unary_rsqrt;

ARN__UNARY_DECLARE(rsqrt_s8);   // params: arn__unary_rsqrt
ARN__UNARY_DECLARE(rsqrt_s16);  // params: arn__unary_rsqrt

// Says whether one of count elements is below `low`.
bool arn__unary_any_below_s8(const int8_t *in, uint32_t count, int32_t low);
bool arn__unary_any_below_s16(const int16_t *in, uint32_t count, int32_t low);

#endif
