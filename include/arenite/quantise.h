// Between real numbers and the quantised values that a model's inputs and outputs hold:
// real = scale * (q - zero_point).
#ifndef ARENITE_QUANTISE_H
#define ARENITE_QUANTISE_H

#include "arenite/interpreter.h"

#ifdef __cplusplus
extern "C" {
#endif

// Quantises `count` real numbers into `tensor` (INT8, UINT8, INT16; FLOAT32 is copied), rounding half
// away from zero and clamping to the type's range; NaN becomes the zero point.
// Needs: count <= elements of the tensor. Fails: ERR_ARGUMENT (type, count, scale 0). No aliasing.
ARN_MUST_CHECK arn_status arn_quantise(const arn_tensor_view *tensor, const float *real,
                                       size_t count);

// Dequantises the first `count` elements of `tensor` into `real`. Fails as arn_quantise.
ARN_MUST_CHECK arn_status arn_dequantise(const arn_tensor_view *tensor, float *real, size_t count);

// Copies 8-bit pixels (0..255) into an int8, uint8 or float tensor the way converters expect raw images:
// uint8 as they are, int8 minus 128, float divided by 255. Fails: ERR_ARGUMENT (type, count).
ARN_MUST_CHECK arn_status arn_put_pixels(const arn_tensor_view *tensor, const uint8_t *pixels,
                                         size_t count);

#ifdef __cplusplus
}
#endif
#endif
