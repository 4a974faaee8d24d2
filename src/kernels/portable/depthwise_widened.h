// Filters of other types: the block's weights are widened once a row, where they are few enough, to
// a filter of the kernel's own type on the stack.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_DEPTHWISE_WIDENED_H
#define ARENITE_SRC_KERNELS_PORTABLE_DEPTHWISE_WIDENED_H

#include "depthwise_pass.h"

// A row, a block and a convolution of which the filter is the widened one.
typedef struct depthwise_widened {
  arn__conv conv;
  arn__conv_row row;
  arn__conv_block block;
  uint32_t taps;         // of the kernel rows that lie inside the image
  uint32_t at, step;     // of the first tap in the filter of the model, and to the next
} depthwise_widened;

ARN__INLINE void depthwise_widen(depthwise_widened *w, const arn__conv *conv,
                                 const arn__conv_row *row, const arn__conv_block *block,
                                 const void *filter) {
  const uint32_t width = (uint32_t)conv->kernel_width;
  w->conv = *conv;
  w->row = *row;
  w->block = *block;
  w->step = (uint32_t)conv->out_channels;
  w->taps = row->count * width;
  w->at = block->filter_at + row->kernel_row * width * w->step;
  w->row.kernel_row = 0;
  w->conv.out_channels = (int32_t)CHANNELS;  // of the filter; pixels are the caller's business
  w->conv.filter_count = w->taps * CHANNELS;
  w->block.filter = filter;
  w->block.filter_at = 0;
}

// The pass over it: channels are those of the model.
ARN__INLINE depthwise_pass depthwise_widened_pass(const depthwise_widened *w,
                                                  const arn__conv *conv,
                                                  const arn__conv_block *block) {
  depthwise_pass p = depthwise_pass_of(conv, block);
  p.conv = &w->conv;
  p.block = &w->block;
  return p;
}

#endif
