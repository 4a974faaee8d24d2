// Weights of few bits become the type that a kernel computes with, a piece of a row at a time.
#ifndef ARENITE_SRC_KERNELS_WIDEN_H
#define ARENITE_SRC_KERNELS_WIDEN_H

#include "kernel.h"

// Unpacks int4 elements [first, first + n), two a byte, the even one in the low half.
void arn__widen_s4_s8(int8_t *out, const uint8_t *packed, uint32_t first, uint32_t n);

// out[i] = in[i] - zero, exact (16-bit integers and their differences fit a float).
void arn__widen_s8_f32(float *out, const int8_t *in, uint32_t n, int32_t zero);
void arn__widen_u8_f32(float *out, const uint8_t *in, uint32_t n, int32_t zero);
void arn__widen_s16_f32(float *out, const int16_t *in, uint32_t n, int32_t zero);

// From IEEE binary16, exact; infinities and NaNs stay what they are.
void arn__widen_f16_f32(float *out, const uint16_t *in, uint32_t n);

// x[i] *= scale
void arn__widen_scale_f32(float *x, uint32_t n, float scale);

#endif
