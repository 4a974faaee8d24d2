// The walk that all portable fold kernels share. A file instantiates it once a type and operation:
// ARN__REDUCE_FOLD(name, input type, accumulator type, step), where step(acc, x) is an expression.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_REDUCE_BODY_H
#define ARENITE_SRC_KERNELS_PORTABLE_REDUCE_BODY_H

#include "../reduce.h"

#define ARN__REDUCE_FOLD(name, in_type, acc_type, step)                                        \
  ARN__INLINE void name##_columns(acc_type *restrict acc, const in_type *restrict x,           \
                                  uint32_t count) {                                            \
    for (uint32_t i = 0; i < count; i++) acc[i] = step(acc[i], x[i]);                          \
  }                                                                                            \
  ARN__INLINE void name##_runs(acc_type *restrict acc, const in_type *restrict x,              \
                               uint32_t count, uint32_t run) {                                 \
    for (uint32_t i = 0; i < count; i++, x += run) {                                           \
      acc_type a = acc[i];                                                                     \
      for (uint32_t j = 0; j < run; j++) a = step(a, x[j]);                                    \
      acc[i] = a;                                                                              \
    }                                                                                          \
  }                                                                                            \
  ARN__KERNEL void name(void *acc_at, const void *in_at, const arn__reduce_box *box) {         \
    acc_type *acc = acc_at;                                                                    \
    const in_type *in = in_at;                                                                 \
    for (uint32_t o = 0; o < box->outer; o++, acc += box->inner, in += box->outer_stride) {    \
      const in_type *row = in;                                                                 \
      for (uint32_t r = 0; r < box->rows; r++, row += box->row_stride) {                       \
        if (box->run == 1) {                                                                   \
          name##_columns(acc, row, box->inner);                                                \
        } else {                                                                               \
          name##_runs(acc, row, box->inner, box->run);                                         \
        }                                                                                      \
      }                                                                                        \
    }                                                                                          \
  }

// Division by a count that does not change: q = (x * factor) >> shift, exact for 0 <= x < 2^31, as
// factor = ceil(2^shift / count) with shift = 31 + ceil(log2(count)).
typedef struct arn__reduce_divisor {
  uint32_t factor, shift, half;
} arn__reduce_divisor;

// Needs: 1 <= count <= 2^30.
ARN__INLINE arn__reduce_divisor arn__reduce_divisor_of(uint32_t count) {
  uint32_t shift = 31;
  while (UINT32_C(1) << (shift - 31) < count) shift++;
  const uint64_t factor = ((UINT64_C(1) << shift) + count - 1) / count;
  return (arn__reduce_divisor){(uint32_t)factor, shift, count / 2};
}

// Rounds to nearest, halves away from zero. |x| < 2^30.
ARN__INLINE int32_t arn__reduce_divide(int32_t x, arn__reduce_divisor d) {
  const uint32_t size = (uint32_t)(x < 0 ? -x : x) + d.half;
  const int32_t q = (int32_t)((uint64_t)size * d.factor >> d.shift);
  return x < 0 ? -q : q;
}

#define ARN__REDUCE_ADD(a, x) ((a) + (x))
#define ARN__REDUCE_MAX(a, x) ((x) > (a) ? (x) : (a))
#define ARN__REDUCE_MIN(a, x) ((x) < (a) ? (x) : (a))

#endif
