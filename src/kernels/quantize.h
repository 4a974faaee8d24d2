// Between real numbers and quantised ones, and from one quantisation to another. Kernels have the
// signature of unary.h; types are arn_type of the model.
#ifndef ARENITE_SRC_KERNELS_QUANTIZE_H
#define ARENITE_SRC_KERNELS_QUANTIZE_H

#include "arenite/model.h"
#include "lanes.h"
#include "unary.h"

// Integers of any type up to 32 bits pass through blocks of int32 on the stack.
#define ARN__QUANTIZE_BLOCK (ARN__LANES > 1 ? 256u : 32u)  // hosts have the stack for more

// Loads n elements from element `first` on of an array of bool, int8, uint8, int16, uint16, int32
// or uint32; stores the low bits of values to one (bool: whether not 0).
void arn__quantize_load(const void *in, uint32_t first, uint32_t n, arn_type type, int32_t *values);
void arn__quantize_store(const int32_t *values, void *out, uint32_t first, uint32_t n,
                         arn_type type);

// float32 to int8, uint8 or int16: round(x / scale) + zero, saturated; NaN is the least value. And
// back: (x - zero) * scale, also from int32.
typedef struct arn__quantize_real {
  float scale;
  int32_t zero;
  arn__clamp clamp;  // the type's range; not used on the way back
  arn_type type;     // of the integers
} arn__quantize_real;

// One quantisation to another: clamp(out_zero + (in - in_zero) * requant).
typedef struct arn__quantize_change {
  arn__requant requant;
  int32_t in_zero, out_zero;
  arn__clamp clamp;
  arn_type in_type, out_type;
} arn__quantize_change;

// params: arn__quantize_real
void arn__quantize_to(const void *in, void *out, uint32_t count, const void *params);
void arn__quantize_from(const void *in, void *out, uint32_t count, const void *params);

// Flips the highest bit of bytes: int8 to uint8 and back, where zero points move along.
void arn__quantize_flip(const void *in, void *out, uint32_t count, const void *params);

// params: arn__quantize_change
void arn__quantize_again(const void *in, void *out, uint32_t count, const void *params);

#endif
