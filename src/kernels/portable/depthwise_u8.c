#include "depthwise_int.h"

ARN__INLINE void visit(const depthwise_pass *p, const depthwise_tap *tap, void *sums) {
  depthwise_add(p, tap, sums, CONV_U8);
}

ARN__KERNEL void arn__depthwise_row_u8_portable(const arn__conv *conv, const arn__conv_row *row,
                                                const arn__conv_block *block) {
  depthwise_row_8(conv, row, block, visit);
}
