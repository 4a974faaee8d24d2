#include "../activation.h"

ARN__KERNEL void arn__activation_clamp_s16(const void *in, void *out, uint32_t count,
                                           const void *params) {
  const int16_t *from = in;
  int16_t *to = out;
  const arn__clamp bounds = *(const arn__clamp *)params;
  const int16_t low = (int16_t)bounds.low, high = (int16_t)bounds.high;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int16_t x = from[i] < low ? low : from[i];
    to[i] = x > high ? high : x;
  }
}

ARN__KERNEL void arn__activation_slopes_s16(const void *in, void *out, uint32_t count,
                                            const void *params) {
  const int16_t *from = in;
  int16_t *to = out;
  const arn__activation_slopes p = *(const arn__activation_slopes *)params;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = from[i] - p.in_zero;
    const arn__requant r = {x < 0 ? p.negative.q : p.positive.q,
                            x < 0 ? p.negative.shift : p.positive.shift};
    to[i] = (int16_t)arn__clamp_s32(
        (int32_t)((uint32_t)arn__requantise(x, r) + (uint32_t)p.out_zero), p.clamp);
  }
}

// Reads the table at `at`, in units of 2^-bits entries; the result has `bits` more bits than the
// entries. Needs: 2^bits entries' worth of at below 255.
static uint32_t interpolate(uint32_t at, uint32_t bits) {
  const uint16_t *entry = arn__activation_sigmoid + (at >> bits);
  const uint32_t low = entry[0], high = entry[1];
  return (low << bits) + (at & ((1u << bits) - 1u)) * (high - low);
}

// The input in units of 1/12288.
static int32_t scale_in(int32_t x, const arn__activation_lookup *p) {
  const int32_t half = p->shift > 0 ? 1 << (p->shift - 1) : 0;
  return (x * p->multiplier + half) >> p->shift;
}

void arn__activation_logistic_s16_portable(const void *in, void *out, uint32_t count,
                                           const void *params) {
  const int16_t *from = in;
  int16_t *to = out;
  const arn__activation_lookup p = *(const arn__activation_lookup *)params;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = scale_in(from[i], &p);
    const uint32_t at = (uint32_t)(x < 0 ? -x : x);
    const uint32_t y = at >> 9 >= 255 ? 0x7FFFu << 10 : interpolate(at, 9);
    const uint32_t half = 1u << 9;
    to[i] = (int16_t)((x >= 0 ? y + half : (1u << 25) - y + half - 1u) >> 10);
  }
}

// tanh(x) = 2 logistic(2x) - 1: half the width of an entry, and 1/2 taken off.
void arn__activation_tanh_s16_portable(const void *in, void *out, uint32_t count,
                                       const void *params) {
  const int16_t *from = in;
  int16_t *to = out;
  const arn__activation_lookup p = *(const arn__activation_lookup *)params;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = scale_in(from[i], &p);
    const uint32_t at = (uint32_t)(x < 0 ? -x : x);
    const uint32_t raw = at >> 8 >= 255 ? 0xFFFFu << 8 : interpolate(at, 8);
    const int32_t y = (int32_t)raw - (1 << 23);
    to[i] = (int16_t)((x >= 0 ? y + (1 << 7) : (1 << 7) - 1 - y) >> 8);
  }
}
