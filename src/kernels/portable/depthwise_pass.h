// What portable depthwise kernels have in common: which input channels a block of output channels
// reads, and a walk over the taps of a window that are inside the image.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_DEPTHWISE_PASS_H
#define ARENITE_SRC_KERNELS_PORTABLE_DEPTHWISE_PASS_H

#include "../depthwise.h"

#define LANES ARN__CONV_LANES
#define CHANNELS ARN__DEPTHWISE_CHANNELS

// The block in the kernel's terms.
typedef struct depthwise_pass {
  const arn__conv *conv;
  const arn__conv_block *block;
  uint32_t in_first;       // first input channel
  bool one_to_one;         // output channel c reads input channel c
  uint8_t in_of[CHANNELS]; // else: the input channel it reads, relative to in_first
} depthwise_pass;

ARN__INLINE depthwise_pass depthwise_pass_of(const arn__conv *s, const arn__conv_block *b) {
  depthwise_pass p = {.conv = s, .block = b, .in_first = b->first, .one_to_one = s->group == 1};
  if (p.one_to_one) return p;
  const uint32_t group = (uint32_t)s->group;
  p.in_first = b->first / group;
  uint32_t in = 0, out = b->first % group;
  for (uint32_t c = 0; c < b->count; c++) {
    p.in_of[c] = (uint8_t)in;
    if (++out == group) {
      out = 0;
      in++;
    }
  }
  return p;
}

// A tap inside the image.
typedef struct depthwise_tap {
  const uint8_t *row;  // input row
  uint32_t in;         // element of the row where the block's first input channel is
  uint32_t weight;     // element of the filter where the block's first weight is
} depthwise_tap;

// Adds a tap's products to the kernel's sums.
typedef void depthwise_visit(const depthwise_pass *p, const depthwise_tap *tap, void *sums);

// Visits the taps, inside the image, of the window that begins at input pixel `x`.
ARN__INLINE void depthwise_taps(const depthwise_pass *p, const arn__conv_row *r, int32_t x,
                                depthwise_visit *visit, void *sums) {
  const arn__conv *s = p->conv;
  const uint32_t step = (uint32_t)s->out_channels;
  uint32_t weight = p->block->filter_at + r->kernel_row * (uint32_t)s->kernel_width * step;
  for (uint32_t ky = 0; ky < r->count; ky++) {
    const uint8_t *row = arn_row(&r->input, r->first + ky * r->step);
    int32_t pixel = x;
    for (int32_t kx = 0; kx < s->kernel_width; kx++, pixel += s->dilation, weight += step) {
      if (pixel < 0 || pixel >= s->in_width) continue;
      const uint32_t in = (uint32_t)(pixel * s->in_channels) + p->in_first;
      const depthwise_tap tap = {row, in, weight};
      visit(p, &tap, sums);
    }
  }
}

#endif
