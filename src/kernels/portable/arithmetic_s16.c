// int16. Differences of 17 bits are shifted left by 15 for sums, and not at all for squares, whose
// zero points are 0.
#include "../arithmetic.h"
#include "../fixed.h"
#include "../narrow.h"

enum { SUM_SHIFT = 15 };

// (value << SUM_SHIFT) times the multiplier; see narrow.h for the split. |value| <= 65535.
ARN__INLINE int32_t scale_shifted(int32_t value, arn__narrow n) {
  const int32_t scaled = value * n.high + ((value * n.low + (1 << 15)) >> 16);
  return arn__rounding_divide(scaled, n.rounding.exponent);
}

ARN__KERNEL bool arn__arithmetic_add_s16_portable(const void *params, void *out,
                                                  const void *const *in, uint32_t count) {
  const arn__rescale_params p = *(const arn__rescale_params *)params;
  const int16_t *small = in[p.small], *large = in[p.small ^ 1];
  const int32_t zero_small = p.zero[p.small], zero_large = p.zero[p.small ^ 1];
  const int32_t sign_small = p.sign[p.small], sign_large = p.sign[p.small ^ 1];
  const arn__narrow to_common = arn__narrow_of(p.to_common);
  int16_t *to = out;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t a = small[i] - zero_small, b = large[i] - zero_large;
    const int32_t halved = b * (1 << (SUM_SHIFT - 1));
    const int32_t sum = scale_shifted(a, to_common) * sign_small + halved * sign_large;
    const int32_t scaled =
        arn__rounding_divide(arn__fixed_mul(sum, p.to_out.q), -p.to_out.shift);
    to[i] = (int16_t)(arn__clamp_s32(scaled, p.clamp) + p.zero_out);
  }
  return true;
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
