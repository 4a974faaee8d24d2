#include "../softmax.h"

#if defined(ARN__X86)

#include "requant_avx2.h"

// exp of eight differences: the table's entry and the next come in one load of 32 bits.
ARN__AVX2 ARN__INLINE __m256i exp_x8(__m256i difference, const arn__requant_x8 *r) {
  const __m256i scaled = arn__requant_x8_apply(difference, r);
  const __m256i least = _mm256_set1_epi32(-65535), none = _mm256_setzero_si256();
  const __m256i bounded = _mm256_min_epi32(_mm256_max_epi32(scaled, least), none);
  const __m256i value = _mm256_add_epi32(bounded, _mm256_set1_epi32(32767));
  const __m256i entry = _mm256_add_epi32(_mm256_srai_epi32(value, 7), _mm256_set1_epi32(256));
  const int32_t *table = (const int32_t *)(const void *)arn__softmax_exp_table;
  const __m256i pair = _mm256_i32gather_epi32(table, entry, 2);
  const __m256i base = _mm256_srai_epi32(_mm256_slli_epi32(pair, 16), 16);
  const __m256i slope = _mm256_sub_epi32(_mm256_srai_epi32(pair, 16), base);
  const __m256i part = _mm256_and_si256(value, _mm256_set1_epi32(127));
  const __m256i rise = _mm256_add_epi32(_mm256_mullo_epi32(slope, part), _mm256_set1_epi32(64));
  return _mm256_add_epi32(base, _mm256_srai_epi32(rise, 7));
}

ARN__AVX2 static uint32_t exp_avx2(const int16_t *in, int16_t *out, uint32_t n, int32_t most,
                                   arn__requant requant) {
  arn__requant all[8];
  arn__requant_x8 r;
  uint32_t lanes[8], sum = 0;
  for (uint32_t i = 0; i < 8; i++) all[i] = requant;
  arn__requant_x8_load(&r, all);
  __m256i sums = _mm256_setzero_si256();
  for (uint32_t i = 0; i < n; i += 8) {
    const __m128i x = _mm_loadu_si128((const __m128i *)(const void *)(in + i));
    const __m256i wide = _mm256_sub_epi32(_mm256_cvtepi16_epi32(x), _mm256_set1_epi32(most));
    const __m256i y = exp_x8(wide, &r);
    const __m128i low = _mm256_castsi256_si128(y), high = _mm256_extracti128_si256(y, 1);
    _mm_storeu_si128((__m128i *)(void *)(out + i), _mm_packs_epi32(low, high));
    sums = _mm256_add_epi32(sums, y);
  }
  _mm256_storeu_si256((__m256i *)(void *)lanes, sums);
  for (uint32_t i = 0; i < 8; i++) sum += lanes[i];
  return sum;
}

uint32_t arn__softmax_exp_s16_x86(const int16_t *in, int16_t *out, uint32_t n, int32_t most,
                                  arn__requant requant) {
  const uint32_t eights = __builtin_cpu_supports("avx2") ? n & ~7u : 0;
  const uint32_t sum = eights > 0 ? exp_avx2(in, out, eights, most, requant) : 0;
  return sum + arn__softmax_exp_s16_portable(in + eights, out + eights, n - eights, most, requant);
}

#endif
