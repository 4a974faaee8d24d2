// Requantising on RV32.
#ifndef ARENITE_SRC_KERNELS_RV32_OUTPUT_H
#define ARENITE_SRC_KERNELS_RV32_OUTPUT_H

#include "../conv.h"

// As arn__requantise(), clamped and with the zero point. Dividing by 2^right, ties away from zero:
// the last bit that is lost is half. It rounds up, except where a negative number lost just half.
ARN__INLINE int8_t arn__rv32_output(int32_t sum, arn__requant r, const arn__conv *s) {
  int32_t y;
  if (r.shift < 0) {
    const int32_t high = arn__high_multiply(sum, r.q), right = -r.shift;
    y = high >> (right - 1);
    const int32_t lost = high & (int32_t)((UINT32_C(1) << (right - 1)) - 1u);
    y = (y >> 1) + ((y & 1) & ((high >= 0) | (lost != 0)));
  } else {
    y = arn__requantise(sum, r);
  }
  return (int8_t)(arn__clamp_s32(y, s->clamp) + s->out_zero);
}

#endif
