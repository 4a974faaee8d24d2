#include "../activation.h"

#if defined(ARN__X86)

#include "fixed_avx2.h"

// The curve's ends, from `flat` steps off zero on, are beyond int8 on either side.
ARN__AVX2 ARN__INLINE arn__fixed_x8 ends(arn__fixed_x8 x, arn__requant r, arn__fixed_x8 y) {
  const int32_t flat = r.shift < 0 ? INT32_MAX : (15 << 27) >> r.shift;
  y = arn__fixed_x8_select(x >= flat, arn__fixed_x8_of(127), y);
  return arn__fixed_x8_select(x <= -flat, arn__fixed_x8_of(-128), y);
}

ARN__AVX2 ARN__INLINE arn__fixed_x8 logistic_s8_x8(arn__fixed_x8 x,
                                                   const arn__activation_curve *p) {
  x -= p->in_zero;
  const arn__fixed_x8 y = arn__fixed_x8_logistic(arn__fixed_x8_requantise(x, p->requant));
  return ends(x, p->requant, arn__fixed_x8_divide(y, 23) - 128);
}

ARN__AVX2 ARN__INLINE arn__fixed_x8 tanh_s8_x8(arn__fixed_x8 x, const arn__activation_curve *p) {
  x -= p->in_zero;
  const arn__fixed_x8 y = arn__fixed_x8_tanh(arn__fixed_x8_requantise(x, p->requant));
  return ends(x, p->requant, arn__fixed_x8_divide(y, 24));
}

// Applies a function of eight elements to all: what is left over goes through a copy.
typedef arn__fixed_x8 function_s8_x8(arn__fixed_x8 x, const arn__activation_curve *p);

ARN__AVX2 ARN__INLINE void apply_s8(function_s8_x8 *eight, const int8_t *in, int8_t *out,
                                    uint32_t count, const arn__activation_curve *p) {
  int8_t rest[8] = {0};
  uint32_t i = 0;
  for (; i + 8 <= count; i += 8) {
    arn__fixed_x8_store_s8(out + i, eight(arn__fixed_x8_load_s8(in + i), p));
  }
  memcpy(rest, in + i, count - i);
  arn__fixed_x8_store_s8(rest, eight(arn__fixed_x8_load_s8(rest), p));
  memcpy(out + i, rest, count - i);
}

ARN__AVX2 static void logistic_s8_avx2(const void *in, void *out, uint32_t count,
                                       const arn__activation_curve *p) {
  apply_s8(logistic_s8_x8, in, out, count, p);
}

ARN__AVX2 static void tanh_s8_avx2(const void *in, void *out, uint32_t count,
                                   const arn__activation_curve *p) {
  apply_s8(tanh_s8_x8, in, out, count, p);
}

void arn__activation_logistic_s8_x86(const void *in, void *out, uint32_t count,
                                     const void *params) {
  if (__builtin_cpu_supports("avx2")) {
    logistic_s8_avx2(in, out, count, params);
  } else {
    arn__activation_logistic_s8_portable(in, out, count, params);
  }
}

void arn__activation_tanh_s8_x86(const void *in, void *out, uint32_t count, const void *params) {
  if (__builtin_cpu_supports("avx2")) {
    tanh_s8_avx2(in, out, count, params);
  } else {
    arn__activation_tanh_s8_portable(in, out, count, params);
  }
}

#endif
