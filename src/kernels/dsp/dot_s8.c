#include "../dot.h"

#if defined(ARN__DSP)

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
  arn__dsp_rows rows = {.w = w, .end = w + count * step, .step = step, .x = p->words, .from = acc,
                        .to = acc, .most = p->most, .last = p->last};
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

#endif
