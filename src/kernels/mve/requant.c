#include "../kernel.h"
#include "mve.h"

#if defined(ARN__MVE)

#include <arm_mve.h>

// As multiply() of requant.c has it for regular multipliers, which says what is what. Where the top
// bit of the product is clear, it is doubled: instead of halved and rounded, its high half then
// gets the next bit of the low one.
uint32_t arn__requant_regular_mve(const arn__requant_source *s, const uint8_t *scales,
                                  uint32_t count, arn__requant *out) {
  const uint32x4_t ratio_high = vdupq_n_u32(s->ratio_high), ratio_low = vdupq_n_u32(s->ratio_low);
  const int32x4_t least = vdupq_n_s32(-31);
  uint32_t i = 0;
  for (; i + 4 <= count; i += 4) {
    const uint32x4_t bits = vreinterpretq_u32_u8(vldrbq_u8(scales + 4 * (size_t)i));
    const uint32x4_t m = vorrq_u32(vshlq_n_u32(bits, 8), vdupq_n_u32(UINT32_C(1) << 31));
    const uint32x4_t more = vmulhq_u32(m, ratio_low);
    // Half of the low word with its carry: the carry is bit 31, the word's top bit is bit 30.
    const uint32x4_t half = vhaddq_u32(vmulq_u32(m, ratio_high), more);
    const uint32x4_t high = vaddq_u32(vmulhq_u32(m, ratio_high), vshrq_n_u32(half, 31));
    const int32x4_t minus_top = vshrq_n_s32(vreinterpretq_s32_u32(high), 31);
    uint32x4_t next = vshrq_n_u32(vshlq_n_u32(half, 1), 31);
    next = vbicq_u32(next, vreinterpretq_u32_s32(minus_top));
    const uint32x4_t q = vaddq_u32(vrshlq_u32(high, minus_top), next);
    const int32x4_t e = vreinterpretq_s32_u32(vshrq_n_u32(bits, 23));
    const int32x4_t shift = vaddq_n_s32(vsubq_s32(e, minus_top), s->ratio_exponent - 126);
    // Tiny ones become 0: of them, this is negative.
    const int32x4_t tiny = vshrq_n_s32(vsubq_s32(shift, least), 31);
    int32x4x2_t both;
    both.val[0] = vbicq_s32(vreinterpretq_s32_u32(q), tiny);
    both.val[1] = vbicq_s32(shift, tiny);
    vst2q_s32((int32_t *)(out + i), both);
  }
  return i;
}

#endif
