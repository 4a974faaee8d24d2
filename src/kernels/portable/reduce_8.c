// Folds and outputs of 8-bit values.
#include "reduce_body.h"

// Four rows, or two, are added in 16 bits before they go to the accumulators.
#define ADD_COLUMNS(name, in_type)                                                             \
  ARN__INLINE void name##_columns(int32_t *restrict acc, const in_type *restrict x,            \
                                  const arn__reduce_box *box) {                                \
    const uint32_t n = box->inner, stride = box->row_stride;                                   \
    uint32_t left = box->rows;                                                                 \
    for (; left >= 4; left -= 4, x += 4 * stride) {                                            \
      const in_type *b = x + stride, *c = b + stride, *d = c + stride;                         \
      for (uint32_t i = 0; i < n; i++) acc[i] += (int16_t)(x[i] + b[i] + c[i] + d[i]);         \
    }                                                                                          \
    for (; left >= 2; left -= 2, x += 2 * stride) {                                            \
      const in_type *b = x + stride;                                                           \
      for (uint32_t i = 0; i < n; i++) acc[i] += (int16_t)(x[i] + b[i]);                       \
    }                                                                                          \
    for (uint32_t i = 0; left > 0 && i < n; i++) acc[i] += x[i];                               \
  }

#define ADD(name, in_type)                                                                     \
  ADD_COLUMNS(name, in_type)                                                                   \
  ARN__REDUCE_SHORT(name, in_type, int32_t, ARN__REDUCE_ADD)                                   \
  ARN__REDUCE_RUNS(name, in_type, int32_t, ARN__REDUCE_ADD)                                    \
  ARN__REDUCE_FOLD(name, in_type, int32_t)

ADD(arn__reduce_add_s8, int8_t)
ADD(arn__reduce_add_u8, uint8_t)
ARN__REDUCE_ALL(arn__reduce_max_s8, int8_t, int8_t, ARN__REDUCE_MAX)
ARN__REDUCE_ALL(arn__reduce_min_s8, int8_t, int8_t, ARN__REDUCE_MIN)
ARN__REDUCE_ALL(arn__reduce_max_u8, uint8_t, uint8_t, ARN__REDUCE_MAX)
ARN__REDUCE_ALL(arn__reduce_min_u8, uint8_t, uint8_t, ARN__REDUCE_MIN)

ARN__KERNEL void arn__reduce_requantise_8(void *out_at, const void *acc_at, uint32_t count,
                                          const arn__reduce_finish *f) {
  uint8_t *out = out_at;
  const int32_t *acc = acc_at;
  for (uint32_t i = 0; i < count; i++) {
    out[i] = (uint8_t)arn__reduce_requantised(acc[i], f);
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
