#include "../conv.h"

#if defined(ARN__MVE)

#include "../portable/conv_window.h"
#include "vector.h"

// Sixteen products of int8 an instruction, for two pixels and two channels at a time. The zero
// point of the input is left in: what it adds is taken off the bias before.

#define CHUNK 144u  // elements of a window that are copied at a time, at most
#define CHANNELS ARN__CONV_CHANNELS

// One or two pixels.
typedef struct pixels {
  const conv_pass *pass;
  bool one;                       // no pixel b
  uint32_t at, n;                 // the chunk
  const int8_t *a, *b;            // it
  int32_t start[CHANNELS];        // what sums begin with
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
  if (run > p->n && is_inside(pass, a) && is_inside(pass, b)) p->n = run;
  p->a = gather(pass, a, p->copy[0], (int32_t)p->n);
  p->b = p->one ? p->a : gather(pass, b, p->copy[1], (int32_t)p->n);
}

// ---- products -----------------------------------------------------------------------------------

// Two pixels, two channels; the loop's end takes care of what is no multiple of sixteen.
ARN__INLINE void dot_2x2(int32_t s[4], const int8_t *a, const int8_t *b, const int8_t *w0,
                         const int8_t *w1, uint32_t n) {
  __asm__("dlstp.8 lr, %[n]\n"
          "1:\n\t"
          "vldrb.8 q0, [%[a]], #16\n\t"
          "vldrb.8 q1, [%[w0]], #16\n\t"
          "vmladava.s8 %[a0], q0, q1\n\t"
          "vldrb.8 q2, [%[b]], #16\n\t"
          "vmladava.s8 %[b0], q2, q1\n\t"
          "vldrb.8 q3, [%[w1]], #16\n\t"
          "vmladava.s8 %[a1], q0, q3\n\t"
          "vmladava.s8 %[b1], q2, q3\n\t"
          "letp lr, 1b"
          : [a0] "+Te"(s[0]), [b0] "+Te"(s[1]), [a1] "+Te"(s[2]), [b1] "+Te"(s[3]),
            [a] "+r"(a), [b] "+r"(b), [w0] "+r"(w0), [w1] "+r"(w1)
          : [n] "r"(n)
          : "q0", "q1", "q2", "q3", "lr", "memory");
}

// One pixel, two channels.
ARN__INLINE void dot_1x2(int32_t s[4], const int8_t *a, const int8_t *w0, const int8_t *w1,
                         uint32_t n) {
  __asm__("dlstp.8 lr, %[n]\n"
          "1:\n\t"
          "vldrb.8 q0, [%[a]], #16\n\t"
          "vldrb.8 q1, [%[w0]], #16\n\t"
          "vmladava.s8 %[a0], q0, q1\n\t"
          "vldrb.8 q3, [%[w1]], #16\n\t"
          "vmladava.s8 %[a1], q0, q3\n\t"
          "letp lr, 1b"
          : [a0] "+Te"(s[0]), [a1] "+Te"(s[2]), [a] "+r"(a), [w0] "+r"(w0), [w1] "+r"(w1)
          : [n] "r"(n)
          : "q0", "q1", "q3", "lr", "memory");
}

// Multiplies the chunk with all channels, two at a time. Of an odd one out, the weights count
// twice.
ARN__APART static void multiply(pixels *p) {
  const conv_pass *pass = p->pass;
  const uint32_t count = pass->block->count, n = p->n;
  const int8_t *w = (const int8_t *)pass->block->filter + conv_filter_at(pass) + p->at;
  const int8_t *a = p->a, *b = p->b;
  uint32_t step = pass->conv->filter_step;
  const int32_t *from_a = p->at == 0 ? p->start : p->sums[0];
  const int32_t *from_b = p->at == 0 ? p->start : p->sums[1];
  for (uint32_t c = 0; c < count; c += 2, w += 2 * step) {
    if (c + 1 == count) step = 0;
    int32_t s[4] = {from_a[c], from_b[c], from_a[c + 1], from_b[c + 1]};
    if (p->one) dot_1x2(s, a, w, w + step, n);
    else dot_2x2(s, a, b, w, w + step, n);
    p->sums[0][c] = s[0];
    p->sums[1][c] = s[1];
    p->sums[0][c + 1] = s[2];
    p->sums[1][c + 1] = s[3];
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

// Sums begin with the bias, less what the input's zero point adds.
ARN__APART static void set_start(pixels *p) {
  const arn__conv_block *b = p->pass->block;
  const uint32_t step = p->pass->conv->filter_step, window = p->pass->window, count = b->count;
  const int32_t minus_zero = -p->pass->conv->in_zero;
  const int8_t *w = (const int8_t *)b->filter + conv_filter_at(p->pass);
  for (uint32_t c = 0; c < count && window > 0; c += 2, w += 2 * step) {
    int32_t sums[2] = {0, 0};
    add_weights(sums, w, c + 1 < count ? w + step : w, window);
    p->start[c] = sums[0];
    p->start[c + 1] = sums[1];
  }
  for (uint32_t c = 0; c < count; c += 4) {
    int32x4_t start = vdupq_n_s32(0);
    if (window > 0) start = vmulq_n_s32(vldrwq_s32(p->start + c), minus_zero);
    if (b->bias) {
      const mve_pred16_t left = vctp32q(count - c);
      start = vaddq_s32(start, vldrwq_z_s32((const int32_t *)b->bias + c, left));
    }
    vstrwq_s32(p->start + c, start);
  }
}

ARN__APART static void finish(const pixels *p, int8_t *a) {
  const arn__conv_block *block = p->pass->block;
  const arn__conv *s = p->pass->conv;
  const arn__output_x4 output = arn__output_x4_of(s->clamp, s->out_zero);
  int8_t *b = p->one ? a : a + s->out_channels;
  for (uint32_t c = 0; c < block->count; c += 4) {
    const mve_pred16_t left = vctp32q(block->count - c);
    const arn__requant_x4 r = arn__requant_x4_load(block->requant + c);
    const int32x4_t y = arn__requant_x4_apply(vldrwq_s32(p->sums[1] + c), &r);
    vstrbq_p_s32(b + c, arn__output_x4_apply(y, &output), left);
    const int32x4_t x = arn__requant_x4_apply(vldrwq_s32(p->sums[0] + c), &r);
    vstrbq_p_s32(a + c, arn__output_x4_apply(x, &output), left);
  }
}

static void compute(pixels *p, uint32_t column) {
  conv_cursor a = conv_cursor_at(p->pass, column);
  conv_cursor b = a;
  b.origin += p->one ? 0 : p->pass->conv->stride * p->pass->conv->in_channels;
  if (p->pass->window == 0) {
    memcpy(p->sums[0], p->start, sizeof p->start);
    memcpy(p->sums[1], p->start, sizeof p->start);
  }
  for (p->at = 0; p->at < p->pass->window; p->at += p->n) {
    take_chunk(p, &a, &b);
    multiply(p);
  }
}

void arn__conv_row_s8_mve(const arn__conv *conv, const arn__conv_row *row,
                          const arn__conv_block *block) {
  const conv_pass pass = conv_pass_of(conv, row, block);
  int8_t *out = (int8_t *)row->out + block->first;
  pixels p;
  p.pass = &pass;
  set_start(&p);
  for (uint32_t i = 0; i < row->columns; i += 2, out += 2 * conv->out_channels) {
    p.one = i + 1 == row->columns;
    compute(&p, row->column + i);
    finish(&p, out);
  }
}

#endif
