#include "../dot.h"

#if defined(ARN__DSP)

#include "simd.h"

// Elements of the input that are widened at a time; a multiple of 4.
#define CHUNK 96u

// Four elements of a row: five instructions for four products.
#define ROW(sum, w)                                  \
  "ldr %[u], [" w "], #4\n\t"                        \
  "sxtb16 %[v], %[u]\n\t"                            \
  "sxtb16 %[u], %[u], ror #8\n\t"                    \
  "smlad " sum ", %[even], %[v], " sum "\n\t"        \
  "smlad " sum ", %[odd], %[u], " sum "\n\t"

#define FOUR_ROWS                                    \
  "ldrd %[even], %[odd], [%[x]], #8\n\t"             \
  ROW("%[a]", "%[w0]") ROW("%[b]", "%[w1]") ROW("%[c]", "%[w2]") ROW("%[d]", "%[w3]")

#define ONE_ROW "ldrd %[even], %[odd], [%[x]], #8\n\t" ROW("%[a]", "%[w0]")

// A part of the input: words of even elements and of odd ones, relative to the zero point.
typedef struct part {
  uint32_t words[CHUNK / 2];
  uint32_t n;
} part;

static void widen(part *to, const int8_t *x, uint32_t n, int32_t zero) {
  const uint32_t minus = arn__dsp_minus(zero);
  uint32_t *words = to->words;
  for (const int8_t *end = x + n / 4 * 4; x != end; x += 4, words += 2) {
    const uint32_t word = arn__dsp_load(x);
    words[0] = arn__dsp_even(minus, word);
    words[1] = arn__dsp_odd(minus, word);
  }
  const uint32_t word = arn__dsp_load_some(x, n % 4);
  if (n % 4 > 0) {
    words[0] = arn__dsp_even(minus, word);
    words[1] = arn__dsp_odd(minus, word);
  }
  to->n = n;
}

// Sixteen elements at a time, then four. Where that ends is in memory: all registers are taken.
ARN__APART static void four_rows(int32_t *acc, const part *p, const int8_t *w0, uint32_t stride) {
  const int8_t *w1 = w0 + stride, *w2 = w1 + stride, *w3 = w2 + stride;
  const uint32_t *x = p->words, *const most = x + p->n / 16 * 8, *const end = x + p->n / 4 * 2;
  uint32_t even, odd, u, v;
  int32_t a = acc[0], b = acc[1], c = acc[2], d = acc[3];
  __asm__ volatile("b 2f\n"
                   "1:\n\t" FOUR_ROWS FOUR_ROWS FOUR_ROWS FOUR_ROWS
                   "2:\n\t"
                   "ldr %[u], %[most]\n\t"
                   "cmp %[x], %[u]\n\t"
                   "blo 1b\n\t"
                   "b 4f\n"
                   "3:\n\t" FOUR_ROWS
                   "4:\n\t"
                   "ldr %[u], %[end]\n\t"
                   "cmp %[x], %[u]\n\t"
                   "blo 3b"
                   : [a] "+r"(a), [b] "+r"(b), [c] "+r"(c), [d] "+r"(d), [x] "+r"(x),
                     [w0] "+r"(w0), [w1] "+r"(w1), [w2] "+r"(w2), [w3] "+r"(w3),
                     [even] "=&r"(even), [odd] "=&r"(odd), [u] "=&r"(u), [v] "=&r"(v)
                   : [most] "m"(most), [end] "m"(end)
                   : "cc", "memory");
  acc[0] = a;
  acc[1] = b;
  acc[2] = c;
  acc[3] = d;
}

ARN__APART static void one_row(int32_t *acc, const uint32_t *x, const uint32_t *end,
                               const int8_t *w0) {
  uint32_t even, odd, u, v;
  int32_t a = *acc;
  if (x != end) {
    __asm__ volatile("1:\n\t" ONE_ROW
                     "cmp %[x], %[end]\n\t"
                     "blo 1b"
                     : [a] "+r"(a), [x] "+r"(x), [w0] "+r"(w0), [even] "=&r"(even),
                       [odd] "=&r"(odd), [u] "=&r"(u), [v] "=&r"(v)
                     : [end] "r"(end)
                     : "cc", "memory");
  }
  *acc = a;
}

// The last elements, less than four, of all rows.
static void rests(int32_t *acc, const part *p, const int8_t *w, const arn__dot *d) {
  const uint32_t whole = p->n / 4 * 4;
  const uint32_t *x = p->words + whole / 2;
  w += whole;
  for (uint32_t c = 0; c < d->count; c++, w += d->stride) {
    const uint32_t last = arn__dsp_load_some(w, p->n % 4);
    one_row(acc + c, x, x + 2, (const int8_t *)&last);
  }
}

void arn__dot_rows_s8_dsp(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d) {
  part p;
  for (uint32_t at = 0; at < d->n; at += p.n, w += p.n) {
    widen(&p, x + at, d->n - at < CHUNK ? d->n - at : CHUNK, d->zero);
    const int8_t *row = w;
    uint32_t c = 0;
    for (; c + 4 <= d->count; c += 4, row += 4 * (size_t)d->stride) {
      four_rows(acc + c, &p, row, d->stride);
    }
    const uint32_t *const end = p.words + p.n / 4 * 2;
    for (; c < d->count; c++, row += d->stride) one_row(acc + c, p.words, end, row);
    if (p.n % 4 > 0) rests(acc, &p, w, d);
  }
}

#endif
