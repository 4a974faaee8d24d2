#include "../svdf.h"

#if defined(ARN__MVE)

#include "vector.h"

// Upwards, sixteen bytes at a time: what is written was read before.
void arn__svdf_age_mve(uint8_t *states, uint32_t bytes, uint32_t es) {
  const uint8_t *from = states + es;
  if (bytes == es) return;
  __asm__ volatile("dlstp.8 lr, %[n]\n"
                   "1:\n\t"
                   "vldrb.8 q0, [%[from]], #16\n\t"
                   "vstrb.8 q0, [%[to]], #16\n\t"
                   "letp lr, 1b"
                   : [to] "+r"(states), [from] "+r"(from)
                   : [n] "r"(bytes - es)
                   : "q0", "lr", "memory");
}

// The zero point is left in; what it adds to a sum is the sum of the weights, times it.

void arn__svdf_time_s8_mve(int32_t *sums, const int8_t *states, const int8_t *weights,
                           const arn__svdf_time *t) {
  const uint32_t n = t->n, zero = (uint32_t)t->zero;
  for (uint32_t u = 0; u < t->units && n > 0; u++, states += n, weights += n) {
    const int8_t *x = states, *w = weights;
    int32_t dot = sums[u], sum = 0;
    __asm__("dlstp.8 lr, %[n]\n"
            "1:\n\t"
            "vldrb.8 q0, [%[x]], #16\n\t"
            "vldrb.8 q1, [%[w]], #16\n\t"
            "vmladava.s8 %[dot], q0, q1\n\t"
            "vaddva.s8 %[sum], q1\n\t"
            "letp lr, 1b"
            : [dot] "+Te"(dot), [sum] "+Te"(sum), [x] "+r"(x), [w] "+r"(w)
            : [n] "r"(n)
            : "q0", "q1", "lr", "memory");
    sums[u] = (int32_t)((uint32_t)dot - (uint32_t)sum * zero);
  }
}

void arn__svdf_time_s16_mve(int32_t *sums, const int16_t *states, const int16_t *weights,
                            const arn__svdf_time *t) {
  const uint32_t n = t->n;
  for (uint32_t u = 0; u < t->units && n > 0; u++, states += n, weights += n) {
    const int16_t *x = states, *w = weights;
    int32_t dot = sums[u];
    __asm__("dlstp.16 lr, %[n]\n"
            "1:\n\t"
            "vldrh.16 q0, [%[x]], #16\n\t"
            "vldrh.16 q1, [%[w]], #16\n\t"
            "vmladava.s16 %[dot], q0, q1\n\t"
            "letp lr, 1b"
            : [dot] "+Te"(dot), [x] "+r"(x), [w] "+r"(w)
            : [n] "r"(n)
            : "q0", "q1", "lr", "memory");
    sums[u] = dot;
  }
}

#endif
