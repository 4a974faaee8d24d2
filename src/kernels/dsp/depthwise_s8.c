#include "../depthwise.h"

#if defined(ARN__DSP)

#include "output.h"
#include "simd.h"

// Four channels at a time, and of these a tile: some columns of the input below the kernel, widened
// to int16. Two rows are a pair: a word has an element of each, so that one instruction takes two
// taps. An odd row at the end is single: a word has an element of channels 0 and 2, or of 1 and 3.
// The weights are laid out alike. What lies beyond the ends of a row is zeros, so that no pixel is
// special.
//
//   weights: pairs, column by column, filled up with zeros to a multiple of three | single | tile:
//   pairs | single
#define PAIR 4u      // words of a pair: channels 0, 2, 1, 3
#define SINGLE 2u
#define AT_ONCE 3u   // taps of a pass of the loops
#define SPACE 108u   // words of weights and tile
#define SLACK 8u     // words read behind the tile, for weights that are zero
#define ROWS 16u     // of a kernel, at most

// Four channels of a row of pixels. The order of the first members counts.
typedef struct four {
  const uint32_t *pairs, *single;           // 0, 4: of the tile, at the window of the next pixel
  uint32_t pairs_step, single_step;         // 8, 12: bytes to that of the next one
  const uint32_t *w, *pairs_end, *w_end;    // 16, 20, 24: the weights, and where they end
  int32_t bias[4];                          // 28
  int32_t zero;                             // 44: of the output
  int8_t *out;                              // 48
  uint32_t out_step;                        // 52
  const int8_t *out_end;                    // 56
  struct { int32_t q, right; } scale[4];    // 60
  const arn__conv *conv;
  const arn__conv_block *block;
  uint32_t rows;                            // of the kernel
  const int8_t *row[ROWS], *filter[ROWS];   // of the input, and the weights of each, at the block
  uint32_t space[SPACE + SLACK];
} four;

// ---- weights and tile ---------------------------------------------------------------------------

ARN__INLINE void put_pair(uint32_t *to, uint32_t minus_zero, uint32_t first, uint32_t second) {
  const uint32_t a = arn__dsp_even(minus_zero, first), b = arn__dsp_even(minus_zero, second);
  const uint32_t c = arn__dsp_odd(minus_zero, first), d = arn__dsp_odd(minus_zero, second);
  to[0] = arn__dsp_lows(a, b);
  to[1] = arn__dsp_highs(a, b);
  to[2] = arn__dsp_lows(c, d);
  to[3] = arn__dsp_highs(c, d);
}

// Columns of weights or of the input.
typedef struct columns {
  const int8_t *const *row;
  uint32_t rows, count;
  int32_t at, step;      // elements from a row's start to the first column; to the next column
  uint32_t minus_zero;
} columns;

ARN__APART static void put_columns(uint32_t *pairs, uint32_t *single, const columns *c) {
  const uint32_t minus_zero = c->minus_zero, pair_words = c->rows / 2 * PAIR;
  const int32_t step = c->step;
  const uint32_t *end = pairs + c->count * pair_words;
  for (uint32_t y = 0; y + 1 < c->rows; y += 2, pairs += PAIR, end += PAIR) {
    const int8_t *first = c->row[y] + c->at, *second = c->row[y + 1] + c->at;
    for (uint32_t *to = pairs; to != end; to += pair_words, first += step, second += step) {
      put_pair(to, minus_zero, arn__dsp_load(first), arn__dsp_load(second));
    }
  }
  if (c->rows % 2 == 0) return;
  const int8_t *last = c->row[c->rows - 1] + c->at;
  for (end = single + c->count * SINGLE; single != end; single += SINGLE, last += step) {
    arn__dsp_widen(single, single + 1, arn__dsp_load(last), minus_zero);
  }
}

// Returns the end. (A call of memset() would cost more than these few words.)
static uint32_t *put_zeros(uint32_t *to, uint32_t n) {
  for (const uint32_t *const end = to + n; to != end; to++) {
    *to = 0;
    __asm__ volatile("");
  }
  return to;
}

static uint32_t filled_up(uint32_t taps) { return (taps + AT_ONCE - 1) / AT_ONCE * AT_ONCE; }

// Fills in the weights. Returns where the tile may begin.
static uint32_t *set_weights(four *f, uint32_t first) {
  const arn__conv *s = f->conv;
  const uint32_t width = (uint32_t)s->kernel_width, taps = width * (f->rows / 2);
  const uint32_t more = filled_up(taps), singles = f->rows % 2 ? width : 0;
  const columns c = {f->filter, f->rows, width, (int32_t)first, s->out_channels, 0};
  uint32_t *single = f->space + more * PAIR;
  put_zeros(f->space + taps * PAIR, (more - taps) * PAIR);
  put_columns(f->space, single, &c);
  f->w = f->space;
  f->pairs_end = single;
  uint32_t *end = put_zeros(single + singles * SINGLE, (filled_up(singles) - singles) * SINGLE);
  f->w_end = end;
  return end;
}

// Fills `n` columns of a tile from column `x` of the image on, which may be beyond its ends.
static void set_tile(const four *f, uint32_t *pairs, int32_t x, uint32_t n, uint32_t first) {
  const arn__conv *s = f->conv;
  const uint32_t words = f->rows / 2 * PAIR, single_words = f->rows % 2 ? SINGLE : 0;
  uint32_t *single = pairs + n * words;
  uint32_t before = x < 0 ? (uint32_t)-x : 0;
  if (before > n) before = n;
  const int32_t start = x + (int32_t)before, room = s->in_width - start;
  uint32_t inside = n - before;
  if (room < (int32_t)inside) inside = room > 0 ? (uint32_t)room : 0;
  const columns c = {f->row, f->rows, inside, start * s->in_channels + (int32_t)first,
                     s->in_channels, arn__dsp_minus(s->in_zero)};
  const uint32_t after = n - before - inside;
  pairs = put_zeros(pairs, before * words);
  single = put_zeros(single, before * single_words);
  if (inside > 0) put_columns(pairs, single, &c);
  put_zeros(pairs + inside * words, after * words);
  put_zeros(single + inside * single_words, after * single_words);
}

// ---- products -----------------------------------------------------------------------------------

// A tap of two rows: seven instructions for eight products. Of one: six for four.
#define TAP_OF_PAIR                          \
  "ldmia %[x]!, {r4, r5, r6, r8}\n\t"        \
  "ldrd r9, r10, [%[w]], #8\n\t"             \
  "smlad %[a], r4, r9, %[a]\n\t"             \
  "smlad %[c], r5, r10, %[c]\n\t"            \
  "ldrd r9, r10, [%[w]], #8\n\t"             \
  "smlad %[b], r6, r9, %[b]\n\t"             \
  "smlad %[d], r8, r10, %[d]\n\t"
#define TAP_OF_SINGLE                        \
  "ldrd r4, r5, [%[x]], #8\n\t"              \
  "ldrd r9, r10, [%[w]], #8\n\t"             \
  "smlabb %[a], r4, r9, %[a]\n\t"            \
  "smlatt %[c], r4, r9, %[c]\n\t"            \
  "smlabb %[b], r5, r10, %[b]\n\t"           \
  "smlatt %[d], r5, r10, %[d]\n\t"

#define SETTLE(sum, scale)                                    \
  "ldrd r4, r5, [%[f], " scale "]\n\t"                        \
  ARN__DSP_HIGH(sum, "r4", "r6", "r8")                        \
  ARN__DSP_SHIFT(sum, "r5", "%[w]", "r6", "r8")               \
  "ssat " sum ", #8, " sum "\n\t"

// Computes pixels until out_end.
ARN__APART static void compute(four *f) {
  uint32_t a, b, c, d, x, w;
  __asm__ volatile(
      "1:\n\t"
      "ldrd %[a], %[b], [%[f], #28]\n\t"
      "ldrd %[c], %[d], [%[f], #36]\n\t"
      "ldr %[x], [%[f]]\n\t"
      "ldr r4, [%[f], #8]\n\t"
      "ldrd %[w], r5, [%[f], #16]\n\t"
      "add r4, r4, %[x]\n\t"
      "str r4, [%[f]]\n\t"
      "cmp %[w], r5\n\t"
      "bhs 3f\n"
      "2:\n\t" TAP_OF_PAIR TAP_OF_PAIR TAP_OF_PAIR
      "ldr r4, [%[f], #20]\n\t"
      "cmp %[w], r4\n\t"
      "blo 2b\n"
      "3:\n\t"
      "ldr r4, [%[f], #24]\n\t"
      "cmp %[w], r4\n\t"
      "bhs 5f\n\t"
      "ldr %[x], [%[f], #4]\n\t"
      "ldr r4, [%[f], #12]\n\t"
      "add r4, r4, %[x]\n\t"
      "str r4, [%[f], #4]\n"
      "4:\n\t" TAP_OF_SINGLE TAP_OF_SINGLE TAP_OF_SINGLE
      "ldr r4, [%[f], #24]\n\t"
      "cmp %[w], r4\n\t"
      "blo 4b\n"
      "5:\n\t"
      "ldrd %[w], %[x], [%[f], #44]\n\t"
      SETTLE("%[a]", "#60") SETTLE("%[b]", "#68") SETTLE("%[c]", "#76") SETTLE("%[d]", "#84")
      "strb %[a], [%[x]]\n\t"
      "strb %[b], [%[x], #1]\n\t"
      "strb %[c], [%[x], #2]\n\t"
      "strb %[d], [%[x], #3]\n\t"
      "ldrd r4, r5, [%[f], #52]\n\t"
      "add %[x], %[x], r4\n\t"
      "str %[x], [%[f], #48]\n\t"
      "cmp %[x], r5\n\t"
      "bne 1b"
      : [a] "=&r"(a), [b] "=&r"(b), [c] "=&r"(c), [d] "=&r"(d), [x] "=&r"(x), [w] "=&r"(w)
      : [f] "r"(f)
      : "r4", "r5", "r6", "r8", "r9", "r10", "cc", "memory");
}

// Computes four channels of a row, as many pixels at a time as the tile has columns for.
static void compute_tiles(four *f, const arn__conv_row *r, uint32_t first) {
  const arn__conv *s = f->conv;
  uint32_t *const tile = set_weights(f, first);
  const uint32_t words = f->rows / 2 * PAIR, column = words + f->rows % 2 * SINGLE;
  const uint32_t stride = (uint32_t)s->stride, width = (uint32_t)s->kernel_width;
  const uint32_t room = SPACE - (uint32_t)(tile - f->space);
  uint32_t n = (r->columns - 1) * stride + width, most = r->columns;
  while (n * column > room) n -= stride, most--;
  f->pairs_step = stride * words * 4;
  f->single_step = stride * SINGLE * 4;
  for (uint32_t i = 0; i < r->columns; i += most) {
    if (most > r->columns - i) most = r->columns - i;
    n = (most - 1) * stride + width;
    set_tile(f, tile, (int32_t)((r->column + i) * stride) - s->pad, n, first);
    f->pairs = tile;
    f->single = tile + n * words;
    f->out_end = f->out + most * f->out_step;
    compute(f);
  }
}

// ---- a few pixels, large kernels or multipliers -------------------------------------------------

ARN__INLINE void add_tap(int32_t sum[4], uint32_t x, uint32_t w, uint32_t minus_zero) {
  const uint32_t even = arn__dsp_even(minus_zero, x), odd = arn__dsp_odd(minus_zero, x);
  const uint32_t v = arn__dsp_even(0, w), u = arn__dsp_odd(0, w);
  sum[0] = arn__dsp_low_product(sum[0], even, v);
  sum[1] = arn__dsp_low_product(sum[1], odd, u);
  sum[2] = arn__dsp_high_product(sum[2], even, v);
  sum[3] = arn__dsp_high_product(sum[3], odd, u);
}

// Writes the outputs of four sums; small: all multipliers are below 1/2.
ARN__INLINE void settle(const four *f, const int32_t sum[4], uint32_t first, bool small) {
  int8_t *out = f->out;
  if (small) {
    const int32_t zero = f->zero;
    const int32_t a = arn__dsp_quick(sum[0], f->scale[0].q, f->scale[0].right, zero);
    const int32_t b = arn__dsp_quick(sum[1], f->scale[1].q, f->scale[1].right, zero);
    const int32_t c = arn__dsp_quick(sum[2], f->scale[2].q, f->scale[2].right, zero);
    const int32_t d = arn__dsp_quick(sum[3], f->scale[3].q, f->scale[3].right, zero);
    out[0] = (int8_t)a;
    out[1] = (int8_t)b;
    out[2] = (int8_t)c;
    out[3] = (int8_t)d;
    return;
  }
  const arn__requant *r = f->block->requant + first;
  for (uint32_t c = 0; c < 4; c++) out[c] = (int8_t)arn__dsp_output(sum[c], r[c], f->zero);
}

// Computes four channels of the pixel whose window begins at `column`.
static void compute_pixel(const four *f, int32_t column, uint32_t first, bool small) {
  const arn__conv *s = f->conv;
  const uint32_t minus_zero = arn__dsp_minus(s->in_zero);
  int32_t sum[4] = {f->bias[0], f->bias[1], f->bias[2], f->bias[3]};
  for (int32_t k = 0; k < s->kernel_width; k++, column += s->dilation) {
    if (column < 0 || column >= s->in_width) continue;
    const int32_t at = column * s->in_channels + (int32_t)first;
    const int32_t w = k * s->out_channels + (int32_t)first;
    for (uint32_t y = 0; y < f->rows; y++) {
      add_tap(sum, arn__dsp_load(f->row[y] + at), arn__dsp_load(f->filter[y] + w), minus_zero);
    }
  }
  settle(f, sum, first, small);
}

static void compute_pixels(four *f, const arn__conv_row *r, uint32_t first, bool small) {
  int32_t column = (int32_t)r->column * f->conv->stride - f->conv->pad;
  for (uint32_t i = 0; i < r->columns; i++, column += f->conv->stride, f->out += f->out_step) {
    compute_pixel(f, column, first, small);
  }
}

// ---- rows ---------------------------------------------------------------------------------------

// Sets bias and multipliers of four channels. Returns whether these are all below 1/2.
static bool set_channels(four *f, uint32_t first) {
  static const int32_t none[4];
  const int32_t *bias = f->block->bias ? (const int32_t *)f->block->bias + first : none;
  const arn__requant *r = f->block->requant + first;
  memcpy(f->bias, bias, sizeof f->bias);
  for (uint32_t c = 0; c < 4; c++) {
    f->scale[c].q = r[c].q;
    f->scale[c].right = -r[c].shift;
  }
  return (r[0].shift & r[1].shift & r[2].shift & r[3].shift) < 0;
}

static void set_rows(four *f, const arn__conv_row *r) {
  const arn__conv *s = f->conv;
  const arn__conv_block *b = f->block;
  const int32_t width = s->kernel_width * s->out_channels;
  const int8_t *filter = (const int8_t *)b->filter + b->filter_at + (int32_t)r->kernel_row * width;
  for (uint32_t i = 0; i < r->count; i++, filter += width) {
    f->row[i] = (const int8_t *)arn_row(&r->input, r->first + i * r->step) + b->first;
    f->filter[i] = filter;
  }
}

// Says whether the weights of four channels, and the tile of a pixel, fit.
static bool fits(const arn__conv *s, uint32_t rows) {
  const uint32_t width = (uint32_t)s->kernel_width, singles = rows % 2 ? width : 0;
  const uint32_t weights = filled_up(rows / 2 * width) * PAIR + filled_up(singles) * SINGLE;
  return weights + rows / 2 * width * PAIR + singles * SINGLE <= SPACE;
}

ARN__APART static void row_by_fours(const arn__conv *s, const arn__conv_row *r,
                                    const arn__conv_block *b) {
  const bool tiles = r->columns > 2 && fits(s, r->count) &&
                     (s->dilation == 1 || s->kernel_width == 1);
  four f;
  f.conv = s;
  f.block = b;
  f.rows = r->count;
  f.zero = s->out_zero;
  f.out_step = (uint32_t)s->out_channels;
  set_rows(&f, r);
  for (uint32_t c = 0; c < b->count; c += 4) {
    const uint32_t first = c + 4 <= b->count ? c : b->count - 4;
    f.out = (int8_t *)r->out + b->first + first;
    const bool small = set_channels(&f, first);
    if (small && tiles) compute_tiles(&f, r, first);
    else compute_pixels(&f, r, first, small);
  }
}

// ---- one input channel for all ------------------------------------------------------------------

// All channels have the same window, as in CONV_2D; only the order of the weights is another.
#define SAME_WEIGHTS 384u  // in that order, at a time
#define SAME_TAPS 192u     // of a window, at most

// Computes the channels of a block, whose weights then have room.
ARN__APART static void block_of_same(const arn__conv *conv, const arn__conv_row *row,
                                     const arn__conv_block *block) {
  int8_t filter[SAME_WEIGHTS];
  const uint32_t step = (uint32_t)conv->out_channels, width = (uint32_t)conv->kernel_width;
  const uint32_t taps = row->count * width;
  const int8_t *from = (const int8_t *)block->filter + block->filter_at +
                       row->kernel_row * width * step;
  for (uint32_t i = 0; i < taps; i++, from += step) {
    int8_t *to = filter + i;
    for (uint32_t c = 0; c < block->count; c++, to += taps) *to = from[c];
  }
  arn__conv same = *conv;
  arn__conv_row rows = *row;
  arn__conv_block part = *block;
  same.group = 1;
  same.filter_step = taps;
  same.filter_count = block->count * taps;
  rows.kernel_row = 0;
  part.filter = filter;
  part.filter_at = 0;
  arn__conv_row_s8_dsp(&same, &rows, &part);
}

static void row_of_same(const arn__conv *conv, const arn__conv_row *row,
                        const arn__conv_block *block) {
  const uint32_t most = SAME_WEIGHTS / (row->count * (uint32_t)conv->kernel_width);
  for (uint32_t c = 0, n; c < block->count; c += n) {
    n = block->count - c < most ? block->count - c : most;
    arn__conv_block part = *block;
    part.first += c;
    part.count = n;
    part.filter_at += c;
    part.requant += c;
    if (part.bias) part.bias = (const int32_t *)part.bias + c;
    block_of_same(conv, row, &part);
  }
}

void arn__depthwise_row_s8_dsp(const arn__conv *conv, const arn__conv_row *row,
                               const arn__conv_block *block) {
  const uint32_t taps = row->count * (uint32_t)conv->kernel_width;
  if (block->count >= 4 && taps > 0 && conv->group == 1 && row->count <= ROWS) {
    row_by_fours(conv, row, block);
    if (!arn__dsp_is_narrow(conv->clamp, conv->out_zero)) return;
    int8_t *out = (int8_t *)row->out + block->first;
    for (uint32_t i = 0; i < row->columns; i++, out += conv->out_channels) {
      arn__dsp_narrow(out, block->count, conv->clamp, conv->out_zero);
    }
  } else if (conv->in_channels == 1 && taps > 0 && taps <= SAME_TAPS) {
    row_of_same(conv, row, block);
  } else {
    arn__depthwise_row_s8_portable(conv, row, block);
  }
}

#endif
