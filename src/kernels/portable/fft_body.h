// What the Fourier kernels share, for one type of numbers. A file that includes it defines before:
//
//   scalar                        the type
//   complex_value                 {re, im}
//   add(a, b), subtract(a, b)     which wrap
//   half_sum(a, b), half_difference(a, b), half(x)
//   share(p), divide(x, share)    the division that a stage of radix p makes
//   divide_2(x), divide_4(x)
//   scale(x, w)                   a product with a part of a root of unity
//   multiply(a, w)                a complex product with a root of unity
//   root_value(q)                 such a part, from its value in the table
//
// A real signal of 2n values is taken as n complex ones, which are transformed, and their n points
// split into those of the real signal. The way back begins by joining them.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_FFT_BODY_H
#define ARENITE_SRC_KERNELS_PORTABLE_FFT_BODY_H

#include "../fft.h"

// ---- complex numbers ----------------------------------------------------------------------------

ARN__INLINE complex_value at(const scalar *x, uint32_t i) {
  return (complex_value){x[2 * i], x[2 * i + 1]};
}

ARN__INLINE void set_at(scalar *x, uint32_t i, complex_value value) {
  x[2 * i] = value.re;
  x[2 * i + 1] = value.im;
}

ARN__INLINE complex_value exchange(complex_value a) { return (complex_value){a.im, a.re}; }

ARN__INLINE complex_value plus(complex_value a, complex_value b) {
  return (complex_value){add(a.re, b.re), add(a.im, b.im)};
}

ARN__INLINE complex_value minus(complex_value a, complex_value b) {
  return (complex_value){subtract(a.re, b.re), subtract(a.im, b.im)};
}

ARN__INLINE complex_value conjugate(complex_value a) {
  return (complex_value){a.re, subtract(0, a.im)};
}

ARN__INLINE complex_value halve(complex_value a) {
  return (complex_value){divide_2(a.re), divide_2(a.im)};
}

ARN__INLINE complex_value quarter(complex_value a) {
  return (complex_value){divide_4(a.re), divide_4(a.im)};
}

// ---- roots of unity -----------------------------------------------------------------------------

// exp(-2 pi i / ARN__FFT_TURN), from the cosine and the sine of its angle beyond the last quarter
// turn.
ARN__INLINE complex_value turn_root(uint32_t i, int32_t cosine, int32_t sine) {
  const uint32_t quarters = i / (ARN__FFT_TURN / 4);
  const int32_t re = quarters & 1 ? sine : cosine, im = quarters & 1 ? cosine : sine;
  return (complex_value){root_value((quarters + 1) & 2 ? -re : re),
                         root_value(quarters & 2 ? im : -im)};
}

ARN__INLINE complex_value root(uint32_t i) {
  const uint32_t at = i % (ARN__FFT_TURN / 4);
  return turn_root(i, arn__fft_quarter[at], arn__fft_quarter[ARN__FFT_TURN / 4 - at]);
}

// The root that splits points k and n - k of a real signal, or joins them: exp(-i pi (k / n + 1 /
// 2)). Needs: at = k * ARN__FFT_TURN / (2 n), at most a quarter of a turn.
ARN__INLINE complex_value split_root(uint32_t at) {
  return (complex_value){root_value(-arn__fft_quarter[ARN__FFT_TURN / 4 - at]),
                         root_value(-arn__fft_quarter[at])};
}

// ---- butterflies --------------------------------------------------------------------------------

typedef struct four {
  complex_value x0, x1, x2, x3;
} four;

ARN__INLINE four butterfly(four v) {
  const complex_value sum02 = plus(v.x0, v.x2), difference02 = minus(v.x0, v.x2);
  const complex_value sum13 = plus(v.x1, v.x3), difference13 = minus(v.x1, v.x3);
  v.x0 = plus(sum02, sum13);
  v.x1.re = add(difference02.re, difference13.im);
  v.x1.im = subtract(difference02.im, difference13.re);
  v.x2 = minus(sum02, sum13);
  v.x3.re = subtract(difference02.re, difference13.im);
  v.x3.im = add(difference02.im, difference13.re);
  return v;
}

// ---- splitting and joining ----------------------------------------------------------------------

typedef struct pair {
  complex_value low, high;
} pair;

// Points k and n - k of the real signal, from those of the complex one. w: see split_root.
ARN__INLINE pair split(pair v, complex_value w) {
  const complex_value low = halve(v.low), high = halve(conjugate(v.high));
  const complex_value even = plus(low, high), odd = multiply(minus(low, high), w);
  return (pair){{half_sum(even.re, odd.re), half_sum(even.im, odd.im)},
                {half_difference(even.re, odd.re), half_difference(odd.im, even.im)}};
}

// And back. w: its conjugate.
ARN__INLINE complex_value join_low(pair v, complex_value w) {
  const complex_value low = halve(v.low), high = halve(conjugate(v.high));
  return plus(plus(low, high), multiply(minus(low, high), w));
}

ARN__INLINE complex_value join_high(pair v, complex_value w) {
  const complex_value low = halve(v.low), high = halve(conjugate(v.high));
  return conjugate(minus(plus(low, high), multiply(minus(low, high), w)));
}

// Point 0 of the complex signal, from the first and the last of the real one, which are real.
ARN__INLINE complex_value join_ends(scalar first, scalar last) {
  return halve((complex_value){add(first, last), subtract(first, last)});
}

// And back. out: [n + 1] complex.
ARN__INLINE void split_ends(scalar *out, uint32_t n) {
  const complex_value ends = halve(at(out, 0));
  out[0] = add(ends.re, ends.im);
  out[2 * n] = subtract(ends.re, ends.im);
  out[1] = out[2 * n + 1] = 0;
}

#endif
