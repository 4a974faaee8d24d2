// Sums of sixteen output channels with AVX2, in the order in which unpacking leaves them: channels
// 0 to 3 and 8 to 11 in [0], the others in [1]. Weights of two products at a time lie side by side.
#ifndef ARENITE_SRC_KERNELS_X86_CHANNELS_AVX2_H
#define ARENITE_SRC_KERNELS_X86_CHANNELS_AVX2_H

#include "../conv.h"
#include "requant_avx2.h"

#pragma GCC push_options
#pragma GCC target("avx2")

typedef struct arn__channels_x16 {
  uint32_t count;              // channels that are there
  __m256i start[2];            // what sums begin with
  arn__requant_x8 requant[2];
  arn__output_x16 output;
} arn__channels_x16;

// Bounds and zero point of the output.
ARN__INLINE void arn__output_x16_set(arn__output_x16 *o, const arn__conv *s) {
  o->low = _mm256_set1_epi16((int16_t)s->clamp.low);
  o->high = _mm256_set1_epi16((int16_t)s->clamp.high);
  o->zero = _mm256_set1_epi16((int16_t)s->out_zero);
}

// Channels [first, first + 16) of a block, as many as there are; sums begin at the bias.
ARN__INLINE void arn__channels_x16_set(arn__channels_x16 *c, const arn__conv *s,
                                       const arn__conv_block *b, uint32_t first) {
  int32_t bias[16] = {0};
  c->count = b->count - first < 16 ? b->count - first : 16;
  if (b->bias) memcpy(bias, (const int32_t *)b->bias + first, c->count * sizeof bias[0]);
  const __m256i low = _mm256_loadu_si256((const __m256i *)(const void *)bias);
  const __m256i high = _mm256_loadu_si256((const __m256i *)(const void *)(bias + 8));
  c->start[0] = _mm256_permute2x128_si256(low, high, 0x20);
  c->start[1] = _mm256_permute2x128_si256(low, high, 0x31);
  arn__requant_x8_load(&c->requant[0], b->requant + first);
  arn__requant_x8_load(&c->requant[1], b->requant + first + 8);
  arn__requant_x8_cross(&c->requant[0], &c->requant[1]);
  arn__output_x16_set(&c->output, s);
}

// Interleaves the weights of two products, [16] each.
ARN__INLINE void arn__channels_x16_pair(__m256i pair[2], __m128i x, __m128i y) {
  const __m256i a = _mm256_cvtepi8_epi16(x), b = _mm256_cvtepi8_epi16(y);
  pair[0] = _mm256_unpacklo_epi16(a, b);
  pair[1] = _mm256_unpackhi_epi16(a, b);
}

// Requantises sums and writes the channels that are there.
ARN__INLINE void arn__channels_x16_write(const arn__channels_x16 *c, const __m256i sums[2],
                                         int8_t *out) {
  const __m256i low = arn__requant_x8_apply(sums[0], &c->requant[0]);
  const __m256i high = arn__requant_x8_apply(sums[1], &c->requant[1]);
  const __m128i y = arn__output_x16_of(_mm256_packs_epi32(low, high), &c->output);
  if (c->count == 16) {
    _mm_storeu_si128((__m128i *)(void *)out, y);
  } else if (c->count == 8) {
    _mm_storel_epi64((__m128i *)(void *)out, y);
  } else {
    int8_t copy[16];
    _mm_storeu_si128((__m128i *)(void *)copy, y);
    memcpy(out, copy, c->count);
  }
}

#pragma GCC pop_options

#endif
