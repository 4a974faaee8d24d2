#include <math.h>

#include "../fmath.h"
#include "../lanes.h"
#include "../power.h"

#define BLOCK (ARN__LANES > 1 ? 64u : 8u)

// A block of powers by squaring: the exponents' bits in the outer loop, so that the inner one
// vectorises. Returns false where an exponent is negative.
ARN__KERNEL static bool powers(int32_t *out, const int32_t *base, const int32_t *exponent,
                               uint32_t n) {
  uint32_t square[BLOCK], bits[BLOCK], result[BLOCK], all = 0;
  for (uint32_t i = 0; i < n; i++) {
    square[i] = (uint32_t)base[i];
    bits[i] = (uint32_t)exponent[i];
    result[i] = 1;
    all |= bits[i];
  }
  const bool good = all >> 31 == 0;
  for (all = good ? all : 0; all > 0; all >>= 1) {
    for (uint32_t i = 0; i < n; i++) {
      result[i] *= bits[i] & 1u ? square[i] : 1u;
      square[i] *= square[i];
      bits[i] >>= 1;
    }
  }
  memcpy(out, result, n * sizeof *out);
  return good;
}

bool arn__power_s32_portable(const void *params, void *out, const void *const *in, uint32_t count) {
  const int32_t *a = in[0], *b = in[1];
  int32_t *to = out;
  bool good = true;
  (void)params;
  for (uint32_t i = 0; i < count; i += BLOCK) {
    good &= powers(to + i, a + i, b + i, count - i < BLOCK ? count - i : BLOCK);
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

// A block of angles; points that are special go to the C library.
ARN__KERNEL static void angles(float *out, const float *in_y, const float *in_x, uint32_t n) {
  float y[BLOCK], x[BLOCK];
  uint32_t special = 0;
  memcpy(y, in_y, n * sizeof *y);
  memcpy(x, in_x, n * sizeof *x);
  for (uint32_t i = 0; i < n; i++) {
    out[i] = arn__fmath_atan2(y[i], x[i]);
    special |= (uint32_t)!arn__fmath_has_angle(y[i], x[i]);
  }
  for (uint32_t i = 0; i < n && special; i++) {
    if (!arn__fmath_has_angle(y[i], x[i])) out[i] = atan2f(y[i], x[i]);
  }
}

bool arn__power_atan2_f32_portable(const void *params, void *out, const void *const *in,
                                   uint32_t count) {
  const float *y = in[0], *x = in[1];
  float *to = out;
  (void)params;
  for (uint32_t i = 0; i < count; i += BLOCK) {
    angles(to + i, y + i, x + i, count - i < BLOCK ? count - i : BLOCK);
  }
  return true;
}
