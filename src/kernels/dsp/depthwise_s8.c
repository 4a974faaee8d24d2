#include "../depthwise.h"

#if defined(ARN__DSP)

#include "output.h"
#include "window.h"

// Four channels at a time, and of these a tile: some columns of the input below the kernel, widened
// to int16 and with two rows in a word, so that one instruction takes a tap of both. The weights
// are laid out alike. What lies beyond the ends of a row is zeros, so that no pixel is special.
//
// A unit is a column of two rows: a word for each of the channels 0, 2, 1 and 3. If the number of
// rows is odd, the last has words of two channels instead, of which the weights choose one.

#define UNITS 30u  // of weights and tile together; kernels that need more go the portable way
#define ROWS 8u    // of a kernel, at most

typedef struct unit {
  uint32_t of[4];
} unit;

#define SAME_TAPS 128u  // of a window where all channels read the same input channel, at most

// What makes outputs of four channels.
typedef struct finisher {
  int32_t zero;
  bool narrow, large;        // large: one of the multipliers is not below 1/2
  arn__clamp clamp;          // relative to the zero point
  arn__requant requant[4];
} finisher;

// Four channels of a row of pixels.
typedef struct four {
  const arn__conv *conv;
  int32_t bias[4];
  finisher out;
  const int8_t *row[ROWS];   // of the input, at the first of the channels
  uint32_t rows, pairs;      // rows of the kernel, of which two are a pair, and maybe the last one
  uint32_t window;           // units of a window
  const unit *most, *end;    // of the weights, in steps of three units, and of one
  uint32_t columns;          // that the tile has room for
  unit units[UNITS];         // the weights, then the tile
} four;

// ---- weights and tile ---------------------------------------------------------------------------

ARN__INLINE void put_pair(unit *to, uint32_t minus_zero, uint32_t first, uint32_t second) {
  const uint32_t a = arn__dsp_even(minus_zero, first), b = arn__dsp_even(minus_zero, second);
  const uint32_t c = arn__dsp_odd(minus_zero, first), d = arn__dsp_odd(minus_zero, second);
  to->of[0] = arn__dsp_lows(a, b);
  to->of[1] = arn__dsp_highs(a, b);
  to->of[2] = arn__dsp_lows(c, d);
  to->of[3] = arn__dsp_highs(c, d);
}

ARN__INLINE void put_single(unit *to, uint32_t minus_zero, uint32_t word) {
  to->of[0] = to->of[1] = arn__dsp_even(minus_zero, word);
  to->of[2] = to->of[3] = arn__dsp_odd(minus_zero, word);
}

// Weights of a single row: each of the words has another channel.
ARN__INLINE void put_choice(unit *to, uint32_t word) {
  const uint32_t even = arn__dsp_even(0, word), odd = arn__dsp_odd(0, word);
  to->of[0] = even & 0xFFFF;
  to->of[1] = even & 0xFFFF0000;
  to->of[2] = odd & 0xFFFF;
  to->of[3] = odd & 0xFFFF0000;
}

static void set_weights(four *f, const int8_t *w) {
  const uint32_t step = (uint32_t)f->conv->out_channels, width = (uint32_t)f->conv->kernel_width;
  unit *to = f->units;
  for (uint32_t x = 0; x < width; x++, w += step) {
    const int8_t *tap = w;
    for (uint32_t y = 0; y + 1 < f->rows; y += 2, tap += 2 * width * step) {
      put_pair(to++, 0, arn__dsp_load(tap), arn__dsp_load(tap + width * step));
    }
    if (f->rows % 2) put_choice(to++, arn__dsp_load(tap));
  }
}

// Fills columns [0, n) of the tile, from column `x` of the image on.
ARN__APART static void set_columns(const four *f, unit *tile, int32_t x, int32_t n) {
  const uint32_t minus_zero = arn__dsp_minus(f->conv->in_zero), pairs = f->pairs;
  const int32_t step = f->conv->in_channels;
  for (uint32_t y = 0; y < f->rows; y += 2) {
    const int8_t *first = f->row[y] + x * step;
    unit *to = tile + y / 2;
    if (y + 1 < f->rows) {
      const int8_t *second = f->row[y + 1] + x * step;
      for (int32_t i = 0; i < n; i++, to += pairs, first += step, second += step) {
        put_pair(to, minus_zero, arn__dsp_load(first), arn__dsp_load(second));
      }
    } else {
      for (int32_t i = 0; i < n; i++, to += pairs, first += step) {
        put_single(to, minus_zero, arn__dsp_load(first));
      }
    }
  }
}

// Returns the end. (A call of memset() would cost more than these few words.)
static unit *put_zeros(unit *to, uint32_t n) {
  for (const unit *end = to + n; to != end; to++) {
    *to = (unit){{0}};
    __asm__ volatile("");
  }
  return to;
}

// Fills `n` columns from column `x` on, which may be beyond the ends.
static void set_tile(const four *f, unit *tile, int32_t x, int32_t n) {
  int32_t before = x < 0 ? -x : 0, inside;
  if (before > n) before = n;
  inside = f->conv->in_width - (x + before);
  if (inside > n - before) inside = n - before;
  if (inside < 0) inside = 0;
  tile = put_zeros(tile, (uint32_t)before * f->pairs);
  set_columns(f, tile, x + before, inside);
  put_zeros(tile + (uint32_t)inside * f->pairs, (uint32_t)(n - before - inside) * f->pairs);
}

static void set_finisher(finisher *f, const arn__conv *s, const arn__conv_block *b,
                         uint32_t first) {
  f->zero = s->out_zero;
  f->clamp = s->clamp;
  f->narrow = arn__dsp_is_narrow(s->clamp, s->out_zero);
  f->large = false;
  for (uint32_t c = 0; c < 4; c++) {
    f->requant[c] = b->requant[first + c];
    f->large |= f->requant[c].shift >= 0;
  }
}

// Writes four channels.
ARN__INLINE void finish(const finisher *f, const int32_t sums[4], int8_t *out) {
  const arn__requant *r = f->requant;
  const int32_t zero = f->zero;
  if (!f->large) {
    const int32_t y0 = arn__dsp_quick(sums[0], r[0].q, -r[0].shift, zero);
    const int32_t y1 = arn__dsp_quick(sums[1], r[1].q, -r[1].shift, zero);
    const int32_t y2 = arn__dsp_quick(sums[2], r[2].q, -r[2].shift, zero);
    const int32_t y3 = arn__dsp_quick(sums[3], r[3].q, -r[3].shift, zero);
    out[0] = (int8_t)y0;
    out[1] = (int8_t)y1;
    out[2] = (int8_t)y2;
    out[3] = (int8_t)y3;
  } else {
    for (uint32_t i = 0; i < 4; i++) out[i] = (int8_t)arn__dsp_output(sums[i], r[i], zero);
  }
  if (f->narrow) arn__dsp_narrow(out, 4, f->clamp, zero);
}

// A unit: seven instructions for eight products.
#define UNIT                                 \
  "ldmia %[x]!, {r4, r5, r6, r8}\n\t"        \
  "ldrd r9, r10, [%[w]], #8\n\t"             \
  "smlad %[a0], r4, r9, %[a0]\n\t"           \
  "smlad %[a2], r5, r10, %[a2]\n\t"          \
  "ldrd r9, r10, [%[w]], #8\n\t"             \
  "smlad %[a1], r6, r9, %[a1]\n\t"           \
  "smlad %[a3], r8, r10, %[a3]\n\t"

// Computes the four channels of the pixel whose window begins at `x` of the tile.
ARN__INLINE void compute(const four *f, const unit *x, int8_t *out) {
  const unit *w = f->units;
  const unit *const most = f->most, *const end = f->end;
  int32_t a0 = f->bias[0], a1 = f->bias[1], a2 = f->bias[2], a3 = f->bias[3];
  __asm__ volatile("b 2f\n"
                   "1:\n\t" UNIT UNIT UNIT
                   "2:\n\t"
                   "ldr r4, %[most]\n\t"
                   "cmp %[w], r4\n\t"
                   "blo 1b\n\t"
                   "b 4f\n"
                   "3:\n\t" UNIT
                   "4:\n\t"
                   "ldr r4, %[end]\n\t"
                   "cmp %[w], r4\n\t"
                   "blo 3b"
                   : [a0] "+r"(a0), [a1] "+r"(a1), [a2] "+r"(a2), [a3] "+r"(a3), [x] "+r"(x),
                     [w] "+r"(w)
                   : [most] "m"(most), [end] "m"(end)
                   : "r4", "r5", "r6", "r8", "r9", "r10", "cc", "memory");
  finish(&f->out, (int32_t[4]){a0, a1, a2, a3}, out);
}

// ---- rows ---------------------------------------------------------------------------------------

static void set_four(four *f, const arn__conv_row *r, const arn__conv_block *b, uint32_t first) {
  const arn__conv *s = f->conv;
  const uint32_t skipped = r->kernel_row * (uint32_t)(s->kernel_width * s->out_channels);
  set_weights(f, (const int8_t *)b->filter + b->filter_at + first + skipped);
  for (uint32_t i = 0; i < r->count; i++) {
    f->row[i] = (const int8_t *)arn_row(&r->input, r->first + i * r->step) + b->first + first;
  }
  for (uint32_t c = 0; c < 4; c++) {
    f->bias[c] = b->bias ? ((const int32_t *)b->bias)[first + c] : 0;
  }
}

// Computes four channels of a row, as many pixels at a time as the tile has columns for.
static void compute_row(four *f, const arn__conv_row *r, int8_t *out) {
  const arn__conv *s = f->conv;
  unit *tile = f->units + f->window;
  const uint32_t stride = (uint32_t)s->stride, width = (uint32_t)s->kernel_width;
  const uint32_t most = (f->columns - width) / stride + 1;
  uint32_t n;
  for (uint32_t i = 0; i < r->columns; i += n) {
    n = r->columns - i < most ? r->columns - i : most;
    const int32_t pixel = (int32_t)((r->column + i) * stride) - s->pad;
    set_tile(f, tile, pixel, (int32_t)((n - 1) * stride + width));
    const unit *x = tile, *end = tile + n * stride * f->pairs;
    for (; x != end; x += stride * f->pairs, out += s->out_channels) compute(f, x, out);
  }
}

ARN__APART static void row_by_fours(const arn__conv *s, const arn__conv_row *r,
                                    const arn__conv_block *b) {
  four f;
  f.conv = s;
  f.rows = r->count;
  f.pairs = (r->count + 1) / 2;
  f.window = f.pairs * (uint32_t)s->kernel_width;
  f.most = f.units + f.window / 3 * 3;
  f.end = f.units + f.window;
  f.columns = (UNITS - f.window) / f.pairs;
  for (uint32_t c = 0; c < b->count; c += 4) {
    const uint32_t first = c + 4 <= b->count ? c : b->count - 4;
    set_four(&f, r, b, first);
    set_finisher(&f.out, s, b, first);
    compute_row(&f, r, (int8_t *)r->out + b->first + first);
  }
}

// ---- one input channel for all ------------------------------------------------------------------

// The window of a pixel is gathered, and two taps of it are multiplied at a time. Its elements are
// in order, two in a word.
typedef struct same {
  conv_pass pass;
  uint32_t pairs[SAME_TAPS / 2];
  uint8_t copy[SAME_TAPS];
} same;

static void widen_window(same *f, const uint8_t *from) {
  const uint32_t minus_zero = arn__dsp_minus(f->pass.conv->in_zero);
  uint32_t *to = f->pairs;
  for (uint32_t left = f->pass.window; left > 0; to += 2, from += 4) {
    const uint32_t n = left < 4 ? left : 4;
    const uint32_t word = n == 4 ? arn__dsp_load(from) : arn__dsp_load_some(from, n);
    const uint32_t even = arn__dsp_even(minus_zero, word), odd = arn__dsp_odd(minus_zero, word);
    to[0] = arn__dsp_lows(even, odd);
    to[1] = arn__dsp_highs(even, odd);
    left -= n;
  }
}

ARN__INLINE void add_two_taps(int32_t s[4], uint32_t x, uint32_t first, uint32_t second) {
  unit w;
  put_pair(&w, 0, first, second);
  s[0] = arn__dsp_dot(s[0], x, w.of[0]);
  s[2] = arn__dsp_dot(s[2], x, w.of[1]);
  s[1] = arn__dsp_dot(s[1], x, w.of[2]);
  s[3] = arn__dsp_dot(s[3], x, w.of[3]);
}

// Adds the products of four channels.
static void add_window(const same *f, int32_t s[4], const int8_t *w) {
  const uint32_t step = (uint32_t)f->pass.conv->out_channels, taps = f->pass.window;
  const uint32_t *x = f->pairs;
  int32_t sums[4] = {s[0], s[1], s[2], s[3]};
  for (const uint32_t *end = x + taps / 2; x != end; x++, w += 2 * step) {
    add_two_taps(sums, *x, arn__dsp_load(w), arn__dsp_load(w + step));
  }
  if (taps % 2) add_two_taps(sums, *x, arn__dsp_load(w), 0);
  for (uint32_t i = 0; i < 4; i++) s[i] = sums[i];
}

// Computes channels of the pixel whose window was gathered.
static void compute_same(const same *f, int8_t *out) {
  const arn__conv_block *b = f->pass.block;
  const arn__conv *s = f->pass.conv;
  const uint32_t row = f->pass.row->kernel_row * (uint32_t)(s->kernel_width * s->out_channels);
  const int8_t *w = (const int8_t *)b->filter + b->filter_at + row;
  const int32_t *bias = b->bias;
  for (uint32_t c = 0; c < b->count; c += 4) {
    const uint32_t first = c + 4 <= b->count ? c : b->count - 4;
    int32_t sums[4] = {0, 0, 0, 0};
    finisher to;
    set_finisher(&to, s, b, first);
    if (bias) memcpy(sums, bias + first, sizeof sums);
    add_window(f, sums, w + first);
    finish(&to, sums, out + first);
  }
}

ARN__APART static void row_of_same(const arn__conv *s, const arn__conv_row *r,
                                   const arn__conv_block *b) {
  const bool touching = s->dilation == 1 || s->kernel_width == 1;
  same f;
  f.pass = (conv_pass){.conv = s, .row = r, .block = b, .row_length = s->in_width};
  f.pass.run_length = touching ? s->kernel_width : 1;
  f.pass.run_step = s->dilation;
  f.pass.run_count = touching ? 1 : s->kernel_width;
  f.pass.window = r->count * (uint32_t)s->kernel_width;
  int8_t *out = (int8_t *)r->out + b->first;
  for (uint32_t i = 0; i < r->columns; i++, out += s->out_channels) {
    conv_cursor cursor = conv_cursor_at(&f.pass, r->column + i);
    const int32_t window = (int32_t)f.pass.window;
    widen_window(&f, arn__dsp_gather(&f.pass, &cursor, f.copy, window));
    compute_same(&f, out);
  }
}

void arn__depthwise_row_s8_dsp(const arn__conv *conv, const arn__conv_row *row,
                               const arn__conv_block *block) {
  const uint32_t width = (uint32_t)conv->kernel_width, pairs = (row->count + 1) / 2;
  const bool one_to_one = conv->group == 1 && (conv->dilation == 1 || width == 1);
  const bool several = block->count >= 4 && row->count > 0;
  if (several && one_to_one && row->count <= ROWS && 2 * pairs * width <= UNITS) {
    row_by_fours(conv, row, block);
  } else if (several && conv->in_channels == 1 && row->count * width <= SAME_TAPS) {
    row_of_same(conv, row, block);
  } else {
    arn__depthwise_row_s8_portable(conv, row, block);
  }
}

#endif
