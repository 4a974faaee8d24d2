// Folds and outputs of 8-bit values.
#include "reduce_body.h"

ARN__REDUCE_FOLD(arn__reduce_add_s8, int8_t, int32_t, ARN__REDUCE_ADD)
ARN__REDUCE_FOLD(arn__reduce_add_u8, uint8_t, int32_t, ARN__REDUCE_ADD)
ARN__REDUCE_FOLD(arn__reduce_max_s8, int8_t, int8_t, ARN__REDUCE_MAX)
ARN__REDUCE_FOLD(arn__reduce_min_s8, int8_t, int8_t, ARN__REDUCE_MIN)
ARN__REDUCE_FOLD(arn__reduce_max_u8, uint8_t, uint8_t, ARN__REDUCE_MAX)
ARN__REDUCE_FOLD(arn__reduce_min_u8, uint8_t, uint8_t, ARN__REDUCE_MIN)

ARN__KERNEL void arn__reduce_requantise_8(void *out_at, const void *acc_at, uint32_t count,
                                          const arn__reduce_finish *f) {
  uint8_t *out = out_at;
  const int32_t *acc = acc_at;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t sum = (int32_t)((uint32_t)acc[i] + (uint32_t)f->bias);
    out[i] = (uint8_t)arn__clamp_s32(arn__requantise(sum, f->scale) + f->zero, f->clamp);
  }
}

ARN__KERNEL void arn__reduce_average_8(void *out_at, const void *acc_at, uint32_t count,
                                       const arn__reduce_finish *f) {
  uint8_t *out = out_at;
  const int32_t *acc = acc_at;
  const arn__reduce_divisor d = arn__reduce_divisor_of((uint32_t)f->count);
  for (uint32_t i = 0; i < count; i++) {
    out[i] = (uint8_t)arn__clamp_s32(arn__reduce_divide(acc[i], d), f->clamp);
  }
}

ARN__KERNEL void arn__reduce_clamp_s8(void *out_at, const void *acc_at, uint32_t count,
                                      const arn__reduce_finish *f) {
  int8_t *out = out_at;
  const int8_t *acc = acc_at;
  const int8_t low = (int8_t)f->clamp.low, high = (int8_t)f->clamp.high;
  for (uint32_t i = 0; i < count; i++) {
    const int8_t x = acc[i] < low ? low : acc[i];
    out[i] = x > high ? high : x;
  }
}

ARN__KERNEL void arn__reduce_clamp_u8(void *out_at, const void *acc_at, uint32_t count,
                                      const arn__reduce_finish *f) {
  uint8_t *out = out_at;
  const uint8_t *acc = acc_at;
  const uint8_t low = (uint8_t)f->clamp.low, high = (uint8_t)f->clamp.high;
  for (uint32_t i = 0; i < count; i++) {
    const uint8_t x = acc[i] < low ? low : acc[i];
    out[i] = x > high ? high : x;
  }
}

void arn__reduce_copy_8(void *out, const void *acc, uint32_t count, const arn__reduce_finish *f) {
  (void)f;
  memmove(out, acc, count);
}

void arn__reduce_truth_8(void *out_at, const void *acc_at, uint32_t count,
                         const arn__reduce_finish *f) {
  uint8_t *out = out_at;
  const uint8_t *acc = acc_at;
  (void)f;
  for (uint32_t i = 0; i < count; i++) out[i] = acc[i] != 0;
}
