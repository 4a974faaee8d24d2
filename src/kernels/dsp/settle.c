#include "../settle.h"

#if defined(ARN__DSP)

// As arn__requantise(); quickly where dsp/output.h says that it can be done.
ARN__INLINE int32_t requantise(int32_t sum, arn__requant r) {
  const bool small = (uint32_t)sum + (UINT32_C(1) << 30) < UINT32_C(1) << 31;
  if (!small || r.shift > 0) return arn__requantise(sum, r);
  int32_t high;
  __asm__("smmulr %0, %1, %2" : "=r"(high) : "r"(sum * 2), "r"(r.q));
  return (((high + (high + (high >> 31))) >> -r.shift) + 1) >> 1;
}

void arn__settle_s8_dsp(int8_t *out, int32_t *sums, const int32_t *bias, const arn__settle *s) {
  const arn__requant *r = s->multipliers;
  const uint32_t step = s->per_channel ? 1 : 0;
  const arn__clamp clamp = s->clamp;
  const int32_t zero = s->zero;
  for (uint32_t i = 0; i < s->n; i++, r += step) {
    const int32_t sum = bias ? (int32_t)((uint32_t)sums[i] + (uint32_t)bias[i]) : sums[i];
    out[i] = (int8_t)(arn__clamp_s32(requantise(sum, *r), clamp) + zero);
  }
}

#endif
