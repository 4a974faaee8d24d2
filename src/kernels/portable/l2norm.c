#include "../l2norm.h"

#include <math.h>

#include "../lanes.h"
#include "../narrow.h"

// Shifts x >= 0 left, saturating.
static int32_t shift_saturating(int32_t x, int32_t shift) {
  return x > INT32_MAX >> shift ? INT32_MAX : x << shift;
}

// Newton's iteration for 1 / sqrt(v), x <- 1.5 x - 0.5 v x^3, five times from 1: in fixed point
// with three integer bits, where 1.0 is 2^28. `square` in [2^27, 2^29) stands for v in [0.25, 1).
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

// Input and output may be the same memory, which no loop over both of them can be vectorised for:
// outputs are made in a buffer of this many.
#define CHUNK 32u

// Instantiates a kernel of 8-bit values; outputs are 2^up * unit vector + offset.
#define L2NORM_8(name, type, up, offset, low, high)                                            \
  ARN__INLINE void name##_scale(type *out, const type *in, uint32_t n, int32_t zero,           \
                                arn__narrow scale) {                                           \
    const arn__clamp clamp = {low, high};                                                      \
    type chunk[CHUNK];                                                                         \
    for (uint32_t i = 0; i < n; i++) {                                                         \
      const int32_t x = (in[i] - zero) * (1 << (7 - up));                                      \
      chunk[i] = (type)arn__clamp_s32(arn__requantise_narrow(x, scale) + offset, clamp);       \
    }                                                                                          \
    memcpy(out, chunk, n * sizeof *out);                                                       \
  }                                                                                            \
  ARN__KERNEL void name(type *out, const type *in, const arn__l2norm_shape *s) {               \
    for (uint32_t v = 0; v < s->vectors; v++, in += s->depth, out += s->depth) {               \
      int32_t square = 0;                                                                      \
      for (uint32_t i = 0; i < s->depth; i++) {                                                \
        const int32_t x = in[i] - s->zero;                                                     \
        square += x * x;                                                                       \
      }                                                                                        \
      arn__requant root = arn__l2norm_inverse_root(square);                                    \
      root.shift += up;                                                                        \
      const arn__narrow scale = arn__narrow_of(root);                                          \
      uint32_t i = 0;                                                                          \
      for (; i + CHUNK <= s->depth; i += CHUNK) {                                              \
        name##_scale(out + i, in + i, CHUNK, s->zero, scale);                                  \
      }                                                                                        \
      name##_scale(out + i, in + i, s->depth - i, s->zero, scale);                             \
    }                                                                                          \
  }

// The reference scales by 128 in the multiplier (int8), or before it (uint8).
L2NORM_8(arn__l2norm_s8, int8_t, 7, 0, INT8_MIN, INT8_MAX)
L2NORM_8(arn__l2norm_u8, uint8_t, 0, 128, 0, UINT8_MAX)

ARN__INLINE void divide(float *out, const float *in, uint32_t n, float length) {
  float chunk[CHUNK];
  for (uint32_t i = 0; i < n; i++) chunk[i] = in[i] / length;
  memcpy(out, chunk, n * sizeof *out);
}

ARN__INLINE float sum_of_squares(const float *in, uint32_t n) {
  arn__lanes lanes;
  uint32_t i = 0;
  memset(&lanes, 0, sizeof lanes);
  for (; i + ARN__LANES <= n; i += ARN__LANES) arn__lanes_add(&lanes, in + i, in + i);
  float square = arn__lanes_sum(&lanes);
  for (; i < n; i++) square += in[i] * in[i];
  return square;
}

ARN__KERNEL void arn__l2norm_f32(float *out, const float *in, const arn__l2norm_shape *s) {
  for (uint32_t v = 0; v < s->vectors; v++, in += s->depth, out += s->depth) {
    const float root = sqrtf(sum_of_squares(in, s->depth));
    const float length = root < 1e-6f ? 1e-6f : root;
    uint32_t i = 0;
    for (; i + CHUNK <= s->depth; i += CHUNK) divide(out + i, in + i, CHUNK, length);
    divide(out + i, in + i, s->depth - i, length);
  }
}
