#include "conv_widen.h"
#include "depthwise_float.h"

ARN__INLINE void visit(const depthwise_pass *p, const depthwise_tap *tap, void *sums) {
  float weights[CHANNELS] = {0};
  conv_widen_weights(p->conv, p->block->filter, tap->weight, p->block->count, weights);
  depthwise_add_f32(p, tap, weights, sums);
}

ARN__KERNEL void arn__depthwise_row_f32_any_portable(const arn__conv *conv,
                                                     const arn__conv_row *row,
                                                     const arn__conv_block *block) {
  depthwise_row_f32(conv, row, block, visit);
}
