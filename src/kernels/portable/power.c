#include <math.h>

#include "../power.h"

ARN__INLINE int32_t power(int32_t base, int32_t exponent) {
  uint32_t square = (uint32_t)base, result = 1;
  for (; exponent > 0; exponent >>= 1) {
    if (exponent & 1) result *= square;
    square *= square;
  }
  return (int32_t)result;
}

bool arn__power_s32_portable(const void *params, void *out, const void *const *in, uint32_t count) {
  const int32_t *a = in[0], *b = in[1];
  int32_t *to = out;
  bool good = true;
  (void)params;
  for (uint32_t i = 0; i < count; i++) {
    good = good && b[i] >= 0;
    to[i] = power(a[i], b[i]);
  }
  return good;
}

bool arn__power_f32_portable(const void *params, void *out, const void *const *in, uint32_t count) {
  const float *a = in[0], *b = in[1];
  float *to = out;
  (void)params;
  for (uint32_t i = 0; i < count; i++) to[i] = powf(a[i], b[i]);
  return true;
}

bool arn__power_atan2_f32_portable(const void *params, void *out, const void *const *in,
                                   uint32_t count) {
  const float *y = in[0], *x = in[1];
  float *to = out;
  (void)params;
  for (uint32_t i = 0; i < count; i++) to[i] = atan2f(y[i], x[i]);
  return true;
}
