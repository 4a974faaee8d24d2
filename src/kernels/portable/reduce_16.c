// Folds and outputs of 16-bit values.
#include "reduce_body.h"

ARN__REDUCE_ALL(arn__reduce_add_s16, int16_t, int32_t, ARN__REDUCE_ADD)
ARN__REDUCE_ALL(arn__reduce_max_s16, int16_t, int16_t, ARN__REDUCE_MAX)
ARN__REDUCE_ALL(arn__reduce_min_s16, int16_t, int16_t, ARN__REDUCE_MIN)

ARN__KERNEL void arn__reduce_requantise_16(void *out_at, const void *acc_at, uint32_t count,
                                           const arn__reduce_finish *f) {
  int16_t *out = out_at;
  const int32_t *acc = acc_at;
  for (uint32_t i = 0; i < count; i++) {
    out[i] = (int16_t)arn__reduce_requantised(acc[i], f);
  }
}

ARN__KERNEL void arn__reduce_average_16(void *out_at, const void *acc_at, uint32_t count,
                                        const arn__reduce_finish *f) {
  int16_t *out = out_at;
  const int32_t *acc = acc_at;
  const arn__reduce_divisor d = arn__reduce_divisor_of((uint32_t)f->count);
  for (uint32_t i = 0; i < count; i++) {
    out[i] = (int16_t)arn__clamp_s32(arn__reduce_divide(acc[i], d), f->clamp);
  }
}

ARN__KERNEL void arn__reduce_clamp_s16(void *out_at, const void *acc_at, uint32_t count,
                                       const arn__reduce_finish *f) {
  int16_t *out = out_at;
  const int16_t *acc = acc_at;
  const int16_t low = (int16_t)f->clamp.low, high = (int16_t)f->clamp.high;
  for (uint32_t i = 0; i < count; i++) {
    const int16_t x = acc[i] < low ? low : acc[i];
    out[i] = x > high ? high : x;
  }
}

void arn__reduce_copy_16(void *out, const void *acc, uint32_t count, const arn__reduce_finish *f) {
  (void)f;
  memmove(out, acc, 2 * (size_t)count);
}
