#include "../extremum.h"

#define DEFINE(name, type, op)                                                                    \
  ARN__KERNEL bool name(const void *params, void *out, const void *const *in, uint32_t count) {   \
    const type *a = in[0], *b = in[1];                                                            \
    type *to = out;                                                                               \
    (void)params;                                                                                 \
    ARN__INDEPENDENT                                                                              \
    for (uint32_t i = 0; i < count; i++) to[i] = a[i] op b[i] ? a[i] : b[i];                      \
    return true;                                                                                  \
  }

DEFINE(arn__extremum_max_s8_portable, int8_t, >)
DEFINE(arn__extremum_max_u8_portable, uint8_t, >)
DEFINE(arn__extremum_max_s16_portable, int16_t, >)
DEFINE(arn__extremum_max_s32_portable, int32_t, >)
DEFINE(arn__extremum_max_s64_portable, arn__s64, >)
DEFINE(arn__extremum_max_f32_portable, float, >)
DEFINE(arn__extremum_min_s8_portable, int8_t, <)
DEFINE(arn__extremum_min_u8_portable, uint8_t, <)
DEFINE(arn__extremum_min_s16_portable, int16_t, <)
DEFINE(arn__extremum_min_s32_portable, int32_t, <)
DEFINE(arn__extremum_min_s64_portable, arn__s64, <)
DEFINE(arn__extremum_min_f32_portable, float, <)
