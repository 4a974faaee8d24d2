// Kernels over complex numbers, real part first.
#ifndef ARENITE_SRC_KERNELS_COMPLEX_H
#define ARENITE_SRC_KERNELS_COMPLEX_H

#include "kernel.h"

// Takes every other part of `part_bytes` (4 or 8), from `in` on. out may be where the numbers are.
typedef void arn__complex_part_kernel(void *out, const void *in, uint32_t count,
                                      uint32_t part_bytes);

// out[i] = |x[i]|, within 2 ulp, whatever the magnitudes. x: [count] complex. out may be x.
typedef void arn__complex_abs_f32_kernel(float *out, const float *x, uint32_t count);

arn__complex_part_kernel arn__complex_part_portable;
arn__complex_abs_f32_kernel arn__complex_abs_f32_portable;

#define arn__complex_part arn__complex_part_portable
#define arn__complex_abs_f32 arn__complex_abs_f32_portable

#endif
