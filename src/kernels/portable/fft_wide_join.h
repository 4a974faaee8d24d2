// Joining the n + 1 points of a real signal into n complex ones, as a tile is filled with them.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_FFT_WIDE_JOIN_H
#define ARENITE_SRC_KERNELS_PORTABLE_FFT_WIDE_JOIN_H

#include "fft_wide.h"

// Point `c` of the complex signal.
ARN__INLINE complex_value join_one(const source *from, uint32_t c) {
  const uint32_t n = from->n, step = ARN__FFT_TURN / (2 * n);
  if (c == 0) return join_ends(from->in[0], from->in[2 * n]);
  const complex_value own = at(from->in, c), mirror = at(from->in, n - c);
  if (c < n / 2) return join_low((pair){own, mirror}, conjugate(split_root(c * step)));
  return join_high((pair){mirror, own}, conjugate(split_root((n - c) * step)));
}

// What joins points: their partners, and the roots.
typedef struct partners {
  scalar re[LANES], im[LANES], w_re[LANES], w_im[LANES];
} partners;

ARN__INLINE void take_partners(partners *p, const source *from, uint32_t first, uint32_t lanes) {
  const uint32_t n = from->n, step = ARN__FFT_TURN / (2 * n);
  const scalar *mirrored = from->in + 2 * (n - first - (lanes - 1));
  const bool high = first >= n / 2;
  for (uint32_t l = 0; l < lanes; l++) {
    p->re[l] = mirrored[2 * (lanes - 1 - l)];
    p->im[l] = mirrored[2 * (lanes - 1 - l) + 1];
  }
  for (uint32_t l = 0; l < lanes; l++) {
    const complex_value w = conjugate(split_root((high ? n - first - l : first + l) * step));
    p->w_re[l] = w.re;
    p->w_im[l] = w.im;
  }
}

// Points first, first + 1, ..., all on one side of the middle.
ARN__INLINE void join_block(const source *from, scalar *restrict room, uint32_t first,
                            uint32_t lanes) {
  partners p;
  const scalar *own = from->in + 2 * first;
  const bool high = first >= from->n / 2;
  take_partners(&p, from, first, lanes);
  for (uint32_t l = 0; l < lanes; l++) {
    const complex_value mine = at(own, l), mirror = {p.re[l], p.im[l]};
    const complex_value w = {p.w_re[l], p.w_im[l]};
    const complex_value value =
        high ? join_high((pair){mirror, mine}, w) : join_low((pair){mine, mirror}, w);
    room[2 * l] = value.im;
    room[2 * l + 1] = value.re;
  }
}

// Joined points, real and imaginary parts exchanged.
ARN__INLINE const scalar *load_joined(const source *from, scalar *room, uint32_t first,
                                      uint32_t lanes) {
  const uint32_t middle = from->n / 2;
  if (first > 0 && (first + lanes <= middle || first >= middle)) {
    join_block(from, room, first, lanes);
    return room;
  }
  for (uint32_t l = 0; l < lanes; l++) {
    const complex_value value = join_one(from, first + l);
    room[2 * l] = value.im;
    room[2 * l + 1] = value.re;
  }
  return room;
}

#endif
