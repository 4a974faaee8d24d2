// CAST: values stay what they are, types change. Kernels have the signature of unary.h.
#ifndef ARENITE_SRC_KERNELS_CAST_H
#define ARENITE_SRC_KERNELS_CAST_H

#include "quantize.h"

typedef struct arn__cast_types {
  arn_type in, out;
} arn__cast_types;

// Integers to integers of up to 32 bits (the low bits), to bool (not 0), or, where they have at
// most 32 signed bits, to float32. params: arn__cast_types
void arn__cast_small(const void *in, void *out, uint32_t count, const void *params);

// Integers where 64 bits, or 32 unsigned ones as a number, are involved: to any integer type, bool
// or float32. params: arn__cast_types
void arn__cast_wide(const void *in, void *out, uint32_t count, const void *params);

// float32 or float16 to any integer type (towards zero, saturated; NaN is 0), bool (not 0),
// float32. params: arn__cast_types
void arn__cast_from_float(const void *in, void *out, uint32_t count, const void *params);

#endif
