#include <math.h>

#include "../divide.h"
#include "../lanes.h"

// The quotient of 32 bits, towards zero. Where there are vector registers, in double: exact, since
// a quotient that is not whole lies further from the next whole number than a double can tell. The
// divisor is neither 0 nor, with the lowest number, -1.
ARN__INLINE int32_t quotient_s32(int32_t a, int32_t b) {
  return ARN__LANES > 1 ? (int32_t)((double)a / (double)b) : a / b;
}

// The same of 16 bits, in float.
ARN__INLINE int32_t quotient_s16(int32_t a, int32_t b) {
  return ARN__LANES > 1 ? (int32_t)((float)a / (float)b) : a / b;
}

// ---- towards zero -------------------------------------------------------------------------------

ARN__KERNEL bool arn__divide_s32_portable(const void *params, void *out, const void *const *in,
                                          uint32_t count) {
  const arn__clamp p = *(const arn__clamp *)params;
  const int32_t *a = in[0], *b = in[1];
  int32_t *to = out;
  uint32_t zeros = 0;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const bool is_special = b[i] == 0 || b[i] == -1;
    const int32_t y = quotient_s32(a[i], is_special ? 1 : b[i]);
    const int32_t x = b[i] == -1 ? (int32_t)(0u - (uint32_t)y) : y;
    zeros |= b[i] == 0;
    to[i] = arn__clamp_s32(x, p);
  }
  return zeros == 0;
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

// Those of 8 and 16 bits: 32 bits hold all quotients, which wrap where they are written.
#define DEFINE_NARROW(type, name)                                                                 \
  ARN__KERNEL bool arn__divide_floor_##name##_portable(const void *params, void *out,             \
                                                       const void *const *in, uint32_t count) {   \
    const type *a = in[0], *b = in[1];                                                            \
    type *to = out;                                                                               \
    uint32_t zeros = 0;                                                                           \
    (void)params;                                                                                 \
    ARN__INDEPENDENT                                                                              \
    for (uint32_t i = 0; i < count; i++) {                                                        \
      const int32_t divisor = b[i] == 0 ? 1 : b[i], y = quotient_s16(a[i], divisor);              \
      const int32_t rest = a[i] - y * divisor;                                                    \
      zeros |= b[i] == 0;                                                                         \
      to[i] = (type)(y - (rest != 0 && (rest ^ divisor) < 0));                                    \
    }                                                                                             \
    return zeros == 0;                                                                            \
  }                                                                                               \
                                                                                                  \
  ARN__KERNEL bool arn__divide_modulo_##name##_portable(const void *params, void *out,            \
                                                        const void *const *in, uint32_t count) {  \
    const type *a = in[0], *b = in[1];                                                            \
    type *to = out;                                                                               \
    uint32_t zeros = 0;                                                                           \
    (void)params;                                                                                 \
    ARN__INDEPENDENT                                                                              \
    for (uint32_t i = 0; i < count; i++) {                                                        \
      const int32_t divisor = b[i] == 0 ? 1 : b[i], y = quotient_s16(a[i], divisor);              \
      const int32_t rest = a[i] - y * divisor;                                                    \
      zeros |= b[i] == 0;                                                                         \
      to[i] = (type)(rest + (rest != 0 && (rest ^ divisor) < 0 ? divisor : 0));                   \
    }                                                                                             \
    return zeros == 0;                                                                            \
  }

DEFINE_NARROW(int8_t, s8)
DEFINE_NARROW(int16_t, s16)

// Those of 32 bits in loops that vectorise: see quotient_s32().
ARN__KERNEL bool arn__divide_floor_s32_portable(const void *params, void *out,
                                                const void *const *in, uint32_t count) {
  const int32_t *a = in[0], *b = in[1];
  int32_t *to = out;
  uint32_t zeros = 0;
  (void)params;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t divisor = b[i] == 0 || b[i] == -1 ? 1 : b[i];
    const int32_t y = quotient_s32(a[i], divisor);
    const int32_t rest = (int32_t)((uint32_t)a[i] - (uint32_t)y * (uint32_t)divisor);
    const int32_t down = y - (rest != 0 && (rest ^ divisor) < 0);
    zeros |= b[i] == 0;
    to[i] = b[i] == -1 ? (int32_t)(0u - (uint32_t)a[i]) : down;
  }
  return zeros == 0;
}

ARN__KERNEL bool arn__divide_modulo_s32_portable(const void *params, void *out,
                                                 const void *const *in, uint32_t count) {
  const int32_t *a = in[0], *b = in[1];
  int32_t *to = out;
  uint32_t zeros = 0;
  (void)params;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t divisor = b[i] == 0 || b[i] == -1 ? 1 : b[i];
    const int32_t y = quotient_s32(a[i], divisor);
    const int32_t rest = (int32_t)((uint32_t)a[i] - (uint32_t)y * (uint32_t)divisor);
    zeros |= b[i] == 0;
    to[i] = rest + (rest != 0 && (rest ^ divisor) < 0 ? divisor : 0);
  }
  return zeros == 0;
}

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
