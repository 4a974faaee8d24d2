// Requantising with SMMULR, for convolutions with the DSP extension.
#ifndef ARENITE_SRC_KERNELS_DSP_OUTPUT_H
#define ARENITE_SRC_KERNELS_DSP_OUTPUT_H

#include "../conv.h"
#include "simd.h"

// How sums of a block of channels become int8.
//
// The high word, rounded, of a doubled sum times q is arn__high_multiply() as long as doubling
// loses nothing: for |sum| < 2^30. The result h is no larger than the sum. Dividing it by 2^n with
// ties away from zero is adding half, and -1 if it is negative: (h & mask) + half + (h < 0 ? -1 :
// 0) carries into bit n exactly where (h & mask) > (mask >> 1) + (h < 0), as arn__rounding_divide()
// has it. Of twice h, the -1 counts the same, for what it is subtracted from is even; and half may
// be added as one, after dividing by 2^n. So can the zero point, as twice of it; then the last bit
// goes. This holds for n = 0.
typedef struct arn__dsp_output {
  int32_t twice_zero_and_one;
  uint32_t slow;      // bit c: channel c of the block cannot be done so
  uint32_t special;   // nor without a shift to the left
  bool narrow;        // the clamp is less than all of int8
  int32_t zero;
  arn__clamp clamp;   // relative to the zero point
} arn__dsp_output;

// Sets which channels cannot be done so: a bit of `slow`. 2^29 - 1 is left for the bias, and as
// much for the `window` products of int8 (relative to a zero point) and int8. Multipliers of 1 and
// more have sums shifted left before, which takes that many bits. Channels that training left dead
// have tiny scales, and so a large bias; mostly, their multiplier is 0, and then nothing matters.
ARN__APART static void arn__dsp_find_slow(arn__dsp_output *o, const arn__conv_block *b,
                                          uint32_t window) {
  const int32_t *bias = b->bias;
  for (uint32_t c = 0; c < b->count; c++) {
    const int32_t shift = b->requant[c].shift, value = bias ? bias[c] : 0;
    const uint32_t limit = (UINT32_C(1) << 29) >> (shift > 0 ? shift : 0);
    const bool slow = (uint32_t)(value ^ value >> 31) >= limit || window > limit >> 15;
    if (slow && b->requant[c].q != 0) o->slow |= UINT32_C(1) << c;
    if (shift > 0) o->special |= UINT32_C(1) << c;
  }
  o->special |= o->slow;
}

ARN__INLINE arn__dsp_output arn__dsp_output_of(arn__clamp clamp, int32_t zero,
                                               const arn__conv_block *b, uint32_t window) {
  const bool narrow = clamp.low + zero != INT8_MIN || clamp.high + zero != INT8_MAX;
  arn__dsp_output o = {.twice_zero_and_one = 2 * zero + 1, .narrow = narrow, .zero = zero,
                       .clamp = clamp};
  // Nothing is slow or special, and soon known not to be, in most blocks.
  static const int32_t none = 0;
  const int32_t *bias = b->bias ? b->bias : &none;
  const arn__requant *r = b->requant;
  const uint32_t step = b->bias ? 1 : 0;
  uint32_t any = 0;
  int32_t most = 0;
  for (const arn__requant *end = r + b->count; r != end; r++) {
    any |= (uint32_t)(*bias ^ *bias >> 31);
    bias += step;
    most = r->shift > most ? r->shift : most;
  }
  if (any >= UINT32_C(1) << 29 || window > 1u << 14 || most > 0) arn__dsp_find_slow(&o, b, window);
  return o;
}

// The shifts for arn__dsp_quick().
ARN__INLINE int32_t arn__dsp_left(arn__requant r) { return r.shift > 0 ? r.shift + 1 : 1; }
ARN__INLINE int32_t arn__dsp_right(arn__requant r) { return r.shift > 0 ? 0 : -r.shift; }

ARN__INLINE int8_t arn__dsp_quick(int32_t sum, int32_t q, const int32_t shift[2], int32_t add) {
  int32_t y;
  __asm__("smmulr %0, %1, %2" : "=r"(y) : "r"((int32_t)((uint32_t)sum << shift[0])), "r"(q));
  y = ((y + (y + (y >> 31))) >> shift[1]) + add;
  __asm__("ssat %0, #8, %1, asr #1" : "=r"(y) : "r"(y));
  return (int8_t)y;
}

// As the clamp has it, of an output.
ARN__INLINE int8_t arn__dsp_narrow(int8_t y, const arn__dsp_output *o) {
  return (int8_t)(arn__clamp_s32(y - o->zero, o->clamp) + o->zero);
}

ARN__APART static int8_t arn__dsp_general(int32_t sum, arn__requant r, const arn__dsp_output *o) {
  return (int8_t)(arn__clamp_s32(arn__requantise(sum, r), o->clamp) + o->zero);
}

#endif
