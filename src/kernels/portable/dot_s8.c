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

// Adds pairs of rows, read ARN__LANES_INT wide, to so many columns.
ARN__INLINE void wide_columns(uint32_t *sums, const int8_t *x, const int8_t *w, const arn__dot *d,
                              uint32_t rows) {
  for (uint32_t i = 0; i < rows; i += 2, x += 2 * (size_t)d->step, w += 2 * (size_t)d->stride) {
    const int8_t *w1 = w + d->stride;
    const int16_t v = (int16_t)(*x - d->zero), v1 = (int16_t)(x[d->step] - d->zero);
    ARN__LANES_LOOP
    for (uint32_t k = 0; k < ARN__LANES_INT; k++) sums[k] += (uint32_t)(v * w[k] + v1 * w1[k]);
  }
}

// A group of columns side by side, down the rows that may be read so wide; then one by one.
ARN__INLINE void some_columns(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d,
                              uint32_t c) {
  const uint32_t left = d->count - c < ARN__LANES_INT ? d->count - c : ARN__LANES_INT;
  const uint32_t rows = arn__dot_wide_rows(d, c, ARN__LANES_INT) & ~1u;
  uint32_t sums[ARN__LANES_INT] = {0};
  wide_columns(sums, x, w + c, d, rows);
  for (uint32_t k = 0; k < left; k++) acc[c + k] = arn__dot_add(acc[c + k], (int32_t)sums[k]);
  for (uint32_t i = rows; i < d->n; i++) {
    const int32_t v = x[i * (size_t)d->step] - d->zero;
    const int8_t *row = w + i * (size_t)d->stride;
    for (uint32_t k = c; k < c + left; k++) acc[k] = arn__dot_add(acc[k], v * row[k]);
  }
}

ARN__KERNEL void arn__dot_columns_s8_portable(int32_t *acc, const int8_t *x, const int8_t *w,
                                              const arn__dot *d) {
  for (uint32_t c = 0; c < d->count; c += ARN__LANES_INT) some_columns(acc, x, w, d, c);
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
