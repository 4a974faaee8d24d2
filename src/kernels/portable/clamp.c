#include "../clamp.h"

#define DEFINE(name, type)                                                                        \
  ARN__KERNEL bool name(const void *params, void *out, const void *const *in, uint32_t count) {   \
    const type *least = in[0], *value = in[1], *most = in[2];                                     \
    type *to = out;                                                                               \
    (void)params;                                                                                 \
    ARN__INDEPENDENT                                                                              \
    for (uint32_t i = 0; i < count; i++) {                                                        \
      const type x = value[i] < least[i] ? least[i] : value[i];                                   \
      to[i] = most[i] < x ? most[i] : x;                                                          \
    }                                                                                             \
    return true;                                                                                  \
  }

DEFINE(arn__clamp_each_s8_portable, int8_t)
DEFINE(arn__clamp_each_u8_portable, uint8_t)
DEFINE(arn__clamp_each_s16_portable, int16_t)
DEFINE(arn__clamp_each_s32_portable, int32_t)
DEFINE(arn__clamp_each_s64_portable, arn__s64)
DEFINE(arn__clamp_each_f32_portable, float)
