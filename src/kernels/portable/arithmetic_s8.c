// int8 and uint8. Differences of 9 bits are shifted left by 20 (sums) or 7 (squares).
#include "../arithmetic.h"
#include "../fixed.h"
#include "../narrow.h"

enum { SUM_SHIFT = 20, SQUARE_SHIFT = 7 };

// Half of an input: what requantising by one half comes to.
ARN__INLINE int32_t halve(int32_t value, int32_t shift) {
  return (int32_t)((uint32_t)value << (shift - 1));
}

// (value << SUM_SHIFT) times the multiplier, as narrow.h does it for numbers without that shift.
ARN__INLINE int32_t scale_shifted(int32_t value, arn__narrow n) {
  const int32_t high = (int32_t)((uint32_t)(value * n.high) << (SUM_SHIFT - 15));
  const int32_t low = (value * n.low + (1 << (30 - SUM_SHIFT))) >> (31 - SUM_SHIFT);
  return arn__round_away(high + low, n.rounding);
}

ARN__KERNEL bool arn__arithmetic_add_s8_portable(const void *params, void *out,
                                                 const void *const *in, uint32_t count) {
  const arn__rescale_params p = *(const arn__rescale_params *)params;
  const uint8_t *small = in[p.small], *large = in[p.small ^ 1];
  const int32_t zero_small = p.zero[p.small], zero_large = p.zero[p.small ^ 1];
  const int32_t sign_small = p.sign[p.small], sign_large = p.sign[p.small ^ 1];
  const arn__narrow to_common = arn__narrow_of(p.to_common);
  const arn__rounding rounding = arn__rounding_of(-p.to_out.shift);
  uint8_t *to = out;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t a = (small[i] ^ p.flip) - zero_small, b = (large[i] ^ p.flip) - zero_large;
    const int32_t sum =
        scale_shifted(a, to_common) * sign_small + halve(b, SUM_SHIFT) * sign_large;
    const int32_t scaled = arn__round_away(arn__fixed_mul(sum, p.to_out.q), rounding);
    to[i] = (uint8_t)((arn__clamp_s32(scaled, p.clamp) + p.zero_out) ^ p.flip);
  }
  return true;
}

ARN__KERNEL bool arn__arithmetic_squared_difference_s8_portable(const void *params, void *out,
                                                                const void *const *in,
                                                                uint32_t count) {
  const arn__rescale_params p = *(const arn__rescale_params *)params;
  const uint8_t *small = in[p.small], *large = in[p.small ^ 1];
  const int32_t zero_small = p.zero[p.small], zero_large = p.zero[p.small ^ 1];
  const arn__narrow to_common = arn__narrow_of(p.to_common);
  uint8_t *to = out;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t a = (small[i] ^ p.flip) - zero_small, b = (large[i] ^ p.flip) - zero_large;
    const int32_t shifted = (int32_t)((uint32_t)a << SQUARE_SHIFT);
    const int32_t difference = arn__requantise_narrow(shifted, to_common) - halve(b, SQUARE_SHIFT);
    const int32_t scaled = arn__requantise(difference * difference, p.to_out);
    to[i] = (uint8_t)((arn__clamp_s32(scaled, p.clamp) + p.zero_out) ^ p.flip);
  }
  return true;
}

ARN__KERNEL bool arn__arithmetic_mul_s8_portable(const void *params, void *out,
                                                 const void *const *in, uint32_t count) {
  const arn__product_params p = *(const arn__product_params *)params;
  const arn__narrow to_out = arn__narrow_of(p.to_out);
  const uint8_t *a = in[0], *b = in[1];
  uint8_t *to = out;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t product = ((a[i] ^ p.flip) - p.zero[0]) * ((b[i] ^ p.flip) - p.zero[1]);
    const int32_t scaled = arn__requantise_narrow(product, to_out);
    to[i] = (uint8_t)((arn__clamp_s32(scaled, p.clamp) + p.zero_out) ^ p.flip);
  }
  return true;
}
