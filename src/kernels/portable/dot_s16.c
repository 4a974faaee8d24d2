#include "../dot.h"
#include "../lanes.h"

// Elements of an input that is padded.
#define WINDOW 128u

// Products of 16 by 8 bits that a 32-bit sum holds: 256 * 2^15 * 2^7 < 2^31.
#define CHUNK 256u

ARN__INLINE void four_rows_s8(int64_t *acc, const int16_t *x, const int8_t *w, uint32_t stride,
                              uint32_t n) {
  const int8_t *w1 = w + stride, *w2 = w1 + stride, *w3 = w2 + stride;
  int32_t s0 = 0, s1 = 0, s2 = 0, s3 = 0;
  for (uint32_t i = 0; i < n; i++) {
    const int16_t v = x[i];
    s0 += v * w[i];
    s1 += v * w1[i];
    s2 += v * w2[i];
    s3 += v * w3[i];
  }
  acc[0] += s0;
  acc[1] += s1;
  acc[2] += s2;
  acc[3] += s3;
}

ARN__INLINE int32_t one_row_s8(const int16_t *x, const int8_t *w, uint32_t n) {
  int32_t s = 0;
  for (uint32_t i = 0; i < n; i++) s += x[i] * w[i];
  return s;
}

ARN__INLINE void all_rows_s8(int64_t *acc, const int16_t *x, const int8_t *w, const arn__dot *d,
                             uint32_t n) {
  uint32_t c = 0;
  for (; c + 4 <= d->count; c += 4, w += 4 * (size_t)d->stride) {
    four_rows_s8(acc + c, x, w, d->stride, n);
  }
  for (; c < d->count; c++, w += d->stride) acc[c] += one_row_s8(x, w, n);
}

// As in dot_s8.c.
ARN__INLINE void all_rows_padded(int64_t *acc, const int16_t *x, const int8_t *w,
                                 const arn__dot *d) {
  int16_t window[WINDOW] = {0};
  const uint32_t n = (d->n + ARN__LANES_INT - 1) / ARN__LANES_INT * ARN__LANES_INT;
  arn__dot part = *d;
  memcpy(window, x, d->n * sizeof *x);
  part.count = arn__dot_padded_rows(d, n - d->n);
  all_rows_s8(acc, window, w, &part, n);
  const uint32_t done = part.count;
  part.count = d->count - done;
  all_rows_s8(acc + done, x, w + done * (size_t)d->stride, &part, d->n);
}

ARN__KERNEL void arn__dot_rows_s16_s8_portable(int64_t *acc, const int16_t *x, const int8_t *w,
                                               const arn__dot *d) {
  if (d->n % ARN__LANES_INT != 0 && d->n < WINDOW) {
    all_rows_padded(acc, x, w, d);
    return;
  }
  for (uint32_t at = 0; at < d->n; at += CHUNK) {
    all_rows_s8(acc, x + at, w + at, d, d->n - at < CHUNK ? d->n - at : CHUNK);
  }
}

// Products of a byte and 16 bits that a 32-bit sum holds: 128 * 255 * 2^15 < 2^31.
#define HALVES 128u

// Sums of the low and the high bytes of the input, apart: 32 bits hold them for a while, and
// 16-bit products in 32-bit sums are what vector units do best. n <= HALVES.
ARN__INLINE int64_t some_products(const int16_t *x, const int16_t *w, uint32_t n) {
  int32_t low = 0, high = 0;
  for (uint32_t i = 0; i < n; i++) {
    const int16_t l = (int16_t)(x[i] & 0xFF), h = (int16_t)(x[i] >> 8);
    low += l * w[i];
    high += h * w[i];
  }
  return low + 256 * (int64_t)high;
}

ARN__KERNEL void arn__dot_rows_s16_portable(int64_t *acc, const int16_t *x, const int16_t *w,
                                            const arn__dot *d) {
  for (uint32_t c = 0; c < d->count; c++, w += d->stride) {
    for (uint32_t at = 0; at < d->n; at += HALVES) {
      acc[c] += some_products(x + at, w + at, d->n - at < HALVES ? d->n - at : HALVES);
    }
  }
}

// Adds rows, read ARN__LANES_INT wide, to so many columns; at most CHUNK of them.
ARN__INLINE void wide_columns_s8(int64_t *sums, const int16_t *x, const int8_t *w,
                                 const arn__dot *d, uint32_t rows) {
  uint32_t part[ARN__LANES_INT] = {0};
  for (uint32_t i = 0; i < rows; i++, x += d->step, w += d->stride) {
    const int16_t v = *x;
    ARN__LANES_LOOP
    for (uint32_t k = 0; k < ARN__LANES_INT; k++) part[k] += (uint32_t)(v * w[k]);
  }
  for (uint32_t k = 0; k < ARN__LANES_INT; k++) sums[k] += (int32_t)part[k];
}

ARN__INLINE void wide_columns(int64_t *sums, const int16_t *x, const int16_t *w, const arn__dot *d,
                              uint32_t rows) {
  for (uint32_t i = 0; i < rows; i++, x += d->step, w += d->stride) {
    const int16_t v = *x;
    ARN__LANES_LOOP
    for (uint32_t k = 0; k < ARN__LANES_INT; k++) sums[k] += v * w[k];
  }
}

// As in dot_s8.c.
ARN__KERNEL void arn__dot_columns_s16_s8_portable(int64_t *acc, const int16_t *x, const int8_t *w,
                                                  const arn__dot *d) {
  for (uint32_t c = 0; c < d->count; c += ARN__LANES_INT) {
    const uint32_t left = d->count - c < ARN__LANES_INT ? d->count - c : ARN__LANES_INT;
    const uint32_t rows = arn__dot_wide_rows(d, c, ARN__LANES_INT);
    int64_t sums[ARN__LANES_INT] = {0};
    for (uint32_t i = 0; i < rows; i += CHUNK) {
      wide_columns_s8(sums, x + i * (size_t)d->step, w + i * (size_t)d->stride + c, d,
                      rows - i < CHUNK ? rows - i : CHUNK);
    }
    for (uint32_t k = 0; k < left; k++) acc[c + k] += sums[k];
    for (uint32_t i = rows; i < d->n; i++) {
      const int8_t *row = w + i * (size_t)d->stride + c;
      for (uint32_t k = 0; k < left; k++) acc[c + k] += x[i * (size_t)d->step] * row[k];
    }
  }
}

ARN__KERNEL void arn__dot_columns_s16_portable(int64_t *acc, const int16_t *x, const int16_t *w,
                                               const arn__dot *d) {
  for (uint32_t c = 0; c < d->count; c += ARN__LANES_INT) {
    const uint32_t left = d->count - c < ARN__LANES_INT ? d->count - c : ARN__LANES_INT;
    const uint32_t rows = arn__dot_wide_rows(d, c, ARN__LANES_INT);
    int64_t sums[ARN__LANES_INT] = {0};
    wide_columns(sums, x, w + c, d, rows);
    for (uint32_t k = 0; k < left; k++) acc[c + k] += sums[k];
    for (uint32_t i = rows; i < d->n; i++) {
      const int16_t *row = w + i * (size_t)d->stride + c;
      for (uint32_t k = 0; k < left; k++) acc[c + k] += x[i * (size_t)d->step] * row[k];
    }
  }
}
