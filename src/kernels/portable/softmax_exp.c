#include "../fixed.h"
#include "../softmax.h"

void arn__softmax_exp_q31_portable(int32_t *values, uint32_t n, arn__requant r) {
  const int32_t least = -((31 << 26) >> r.shift);
  for (uint32_t i = 0; i < n; i++) {
    const bool counts = values[i] >= least;
    const int32_t x = (int32_t)((uint32_t)(counts ? values[i] : 0) << r.shift);
    const int32_t y = arn__fixed_exp(arn__fixed_mul(x, r.q), 5);
    values[i] = counts ? y : 0;
  }
}

void arn__softmax_fill(int32_t *table, arn__requant requant) {
  const uint32_t entries = arn__softmax_entries(requant);
  for (uint32_t i = 0; i < entries; i++) table[i] = -(int32_t)i;
  arn__softmax_exp_q31(table, entries, requant);
}
