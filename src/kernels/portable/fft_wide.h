// Transforms whose length is a power of two, for machines with vector registers. Their first two
// stages take LANES subsequences of every S-th value, 16 or 8 values each, side by side, in a tile
// on the stack, and put each where the digit-reversed order wants it. Further stages, all of radix
// 4, run in place over the output:
//
//   n = 256:  head 4 4 (16 points)   stages 4 (m = 16), 4 (m = 64)
//   n = 128:  head 2 4 (8 points)    stages 4 (m = 8), 4 (m = 32)
//
// The way back is a transform forward of values whose real and imaginary parts changed places.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_FFT_WIDE_H
#define ARENITE_SRC_KERNELS_PORTABLE_FFT_WIDE_H

#include "fft_body.h"

#define LANES (32u / (uint32_t)sizeof(scalar))

enum { TILE = 16 };

// Says whether the transform is to run here: elsewhere its code is dropped.
#if defined(__SSE2__) || defined(__aarch64__)
ARN__INLINE bool is_wide(const arn__fft *fft) { return fft->room == NULL && fft->length >= 16; }
#else
ARN__INLINE bool is_wide(const arn__fft *fft) {
  (void)fft;
  return false;
}
#endif

typedef struct tile {
  scalar re[TILE][LANES], im[TILE][LANES];
} tile;

// A tile that has been through its stages.
typedef struct points {
  complex_value at[TILE][LANES];
} points;

// Roots of unity for neighbouring butterflies of a stage: at one, two and three times the angle.
typedef struct roots {
  scalar re[3][LANES], im[3][LANES];
} roots;

// ---- the head -----------------------------------------------------------------------------------

// Where complex values come from. A loader returns the address of `lanes` of them from value `at`
// on, in the input or made in `room`: [LANES] complex.
typedef struct source {
  const scalar *in;
  uint32_t n;       // complex values
  uint32_t count;   // reals that are there
} source;

typedef const scalar *loader(const source *from, scalar *room, uint32_t at, uint32_t lanes);

ARN__INLINE complex_value take(const tile *t, uint32_t at, uint32_t lane) {
  return (complex_value){t->re[at][lane], t->im[at][lane]};
}

ARN__INLINE void put(tile *t, uint32_t at, uint32_t lane, complex_value value) {
  t->re[at][lane] = value.re;
  t->im[at][lane] = value.im;
}

// The root of the first stages is 1, as near as the type has it: multiplying by it changes no
// quotient of a division by 2 or 4 (tests/unit/test_op_signal.c).
ARN__INLINE void first_stage_4(tile *restrict t, uint32_t row, const scalar *const x[4],
                            uint32_t lanes) {
  const scalar *x0 = x[0], *x1 = x[1], *x2 = x[2], *x3 = x[3];
  for (uint32_t l = 0; l < lanes; l++) {
    const four v = butterfly(
        (four){quarter(at(x0, l)), quarter(at(x1, l)), quarter(at(x2, l)), quarter(at(x3, l))});
    put(t, row, l, v.x0);
    put(t, row + 4, l, v.x1);
    put(t, row + 8, l, v.x2);
    put(t, row + 12, l, v.x3);
  }
}

ARN__INLINE void first_stage_2(tile *restrict t, uint32_t row, const scalar *const x[4],
                            uint32_t lanes) {
  const scalar *x0 = x[0], *x1 = x[1];
  for (uint32_t l = 0; l < lanes; l++) {
    const complex_value a = halve(at(x0, l)), b = halve(at(x1, l));
    put(t, row, l, plus(a, b));
    put(t, row + 4, l, minus(a, b));
  }
}

// Butterfly k of `size / 4` of the second stage: of points k of its four parts.
ARN__INLINE void second_stage(points *restrict done, const tile *t, uint32_t k, uint32_t size,
                           uint32_t lanes) {
  const uint32_t step = ARN__FFT_TURN / size * k;
  const complex_value w1 = root(step), w2 = root(2 * step), w3 = root(3 * step);
  complex_value *at0 = done->at[k], *at1 = done->at[k + size / 4];
  complex_value *at2 = done->at[k + size / 2], *at3 = done->at[k + size / 2 + size / 4];
  for (uint32_t l = 0; l < lanes; l++) {
    four v = {quarter(take(t, 4 * k, l)), quarter(take(t, 4 * k + 1, l)),
              quarter(take(t, 4 * k + 2, l)), quarter(take(t, 4 * k + 3, l))};
    v.x1 = multiply(v.x1, w1);
    v.x2 = multiply(v.x2, w2);
    v.x3 = multiply(v.x3, w3);
    v = butterfly(v);
    at0[l] = v.x0;
    at1[l] = v.x1;
    at2[l] = v.x2;
    at3[l] = v.x3;
  }
}

// Takes `lanes` subsequences of `size` values from `first` on through two stages.
ARN__INLINE void tile_transform(points *done, const source *from, loader *load, uint32_t size,
                             uint32_t first, uint32_t lanes) {
  tile t;
  scalar room[4][2 * LANES];
  const uint32_t sequences = from->n / size;
  for (uint32_t row = 0; row < 4; row++) {
    const scalar *x[4] = {NULL, NULL, NULL, NULL};
    for (uint32_t part = 0; part < size / 4; part++) {
      x[part] = load(from, room[part], first + sequences * (row + 4 * part), lanes);
    }
    if (size == TILE) {
      first_stage_4(&t, row, x, lanes);
    } else {
      first_stage_2(&t, row, x, lanes);
    }
  }
  for (uint32_t k = 0; k < size / 4; k++) second_stage(done, &t, k, size, lanes);
}

// Reverses the base-4 digits of i < count, a power of 4 up to 64.
ARN__INLINE uint32_t reverse_digits(uint32_t i, uint32_t count) {
  return ((i & 3) << 4 | (i & 12) | i >> 4) / (64 / count);
}

ARN__INLINE void store_lane(scalar *out, const points *done, uint32_t lane, uint32_t size) {
  for (uint32_t k = 0; k < size; k++) memcpy(out + 2 * k, &done->at[k][lane], 2 * sizeof *out);
}

ARN__INLINE void head(scalar *out, const source *from, loader *load, uint32_t size) {
  points done;
  const uint32_t sequences = from->n / size;
  for (uint32_t i = 0; i < sequences; i += LANES) {
    const uint32_t lanes = sequences - i < LANES ? sequences - i : LANES;
    tile_transform(&done, from, load, size, i, lanes);
    for (uint32_t l = 0; l < lanes; l++) {
      store_lane(out + 2 * size * reverse_digits(i + l, sequences), &done, l, size);
    }
  }
}

// Makes `count` roots from `first` points on, `step` apart. In two loops, because compilers
// vectorise the second. Needs: count <= LANES.
ARN__INLINE void make_roots(scalar *re, scalar *im, uint32_t first, uint32_t step, uint32_t count) {
  int32_t cosine[LANES], sine[LANES];
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t at = (first + i * step) % (ARN__FFT_TURN / 4);
    cosine[i] = arn__fft_quarter[at];
    sine[i] = arn__fft_quarter[ARN__FFT_TURN / 4 - at];
  }
  for (uint32_t i = 0; i < count; i++) {
    const complex_value value = turn_root(first + i * step, cosine[i], sine[i]);
    re[i] = value.re;
    im[i] = value.im;
  }
}

// ---- further stages -----------------------------------------------------------------------------

// Neighbouring butterflies of one group. x0, ...: [count] complex, of the four parts.
ARN__INLINE void stage_run(scalar *restrict x0, scalar *restrict x1, scalar *restrict x2,
                        scalar *restrict x3, const roots *w, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    four v = {quarter(at(x0, i)), quarter(at(x1, i)), quarter(at(x2, i)), quarter(at(x3, i))};
    v.x1 = multiply(v.x1, (complex_value){w->re[0][i], w->im[0][i]});
    v.x2 = multiply(v.x2, (complex_value){w->re[1][i], w->im[1][i]});
    v.x3 = multiply(v.x3, (complex_value){w->re[2][i], w->im[2][i]});
    v = butterfly(v);
    x0[2 * i] = v.x0.re;
    x0[2 * i + 1] = v.x0.im;
    x1[2 * i] = v.x1.re;
    x1[2 * i + 1] = v.x1.im;
    x2[2 * i] = v.x2.re;
    x2[2 * i + 1] = v.x2.im;
    x3[2 * i] = v.x3.re;
    x3[2 * i + 1] = v.x3.im;
  }
}

// One stage of radix 4 over out: [n / (4 m)][4][m] complex. m is a multiple of 8.
ARN__INLINE void stage(scalar *out, uint32_t n, uint32_t m) {
  roots w;
  const uint32_t step = ARN__FFT_TURN / (4 * m), count = m < LANES ? m : LANES;
  for (uint32_t k = 0; k < m; k += count) {
    for (uint32_t j = 0; j < 3; j++) {
      make_roots(w.re[j], w.im[j], k * step * (j + 1), step * (j + 1), count);
    }
    for (uint32_t group = 0; group < n; group += 4 * m) {
      scalar *x = out + 2 * (group + k);
      stage_run(x, x + 2 * m, x + 4 * m, x + 6 * m, &w, count);
    }
  }
}

// Needs: n a power of two, at least 8.
ARN__INLINE void transform_wide(scalar *out, const source *from, loader *load) {
  const uint32_t n = from->n;
  uint32_t size = TILE;
  for (uint32_t m = n; m >= 8; m /= 4) size = m == 8 ? 8 : TILE;
  if (size == TILE) head(out, from, load, TILE);
  if (size == 8) head(out, from, load, 8);
  for (uint32_t m = size; m < n; m *= 4) stage(out, n, m);
}

#endif
