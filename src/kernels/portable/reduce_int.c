// Folds and outputs of 32- and 64-bit integers. Sums and products wrap: they are unsigned inside.
#include "reduce_body.h"

#define ADD_WIDE(a, x) ((int64_t)((uint64_t)(a) + (uint64_t)(x)))
#define MULTIPLY_32(a, x) ((int32_t)((uint32_t)(a) * (uint32_t)(x)))
#define MULTIPLY_64(a, x) ((int64_t)((uint64_t)(a) * (uint64_t)(x)))

ARN__REDUCE_ALL(arn__reduce_add_s32, int32_t, arn__s64, ADD_WIDE)
ARN__REDUCE_ALL(arn__reduce_add_s64, arn__s64, arn__s64, ADD_WIDE)
ARN__REDUCE_ALL(arn__reduce_multiply_s32, int32_t, int32_t, MULTIPLY_32)
ARN__REDUCE_ALL(arn__reduce_multiply_s64, arn__s64, arn__s64, MULTIPLY_64)
ARN__REDUCE_ALL(arn__reduce_max_s32, int32_t, int32_t, ARN__REDUCE_MAX)
ARN__REDUCE_ALL(arn__reduce_min_s32, int32_t, int32_t, ARN__REDUCE_MIN)
ARN__REDUCE_ALL(arn__reduce_max_s64, arn__s64, arn__s64, ARN__REDUCE_MAX)
ARN__REDUCE_ALL(arn__reduce_min_s64, arn__s64, arn__s64, ARN__REDUCE_MIN)

void arn__reduce_average_s32(void *out_at, const void *acc_at, uint32_t count,
                             const arn__reduce_finish *f) {
  int32_t *out = out_at;
  const arn__s64 *acc = acc_at;
  for (uint32_t i = 0; i < count; i++) out[i] = (int32_t)(acc[i] / f->count);
}

void arn__reduce_average_s64(void *out_at, const void *acc_at, uint32_t count,
                             const arn__reduce_finish *f) {
  arn__s64 *out = out_at;
  const arn__s64 *acc = acc_at;
  for (uint32_t i = 0; i < count; i++) out[i] = acc[i] / f->count;
}

void arn__reduce_low_32(void *out_at, const void *acc_at, uint32_t count,
                        const arn__reduce_finish *f) {
  int32_t *out = out_at;
  const arn__s64 *acc = acc_at;
  (void)f;
  for (uint32_t i = 0; i < count; i++) out[i] = (int32_t)(uint32_t)(uint64_t)acc[i];
}

void arn__reduce_copy_64(void *out, const void *acc, uint32_t count, const arn__reduce_finish *f) {
  (void)f;
  memmove(out, acc, 8 * (size_t)count);
}
