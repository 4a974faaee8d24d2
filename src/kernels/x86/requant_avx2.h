// Requantising eight sums at a time with AVX2, each with its own multiplier.
#ifndef ARENITE_SRC_KERNELS_X86_REQUANT_AVX2_H
#define ARENITE_SRC_KERNELS_X86_REQUANT_AVX2_H

#include <immintrin.h>

#include "../kernel.h"

#pragma GCC push_options
#pragma GCC target("avx2")

// Eight multipliers, taken apart.
typedef struct arn__requant_x8 {
  __m256i q, left, right, mask;  // left and right shift; 2^right - 1
} arn__requant_x8;

// What makes outputs of requantised sums.
typedef struct arn__output_x16 {
  __m256i low, high, zero;  // int16; the clamp is relative to the zero point
} arn__output_x16;

ARN__INLINE void arn__requant_x8_load(arn__requant_x8 *out, const arn__requant *r) {
  const __m256i a = _mm256_loadu_si256((const __m256i *)(const void *)r);
  const __m256i b = _mm256_loadu_si256((const __m256i *)(const void *)(r + 4));
  const __m256 x = _mm256_castsi256_ps(a), y = _mm256_castsi256_ps(b);
  const __m256i q = _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0x88));
  const __m256i mixed = _mm256_castps_si256(_mm256_shuffle_ps(x, y, 0xDD));
  const __m256i shift = _mm256_permute4x64_epi64(mixed, 0xD8);
  const __m256i one = _mm256_set1_epi32(1);
  out->q = _mm256_permute4x64_epi64(q, 0xD8);
  out->left = _mm256_max_epi32(shift, _mm256_setzero_si256());
  out->right = _mm256_sub_epi32(out->left, shift);
  out->mask = _mm256_sub_epi32(_mm256_sllv_epi32(one, out->right), one);
}

// Puts channels 0 to 3 and 8 to 11 of two neighbours into the first, the others into the second:
// the order in which unpacking leaves them.
ARN__INLINE void arn__requant_x8_cross(arn__requant_x8 *a, arn__requant_x8 *b) {
  const arn__requant_x8 x = *a, y = *b;
  a->q = _mm256_permute2x128_si256(x.q, y.q, 0x20);
  b->q = _mm256_permute2x128_si256(x.q, y.q, 0x31);
  a->left = _mm256_permute2x128_si256(x.left, y.left, 0x20);
  b->left = _mm256_permute2x128_si256(x.left, y.left, 0x31);
  a->right = _mm256_permute2x128_si256(x.right, y.right, 0x20);
  b->right = _mm256_permute2x128_si256(x.right, y.right, 0x31);
  a->mask = _mm256_permute2x128_si256(x.mask, y.mask, 0x20);
  b->mask = _mm256_permute2x128_si256(x.mask, y.mask, 0x31);
}

// As arn__requantise(): the products of the even elements and of the odd ones, then the division.
ARN__INLINE __m256i arn__requant_x8_apply(__m256i sums, const arn__requant_x8 *r) {
  const __m256i x = _mm256_sllv_epi32(sums, r->left), nudge = _mm256_set1_epi64x(1 << 30);
  const __m256i even = _mm256_add_epi64(_mm256_mul_epi32(x, r->q), nudge);
  const __m256i odd = _mm256_add_epi64(
      _mm256_mul_epi32(_mm256_srli_epi64(x, 32), _mm256_srli_epi64(r->q, 32)), nudge);
  const __m256i high =
      _mm256_blend_epi32(_mm256_srli_epi64(even, 31), _mm256_slli_epi64(odd, 1), 0xAA);
  const __m256i half = _mm256_sub_epi32(_mm256_srli_epi32(r->mask, 1), _mm256_srai_epi32(high, 31));
  const __m256i above = _mm256_cmpgt_epi32(_mm256_and_si256(high, r->mask), half);
  return _mm256_sub_epi32(_mm256_srav_epi32(high, r->right), above);
}

// Sixteen requantised sums become int8: `packed` holds what packs_epi32 leaves of them.
ARN__INLINE __m128i arn__output_x16_of(__m256i packed, const arn__output_x16 *o) {
  const __m256i y = _mm256_min_epi16(_mm256_max_epi16(packed, o->low), o->high);
  const __m256i z = _mm256_add_epi16(y, o->zero);
  return _mm_packs_epi16(_mm256_castsi256_si128(z), _mm256_extracti128_si256(z, 1));
}

#pragma GCC pop_options

#endif
