// The number type of the int32 Fourier kernels: rounded as kissfft's with FIXED_POINT 32.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_FFT_S32_H
#define ARENITE_SRC_KERNELS_PORTABLE_FFT_S32_H

#include "../kernel.h"

typedef int32_t scalar;

typedef struct complex_value {
  scalar re, im;
} complex_value;

ARN__INLINE scalar add(scalar a, scalar b) { return (scalar)((uint32_t)a + (uint32_t)b); }
ARN__INLINE scalar subtract(scalar a, scalar b) { return (scalar)((uint32_t)a - (uint32_t)b); }
ARN__INLINE scalar half(scalar x) { return x >> 1; }
ARN__INLINE scalar half_sum(scalar a, scalar b) { return add(a, b) >> 1; }
ARN__INLINE scalar half_difference(scalar a, scalar b) { return subtract(a, b) >> 1; }

// Takes the upper 32 bits of a sum of products, rounded half up. The logical shift gives the same
// bits as an arithmetic one.
ARN__INLINE scalar narrow(uint64_t sum) {
  return (scalar)(uint32_t)((sum + (UINT64_C(1) << 30)) >> 31);
}

ARN__INLINE uint64_t product(scalar a, scalar b) { return (uint64_t)((int64_t)a * b); }

ARN__INLINE scalar scale(scalar x, scalar w) { return narrow(product(x, w)); }

ARN__INLINE scalar share(uint32_t radix) { return (scalar)(INT32_MAX / radix); }
ARN__INLINE scalar divide(scalar x, scalar part) { return scale(x, part); }
ARN__INLINE scalar divide_2(scalar x) { return scale(x, INT32_MAX / 2); }
ARN__INLINE scalar divide_4(scalar x) { return scale(x, INT32_MAX / 4); }

ARN__INLINE complex_value multiply(complex_value a, complex_value w) {
  return (complex_value){narrow(product(a.re, w.re) - product(a.im, w.im)),
                         narrow(product(a.re, w.im) + product(a.im, w.re))};
}

ARN__INLINE scalar root_value(int32_t q) { return q; }

#endif
