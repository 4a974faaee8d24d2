// 8-bit functions that are defined on real numbers. Run through a table or, for few elements, as
// is; float arithmetic is basic operations only, so that every machine gets the same bytes.
#include "../activation.h"
#include "../exact.h"
#include "../fmath.h"

static float dequantise(int8_t x, const arn__activation_real *p) {
  return p->in_scale * (float)(x - p->in_zero);
}

static int8_t quantise(float y, const arn__activation_real *p) {
  const float scaled = y * p->out_inverse;
  const float bounded = scaled > 512.0f ? 512.0f : scaled > -512.0f ? scaled : -512.0f;
  const arn__clamp bounds = {-128, 127};
  return (int8_t)arn__clamp_s32(arn__fmath_round_away(bounded) + p->out_zero, bounds);
}

#define ACTIVATION_REAL(name, expression)                                              \
  void arn__activation_##name(const void *in, void *out, uint32_t count, const void *params) { \
    const int8_t *from = in;                                                           \
    int8_t *to = out;                                                                  \
    for (uint32_t i = 0; i < count; i++) {                                             \
      const float x = dequantise(from[i], params);                                     \
      to[i] = quantise((expression), params);                                          \
    }                                                                                  \
  }

ACTIVATION_REAL(elu_s8, x < 0.0f ? arn__exact_exp(x) - 1.0f : x)
ACTIVATION_REAL(exp_s8, arn__exact_exp(x))
ACTIVATION_REAL(log_s8, arn__fmath_log(x))
ACTIVATION_REAL(gelu_s8, arn__fmath_gelu(x))
ACTIVATION_REAL(gelu_tanh_s8, arn__fmath_gelu_tanh(x))
