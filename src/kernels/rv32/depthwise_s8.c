#include "../depthwise.h"

#if defined(ARN__RV32)

#include "output.h"

// Four channels at a time, their sums in registers; they wrap.

#define ROWS 16u  // of a window, at most; more go the portable way

// The taps of a window that are inside the image.
typedef struct taps {
  const arn__conv *conv;
  const int8_t *rows[ROWS];  // input rows, at the block's first channel
  uint32_t count;            // of them
  int32_t first;             // element of a row where the first tap is
  const int8_t *filter;      // of the first tap
  int32_t width;             // taps of a row
} taps;

// Sets the taps of a kernel row, of the window that begins at `pixel`.
static void set_taps(taps *t, const int8_t *filter, int32_t pixel) {
  const arn__conv *s = t->conv;
  const int32_t d = s->dilation, room = s->in_width - pixel;
  int32_t from = pixel < 0 ? (d - 1 - pixel) / d : 0, to = room > 0 ? (room + d - 1) / d : 0;
  if (to > s->kernel_width) to = s->kernel_width;
  if (from > to) from = to;
  t->width = to - from;
  t->first = (pixel + from * d) * s->in_channels;
  t->filter = filter + from * s->out_channels;
}

// Four channels from c on.
ARN__INLINE void add_four(const taps *t, uint32_t c, uint32_t sums[4]) {
  const arn__conv *s = t->conv;
  const int32_t step = s->dilation * s->in_channels, w_step = s->out_channels, zero = s->in_zero;
  const int32_t skip = (s->kernel_width - t->width) * w_step;
  const int8_t *w = t->filter + c;
  uint32_t s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3];
  for (uint32_t y = 0; y < t->count; y++, w += skip) {
    const int8_t *x = t->rows[y] + t->first + c;
    for (int32_t left = t->width; left > 0; left--, x += step, w += w_step) {
      s0 += (uint32_t)((x[0] - zero) * w[0]);
      s1 += (uint32_t)((x[1] - zero) * w[1]);
      s2 += (uint32_t)((x[2] - zero) * w[2]);
      s3 += (uint32_t)((x[3] - zero) * w[3]);
    }
  }
  sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
}

// Four channels that all read the same input channel.
ARN__INLINE void add_same(const taps *t, uint32_t c, uint32_t sums[4]) {
  const arn__conv *s = t->conv;
  const int32_t step = s->dilation * s->in_channels, w_step = s->out_channels, zero = s->in_zero;
  const int32_t skip = (s->kernel_width - t->width) * w_step;
  const int8_t *w = t->filter + c;
  uint32_t s0 = sums[0], s1 = sums[1], s2 = sums[2], s3 = sums[3];
  for (uint32_t y = 0; y < t->count; y++, w += skip) {
    const int8_t *x = t->rows[y] + t->first;
    for (int32_t left = t->width; left > 0; left--, x += step, w += w_step) {
      const int32_t v = *x - zero;
      s0 += (uint32_t)(v * w[0]);
      s1 += (uint32_t)(v * w[1]);
      s2 += (uint32_t)(v * w[2]);
      s3 += (uint32_t)(v * w[3]);
    }
  }
  sums[0] = s0, sums[1] = s1, sums[2] = s2, sums[3] = s3;
}

static void compute_pixel(const taps *t, const arn__conv_block *b, int8_t *out, bool same) {
  for (uint32_t i = 0; i < b->count; i += 4) {
    const uint32_t c = i + 4 <= b->count ? i : b->count - 4;  // the last ones may overlap
    uint32_t sums[4];
    for (uint32_t k = 0; k < 4; k++) sums[k] = b->bias ? ((const uint32_t *)b->bias)[c + k] : 0;
    if (same) add_same(t, c, sums);
    else add_four(t, c, sums);
    for (uint32_t k = 0; k < 4; k++) {
      out[c + k] = arn__rv32_output((int32_t)sums[k], b->requant[c + k], t->conv);
    }
  }
}

void arn__depthwise_row_s8_rv32(const arn__conv *conv, const arn__conv_row *row,
                                const arn__conv_block *block) {
  const uint32_t last = block->first + block->count - 1, group = (uint32_t)conv->group;
  const bool same = group > 1 && block->first / group == last / group;
  const uint32_t skipped = row->kernel_row * (uint32_t)(conv->kernel_width * conv->out_channels);
  if (block->count < 4 || row->count > ROWS || (group > 1 && !same)) {
    arn__depthwise_row_s8_portable(conv, row, block);
    return;
  }
  const int8_t *filter = (const int8_t *)block->filter + block->filter_at + skipped;
  int8_t *out = (int8_t *)row->out + block->first;
  int32_t pixel = (int32_t)row->column * conv->stride - conv->pad;
  taps t;
  t.conv = conv;
  t.count = row->count;
  for (uint32_t y = 0; y < row->count; y++) {
    const uint8_t *input = arn_row(&row->input, row->first + y * row->step);
    t.rows[y] = (const int8_t *)input + (same ? block->first / group : block->first);
  }
  for (uint32_t i = 0; i < row->columns; i++) {
    set_taps(&t, filter, pixel);
    compute_pixel(&t, block, out, same);
    out += conv->out_channels;
    pixel += conv->stride;
  }
}

#endif
