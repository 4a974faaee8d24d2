// Fixed-point functions of the reference kernels, bit for bit (the formulas of gemmlowp's
// fixedpoint header). Qm.n below has m bits before the point, n after it and a sign: Q0.31 holds
// [-1, 1). Everything is branch-free arithmetic on int32.
#ifndef ARENITE_SRC_KERNELS_FIXED_H
#define ARENITE_SRC_KERNELS_FIXED_H

#include "kernel.h"

#define ARN__FIXED_ONE INT32_MAX  // 1 in Q0.31, as near as it gets

// Returns a * b / 2^31, half up (which is what the reference's sign-dependent rounding comes to).
// Needs: not both INT32_MIN. The logical shift gives the same 32 bits as an arithmetic one, and
// AVX2 has it.
ARN__INLINE int32_t arn__fixed_mul(int32_t a, int32_t b) {
  const uint64_t product = (uint64_t)((int64_t)a * b);
  return (int32_t)(uint32_t)((product + (UINT64_C(1) << 30)) >> 31);
}

// Leading zeros of x; 32 for 0.
#if defined(__GNUC__)
ARN__INLINE int32_t arn__fixed_leading_zeros(uint32_t x) { return x ? __builtin_clz(x) : 32; }
#else
ARN__INLINE int32_t arn__fixed_leading_zeros(uint32_t x) {
  int32_t zeros = 32;
  for (; x > 0; x >>= 1) zeros--;
  return zeros;
}
#endif

#define FIXED_LANE int32_t
#define FIXED(name) arn__fixed_##name
#define FIXED_ALL(x) (x)
#define FIXED_MUL(a, b) arn__fixed_mul(a, b)
#define FIXED_SELECT(c, a, b) ((c) ? (a) : (b))
#define FIXED_SHIFT(a, n) ((int32_t)((uint32_t)(a) << (n)))
#include "fixed_body.h"
#undef FIXED_LANE
#undef FIXED
#undef FIXED_ALL
#undef FIXED_MUL
#undef FIXED_SELECT
#undef FIXED_SHIFT

#endif
