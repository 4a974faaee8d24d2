#include "../fmath.h"
#include "../lanes.h"
#include "../softmax.h"

// Sums and maxima of long vectors go to lanes side by side, so that compilers need no leave to
// reorder them.
ARN__INLINE float largest(const float *in, uint32_t n) {
  float most = in[0];
  uint32_t i = 0;
  if (n >= ARN__LANES) {
    arn__lanes lanes;
    memcpy(&lanes, in, sizeof lanes);
    for (i = ARN__LANES; i + ARN__LANES <= n; i += ARN__LANES) arn__lanes_largest(&lanes, in + i);
    for (uint32_t j = 0; j < ARN__LANES; j++) {
      most = arn__lanes_at(&lanes, j) > most ? arn__lanes_at(&lanes, j) : most;
    }
  }
  for (; i < n; i++) most = in[i] > most ? in[i] : most;
  return most;
}

ARN__INLINE float sum_of(const float *in, uint32_t n) {
  arn__lanes lanes = {0};
  uint32_t i = 0;
  for (; i + ARN__LANES <= n; i += ARN__LANES) arn__lanes_take(&lanes, in + i);
  float sum = arn__lanes_sum(&lanes);
  for (; i < n; i++) sum += in[i];
  return sum;
}

// Three loops over a group of vectors that stays in the cache; exp runs over all of them at once,
// so that short vectors vectorise too.
ARN__KERNEL static void group(const float *in, float *out, uint32_t vectors, uint32_t depth,
                              float beta) {
  const uint32_t count = vectors * depth;
  for (uint32_t at = 0; at < count; at += depth) {
    const float most = largest(in + at, depth);
    ARN__INDEPENDENT
    for (uint32_t i = at; i < at + depth; i++) out[i] = (in[i] - most) * beta;
  }
  for (uint32_t i = 0; i < count; i++) out[i] = arn__fmath_exp_normal(out[i]);
  for (uint32_t at = 0; at < count; at += depth) {
    const float factor = 1.0f / sum_of(out + at, depth);
    for (uint32_t i = at; i < at + depth; i++) out[i] *= factor;
  }
}

void arn__softmax_f32(const arn__softmax_span *span, float beta) {
  const uint32_t depth = span->depth;
  const uint32_t together = depth < 512 ? 512 / depth : 1;
  for (uint32_t v = 0; v < span->vectors; v += together) {
    const uint32_t n = span->vectors - v < together ? span->vectors - v : together;
    const size_t at = (size_t)v * depth;
    group((const float *)span->in + at, (float *)span->out + at, n, depth, beta);
  }
}

ARN__INLINE void subtract(const float *in, float *out, uint32_t n, float a, float b) {
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < n; i++) out[i] = in[i] - a - b;
}

#define BLOCK (ARN__LANES > 1 ? 512u : 48u)   // values that exp runs over at once
#define TOGETHER (ARN__LANES > 1 ? 32u : 4u)  // vectors at most

// Vectors that fit a block together, or one of any length.
ARN__KERNEL static void log_vectors(const float *in, float *out, uint32_t vectors,
                                    uint32_t depth) {
  float block[BLOCK], most[TOGETHER], sums[TOGETHER];
  for (uint32_t v = 0; v < vectors; v++) {
    most[v] = largest(in + v * depth, depth);
    sums[v] = 0.0f;
  }
  for (uint32_t at = 0; at < depth; at += BLOCK) {
    const uint32_t n = depth - at < BLOCK ? depth - at : BLOCK;
    for (uint32_t v = 0; v < vectors; v++) {
      subtract(in + v * depth + at, block + v * n, n, most[v], 0.0f);
    }
    for (uint32_t i = 0; i < vectors * n; i++) block[i] = arn__fmath_exp_normal(block[i]);
    for (uint32_t v = 0; v < vectors; v++) sums[v] += sum_of(block + v * n, n);
  }
  for (uint32_t v = 0; v < vectors; v++) sums[v] = arn__fmath_log(sums[v]);
  for (uint32_t v = 0; v < vectors; v++) {
    subtract(in + v * depth, out + v * depth, depth, most[v], sums[v]);
  }
}

void arn__softmax_log_f32(const arn__softmax_span *span) {
  const uint32_t fit = BLOCK / span->depth;
  const uint32_t together = fit < 1 ? 1 : fit < TOGETHER ? fit : TOGETHER;
  for (uint32_t v = 0; v < span->vectors; v += together) {
    const uint32_t n = span->vectors - v < together ? span->vectors - v : together;
    const size_t at = (size_t)v * span->depth;
    log_vectors((const float *)span->in + at, (float *)span->out + at, n, span->depth);
  }
}
