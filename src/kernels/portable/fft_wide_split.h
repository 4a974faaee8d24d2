// Splitting the transform of n complex numbers into that of the 2n reals they were made of, in
// place.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_FFT_WIDE_SPLIT_H
#define ARENITE_SRC_KERNELS_PORTABLE_FFT_WIDE_SPLIT_H

#include "fft_wide.h"

// A real signal, zero beyond its end.
ARN__INLINE const scalar *load_real(const source *from, scalar *room, uint32_t at,
                                    uint32_t lanes) {
  if (2 * (at + lanes) <= from->count) return from->in + 2 * at;
  const uint32_t first = 2 * at;
  const uint32_t there = first < from->count ? from->count - first : 0;
  for (uint32_t i = 0; i < 2 * lanes; i++) room[i] = i < there ? from->in[first + i] : 0;
  return room;
}

// Pairs in planes, and the roots that split them.
typedef struct planes {
  scalar low_re[LANES], low_im[LANES], high_re[LANES], high_im[LANES], w_re[LANES], w_im[LANES];
} planes;

ARN__INLINE void planes_take(scalar *re, scalar *im, const scalar *x, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    re[i] = x[2 * i];
    im[i] = x[2 * i + 1];
  }
}

ARN__INLINE void planes_put(scalar *x, const scalar *re, const scalar *im, int32_t count) {
  for (int32_t i = 0; i < count; i++) {
    x[2 * i] = re[i];
    x[2 * i + 1] = im[i];
  }
}

// Splits pairs: the first of `low` belongs to the last of `high`. Indices are signed so that
// compilers see a reversed order in them.
ARN__INLINE void split_planes(planes *restrict out, const planes *x, int32_t count) {
  const int32_t last = count - 1;
  for (int32_t i = 0; i < count; i++) {
    const pair v = split((pair){{x->low_re[i], x->low_im[i]},
                                {x->high_re[last - i], x->high_im[last - i]}},
                         (complex_value){x->w_re[i], x->w_im[i]});
    out->low_re[i] = v.low.re;
    out->low_im[i] = v.low.im;
    out->high_re[last - i] = v.high.re;
    out->high_im[last - i] = v.high.im;
  }
}

// Makes the roots that split `count` pairs.
ARN__INLINE void make_split_roots(scalar *re, scalar *im, uint32_t at, uint32_t step,
                                  uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const complex_value w = split_root(at + i * step);
    re[i] = w.re;
    im[i] = w.im;
  }
}

// Pairs k, k + 1, ... from `low` up, and n - k, n - k - 1, ... down to `high`. They may meet in the
// middle, where the point that is its own partner counts as a high one. Needs: count <= LANES.
ARN__INLINE void split_block(scalar *low, scalar *high, uint32_t at, uint32_t step,
                             uint32_t count) {
  planes x, done;
  const int32_t pairs = (int32_t)count;
  planes_take(x.low_re, x.low_im, low, pairs);
  planes_take(x.high_re, x.high_im, high, pairs);
  make_split_roots(x.w_re, x.w_im, at, step, count);
  split_planes(&done, &x, pairs);
  planes_put(low, done.low_re, done.low_im, pairs);
  planes_put(high, done.high_re, done.high_im, pairs);
}

// out: [n] complex to [n + 1].
ARN__INLINE void split_wide(scalar *out, uint32_t n) {
  const uint32_t step = ARN__FFT_TURN / (2 * n);
  uint32_t count = 0;
  split_ends(out, n);
  for (uint32_t k = 1; k <= n / 2; k += count) {
    const uint32_t left = n / 2 + 1 - k;
    count = left < LANES ? left : LANES;
    split_block(out + 2 * k, out + 2 * (n - k + 1 - count), k * step, step, count);
  }
}

#endif
