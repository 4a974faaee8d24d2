#include "../softmax.h"

#if defined(ARN__X86)

#include "fixed_avx2.h"

ARN__AVX2 static void exp_q31_avx2(int32_t *values, uint32_t n, arn__requant r) {
  const int32_t least = -((31 << 26) >> r.shift);
  for (uint32_t i = 0; i < n; i += 8) {
    arn__fixed_x8 d;
    memcpy(&d, values + i, sizeof d);
    const arn__fixed_x8 counts = d >= least;
    const arn__fixed_x8 x = (arn__fixed_x8)_mm256_slli_epi32((__m256i)(d & counts), r.shift);
    d = counts & arn__fixed_x8_exp(arn__fixed_x8_mul(x, arn__fixed_x8_of(r.q)), 5);
    memcpy(values + i, &d, sizeof d);
  }
}

void arn__softmax_exp_q31_x86(int32_t *values, uint32_t n, arn__requant requant) {
  if (__builtin_cpu_supports("avx2")) {
    exp_q31_avx2(values, n, requant);
  } else {
    arn__softmax_exp_q31_portable(values, n, requant);
  }
}

#endif
