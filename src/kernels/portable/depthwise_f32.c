#include "depthwise_float.h"

ARN__INLINE void visit(const depthwise_pass *p, const depthwise_tap *tap, void *sums) {
  const float *weights = (const float *)p->block->filter + tap->weight;
  float copy[CHANNELS] = {0};
  if (LANES > 1 && tap->weight + CHANNELS > p->conv->filter_count) {
    memcpy(copy, weights, p->block->count * sizeof copy[0]);
    weights = copy;
  }
  depthwise_add_f32(p, tap, weights, sums);
}

ARN__KERNEL void arn__depthwise_row_f32_portable(const arn__conv *conv, const arn__conv_row *row,
                                                 const arn__conv_block *block) {
  depthwise_row_f32(conv, row, block, visit);
}
