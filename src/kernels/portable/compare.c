#include "../compare.h"
#include "../narrow.h"

#define DEFINE(name, type, op)                                                                    \
  ARN__KERNEL bool name(const void *params, void *out, const void *const *in, uint32_t count) {   \
    const arn__compare_params p = *(const arn__compare_params *)params;                           \
    const type *a = in[p.left], *b = in[p.left ^ 1];                                              \
    uint8_t *to = out;                                                                            \
    ARN__INDEPENDENT                                                                              \
    for (uint32_t i = 0; i < count; i++) to[i] = (uint8_t)((a[i] op b[i]) ^ p.invert);            \
    return true;                                                                                  \
  }

DEFINE(arn__compare_equal_s32_portable, int32_t, ==)
DEFINE(arn__compare_equal_s64_portable, arn__s64, ==)
DEFINE(arn__compare_equal_f32_portable, float, ==)
DEFINE(arn__compare_less_s32_portable, int32_t, <)
DEFINE(arn__compare_less_s64_portable, arn__s64, <)
DEFINE(arn__compare_less_f32_portable, float, <)
DEFINE(arn__compare_less_equal_f32_portable, float, <=)

ARN__KERNEL bool arn__compare_equal_bool_portable(const void *params, void *out,
                                                  const void *const *in, uint32_t count) {
  const arn__compare_params p = *(const arn__compare_params *)params;
  const uint8_t *a = in[0], *b = in[1];
  uint8_t *to = out;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) to[i] = (uint8_t)(((a[i] != 0) == (b[i] != 0)) ^ p.invert);
  return true;
}

// ---- quantised ----------------------------------------------------------------------------------

// int8: in multiples of 1/256 of one, as the reference has it.
ARN__INLINE int32_t common_s8(int32_t value, arn__narrow n) {
  return arn__requantise_narrow(value * 256, n);
}

// int16: (value << 15) times the multiplier; see narrow.h for the split.
ARN__INLINE int32_t common_s16(int32_t value, arn__narrow n) {
  const int32_t scaled = value * n.high + ((value * n.low + (1 << 15)) >> 16);
  return arn__rounding_divide(scaled, n.rounding.exponent);
}

#define DEFINE_QUANTISED(name, type, common, flip, op)                                            \
  ARN__KERNEL bool name(const void *params, void *out, const void *const *in, uint32_t count) {   \
    const arn__compare_params p = *(const arn__compare_params *)params;                           \
    const uint32_t left = p.left, right = p.left ^ 1;                                             \
    const arn__narrow to_common[] = {arn__narrow_of(p.scales.to_common[left]),                    \
                                     arn__narrow_of(p.scales.to_common[right])};                  \
    const int32_t zero_a = p.scales.zero[left], zero_b = p.scales.zero[right];                    \
    const type *a = in[left], *b = in[right];                                                     \
    uint8_t *to = out;                                                                            \
    ARN__INDEPENDENT                                                                              \
    for (uint32_t i = 0; i < count; i++) {                                                        \
      const int32_t x = common((a[i] ^ (flip)) - zero_a, to_common[0]);                           \
      const int32_t y = common((b[i] ^ (flip)) - zero_b, to_common[1]);                           \
      to[i] = (uint8_t)((x op y) ^ p.invert);                                                     \
    }                                                                                             \
    return true;                                                                                  \
  }

DEFINE_QUANTISED(arn__compare_equal_s8_portable, uint8_t, common_s8, p.scales.flip, ==)
DEFINE_QUANTISED(arn__compare_less_s8_portable, uint8_t, common_s8, p.scales.flip, <)
DEFINE_QUANTISED(arn__compare_equal_s16_portable, int16_t, common_s16, 0, ==)
DEFINE_QUANTISED(arn__compare_less_s16_portable, int16_t, common_s16, 0, <)
