#include <math.h>

#include "../divide.h"

// ---- towards zero -------------------------------------------------------------------------------

ARN__KERNEL bool arn__divide_s32_portable(const void *params, void *out, const void *const *in,
                                          uint32_t count) {
  const arn__clamp p = *(const arn__clamp *)params;
  const int32_t *a = in[0], *b = in[1];
  int32_t *to = out;
  bool good = true;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t divisor = b[i] == 0 ? 1 : b[i];
    good = good && b[i] != 0;
    const int32_t x = divisor == -1 ? (int32_t)(0u - (uint32_t)a[i]) : a[i] / divisor;
    to[i] = arn__clamp_s32(x, p);
  }
  return good;
}

ARN__KERNEL bool arn__divide_f32_portable(const void *params, void *out, const void *const *in,
                                          uint32_t count) {
  const arn__quotient_bounds_f32 p = *(const arn__quotient_bounds_f32 *)params;
  const float *a = in[0], *b = in[1];
  float *to = out;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    float x = a[i] / b[i];
    x = x < p.low ? p.low : x;
    to[i] = p.high < x ? p.high : x;
  }
  return true;
}

// ---- downwards ----------------------------------------------------------------------------------

// The divisor is not 0. Division by -1 is apart, because the lowest number overflows there.
#define DEFINE(type, wrap, name)                                                                  \
  ARN__INLINE type floor_##name(type a, type b) {                                                 \
    if (b == -1) return (type)((wrap)0 - (wrap)a);                                                \
    const type quotient = (type)(a / b);                                                          \
    const bool down = a % b != 0 && (a < 0) != (b < 0);                                           \
    return (type)(quotient - down);                                                               \
  }                                                                                               \
                                                                                                  \
  ARN__INLINE type modulo_##name(type a, type b) {                                                \
    if (b == -1) return 0;                                                                        \
    const type rest = (type)(a % b);                                                              \
    return (type)(rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest);                          \
  }                                                                                               \
                                                                                                  \
  bool arn__divide_floor_##name##_portable(const void *params, void *out, const void *const *in,  \
                                           uint32_t count) {                                      \
    const type *a = in[0], *b = in[1];                                                            \
    type *to = out;                                                                               \
    bool good = true;                                                                             \
    (void)params;                                                                                 \
    for (uint32_t i = 0; i < count; i++) {                                                        \
      good = good && b[i] != 0;                                                                   \
      to[i] = floor_##name(a[i], (type)(b[i] == 0 ? 1 : b[i]));                                   \
    }                                                                                             \
    return good;                                                                                  \
  }                                                                                               \
                                                                                                  \
  bool arn__divide_modulo_##name##_portable(const void *params, void *out, const void *const *in, \
                                            uint32_t count) {                                     \
    const type *a = in[0], *b = in[1];                                                            \
    type *to = out;                                                                               \
    bool good = true;                                                                             \
    (void)params;                                                                                 \
    for (uint32_t i = 0; i < count; i++) {                                                        \
      good = good && b[i] != 0;                                                                   \
      to[i] = modulo_##name(a[i], (type)(b[i] == 0 ? 1 : b[i]));                                  \
    }                                                                                             \
    return good;                                                                                  \
  }

DEFINE(int8_t, uint8_t, s8)
DEFINE(int16_t, uint16_t, s16)
DEFINE(int32_t, uint32_t, s32)
DEFINE(arn__s64, uint64_t, s64)

// The quotient in double, as the reference has it: in float it may round up to a whole number.
ARN__KERNEL bool arn__divide_floor_f32_portable(const void *params, void *out,
                                                const void *const *in, uint32_t count) {
  const float *a = in[0], *b = in[1];
  float *to = out;
  uint32_t zeros = 0;
  (void)params;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    zeros |= b[i] == 0.0f;
    to[i] = (float)floor((double)a[i] / (double)b[i]);
  }
  return zeros == 0;
}

bool arn__divide_modulo_f32_portable(const void *params, void *out, const void *const *in,
                                     uint32_t count) {
  const float *a = in[0], *b = in[1];
  float *to = out;
  (void)params;
  for (uint32_t i = 0; i < count; i++) {
    const float rest = fmodf(a[i], b[i]);
    const bool other_sign = (b[i] < 0.0f) != (rest < 0.0f);
    to[i] = rest != 0.0f && other_sign ? rest + b[i] : rest;
  }
  return true;
}
