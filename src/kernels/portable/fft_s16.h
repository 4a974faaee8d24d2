// The number type of the int16 Fourier kernels: rounded as kissfft's with FIXED_POINT 16.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_FFT_S16_H
#define ARENITE_SRC_KERNELS_PORTABLE_FFT_S16_H

#include "../fft.h"

typedef int16_t scalar;

typedef struct complex_value {
  scalar re, im;
} complex_value;

ARN__INLINE scalar add(scalar a, scalar b) { return (scalar)(a + b); }
ARN__INLINE scalar subtract(scalar a, scalar b) { return (scalar)(a - b); }
ARN__INLINE scalar half(scalar x) { return (scalar)(x >> 1); }
ARN__INLINE scalar half_sum(scalar a, scalar b) { return (scalar)((a + b) >> 1); }
ARN__INLINE scalar half_difference(scalar a, scalar b) { return (scalar)((a - b) >> 1); }

// (x * w + 2^14) >> 15, in the form that has an instruction on many machines. Compilers find it
// only where they do not know w, and so cannot make a shift and a subtraction of the product: the
// table of shares is there to hide them.
ARN__INLINE scalar scale(scalar x, scalar w) { return (scalar)(((x * w >> 14) + 1) >> 1); }

ARN__INLINE scalar share(uint32_t radix) { return (scalar)(INT16_MAX / radix); }
ARN__INLINE scalar divide(scalar x, scalar part) { return scale(x, part); }
ARN__INLINE scalar divide_2(scalar x) { return scale(x, arn__fft_shares_s16[0]); }
ARN__INLINE scalar divide_4(scalar x) { return scale(x, arn__fft_shares_s16[1]); }

ARN__INLINE complex_value multiply(complex_value a, complex_value w) {
  return (complex_value){(scalar)((a.re * w.re - a.im * w.im + (1 << 14)) >> 15),
                         (scalar)((a.re * w.im + a.im * w.re + (1 << 14)) >> 15)};
}

// round(32767 x) from round((2^31 - 1) x): nowhere in the table is the second rounding ambiguous
// (tests/unit/test_op_signal.c).
ARN__INLINE scalar root_value(int32_t q) { return (scalar)((q - (q >> 15) + (1 << 15)) >> 16); }

#endif
