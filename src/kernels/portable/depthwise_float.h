// The body of the float depthwise kernels. All channels of the block go through a tap of the kernel
// side by side; where LANES > 1, CHANNELS of them are computed, and read in place where memory goes
// on. Every sum runs in the order of the filter.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_DEPTHWISE_FLOAT_H
#define ARENITE_SRC_KERNELS_PORTABLE_DEPTHWISE_FLOAT_H

#include "depthwise_pass.h"

// Returns the elements of a tap: in the row, or in `copy`.
ARN__INLINE const float *depthwise_in_f32(const depthwise_pass *p, const depthwise_tap *tap,
                                          float *copy) {
  const uint32_t end = (uint32_t)(p->conv->in_width * p->conv->in_channels);
  const float *in = (const float *)(const void *)tap->row + tap->in;
  if (p->one_to_one && (LANES == 1 || tap->in + CHANNELS <= end)) return in;
  for (uint32_t c = 0; c < p->block->count; c++) copy[c] = in[p->one_to_one ? c : p->in_of[c]];
  return copy;
}

// Adds the products of a tap and of weights [CHANNELS] to sums [CHANNELS].
ARN__INLINE void depthwise_add_f32(const depthwise_pass *p, const depthwise_tap *tap,
                                   const float *weights, float *sums) {
  float copy[CHANNELS] = {0};
  const float *in = depthwise_in_f32(p, tap, copy);
  const uint32_t count = LANES > 1 ? CHANNELS : p->block->count;
  ARN__CONV_LOOP for (uint32_t c = 0; c < count; c++) sums[c] += in[c] * weights[c];
}

ARN__INLINE void depthwise_finish_f32(const arn__conv *s, const arn__conv_block *b,
                                      const float *sums, float *out) {
  const float *bias = b->bias, *scale = b->scale;
  for (uint32_t c = 0; c < b->count; c++) {
    float y = sums[c];
    if (scale) y *= scale[c];
    if (bias) y += bias[c];
    y = y < s->low ? s->low : y;
    out[c] = s->high < y ? s->high : y;
  }
}

// The filter is the pass's.
ARN__INLINE void depthwise_pass_f32(const depthwise_pass *p, const arn__conv *s,
                                    const arn__conv_row *r, const arn__conv_block *b,
                                    depthwise_visit *visit) {
  float *out = (float *)r->out + b->first;
  for (uint32_t i = 0; i < r->columns; i++) {
    float sums[CHANNELS] = {0};
    depthwise_taps(p, r, (int32_t)(r->column + i) * s->stride - s->pad, visit, sums);
    depthwise_finish_f32(s, b, sums, out);
    out += s->out_channels;
  }
}

ARN__INLINE void depthwise_row_f32(const arn__conv *s, const arn__conv_row *r,
                                   const arn__conv_block *b, depthwise_visit *visit) {
  const depthwise_pass p = depthwise_pass_of(s, b);
  depthwise_pass_f32(&p, s, r, b, visit);
}

#endif
