// int32 and int64, not quantised: overflow wraps (unsigned arithmetic), then the bounds apply.
#include "../arithmetic.h"

#define DEFINE(name, type, wrap, bounds, op)                                                      \
  ARN__KERNEL bool name(const void *params, void *out, const void *const *in, uint32_t count) {   \
    const bounds p = *(const bounds *)params;                                                     \
    const type *a = in[0], *b = in[1];                                                            \
    type *to = out;                                                                               \
    ARN__INDEPENDENT                                                                              \
    for (uint32_t i = 0; i < count; i++) {                                                        \
      type x = (type)((wrap)a[i] op (wrap)b[i]);                                                  \
      x = x < p.low ? p.low : x;                                                                  \
      to[i] = x > p.high ? p.high : x;                                                            \
    }                                                                                             \
    return true;                                                                                  \
  }

DEFINE(arn__arithmetic_add_s32_portable, int32_t, uint32_t, arn__clamp, +)
DEFINE(arn__arithmetic_sub_s32_portable, int32_t, uint32_t, arn__clamp, -)
DEFINE(arn__arithmetic_mul_s32_portable, int32_t, uint32_t, arn__clamp, *)
DEFINE(arn__arithmetic_add_s64_portable, arn__s64, uint64_t, arn__bounds_s64, +)
DEFINE(arn__arithmetic_sub_s64_portable, arn__s64, uint64_t, arn__bounds_s64, -)
DEFINE(arn__arithmetic_mul_s64_portable, arn__s64, uint64_t, arn__bounds_s64, *)

ARN__KERNEL bool arn__arithmetic_squared_difference_s32_portable(const void *params, void *out,
                                                                 const void *const *in,
                                                                 uint32_t count) {
  const int32_t *a = in[0], *b = in[1];
  int32_t *to = out;
  (void)params;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t difference = (uint32_t)a[i] - (uint32_t)b[i];
    to[i] = (int32_t)(difference * difference);
  }
  return true;
}
