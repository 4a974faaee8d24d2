#include "../conv.h"

#if defined(ARN__RV32)

#include "../portable/conv_window.h"
#include "output.h"

// Two pixels by four channels: eight sums in registers, so that six loads serve eight products.
// Windows are copied a chunk at a time; what they lack counts as zero points, and what the zero
// point adds to a sum is taken off the bias.

#define CHUNK 96u  // elements of a window
#define CHANNELS ARN__CONV_CHANNELS

typedef struct pixels {
  const conv_pass *pass;
  uint32_t at, n;          // the chunk
  const int8_t *a, *b;     // it
  const uint32_t *from_a, *from_b;  // what sums have been so far; they wrap
  uint32_t start[CHANNELS];         // what they begin with
  uint32_t sums[2][CHANNELS];
  int8_t copy[2][CHUNK];
} pixels;

// ---- the windows --------------------------------------------------------------------------------

// Returns the next `n` elements of a window: where they lie, or copied.
static const int8_t *gather(const conv_pass *p, conv_cursor *c, int8_t *copy, int32_t n) {
  for (int32_t done = 0; done < n;) {
    const conv_piece piece = conv_piece_at(p, c, n - done);
    const int8_t *from = (const int8_t *)piece.base + piece.start;
    const int32_t length = piece.before + piece.inside + piece.after;
    conv_cursor_advance(p, c, length);
    if (piece.inside == n) return from;
    int8_t *to = copy + done;
    for (int32_t i = 0; i < piece.before; i++) *to++ = (int8_t)p->conv->in_zero;
    for (int32_t i = 0; i < piece.inside; i++) *to++ = *from++;
    for (int32_t i = 0; i < piece.after; i++) *to++ = (int8_t)p->conv->in_zero;
    done += length;
  }
  return copy;
}

// Says whether the rest of the run at the cursor is inside its row.
static bool is_inside(const conv_pass *p, const conv_cursor *c) {
  const int32_t start = c->origin + c->run * p->run_step + c->at;
  return start >= 0 && start + p->run_length - c->at <= p->row_length;
}

static void take_chunk(pixels *p, conv_cursor *a, conv_cursor *b, bool two) {
  const conv_pass *pass = p->pass;
  const uint32_t left = pass->window - p->at, run = (uint32_t)(pass->run_length - a->at);
  p->n = left < CHUNK ? left : CHUNK;
  if (run > p->n && is_inside(pass, a) && (!two || is_inside(pass, b))) p->n = run;
  p->a = gather(pass, a, p->copy[0], (int32_t)p->n);
  p->b = two ? gather(pass, b, p->copy[1], (int32_t)p->n) : p->a;
}

// ---- products -----------------------------------------------------------------------------------

ARN__INLINE void add_2x4(pixels *p, uint32_t c, const int8_t *w, uint32_t step) {
  const uint32_t *from_a = p->from_a + c, *from_b = p->from_b + c;
  const int8_t *a = p->a, *b = p->b, *end = a + p->n;
  const int8_t *w1 = w + step, *w2 = w1 + step, *w3 = w2 + step;
  uint32_t a0 = from_a[0], a1 = from_a[1], a2 = from_a[2], a3 = from_a[3];
  uint32_t b0 = from_b[0], b1 = from_b[1], b2 = from_b[2], b3 = from_b[3];
#pragma GCC unroll 8
  for (; a != end; a++, b++, w++, w1++, w2++, w3++) {
    const int32_t x = *a, y = *b;
    a0 += (uint32_t)(x * *w);
    b0 += (uint32_t)(y * *w);
    a1 += (uint32_t)(x * *w1);
    b1 += (uint32_t)(y * *w1);
    a2 += (uint32_t)(x * *w2);
    b2 += (uint32_t)(y * *w2);
    a3 += (uint32_t)(x * *w3);
    b3 += (uint32_t)(y * *w3);
  }
  uint32_t *to_a = p->sums[0] + c, *to_b = p->sums[1] + c;
  to_a[0] = a0, to_a[1] = a1, to_a[2] = a2, to_a[3] = a3;
  to_b[0] = b0, to_b[1] = b1, to_b[2] = b2, to_b[3] = b3;
}

ARN__INLINE void add_2x1(pixels *p, uint32_t c, const int8_t *w) {
  uint32_t a = p->from_a[c], b = p->from_b[c];
  for (uint32_t i = 0; i < p->n; i++) {
    a += (uint32_t)(p->a[i] * w[i]);
    b += (uint32_t)(p->b[i] * w[i]);
  }
  p->sums[0][c] = a;
  p->sums[1][c] = b;
}

ARN__INLINE void add_1x4(pixels *p, uint32_t c, const int8_t *w, uint32_t step) {
  const uint32_t *from = p->from_a + c;
  const int8_t *a = p->a, *end = a + p->n;
  const int8_t *w1 = w + step, *w2 = w1 + step, *w3 = w2 + step;
  uint32_t a0 = from[0], a1 = from[1], a2 = from[2], a3 = from[3];
#pragma GCC unroll 4
  for (; a != end; a++, w++, w1++, w2++, w3++) {
    const int32_t x = *a;
    a0 += (uint32_t)(x * *w);
    a1 += (uint32_t)(x * *w1);
    a2 += (uint32_t)(x * *w2);
    a3 += (uint32_t)(x * *w3);
  }
  uint32_t *to = p->sums[0] + c;
  to[0] = a0, to[1] = a1, to[2] = a2, to[3] = a3;
}

static void multiply(pixels *p, bool two) {
  const conv_pass *pass = p->pass;
  const uint32_t step = pass->conv->filter_step, count = pass->block->count;
  const int8_t *w = (const int8_t *)pass->block->filter + conv_filter_at(pass) + p->at;
  uint32_t c = 0;
  for (; c + 4 <= count; c += 4, w += 4 * step) {
    if (two) add_2x4(p, c, w, step);
    else add_1x4(p, c, w, step);
  }
  for (; c < count; c++, w += step) add_2x1(p, c, w);
  p->from_a = p->sums[0];
  p->from_b = p->sums[1];
}

// ---- rows ---------------------------------------------------------------------------------------

// Sums begin with the bias, less what the input's zero point adds.
static void set_start(pixels *p) {
  const conv_pass *pass = p->pass;
  const arn__conv_block *b = pass->block;
  const int8_t *w = (const int8_t *)b->filter + conv_filter_at(pass);
  const uint32_t zero = (uint32_t)pass->conv->in_zero;
  for (uint32_t c = 0; c < b->count; c++, w += pass->conv->filter_step) {
    int32_t sum = 0;
    const int8_t *end = w + (zero == 0 ? 0 : pass->window);
#pragma GCC unroll 4
    for (const int8_t *at = w; at != end; at++) sum += *at;
    const uint32_t bias = b->bias ? (uint32_t)((const int32_t *)b->bias)[c] : 0;
    p->start[c] = bias - zero * (uint32_t)sum;
  }
}

static void finish(const pixels *p, const uint32_t *sums, int8_t *out) {
  const arn__conv_block *b = p->pass->block;
  for (uint32_t c = 0; c < b->count; c++) {
    out[c] = arn__rv32_output((int32_t)sums[c], b->requant[c], p->pass->conv);
  }
}

void arn__conv_row_s8_rv32(const arn__conv *conv, const arn__conv_row *row,
                           const arn__conv_block *block) {
  const conv_pass pass = conv_pass_of(conv, row, block);
  int8_t *out = (int8_t *)row->out + block->first;
  pixels p;
  p.pass = &pass;
  set_start(&p);
  for (uint32_t i = 0; i < row->columns; i += 2, out += 2 * conv->out_channels) {
    const bool two = i + 1 < row->columns;
    conv_cursor a = conv_cursor_at(&pass, row->column + i), b = a;
    b.origin += conv->stride * conv->in_channels;
    p.from_a = p.from_b = p.start;
    for (p.at = 0; p.at < pass.window; p.at += p.n) {
      take_chunk(&p, &a, &b, two);
      multiply(&p, two);
    }
    finish(&p, p.from_a, out);
    if (two) finish(&p, p.from_b, out + conv->out_channels);
  }
}

#endif
