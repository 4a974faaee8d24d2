#include "../dense.h"
#include "../dot.h"

#if defined(ARN__DSP)

#include "output.h"
#include "products.h"

// Elements of the input that are widened at a time; a multiple of ARN__DSP_STEP_1.
#define CHUNK 128u

// A part of the input.
typedef struct part {
  uint32_t n;
  const uint32_t *most, *last;  // see products.h
  uint32_t words[CHUNK / 2];
} part;

static void widen(part *to, const int8_t *x, uint32_t n, int32_t zero) {
  const uint32_t minus_zero = arn__dsp_minus(zero);
  uint32_t *words = to->words;
  to->n = n;
  to->most = words + n / ARN__DSP_STEP_1 * (ARN__DSP_STEP_1 / 2);
  for (const int8_t *const end = x + n / 4 * 4; x != end; x += 4, words += 2) {
    arn__dsp_widen(words, words + 1, arn__dsp_load(x), minus_zero);
  }
  if (n % 4 > 0) {
    arn__dsp_widen(words, words + 1, arn__dsp_load_padded(x, n % 4, minus_zero), minus_zero);
    words += 2;
  }
  to->last = words;
}

static void multiply(const part *p, int32_t *acc, const int8_t *w, uint32_t step, uint32_t count) {
  arn__dsp_rows rows;  // what is not set is not read
  rows.w = w;
  rows.end = w + count * step;
  rows.step = step;
  rows.bias = NULL;
  rows.x = p->words;
  rows.from = rows.to = acc;
  rows.out = NULL;
  rows.most = p->most;
  rows.last = p->last;
  arn__dsp_multiply_1(&rows);
}

// Takes a row alone, and does not read beyond it.
ARN__APART static void multiply_alone(const part *p, int32_t *acc, const int8_t *w) {
  uint32_t copy[CHUNK / 4];
  int32_t sums[2] = {*acc, 0};
  memcpy(copy, w, p->n);
  multiply(p, sums, (const int8_t *)copy, 0, 2);
  *acc = sums[0];
}

// Returns how many rows, an even number, can be read up to a multiple of four elements.
static uint32_t readable(const part *p, const arn__dot *d) {
  const uint32_t more = (0u - p->n) % 4;
  uint32_t rows = d->count;
  for (uint32_t room = d->spare; rows > 0 && room < more; rows--) room += d->stride;
  return rows / 2 * 2;
}

void arn__dot_rows_s8_dsp(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d) {
  part p;
  for (uint32_t at = 0; at < d->n; at += p.n, w += p.n) {
    widen(&p, x + at, d->n - at < CHUNK ? d->n - at : CHUNK, d->zero);
    const uint32_t pairs = readable(&p, d);
    if (pairs > 0) multiply(&p, acc, w, d->stride, pairs);
    for (uint32_t c = pairs; c < d->count; c++) {
      multiply_alone(&p, acc + c, w + (size_t)c * d->stride);
    }
  }
}

// ---- from input to output -----------------------------------------------------------------------

#define BLOCK 16u  // outputs whose sums are kept where the input has several parts; even

// Takes a part of the input, from element `at` on, into outputs: from the bias or from sums, to
// sums or to the outputs.
static void take(const part *p, const arn__dense_layer *d, arn__dsp_rows *rows, uint32_t at,
                 int32_t *sums) {
  rows->x = p->words;
  rows->most = p->most;
  rows->last = p->last;
  rows->from = rows->to = sums;
  if (at > 0) rows->bias = NULL;
  if (at + p->n < d->n) rows->out = NULL;
  arn__dsp_multiply_1(rows);
}

// An output whose weights must not be read further, or that has no other to be a pair with.
static int8_t output_alone(part *p, const int8_t *x, const int8_t *w, const arn__dense_layer *d,
                           int32_t sum) {
  for (uint32_t at = 0; at < d->n; at += p->n) {
    if (d->n > CHUNK) widen(p, x + at, d->n - at < CHUNK ? d->n - at : CHUNK, d->in_zero);
    multiply_alone(p, &sum, w + at);
  }
  return (int8_t)arn__dsp_output(sum, d->multiplier, d->zero);
}

bool arn__dense_s8_dsp(int8_t *out, const int8_t *x, const int8_t *w,
                       const arn__dense_layer *d) {
  static const int32_t none[BLOCK];
  arn__requant multipliers[BLOCK];
  int32_t sums[BLOCK];
  part p;
  uint32_t most = d->count;
  for (uint32_t room = 0; most > 0 && room < (0u - d->n) % 4; most--) room += d->n;
  most = most / 2 * 2;
  for (uint32_t i = 0; i < BLOCK && i < most; i++) multipliers[i] = d->multiplier;
  if (d->n <= CHUNK) widen(&p, x, d->n, d->in_zero);
  uint32_t c = 0;
  for (uint32_t n; c < most; c += n) {
    n = most - c < BLOCK ? most - c : BLOCK;
    for (uint32_t at = 0; at < d->n; at += p.n) {
      const int8_t *from = w + (size_t)c * d->n + at;
      arn__dsp_rows rows;
      rows.w = from;
      rows.end = from + n * d->n;
      rows.step = d->n;
      rows.bias = d->bias ? d->bias + c : none;
      rows.requant = multipliers;
      rows.zero = d->zero;
      rows.out = out + c;
      if (d->n > CHUNK) widen(&p, x + at, d->n - at < CHUNK ? d->n - at : CHUNK, d->in_zero);
      take(&p, d, &rows, at, sums);
    }
  }
  for (; c < d->count; c++) {
    out[c] = output_alone(&p, x, w + (size_t)c * d->n, d, d->bias ? d->bias[c] : 0);
  }
  if (arn__dsp_is_narrow(d->clamp, d->zero)) arn__dsp_narrow(out, d->count, d->clamp, d->zero);
  return true;
}

#endif
