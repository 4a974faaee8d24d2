// The walk that all portable fold kernels share. A file makes a kernel from parts:
//
//   ARN__REDUCE_COLUMNS(name, in_type, acc_type, step)   a row of accumulators takes rows of values
//   ARN__REDUCE_SHORT(...)                               the same where a row has few values
//   ARN__REDUCE_RUNS(...) or _RUNS_ABREAST(...)          an accumulator takes neighbouring values
//   ARN__REDUCE_FOLD(name, in_type, acc_type)            the kernel
//
// or all of them with ARN__REDUCE_ALL. step(acc, x) is an expression.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_REDUCE_BODY_H
#define ARENITE_SRC_KERNELS_PORTABLE_REDUCE_BODY_H

#include "../fixed.h"
#include "../reduce.h"

#define ARN__REDUCE_COLUMNS(name, in_type, acc_type, step)                                     \
  ARN__INLINE void name##_columns(acc_type *restrict acc, const in_type *restrict x,           \
                                  const arn__reduce_box *box) {                                \
    for (uint32_t r = 0; r < box->rows; r++, x += box->row_stride) {                           \
      for (uint32_t i = 0; i < box->inner; i++) acc[i] = step(acc[i], x[i]);                   \
    }                                                                                          \
  }

// Loops over the outer dimension innermost: there are many of it.
#define ARN__REDUCE_SHORT(name, in_type, acc_type, step)                                       \
  ARN__INLINE void name##_short(acc_type *restrict acc, const in_type *restrict x,             \
                                const arn__reduce_box *box) {                                  \
    const uint32_t inner = box->inner, stride = box->outer_stride;                             \
    for (uint32_t r = 0; r < box->rows; r++, x += box->row_stride) {                           \
      for (uint32_t i = 0; i < inner; i++) {                                                   \
        for (uint32_t o = 0; o < box->outer; o++) {                                            \
          acc_type *a = &acc[o * inner + i];                                                   \
          *a = step(*a, x[o * stride + i]);                                                    \
        }                                                                                      \
      }                                                                                        \
    }                                                                                          \
  }

#define ARN__REDUCE_RUNS(name, in_type, acc_type, step)                                        \
  ARN__INLINE void name##_runs(acc_type *restrict acc, const in_type *restrict x,              \
                               uint32_t count, uint32_t run) {                                 \
    for (uint32_t i = 0; i < count; i++, x += run) {                                           \
      acc_type a = acc[i];                                                                     \
      for (uint32_t j = 0; j < run; j++) a = step(a, x[j]);                                    \
      acc[i] = a;                                                                              \
    }                                                                                          \
  }

// Four runs at a time where the order within a run must be kept, so that their latencies overlap.
#define ARN__REDUCE_RUNS_ABREAST(name, in_type, acc_type, step)                                \
  ARN__INLINE void name##_runs(acc_type *restrict acc, const in_type *restrict x,              \
                               uint32_t count, uint32_t run) {                                 \
    uint32_t i = 0;                                                                            \
    for (; i + 4 <= count; i += 4, x += 4 * run) {                                             \
      acc_type a = acc[i], b = acc[i + 1], c = acc[i + 2], d = acc[i + 3];                     \
      for (uint32_t j = 0; j < run; j++) {                                                     \
        a = step(a, x[j]);                                                                     \
        b = step(b, x[run + j]);                                                               \
        c = step(c, x[2 * run + j]);                                                           \
        d = step(d, x[3 * run + j]);                                                           \
      }                                                                                        \
      acc[i] = a, acc[i + 1] = b, acc[i + 2] = c, acc[i + 3] = d;                              \
    }                                                                                          \
    for (; i < count; i++, x += run) {                                                         \
      for (uint32_t j = 0; j < run; j++) acc[i] = step(acc[i], x[j]);                          \
    }                                                                                          \
  }

#define ARN__REDUCE_FOLD(name, in_type, acc_type)                                              \
  ARN__KERNEL void name(void *acc_at, const void *in_at, const arn__reduce_box *given) {       \
    const arn__reduce_box box = arn__reduce_merge(given);                                      \
    acc_type *acc = acc_at;                                                                    \
    const in_type *in = in_at;                                                                 \
    if (box.run == 1 && box.inner < 8 && box.outer > 1) {                                      \
      name##_short(acc, in, &box);                                                             \
      return;                                                                                  \
    }                                                                                          \
    for (uint32_t o = 0; o < box.outer; o++, acc += box.inner, in += box.outer_stride) {       \
      if (box.run == 1) {                                                                      \
        name##_columns(acc, in, &box);                                                         \
        continue;                                                                              \
      }                                                                                        \
      for (uint32_t r = 0; r < box.rows; r++) {                                                \
        name##_runs(acc, in + r * box.row_stride, box.inner, box.run);                         \
      }                                                                                        \
    }                                                                                          \
  }

#define ARN__REDUCE_ALL(name, in_type, acc_type, step)                                         \
  ARN__REDUCE_COLUMNS(name, in_type, acc_type, step)                                           \
  ARN__REDUCE_SHORT(name, in_type, acc_type, step)                                             \
  ARN__REDUCE_RUNS(name, in_type, acc_type, step)                                              \
  ARN__REDUCE_FOLD(name, in_type, acc_type)

// A box whose outer and inner dimensions follow each other in memory is one of a longer inner one.
ARN__INLINE arn__reduce_box arn__reduce_merge(const arn__reduce_box *given) {
  arn__reduce_box box = *given;
  if (box.outer_stride == box.inner * box.run) {
    box.inner *= box.outer;
    box.outer = 1;
  }
  return box;
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

// clamp(requantise(acc + bias) + zero), with a multiplication that vectorises.
ARN__INLINE int32_t arn__reduce_requantised(int32_t acc, const arn__reduce_finish *f) {
  const int32_t left = f->scale.shift > 0 ? f->scale.shift : 0;
  const int32_t sum = (int32_t)(((uint32_t)acc + (uint32_t)f->bias) << left);
  const int32_t scaled =
      arn__rounding_divide(arn__fixed_mul(sum, f->scale.q), left - f->scale.shift);
  return arn__clamp_s32((int32_t)((uint32_t)scaled + (uint32_t)f->zero), f->clamp);
}

#define ARN__REDUCE_ADD(a, x) ((a) + (x))
#define ARN__REDUCE_MAX(a, x) ((x) > (a) ? (x) : (a))
#define ARN__REDUCE_MIN(a, x) ((x) < (a) ? (x) : (a))

#endif
