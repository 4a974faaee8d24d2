// Folds and outputs of floats.
#include <math.h>

#include "reduce_body.h"

#define MULTIPLY(a, x) ((a) * (x))
#define ADD_SQUARE(a, x) ((a) + (x) * (x))

ARN__REDUCE_FOLD(arn__reduce_add_f32, float, float, ARN__REDUCE_ADD)
ARN__REDUCE_FOLD(arn__reduce_square_f32, float, float, ADD_SQUARE)
ARN__REDUCE_FOLD(arn__reduce_multiply_f32, float, float, MULTIPLY)
ARN__REDUCE_FOLD(arn__reduce_max_f32, float, float, ARN__REDUCE_MAX)
ARN__REDUCE_FOLD(arn__reduce_min_f32, float, float, ARN__REDUCE_MIN)

static inline float clamp(float x, float low, float high) {
  x = x < low ? low : x;
  return high < x ? high : x;
}

ARN__KERNEL void arn__reduce_average_f32(void *out_at, const void *acc_at, uint32_t count,
                                         const arn__reduce_finish *f) {
  float *out = out_at;
  const float *acc = acc_at;
  const float divisor = (float)f->count, low = f->low, high = f->high;
  for (uint32_t i = 0; i < count; i++) out[i] = clamp(acc[i] / divisor, low, high);
}

ARN__KERNEL void arn__reduce_root_f32(void *out_at, const void *acc_at, uint32_t count,
                                      const arn__reduce_finish *f) {
  float *out = out_at;
  const float *acc = acc_at;
  const float divisor = (float)f->count, low = f->low, high = f->high;
  for (uint32_t i = 0; i < count; i++) out[i] = clamp(sqrtf(acc[i] / divisor), low, high);
}

ARN__KERNEL void arn__reduce_clamp_f32(void *out_at, const void *acc_at, uint32_t count,
                                       const arn__reduce_finish *f) {
  float *out = out_at;
  const float *acc = acc_at;
  const float low = f->low, high = f->high;
  for (uint32_t i = 0; i < count; i++) out[i] = clamp(acc[i], low, high);
}

void arn__reduce_copy_32(void *out, const void *acc, uint32_t count, const arn__reduce_finish *f) {
  (void)f;
  memmove(out, acc, 4 * (size_t)count);
}
