#include "depthwise_int.h"

// Products of int16 and int8 that a narrow sum holds.
#define TAPS 256u

typedef struct wide_sums {
  int32_t narrow[CHANNELS];
  int64_t wide[CHANNELS];
  uint32_t taps;  // in the narrow sums
} wide_sums;

ARN__INLINE void flush(wide_sums *sums) {
  for (uint32_t c = 0; c < CHANNELS; c++) sums->wide[c] += sums->narrow[c];
  memset(sums->narrow, 0, sizeof sums->narrow);
  sums->taps = 0;
}

ARN__INLINE void visit(const depthwise_pass *p, const depthwise_tap *tap, void *to) {
  wide_sums *sums = to;
  depthwise_add(p, tap, sums->narrow, CONV_S16);
  if (++sums->taps == TAPS) flush(sums);
}

ARN__KERNEL void arn__depthwise_row_s16_portable(const arn__conv *conv, const arn__conv_row *row,
                                                 const arn__conv_block *block) {
  const depthwise_pass p = depthwise_pass_of(conv, block);
  int16_t *out = (int16_t *)row->out + block->first;
  wide_sums sums = {.taps = 0};
  const conv_sums start = {sums.narrow, sums.wide};
  for (uint32_t i = 0; i < row->columns; i++) {
    conv_start(conv, block, &start, CONV_S16);
    depthwise_taps(&p, row, (int32_t)(row->column + i) * conv->stride - conv->pad, visit, &sums);
    flush(&sums);
    conv_finish(conv, block, &start, (uint8_t *)out, CONV_S16);
    out += conv->out_channels;
  }
}
