// Requantisation: from an int32 or int64 accumulator to a quantised value. The arithmetic of the
// reference kernels (two-step rounding), as stated in docs/numerics.md.
#ifndef ARENITE_SRC_KERNELS_REQUANT_H
#define ARENITE_SRC_KERNELS_REQUANT_H

#include <stdbool.h>
#include <stdint.h>

// A real multiplier q * 2^(shift - 31), |q| in [2^30, 2^31) or 0 (-2^31 also occurs). Negative ones
// come from filters with a negative scale, which converters have been seen to write.
typedef struct arn__requant {
  int32_t q;
  int32_t shift;
} arn__requant;

// Bounds of the output after its zero point was added.
typedef struct arn__clamp {
  int32_t low, high;
} arn__clamp;

static inline int32_t arn__clamp_s32(int32_t x, arn__clamp c) {
  x = x < c.low ? c.low : x;
  return x > c.high ? c.high : x;
}

// Saturating rounding doubling high multiply. Nothing saturates unless a and q are both -2^31,
// which is left to wrap; rounding half up is what the reference's sign-dependent nudge with
// truncating division comes to.
static inline int32_t arn__high_multiply(int32_t a, int32_t q) {
  return (int32_t)(((int64_t)a * q + (INT64_C(1) << 30)) >> 31);
}

// Divides by 2^exponent, ties away from zero. 0 <= exponent <= 31.
static inline int32_t arn__rounding_divide(int32_t x, int32_t exponent) {
  const int32_t mask = (int32_t)((UINT32_C(1) << exponent) - 1u);
  const int32_t threshold = (mask >> 1) + (x < 0);
  return (x >> exponent) + ((x & mask) > threshold);
}

static inline int32_t arn__requantise(int32_t acc, arn__requant r) {
  const int32_t left = r.shift > 0 ? r.shift : 0;
  const int32_t right = r.shift > 0 ? 0 : -r.shift;
  const int32_t shifted = (int32_t)((uint32_t)acc << left);
  return arn__rounding_divide(arn__high_multiply(shifted, r.q), right);
}

// 64-bit accumulators (16-bit activations). Exact for |acc| < 2^47 and shifts below 15; beyond,
// where no valid model gets, the result is meaningless but defined.
static inline int32_t arn__requantise_s64(int64_t acc, arn__requant r) {
  const uint64_t q = (uint64_t)(r.q < 0x7FFF0000 ? (r.q + (1 << 15)) >> 16 : 0x7FFF);
  const int32_t total = r.shift < 15 ? 15 - r.shift : 1;
  return (int32_t)((int64_t)((uint64_t)acc * q + (UINT64_C(1) << (total - 1))) >> total);
}

// Splits a real multiplier (prepare; round half away from zero, as the reference). 0 gives {0, 0}.
arn__requant arn__requant_of(double real);

// Returns a * b / divisor * 2^exponent, split: bit for bit arn__requant_of of the same in double
// arithmetic, by integers, for machines without doubles. Any floats will do: infinity gives the
// largest multiplier, no number gives 0.
arn__requant arn__requant_ratio(float a, float b, float divisor, int32_t exponent);

// Splits a float; infinity becomes the largest multiplier.
static inline arn__requant arn__requant_of_float(float real) {
  return arn__requant_ratio(real, 1.0f, 1.0f, 0);
}

// How a source's multipliers are made.
enum {
  ARN__REQUANT_ONE = 0,      // one for all channels
  ARN__REQUANT_ANY = 1,      // one a channel
  ARN__REQUANT_REGULAR = 2,  // one a channel, all of the usual kind: the fast way
};

// Per-channel multipliers that are never stored: the file's filter scales (float32, in flash)
// become multipliers when a block of channels is computed, at about 25 instructions a channel.
typedef struct arn__requant_source {
  uint32_t scales_at;   // of the filter's scales in the file; 0: `one` for all channels
  uint32_t step;        // ARN__REQUANT_...
  float in_scale, out_scale;
  uint32_t ratio_high, ratio_low;  // in_scale / out_scale, normalised, as 64-bit fixed point
  int32_t ratio_exponent;
  arn__requant one;
} arn__requant_source;

// Fills `out` for channels [first, first + count). Bit for bit equal to
// arn__requant_of((double)in_scale * (double)scale[c] / (double)out_scale).
// `file` is the start of the model file, and scales lie in it at multiples of 4.
void arn__requant_fill(const arn__requant_source *source, const uint8_t *file, uint32_t first,
                       uint32_t count, arn__requant *out);

// Prepares a source from scales. Returns false where in_scale or out_scale is not positive and
// finite, or one of the filter's scales is not finite. Those may be negative or zero, as the
// reference has it.
bool arn__requant_source_init(arn__requant_source *source, const uint8_t *file, uint32_t scales_at,
                              uint32_t scale_count, float in_scale, float out_scale);

#endif
