// float32. The comparisons are written so that a NaN passes the bounds.
#include "../arithmetic.h"

#define DEFINE(name, op)                                                                          \
  ARN__KERNEL bool name(const void *params, void *out, const void *const *in, uint32_t count) {   \
    const arn__bounds_f32 p = *(const arn__bounds_f32 *)params;                                   \
    const float *a = in[0], *b = in[1];                                                           \
    float *to = out;                                                                              \
    ARN__INDEPENDENT                                                                              \
    for (uint32_t i = 0; i < count; i++) {                                                        \
      float x = a[i] op b[i];                                                                     \
      x = x < p.low ? p.low : x;                                                                  \
      to[i] = p.high < x ? p.high : x;                                                            \
    }                                                                                             \
    return true;                                                                                  \
  }

DEFINE(arn__arithmetic_add_f32_portable, +)
DEFINE(arn__arithmetic_sub_f32_portable, -)
DEFINE(arn__arithmetic_mul_f32_portable, *)

ARN__KERNEL bool arn__arithmetic_squared_difference_f32_portable(const void *params, void *out,
                                                                 const void *const *in,
                                                                 uint32_t count) {
  const float *a = in[0], *b = in[1];
  float *to = out;
  (void)params;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const float difference = a[i] - b[i];
    to[i] = difference * difference;
  }
  return true;
}
