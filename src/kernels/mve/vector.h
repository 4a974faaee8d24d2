// What the kernels for MVE have in common: requantising four sums at a time.
#ifndef ARENITE_SRC_KERNELS_MVE_VECTOR_H
#define ARENITE_SRC_KERNELS_MVE_VECTOR_H

#include <arm_mve.h>

#include "../kernel.h"

// Put before functions that would suffer from becoming part of their caller.
#define ARN__APART __attribute__((noinline))

// Multipliers of four channels, taken apart: left >= 0 >= right.
typedef struct arn__requant_x4 {
  int32x4_t q, left, right;
} arn__requant_x4;

ARN__INLINE arn__requant_x4 arn__requant_x4_of(int32x4_t q, int32x4_t shift) {
  const int32x4_t zero = vdupq_n_s32(0);
  return (arn__requant_x4){q, vmaxq_s32(shift, zero), vminq_s32(shift, zero)};
}

ARN__INLINE arn__requant_x4 arn__requant_x4_load(const arn__requant *r) {
  const int32x4x2_t both = vld2q_s32((const int32_t *)r);
  return arn__requant_x4_of(both.val[0], both.val[1]);
}

// Says whether one of the multipliers shifts left.
ARN__INLINE bool arn__shifts_left(const arn__requant *r, uint32_t count) {
  int32x4_t most = vdupq_n_s32(0);
  for (uint32_t c = 0; c < count; c += 4) {
    const int32x4x2_t both = vld2q_s32((const int32_t *)(r + c));
    most = vmaxq_m_s32(most, most, both.val[1], vctp32q(count - c));
  }
  return vmaxvq_s32(0, most) > 0;
}

// As arn__requantise(), with a shift to the right or none. VQRDMULH is arn__high_multiply(), and
// saturates only where that would wrap. VRSHL divides with ties up; negative numbers are made one
// less before, unless nothing is divided. At INT32_MIN, where that saturates, nothing is lost: no
// bit is below a tie.
ARN__INLINE int32x4_t arn__requantise_down_x4(int32x4_t sums, int32x4_t q, int32x4_t right) {
  const int32x4_t high = vqrdmulhq_s32(sums, q);
  const int32x4_t less = vshrq_n_s32(vandq_s32(high, right), 31);
  return vrshlq_s32(vqaddq_s32(high, less), right);
}

// As arn__requantise().
ARN__INLINE int32x4_t arn__requant_x4_apply(int32x4_t sums, const arn__requant_x4 *r) {
  return arn__requantise_down_x4(vshlq_s32(sums, r->left), r->q, r->right);
}

// Bounds and zero point of the output.
typedef struct arn__output_x4 {
  int32x4_t low, high, zero;  // the clamp is relative to the zero point
} arn__output_x4;

ARN__INLINE arn__output_x4 arn__output_x4_of(arn__clamp clamp, int32_t zero) {
  return (arn__output_x4){vdupq_n_s32(clamp.low), vdupq_n_s32(clamp.high), vdupq_n_s32(zero)};
}

ARN__INLINE int32x4_t arn__output_x4_apply(int32x4_t y, const arn__output_x4 *o) {
  return vaddq_s32(vminq_s32(vmaxq_s32(y, o->low), o->high), o->zero);
}

#endif
