#include "../fixed.h"
#include "../softmax.h"

ARN__KERNEL void arn__softmax_exp_q31(int32_t *values, uint32_t n, arn__requant r) {
  const int32_t least = -((31 << 26) >> r.shift);
  for (uint32_t i = 0; i < n; i++) {
    const int32_t x = (int32_t)((uint32_t)values[i] << r.shift);
    const int32_t y = arn__fixed_exp(arn__fixed_mul(x, r.q), 5);
    values[i] = values[i] < least ? 0 : y;
  }
}
