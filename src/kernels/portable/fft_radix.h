// Butterflies of any radix: of points k of the parts of one group, m values apart. x: point k of
// part 0.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_FFT_RADIX_H
#define ARENITE_SRC_KERNELS_PORTABLE_FFT_RADIX_H

#include "fft_body.h"

// A transform of n complex values. room: [n] roots of unity, [n / 2] that split or join, and room
// for the values of a butterfly; NULL where the table has the roots.
typedef struct plan {
  uint32_t n;
  complex_value *room;
  bool inverse;
} plan;

// The butterflies k of a stage: values of a part, parts of the turn between roots, the share of a
// division, and (for radices up to 5) the roots that turn the parts.
typedef struct turn {
  uint32_t m, step, k;
  scalar share;
  complex_value w[5];
} turn;

static inline complex_value plan_root(const plan *p, uint32_t i) {
  if (p->room) return p->room[i];
  const complex_value w = root(i * (ARN__FFT_TURN / p->n));
  return p->inverse ? conjugate(w) : w;
}

// The root that splits points k and n - k, or joins them.
static inline complex_value plan_split_root(const plan *p, uint32_t k) {
  if (p->room) return p->room[p->n + k - 1];
  const complex_value w = split_root(k * (ARN__FFT_TURN / p->n / 2));
  return p->inverse ? conjugate(w) : w;
}

// The first value of part `part`, divided and turned. At k = 0 the root is 1, as near as the type
// has it: multiplying by that changes no quotient (tests/unit/test_op_signal.c).
static inline complex_value turned(const scalar *x, const turn *t, uint32_t part) {
  complex_value value = at(x, part * t->m);
  value = (complex_value){divide(value.re, t->share), divide(value.im, t->share)};
  return part == 0 || t->k == 0 ? value : multiply(value, t->w[part]);
}

static inline void set_part(scalar *x, const turn *t, uint32_t part, complex_value value) {
  set_at(x, part * t->m, value);
}

static inline void radix_2(scalar *x, const turn *t) {
  const complex_value a = turned(x, t, 0), b = turned(x, t, 1);
  set_part(x, t, 0, plus(a, b));
  set_part(x, t, 1, minus(a, b));
}

static inline void radix_4(const plan *p, scalar *x, const turn *t) {
  const four v = butterfly((four){turned(x, t, 0), turned(x, t, 1),
                                  turned(x, t, 2), turned(x, t, 3)});
  set_part(x, t, 0, v.x0);
  set_part(x, t, 1, p->inverse ? v.x3 : v.x1);
  set_part(x, t, 2, v.x2);
  set_part(x, t, 3, p->inverse ? v.x1 : v.x3);
}

// a + i b and a - i b
static inline complex_value plus_turned(complex_value a, complex_value b) {
  return (complex_value){subtract(a.re, b.im), add(a.im, b.re)};
}

static inline complex_value minus_turned(complex_value a, complex_value b) {
  return (complex_value){add(a.re, b.im), subtract(a.im, b.re)};
}

static inline complex_value scaled(complex_value a, scalar w) {
  return (complex_value){scale(a.re, w), scale(a.im, w)};
}

static inline void radix_3(const plan *p, scalar *x, const turn *t) {
  const scalar third = plan_root(p, t->m * t->step).im;
  const complex_value a = turned(x, t, 0);
  const complex_value b = turned(x, t, 1), c = turned(x, t, 2);
  const complex_value sum = plus(b, c), difference = scaled(minus(b, c), third);
  const complex_value middle = minus(a, (complex_value){half(sum.re), half(sum.im)});
  set_part(x, t, 0, plus(a, sum));
  set_part(x, t, 1, plus_turned(middle, difference));
  set_part(x, t, 2, minus_turned(middle, difference));
}

// The roots of one and two fifths of a turn are ya and yb.
static inline void radix_5(const plan *p, scalar *x, const turn *t) {
  const complex_value ya = plan_root(p, t->m * t->step), yb = plan_root(p, 2 * t->m * t->step);
  const complex_value x0 = turned(x, t, 0);
  const complex_value x1 = turned(x, t, 1), x4 = turned(x, t, 4);
  const complex_value x2 = turned(x, t, 2), x3 = turned(x, t, 3);
  const complex_value sum14 = plus(x1, x4), difference14 = minus(x1, x4);
  const complex_value sum23 = plus(x2, x3), difference23 = minus(x2, x3);
  const complex_value near = plus(plus(x0, scaled(sum14, ya.re)), scaled(sum23, yb.re));
  const complex_value far = plus(plus(x0, scaled(sum14, yb.re)), scaled(sum23, ya.re));
  const complex_value near_turn = plus(scaled(difference14, ya.im), scaled(difference23, yb.im));
  const complex_value far_turn = minus(scaled(difference14, yb.im), scaled(difference23, ya.im));
  set_part(x, t, 0, plus(x0, plus(sum14, sum23)));
  set_part(x, t, 1, plus_turned(near, near_turn));
  set_part(x, t, 2, plus_turned(far, far_turn));
  set_part(x, t, 3, minus_turned(far, far_turn));
  set_part(x, t, 4, minus_turned(near, near_turn));
}

// By the definition, with a copy of the values. Radix 1 only divides.
static inline void radix_any(const plan *p, scalar *x, const turn *t, uint32_t radix) {
  complex_value *values = p->room ? p->room + p->n + p->n / 2 : NULL;
  const complex_value one = at(x, 0);
  if (values == NULL) {  // radix 1, of a length of 2
    set_part(x, t, 0, (complex_value){divide(one.re, t->share), divide(one.im, t->share)});
    return;
  }
  for (uint32_t i = 0; i < radix; i++) {
    const complex_value value = at(x, i * t->m);
    values[i] = (complex_value){divide(value.re, t->share), divide(value.im, t->share)};
  }
  for (uint32_t i = 0; i < radix; i++) {
    complex_value sum = values[0];
    const uint32_t step = (t->k + i * t->m) * t->step;  // below n
    uint32_t around = 0;
    for (uint32_t j = 1; j < radix; j++) {
      around += step;
      if (around >= p->n) around -= p->n;
      sum = plus(sum, multiply(values[j], plan_root(p, around)));
    }
    set_part(x, t, i, sum);
  }
}

#endif
