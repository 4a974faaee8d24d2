#include "../activation.h"
#include "../fixed.h"
#include "../narrow.h"

ARN__KERNEL void arn__activation_clamp_s8(const void *in, void *out, uint32_t count,
                                          const void *params) {
  const int8_t *from = in;
  int8_t *to = out;
  const arn__clamp bounds = *(const arn__clamp *)params;
  const int8_t low = (int8_t)bounds.low, high = (int8_t)bounds.high;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int8_t x = from[i] < low ? low : from[i];
    to[i] = x > high ? high : x;
  }
}

ARN__INLINE int8_t follow(int32_t x, arn__narrow slope, const arn__activation_slopes *p) {
  return (int8_t)arn__clamp_s32(arn__requantise_narrow(x, slope) + p->out_zero, p->clamp);
}

ARN__KERNEL void arn__activation_slopes_s8(const void *in, void *out, uint32_t count,
                                           const void *params) {
  const int8_t *from = in;
  int8_t *to = out;
  const arn__activation_slopes p = *(const arn__activation_slopes *)params;
  const arn__narrow positive = arn__narrow_of(p.positive), negative = arn__narrow_of(p.negative);
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = from[i] - p.in_zero;
    to[i] = x < 0 ? follow(x, negative, &p) : follow(x, positive, &p);
  }
}

// From where on the curve is flat: 15 of Q4.27 in steps of the input.
static int32_t flat_from(arn__requant r) {
  const int32_t fifteen = 15 << 27;
  return r.shift < 0 ? INT32_MAX : fifteen >> r.shift;
}

void arn__activation_logistic_s8_portable(const void *in, void *out, uint32_t count,
                                          const void *params) {
  const int8_t *from = in;
  int8_t *to = out;
  const arn__activation_curve p = *(const arn__activation_curve *)params;
  const int32_t flat = flat_from(p.requant);
  const arn__clamp bounds = {-128, 127};
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = from[i] - p.in_zero;
    const int32_t y = arn__fixed_logistic(arn__requantise(x, p.requant));
    const int32_t rounded = arn__clamp_s32(arn__rounding_divide(y, 23) - 128, bounds);
    to[i] = (int8_t)(x <= -flat ? -128 : x >= flat ? 127 : rounded);
  }
}

void arn__activation_tanh_s8_portable(const void *in, void *out, uint32_t count,
                                      const void *params) {
  const int8_t *from = in;
  int8_t *to = out;
  const arn__activation_curve p = *(const arn__activation_curve *)params;
  const int32_t flat = flat_from(p.requant);
  const arn__clamp bounds = {-128, 127};
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = from[i] - p.in_zero;
    const int32_t y = arn__fixed_tanh(arn__requantise(x, p.requant));
    const int32_t rounded = arn__clamp_s32(arn__rounding_divide(y, 24), bounds);
    to[i] = (int8_t)(x <= -flat ? -128 : x >= flat ? 127 : rounded);
  }
}

static int32_t saturate_s16(int32_t x) {
  const arn__clamp bounds = {INT16_MIN, INT16_MAX};
  return arn__clamp_s32(x, bounds);
}

// a * b / 2^15, half up.
static int32_t multiply_q15(int32_t a, int32_t b) { return (a * b + (1 << 14)) >> 15; }

// The gate of hard swish, (x + 3) / 6 in [0, 1) of Q0.15, from x * 128.
static int32_t gate(int32_t x, const arn__activation_hard_swish *p) {
  const int32_t exponent = p->gate_exponent;
  if (exponent > 0) {
    // x is a multiple of 128: it saturates long before a shift by 16 would leave 32 bits
    const int32_t shift = exponent - 1 < 15 ? exponent - 1 : 15;
    x = saturate_s16(x * (1 << shift));
    x = saturate_s16(2 * multiply_q15(x, p->gate));
  } else {
    x = arn__rounding_divide(multiply_q15(x, p->gate), -exponent);
  }
  return (x + (1 << 15)) >> 1;
}

void arn__activation_hard_swish_s8(const void *in, void *out, uint32_t count, const void *params) {
  const int8_t *from = in;
  int8_t *to = out;
  const arn__activation_hard_swish *p = params;
  const arn__clamp bounds = {-128, 127};
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = (from[i] - p->in_zero) * 128;
    const int32_t product = gate(x, p) * multiply_q15(x, p->multiplier) / (1 << 15);
    const int32_t y = arn__rounding_divide(product, p->right_shift) + p->out_zero;
    to[i] = (int8_t)arn__clamp_s32(y, bounds);
  }
}
