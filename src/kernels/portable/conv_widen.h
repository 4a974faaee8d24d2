// Filters of other types become float a few weights at a time.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_CONV_WIDEN_H
#define ARENITE_SRC_KERNELS_PORTABLE_CONV_WIDEN_H

#include "../conv.h"
#include "../widen.h"

// Weights that conv_widen_weights() takes at a time, at most.
#define CONV_WIDEN_MAX 32u

// Writes weights [at, at + n) of a filter of type conv->filter_type, relative to their zero point.
static inline void conv_widen_weights(const arn__conv *conv, const void *filter, uint32_t at,
                                      uint32_t n, float *out) {
  const int32_t zero = conv->filter_zero;
  int8_t unpacked[CONV_WIDEN_MAX];
  switch (conv->filter_type) {
    case ARN_FLOAT16: arn__widen_f16_f32(out, (const uint16_t *)filter + at, n); break;
    case ARN_UINT8: arn__widen_u8_f32(out, (const uint8_t *)filter + at, n, zero); break;
    case ARN_INT16: arn__widen_s16_f32(out, (const int16_t *)filter + at, n, zero); break;
    case ARN_INT4:
      arn__widen_s4_s8(unpacked, filter, at, n);
      arn__widen_s8_f32(out, unpacked, n, zero);
      break;
    default: arn__widen_s8_f32(out, (const int8_t *)filter + at, n, zero); break;
  }
}

#endif
