#include "../widen.h"
#include "depthwise_int.h"
#include "depthwise_widened.h"

#define MOST_TAPS 12u  // that are unpacked: 192 bytes

ARN__INLINE void visit_packed(const depthwise_pass *p, const depthwise_tap *tap, void *sums) {
  depthwise_add(p, tap, sums, CONV_S8_S4);
}

ARN__INLINE void visit(const depthwise_pass *p, const depthwise_tap *tap, void *sums) {
  depthwise_add(p, tap, sums, CONV_S8);
}

ARN__KERNEL void arn__depthwise_row_s8_s4_portable(const arn__conv *conv, const arn__conv_row *row,
                                                   const arn__conv_block *block) {
  int8_t filter[MOST_TAPS * CHANNELS] = {0};
  depthwise_widened w;
  depthwise_widen(&w, conv, row, block, filter);
  if (w.taps > MOST_TAPS) {
    depthwise_row_8(conv, row, block, visit_packed);
    return;
  }
  for (uint32_t t = 0; t < w.taps; t++) {
    arn__widen_s4_s8(filter + t * CHANNELS, block->filter, w.at + t * w.step, block->count);
  }
  const depthwise_pass p = depthwise_widened_pass(&w, conv, block);
  depthwise_pass_8(&p, conv, &w.row, block, visit);
}
