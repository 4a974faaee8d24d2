// The body of the integer depthwise kernels, with `types` known to the compiler. All channels of
// the block go through a tap of the kernel side by side; where LANES > 1, CHANNELS of them are
// computed, and read in place where memory goes on.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_DEPTHWISE_INT_H
#define ARENITE_SRC_KERNELS_PORTABLE_DEPTHWISE_INT_H

#include "depthwise_pass.h"

#include "conv_sums.h"

// Returns the elements of a tap: in the row, or in `copy`.
ARN__INLINE const void *depthwise_in(const depthwise_pass *p, const depthwise_tap *tap,
                                     uint8_t *copy, conv_types types) {
  const uint32_t bytes = conv_bytes(types), count = p->block->count;
  const uint32_t end = (uint32_t)(p->conv->in_width * p->conv->in_channels);
  const uint8_t *in = tap->row + tap->in * bytes;
  if (p->one_to_one && (LANES == 1 || tap->in + CHANNELS <= end)) return in;
  if (p->one_to_one) memcpy(copy, in, count * bytes);
  for (uint32_t c = 0; c < count && !p->one_to_one; c++) {
    memcpy(copy + c * bytes, in + p->in_of[c] * bytes, bytes);
  }
  return copy;
}

// Returns the weights of a tap: in the filter, or in `copy`.
ARN__INLINE const uint8_t *depthwise_weights(const depthwise_pass *p, uint32_t at, uint8_t *copy,
                                             conv_types types) {
  const uint8_t *filter = p->block->filter;
  const uint32_t count = p->block->count;
  if (types == CONV_S8_S4) {
    for (uint32_t c = 0; c < count; c++) {
      const uint32_t i = at + c;
      copy[c] = (uint8_t)((int8_t)(filter[i / 2] << (i % 2 ? 0 : 4)) >> 4);
    }
    return copy;
  }
  if (LANES == 1 || at + CHANNELS <= p->conv->filter_count) return filter + at;
  memcpy(copy, filter + at, count);
  return copy;
}

// Adds a tap's products to sums [CHANNELS].
ARN__INLINE void depthwise_add(const depthwise_pass *p, const depthwise_tap *tap, int32_t *sums,
                               conv_types types) {
  int16_t in_copy[CHANNELS];
  uint8_t weights_copy[CHANNELS];
  const int32_t zero = p->conv->in_zero, filter_zero = p->conv->filter_zero;
  const void *in = depthwise_in(p, tap, (uint8_t *)in_copy, types);
  const uint8_t *w = depthwise_weights(p, tap->weight, weights_copy, types);
  const uint32_t count = LANES > 1 ? CHANNELS : p->block->count;
  ARN__CONV_LOOP for (uint32_t c = 0; c < count; c++) {
    const int16_t x = conv_element(in, (int32_t)c, zero, types);
    const int16_t y = types == CONV_U8 ? (int16_t)(w[c] - filter_zero) : (int8_t)w[c];
    sums[c] = (int32_t)((uint32_t)sums[c] + (uint32_t)(x * y));
  }
}

// For 8-bit inputs; `visit` adds to sums [CHANNELS] of int32. The filter is the pass's.
ARN__INLINE void depthwise_pass_8(const depthwise_pass *p, const arn__conv *s,
                                  const arn__conv_row *r, const arn__conv_block *b,
                                  depthwise_visit *visit) {
  uint8_t *out = (uint8_t *)r->out + b->first;
  for (uint32_t i = 0; i < r->columns; i++) {
    int32_t s32[CHANNELS];
    const conv_sums sums = {s32, NULL};
    conv_start(s, b, &sums, CONV_S8);
    depthwise_taps(p, r, (int32_t)(r->column + i) * s->stride - s->pad, visit, s32);
    conv_finish(s, b, &sums, out, CONV_S8);
    out += s->out_channels;
  }
}

ARN__INLINE void depthwise_row_8(const arn__conv *s, const arn__conv_row *r,
                                 const arn__conv_block *b, depthwise_visit *visit) {
  const depthwise_pass p = depthwise_pass_of(s, b);
  depthwise_pass_8(&p, s, r, b, visit);
}

#endif
