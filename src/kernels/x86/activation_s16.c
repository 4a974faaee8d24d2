#include "../activation.h"

#if defined(ARN__X86)

#include "fixed_avx2.h"

// Eight int16 elements, from memory and (their low halves) back.
ARN__AVX2 ARN__INLINE arn__fixed_x8 load_x8(const int16_t *in) {
  return (arn__fixed_x8)_mm256_cvtepi16_epi32(_mm_loadu_si128((const __m128i *)(const void *)in));
}

ARN__AVX2 ARN__INLINE void store_x8(int16_t *out, arn__fixed_x8 x) {
  const __m128i low = _mm256_castsi256_si128((__m256i)x);
  const __m128i high = _mm256_extracti128_si256((__m256i)x, 1);
  _mm_storeu_si128((__m128i *)(void *)out, _mm_packs_epi32(low, high));
}

ARN__AVX2 ARN__INLINE arn__fixed_x8 scale_in(arn__fixed_x8 x, const arn__activation_lookup *p) {
  const int32_t half = p->shift > 0 ? 1 << (p->shift - 1) : 0;
  return (arn__fixed_x8)_mm256_srai_epi32((__m256i)(x * p->multiplier + half), p->shift);
}

// The table at |x| in units of 2^-bits entries, and `end` from entry 255 on. One load of 32 bits
// gets an entry and the next.
ARN__AVX2 ARN__INLINE arn__fixed_x8 look_up_x8(arn__fixed_x8 x, int32_t bits, int32_t end) {
  const __m256i at = _mm256_abs_epi32((__m256i)x);
  const __m256i entry = _mm256_srli_epi32(at, bits);
  const __m256i inside = _mm256_min_epu32(entry, _mm256_set1_epi32(254));
  const int32_t *table = (const int32_t *)(const void *)arn__activation_sigmoid;
  const __m256i pair = _mm256_i32gather_epi32(table, inside, 2);
  const arn__fixed_x8 low = (arn__fixed_x8)(pair & _mm256_set1_epi32(0xFFFF));
  const arn__fixed_x8 slope = (arn__fixed_x8)_mm256_srli_epi32(pair, 16) - low;
  const arn__fixed_x8 part = (arn__fixed_x8)at & ((1 << bits) - 1);
  const arn__fixed_x8 y = (low << bits) + part * slope;
  const arn__fixed_x8 beyond = (arn__fixed_x8)entry > 254;
  return arn__fixed_x8_select(beyond, arn__fixed_x8_of(end), y);
}

ARN__AVX2 ARN__INLINE arn__fixed_x8 logistic_s16_x8(arn__fixed_x8 x,
                                                    const arn__activation_lookup *p) {
  x = scale_in(x, p);
  const arn__fixed_x8 y = look_up_x8(x, 9, 0x7FFF << 10);
  const arn__fixed_x8 positive = y + (1 << 9), negative = (1 << 25) - y + ((1 << 9) - 1);
  return arn__fixed_x8_select(x < 0, negative, positive) >> 10;
}

ARN__AVX2 ARN__INLINE arn__fixed_x8 tanh_s16_x8(arn__fixed_x8 x,
                                                const arn__activation_lookup *p) {
  x = scale_in(x, p);
  const arn__fixed_x8 y = look_up_x8(x, 8, 0xFFFF << 8) - (1 << 23);
  const arn__fixed_x8 positive = y + (1 << 7), negative = ((1 << 7) - 1) - y;
  return arn__fixed_x8_select(x < 0, negative, positive) >> 8;
}

// Applies a function of eight elements to all: what is left over goes through a copy.
typedef arn__fixed_x8 function_s16_x8(arn__fixed_x8 x, const arn__activation_lookup *p);

ARN__AVX2 ARN__INLINE void apply_s16(function_s16_x8 *eight, const int16_t *in, int16_t *out,
                                     uint32_t count, const arn__activation_lookup *p) {
  int16_t rest[8] = {0};
  uint32_t i = 0;
  for (; i + 8 <= count; i += 8) store_x8(out + i, eight(load_x8(in + i), p));
  memcpy(rest, in + i, 2 * (count - i));
  store_x8(rest, eight(load_x8(rest), p));
  memcpy(out + i, rest, 2 * (count - i));
}

ARN__AVX2 static void logistic_s16_avx2(const void *in, void *out, uint32_t count,
                                        const arn__activation_lookup *p) {
  apply_s16(logistic_s16_x8, in, out, count, p);
}

ARN__AVX2 static void tanh_s16_avx2(const void *in, void *out, uint32_t count,
                                    const arn__activation_lookup *p) {
  apply_s16(tanh_s16_x8, in, out, count, p);
}

void arn__activation_logistic_s16_x86(const void *in, void *out, uint32_t count,
                                      const void *params) {
  if (__builtin_cpu_supports("avx2")) {
    logistic_s16_avx2(in, out, count, params);
  } else {
    arn__activation_logistic_s16_portable(in, out, count, params);
  }
}

void arn__activation_tanh_s16_x86(const void *in, void *out, uint32_t count, const void *params) {
  if (__builtin_cpu_supports("avx2")) {
    tanh_s16_avx2(in, out, count, params);
  } else {
    arn__activation_tanh_s16_portable(in, out, count, params);
  }
}

#endif
