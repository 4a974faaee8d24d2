// Requantising to int8 with few instructions, byte for byte as kernels/requant.h has it.
#ifndef ARENITE_SRC_KERNELS_DSP_OUTPUT_H
#define ARENITE_SRC_KERNELS_DSP_OUTPUT_H

#include "simd.h"

// u = arn__high_multiply(sum, q): the upper half of twice the product, and its next bit.
#define ARN__DSP_HIGH(sum, q, t, u)              \
  "smull " t ", " u ", " sum ", " q "\n\t"       \
  "lsls " t ", " t ", #1\n\t"                    \
  "adc " u ", " u ", " u "\n\t"                  \
  "add " u ", " u ", " t ", lsr #31\n\t"

// y = arn__rounding_divide(u, right) + zero, where right > 0. Ties go away from zero: u is less by
// one where it is negative. Then what the shift carries out is the bit that rounds up.
#define ARN__DSP_SHIFT(y, right, zero, t, u)     \
  "add " t ", " u ", " u ", asr #31\n\t"         \
  "asrs " t ", " t ", " right "\n\t"             \
  "adc " y ", " t ", " zero "\n\t"

// Returns the output of a sum, for a multiplier below 1/2: right > 0. It fits int8.
ARN__INLINE int32_t arn__dsp_quick(int32_t sum, int32_t q, int32_t right, int32_t zero) {
  int32_t t, u;
  __asm__(ARN__DSP_HIGH("%[sum]", "%[q]", "%[t]", "%[u]")
          ARN__DSP_SHIFT("%[sum]", "%[right]", "%[zero]", "%[t]", "%[u]")
          "ssat %[sum], #8, %[sum]"
          : [sum] "+r"(sum), [t] "=&r"(t), [u] "=&r"(u)
          : [q] "r"(q), [right] "r"(right), [zero] "r"(zero)
          : "cc");
  return sum;
}

// Returns the output of a sum for any multiplier.
ARN__INLINE int32_t arn__dsp_output(int32_t sum, arn__requant r, int32_t zero) {
  if (r.shift < 0) return arn__dsp_quick(sum, r.q, -r.shift, zero);
  const int32_t high = arn__high_multiply((int32_t)((uint32_t)sum << r.shift), r.q);
  return arn__clamp_s32(high, (arn__clamp){INT8_MIN - zero, INT8_MAX - zero}) + zero;
}

// Says whether a clamp, relative to the zero point, is less than all of int8.
ARN__INLINE bool arn__dsp_is_narrow(arn__clamp clamp, int32_t zero) {
  return clamp.low + zero > INT8_MIN || clamp.high + zero < INT8_MAX;
}

// Clamps outputs.
ARN__INLINE void arn__dsp_narrow(int8_t *out, uint32_t n, arn__clamp clamp, int32_t zero) {
  const int32_t low = clamp.low + zero, high = clamp.high + zero;
  for (const int8_t *const end = out + n; out != end; out++) {
    *out = (int8_t)arn__clamp_s32(*out, (arn__clamp){low, high});
  }
}

#endif
