#include "../settle.h"

#if defined(ARN__MVE)

#include "vector.h"

void arn__settle_s8_mve(int8_t *out, int32_t *sums, const int32_t *bias, const arn__settle *s) {
  const arn__output_x4 output = arn__output_x4_of(s->clamp, s->zero);
  const uint32x4_t evens = vmulq_n_u32(vidupq_n_u32(0, 1), 2 * s->per_channel);
  const int32_t *multipliers = (const int32_t *)s->multipliers;
  for (uint32_t i = 0; i < s->n; i += 4) {
    const mve_pred16_t left = vctp32q(s->n - i);
    int32x4_t y = vldrwq_z_s32(sums + i, left);
    if (bias) y = vaddq_s32(y, vldrwq_z_s32(bias + i, left));
    const arn__requant_x4 r =
        arn__requant_x4_of(vldrwq_gather_shifted_offset_z_s32(multipliers, evens, left),
                           vldrwq_gather_shifted_offset_z_s32(multipliers + 1, evens, left));
    y = arn__output_x4_apply(arn__requant_x4_apply(y, &r), &output);
    vstrbq_p_s32(out + i, y, left);
    if (s->per_channel) multipliers += 8;
  }
}

#endif
