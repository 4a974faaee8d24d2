// What SOFTMAX and LOG_SOFTMAX of 8-bit integers share: differences to the largest element, exp of
// them, and the sum, in blocks of int32 on the stack.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_SOFTMAX_8_H
#define ARENITE_SRC_KERNELS_PORTABLE_SOFTMAX_8_H

#include "../fixed.h"
#include "../softmax.h"

#define ARN__SOFTMAX_BLOCK 64u

ARN__INLINE int32_t element(const int8_t *in, uint32_t i, uint8_t flip) {
  return (int8_t)((uint8_t)in[i] ^ flip);
}

ARN__INLINE int32_t largest(const int8_t *in, uint32_t n, uint8_t flip) {
  int32_t most = INT8_MIN;
  for (uint32_t i = 0; i < n; i++) {
    const int32_t x = element(in, i, flip);
    most = x > most ? x : most;
  }
  return most;
}

ARN__INLINE void differences(const int8_t *in, int32_t *values, uint32_t n, int32_t most,
                             uint8_t flip) {
  for (uint32_t i = 0; i < n; i++) values[i] = element(in, i, flip) - most;
}

// exp of n differences, in place: from the table, whose last entry is 0, or computed.
ARN__INLINE void exponentials(int32_t *values, uint32_t n, const arn__softmax_scaling *s) {
  if (s->table == NULL) {
    arn__softmax_exp_q31(values, n, s->requant);
    return;
  }
  const int32_t *table = s->table;
  const int32_t last = (int32_t)arn__softmax_entries(s->requant) - 1;
  for (uint32_t i = 0; i < n; i++) {
    values[i] = table[-values[i] < last ? -values[i] : last];
  }
}

// Sum of n values of Q0.31 as Q12.19.
ARN__INLINE uint32_t sum_of(const int32_t *values, uint32_t n) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < n; i++) sum += ((uint32_t)values[i] + (1u << 11)) >> 12;
  return sum;
}

// The sum of exp over a vector of any length. `values` is the block to work in.
ARN__INLINE uint64_t sum_of_exponentials(const int8_t *in, uint32_t depth, int32_t most,
                                         const arn__softmax_scaling *s, int32_t *values) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < depth; i += ARN__SOFTMAX_BLOCK) {
    const uint32_t n = depth - i < ARN__SOFTMAX_BLOCK ? depth - i : ARN__SOFTMAX_BLOCK;
    differences(in + i, values, n, most, s->flip);
    exponentials(values, n, s);
    sum += sum_of(values, n);
  }
  return sum;
}

#endif
