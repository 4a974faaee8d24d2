#include "../dot.h"

#if defined(ARN__RV32)

// Four rows share each load of the input.
ARN__INLINE void four_rows(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d) {
  const int8_t *w1 = w + d->stride, *w2 = w1 + d->stride, *w3 = w2 + d->stride, *end = x + d->n;
  const int32_t zero = d->zero;
  uint32_t s0 = (uint32_t)acc[0], s1 = (uint32_t)acc[1];
  uint32_t s2 = (uint32_t)acc[2], s3 = (uint32_t)acc[3];
#pragma GCC unroll 8
  for (; x != end; x++, w++, w1++, w2++, w3++) {
    const int32_t v = *x - zero;
    s0 += (uint32_t)(v * *w);
    s1 += (uint32_t)(v * *w1);
    s2 += (uint32_t)(v * *w2);
    s3 += (uint32_t)(v * *w3);
  }
  acc[0] = (int32_t)s0;
  acc[1] = (int32_t)s1;
  acc[2] = (int32_t)s2;
  acc[3] = (int32_t)s3;
}

void arn__dot_rows_s8_rv32(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d) {
  uint32_t left = d->count;
  for (; left >= 4; left -= 4, acc += 4, w += 4 * (size_t)d->stride) four_rows(acc, x, w, d);
  for (; left > 0; left--, acc++, w += d->stride) {
    uint32_t sum = (uint32_t)*acc;
    for (uint32_t i = 0; i < d->n; i++) sum += (uint32_t)((x[i] - d->zero) * w[i]);
    *acc = (int32_t)sum;
  }
}

#endif
