#include "../l2norm.h"

#include <math.h>

// Shifts x >= 0 left, saturating.
static int32_t shift_saturating(int32_t x, int32_t shift) {
  return x > INT32_MAX >> shift ? INT32_MAX : x << shift;
}

// Newton's iteration for 1 / sqrt(v), x <- 1.5 x - 0.5 v x^3, five times from 1: in fixed point with
// three integer bits, where 1.0 is 2^28. `square` in [2^27, 2^29) stands for v in [0.25, 1).
static int32_t iterate(int32_t square) {
  const int32_t half = arn__rounding_divide(square >> 1, 1);
  const int32_t half_three = (1 << 28) + (1 << 27);
  int32_t x = 1 << 28;
  for (int32_t i = 0; i < 5; i++) {
    const int32_t cube = arn__high_multiply(arn__high_multiply(x, x), x);
    const int32_t next = arn__high_multiply(half_three, x) -
                         arn__high_multiply(half, shift_saturating(cube, 6));
    x = shift_saturating(next, 3);
  }
  return x;
}

arn__requant arn__l2norm_inverse_root(int32_t square) {
  if (square <= 1) return (arn__requant){INT32_MAX, 0};
  int32_t right = 11;
  while (square >= 1 << 29) {
    square /= 4;
    right++;
  }
  while (square < 1 << 27) {
    square *= 4;
    right--;
  }
  int32_t q = arn__high_multiply(iterate(square), 1518500250);  // times sqrt(2) / 2
  if (right < 0) {
    q = (int32_t)((uint32_t)q << -right);
    right = 0;
  }
  return (arn__requant){q, -right};
}

// Instantiates a kernel of 8-bit values. `scaled(x)` is the output about its zero point.
#define L2NORM_8(name, type, scaled, low, high)                                              \
  ARN__KERNEL void name(type *out, const type *in, const arn__l2norm_shape *s) {             \
    for (uint32_t v = 0; v < s->vectors; v++, in += s->depth, out += s->depth) {             \
      int32_t square = 0;                                                                    \
      for (uint32_t i = 0; i < s->depth; i++) {                                              \
        const int32_t x = in[i] - s->zero;                                                   \
        square += x * x;                                                                     \
      }                                                                                      \
      const arn__requant r = arn__l2norm_inverse_root(square);                               \
      for (uint32_t i = 0; i < s->depth; i++) {                                              \
        const arn__clamp clamp = {low, high};                                                \
        out[i] = (type)arn__clamp_s32(scaled(in[i] - s->zero, r), clamp);                    \
      }                                                                                      \
    }                                                                                        \
  }

#define SCALED_S8(x, r) arn__requantise(x, (arn__requant){(r).q, (r).shift + 7})
#define SCALED_U8(x, r) (128 + arn__requantise(128 * (x), r))

L2NORM_8(arn__l2norm_s8, int8_t, SCALED_S8, INT8_MIN, INT8_MAX)
L2NORM_8(arn__l2norm_u8, uint8_t, SCALED_U8, 0, UINT8_MAX)

ARN__KERNEL void arn__l2norm_f32(float *out, const float *in, const arn__l2norm_shape *s) {
  for (uint32_t v = 0; v < s->vectors; v++, in += s->depth, out += s->depth) {
    float square = 0.0f;
    for (uint32_t i = 0; i < s->depth; i++) square += in[i] * in[i];
    const float root = sqrtf(square);
    const float length = root < 1e-6f ? 1e-6f : root;
    for (uint32_t i = 0; i < s->depth; i++) out[i] = in[i] / length;
  }
}
