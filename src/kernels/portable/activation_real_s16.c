// 16-bit functions that are defined on real numbers, element by element: where the reference, if it
// has them at all, interpolates in a table of 512 intervals, this is the value itself.
#include "../activation.h"
#include "../fmath.h"

// low and high are the ends of int16, less the zero point.
ARN__INLINE int16_t quantise(float y, const arn__activation_real *p, float low, float high) {
  const float scaled = y * p->out_inverse;
  const float bounded = scaled > high ? high : scaled > low ? scaled : low;
  return (int16_t)(arn__fmath_round_away(bounded) + p->out_zero);
}

#define ACTIVATION_REAL(name, expression)                                           \
  ARN__KERNEL void arn__activation_##name(const void *in, void *out, uint32_t count, \
                                          const void *params) {                     \
    const arn__activation_real p = *(const arn__activation_real *)params;           \
    const float low = (float)(INT16_MIN - p.out_zero);                              \
    const float high = (float)(INT16_MAX - p.out_zero);                             \
    const int16_t *from = in;                                                       \
    int16_t *to = out;                                                              \
    ARN__INDEPENDENT                                                                \
    for (uint32_t i = 0; i < count; i++) {                                          \
      const float x = p.in_scale * (float)(from[i] - p.in_zero);                    \
      to[i] = quantise((expression), &p, low, high);                                \
    }                                                                               \
  }

ACTIVATION_REAL(elu_s16, x < 0.0f ? arn__fmath_exp_minus_one(x) : x)
ACTIVATION_REAL(exp_s16, arn__fmath_exp(x))
ACTIVATION_REAL(log_s16, arn__fmath_log(x))
ACTIVATION_REAL(gelu_s16, arn__fmath_gelu(x))
ACTIVATION_REAL(gelu_tanh_s16, arn__fmath_gelu_tanh(x))
