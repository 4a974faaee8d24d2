#include "conv_widen.h"
#include "depthwise_float.h"
#include "depthwise_widened.h"

#define MOST_TAPS (LANES > 1 ? 25u : 1u)  // that are widened once a row: hosts have the stack

ARN__INLINE void visit_narrow(const depthwise_pass *p, const depthwise_tap *tap, void *sums) {
  float weights[CHANNELS] = {0};
  conv_widen_weights(p->conv, p->block->filter, tap->weight, p->block->count, weights);
  depthwise_add_f32(p, tap, weights, sums);
}

ARN__INLINE void visit(const depthwise_pass *p, const depthwise_tap *tap, void *sums) {
  depthwise_add_f32(p, tap, (const float *)p->block->filter + tap->weight, sums);
}

ARN__KERNEL void arn__depthwise_row_f32_any_portable(const arn__conv *conv,
                                                     const arn__conv_row *row,
                                                     const arn__conv_block *block) {
  float filter[MOST_TAPS * CHANNELS] = {0};
  depthwise_widened w;
  depthwise_widen(&w, conv, row, block, filter);
  if (w.taps > MOST_TAPS) {
    depthwise_row_f32(conv, row, block, visit_narrow);
    return;
  }
  for (uint32_t t = 0; t < w.taps; t++) {
    conv_widen_weights(conv, block->filter, w.at + t * w.step, block->count,
                       filter + t * CHANNELS);
  }
  const depthwise_pass p = depthwise_widened_pass(&w, conv, block);
  depthwise_pass_f32(&p, conv, &w.row, block, visit);
}
