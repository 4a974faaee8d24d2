#define CHUNK 48u  // elements of a window at a time

#include "conv_float.h"

// Four channels, `step` weights apart, share the loads of the windows.
ARN__INLINE void multiply_4(float *sums, const float *x, const float *w, size_t step,
                            uint32_t n) {
  const float *w1 = w + step, *w2 = w1 + step, *w3 = w2 + step;
  arn__lanes s[4], a;
  memcpy(s, sums, sizeof s);
  for (uint32_t i = 0; i < n; i++) {
    memcpy(&a, x + i * PIXELS, sizeof a);
    s[0] += a * w[i];
    s[1] += a * w1[i];
    s[2] += a * w2[i];
    s[3] += a * w3[i];
  }
  memcpy(sums, s, sizeof s);
}

ARN__INLINE void multiply(const conv_pass *p, conv_tile *tile, uint32_t w, uint32_t n) {
  const uint32_t step = p->conv->filter_step;
  const float *weights = (const float *)p->block->filter + w;
  uint32_t c = 0;
  for (; c + 4 <= p->block->count; c += 4, weights += 4 * (size_t)step) {
    multiply_4(tile->sums + c * PIXELS, tile->window, weights, step, n);
  }
  for (; c < p->block->count; c++, weights += step) {
    conv_multiply_1(tile->sums + c * PIXELS, tile->window, weights, n);
  }
}

ARN__KERNEL void arn__conv_row_f32_portable(const arn__conv *conv, const arn__conv_row *row,
                                            const arn__conv_block *block) {
  conv_row_float(conv, row, block, multiply);
}
