#include "../logical.h"

#define DEFINE_LOGICAL(name, op)                                                                  \
  ARN__KERNEL bool name(const void *params, void *out, const void *const *in, uint32_t count) {   \
    const uint8_t *a = in[0], *b = in[1];                                                         \
    uint8_t *to = out;                                                                            \
    (void)params;                                                                                 \
    ARN__INDEPENDENT                                                                              \
    for (uint32_t i = 0; i < count; i++) to[i] = (uint8_t)((a[i] != 0) op (b[i] != 0));           \
    return true;                                                                                  \
  }

DEFINE_LOGICAL(arn__logical_and_bool_portable, &)
DEFINE_LOGICAL(arn__logical_or_bool_portable, |)

ARN__KERNEL bool arn__logical_not_bool_portable(const void *params, void *out,
                                                const void *const *in, uint32_t count) {
  const uint8_t *a = in[0];
  uint8_t *to = out;
  (void)params;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) to[i] = a[i] == 0;
  return true;
}

ARN__KERNEL bool arn__logical_xor_bytes_portable(const void *params, void *out,
                                                 const void *const *in, uint32_t count) {
  const size_t bytes = (size_t)count * *(const uint32_t *)params;
  const uint8_t *a = in[0], *b = in[1];
  uint8_t *to = out;
  ARN__INDEPENDENT
  for (size_t i = 0; i < bytes; i++) to[i] = a[i] ^ b[i];
  return true;
}

#define DEFINE_SHIFT(name, type, most)                                                            \
  ARN__KERNEL bool name(const void *params, void *out, const void *const *in, uint32_t count) {   \
    const type *a = in[0], *b = in[1];                                                            \
    type *to = out;                                                                               \
    (void)params;                                                                                 \
    ARN__INDEPENDENT                                                                              \
    for (uint32_t i = 0; i < count; i++) {                                                        \
      const type shift = b[i] > (most) ? (most) : b[i] < 1 ? 0 : b[i];                            \
      to[i] = (type)(a[i] >> shift);                                                              \
    }                                                                                             \
    return true;                                                                                  \
  }

DEFINE_SHIFT(arn__logical_shift_s8_portable, int8_t, 7)
DEFINE_SHIFT(arn__logical_shift_u8_portable, uint8_t, 7)
DEFINE_SHIFT(arn__logical_shift_s16_portable, int16_t, 15)
DEFINE_SHIFT(arn__logical_shift_u16_portable, uint16_t, 15)
DEFINE_SHIFT(arn__logical_shift_s32_portable, int32_t, 31)
DEFINE_SHIFT(arn__logical_shift_u32_portable, uint32_t, 31)
