#include "../conv.h"

#if defined(ARN__DSP)

#include "output.h"
#include "products.h"
#include "window.h"

// Four pixels at a time, channel by channel: their windows, widened side by side, share what is
// loaded and widened of the weights. A pixel alone (of two, each) has two channels at a time.
//
// Where a window is too long for the stack it is taken in chunks, and so many channels are summed
// until it ends; the next ones gather it again.
#define KEPT 16u
#define SPACE 784u      // bytes for windows, copy and sums
#define MOST_OF_4 80u   // elements of a window in one piece, at most: of each of four pixels
#define MOST_OF_1 240u  // of one pixel
#define CHUNK_OF_4 48u  // the same of a chunk
#define CHUNK_OF_1 192u

// Pixels in work, and a chunk of their windows.
typedef struct pixels {
  const conv_pass *pass;
  conv_cursor cursor;     // of the first pixel
  int32_t next;           // elements from a pixel to the next one
  uint32_t count;         // 1, 3 or 4; of 3, the last is the fourth, too
  uint32_t at, n;         // the chunk: all of the window, maybe
  const uint32_t *most, *last;  // ends of the chunk; see products.h
  int8_t *out;            // of the first pixel
  int32_t *sums;          // of the windows, channel by channel, from channel `kept` on
  uint32_t kept;
  uint8_t *copy;          // of what of a chunk does not lie in one place
  uint32_t room;          // bytes of that
  uint32_t space[SPACE / 4];
} pixels;

// ---- products, from the bias to the output ------------------------------------------------------

static uint32_t windows(const pixels *p) { return p->count == 1 ? 1 : 4; }
static bool starts(const pixels *p) { return p->at == 0 && p->pass->block->bias; }
static bool ends(const pixels *p) { return p->at + p->n == p->pass->window; }

// The weights of channels from `c` on, and where their sums begin and go to.
static arn__dsp_rows rows_of(const pixels *p, uint32_t c, uint32_t count) {
  const conv_pass *pass = p->pass;
  const arn__conv_block *b = pass->block;
  const uint32_t oc = (uint32_t)pass->conv->out_channels;
  const uint32_t step = pass->window > 0 ? pass->conv->filter_step : 1;  // which may be 0
  const int8_t *w = (const int8_t *)b->filter + conv_filter_at(pass) + p->at + c * step;
  int32_t *sums = p->sums + (c - p->kept) * windows(p);
  return (arn__dsp_rows){
      .w = w, .end = w + count * step, .step = step,
      .bias = starts(p) ? (const int32_t *)b->bias + c : NULL, .x = p->space, .from = sums,
      .requant = b->requant + c, .zero = pass->conv->out_zero,
      .out = ends(p) ? p->out + c : NULL, .out_step = oc, .out_last = oc * (p->count - 1),
      .to = sums, .most = p->most, .last = p->last};
}

static void multiply(const pixels *p, arn__dsp_rows *rows) {
  if (p->count == 1) arn__dsp_multiply_1(rows);
  else arn__dsp_multiply_4(rows);
}

// Takes the chunk into a channel whose weights must not be read further, or that has no other to
// be a pair with.
ARN__APART static void add_alone(const pixels *p, uint32_t c) {
  arn__dsp_rows rows = rows_of(p, c, 0);
  const arn__requant r = p->pass->block->requant[c];
  int32_t sums[4];
  for (uint32_t i = 0; i < 4; i++) {
    sums[i] = rows.bias ? *rows.bias : rows.from[i < windows(p) ? i : 0];
  }
  rows.bias = NULL;
  rows.from = rows.to = sums;
  rows.out = NULL;
  rows.step = 0;
  rows.w = rows.end = memcpy(p->copy, rows.w, p->n);
  multiply(p, &rows);
  for (uint32_t i = 0; i < p->count && ends(p); i++) {
    p->out[c + i * rows.out_step] = (int8_t)arn__dsp_output(sums[i], r, rows.zero);
  }
  if (!ends(p)) memcpy(p->sums + (c - p->kept) * windows(p), sums, 4 * windows(p));
}

// Takes the chunk into channels [first, end).
static void add(const pixels *p, uint32_t first, uint32_t end) {
  const arn__conv *s = p->pass->conv;
  const uint32_t reach = conv_filter_at(p->pass) + p->at + (p->n + 3) / 4 * 4;
  uint32_t n = end - first;
  while (n > 0 && reach + (first + n - 1) * s->filter_step > s->filter_count) n--;
  if (p->count == 1) n = n / 2 * 2;
  if (n > 0) {
    arn__dsp_rows rows = rows_of(p, first, n);
    multiply(p, &rows);
  }
  for (uint32_t c = first + n; c < end; c++) add_alone(p, c);
}

// ---- windows ------------------------------------------------------------------------------------

// Widens `n` elements for four windows, or for one; see products.h. Returns where the next ones go.
ARN__APART static uint32_t *widen_for_4(uint32_t *to, const uint8_t *from, uint32_t n,
                                        uint32_t minus_zero) {
  for (const uint8_t *const end = from + n / 16 * 16; from != end; from += 16, to += 32) {
    arn__dsp_widen(to, to + 4, arn__dsp_load(from), minus_zero);
    arn__dsp_widen(to + 8, to + 12, arn__dsp_load(from + 4), minus_zero);
    arn__dsp_widen(to + 16, to + 20, arn__dsp_load(from + 8), minus_zero);
    arn__dsp_widen(to + 24, to + 28, arn__dsp_load(from + 12), minus_zero);
  }
  for (n %= 16; n >= 4; n -= 4, from += 4, to += 8) {
    arn__dsp_widen(to, to + 4, arn__dsp_load(from), minus_zero);
  }
  if (n == 0) return to;
  arn__dsp_widen(to, to + 4, arn__dsp_load_padded(from, n, minus_zero), minus_zero);
  return to + 8;
}

ARN__APART static uint32_t *widen_for_1(uint32_t *to, const uint8_t *from, uint32_t n,
                                        uint32_t minus_zero) {
  for (; n >= 4; n -= 4, from += 4, to += 2) {
    arn__dsp_widen(to, to + 1, arn__dsp_load(from), minus_zero);
  }
  if (n == 0) return to;
  arn__dsp_widen(to, to + 1, arn__dsp_load_padded(from, n, minus_zero), minus_zero);
  return to + 2;
}

// Gathers and widens a chunk of the window at `c`. Where the window's runs have whole words, each
// is widened from where it lies; else the chunk is copied first, unless it lies in one place.
ARN__APART static void take_window(const pixels *p, conv_cursor *c, uint32_t *to) {
  const conv_pass *pass = p->pass;
  const uint32_t minus_zero = arn__dsp_minus(pass->conv->in_zero);
  const bool by_runs = pass->run_length % 4 == 0;
  const int32_t n = (int32_t)p->n;
  int32_t copied = 0;
  for (int32_t done = 0, length; done < n; done += length) {
    const int32_t start = c->origin + c->run * pass->run_step + c->at;
    const int32_t left = pass->run_length - c->at;
    const uint8_t *base = c->base, *from = base + start;
    length = left < n - done ? left : n - done;
    conv_cursor_advance(pass, c, length);
    if (start < 0 || start + length > pass->row_length) {
      from = p->copy;
      arn__dsp_copy_cut(pass, p->copy + copied, base, start, length);
    } else if (!by_runs && length < n) {
      from = p->copy;
      arn__dsp_copy(p->copy + copied, base + start, length);
    }
    copied += length;
    if (!by_runs && done + length < n) continue;
    to = p->count == 1 ? widen_for_1(to, from, (uint32_t)copied, minus_zero)
                       : widen_for_4(to, from, (uint32_t)copied, minus_zero);
    copied = 0;
  }
}

// Widens whole words of four windows: `n` elements from `from` on, and from `next` and so on behind
// it. Returns where the next ones go.
ARN__APART static uint32_t *widen_4(uint32_t *to, const uint8_t *from, int32_t n,
                                    const int32_t next[2], uint32_t minus_zero) {
  const uint8_t *const end = from + n;
  __asm__ volatile(
      "1:\n\t"
      "ldr r2, [%[from]]\n\t"
      "ldr r3, [%[from], %[next]]\n\t"
      "ldr r4, [%[from], %[next], lsl #1]\n\t"
      "ldr r5, [%[from], %[last]]\n\t"
      "sxtab16 r6, %[zero], r2\n\t"
      "sxtab16 r8, %[zero], r3\n\t"
      "sxtab16 r9, %[zero], r4\n\t"
      "sxtab16 r10, %[zero], r5\n\t"
      "stmia %[to]!, {r6, r8, r9, r10}\n\t"
      "sxtab16 r2, %[zero], r2, ror #8\n\t"
      "sxtab16 r3, %[zero], r3, ror #8\n\t"
      "sxtab16 r4, %[zero], r4, ror #8\n\t"
      "sxtab16 r5, %[zero], r5, ror #8\n\t"
      "stmia %[to]!, {r2, r3, r4, r5}\n\t"
      "add %[from], %[from], #4\n\t"
      "ldr r2, %[end]\n\t"
      "cmp %[from], r2\n\t"
      "bne 1b"
      : [to] "+r"(to), [from] "+r"(from)
      : [next] "r"(next[0]), [last] "r"(next[1]), [zero] "r"(minus_zero), [end] "m"(end)
      : "r2", "r3", "r4", "r5", "r6", "r8", "r9", "r10", "cc", "memory");
  return to;
}

// Says whether the windows' runs have whole words, and the copy has room for what four of them
// cover.
static bool are_alike(const pixels *p) {
  const int32_t length = p->pass->run_length, n = (int32_t)p->n;
  const int32_t covered = (length < n ? length : n) + 3 * p->next;
  return p->count > 1 && length % 4 == 0 && covered <= (int32_t)p->room;
}

// Gathers a chunk of four windows which are alike, together. Where one of them reaches beyond an
// end of the row, they are widened from a copy of what they cover.
ARN__APART static void take_together(pixels *p) {
  const conv_pass *pass = p->pass;
  conv_cursor *c = &p->cursor;
  const uint32_t minus_zero = arn__dsp_minus(pass->conv->in_zero);
  const int32_t next[2] = {p->next, p->next * (int32_t)(p->count - 1)}, n = (int32_t)p->n;
  uint32_t *to = p->space;
  for (int32_t done = 0, length; done < n; done += length) {
    const int32_t start = c->origin + c->run * pass->run_step + c->at;
    const int32_t left = pass->run_length - c->at;
    const uint8_t *from = (const uint8_t *)c->base + start;
    length = left < n - done ? left : n - done;
    if (start < 0 || start + next[1] + length > pass->row_length) {
      arn__dsp_copy_cut(pass, p->copy, c->base, start, next[1] + length);
      from = p->copy;
    }
    to = widen_4(to, from, length, next, minus_zero);
    conv_cursor_advance(pass, c, length);
  }
}

// Gathers a chunk, window by window.
static void take_apart(pixels *p) {
  conv_cursor c = p->cursor;
  for (uint32_t i = 0; i < windows(p); i++) {
    c = p->cursor;
    c.origin += p->next * (int32_t)(i < p->count ? i : p->count - 1);
    take_window(p, &c, p->space + i);
  }
  c.origin = p->cursor.origin;
  p->cursor = c;
}

// Gathers the next chunk.
static void take_chunk(pixels *p, uint32_t most) {
  const uint32_t left = p->pass->window - p->at, words = 2 * windows(p);
  const uint32_t step = p->count == 1 ? ARN__DSP_STEP_1 : ARN__DSP_STEP_4;
  p->n = left;
  if (left > most) p->n = left < 2 * most ? (left + 7) / 8 * 4 : most;
  if (are_alike(p)) take_together(p);
  else take_apart(p);
  p->most = p->space + p->n / step * step / 4 * words;
  p->last = p->space + (p->n + 3) / 4 * words;
}

// ---- rows ---------------------------------------------------------------------------------------

static void compute_in_chunks(pixels *p, uint32_t chunk) {
  const conv_cursor start = p->cursor;
  const uint32_t count = p->pass->block->count;
  const uint32_t sums = KEPT * 4 * windows(p), words = chunk / 2 * windows(p);
  p->copy = (uint8_t *)(p->space + words);
  p->room = SPACE - 4 * words - sums;
  p->sums = (int32_t *)(void *)(p->copy + p->room);
  for (p->kept = 0; p->kept < count; p->kept += KEPT) {
    p->cursor = start;
    p->at = 0;
    if (!starts(p)) memset(p->sums, 0, sums);
    do {
      take_chunk(p, chunk);
      add(p, p->kept, p->kept + KEPT < count ? p->kept + KEPT : count);
      p->at += p->n;
    } while (p->at < p->pass->window);
  }
}

static void compute(pixels *p) {
  const uint32_t most = p->count == 1 ? MOST_OF_1 : MOST_OF_4, window = p->pass->window;
  p->at = 0;
  if (window > most || !starts(p)) {
    compute_in_chunks(p, p->count == 1 ? CHUNK_OF_1 : CHUNK_OF_4);
    return;
  }
  p->kept = 0;
  p->copy = (uint8_t *)(p->space + (window + 3) / 4 * 2 * windows(p));
  p->room = SPACE - (window + 3) / 4 * 8 * windows(p);
  take_chunk(p, most);
  add(p, 0, p->pass->block->count);
}

void arn__conv_row_s8_dsp(const arn__conv *conv, const arn__conv_row *row,
                          const arn__conv_block *block) {
  const conv_pass pass = conv_pass_of(conv, row, block);
  const bool narrow = arn__dsp_is_narrow(conv->clamp, conv->out_zero);
  pixels p;
  p.pass = &pass;
  p.out = (int8_t *)row->out + block->first;
  p.next = conv->stride * conv->in_channels;
  for (uint32_t i = 0; i < row->columns; i += p.count) {
    const uint32_t left = row->columns - i;
    p.count = left >= 4 ? 4 : left == 3 ? 3 : 1;
    p.cursor = conv_cursor_at(&pass, row->column + i);
    compute(&p);
    for (uint32_t k = 0; k < p.count; k++, p.out += conv->out_channels) {
      if (narrow) arn__dsp_narrow(p.out, block->count, conv->clamp, conv->out_zero);
    }
  }
}

#endif
