// Fixed-point functions of the reference kernels, bit for bit (the formulas of gemmlowp's fixedpoint
// header). Qm.n below has m bits before the point, n after it and a sign: Q0.31 holds [-1, 1).
//
// Everything is branch-free arithmetic on int32 so that loops over it vectorise.
#ifndef ARENITE_SRC_KERNELS_FIXED_H
#define ARENITE_SRC_KERNELS_FIXED_H

#include "kernel.h"

#define ARN__FIXED_ONE INT32_MAX  // 1 in Q0.31, as near as it gets

// Returns a * b / 2^31, half up (which is what the reference's sign-dependent rounding comes to).
// Needs: not both INT32_MIN. The logical shift gives the same 32 bits as an arithmetic one, and AVX2
// has it.
ARN__INLINE int32_t arn__fixed_mul(int32_t a, int32_t b) {
  const uint64_t product = (uint64_t)((int64_t)a * b);
  return (int32_t)(uint32_t)((product + (UINT64_C(1) << 30)) >> 31);
}

// Returns x * 2^exponent, saturated. Needs: 0 < exponent < 31.
ARN__INLINE int32_t arn__fixed_shift_left(int32_t x, int32_t exponent) {
  const int32_t most = (1 << (31 - exponent)) - 1;
  const int32_t shifted = (int32_t)((uint32_t)x << exponent);
  return x > most ? INT32_MAX : x < -most ? INT32_MIN : shifted;
}

// exp(a) for a in [-1/4, 0), Q0.31 to Q0.31: a Taylor polynomial about -1/8. The sums that are halved
// are never negative (x^2 outweighs x^3 / 3), so that half up is half away.
ARN__INLINE int32_t arn__fixed_exp_quarter(int32_t a) {
  const int32_t exp_minus_eighth = 1895147668, third = 715827883;
  const int32_t x = a + (1 << 28);
  const int32_t x2 = arn__fixed_mul(x, x);
  const int32_t x3 = arn__fixed_mul(x2, x);
  const int32_t x4 = arn__fixed_mul(x2, x2);
  const int32_t high = arn__fixed_mul(((x4 + 2) >> 2) + x3, third) + x2;
  return exp_minus_eighth + arn__fixed_mul(exp_minus_eighth, x + ((high + 1) >> 1));
}

// exp(a) for a <= 0 in Q[integer_bits].[31 - integer_bits], to Q0.31. integer_bits is 4 or 5 and a
// constant at every call. The part below 1/4 goes through the polynomial, each bit above is a factor.
ARN__INLINE int32_t arn__fixed_exp(int32_t a, int32_t integer_bits) {
  const int32_t quarter_at = 29 - integer_bits;  // bit of 1/4
  const int32_t quarter = 1 << quarter_at;
  const int32_t low = (a & (quarter - 1)) - quarter;
  const uint32_t rest = (uint32_t)low - (uint32_t)a;
  int32_t y = arn__fixed_exp_quarter((int32_t)((uint32_t)low << integer_bits));
  y = rest >> quarter_at & 1 ? arn__fixed_mul(y, 1672461947) : y;
  y = rest >> (quarter_at + 1) & 1 ? arn__fixed_mul(y, 1302514674) : y;
  y = rest >> (quarter_at + 2) & 1 ? arn__fixed_mul(y, 790015084) : y;
  y = rest >> (quarter_at + 3) & 1 ? arn__fixed_mul(y, 290630308) : y;
  y = rest >> (quarter_at + 4) & 1 ? arn__fixed_mul(y, 39332535) : y;
  y = rest >> (quarter_at + 5) & 1 ? arn__fixed_mul(y, 720401) : y;
  if (integer_bits == 5) y = rest >> (quarter_at + 6) & 1 ? arn__fixed_mul(y, 242) : y;
  return a == 0 ? ARN__FIXED_ONE : y;
}

// 2 / (1 + a) for a in [0, 1), Q0.31 to Q2.29: Newton's division, three steps from 48/17 - 32/17 d.
ARN__INLINE int32_t arn__fixed_two_over(int32_t a) {
  const int32_t half_denominator = (a >> 1) + (1 << 30);
  int32_t x = 1515870810 + arn__fixed_mul(half_denominator, -1010580540);
  for (int32_t i = 0; i < 3; i++) {
    const int32_t error = (1 << 29) - arn__fixed_mul(half_denominator, x);
    x += arn__fixed_shift_left(arn__fixed_mul(x, error), 2);
  }
  return x;
}

// 1 / (1 + a) for a in [0, 1), Q0.31.
ARN__INLINE int32_t arn__fixed_one_over(int32_t a) {
  return arn__fixed_shift_left(arn__fixed_two_over(a), 1);
}

// logistic(a), Q4.27 to Q0.31.
ARN__INLINE int32_t arn__fixed_logistic(int32_t a) {
  const int32_t minus = a > 0 ? -a : a;
  const int32_t positive = arn__fixed_one_over(arn__fixed_exp(minus, 4));
  const int32_t y = a > 0 ? positive : ARN__FIXED_ONE - positive;
  return a == 0 ? 1 << 30 : y;
}

// tanh(a), Q4.27 to Q0.31: (1 - e) / (1 + e) with e = exp(-2 |a|), whose argument is a in Q5.26.
ARN__INLINE int32_t arn__fixed_tanh(int32_t a) {
  const int32_t minus = a > 0 ? -a : a;
  const int32_t two_over = arn__fixed_two_over(arn__fixed_exp(minus, 5));
  const int32_t t = arn__fixed_shift_left(two_over - (1 << 29), 2);
  const int32_t y = a > 0 ? t : -t;
  return a == 0 ? 0 : y;
}

// Leading zeros of x; 32 for 0.
#if defined(__GNUC__)
ARN__INLINE int32_t arn__fixed_leading_zeros(uint32_t x) { return x ? __builtin_clz(x) : 32; }
#else
ARN__INLINE int32_t arn__fixed_leading_zeros(uint32_t x) {
  int32_t zeros = 32;
  for (; x > 0; x >>= 1) zeros--;
  return zeros;
}
#endif

#endif
