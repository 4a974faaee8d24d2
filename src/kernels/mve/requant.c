#include "../kernel.h"
#include "mve.h"

#if defined(ARN__MVE)

#include <arm_mve.h>

// As multiply() of requant.c has it for regular multipliers, which says what is what.
uint32_t arn__requant_regular_mve(const arn__requant_source *s, const uint8_t *scales,
                                  uint32_t count, arn__requant *out) {
  const int32_t base = s->ratio_exponent - 126;
  const uint32x4_t ratio_high = vdupq_n_u32(s->ratio_high), ratio_low = vdupq_n_u32(s->ratio_low);
  const int32x4_t zero = vdupq_n_s32(0);
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const uint32x4_t bits = vreinterpretq_u32_u8(vldrbq_u8(scales + 4 * (size_t)i));
    const uint32x4_t m = vorrq_u32(vshlq_n_u32(bits, 8), vdupq_n_u32(UINT32_C(1) << 31));
    const uint32x4_t more = vmulhq_u32(m, ratio_low);
    const uint32x4_t low = vaddq_u32(vmulq_u32(m, ratio_high), more);
    uint32x4_t high = vmulhq_u32(m, ratio_high);
    high = vaddq_m_n_u32(high, high, 1, vcmphiq_u32(more, low));  // the carry
    const uint32x4_t top = vshrq_n_u32(high, 31);
    const uint32x4_t twice = vorrq_u32(vshlq_n_u32(high, 1), vshrq_n_u32(low, 31));
    const uint32x4_t keep = vreinterpretq_u32_s32(vnegq_s32(vreinterpretq_s32_u32(top)));
    high = vorrq_u32(vandq_u32(high, keep), vbicq_u32(twice, keep));
    const uint32x4_t q = vaddq_u32(vshrq_n_u32(high, 1), vandq_u32(high, vdupq_n_u32(1)));
    const uint32x4_t exponent = vaddq_u32(vshrq_n_u32(bits, 23), top);
    const int32x4_t shift = vaddq_n_s32(vreinterpretq_s32_u32(exponent), base);
    const mve_pred16_t tiny = vcmpltq_n_s32(shift, -31);
    int32x4x2_t both;
    both.val[0] = vpselq_s32(zero, vreinterpretq_s32_u32(q), tiny);
    both.val[1] = vpselq_s32(zero, shift, tiny);
    vst2q_s32((int32_t *)(out + i), both);
  }
  return i;
}

#endif
