#include "conv_int.h"

ARN__KERNEL void arn__conv_row_s8_s4_portable(const arn__conv *conv, const arn__conv_row *row,
                                              const arn__conv_block *block) {
  conv_row_int(conv, row, block, CONV_S8_S4);
}
