// Transforms of any even length, stage by stage, in place over the output: small code. Roots of
// unity come from the table where the length divides its turn, else from an array (fft->room, see
// fft.h).
#ifndef ARENITE_SRC_KERNELS_PORTABLE_FFT_PLAIN_H
#define ARENITE_SRC_KERNELS_PORTABLE_FFT_PLAIN_H

#include "fft_radix.h"

// ---- stages -------------------------------------------------------------------------------------

// The radix of the stage that makes transforms of more than m values from those of m.
static inline uint32_t radix_above(uint32_t n, uint32_t m) {
  uint32_t p = arn__fft_radix(n);
  for (; n / p != m; p = arn__fft_radix(n)) n /= p;
  return p;
}

// ---- stages -------------------------------------------------------------------------------------

static inline void run_butterfly(const plan *p, scalar *x, const turn *t, uint32_t radix) {
  switch (radix) {
    case 2: radix_2(x, t); break;
    case 3: radix_3(p, x, t); break;
    case 4: radix_4(p, x, t); break;
    case 5: radix_5(p, x, t); break;
    default: radix_any(p, x, t, radix); break;
  }
}

static inline void run_stage(const plan *p, scalar *out, uint32_t radix, uint32_t m) {
  turn t = {.m = m, .step = p->n / (radix * m), .share = share(radix)};
  for (t.k = 0; t.k < m; t.k++) {
    for (uint32_t j = 1; j < radix && j < 5; j++) t.w[j] = plan_root(p, j * t.k * t.step);
    for (uint32_t group = t.k; group < p->n; group += radix * m) {
      run_butterfly(p, out + 2 * group, &t, radix);
    }
  }
}

static inline void run_stages(const plan *p, scalar *out) {
  uint32_t m = 1;
  do {
    const uint32_t radix = radix_above(p->n, m);
    run_stage(p, out, radix, m);
    m *= radix;
  } while (m < p->n);
}

// ---- transforms ---------------------------------------------------------------------------------

static inline void forward_plain(scalar *out, const scalar *in, const arn__fft *fft) {
  const uint32_t n = fft->length / 2;
  const plan p = {n, fft->room, false};
  uint32_t place = 0;
  for (uint32_t i = 0; i < n; i++) {
    const scalar re = 2 * i < fft->count ? in[2 * i] : 0;
    const scalar im = 2 * i + 1 < fft->count ? in[2 * i + 1] : 0;
    set_at(out, place, (complex_value){re, im});
    place = arn__fft_next_place(place, n);
  }
  run_stages(&p, out);
  split_ends(out, n);
  for (uint32_t k = 1; k <= n / 2; k++) {
    const pair v = split((pair){at(out, k), at(out, n - k)}, plan_split_root(&p, k));
    set_at(out, k, v.low);
    set_at(out, n - k, v.high);
  }
}

static inline void inverse_plain(scalar *out, const scalar *in, const arn__fft *fft) {
  const uint32_t n = fft->length / 2;
  const plan p = {n, fft->room, true};
  uint32_t place = 0;
  set_at(out, 0, join_ends(in[0], in[2 * n]));
  for (uint32_t i = 1; i < n; i++) {
    place = arn__fft_next_place(place, n);
    if (2 * i < n) {
      const pair v = {at(in, i), at(in, n - i)};
      set_at(out, place, join_low(v, plan_split_root(&p, i)));
    } else {
      const pair v = {at(in, n - i), at(in, i)};
      set_at(out, place, join_high(v, plan_split_root(&p, n - i)));
    }
  }
  run_stages(&p, out);
}

#endif
