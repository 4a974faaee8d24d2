#include "../conv.h"

#if defined(ARN__DSP)

#include "output.h"
#include "window.h"

// Two pixels at a time, and two channels at a time: four sums share loads and widening. The last of
// an odd number of pixels goes alone.

// Elements of a window that are multiplied at a time, and, where they are not all in one place,
// copied; multiples of 16. The copy is in what the window then does not need.
#define CHUNK 64u
#define COPY 48u

// Channels whose sums are kept while there are further chunks; even.
#define KEPT 16u

// ---- the windows --------------------------------------------------------------------------------

ARN__INLINE void widen_4(uint32_t *to, uint32_t word, uint32_t minus_zero) {
  to[0] = arn__dsp_even(minus_zero, word);
  to[1] = arn__dsp_odd(minus_zero, word);
}

// Writes elements, relative to the zero point, as pairs of int16: of every four, the even ones are
// a word, the odd ones the next. Two windows alternate by two words. What lacks of four elements
// are zeros.
ARN__APART static void widen(uint32_t *to, const uint8_t *from, uint32_t n, uint32_t minus_zero) {
  for (; n >= 16; n -= 16, from += 16, to += 16) {
    widen_4(to, arn__dsp_load(from), minus_zero);
    widen_4(to + 4, arn__dsp_load(from + 4), minus_zero);
    widen_4(to + 8, arn__dsp_load(from + 8), minus_zero);
    widen_4(to + 12, arn__dsp_load(from + 12), minus_zero);
  }
  for (; n >= 4; n -= 4, from += 4, to += 4) widen_4(to, arn__dsp_load(from), minus_zero);
  if (n == 0) return;
  const uint32_t zeros = ((0u - minus_zero) & 0xFF) * 0x01010101u;
  widen_4(to, arn__dsp_load_some(from, n) | zeros << 8 * n, minus_zero);
}

// ---- products -----------------------------------------------------------------------------------

// The sums of two channels and two pixels.
typedef struct quad {
  int32_t a0, b0, a1, b1;  // pixels a, b; channels 0, 1
} quad;

// Four elements at x, w0 and w1, which move on: fifteen instructions for sixteen products.
#define STEP_2X2                            \
  "ldmia %[x]!, {r8, r9, r10, r11}\n\t"     \
  "ldr %[u], [%[w0]], #4\n\t"              \
  "sxtb16 %[v], %[u]\n\t"                  \
  "sxtb16 %[u], %[u], ror #8\n\t"          \
  "smlad %[a0], r8, %[v], %[a0]\n\t"       \
  "smlad %[b0], r10, %[v], %[b0]\n\t"      \
  "smlad %[a0], r9, %[u], %[a0]\n\t"       \
  "smlad %[b0], r11, %[u], %[b0]\n\t"      \
  "ldr %[u], [%[w1]], #4\n\t"              \
  "sxtb16 %[v], %[u]\n\t"                  \
  "sxtb16 %[u], %[u], ror #8\n\t"          \
  "smlad %[a1], r8, %[v], %[a1]\n\t"       \
  "smlad %[b1], r10, %[v], %[b1]\n\t"      \
  "smlad %[a1], r9, %[u], %[a1]\n\t"       \
  "smlad %[b1], r11, %[u], %[b1]\n\t"

// The same of pixel a only.
#define STEP_1X2                            \
  "ldrd r8, r9, [%[x]], #16\n\t"            \
  "ldr %[u], [%[w0]], #4\n\t"              \
  "sxtb16 %[v], %[u]\n\t"                  \
  "sxtb16 %[u], %[u], ror #8\n\t"          \
  "smlad %[a0], r8, %[v], %[a0]\n\t"       \
  "smlad %[a0], r9, %[u], %[a0]\n\t"       \
  "ldr %[u], [%[w1]], #4\n\t"              \
  "sxtb16 %[v], %[u]\n\t"                  \
  "sxtb16 %[u], %[u], ror #8\n\t"          \
  "smlad %[a1], r8, %[v], %[a1]\n\t"       \
  "smlad %[a1], r9, %[u], %[a1]\n\t"

// Repeats four steps while x is before `most`, and one while it is before `end`. These are in
// memory: all registers are taken.
#define DOT(step)                                                                            \
  __asm__ volatile("b 2f\n"                                                                  \
                   "1:\n\t" step step step step                                              \
                   "2:\n\t"                                                                  \
                   "ldr %[u], %[most]\n\t"                                                   \
                   "cmp %[x], %[u]\n\t"                                                      \
                   "blo 1b\n\t"                                                              \
                   "b 4f\n"                                                                  \
                   "3:\n\t" step                                                             \
                   "4:\n\t"                                                                  \
                   "ldr %[u], %[end]\n\t"                                                    \
                   "cmp %[x], %[u]\n\t"                                                      \
                   "blo 3b"                                                                  \
                   : [a0] "+r"(s.a0), [b0] "+r"(s.b0), [a1] "+r"(s.a1), [b1] "+r"(s.b1),     \
                     [x] "+r"(x), [w0] "+r"(w0), [w1] "+r"(w1), [u] "=&r"(u), [v] "=&r"(v)   \
                   : [most] "m"(to->most), [end] "m"(to->end)                                \
                   : "r8", "r9", "r10", "r11", "cc", "memory")

// Where windows are, and how far they go: in steps of 16 elements, of 4, and what is left then.
typedef struct windows {
  const uint32_t *first, *most, *end;
  uint32_t rest;
  bool one;      // pixel a only
} windows;

ARN__INLINE void dot(quad *sums, const int8_t *w0, const int8_t *w1, const windows *to) {
  const uint32_t *x = to->first;
  quad s = *sums;
  uint32_t u, v;
  if (to->one) DOT(STEP_1X2);
  else DOT(STEP_2X2);
  *sums = s;
}

// The last elements, less than four.
ARN__APART static void dot_rest(quad *s, const int8_t *w0, const int8_t *w1, const windows *to) {
  const uint32_t last[2] = {arn__dsp_load_some(w0, to->rest), arn__dsp_load_some(w1, to->rest)};
  const windows rest = {to->end, to->end, to->end + 4, 0, to->one};
  dot(s, (const int8_t *)&last[0], (const int8_t *)&last[1], &rest);
}

// Multiplies windows with the weights of `count` channels, two at a time. Of an odd one out, they
// count twice.
ARN__APART static void multiply(quad *s, const int8_t *w, uint32_t step, uint32_t count,
                                const windows *x) {
  const int8_t *v = w;
  quad *t = s;
  for (uint32_t left = count; left > 0; left -= 2, v += 2 * step, t++) {
    if (left == 1) {
      dot(t, v, v, x);
      break;
    }
    dot(t, v, v + step, x);
  }
  if (x->rest == 0) return;
  w += x->end - x->first;
  for (uint32_t c = 0; c < count; c += 2, w += 2 * step, s++) {
    dot_rest(s, w, c + 1 < count ? w + step : w, x);
  }
}

// One or two pixels.
typedef struct pixels {
  const conv_pass *pass;
  const arn__dsp_output *output;
  conv_cursor cursor;    // of pixel a
  int32_t next;          // elements from there to pixel b
  bool one;              // no pixel b
  uint32_t at, n;        // the chunk
  int8_t *out;           // of pixel a
  int32_t sums[KEPT][2];
  uint32_t window[CHUNK];
} pixels;

// ---- from the bias, to the output --------------------------------------------------------------

// Sets the sums of `count` channels of two pixels to the bias of channel `first` and on.
ARN__APART static void start(int32_t (*sums)[2], const int32_t *bias, uint32_t first,
                                        uint32_t count) {
  static const int32_t none = 0;
  const uint32_t step = bias ? 1 : 0;
  bias = bias ? bias + first : &none;
  for (int32_t(*const end)[2] = sums + count; sums != end; sums++, bias += step) {
    const int32_t value = *bias;
    (*sums)[0] = value;
    (*sums)[1] = value;
  }
}

// Writes channels [first, first + count) of two pixels to out[0] and out[1]. Where they go to the
// same place, the first counts.
ARN__APART static void finish(const pixels *p, uint32_t first, uint32_t count,
                              int8_t *const out[2]) {
  const arn__dsp_output *o = p->output;
  const arn__requant *r = p->pass->block->requant + first;
  const int32_t(*sums)[2] = p->sums;
  const int32_t add = o->twice_zero_and_one;
  uint32_t slow = o->slow >> first;
  int8_t *a = out[0], *b = out[1];
  for (const arn__requant *end = r + count; r != end; r++, sums++, slow >>= 1) {
    const int32_t q = r->q, shift[2] = {arn__dsp_left(*r), arn__dsp_right(*r)};
    int8_t x, y;
    if (slow & 1) {
      x = arn__dsp_general((*sums)[0], *r, o);
      y = arn__dsp_general((*sums)[1], *r, o);
    } else {
      x = arn__dsp_quick((*sums)[0], q, shift, add);
      y = arn__dsp_quick((*sums)[1], q, shift, add);
    }
    if (o->narrow) {
      x = arn__dsp_narrow(x, o);
      y = arn__dsp_narrow(y, o);
    }
    *b++ = y;
    *a++ = x;
  }
}

// ---- all of it ----------------------------------------------------------------------------------

// Pairs of channels whose windows are one chunk, from bias to output. The order of the members
// counts.
typedef struct fused {
  const int8_t *w;             // 0
  uint32_t step;               // 4
  const int32_t *bias;         // 8
  const uint32_t *x;           // 12
  const arn__requant *requant; // 16
  int32_t add;                 // 20: see arn__dsp_quick()
  int8_t *a, *b;               // 24, 28: output
  const arn__requant *last;    // 32: end of the multipliers
} fused;

// As arn__dsp_quick(), in place. %[w0] is free.
#define QUICK(sum, q, right)                       \
  "lsl " sum ", " sum ", #1\n\t"                   \
  "smmulr " sum ", " sum ", " q "\n\t"             \
  "add %[w0], " sum ", " sum ", asr #31\n\t"       \
  "add " sum ", " sum ", %[w0]\n\t"                \
  "asr " sum ", " sum ", " right "\n\t"            \
  "add " sum ", " sum ", %[v]\n\t"                 \
  "ssat " sum ", #8, " sum ", asr #1\n\t"

// u: the job. Where pixel b goes to the same place as pixel a, the latter is written last.
#define ALL_PAIRS(step)                                                                      \
  __asm__ volatile("1:\n\t"                                                                 \
                   "ldr %[u], %[job]\n\t"                                                   \
                   "ldrd %[w0], %[v], [%[u]]\n\t"                                           \
                   "add %[w1], %[w0], %[v]\n\t"                                             \
                   "add %[v], %[w1], %[v]\n\t"                                              \
                   "str %[v], [%[u]]\n\t"                                                   \
                   "ldrd %[v], %[x], [%[u], #8]\n\t"                                        \
                   "ldrd %[a0], %[a1], [%[v]], #8\n\t"                                      \
                   "str %[v], [%[u], #8]\n\t"                                               \
                   "mov %[b0], %[a0]\n\t"                                                   \
                   "mov %[b1], %[a1]\n\t"                                                   \
                   "b 3f\n"                                                                 \
                   "2:\n\t" step step step step                                             \
                   "3:\n\t"                                                                 \
                   "ldr %[u], %[most]\n\t"                                                  \
                   "cmp %[x], %[u]\n\t"                                                     \
                   "blo 2b\n\t"                                                             \
                   "b 5f\n"                                                                 \
                   "4:\n\t" step                                                            \
                   "5:\n\t"                                                                 \
                   "ldr %[u], %[end]\n\t"                                                   \
                   "cmp %[x], %[u]\n\t"                                                     \
                   "blo 4b\n\t"                                                             \
                   "ldr %[u], %[job]\n\t"                                                   \
                   "ldrd %[x], %[v], [%[u], #16]\n\t"                                       \
                   "ldmia %[x]!, {r8, r9, r10, r11}\n\t"                                    \
                   "str %[x], [%[u], #16]\n\t"                                              \
                   "rsb r9, r9, #0\n\t"                                                     \
                   "rsb r11, r11, #0\n\t"                                                   \
                   QUICK("%[a0]", "r8", "r9") QUICK("%[b0]", "r8", "r9")                     \
                   QUICK("%[a1]", "r10", "r11") QUICK("%[b1]", "r10", "r11")                 \
                   "ldrd %[w0], %[w1], [%[u], #24]\n\t"                                     \
                   "strb %[b0], [%[w1]], #1\n\t"                                            \
                   "strb %[a0], [%[w0]], #1\n\t"                                            \
                   "strb %[b1], [%[w1]], #1\n\t"                                            \
                   "strb %[a1], [%[w0]], #1\n\t"                                            \
                   "strd %[w0], %[w1], [%[u], #24]\n\t"                                     \
                   "ldr %[v], [%[u], #32]\n\t"                                              \
                   "cmp %[x], %[v]\n\t"                                                     \
                   "bne 1b"                                                                  \
                   : [a0] "=&r"(a0), [b0] "=&r"(b0), [a1] "=&r"(a1), [b1] "=&r"(b1),         \
                     [x] "=&r"(x), [w0] "=&r"(w0), [w1] "=&r"(w1), [u] "=&r"(u),             \
                     [v] "=&r"(v)                                                            \
                   : [job] "m"(job), [most] "m"(most), [end] "m"(end)                        \
                   : "r8", "r9", "r10", "r11", "cc", "memory")

ARN__APART static void run_pairs(fused *job, const windows *to) {
  const uint32_t *const most = to->most, *const end = to->end;
  uint32_t a0, b0, a1, b1, x, w0, w1, u, v;
  if (to->one) ALL_PAIRS(STEP_1X2);
  else ALL_PAIRS(STEP_2X2);
}

// ---- rows ---------------------------------------------------------------------------------------

static bool is_direct(const conv_pass *p, const conv_cursor *c, int32_t n) {
  const int32_t start = c->origin + c->run * p->run_step + c->at;
  return c->at + n <= p->run_length && start >= 0 && start + n <= p->row_length;
}

// Returns how many of the `left` elements of a window are taken next: no small rest is left over.
static uint32_t next_chunk(const pixels *p, const conv_cursor *b, uint32_t left) {
  uint32_t n = left < 2 * CHUNK ? (left + 31) / 32 * 16 : CHUNK;
  if (left <= CHUNK) n = left;
  if (n <= COPY) return n;
  const bool direct = is_direct(p->pass, &p->cursor, (int32_t)n);
  if (direct && (p->one || is_direct(p->pass, b, (int32_t)n))) return n;
  return COPY;
}

// Gathers a chunk of the windows.
static void take_chunk(pixels *p) {
  const conv_pass *pass = p->pass;
  const uint32_t minus_zero = arn__dsp_minus(pass->conv->in_zero);
  uint8_t *copy = (uint8_t *)(p->window + COPY);
  conv_cursor b = p->cursor;
  b.origin += p->next;
  p->n = next_chunk(p, &b, pass->window - p->at);
  widen(p->window, arn__dsp_gather(pass, &p->cursor, copy, (int32_t)p->n), p->n, minus_zero);
  if (p->one) return;
  widen(p->window + 2, arn__dsp_gather(pass, &b, copy, (int32_t)p->n), p->n, minus_zero);
}

// Returns how many of `count` channels, from the weight `at` on, can be read up to a multiple of
// four.
static uint32_t readable(const pixels *p, uint32_t at, uint32_t count) {
  const arn__conv *s = p->pass->conv;
  const uint32_t reach = (p->n + 3) / 4 * 4;
  while (count > 0 && at + (count - 1) * s->filter_step + reach > s->filter_count) count--;
  return count;
}

// Says whether channel `c` and the next can be computed in one go.
static bool is_plain(const pixels *p, uint32_t c) { return (p->output->special >> c & 3) == 0; }

// Computes what it can of channels [first, first + count) in one go; returns how many that were.
static uint32_t compute_pairs(pixels *p, const windows *x, uint32_t first, uint32_t count) {
  const arn__conv_block *b = p->pass->block;
  const uint32_t step = p->pass->conv->filter_step;
  const uint32_t at = conv_filter_at(p->pass) + first * step, most = readable(p, at, count);
  if (p->n < p->pass->window || p->output->narrow || b->bias == NULL) return 0;
  count = p->output->special ? 0 : most / 2 * 2;
  while (count + 2 <= most && is_plain(p, first + count)) count += 2;
  if (count == 0) return 0;
  int8_t *out = p->out + first;
  windows up = *x;
  if (x->rest > 0) up.end += 4;
  fused job = {.w = (const int8_t *)b->filter + at, .step = step,
               .bias = (const int32_t *)b->bias + first, .x = x->first,
               .requant = b->requant + first, .add = p->output->twice_zero_and_one,
               .a = out, .b = p->one ? out : out + p->pass->conv->out_channels,
               .last = b->requant + first + count};
  run_pairs(&job, &up);
  return count;
}

// Computes channels [first, first + count) with the chunk that was gathered, from the start of the
// windows or to their end where that is so.
static void compute_apart(pixels *p, const windows *x, uint32_t first, uint32_t count) {
  const conv_pass *pass = p->pass;
  const uint32_t step = pass->conv->filter_step;
  const int8_t *w = pass->block->filter;
  w += conv_filter_at(pass) + first * step + p->at;
  if (p->at == 0) start(p->sums, pass->block->bias, first, count);
  multiply((quad *)p->sums, w, step, count, x);
  if (p->at + p->n < pass->window) return;
  int8_t *a = p->out + first;
  finish(p, first, count, (int8_t *[2]){a, p->one ? a : a + pass->conv->out_channels});
}

static void compute_chunk(pixels *p, uint32_t first, uint32_t count) {
  const windows x = {p->window, p->window + p->n / 16 * 16, p->window + p->n / 4 * 4, p->n % 4,
                     p->one};
  const uint32_t end = first + count;
  while (first < end) {
    first += compute_pairs(p, &x, first, end - first);
    uint32_t apart = end - first;
    if (p->n == p->pass->window && apart > 2 && !p->output->narrow) apart = 2;
    if (apart > 0) compute_apart(p, &x, first, apart);
    first += apart;
  }
}

// Computes the pixels at the cursor. Where a window is a single chunk, all channels share it; else
// chunks are gathered again for every so many channels.
static void compute(pixels *p) {
  const uint32_t count = p->pass->block->count, window = p->pass->window;
  const conv_cursor start = p->cursor;
  uint32_t n;
  p->n = window + 1;  // none is there
  for (uint32_t first = 0; first < count; first += n) {
    n = count - first < KEPT ? count - first : KEPT;
    p->at = 0;
    if (p->n == window) {
      compute_chunk(p, first, n);
      continue;
    }
    p->cursor = start;
    do {
      take_chunk(p);
      compute_chunk(p, first, n);
      p->at += p->n;
    } while (p->at < window);
  }
}

void arn__conv_row_s8_dsp(const arn__conv *conv, const arn__conv_row *row,
                          const arn__conv_block *block) {
  const conv_pass pass = conv_pass_of(conv, row, block);
  const arn__dsp_output output =
      arn__dsp_output_of(conv->clamp, conv->out_zero, block, pass.window);
  pixels p;
  p.pass = &pass;
  p.output = &output;
  p.out = (int8_t *)row->out + block->first;
  p.next = conv->stride * conv->in_channels;
  for (uint32_t i = 0; i < row->columns; i += 2, p.out += 2 * conv->out_channels) {
    p.one = i + 1 == row->columns;
    p.cursor = conv_cursor_at(&pass, row->column + i);
    compute(&p);
  }
}

#endif
