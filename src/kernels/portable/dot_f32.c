#include "../dot.h"
#include "../lanes.h"

// Four rows share each load of the input.
ARN__INLINE void four_rows(float *acc, const float *x, const float *w, uint32_t stride,
                           uint32_t n) {
  const float *w1 = w + stride, *w2 = w1 + stride, *w3 = w2 + stride;
  arn__lanes s0 = {0}, s1 = {0}, s2 = {0}, s3 = {0};
  uint32_t i = 0;
  for (; n - i >= ARN__LANES; i += ARN__LANES) {
    arn__lanes_add(&s0, x + i, w + i);
    arn__lanes_add(&s1, x + i, w1 + i);
    arn__lanes_add(&s2, x + i, w2 + i);
    arn__lanes_add(&s3, x + i, w3 + i);
  }
  arn__lanes_sum_4(&s0, &s1, &s2, &s3);
  float t0 = arn__lanes_at(&s0, 0), t1 = arn__lanes_at(&s1, 0);
  float t2 = arn__lanes_at(&s2, 0), t3 = arn__lanes_at(&s3, 0);
  for (; i < n; i++) {
    t0 += x[i] * w[i];
    t1 += x[i] * w1[i];
    t2 += x[i] * w2[i];
    t3 += x[i] * w3[i];
  }
  acc[0] += t0;
  acc[1] += t1;
  acc[2] += t2;
  acc[3] += t3;
}

ARN__INLINE float one_row(const float *x, const float *w, uint32_t n) {
  arn__lanes s = {0};
  uint32_t i = 0;
  for (; n - i >= ARN__LANES; i += ARN__LANES) arn__lanes_add(&s, x + i, w + i);
  float t = arn__lanes_sum(&s);
  for (; i < n; i++) t += x[i] * w[i];
  return t;
}

ARN__KERNEL void arn__dot_rows_f32_portable(float *acc, const float *x, const float *w,
                                            const arn__dot *d) {
  uint32_t c = 0;
  for (; c + 4 <= d->count; c += 4, w += 4 * (size_t)d->stride) {
    four_rows(acc + c, x, w, d->stride, d->n);
  }
  for (; c < d->count; c++, w += d->stride) acc[c] += one_row(x, w, d->n);
}

// Weights of a row that become floats at a time. Where there are vector registers, the conversion
// is a loop of its own, which vectorises; elsewhere a few are enough.
#define PIECE (ARN__LANES > 1 ? 128u : 4u)

ARN__INLINE void widen(float *out, const int8_t *w, uint32_t n, int32_t zero) {
  for (uint32_t i = 0; i < n; i++) out[i] = (float)(w[i] - zero);
}

ARN__INLINE void some_rows_s8(float *acc, const float *x, const int8_t *w, const arn__dot *d,
                              uint32_t rows) {
  float piece[4 * PIECE];
  for (uint32_t at = 0; at < d->n; at += PIECE) {
    const uint32_t n = d->n - at < PIECE ? d->n - at : PIECE;
    for (uint32_t r = 0; r < rows; r++) {
      widen(piece + r * PIECE, w + r * (size_t)d->stride + at, n, d->zero);
    }
    if (rows == 4) four_rows(acc, x + at, piece, PIECE, n);
    else acc[0] += one_row(x + at, piece, n);
  }
}

ARN__KERNEL void arn__dot_rows_f32_s8_portable(float *acc, const float *x, const int8_t *w,
                                               const arn__dot *d) {
  uint32_t c = 0;
  for (; c + 4 <= d->count; c += 4, w += 4 * (size_t)d->stride) some_rows_s8(acc + c, x, w, d, 4);
  for (; c < d->count; c++, w += d->stride) some_rows_s8(acc + c, x, w, d, 1);
}

// As in dot_s8.c; two vectors at a time.
ARN__INLINE void some_columns(float *acc, const float *x, const float *w, const arn__dot *d,
                              uint32_t c) {
  const uint32_t most = 2 * ARN__LANES, left = d->count - c < most ? d->count - c : most;
  const uint32_t rows = arn__dot_wide_rows(d, c, most);
  arn__lanes s0 = {0}, s1 = {0};
  for (uint32_t i = 0; i < rows; i++, x += d->step, w += d->stride) {
    arn__lanes_scale(&s0, *x, w + c);
    arn__lanes_scale(&s1, *x, w + c + ARN__LANES);
  }
  for (uint32_t k = 0; k < left; k++) {
    acc[c + k] += k < ARN__LANES ? arn__lanes_at(&s0, k) : arn__lanes_at(&s1, k - ARN__LANES);
  }
  for (uint32_t i = rows; i < d->n; i++, x += d->step, w += d->stride) {
    for (uint32_t k = c; k < c + left; k++) acc[k] += *x * w[k];
  }
}

ARN__KERNEL void arn__dot_columns_f32_portable(float *acc, const float *x, const float *w,
                                               const arn__dot *d) {
  for (uint32_t c = 0; c < d->count; c += 2 * ARN__LANES) some_columns(acc, x, w, d, c);
}
