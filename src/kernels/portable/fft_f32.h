// The number type of the float Fourier kernels. Stages divide by nothing.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_FFT_F32_H
#define ARENITE_SRC_KERNELS_PORTABLE_FFT_F32_H

#include "../kernel.h"

typedef float scalar;

typedef struct complex_value {
  scalar re, im;
} complex_value;

ARN__INLINE scalar add(scalar a, scalar b) { return a + b; }
ARN__INLINE scalar subtract(scalar a, scalar b) { return a - b; }
ARN__INLINE scalar half(scalar x) { return x * 0.5f; }
ARN__INLINE scalar half_sum(scalar a, scalar b) { return (a + b) * 0.5f; }
ARN__INLINE scalar half_difference(scalar a, scalar b) { return (a - b) * 0.5f; }

ARN__INLINE scalar scale(scalar x, scalar w) { return x * w; }

ARN__INLINE scalar share(uint32_t radix) {
  (void)radix;
  return 1.0f;
}

ARN__INLINE scalar divide(scalar x, scalar part) {
  (void)part;
  return x;
}

ARN__INLINE scalar divide_2(scalar x) { return x; }
ARN__INLINE scalar divide_4(scalar x) { return x; }

ARN__INLINE complex_value multiply(complex_value a, complex_value w) {
  return (complex_value){a.re * w.re - a.im * w.im, a.re * w.im + a.im * w.re};
}

ARN__INLINE scalar root_value(int32_t q) { return (float)q * 4.65661287e-10f; }

#endif
