// int16. Differences of 17 bits are shifted left by 15 for sums, and not at all for squares, whose
// zero points are 0.
#include "../arithmetic.h"
#include "../fixed.h"
#include "../narrow.h"

enum { SUM_SHIFT = 15 };

// The input of the smaller scale, in the common scale: (value << 15) * q, rounded and shifted right
// by 31, is value * high + ((value * low + 2^15) >> 16), the multiplier being split as in narrow.h.
struct small {
  int32_t high, low;
  int32_t less;  // then divide by 2^(less + 1)
};

// A shift of 0 means one half exactly, without a low part: doubled, and halved again by `less`.
static struct small small_of(arn__requant to_common) {
  const arn__narrow n = arn__narrow_of(to_common);
  if (to_common.shift == 0) return (struct small){2 * n.high, 0, 0};
  return (struct small){n.high, n.low, n.rounding.exponent - 1};
}

// Sums, and differences: of these, the larger scale is that of the minuend or the subtrahend.
ARN__INLINE bool sum_s16(const arn__rescale_params *params, int16_t *to, const void *const *in,
                         uint32_t count, bool subtracts) {
  const arn__rescale_params p = *params;
  const struct small s = small_of(p.to_common);
  const int16_t *small = in[p.small], *large = in[p.small ^ 1];
  const int32_t zero_small = p.zero[p.small], zero_large = p.zero[p.small ^ 1];
  const int32_t half = (subtracts ? -1 : 1) * (1 << (SUM_SHIFT - 1));
  const int32_t negate = subtracts && p.small == 1 ? -1 : 0;  // large - small, from small - large
  const int32_t less = -p.to_out.shift - 1;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t a = small[i] - zero_small, b = large[i] - zero_large;
    const int32_t scaled = a * s.high + ((a * s.low + (1 << 15)) >> 16);
    const int32_t sum = arn__round_by(scaled, s.less) + b * half;
    const int32_t total = arn__fixed_mul((sum ^ negate) - negate, p.to_out.q);
    to[i] = (int16_t)(arn__clamp_s32(arn__round_by(total, less), p.clamp) + p.zero_out);
  }
  return true;
}

ARN__KERNEL bool arn__arithmetic_add_s16_portable(const void *params, void *out,
                                                  const void *const *in, uint32_t count) {
  return sum_s16(params, out, in, count, false);
}

ARN__KERNEL bool arn__arithmetic_sub_s16_portable(const void *params, void *out,
                                                  const void *const *in, uint32_t count) {
  return sum_s16(params, out, in, count, true);
}

ARN__KERNEL bool arn__arithmetic_squared_difference_s16_portable(const void *params, void *out,
                                                                 const void *const *in,
                                                                 uint32_t count) {
  const arn__rescale_params p = *(const arn__rescale_params *)params;
  const int16_t *small = in[p.small], *large = in[p.small ^ 1];
  const arn__narrow to_common = arn__narrow_of(p.to_common);
  int16_t *to = out;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t halved = (large[i] + 1) >> 1;
    const int32_t difference = arn__requantise_narrow(small[i], to_common) - halved;
    const int32_t scaled = arn__requantise(difference * difference, p.to_out);
    to[i] = (int16_t)arn__clamp_s32(scaled, p.clamp);
  }
  return true;
}

ARN__KERNEL bool arn__arithmetic_mul_s16_portable(const void *params, void *out,
                                                  const void *const *in, uint32_t count) {
  const arn__product_params p = *(const arn__product_params *)params;
  const int16_t *a = in[0], *b = in[1];
  int16_t *to = out;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    to[i] = (int16_t)arn__clamp_s32(arn__requantise(a[i] * b[i], p.to_out), p.clamp);
  }
  return true;
}
