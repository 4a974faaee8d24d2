// The fixed-point functions of fixed.h for eight numbers at a time, with AVX2. Compilers make
// nearly the same of portable loops, except for the products of 64 bits, where they shuffle across
// the halves of registers: that costs half of the time.
#ifndef ARENITE_SRC_KERNELS_X86_FIXED_AVX2_H
#define ARENITE_SRC_KERNELS_X86_FIXED_AVX2_H

#include <immintrin.h>

#include "../fixed.h"

typedef int32_t arn__fixed_x8 __attribute__((vector_size(32)));

#pragma GCC push_options
#pragma GCC target("avx2")

ARN__INLINE arn__fixed_x8 arn__fixed_x8_of(int32_t x) {
  return (arn__fixed_x8)_mm256_set1_epi32(x);
}

// Eight int8 elements, from memory and (saturated) back.
ARN__INLINE arn__fixed_x8 arn__fixed_x8_load_s8(const int8_t *in) {
  return (arn__fixed_x8)_mm256_cvtepi8_epi32(_mm_loadl_epi64((const __m128i *)(const void *)in));
}

ARN__INLINE void arn__fixed_x8_store_s8(int8_t *out, arn__fixed_x8 x) {
  const __m128i low = _mm256_castsi256_si128((__m256i)x);
  const __m128i halves = _mm_packs_epi32(low, _mm256_extracti128_si256((__m256i)x, 1));
  _mm_storel_epi64((__m128i *)(void *)out, _mm_packs_epi16(halves, halves));
}

// Products of the even elements and of the odd ones, rounded, and their halves put together again.
ARN__INLINE arn__fixed_x8 arn__fixed_x8_mul(arn__fixed_x8 a, arn__fixed_x8 b) {
  const __m256i nudge = _mm256_set1_epi64x(1 << 30);
  const __m256i x = (__m256i)a, y = (__m256i)b;
  const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, y), nudge);
  const __m256i odd = _mm256_add_epi64(
      _mm256_mul_epi32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(y, 32)), nudge);
  return (arn__fixed_x8)_mm256_blend_epi32(_mm256_srli_epi64(even, 31),
                                           _mm256_slli_epi64(odd, 1), 0xAA);
}

// As arn__rounding_divide(). Comparisons are -1 where they hold.
ARN__INLINE arn__fixed_x8 arn__fixed_x8_divide(arn__fixed_x8 x, int32_t exponent) {
  const int32_t mask = (int32_t)((UINT32_C(1) << exponent) - 1u);
  const arn__fixed_x8 above = (x & mask) > (mask >> 1) - (x < 0);
  return (arn__fixed_x8)_mm256_srai_epi32((__m256i)x, exponent) - above;
}

// As arn__requantise().
ARN__INLINE arn__fixed_x8 arn__fixed_x8_requantise(arn__fixed_x8 x, arn__requant r) {
  const int32_t left = r.shift > 0 ? r.shift : 0, right = r.shift > 0 ? 0 : -r.shift;
  const arn__fixed_x8 shifted = (arn__fixed_x8)_mm256_slli_epi32((__m256i)x, left);
  return arn__fixed_x8_divide(arn__fixed_x8_mul(shifted, arn__fixed_x8_of(r.q)), right);
}

ARN__INLINE arn__fixed_x8 arn__fixed_x8_select(arn__fixed_x8 c, arn__fixed_x8 a,
                                               arn__fixed_x8 b) {
  return (arn__fixed_x8)_mm256_blendv_epi8((__m256i)b, (__m256i)a, (__m256i)c);
}

#define FIXED_LANE arn__fixed_x8
#define FIXED(name) arn__fixed_x8_##name
#define FIXED_ALL(x) arn__fixed_x8_of(x)
#define FIXED_MUL(a, b) arn__fixed_x8_mul(a, b)
#define FIXED_SELECT(c, a, b) arn__fixed_x8_select((arn__fixed_x8)(c), a, b)
#define FIXED_SHIFT(a, n) ((arn__fixed_x8)_mm256_slli_epi32((__m256i)(a), n))
#include "../fixed_body.h"
#undef FIXED_LANE
#undef FIXED
#undef FIXED_ALL
#undef FIXED_MUL
#undef FIXED_SELECT
#undef FIXED_SHIFT

#pragma GCC pop_options

#endif
