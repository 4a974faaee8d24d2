#include "../depthwise.h"

#if defined(ARN__MVE)

#include "vector.h"

// Eight channels at a time, widened to int16: products of the even ones and of the odd ones are two
// vectors of int32. The last eight of a block overlap the ones before, where their number is no
// multiple of eight. Windows inside the image are computed two at a time.

#define ROWS 16u  // of a window, at most; more go the portable way

// Eight channels of a row of pixels.
typedef struct eight {
  const arn__conv *conv;
  const arn__conv_row *row;
  const int8_t *filter;        // of the first tap
  const int8_t *input[ROWS];   // input rows, at the first channel's
  int32x4x2_t bias;            // of even channels, of odd ones
  arn__requant_x4 even, odd;
  int16_t low, high, zero;     // of the output; the clamp is relative to the zero point
  bool same;                   // all of them read the same input channel
} eight;

// The sums of a pixel's even and odd channels.
typedef struct sums {
  int32x4_t even, odd;
} sums;

// Taps [from, to) of each kernel row, for windows that begin at `pixel`.
typedef struct taps {
  int32_t pixel, from, to;
} taps;

// ---- products -----------------------------------------------------------------------------------

ARN__INLINE void add_each(sums *s, const int8_t *x, int16x8_t w, int16_t zero) {
  const int16x8_t v = vsubq_n_s16(vldrbq_s16(x), zero);
  s->even = vaddq_s32(s->even, vmullbq_int_s16(v, w));
  s->odd = vaddq_s32(s->odd, vmulltq_int_s16(v, w));
}

ARN__INLINE void add_same(sums *s, const int8_t *x, int16x8_t w, int16_t zero) {
  const int32_t v = *x - zero;
  s->even = vmlaq_n_s32(s->even, vmovlbq_s16(w), v);
  s->odd = vmlaq_n_s32(s->odd, vmovltq_s16(w), v);
}

// Adds the taps of one pixel, or also of the next.
ARN__INLINE void add_taps(const eight *e, const taps *t, sums *s, uint32_t pixels, bool same) {
  const arn__conv *conv = e->conv;
  const int32_t step = conv->dilation * conv->in_channels, w_step = conv->out_channels;
  const int32_t next = conv->stride * conv->in_channels;
  const int32_t first = (t->pixel + t->from * conv->dilation) * conv->in_channels;
  const int16_t zero = (int16_t)conv->in_zero;
  const int32_t count = t->to - t->from, skip = (conv->kernel_width - count) * w_step;
  const int8_t *w = e->filter + t->from * w_step;
  sums a = s[0], b = s[1];
  for (uint32_t y = 0; y < e->row->count; y++) {
    const int8_t *x = e->input[y] + first;
    for (int32_t left = count; left > 0; left--, x += step, w += w_step) {
      const int16x8_t v = vldrbq_s16(w);
      if (same) add_same(&a, x, v, zero);
      else add_each(&a, x, v, zero);
      if (pixels > 1 && same) add_same(&b, x + next, v, zero);
      else if (pixels > 1) add_each(&b, x + next, v, zero);
    }
    w += skip;
  }
  s[0] = a;
  s[1] = b;
}

ARN__INLINE void finish(const eight *e, const sums *s, int8_t *out) {
  const int32x4_t even = arn__requant_x4_apply(s->even, &e->even);
  const int32x4_t odd = arn__requant_x4_apply(s->odd, &e->odd);
  int16x8_t y = vqmovntq_s32(vqmovnbq_s32(vdupq_n_s16(0), even), odd);
  y = vmaxq_s16(y, vdupq_n_s16(e->low));
  y = vminq_s16(y, vdupq_n_s16(e->high));
  vstrbq_s16(out, vaddq_n_s16(y, e->zero));
}

// ---- rows ---------------------------------------------------------------------------------------

// Sets the taps that are inside the image.
static void cut(const arn__conv *s, taps *t) {
  while (t->from < t->to && t->pixel + t->from * s->dilation < 0) t->from++;
  while (t->to > t->from && t->pixel + (t->to - 1) * s->dilation >= s->in_width) t->to--;
}

ARN__INLINE void compute_row(const eight *e, int8_t *out, bool same) {
  const arn__conv *s = e->conv;
  const int32_t reach = (s->kernel_width - 1) * s->dilation;
  taps t = {.pixel = (int32_t)e->row->column * s->stride - s->pad};
  for (uint32_t left = e->row->columns; left > 0;) {
    sums pair[2] = {{e->bias.val[0], e->bias.val[1]}, {e->bias.val[0], e->bias.val[1]}};
    const bool two = left > 1 && t.pixel >= 0 && t.pixel + s->stride + reach < s->in_width;
    t.from = 0;
    t.to = s->kernel_width;
    if (!two) cut(s, &t);
    if (two) add_taps(e, &t, pair, 2, same);
    else add_taps(e, &t, pair, 1, same);
    for (uint32_t i = 0; i < (two ? 2u : 1u); i++, left--) {
      finish(e, &pair[i], out);
      out += s->out_channels;
      t.pixel += s->stride;
    }
  }
}

static void set_eight(eight *e, const arn__conv_block *b, uint32_t first) {
  const arn__conv *s = e->conv;
  const uint32_t skipped = e->row->kernel_row * (uint32_t)(s->kernel_width * s->out_channels);
  const int32x4x4_t r = vld4q_s32((const int32_t *)(b->requant + first));
  e->filter = (const int8_t *)b->filter + b->filter_at + skipped + first;
  const uint32_t in_first = (b->first + first) / (uint32_t)s->group;
  for (uint32_t y = 0; y < e->row->count; y++) {
    const uint8_t *row = arn_row(&e->row->input, e->row->first + y * e->row->step);
    e->input[y] = (const int8_t *)row + in_first;
  }
  e->even = arn__requant_x4_of(r.val[0], r.val[1]);
  e->odd = arn__requant_x4_of(r.val[2], r.val[3]);
  e->bias.val[0] = e->bias.val[1] = vdupq_n_s32(0);
  if (b->bias) e->bias = vld2q_s32((const int32_t *)b->bias + first);
}

void arn__depthwise_row_s8_mve(const arn__conv *conv, const arn__conv_row *row,
                               const arn__conv_block *block) {
  const uint32_t last = block->first + block->count - 1, group = (uint32_t)conv->group;
  const bool same = group > 1 && block->first / group == last / group;
  if (block->count < 8 || row->count > ROWS || (group > 1 && !same)) {
    arn__depthwise_row_s8_portable(conv, row, block);
    return;
  }
  eight e;
  e.conv = conv;
  e.row = row;
  e.same = same;
  e.low = (int16_t)conv->clamp.low;
  e.high = (int16_t)conv->clamp.high;
  e.zero = (int16_t)conv->out_zero;
  for (uint32_t c = 0; c < block->count; c += 8) {
    const uint32_t first = c + 8 <= block->count ? c : block->count - 8;
    int8_t *out = (int8_t *)row->out + block->first + first;
    set_eight(&e, block, first);
    if (e.same) compute_row(&e, out, true);
    else compute_row(&e, out, false);
  }
}

#endif
