// Quotients of int8 and uint8, as the reference makes them: the divisor's reciprocal by Newton's
// method in fixed point, times the dividend, requantised. Branch-free, so that it vectorises:
// divisor and dividend have 8 bits and a sign, and are normalised by comparisons.
#include "../divide.h"
#include "../fixed.h"

// x = mantissa * 2^-shift, 128 <= mantissa <= 255, 0 <= shift <= 7 where 0 < x <= 255. 0 stays 0.
ARN__INLINE int32_t normalise(int32_t x, int32_t *shift) {
  int32_t by = x < 16 ? 4 : 0;
  x <<= by;
  const int32_t two = x < 64 ? 2 : 0;
  x <<= two;
  const int32_t one = x < 128 ? 1 : 0;
  *shift = by + two + one;
  return x << one;
}

// Returns the quotient as a mantissa of 31 bits: dividend / divisor is it * 2^exponent.
ARN__INLINE int32_t divide(int32_t dividend, int32_t divisor, int32_t *exponent) {
  int32_t divisor_shift, unused;
  const int32_t mantissa = normalise(divisor, &divisor_shift);
  const int32_t inverse = arn__fixed_one_over((int32_t)((uint32_t)(mantissa - 128) << 24));
  // Bits that the dividend may be shifted left by without losing its sign.
  const int32_t magnitude = dividend < 0 ? -dividend - 1 : dividend;
  (void)normalise(magnitude, &unused);
  const int32_t headroom = magnitude == 0 ? 31 : 23 + unused;
  *exponent = divisor_shift - 7 - headroom;
  return arn__fixed_mul((int32_t)((uint32_t)dividend << headroom), inverse);
}

ARN__KERNEL bool arn__divide_s8_portable(const void *params, void *out, const void *const *in,
                                         uint32_t count) {
  const arn__quotient_params p = *(const arn__quotient_params *)params;
  const uint8_t *dividends = in[0], *divisors = in[1];
  uint8_t *to = out;
  uint32_t zeros = 0;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    int32_t a = (dividends[i] ^ p.flip) - p.zero[0], b = (divisors[i] ^ p.flip) - p.zero[1];
    zeros |= b == 0;
    a = b < 0 ? -a : a;
    b = b < 0 ? -b : b == 0 ? 1 : b;
    int32_t exponent;
    const int32_t scaled = arn__fixed_mul(divide(a, b, &exponent), p.to_out.q);
    // Outside 0 to 31, where the reference asserts: so large that it saturates, or nothing.
    const int32_t right = -(p.to_out.shift + exponent);
    const int32_t shift = right < 0 ? 0 : right > 31 ? 31 : right;
    const int32_t quotient = right > 31 ? 0 : arn__rounding_divide(scaled, shift);
    to[i] = (uint8_t)(arn__clamp_s32(quotient, p.clamp) + p.zero_out);
  }
  return zeros == 0;
}
