#include "../svdf.h"

#if defined(ARN__DSP)

#include "simd.h"

void arn__svdf_time_s8_dsp(int32_t *sums, const int8_t *states, const int8_t *weights,
                           const arn__svdf_time *t) {
  const uint32_t minus_zero = arn__dsp_minus(t->zero), rest = t->n % 4;
  const int32_t zero = t->zero;
  for (int32_t *const end = sums + t->units; sums != end; sums++) {
    int32_t sum = *sums;
    for (const int8_t *const most = states + t->n - rest; states != most; states += 4) {
      const uint32_t x = arn__dsp_load(states), w = arn__dsp_load(weights);
      sum = arn__dsp_products(sum, arn__dsp_even(minus_zero, x), arn__dsp_even_of(w));
      sum = arn__dsp_products(sum, arn__dsp_odd(minus_zero, x), arn__dsp_odd_of(w));
      weights += 4;
    }
    for (uint32_t i = 0; i < rest; i++) {
      sum = (int32_t)((uint32_t)sum + (uint32_t)((*states++ - zero) * *weights++));
    }
    *sums = sum;
  }
}

// Word by word, upwards: memmove() takes single bytes from where they do not lie alike.
void arn__svdf_age_dsp(uint8_t *states, uint32_t bytes, uint32_t step) {
  uint8_t *const end = states + (bytes - step), *const most = end - (bytes - step) % 4;
  for (; states != most; states += 4) {
    const uint32_t word = arn__dsp_load(states + step);
    memcpy(states, &word, sizeof word);
  }
  for (; states != end; states++) *states = states[step];
}

#endif
