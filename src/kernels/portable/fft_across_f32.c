#include "fft_f32.h"

#include "fft_body.h"

ARN__INLINE void across_2(float *restrict x0, float *restrict x1, uint32_t width, complex_value w) {
  for (uint32_t i = 0; i < width; i++) {
    const complex_value a = at(x0, i), b = multiply(at(x1, i), w);
    set_at(x0, i, plus(a, b));
    set_at(x1, i, minus(a, b));
  }
}

ARN__INLINE void across_4(float *restrict x0, float *restrict x1, float *restrict x2,
                          float *restrict x3, uint32_t width, const complex_value w[3]) {
  for (uint32_t i = 0; i < width; i++) {
    const four v = butterfly((four){at(x0, i), multiply(at(x1, i), w[0]),
                                    multiply(at(x2, i), w[1]), multiply(at(x3, i), w[2])});
    set_at(x0, i, v.x0);
    set_at(x1, i, v.x1);
    set_at(x2, i, v.x2);
    set_at(x3, i, v.x3);
  }
}

ARN__KERNEL void arn__fft_across_f32_portable(float *x, uint32_t n, uint32_t width) {
  const bool odd = (n & 0xAAAAAAAAu) != 0;  // the logarithm of n
  uint32_t radix = odd ? 2 : 4;
  for (uint32_t m = 1; m < n; m *= radix, radix = 4) {
    if (m > 1) radix = 4;
    for (uint32_t row = 0; row < n; row++) {
      const uint32_t k = row % m, step = ARN__FFT_TURN / (radix * m);
      if (row / m % radix != 0) continue;
      float *from = x + 2 * (size_t)row * width;
      const size_t part = 2 * (size_t)m * width;
      const complex_value w[3] = {root(k * step), root(2 * k * step), root(3 * k * step)};
      if (radix == 2) {
        across_2(from, from + part, width, w[0]);
      } else {
        across_4(from, from + part, from + 2 * part, from + 3 * part, width, w);
      }
    }
  }
}
