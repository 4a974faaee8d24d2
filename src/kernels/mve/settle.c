#include "../settle.h"

#if defined(ARN__MVE)

#include "vector.h"

// Multipliers of the four channels that `r` points to, or of one channel four times.
ARN__INLINE arn__requant_x4 multipliers(const arn__requant *r, bool per_channel) {
  if (per_channel) return arn__requant_x4_load(r);
  return arn__requant_x4_of(vdupq_n_s32(r->q), vdupq_n_s32(r->shift));
}

ARN__INLINE int32x4_t settle(int32x4_t y, const arn__requant_x4 *r, const arn__output_x4 *output) {
  return arn__output_x4_apply(arn__requant_x4_apply(y, r), output);
}

// The last few: lanes of nothing get the first one's multiplier.
static void settle_rest(int8_t *out, const int32_t *sums, const int32_t *bias,
                        const arn__settle *s) {
  const arn__output_x4 output = arn__output_x4_of(s->clamp, s->zero);
  const mve_pred16_t left = vctp32q(s->n);
  const uint32x4_t at = vmulq_n_u32(vidupq_n_u32(0, 1), s->per_channel ? 2 : 0);
  const int32_t *r = (const int32_t *)s->multipliers;
  const arn__requant_x4 all =
      arn__requant_x4_of(vldrwq_gather_shifted_offset_z_s32(r, at, left),
                         vldrwq_gather_shifted_offset_z_s32(r + 1, at, left));
  int32x4_t y = vldrwq_z_s32(sums, left);
  if (bias) y = vaddq_s32(y, vldrwq_z_s32(bias, left));
  vstrbq_p_s32(out, settle(y, &all, &output), left);
}

ARN__INLINE void settle_fours(int8_t *out, const int32_t *sums, const int32_t *bias,
                              const arn__settle *s, bool per_channel) {
  const arn__output_x4 output = arn__output_x4_of(s->clamp, s->zero);
  const arn__requant *next = s->multipliers;
  arn__requant_x4 r = multipliers(next, false);
  for (uint32_t left = s->n / 4; left > 0; left--, out += 4, sums += 4, next += 4) {
    int32x4_t y = vldrwq_s32(sums);
    if (bias) {
      y = vaddq_s32(y, vldrwq_s32(bias));
      bias += 4;
    }
    if (per_channel) r = multipliers(next, true);
    vstrbq_s32(out, settle(y, &r, &output));
  }
}

void arn__settle_s8_mve(int8_t *out, int32_t *sums, const int32_t *bias, const arn__settle *s) {
  const uint32_t done = s->n & ~3u;
  if (done > 0 && s->per_channel) settle_fours(out, sums, bias, s, true);
  else if (done > 0) settle_fours(out, sums, bias, s, false);
  if (done == s->n) return;
  arn__settle rest = *s;
  rest.n -= done;
  if (s->per_channel) rest.multipliers += done;
  settle_rest(out + done, sums + done, bias ? bias + done : NULL, &rest);
}

#endif
