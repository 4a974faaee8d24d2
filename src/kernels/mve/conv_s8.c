#include "../conv.h"

#if defined(ARN__MVE)

#include "../portable/conv_window.h"
#include "vector.h"

// Sixteen products of int8 an instruction, for two pixels and two channels at a time. The zero
// point of the input is left in: what it adds is taken off the bias before.
//
// The last chunk of a window, which is mostly the only one, is multiplied and settled four channels
// at a time, all in registers. Sums of the others, and of what is rare, go through memory.

#define CHUNK 144u  // elements of a window that are copied at a time, at most
#define CHANNELS ARN__CONV_CHANNELS

// Two pixels. Where there is only one left, zero points take the place of the other: what they sum
// up to is what the others' sums begin with.
typedef struct pixels {
  const conv_pass *pass;
  bool one;
  uint32_t at, n;                      // the chunk
  const int8_t *a, *b;                 // it
  const int32_t *from_a, *from_b;      // what sums have been so far
  int32_t start[CHANNELS];             // what they begin with
  int32_t sums[2][CHANNELS];
  int8_t copy[2][CHUNK];
} pixels;

// ---- the windows --------------------------------------------------------------------------------

ARN__INLINE void copy_whole(int8_t *to, const int8_t *from, int32_t n) {
  if (n == 0) return;
  __asm__ volatile("dlstp.8 lr, %[n]\n"
                   "1:\n\t"
                   "vldrb.8 q0, [%[from]], #16\n\t"
                   "vstrb.8 q0, [%[to]], #16\n\t"
                   "letp lr, 1b"
                   : [from] "+r"(from), [to] "+r"(to)
                   : [n] "r"(n)
                   : "q0", "lr", "memory");
}

// What lies beyond the ends of a row counts as zero points.
static void copy_cut(const conv_pass *p, int8_t *to, const int8_t *base, int32_t start, int32_t n) {
  int32_t before = start < 0 ? -start : 0, after = start + n - p->row_length;
  if (before > n) before = n;
  if (after < 0) after = 0;
  if (after > n) after = n;
  const int32_t inside = n - before - after > 0 ? n - before - after : 0;
  memset(to, p->conv->in_zero, (size_t)before);
  copy_whole(to + before, base + start + before, inside);
  memset(to + n - after, p->conv->in_zero, (size_t)after);
}

// Returns the next `n` elements of a window: where they lie, or copied.
static const int8_t *gather(const conv_pass *p, conv_cursor *c, int8_t *copy, int32_t n) {
  for (int32_t done = 0; done < n;) {
    const int32_t start = c->origin + c->run * p->run_step + c->at;
    const int32_t left = p->run_length - c->at, length = left < n - done ? left : n - done;
    const int8_t *base = c->base;
    const bool inside = start >= 0 && start + length <= p->row_length;
    conv_cursor_advance(p, c, length);
    if (inside && length == n) return base + start;
    if (inside) copy_whole(copy + done, base + start, length);
    else copy_cut(p, copy + done, base, start, length);
    done += length;
  }
  return copy;
}

// Says whether the rest of the run at the cursor is inside its row.
static bool is_inside(const conv_pass *p, const conv_cursor *c) {
  const int32_t start = c->origin + c->run * p->run_step + c->at;
  return start >= 0 && start + p->run_length - c->at <= p->row_length;
}

static void take_chunk(pixels *p, conv_cursor *a, conv_cursor *b) {
  const conv_pass *pass = p->pass;
  const uint32_t left = pass->window - p->at, run = (uint32_t)(pass->run_length - a->at);
  p->n = left < CHUNK ? left : CHUNK;
  if (run > p->n && !p->one && is_inside(pass, a) && is_inside(pass, b)) p->n = run;
  p->a = gather(pass, a, p->copy[0], (int32_t)p->n);
  p->b = p->one ? p->copy[1] : gather(pass, b, p->copy[1], (int32_t)p->n);
}

ARN__INLINE void copy_two(int8_t *to, const int8_t *a, const int8_t *b, int32_t n) {
  int8_t *to_b = to + CHUNK;
  __asm__ volatile("dlstp.8 lr, %[n]\n"
                   "1:\n\t"
                   "vldrb.8 q0, [%[a]], #16\n\t"
                   "vldrb.8 q1, [%[b]], #16\n\t"
                   "vstrb.8 q0, [%[to]], #16\n\t"
                   "vstrb.8 q1, [%[to_b]], #16\n\t"
                   "letp lr, 1b"
                   : [a] "+r"(a), [b] "+r"(b), [to] "+r"(to), [to_b] "+r"(to_b)
                   : [n] "r"(n)
                   : "q0", "q1", "lr", "memory");
}

// Takes whole windows that begin at elements `a` and `b` of a row and lie inside. Needs: they are
// one run, or fit a chunk.
static void take_inside(pixels *p, int32_t a, int32_t b) {
  const conv_pass *pass = p->pass;
  const arn__conv_row *r = pass->row;
  const int32_t length = pass->run_length, step = pass->run_step, end = pass->run_count * step;
  p->n = pass->window;
  p->a = (const int8_t *)arn_row(&r->input, r->first) + a;
  p->b = p->a + (b - a);
  if ((uint32_t)length == pass->window) return;
  p->a = p->copy[0];
  p->b = p->copy[1];
  int8_t *to = p->copy[0];
  for (uint32_t y = r->first, left = r->count; left > 0; left--, y += r->step) {
    const int8_t *row = (const int8_t *)arn_row(&r->input, y);
    for (int32_t at = 0; at < end; at += step, to += length) {
      copy_two(to, row + at + a, row + at + b, length);
    }
  }
}

// ---- products -----------------------------------------------------------------------------------

// Two pixels, two channels; the loop's end takes care of what is no multiple of sixteen. Sums:
// pixel a, b of the first channel, a, b of the second.
ARN__INLINE void dot_2x2(int32_t s[4], const int8_t *a, const int8_t *b, const int8_t *w0,
                         const int8_t *w1, uint32_t n) {
  __asm__("dlstp.8 lr, %[n]\n"
          "1:\n\t"
          "vldrb.8 q0, [%[a]], #16\n\t"
          "vldrb.8 q1, [%[w0]], #16\n\t"
          "vmladava.s8 %[a0], q0, q1\n\t"
          "vldrb.8 q2, [%[b]], #16\n\t"
          "vmladava.s8 %[b0], q2, q1\n\t"
          "vldrb.8 q1, [%[w1]], #16\n\t"
          "vmladava.s8 %[a1], q0, q1\n\t"
          "vmladava.s8 %[b1], q2, q1\n\t"
          "letp lr, 1b"
          : [a0] "+Te"(s[0]), [b0] "+Te"(s[1]), [a1] "+Te"(s[2]), [b1] "+Te"(s[3]),
            [a] "+r"(a), [b] "+r"(b), [w0] "+r"(w0), [w1] "+r"(w1)
          : [n] "r"(n)
          : "q0", "q1", "q2", "lr", "memory");
}

// Multiplies the chunk with all channels, two at a time. Of an odd one out, the weights count
// twice.
ARN__APART static void multiply(pixels *p) {
  const conv_pass *pass = p->pass;
  const uint32_t count = pass->block->count;
  const int8_t *w = (const int8_t *)pass->block->filter + conv_filter_at(pass) + p->at;
  const int32_t *from_a = p->from_a, *from_b = p->from_b;
  uint32_t step = pass->conv->filter_step;
  for (uint32_t c = 0; c < count; c += 2, w += 2 * step) {
    if (c + 1 == count) step = 0;
    int32_t s[4] = {from_a[c], from_b[c], from_a[c + 1], from_b[c + 1]};
    dot_2x2(s, p->a, p->b, w, w + step, p->n);
    p->sums[0][c] = s[0];
    p->sums[1][c] = s[1];
    p->sums[0][c + 1] = s[2];
    p->sums[1][c + 1] = s[3];
  }
  p->from_a = p->sums[0];
  p->from_b = p->sums[1];
}

// ---- from sums to outputs -----------------------------------------------------------------------

// Bounds and zero point of the output, and where four channels of two pixels go.
typedef struct target {
  int16x8_t low, high;  // relative to the zero point
  int16_t zero;
  uint16x8_t to;
} target;

ARN__INLINE target target_of(const pixels *p, bool one) {
  const arn__conv *s = p->pass->conv;
  const uint16x8_t pixel = vandq_u16(viwdupq_n_u16(0, 2, 1), vdupq_n_u16(1));
  const uint16_t next = one ? 0 : (uint16_t)s->out_channels;
  return (target){vdupq_n_s16((int16_t)s->clamp.low), vdupq_n_s16((int16_t)s->clamp.high),
                  (int16_t)s->out_zero,
                  vmlaq_n_u16(vshrq_n_u16(vidupq_n_u16(0, 1), 1), pixel, next)};
}

// Stores requantised sums of four channels.
ARN__INLINE void store(int8_t *out, int32x4_t a, int32x4_t b, const target *t) {
  int16x8_t y;
  __asm__("vqmovnb.s32 %q0, %q1\n\tvqmovnt.s32 %q0, %q2" : "=&w"(y) : "w"(a), "w"(b));
  y = vminq_s16(vmaxq_s16(y, t->low), t->high);
  vstrbq_scatter_offset_s16(out, t->to, vaddq_n_s16(y, t->zero));
}

// Puts the sums of channels c and c + 2 of a pixel into lanes c and c + 2, for c = 0 and 1.
ARN__INLINE int32x4_t lanes_0_2(int32_t x0, int32_t x2) {
  int32x4_t v;
  __asm__("vmov %q0[2], %q0[0], %1, %2" : "=w"(v) : "r"(x0), "r"(x2));
  return v;
}

ARN__INLINE int32x4_t lanes_1_3(int32x4_t v, int32_t x1, int32_t x3) {
  __asm__("vmov %q0[3], %q0[1], %1, %2" : "+w"(v) : "r"(x1), "r"(x3));
  return v;
}

// Four channels' sums begin with the bias, less what the input's zero point adds to them.
ARN__INLINE int32x4_t begin(const void *bias, uint32_t c, int32x4_t zeros) {
  if (bias == NULL) return vnegq_s32(zeros);
  return vsubq_s32(vldrwq_s32((const int32_t *)bias + c), zeros);
}

// Multiplies the last chunk with all channels, four at a time, and settles them. The last four
// overlap the ones before, where their number is no multiple of four. Needs: four channels or more,
// none shifted left.
ARN__INLINE void multiply_last(pixels *p, int8_t *out, bool one) {
  const conv_pass *pass = p->pass;
  const arn__conv_block *block = pass->block;
  const target t = target_of(p, one);
  const int8_t *a = p->a, *b = p->b;
  const uint32_t step = pass->conv->filter_step, n = p->n;
  const int8_t *w = (const int8_t *)block->filter + conv_filter_at(pass) + p->at;
  const int32_t *from_a = p->from_a, *from_b = p->from_b;
  const arn__requant *multipliers = block->requant;
  for (uint32_t left = block->count;;) {
    int32_t s[4] = {from_a[0], from_b[0], from_a[2], from_b[2]};
    dot_2x2(s, a, b, w, w + 2 * step, n);
    int32x4_t ya = lanes_0_2(s[0], s[2]), yb = lanes_0_2(s[1], s[3]);
    s[0] = from_a[1], s[1] = from_b[1], s[2] = from_a[3], s[3] = from_b[3];
    dot_2x2(s, a, b, w + step, w + 3 * step, n);
    ya = lanes_1_3(ya, s[0], s[2]);
    yb = lanes_1_3(yb, s[1], s[3]);
    if (one) {
      const uint32_t c = block->count - left;
      yb = begin(block->bias, c, yb);
      ya = vaddq_s32(ya, yb);
      vstrwq_s32(p->start + c, yb);
    }
    const int32x4x2_t r = vld2q_s32((const int32_t *)multipliers);
    ya = arn__requantise_down_x4(ya, r.val[0], r.val[1]);
    yb = one ? ya : arn__requantise_down_x4(yb, r.val[0], r.val[1]);
    store(out, ya, yb, &t);
    left -= 4;
    w += 4 * step;
    out += 4;
    from_a += 4;
    from_b += 4;
    multipliers += 4;
    if (left >= 4) continue;
    if (left == 0) return;
    w -= (4 - left) * step;
    out -= 4 - left;
    from_a -= 4 - left;
    from_b -= 4 - left;
    multipliers -= 4 - left;
    left = 4;
  }
}

ARN__APART static void finish_two(pixels *p, int8_t *out) { multiply_last(p, out, false); }
ARN__APART static void finish_one(pixels *p, int8_t *out) { multiply_last(p, out, true); }

// Settles the sums of all channels.
ARN__APART static void finish_slowly(const pixels *p, int8_t *out) {
  const arn__conv_block *block = p->pass->block;
  const arn__conv *s = p->pass->conv;
  for (uint32_t c = 0; c < block->count; c++) {
    for (uint32_t i = 0; i < (p->one ? 1u : 2u); i++) {
      const int32_t y = arn__requantise((i ? p->from_b : p->from_a)[c], block->requant[c]);
      out[i * (uint32_t)s->out_channels + c] = (int8_t)(arn__clamp_s32(y, s->clamp) + s->out_zero);
    }
  }
}

// ---- rows ---------------------------------------------------------------------------------------

// The sums of two channels' weights.
ARN__INLINE void add_weights(int32_t sums[2], const int8_t *w0, const int8_t *w1, uint32_t n) {
  __asm__("dlstp.8 lr, %[n]\n"
          "1:\n\t"
          "vldrb.8 q0, [%[w0]], #16\n\t"
          "vldrb.8 q1, [%[w1]], #16\n\t"
          "vaddva.s8 %[a], q0\n\t"
          "vaddva.s8 %[b], q1\n\t"
          "letp lr, 1b"
          : [a] "+Te"(sums[0]), [b] "+Te"(sums[1]), [w0] "+r"(w0), [w1] "+r"(w1)
          : [n] "r"(n)
          : "q0", "q1", "lr", "memory");
}

ARN__APART static void set_start(pixels *p) {
  const arn__conv_block *b = p->pass->block;
  const uint32_t step = p->pass->conv->filter_step, window = p->pass->window, count = b->count;
  const int32_t zero = p->pass->conv->in_zero;
  const int8_t *w = (const int8_t *)b->filter + conv_filter_at(p->pass);
  for (uint32_t c = 0; c < count && window > 0; c += 2, w += 2 * step) {
    int32_t sums[2] = {0, 0};
    add_weights(sums, w, c + 1 < count ? w + step : w, window);
    p->start[c] = sums[0];
    p->start[c + 1] = sums[1];
  }
  for (uint32_t c = 0; c < count; c += 4) {
    int32x4_t start = vdupq_n_s32(0);
    if (window > 0) start = vmulq_n_s32(vldrwq_s32(p->start + c), -zero);
    if (b->bias) {
      const mve_pred16_t left = vctp32q(count - c);
      start = vaddq_s32(start, vldrwq_z_s32((const int32_t *)b->bias + c, left));
    }
    vstrwq_s32(p->start + c, start);
  }
}

// Says whether multiply_last() may take the block.
static bool is_quick(const arn__conv *s, const arn__conv_block *b) {
  return b->count >= 4 && s->out_channels < UINT16_MAX - 4 &&
         !arn__shifts_left(b->requant, b->count);
}

// Windows that are cut, or come in several chunks, or cannot be quick; and a pixel alone.
ARN__APART static void compute_any(pixels *p, uint32_t column, bool quick, int8_t *out) {
  const conv_pass *pass = p->pass;
  conv_cursor a = conv_cursor_at(pass, column);
  conv_cursor b = a;
  b.origin += p->one ? 0 : pass->conv->stride * pass->conv->in_channels;
  for (p->at = 0; p->at < pass->window; p->at += p->n) {
    take_chunk(p, &a, &b);
    if (quick && p->at + p->n == pass->window) {
      (p->one ? finish_one : finish_two)(p, out);
      return;
    }
    multiply(p);
  }
  finish_slowly(p, out);
}

// The last pixel of an odd number.
ARN__APART static void compute_last(pixels *p, bool quick, int8_t *out) {
  const conv_pass *pass = p->pass;
  const uint32_t last = pass->row->columns - 1;
  p->one = true;
  memset(p->copy[1], pass->conv->in_zero, pass->window < CHUNK ? pass->window : CHUNK);
  p->from_a = p->from_b = p->start;
  if (quick) {
    memset(p->sums[0], 0, sizeof p->sums[0]);
    p->from_a = p->from_b = p->sums[0];
  }
  compute_any(p, pass->row->column + last, quick, out + last * (uint32_t)pass->conv->out_channels);
  p->one = false;
}

void arn__conv_row_s8_mve(const arn__conv *conv, const arn__conv_row *row,
                          const arn__conv_block *block) {
  const conv_pass pass = conv_pass_of(conv, row, block);
  const int32_t step = conv->stride * conv->in_channels;
  const int32_t room = pass.row_length - (pass.run_count - 1) * pass.run_step - pass.run_length;
  const bool quick = pass.window > 0 && is_quick(conv, block);
  const bool whole = quick && ((uint32_t)pass.run_length == pass.window || pass.window <= CHUNK);
  int32_t origin = conv_cursor_at(&pass, row->column).origin;
  int8_t *out = (int8_t *)row->out + block->first;
  pixels p;
  p.pass = &pass;
  p.one = false;
  if (row->columns % 2 == 0 || !quick) set_start(&p);
  if (row->columns % 2 != 0) compute_last(&p, quick, out);
  for (uint32_t i = 0; i + 1 < row->columns; i += 2) {
    p.at = 0;
    p.from_a = p.from_b = p.start;
    if (whole && origin >= 0 && origin + step <= room) {
      take_inside(&p, origin, origin + step);
      finish_two(&p, out);
    } else {
      compute_any(&p, row->column + i, quick, out);
    }
    origin += 2 * step;
    out += 2 * conv->out_channels;
  }
}

#endif
