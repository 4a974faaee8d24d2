#include "../dot.h"

#if defined(ARN__MVE)

#include "vector.h"

// Three rows share each load of the input. Its zero point is left in; what it adds to a sum is the
// sum of the weights, times it.

ARN__INLINE int32_t total(int32_t dot, int32_t weights, int32_t zero) {
  return (int32_t)((uint32_t)dot - (uint32_t)weights * (uint32_t)zero);
}

// Adds to three sums.
ARN__INLINE void three_rows(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d) {
  const int8_t *w1 = w + d->stride, *w2 = w1 + d->stride;
  int32_t d0 = acc[0], d1 = acc[1], d2 = acc[2], s0 = 0, s1 = 0, s2 = 0;
  __asm__("dlstp.8 lr, %[n]\n"
          "1:\n\t"
          "vldrb.8 q0, [%[x]], #16\n\t"
          "vldrb.8 q1, [%[w0]], #16\n\t"
          "vmladava.s8 %[d0], q0, q1\n\t"
          "vaddva.s8 %[s0], q1\n\t"
          "vldrb.8 q2, [%[w1]], #16\n\t"
          "vmladava.s8 %[d1], q0, q2\n\t"
          "vaddva.s8 %[s1], q2\n\t"
          "vldrb.8 q1, [%[w2]], #16\n\t"
          "vmladava.s8 %[d2], q0, q1\n\t"
          "vaddva.s8 %[s2], q1\n\t"
          "letp lr, 1b"
          : [d0] "+Te"(d0), [d1] "+Te"(d1), [d2] "+Te"(d2), [s0] "+Te"(s0), [s1] "+Te"(s1),
            [s2] "+Te"(s2), [x] "+r"(x), [w0] "+r"(w), [w1] "+r"(w1), [w2] "+r"(w2)
          : [n] "r"(d->n)
          : "q0", "q1", "q2", "lr", "memory");
  acc[0] = total(d0, s0, d->zero);
  acc[1] = total(d1, s1, d->zero);
  acc[2] = total(d2, s2, d->zero);
}

ARN__INLINE void one_row(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d) {
  int32_t dot = acc[0], sum = 0;
  __asm__("dlstp.8 lr, %[n]\n"
          "1:\n\t"
          "vldrb.8 q0, [%[x]], #16\n\t"
          "vldrb.8 q1, [%[w]], #16\n\t"
          "vmladava.s8 %[dot], q0, q1\n\t"
          "vaddva.s8 %[sum], q1\n\t"
          "letp lr, 1b"
          : [dot] "+Te"(dot), [sum] "+Te"(sum), [x] "+r"(x), [w] "+r"(w)
          : [n] "r"(d->n)
          : "q0", "q1", "lr", "memory");
  acc[0] = total(dot, sum, d->zero);
}

void arn__dot_rows_s8_mve(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d) {
  if (d->n == 0) return;
  uint32_t left = d->count;
  for (; left >= 3; left -= 3, acc += 3, w += 3 * (size_t)d->stride) three_rows(acc, x, w, d);
  for (; left > 0; left--, acc++, w += d->stride) one_row(acc, x, w, d);
}

#endif
