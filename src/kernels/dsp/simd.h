// Words of four bytes and of two halfwords, for the kernels of the DSP extension.
#ifndef ARENITE_SRC_KERNELS_DSP_SIMD_H
#define ARENITE_SRC_KERNELS_DSP_SIMD_H

#include <arm_acle.h>

#include "../kernel.h"

// Put before functions that would suffer from becoming part of their caller: registers are few.
#define ARN__APART __attribute__((noinline))

// Four bytes, at any address.
ARN__INLINE uint32_t arn__dsp_load(const void *from) {
  uint32_t word;
  memcpy(&word, from, sizeof word);
  return word;
}

// Up to four bytes, then zeros.
ARN__INLINE uint32_t arn__dsp_load_some(const void *from, uint32_t n) {
  const uint8_t *bytes = from;
  uint32_t word = 0;
  while (n-- > 0) word = word << 8 | bytes[n];
  return word;
}

// Up to three bytes, then zero points; minus_zero as arn__dsp_minus() has it.
ARN__INLINE uint32_t arn__dsp_load_padded(const void *from, uint32_t n, uint32_t minus_zero) {
  const uint32_t zeros = ((0u - minus_zero) & 0xFF) * 0x01010101u;
  return arn__dsp_load_some(from, n) | zeros << 8 * n;
}

// The halfwords of `to` plus bytes 0 and 2 (even) or 1 and 3 (odd) of `word`, as signed numbers.
// The compiler does not know that the rotation is free.
ARN__INLINE uint32_t arn__dsp_even(uint32_t to, uint32_t word) {
  uint32_t pair;
  __asm__("sxtab16 %0, %1, %2" : "=r"(pair) : "r"(to), "r"(word));
  return pair;
}
ARN__INLINE uint32_t arn__dsp_odd(uint32_t to, uint32_t word) {
  uint32_t pair;
  __asm__("sxtab16 %0, %1, %2, ror #8" : "=r"(pair) : "r"(to), "r"(word));
  return pair;
}
ARN__INLINE void arn__dsp_widen(uint32_t *even, uint32_t *odd, uint32_t word, uint32_t to) {
  const uint32_t first = arn__dsp_even(to, word);
  *odd = arn__dsp_odd(to, word);
  *even = first;
}
// The low halves of two words, that of `a` below; and the high halves.
ARN__INLINE uint32_t arn__dsp_lows(uint32_t a, uint32_t b) {
  uint32_t pair;
  __asm__("pkhbt %0, %1, %2, lsl #16" : "=r"(pair) : "r"(a), "r"(b));
  return pair;
}
ARN__INLINE uint32_t arn__dsp_highs(uint32_t a, uint32_t b) {
  uint32_t pair;
  __asm__("pkhtb %0, %2, %1, asr #16" : "=r"(pair) : "r"(a), "r"(b));
  return pair;
}

// The same bytes as halfwords.
ARN__INLINE uint32_t arn__dsp_even_of(uint32_t word) {
  uint32_t pair;
  __asm__("sxtb16 %0, %1" : "=r"(pair) : "r"(word));
  return pair;
}
ARN__INLINE uint32_t arn__dsp_odd_of(uint32_t word) {
  uint32_t pair;
  __asm__("sxtb16 %0, %1, ror #8" : "=r"(pair) : "r"(word));
  return pair;
}

// sum + x.low * y.low + x.high * y.high; the first product alone; the second; wrapping. (The
// builtins would set a flag.)
ARN__INLINE int32_t arn__dsp_products(int32_t sum, uint32_t x, uint32_t y) {
  __asm__("smlad %0, %1, %2, %0" : "+r"(sum) : "r"(x), "r"(y));
  return sum;
}
ARN__INLINE int32_t arn__dsp_low_product(int32_t sum, uint32_t x, uint32_t y) {
  __asm__("smlabb %0, %1, %2, %0" : "+r"(sum) : "r"(x), "r"(y));
  return sum;
}
ARN__INLINE int32_t arn__dsp_high_product(int32_t sum, uint32_t x, uint32_t y) {
  __asm__("smlatt %0, %1, %2, %0" : "+r"(sum) : "r"(x), "r"(y));
  return sum;
}

// Both halfwords -x.
ARN__INLINE uint32_t arn__dsp_minus(int32_t x) { return (uint32_t)(uint16_t)-x * 0x10001u; }

#endif
