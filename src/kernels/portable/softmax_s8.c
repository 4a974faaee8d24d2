// Softmax of 8-bit integers in fixed point, bit for bit the reference's. exp is what costs: it is
// computed once where whole vectors fit a block, of which several short ones share one; longer
// vectors compute it for the sum and again for the outputs, or have a table.
#include "softmax_8.h"

typedef arn__softmax_scaling scaling;

// What differs between the outputs: int8 has 8 bits behind the point, int16 has 16.
enum { NARROW = 0, WIDE = 1 };

// 1 / sum: a factor in [1/2, 1] of Q0.31, and how far products with it are shifted right.
typedef struct reciprocal {
  int32_t factor, right;
} reciprocal;

ARN__INLINE reciprocal reciprocal_of(uint64_t sum, uint32_t wide) {
  int32_t right = (wide ? 15 : 23) + 12;
  for (; sum > UINT32_MAX; right++) sum >>= 1;  // from 8192 equal elements on
  const int32_t zeros = arn__fixed_leading_zeros((uint32_t)sum);
  const uint32_t above_one = ((uint32_t)sum << zeros) - (1u << 31);
  return (reciprocal){arn__fixed_one_over((int32_t)above_one), right - zeros};
}

// values / sum, rounded, as int8 or int16. A shift by more than 31 leaves nothing.
ARN__INLINE void store(const int32_t *values, uint8_t *out, uint32_t n, reciprocal r,
                       uint32_t wide, uint8_t flip) {
  const int32_t factor = r.right > 31 ? 0 : r.factor;
  const int32_t right = r.right > 31 ? 31 : r.right;
  const uint32_t half = 1u << (right - 1);
  if (wide) {
    int16_t *to = (int16_t *)(void *)out;
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t y = ((uint32_t)arn__fixed_mul(factor, values[i]) + half) >> right;
      to[i] = (int16_t)((int32_t)(y < 65535u ? y : 65535u) - 32768);
    }
    return;
  }
  const uint8_t zero = flip ^ 0x80u;
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t y = ((uint32_t)arn__fixed_mul(factor, values[i]) + half) >> right;
    out[i] = (uint8_t)((y < 255u ? y : 255u) ^ zero);
  }
}

// `vectors` vectors that fit a block together.
ARN__INLINE void short_vectors(const int8_t *in, uint8_t *out, arn__softmax_span span,
                               const scaling *s, uint32_t wide) {
  int32_t values[ARN__SOFTMAX_BLOCK];
  const uint32_t depth = span.depth, count = span.vectors * depth;
  for (uint32_t at = 0; at < count; at += depth) {
    differences(in + at, values + at, depth, largest(in + at, depth, s->flip), s->flip);
  }
  exponentials(values, count, s);
  for (uint32_t at = 0; at < count; at += depth) {
    const reciprocal r = reciprocal_of(sum_of(values + at, depth), wide);
    store(values + at, out + (at << wide), depth, r, wide, s->flip);
  }
}

// One vector longer than a block.
ARN__INLINE void long_vector(const int8_t *in, uint8_t *out, uint32_t depth, const scaling *s,
                             uint32_t wide) {
  int32_t values[ARN__SOFTMAX_BLOCK];
  const int32_t most = largest(in, depth, s->flip);
  const reciprocal r = reciprocal_of(sum_of_exponentials(in, depth, most, s, values), wide);
  for (uint32_t i = 0; i < depth; i += ARN__SOFTMAX_BLOCK) {
    const uint32_t n = depth - i < ARN__SOFTMAX_BLOCK ? depth - i : ARN__SOFTMAX_BLOCK;
    differences(in + i, values, n, most, s->flip);
    exponentials(values, n, s);
    store(values, out + ((size_t)i << wide), n, r, wide, s->flip);
  }
}

ARN__INLINE void all_vectors(const arn__softmax_span *span, const scaling *s, uint32_t wide) {
  const int8_t *in = span->in;
  uint8_t *out = span->out;
  const uint32_t depth = span->depth;
  const uint32_t together = depth > ARN__SOFTMAX_BLOCK ? 1 : ARN__SOFTMAX_BLOCK / depth;
  for (uint32_t v = 0; v < span->vectors; v += together) {
    arn__softmax_span part = *span;
    part.vectors = span->vectors - v < together ? span->vectors - v : together;
    const size_t at = (size_t)v * depth;
    if (depth > ARN__SOFTMAX_BLOCK) {
      long_vector(in + at, out + (at << wide), depth, s, wide);
    } else {
      short_vectors(in + at, out + (at << wide), part, s, wide);
    }
  }
}

ARN__KERNEL void arn__softmax_s8(const arn__softmax_span *span, const arn__softmax_scaling *s) {
  all_vectors(span, s, NARROW);
}

ARN__KERNEL void arn__softmax_s8_s16(const arn__softmax_span *span,
                                     const arn__softmax_scaling *s) {
  all_vectors(span, s, WIDE);
}
