#include "../dot.h"

// Products that a 32-bit sum holds: 32768 * 255 * 255 < 2^31.
#define CHUNK 32768u

ARN__INLINE void four_rows(int32_t *acc, const uint8_t *x, const uint8_t *w, uint32_t stride,
                           uint32_t n, int32_t zero) {
  const uint8_t *w1 = w + stride, *w2 = w1 + stride, *w3 = w2 + stride;
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (uint32_t i = 0; i < n; i++) {
    const int16_t v = (int16_t)(x[i] - zero);
    s0 += v * w[i];
    s1 += v * w1[i];
    s2 += v * w2[i];
    s3 += v * w3[i];
  }
  acc[0] = arn__dot_add(acc[0], s0);
  acc[1] = arn__dot_add(acc[1], s1);
  acc[2] = arn__dot_add(acc[2], s2);
  acc[3] = arn__dot_add(acc[3], s3);
}

ARN__INLINE int32_t one_row(const uint8_t *x, const uint8_t *w, uint32_t n, int32_t zero) {
  int32_t s = 0;
  for (uint32_t i = 0; i < n; i++) s += (int16_t)(x[i] - zero) * w[i];
  return s;
}

ARN__KERNEL void arn__dot_rows_u8_portable(int32_t *acc, const uint8_t *x, const uint8_t *w,
                                           const arn__dot *d) {
  for (uint32_t at = 0; at < d->n; at += CHUNK) {
    const uint32_t n = d->n - at < CHUNK ? d->n - at : CHUNK;
    const uint8_t *row = w + at;
    uint32_t c = 0;
    for (; c + 4 <= d->count; c += 4, row += 4 * (size_t)d->stride) {
      four_rows(acc + c, x + at, row, d->stride, n, d->zero);
    }
    for (; c < d->count; c++, row += d->stride) {
      acc[c] = arn__dot_add(acc[c], one_row(x + at, row, n, d->zero));
    }
  }
}

ARN__KERNEL int32_t arn__dot_sum_u8_portable(const uint8_t *x, const arn__dot *d) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < d->n; i++) sum += x[i * (size_t)d->step];
  return (int32_t)(sum - d->n * (uint32_t)d->zero);
}
