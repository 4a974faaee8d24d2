#include "../quantize.h"

#include "../fmath.h"

#define BLOCK ARN__QUANTIZE_BLOCK

#define LOAD(type)                                                \
  {                                                               \
    const type *from = (const type *)in + first;                  \
    for (uint32_t i = 0; i < n; i++) values[i] = (int32_t)from[i]; \
    break;                                                        \
  }
#define STORE(type, expression)                                       \
  {                                                                   \
    type *to = (type *)out + first;                                   \
    for (uint32_t i = 0; i < n; i++) to[i] = (type)(expression);      \
    break;                                                            \
  }

ARN__KERNEL void arn__quantize_load(const void *in, uint32_t first, uint32_t n, arn_type type,
                                    int32_t *values) {
  switch (type) {
    case ARN_INT8: LOAD(int8_t)
    case ARN_BOOL:
    case ARN_UINT8: LOAD(uint8_t)
    case ARN_INT16: LOAD(int16_t)
    case ARN_UINT16: LOAD(uint16_t)
    default: LOAD(int32_t)
  }
}

ARN__KERNEL void arn__quantize_store(const int32_t *values, void *out, uint32_t first, uint32_t n,
                                     arn_type type) {
  switch (type) {
    case ARN_BOOL: STORE(uint8_t, values[i] != 0)
    case ARN_INT8:
    case ARN_UINT8: STORE(uint8_t, (uint32_t)values[i])
    case ARN_INT16:
    case ARN_UINT16: STORE(uint16_t, (uint32_t)values[i])
    default: STORE(int32_t, values[i])
  }
}

ARN__INLINE uint32_t block_at(uint32_t i, uint32_t count) {
  return count - i < BLOCK ? count - i : BLOCK;
}

// Clamping comes first, so that the conversion to int32 is in range.
ARN__KERNEL void arn__quantize_to(const void *in, void *out, uint32_t count, const void *params) {
  const arn__quantize_real p = *(const arn__quantize_real *)params;
  const float *from = in;
  const float low = (float)(p.clamp.low - p.zero), high = (float)(p.clamp.high - p.zero);
  int32_t values[BLOCK];
  for (uint32_t at = 0; at < count; at += BLOCK) {
    const uint32_t n = block_at(at, count);
    for (uint32_t i = 0; i < n; i++) {
      const float x = from[at + i] / p.scale;
      const float bounded = x > high ? high : x > low ? x : low;
      values[i] = arn__fmath_round_away(bounded) + p.zero;
    }
    arn__quantize_store(values, out, at, n, p.type);
  }
}

#define SCALE(type)                                                                     \
  {                                                                                     \
    const type *from = in;                                                              \
    for (uint32_t i = 0; i < count; i++) {                                              \
      to[i] = p.scale * (float)(int32_t)((uint32_t)(int32_t)from[i] - (uint32_t)p.zero); \
    }                                                                                   \
    break;                                                                              \
  }

ARN__KERNEL void arn__quantize_from(const void *in, void *out, uint32_t count, const void *params) {
  const arn__quantize_real p = *(const arn__quantize_real *)params;
  float *to = out;
  switch (p.type) {
    case ARN_INT8: SCALE(int8_t)
    case ARN_UINT8: SCALE(uint8_t)
    case ARN_INT16: SCALE(int16_t)
    default: SCALE(int32_t)
  }
}

// The range that leaves the type's once the zero point is added, in int32.
static arn__clamp before_zero(arn__clamp c, int32_t zero) {
  const int64_t low = (int64_t)c.low - zero, high = (int64_t)c.high - zero;
  return (arn__clamp){low < INT32_MIN ? INT32_MIN : (int32_t)low,
                      high > INT32_MAX ? INT32_MAX : (int32_t)high};
}

ARN__KERNEL void arn__quantize_again(const void *in, void *out, uint32_t count,
                                     const void *params) {
  const arn__quantize_change p = *(const arn__quantize_change *)params;
  const arn__clamp bounds = before_zero(p.clamp, p.out_zero);
  int32_t values[BLOCK];
  for (uint32_t at = 0; at < count; at += BLOCK) {
    const uint32_t n = block_at(at, count);
    arn__quantize_load(in, at, n, p.in_type, values);
    for (uint32_t i = 0; i < n; i++) {
      const int32_t x = (int32_t)((uint32_t)values[i] - (uint32_t)p.in_zero);
      values[i] = arn__clamp_s32(arn__requantise(x, p.requant), bounds) + p.out_zero;
    }
    arn__quantize_store(values, out, at, n, p.out_type);
  }
}

ARN__KERNEL void arn__quantize_flip(const void *in, void *out, uint32_t count,
                                    const void *params) {
  const uint8_t *from = in;
  uint8_t *to = out;
  (void)params;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) to[i] = from[i] ^ 0x80u;
}
