#include "../select.h"

#define DEFINE(name, type)                                                                        \
  ARN__KERNEL bool name(const void *params, void *out, const void *const *in, uint32_t count) {   \
    const uint8_t *which = in[0];                                                                 \
    const type *a = in[1], *b = in[2];                                                            \
    type *to = out;                                                                               \
    (void)params;                                                                                 \
    ARN__INDEPENDENT                                                                              \
    for (uint32_t i = 0; i < count; i++) {                                                        \
      const type x = a[i], y = b[i];                                                              \
      to[i] = which[i] != 0 ? x : y;                                                              \
    }                                                                                             \
    return true;                                                                                  \
  }

DEFINE(arn__select_8_portable, uint8_t)
DEFINE(arn__select_16_portable, uint16_t)
DEFINE(arn__select_32_portable, uint32_t)
DEFINE(arn__select_64_portable, uint64_t)
