// Requantisation of numbers of 17 bits, such as products of two bytes: the same results as
// requant.h, from 32-bit multiplications alone. Those are what a Cortex-M0 has, and what vectorises
// best elsewhere.
//
// A multiplier q of 31 bits is split into q = high * 2^16 + low with low in [-2^15, 2^15). Then
// x * q + 2^30, shifted right by 31, is (x * high + (x * low >> 16) + 2^14) >> 15, where no term
// leaves 32 bits while |x| <= 65280 (255 * 256).
#ifndef ARENITE_SRC_KERNELS_NARROW_H
#define ARENITE_SRC_KERNELS_NARROW_H

#include "kernel.h"

// Division by 2^exponent, ties away from zero.
typedef struct arn__rounding {
  int32_t exponent;  // 0 to 31
  int32_t half;      // of 2^exponent
  int32_t negative;  // what negative numbers are given in addition: -1, or 0 for exponent 0
} arn__rounding;

typedef struct arn__narrow {
  int32_t high, low;  // the split multiplier
  int32_t right, nudge;
  arn__rounding rounding;
} arn__narrow;

static inline arn__rounding arn__rounding_of(int32_t exponent) {
  const int32_t half = (int32_t)((UINT32_C(1) << exponent) >> 1);
  return (arn__rounding){exponent, half, exponent > 0 ? -1 : 0};
}

// Needs: |x| <= 2^30.
ARN__INLINE int32_t arn__round_away(int32_t x, arn__rounding r) {
  return (x + r.half + ((x < 0 ? -1 : 0) & r.negative)) >> r.exponent;
}

// Divides by 2^exponent, ties away from zero, without a constant to add and for all but INT32_MIN.
// Needs: exponent = less + 1, so that there is something to divide.
ARN__INLINE int32_t arn__round_by(int32_t x, int32_t less) {
  return (((x + (x < 0 ? -1 : 0)) >> less) + 1) >> 1;
}

// Splits a multiplier. A shift above 14 is taken as 14: results beyond 2^13 for every x but 0,
// which saturates the outputs of 8 bits that this is for.
static inline arn__narrow arn__narrow_of(arn__requant r) {
  const int32_t left = r.shift > 14 ? 14 : r.shift > 0 ? r.shift : 0;
  const int32_t high = (r.q >> 16) + (r.q >> 15 & 1);
  const int32_t low = (int32_t)((uint32_t)r.q - ((uint32_t)high << 16));
  const arn__rounding rounding = arn__rounding_of(r.shift > 0 ? 0 : -r.shift);
  return (arn__narrow){high, low, 15 - left, (1 << 14) >> left, rounding};
}

// Returns what arn__requantise() does. Needs: |x| <= 65280.
ARN__INLINE int32_t arn__requantise_narrow(int32_t x, arn__narrow n) {
  const int32_t scaled = (x * n.high + ((x * n.low) >> 16) + n.nudge) >> n.right;
  return arn__round_away(scaled, n.rounding);
}

#endif
