#include "../fixed.h"
#include "../unary.h"

#define UNARY_INT(name, type, unsigned_type, expression)                      \
  ARN__KERNEL void arn__unary_##name(const void *in, void *out, uint32_t count, \
                                     const void *params) {                    \
    const type *from = in;                                                    \
    type *to = out;                                                           \
    (void)params;                                                             \
    ARN__INDEPENDENT                                                          \
    for (uint32_t i = 0; i < count; i++) {                                    \
      const type x = from[i];                                                 \
      const unsigned_type minus = (unsigned_type)(0u - (unsigned_type)x);     \
      (void)minus;                                                            \
      to[i] = (type)(expression);                                             \
    }                                                                         \
  }

UNARY_INT(abs_s16, int16_t, uint16_t, x < 0 ? minus : (uint16_t)x)
UNARY_INT(abs_s32, int32_t, uint32_t, x < 0 ? minus : (uint32_t)x)
UNARY_INT(neg_s16, int16_t, uint16_t, minus)
UNARY_INT(neg_s32, int32_t, uint32_t, minus)
UNARY_INT(neg_s64, arn__s64, uint64_t, minus)
UNARY_INT(sign_s32, int32_t, uint32_t, (x > 0) - (x < 0))

// 1 / sqrt(x) for x >= 2 as a multiplier with `kept` bits behind the point: x is brought to [1/4,
// 1) (as Q3.28 in [1/2, 2)) by a shift of an even number of bits, five Newton steps from 1 follow.
// Exactly the reference's steps.
static arn__requant inverse_root(int32_t x) {
  const int32_t pairs = (arn__fixed_leading_zeros((uint32_t)x) - 1) / 2 - 1;
  const int32_t scaled = (int32_t)((uint32_t)x << (2 * pairs)) >> 1;
  const int32_t half = (scaled + 1) >> 1;
  const int32_t three_halves = (1 << 28) + (1 << 27);
  int32_t y = 1 << 28;
  for (int32_t i = 0; i < 5; i++) {
    const int32_t cube = arn__fixed_mul(arn__fixed_mul(y, y), y);  // Q9.22
    const int32_t cube_q3 = arn__fixed_shift_left(cube, 6);
    const int32_t next = arn__fixed_mul(three_halves, y) - arn__fixed_mul(half, cube_q3);  // Q6.25
    y = arn__fixed_shift_left(next, 3);
  }
  y = arn__fixed_mul(y, 1518500250);  // sqrt(1/2)
  const int32_t right = 11 - pairs;
  if (right < 0) return (arn__requant){(int32_t)((uint32_t)y << -right), 0};
  return (arn__requant){y, -right};
}

// The reference keeps 20 bits between its two multiplications.
static int32_t rsqrt(int32_t x, const arn__unary_rsqrt *p, int32_t most) {
  if (x <= 0) return most;
  arn__requant root = x == 1 ? (arn__requant){INT32_MAX, 0} : inverse_root(x);
  root.shift += 20;
  const arn__requant last = {p->requant.q, p->requant.shift - 20};
  const int32_t y = arn__requantise(arn__requantise(1, root), last);
  const arn__clamp clamp = {-most - 1, most};
  return arn__clamp_s32(y + p->out_zero, clamp);
}

void arn__unary_rsqrt_s8(const void *in, void *out, uint32_t count, const void *params) {
  const arn__unary_rsqrt *p = params;
  const int8_t *from = in;
  int8_t *to = out;
  for (uint32_t i = 0; i < count; i++) to[i] = (int8_t)rsqrt(from[i] - p->in_zero, p, 127);
}

void arn__unary_rsqrt_s16(const void *in, void *out, uint32_t count, const void *params) {
  const arn__unary_rsqrt *p = params;
  const int16_t *from = in;
  int16_t *to = out;
  for (uint32_t i = 0; i < count; i++) to[i] = (int16_t)rsqrt(from[i] - p->in_zero, p, 32767);
}

ARN__KERNEL bool arn__unary_any_below_s8(const int8_t *in, uint32_t count, int32_t low) {
  int8_t least = INT8_MAX;
  for (uint32_t i = 0; i < count; i++) least = in[i] < least ? in[i] : least;
  return least < low;
}

ARN__KERNEL bool arn__unary_any_below_s16(const int16_t *in, uint32_t count, int32_t low) {
  int16_t least = INT16_MAX;
  for (uint32_t i = 0; i < count; i++) least = in[i] < least ? in[i] : least;
  return least < low;
}
