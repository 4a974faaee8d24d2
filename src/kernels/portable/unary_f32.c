#include "../fmath.h"
#include "../lanes.h"
#include "../unary.h"

#define BLOCK (ARN__LANES > 1 ? 64u : 8u)

// One loop a function: `expression` is the result for the element x.
#define UNARY_LOOP(name, hint, expression)                                      \
  ARN__KERNEL void arn__unary_##name(const void *in, void *out, uint32_t count, \
                                     const void *params) {                      \
    const float *from = in;                                                     \
    float *to = out;                                                            \
    (void)params;                                                               \
    hint for (uint32_t i = 0; i < count; i++) {                                 \
      const float x = from[i];                                                  \
      to[i] = (expression);                                                     \
    }                                                                           \
  }
#define UNARY_F32(name, expression) UNARY_LOOP(name, ARN__INDEPENDENT, expression)
#define UNARY_LIBM(name, expression) UNARY_LOOP(name, , expression)

UNARY_F32(abs_f32, arn__fmath_abs(x))
UNARY_F32(neg_f32, -x)
UNARY_F32(sign_f32, x > 0.0f ? 1.0f : x < 0.0f ? -1.0f : x)
UNARY_F32(square_f32, x * x)
UNARY_LIBM(sqrt_f32, sqrtf(x))
UNARY_LIBM(rsqrt_f32, 1.0f / sqrtf(x))
UNARY_F32(exp_f32, arn__fmath_exp(x))
UNARY_F32(log_f32, arn__fmath_log(x))
UNARY_LIBM(ceil_f32, ceilf(x))
UNARY_LIBM(floor_f32, floorf(x))
UNARY_F32(round_f32, arn__fmath_round_even(x))
UNARY_F32(elu_f32, x < 0.0f ? arn__fmath_exp_minus_one(x) : x)
UNARY_F32(logistic_f32, arn__fmath_logistic(x))
UNARY_F32(tanh_f32, arn__fmath_tanh(x))
UNARY_F32(gelu_f32, arn__fmath_gelu(x))
UNARY_F32(gelu_tanh_f32, arn__fmath_gelu_tanh(x))

// Waves: sin of all elements; where some are too large for that, the C library's again.
#define WAVE(name, turns, function)                                                           \
  ARN__KERNEL void arn__unary_##name(const void *in, void *out, uint32_t count,               \
                                     const void *params) {                                    \
    float *to = out;                                                                          \
    (void)params;                                                                             \
    for (uint32_t i = 0; i < count; i += BLOCK, to += BLOCK) {                                \
      const uint32_t n = count - i < BLOCK ? count - i : BLOCK;                               \
      float x[BLOCK];                                                                         \
      uint32_t large = 0;                                                                     \
      memcpy(x, (const float *)in + i, n * sizeof *x);                                        \
      for (uint32_t k = 0; k < n; k++) {                                                      \
        to[k] = arn__fmath_sin(x[k], turns);                                                  \
        large |= (uint32_t)!(arn__fmath_abs(x[k]) < ARN__FMATH_TURNS);                        \
      }                                                                                       \
      for (uint32_t k = 0; k < n && large; k++) {                                             \
        if (!(arn__fmath_abs(x[k]) < ARN__FMATH_TURNS)) to[k] = function(x[k]);               \
      }                                                                                       \
    }                                                                                         \
  }
WAVE(sin_f32, 0, sinf)
WAVE(cos_f32, 1, cosf)

ARN__INLINE float clamp(float x, float low, float high) {
  x = x < low ? low : x;
  return x > high ? high : x;
}

UNARY_F32(hard_swish_f32, x * clamp(x + 3.0f, 0.0f, 6.0f) / 6.0f)

ARN__KERNEL void arn__unary_leaky_f32(const void *in, void *out, uint32_t count,
                                      const void *params) {
  const float *from = in;
  float *to = out;
  const float slope = *(const float *)params;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) to[i] = from[i] > 0.0f ? from[i] : from[i] * slope;
}

ARN__KERNEL void arn__unary_steps_f32(const void *in, void *out, uint32_t count,
                                      const void *params) {
  const arn__unary_steps *s = params;
  const float *from = in;
  float *to = out;
  const float low = s->low, high = s->high, step = s->step, inverse = 1.0f / s->step;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    float x = from[i] < low ? low : from[i];
    x = high < x ? high : x;
    to[i] = floorf((x - low) * inverse + 0.5f) * step + low;
  }
}

ARN__KERNEL void arn__unary_clamp_f32(const void *in, void *out, uint32_t count,
                                      const void *params) {
  const float *from = in, *bounds = params;
  float *to = out;
  const float low = bounds[0], high = bounds[1];
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) to[i] = clamp(from[i], low, high);
}
