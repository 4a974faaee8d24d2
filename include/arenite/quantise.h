// Between real numbers and the quantised values that a model's inputs and outputs hold:
//
//   real = scale * (q - zero_point)
//
// For applications, at the two ends of an invocation:
//
//   arn_tensor_view in = arn_input(&nn, 0);
//   arn_put_pixels(&in, camera, 96 * 96);        // or arn_quantise(&in, features, 490)
//   arn_invoke(&nn, NULL);
//   arn_tensor_view out = arn_output(&nn, 0);
//   arn_dequantise(&out, scores, 10);
//
// The engine itself never calls these. Each takes a view by value of arn_input and the like,
// touches only the first `count` elements, keeps nothing, and may run in any thread that owns the
// tensor's memory. A per-channel tensor is not an input or output of any operator here: the view's
// one scale is used.
#ifndef ARENITE_QUANTISE_H
#define ARENITE_QUANTISE_H

#include "arenite/interpreter.h"

#ifdef __cplusplus
extern "C" {
#endif

// Quantises `count` real numbers into `tensor` (INT8, UINT8, INT16; FLOAT32 is copied), rounding
// half away from zero and clamping to the type's range; NaN becomes the zero point.
// Rounding and clamping are those of the operator QUANTIZE, so that it does not matter whether the
// application or the model quantises.
// Borrows `real` for the call. Needs: count <= elements of the tensor; `real` apart from the
// tensor.
// Fails: ERR_ARGUMENT (no memory, another type, count too large, scale 0); the tensor is then
// unchanged. O(count), one float division an element.
ARN_MUST_CHECK arn_status arn_quantise(const arn_tensor_view *tensor, const float *real,
                                       size_t count);

// Dequantises the first `count` elements of `tensor` into `real`: one rounding, that of the
// product. `real` is the caller's, `count` floats, apart from the tensor. Fails: ERR_ARGUMENT (no
// memory, another type, count too large); `real` is then unchanged. O(count).
ARN_MUST_CHECK arn_status arn_dequantise(const arn_tensor_view *tensor, float *real, size_t count);

// Copies 8-bit pixels (0..255) into an int8, uint8 or float tensor the way converters expect raw
// images: uint8 as they are, int8 minus 128, float divided by 255. That is right for models whose
// input has scale 1/255 (zero point 0 or -128); others want arn_quantise.
// `pixels` may be the tensor's own memory for 8-bit types (in place); else apart from it.
// Fails: ERR_ARGUMENT (no memory, another type, count too large); the tensor is then unchanged.
// O(count).
ARN_MUST_CHECK arn_status arn_put_pixels(const arn_tensor_view *tensor, const uint8_t *pixels,
                                         size_t count);

#ifdef __cplusplus
}
#endif
#endif
