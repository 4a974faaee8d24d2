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

// ---- sums that 32 bits hold ---------------------------------------------------------------------

// Where the bias is small, as nearly always, and taps are few: sums of 32 bits from the bias on,
// and arn__requantise_s64() in a loop that vectorises. As high bits do not count, vectors of 64
// bits may be shifted as unsigned numbers, which they all can.
typedef struct short_sums {
  int32_t start[CHANNELS], q[CHANNELS];
  uint64_t half[CHANNELS], shift[CHANNELS];
} short_sums;

// Returns false where sums of `taps` products may be wider, or a multiplier shifts further.
ARN__INLINE bool short_open(short_sums *s, const arn__conv *conv, const arn__conv_block *block,
                            uint32_t taps) {
  const int64_t most = INT64_C(1) << 30;
  if (LANES == 1 || !conv->wide_sums || taps > TAPS) return false;
  memset(s, 0, sizeof *s);
  for (uint32_t c = 0; c < block->count; c++) {
    const arn__requant r = block->requant[c];
    int64_t bias = 0;
    if (block->bias && conv->wide_bias) memcpy(&bias, (const uint8_t *)block->bias + 8 * c, 8);
    else if (block->bias) bias = ((const int32_t *)block->bias)[c];
    if (bias > most - 1 || bias < -most || r.shift < -16 || r.shift > 14) return false;
    s->start[c] = (int32_t)bias;
    s->q[c] = r.q < 0x7FFF0000 ? (r.q + (1 << 15)) >> 16 : 0x7FFF;
    s->shift[c] = (uint64_t)(15 - r.shift);
    s->half[c] = UINT64_C(1) << (14 - r.shift);
  }
  return true;
}

ARN__INLINE void short_finish(const short_sums *s, const int32_t *sums, const arn__conv *conv,
                              int16_t *out, uint32_t count) {
  int32_t y[CHANNELS];
  int16_t tile[CHANNELS];
  const arn__clamp clamp = conv->clamp;
  ARN__CONV_LOOP for (uint32_t c = 0; c < CHANNELS; c++) {
    const uint64_t product = (uint64_t)((int64_t)sums[c] * s->q[c]);
    y[c] = (int32_t)(uint32_t)((product + s->half[c]) >> s->shift[c]);
  }
  ARN__CONV_LOOP for (uint32_t c = 0; c < CHANNELS; c++) {
    tile[c] = (int16_t)arn__clamp_s32(y[c], clamp);
  }
  memcpy(out, tile, count * sizeof *out);
}

ARN__INLINE void visit_short(const depthwise_pass *p, const depthwise_tap *tap, void *sums) {
  depthwise_add(p, tap, sums, CONV_S16);
}

ARN__INLINE void short_row(const short_sums *s, const depthwise_pass *p, const arn__conv_row *row) {
  const arn__conv *conv = p->conv;
  int16_t *out = (int16_t *)row->out + p->block->first;
  for (uint32_t i = 0; i < row->columns; i++) {
    int32_t sums[CHANNELS];
    memcpy(sums, s->start, sizeof sums);
    depthwise_taps(p, row, (int32_t)(row->column + i) * conv->stride - conv->pad, visit_short,
                   sums);
    short_finish(s, sums, conv, out, p->block->count);
    out += conv->out_channels;
  }
}

ARN__KERNEL void arn__depthwise_row_s16_portable(const arn__conv *conv, const arn__conv_row *row,
                                                 const arn__conv_block *block) {
  const depthwise_pass p = depthwise_pass_of(conv, block);
  int16_t *out = (int16_t *)row->out + block->first;
  short_sums s;
  if (short_open(&s, conv, block, row->count * (uint32_t)conv->kernel_width)) {
    short_row(&s, &p, row);
    return;
  }
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
