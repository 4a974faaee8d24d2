// int8 and uint8. Differences of 9 bits are shifted left by 20 (sums) or 7 (squares).
#include "../arithmetic.h"
#include "../fixed.h"
#include "../narrow.h"

enum { SUM_SHIFT = 20, SQUARE_SHIFT = 7 };

// The input of the smaller scale, in the common scale. With u the byte, zero its zero point and the
// multiplier split as in narrow.h, ((u - zero) << 20) * q, rounded and shifted right by 31, is
//   u * high + high_add + ((u * low + low_add) >> 11),
// the zero point being in the constants.
struct small {
  int32_t high, high_add, low, low_add;
  int32_t less;  // then divide by 2^(less + 1)
};

// A shift of 0 means one half exactly, without a low part: doubled, and halved again by `less`.
static struct small small_of(const arn__rescale_params *p) {
  const arn__narrow n = arn__narrow_of(p->to_common);
  const int32_t zero = p->zero[p->small], exponent = n.rounding.exponent;
  const int32_t high = n.high * (1 << (SUM_SHIFT - 15)) * (exponent == 0 ? 2 : 1);
  return (struct small){high, -zero * high, n.low, (1 << (30 - SUM_SHIFT)) - zero * n.low,
                        exponent == 0 ? 0 : exponent - 1};
}

// Sums, and differences: of these, the larger scale is that of the minuend or the subtrahend.
ARN__INLINE bool sum_s8(const arn__rescale_params *params, uint8_t *to, const void *const *in,
                        uint32_t count, bool subtracts) {
  const arn__rescale_params p = *params;
  const struct small s = small_of(params);
  const uint8_t *small = in[p.small], *large = in[p.small ^ 1];
  const int32_t half = (subtracts ? -1 : 1) * (1 << (SUM_SHIFT - 1));
  const int32_t half_add = -p.zero[p.small ^ 1] * half;
  const int32_t negate = subtracts && p.small == 1 ? -1 : 0;  // large - small, from small - large
  const int32_t less = -p.to_out.shift - 1;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t a = small[i] ^ p.flip, b = large[i] ^ p.flip;
    const int32_t scaled = a * s.high + s.high_add + ((a * s.low + s.low_add) >> (31 - SUM_SHIFT));
    const int32_t sum = arn__round_by(scaled, s.less) + b * half + half_add;
    const int32_t total = arn__fixed_mul((sum ^ negate) - negate, p.to_out.q);
    to[i] = (uint8_t)(arn__clamp_s32(arn__round_by(total, less), p.clamp) + p.zero_out);
  }
  return true;
}

ARN__KERNEL bool arn__arithmetic_add_s8_portable(const void *params, void *out,
                                                 const void *const *in, uint32_t count) {
  return sum_s8(params, out, in, count, false);
}

ARN__KERNEL bool arn__arithmetic_sub_s8_portable(const void *params, void *out,
                                                 const void *const *in, uint32_t count) {
  return sum_s8(params, out, in, count, true);
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
    const int32_t scaled = arn__requantise_narrow(a * (1 << SQUARE_SHIFT), to_common);
    const int32_t difference = scaled - b * (1 << (SQUARE_SHIFT - 1));
    const int32_t square = arn__requantise(difference * difference, p.to_out);
    to[i] = (uint8_t)(arn__clamp_s32(square, p.clamp) + p.zero_out);
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
    to[i] = (uint8_t)(arn__clamp_s32(scaled, p.clamp) + p.zero_out);
  }
  return true;
}
