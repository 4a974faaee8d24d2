#include <math.h>

#include "../divide.h"
#include "../fmath.h"
#include "../lanes.h"
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

// One element each; the divisor is not 0. Of 8 and 16 bits: 32 bits hold all quotients, which wrap
// where they are written.
ARN__INLINE int32_t floor_small(int32_t a, int32_t b) {
  const int32_t y = quotient_s16(a, b), rest = a - y * b;
  return y - (rest != 0 && (rest ^ b) < 0);
}

ARN__INLINE int32_t modulo_small(int32_t a, int32_t b) {
  const int32_t rest = a - quotient_s16(a, b) * b;
  return rest + (rest != 0 && (rest ^ b) < 0 ? b : 0);
}

// Wider: division by -1 is apart, because the lowest number overflows there.
ARN__INLINE int32_t floor_s32(int32_t a, int32_t b) {
  const int32_t divisor = b == -1 ? 1 : b, y = quotient_s32(a, divisor);
  const int32_t rest = (int32_t)((uint32_t)a - (uint32_t)y * (uint32_t)divisor);
  return b == -1 ? (int32_t)(0u - (uint32_t)a) : y - (rest != 0 && (rest ^ divisor) < 0);
}

ARN__INLINE int32_t modulo_s32(int32_t a, int32_t b) {
  const int32_t divisor = b == -1 ? 1 : b, y = quotient_s32(a, divisor);
  const int32_t rest = (int32_t)((uint32_t)a - (uint32_t)y * (uint32_t)divisor);
  return rest + (rest != 0 && (rest ^ divisor) < 0 ? divisor : 0);
}

ARN__INLINE int64_t floor_s64(int64_t a, int64_t b) {
  if (b == -1) return (int64_t)(0u - (uint64_t)a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

ARN__INLINE int64_t modulo_s64(int64_t a, int64_t b) {
  if (b == -1) return 0;
  const int64_t rest = a % b;
  return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

// ---- remainders towards zero --------------------------------------------------------------------

ARN__INLINE int32_t remainder_small(int32_t a, int32_t b) { return a - quotient_s16(a, b) * b; }

ARN__INLINE int32_t remainder_s32(int32_t a, int32_t b) {
  const int32_t divisor = b == -1 ? 1 : b, y = quotient_s32(a, divisor);
  return (int32_t)((uint32_t)a - (uint32_t)y * (uint32_t)divisor);
}

ARN__INLINE int64_t remainder_s64(int64_t a, int64_t b) { return b == -1 ? 0 : a % b; }

// ---- all ----------------------------------------------------------------------------------------

// All elements. Says whether no divisor is 0; where one is, 1 stands for it.
#define DEFINE(name, type, one)                                                                   \
  ARN__KERNEL bool arn__divide_##name##_portable(const void *params, void *out,                   \
                                                 const void *const *in, uint32_t count) {         \
    const type *a = in[0], *b = in[1];                                                            \
    type *to = out;                                                                               \
    uint32_t zeros = 0;                                                                           \
    (void)params;                                                                                 \
    ARN__INDEPENDENT                                                                              \
    for (uint32_t i = 0; i < count; i++) {                                                        \
      zeros |= b[i] == 0;                                                                         \
      to[i] = (type)one(a[i], b[i] == 0 ? 1 : b[i]);                                              \
    }                                                                                             \
    return zeros == 0;                                                                            \
  }

DEFINE(floor_s8, int8_t, floor_small)
DEFINE(floor_s16, int16_t, floor_small)
DEFINE(floor_s32, int32_t, floor_s32)
DEFINE(floor_s64, arn__s64, floor_s64)
DEFINE(modulo_s8, int8_t, modulo_small)
DEFINE(modulo_s16, int16_t, modulo_small)
DEFINE(modulo_s32, int32_t, modulo_s32)
DEFINE(modulo_s64, arn__s64, modulo_s64)
DEFINE(remainder_s8, int8_t, remainder_small)
DEFINE(remainder_s16, int16_t, remainder_small)
DEFINE(remainder_s32, int32_t, remainder_s32)
DEFINE(remainder_s64, arn__s64, remainder_s64)

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

#define BLOCK (ARN__LANES > 1 ? 64u : 8u)

// Where doubles are fast: of a quotient below 2^28, all that a double holds is exact, the quotient
// rounded to a whole number included, since one that is not whole lies further from it. NaN for the
// others; says whether there are any.
ARN__KERNEL static bool exact_rests(float *rest, const float *a, const float *b, uint32_t n) {
  uint32_t large = 0;
  for (uint32_t i = 0; i < n; i++) {
    const double quotient = (double)a[i] / (double)b[i];
    const bool is_small = quotient < 268435456.0 && quotient > -268435456.0;
    const double whole = (double)(int32_t)(is_small ? quotient : 0.0);
    const float exact = (float)((double)a[i] - whole * (double)b[i]);
    rest[i] = is_small ? arn__fmath_copy_sign(exact, a[i]) : NAN;
    large |= !is_small;
  }
  return large == 0;
}

// What the rounded quotients leave of a block.
static void rests(float *rest, const float *a, const float *b, uint32_t n) {
  if (ARN__LANES > 1 && exact_rests(rest, a, b, n)) return;
  for (uint32_t i = 0; i < n; i++) {
    if (ARN__LANES == 1 || isnan(rest[i])) rest[i] = fmodf(a[i], b[i]);
  }
}

// Rests become those of quotients that are rounded down: none has another sign than its divisor.
ARN__KERNEL static void take_sign(float *out, const float *rest, const float *b, uint32_t n) {
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t signs = arn__fmath_bits(rest[i]) ^ arn__fmath_bits(b[i]);
    const float sum = rest[i] + (signs >> 31 ? b[i] : 0.0f);
    out[i] = rest[i] == 0.0f ? rest[i] : sum;
  }
}

bool arn__divide_modulo_f32_portable(const void *params, void *out, const void *const *in,
                                     uint32_t count) {
  const float *a = in[0], *b = in[1];
  float *to = out;
  (void)params;
  for (uint32_t from = 0; from < count; from += BLOCK) {
    const uint32_t n = count - from < BLOCK ? count - from : BLOCK;
    float rest[BLOCK];
    rests(rest, a + from, b + from, n);
    take_sign(to + from, rest, b + from, n);
  }
  return true;
}

bool arn__divide_remainder_f32_portable(const void *params, void *out, const void *const *in,
                                        uint32_t count) {
  const float *a = in[0], *b = in[1];
  float *to = out;
  (void)params;
  for (uint32_t from = 0; from < count; from += BLOCK) {
    const uint32_t n = count - from < BLOCK ? count - from : BLOCK;
    float rest[BLOCK];
    rests(rest, a + from, b + from, n);
    memcpy(to + from, rest, n * sizeof *to);
  }
  return true;
}
