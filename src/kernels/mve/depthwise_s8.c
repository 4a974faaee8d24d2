#include "../depthwise.h"

#if defined(ARN__MVE)

#include "vector.h"

// Eight channels at a time, widened to int16: products of the even ones and of the odd ones are two
// vectors of int32. The last eight of a block overlap the ones before, where their number is no
// multiple of eight. Windows inside the image are computed two at a time; for those, what the
// input's zero point adds is taken off the bias.

#define ROWS 16u  // of a window, at most; more go the portable way

// A row of pixels and a block of channels.
typedef struct pass {
  const arn__conv *conv;
  const arn__conv_block *block;
  const int8_t *input[ROWS];   // input rows, at the block's first channel
  uint32_t rows;               // of them
  const int8_t *filter;        // of the first tap
  uint32_t eights;             // of channels
  struct {
    uint32_t first;            // of the block's channels
    int32x4x4_t requant;       // multipliers of even channels, shifts; of odd ones
    int32x4x2_t bias;          // of even channels, of odd ones
    int32x4x2_t start;         // what sums begin with, for windows inside the image
  } of[ARN__DEPTHWISE_CHANNELS / 8];
} pass;

// The sums of a pixel's even and odd channels.
typedef struct sums {
  int32x4_t even, odd;
} sums;

// ---- products -----------------------------------------------------------------------------------

// Adds the products of a tap: of eight input channels, or (same) of one that all outputs read.
ARN__INLINE void add_tap(sums *s, const int8_t *x, int16x8_t w, bool same) {
  if (same) {
    s->even = vmlaq_n_s32(s->even, vmovlbq_s16(w), *x);
    s->odd = vmlaq_n_s32(s->odd, vmovltq_s16(w), *x);
  } else {
    const int16x8_t v = vldrbq_s16(x);
    s->even = vaddq_s32(s->even, vmullbq_int_s16(v, w));
    s->odd = vaddq_s32(s->odd, vmulltq_int_s16(v, w));
  }
}

// The same relative to the input's zero point.
ARN__INLINE void add_tap_from(sums *s, const int8_t *x, int16x8_t w, int16_t zero, bool same) {
  if (same) {
    s->even = vmlaq_n_s32(s->even, vmovlbq_s16(w), *x - zero);
    s->odd = vmlaq_n_s32(s->odd, vmovltq_s16(w), *x - zero);
  } else {
    const int16x8_t v = vsubq_n_s16(vldrbq_s16(x), zero);
    s->even = vaddq_s32(s->even, vmullbq_int_s16(v, w));
    s->odd = vaddq_s32(s->odd, vmulltq_int_s16(v, w));
  }
}

// Even and odd channels become eight.
ARN__INLINE int16x8_t join(int32x4_t even, int32x4_t odd) {
  int16x8_t y;
  __asm__("vqmovnb.s32 %q0, %q1\n\tvqmovnt.s32 %q0, %q2" : "=&w"(y) : "w"(even), "w"(odd));
  return y;
}

// Settles and stores eight channels of a pixel and the one `next` behind it; where there is only
// one, next is 0.
ARN__INLINE void settle(const pass *p, uint32_t k, const sums *a, const sums *b, int8_t *out,
                        int32_t next) {
  const arn__conv *conv = p->conv;
  const int32x4x4_t r = p->of[k].requant;
  const int32x4_t even_a = arn__requantise_down_x4(a->even, r.val[0], r.val[1]);
  const int32x4_t even_b = arn__requantise_down_x4(b->even, r.val[0], r.val[1]);
  int16x8_t y = join(even_a, arn__requantise_down_x4(a->odd, r.val[2], r.val[3]));
  int16x8_t z = join(even_b, arn__requantise_down_x4(b->odd, r.val[2], r.val[3]));
  const int16x8_t low = vdupq_n_s16((int16_t)conv->clamp.low);
  const int16x8_t high = vdupq_n_s16((int16_t)conv->clamp.high);
  const int16_t zero = (int16_t)conv->out_zero;
  y = vminq_s16(vmaxq_s16(y, low), high);
  vstrbq_s16(out, vaddq_n_s16(y, zero));
  if (next == 0) return;
  z = vminq_s16(vmaxq_s16(z, low), high);
  vstrbq_s16(out + next, vaddq_n_s16(z, zero));
}

// ---- pixels -------------------------------------------------------------------------------------

// Computes eight channels of `pairs` pairs of pixels whose windows are inside the image, the first
// one from element `first` of the input rows on.
ARN__INLINE void compute_inside(const pass *p, uint32_t k, int32_t first, uint32_t pairs,
                                int8_t *out, bool same) {
  const arn__conv *conv = p->conv;
  const int32_t w_step = conv->out_channels, next = conv->stride * conv->in_channels;
  const int32_t step = conv->dilation * conv->in_channels, width = conv->kernel_width;
  const int8_t *const *end = p->input + p->rows;
  const int8_t *filter = p->filter + p->of[k].first;
  first += same ? 0 : (int32_t)p->of[k].first;
  out += p->of[k].first;
  for (; pairs > 0; pairs--) {
    sums a = {p->of[k].start.val[0], p->of[k].start.val[1]}, b = a;
    const int8_t *w = filter;
    for (const int8_t *const *row = p->input; row != end; row++) {
      const int8_t *x = *row + first, *x_b = x + next;
      int32_t left = width;
      do {
        const int16x8_t v = vldrbq_s16(w);
        add_tap(&a, x, v, same);
        add_tap(&b, x_b, v, same);
        x += step;
        x_b += step;
        w += w_step;
      } while (--left > 0);
    }
    settle(p, k, &a, &b, out, w_step);
    out += 2 * w_step;
    first += 2 * next;
  }
}

// Adds, and keeps the compiler from working out where loops end.
ARN__INLINE const int8_t *forward(const int8_t *at, int32_t step) {
  __asm__("add %0, %1" : "+r"(at) : "r"(step));
  return at;
}

// The taps of each kernel row that are inside the image, of one or two pixels: tap `begin` and
// those behind it belong to the second pixel only, then to both, then to the first only. Two pixels
// leave no gap where a stride is no wider than the image.
typedef struct taps {
  int32_t begin, second, both, first;
} taps;

// Sets *from and *to: taps [from, to) of a window that begins at `pixel` are inside.
static void cut(const arn__conv *s, int32_t pixel, int32_t *from, int32_t *to) {
  const int32_t width = s->kernel_width, d = s->dilation, room = s->in_width - pixel;
  *from = pixel < 0 ? (d - 1 - pixel) / d : 0;
  *to = room > 0 ? (room + d - 1) / d : 0;
  if (*to > width) *to = width;
  if (*from > *to) *from = *to;
}

static taps taps_of(const arn__conv *s, int32_t pixel, bool two) {
  int32_t from, to, from_b, to_b;
  cut(s, pixel, &from, &to);
  if (!two) return (taps){from, 0, 0, to - from};
  cut(s, pixel + s->stride, &from_b, &to_b);
  taps t = {from_b, 0, 0, 0};
  const int32_t both = from < to_b ? from : to_b;
  t.second = both - from_b;
  t.both = to_b - both;
  t.first = to - to_b;
  return t;
}

// Computes a pixel whose window may reach outside the image, or two.
ARN__INLINE void compute_any(const pass *p, int32_t pixel, bool two, int8_t *out, bool same) {
  const arn__conv *conv = p->conv;
  const int32_t w_step = conv->out_channels, next = conv->stride * conv->in_channels;
  const int32_t step = conv->dilation * conv->in_channels;
  const int16_t zero = (int16_t)conv->in_zero;
  const taps t = taps_of(conv, pixel, two);
  const int32_t first = pixel * conv->in_channels + t.begin * step;
  const int32_t w_skip = (conv->kernel_width - t.second - t.both - t.first) * w_step;
  const int8_t *const *end = p->input + p->rows;
  for (uint32_t k = 0; k < p->eights; k++) {
    sums a = {p->of[k].bias.val[0], p->of[k].bias.val[1]}, b = a;
    const int32_t c = (int32_t)p->of[k].first;
    const int8_t *w = p->filter + t.begin * w_step + c;
    for (const int8_t *const *row = p->input; row != end; row++) {
      const int8_t *x = *row + first + (same ? 0 : c);
      for (int32_t i = t.second; i > 0; i--, x = forward(x, step), w = forward(w, w_step)) {
        add_tap_from(&b, x + next, vldrbq_s16(w), zero, same);
      }
      for (int32_t i = t.both; i > 0; i--, x = forward(x, step), w = forward(w, w_step)) {
        const int16x8_t v = vldrbq_s16(w);
        add_tap_from(&a, x, v, zero, same);
        add_tap_from(&b, x + next, v, zero, same);
      }
      for (int32_t i = t.first; i > 0; i--, x = forward(x, step), w = forward(w, w_step)) {
        add_tap_from(&a, x, vldrbq_s16(w), zero, same);
      }
      w += w_skip;
    }
    settle(p, k, &a, &b, out + c, two ? w_step : 0);
  }
}

ARN__APART static void inside_each(const pass *p, int32_t first, uint32_t pairs, int8_t *out) {
  for (uint32_t k = 0; k < p->eights; k++) compute_inside(p, k, first, pairs, out, false);
}
ARN__APART static void inside_same(const pass *p, int32_t first, uint32_t pairs, int8_t *out) {
  for (uint32_t k = 0; k < p->eights; k++) compute_inside(p, k, first, pairs, out, true);
}
ARN__APART static void any_each(const pass *p, int32_t pixel, bool two, int8_t *out) {
  compute_any(p, pixel, two, out, false);
}
ARN__APART static void any_same(const pass *p, int32_t pixel, bool two, int8_t *out) {
  compute_any(p, pixel, two, out, true);
}

// ---- rows ---------------------------------------------------------------------------------------

// Takes what the zero point adds to whole windows off the bias.
ARN__APART static void set_start(pass *p) {
  const arn__conv *s = p->conv;
  for (uint32_t k = 0; k < p->eights; k++) {
    const int8_t *w = p->filter + p->of[k].first;
    int32x4_t even = vdupq_n_s32(0), odd = even;
    for (uint32_t left = p->rows * (uint32_t)s->kernel_width; left > 0; left--) {
      const int16x8_t v = vldrbq_s16(w);
      even = vaddq_s32(even, vmovlbq_s16(v));
      odd = vaddq_s32(odd, vmovltq_s16(v));
      w += s->out_channels;
    }
    p->of[k].start.val[0] = vmlaq_n_s32(p->of[k].bias.val[0], even, -s->in_zero);
    p->of[k].start.val[1] = vmlaq_n_s32(p->of[k].bias.val[1], odd, -s->in_zero);
  }
}

// Pixels from `pixel` on whose windows are inside the image, of `left`.
static uint32_t count_inside(const arn__conv *s, int32_t pixel, uint32_t left) {
  const int32_t last = s->in_width - 1 - (s->kernel_width - 1) * s->dilation;
  if (pixel < 0 || pixel > last) return 0;
  const uint32_t count = (uint32_t)(last - pixel) / (uint32_t)s->stride + 1;
  return count < left ? count : left;
}

static void set_eights(pass *p) {
  const arn__conv_block *b = p->block;
  p->eights = (b->count + 7) / 8;
  for (uint32_t k = 0; k < p->eights; k++) {
    const uint32_t first = 8 * k + 8 <= b->count ? 8 * k : b->count - 8;
    p->of[k].first = first;
    p->of[k].requant = vld4q_s32((const int32_t *)(b->requant + first));
    p->of[k].bias.val[0] = p->of[k].bias.val[1] = vdupq_n_s32(0);
    if (b->bias) p->of[k].bias = vld2q_s32((const int32_t *)b->bias + first);
  }
}

static void compute_row(pass *p, const arn__conv_row *row, int8_t *out, bool same) {
  const arn__conv *s = p->conv;
  int32_t pixel = (int32_t)row->column * s->stride - s->pad;
  for (uint32_t left = row->columns, count; left > 0; left -= count) {
    count = count_inside(s, pixel, left) & ~1u;
    if (count >= 4) {
      set_start(p);
      (same ? inside_same : inside_each)(p, pixel * s->in_channels, count / 2, out);
    } else {
      count = left > 1 && s->stride <= s->in_width ? 2 : 1;
      (same ? any_same : any_each)(p, pixel, count > 1, out);
    }
    out += (int32_t)count * s->out_channels;
    pixel += (int32_t)count * s->stride;
  }
}

void arn__depthwise_row_s8_mve(const arn__conv *conv, const arn__conv_row *row,
                               const arn__conv_block *block) {
  const uint32_t last = block->first + block->count - 1, group = (uint32_t)conv->group;
  const bool same = group > 1 && block->first / group == last / group;
  const uint32_t skipped = row->kernel_row * (uint32_t)(conv->kernel_width * conv->out_channels);
  const uint32_t in_first = same ? block->first / group : block->first;
  if (block->count < 8 || row->count > ROWS || (group > 1 && !same) ||
      arn__shifts_left(block->requant, block->count)) {
    arn__depthwise_row_s8_portable(conv, row, block);
    return;
  }
  pass p;
  p.conv = conv;
  p.block = block;
  p.rows = row->count;
  p.filter = (const int8_t *)block->filter + block->filter_at + skipped;
  for (uint32_t y = 0; y < row->count; y++) {
    const uint8_t *input = arn_row(&row->input, row->first + y * row->step);
    p.input[y] = (const int8_t *)input + in_first;
  }
  set_eights(&p);
  compute_row(&p, row, (int8_t *)row->out + block->first, same);
}

#endif
