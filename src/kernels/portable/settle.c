#include "../settle.h"

// As arn__requantise(); a logical shift takes the same 32 bits of the product as an arithmetic one,
// and there are vectors of it.
ARN__INLINE int32_t requantise(int32_t sum, int32_t q, int32_t shift) {
  const int32_t left = shift > 0 ? shift : 0;
  const int32_t shifted = (int32_t)((uint32_t)sum << left);
  const int64_t product = (int64_t)shifted * q + (INT64_C(1) << 30);
  return arn__rounding_divide((int32_t)(uint32_t)((uint64_t)product >> 31), left - shift);
}

// Leaves outputs in `sums`.
ARN__INLINE void settle(int32_t *sums, const int32_t *bias, const arn__settle *s) {
  const uint32_t n = s->n;
  const arn__clamp clamp = s->clamp;
  const int32_t zero = s->zero;
  const arn__requant *r = s->multipliers;
  if (bias) {
    for (uint32_t i = 0; i < n; i++) sums[i] = (int32_t)((uint32_t)sums[i] + (uint32_t)bias[i]);
  }
  if (s->per_channel) {
    for (uint32_t i = 0; i < n; i++) {
      sums[i] = arn__clamp_s32(requantise(sums[i], r[i].q, r[i].shift), clamp) + zero;
    }
  } else {
    const arn__requant one = r[0];
    for (uint32_t i = 0; i < n; i++) {
      sums[i] = arn__clamp_s32(requantise(sums[i], one.q, one.shift), clamp) + zero;
    }
  }
}

ARN__KERNEL void arn__settle_s8_portable(int8_t *out, int32_t *sums, const int32_t *bias,
                                         const arn__settle *s) {
  settle(sums, bias, s);
  for (uint32_t i = 0; i < s->n; i++) out[i] = (int8_t)sums[i];
}

ARN__KERNEL void arn__settle_s16(int16_t *out, int32_t *sums, const int32_t *bias,
                                 const arn__settle *s) {
  settle(sums, bias, s);
  for (uint32_t i = 0; i < s->n; i++) out[i] = (int16_t)sums[i];
}

void arn__settle_s16_s64(int16_t *out, const int64_t *sums, const arn__s64 *bias,
                         const arn__settle *s) {
  for (uint32_t i = 0; i < s->n; i++) {
    const int64_t sum = (int64_t)((uint64_t)sums[i] + (bias ? (uint64_t)bias[i] : 0));
    const int32_t value = arn__requantise_s64(sum, s->multipliers[s->per_channel ? i : 0]);
    out[i] = (int16_t)(arn__clamp_s32(value, s->clamp) + s->zero);
  }
}
