#include "../dot.h"

#if defined(ARN__MVE)

#include "vector.h"

// Two rows share each load of the input. Its zero point is left in; what it adds to a sum is the
// sum of the weights, times it.

typedef struct sums {
  int32_t dot0, dot1;        // of the input as it is and the weights
  int32_t weights0, weights1;
} sums;

ARN__INLINE void two_rows(sums *s, const int8_t *x, const int8_t *w0, const int8_t *w1,
                          uint32_t n) {
  __asm__("dlstp.8 lr, %[n]\n"
          "1:\n\t"
          "vldrb.8 q0, [%[x]], #16\n\t"
          "vldrb.8 q1, [%[w0]], #16\n\t"
          "vmladava.s8 %[dot0], q0, q1\n\t"
          "vaddva.s8 %[weights0], q1\n\t"
          "vldrb.8 q2, [%[w1]], #16\n\t"
          "vmladava.s8 %[dot1], q0, q2\n\t"
          "vaddva.s8 %[weights1], q2\n\t"
          "letp lr, 1b"
          : [dot0] "+Te"(s->dot0), [dot1] "+Te"(s->dot1), [weights0] "+Te"(s->weights0),
            [weights1] "+Te"(s->weights1), [x] "+r"(x), [w0] "+r"(w0), [w1] "+r"(w1)
          : [n] "r"(n)
          : "q0", "q1", "q2", "lr", "memory");
}

void arn__dot_rows_s8_mve(int32_t *acc, const int8_t *x, const int8_t *w, const arn__dot *d) {
  if (d->n == 0) return;
  for (uint32_t c = 0; c < d->count; c += 2, w += 2 * (size_t)d->stride) {
    const bool two = c + 1 < d->count;
    sums s = {0, 0, 0, 0};
    two_rows(&s, x, w, two ? w + d->stride : w, d->n);
    const uint32_t zero = (uint32_t)d->zero;
    acc[c] = arn__dot_add(acc[c], (int32_t)((uint32_t)s.dot0 - (uint32_t)s.weights0 * zero));
    if (!two) break;
    acc[c + 1] =
        arn__dot_add(acc[c + 1], (int32_t)((uint32_t)s.dot1 - (uint32_t)s.weights1 * zero));
  }
}

#endif
