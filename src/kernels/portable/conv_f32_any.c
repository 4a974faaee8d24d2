#include "conv_widen.h"

#define CHUNK CONV_WIDEN_MAX  // elements of a window at a time

#include "conv_float.h"

ARN__INLINE void multiply(const conv_pass *p, conv_tile *tile, uint32_t w, uint32_t n) {
  float weights[CHUNK];
  for (uint32_t c = 0; c < p->block->count; c++, w += p->conv->filter_step) {
    conv_widen_weights(p->conv, p->block->filter, w, n, weights);
    conv_multiply_1(tile->sums + c * PIXELS, tile->window, weights, n);
  }
}

ARN__KERNEL void arn__conv_row_f32_any_portable(const arn__conv *conv, const arn__conv_row *row,
                                                const arn__conv_block *block) {
  conv_row_float(conv, row, block, multiply);
}
