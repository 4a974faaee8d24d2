#include "../dot.h"
#include "../lanes.h"

// Bytes of stack for an input that is padded.
#define WINDOW 256u

// Products that a 32-bit sum holds: 32768 * 255 * 128 < 2^31.
#define CHUNK 32768u

// Four rows share each load of the input.
ARN__INLINE void four_rows(int32_t *acc, const int8_t *x, const int8_t *w, uint32_t stride,
                           uint32_t n, int32_t zero) {
  const int8_t *w1 = w + stride, *w2 = w1 + stride, *w3 = w2 + stride;
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

ARN__INLINE int32_t one_row(const int8_t *x, const int8_t *w, uint32_t n, int32_t zero) {
  int32_t s = 0;
  for (uint32_t i = 0; i < n; i++) s += (int16_t)(x[i] - zero) * w[i];
  return s;
}

ARN__INLINE void all_rows(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d,
                          uint32_t n) {
  uint32_t c = 0;
  for (; c + 4 <= d->count; c += 4, w += 4 * (size_t)d->stride) {
    four_rows(acc + c, x, w, d->stride, n, d->zero);
  }
  for (; c < d->count; c++, w += d->stride) {
    acc[c] = arn__dot_add(acc[c], one_row(x, w, n, d->zero));
  }
}

// A short input, continued by zeros up to a multiple of the lanes: rows are read on into the next
// ones, except the last, where the weights end with them.
ARN__INLINE void all_rows_padded(int32_t *acc, const int8_t *x, const int8_t *w,
                                 const arn__dot *d) {
  int8_t window[WINDOW];
  const uint32_t n = (d->n + ARN__LANES_INT - 1) / ARN__LANES_INT * ARN__LANES_INT;
  arn__dot part = *d;
  memset(window, d->zero, n);
  memcpy(window, x, d->n);
  part.count = arn__dot_padded_rows(d, n - d->n);
  all_rows(acc, window, w, &part, n);
  const uint32_t done = part.count;
  part.count = d->count - done;
  all_rows(acc + done, x, w + done * (size_t)d->stride, &part, d->n);
}

ARN__KERNEL void arn__dot_rows_s8_portable(int32_t *acc, const int8_t *x, const int8_t *w,
                                           const arn__dot *d) {
  if (d->n % ARN__LANES_INT != 0 && d->n < WINDOW) {
    all_rows_padded(acc, x, w, d);
    return;
  }
  for (uint32_t at = 0; at < d->n; at += CHUNK) {
    all_rows(acc, x + at, w + at, d, d->n - at < CHUNK ? d->n - at : CHUNK);
  }
}

// Four rows of weights at a time: accumulators are loaded and stored once for four products, which
// stay below 2^18 together.
ARN__INLINE void four_by_columns(int32_t *acc, const int8_t *x, const int8_t *w,
                                 const arn__dot *d) {
  const int16_t v0 = (int16_t)(x[0] - d->zero);
  const int16_t v1 = (int16_t)(x[d->step] - d->zero);
  const int16_t v2 = (int16_t)(x[2 * d->step] - d->zero);
  const int16_t v3 = (int16_t)(x[3 * d->step] - d->zero);
  const int8_t *w1 = w + d->stride, *w2 = w1 + d->stride, *w3 = w2 + d->stride;
  for (uint32_t c = 0; c < d->count; c++) {
    const int32_t s = v0 * w[c] + v1 * w1[c] + v2 * w2[c] + v3 * w3[c];
    acc[c] = arn__dot_add(acc[c], s);
  }
}

ARN__KERNEL void arn__dot_columns_s8_portable(int32_t *acc, const int8_t *x, const int8_t *w,
                                              const arn__dot *d) {
  uint32_t i = 0;
  for (; i + 4 <= d->n; i += 4, x += 4 * (size_t)d->step, w += 4 * (size_t)d->stride) {
    four_by_columns(acc, x, w, d);
  }
  for (; i < d->n; i++, x += d->step, w += d->stride) {
    const int16_t v = (int16_t)(*x - d->zero);
    for (uint32_t c = 0; c < d->count; c++) acc[c] = arn__dot_add(acc[c], v * w[c]);
  }
}

ARN__INLINE int32_t sum_of(const int8_t *x, uint32_t n, size_t step) {
  int32_t s = 0;
  for (uint32_t i = 0; i < n; i++) s += x[i * step];
  return s;
}

ARN__KERNEL int32_t arn__dot_sum_s8_portable(const int8_t *x, const arn__dot *d) {
  int32_t sum = 0;
  for (uint32_t at = 0; at < d->n; at += CHUNK, x += CHUNK * (size_t)d->step) {
    const uint32_t n = d->n - at < CHUNK ? d->n - at : CHUNK;
    sum = arn__dot_add(sum, d->step == 1 ? sum_of(x, n, 1) : sum_of(x, n, d->step));
  }
  return (int32_t)((uint32_t)sum - d->n * (uint32_t)d->zero);
}
