#include "../cast.h"

#include "../fmath.h"
#include "../widen.h"

#define BLOCK ARN__QUANTIZE_BLOCK
#define SHORT_BLOCK 16u

ARN__INLINE uint32_t block_at(uint32_t i, uint32_t count, uint32_t most) {
  return count - i < most ? count - i : most;
}

static bool is_wide(arn_type type) { return type == ARN_INT64 || type == ARN_UINT64; }

// The low halves of 64-bit integers; for bool, all bits that are set anywhere.
static void load_low(const void *in, uint32_t first, uint32_t n, bool any, int32_t *values) {
  const arn__s64 *from = (const arn__s64 *)in + first;
  for (uint32_t i = 0; i < n; i++) {
    const uint64_t x = (uint64_t)from[i];
    values[i] = (int32_t)(uint32_t)(any ? x | x >> 32 : x);
  }
}

ARN__KERNEL static void store_floats(const int32_t *values, float *out, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) out[i] = (float)values[i];
}

void arn__cast_small(const void *in, void *out, uint32_t count, const void *params) {
  const arn__cast_types types = *(const arn__cast_types *)params;
  int32_t values[BLOCK];
  for (uint32_t at = 0; at < count; at += BLOCK) {
    const uint32_t n = block_at(at, count, BLOCK);
    if (is_wide(types.in)) {
      load_low(in, at, n, types.out == ARN_BOOL, values);
    } else {
      arn__quantize_load(in, at, n, types.in, values);
    }
    if (types.out == ARN_FLOAT32) {
      store_floats(values, (float *)out + at, n);
    } else {
      arn__quantize_store(values, out, at, n, types.out);
    }
  }
}

// n elements as 64-bit integers (uint64 as its bits).
static void load_wide(const void *in, uint32_t first, uint32_t n, arn_type type, int64_t *wide) {
  int32_t values[SHORT_BLOCK];
  if (is_wide(type)) {
    memcpy(wide, (const arn__s64 *)in + first, n * sizeof *wide);
    return;
  }
  arn__quantize_load(in, first, n, type, values);
  for (uint32_t i = 0; i < n; i++) {
    wide[i] = type == ARN_UINT32 ? (int64_t)(uint32_t)values[i] : (int64_t)values[i];
  }
}

void arn__cast_wide(const void *in, void *out, uint32_t count, const void *params) {
  const arn__cast_types types = *(const arn__cast_types *)params;
  int64_t wide[SHORT_BLOCK];
  for (uint32_t at = 0; at < count; at += SHORT_BLOCK) {
    const uint32_t n = block_at(at, count, SHORT_BLOCK);
    load_wide(in, at, n, types.in, wide);
    if (is_wide(types.out)) {
      memcpy((arn__s64 *)out + at, wide, n * sizeof *wide);
      continue;
    }
    float *to = (float *)out + at;
    for (uint32_t i = 0; i < n; i++) {
      to[i] = types.in == ARN_UINT64 ? (float)(uint64_t)wide[i] : (float)wide[i];
    }
  }
}

static int64_t whole_s64(float x) {
  if (x >= 0x1p63f) return INT64_MAX;
  if (x > -0x1p63f) return (int64_t)x;
  return x <= -0x1p63f ? INT64_MIN : 0;
}

static uint64_t whole_unsigned(float x, float end, uint64_t most) {
  return x >= end ? most : x > 0.0f ? (uint64_t)x : 0;
}

static void to_unsigned_or_wide(const float *x, void *out, uint32_t n, arn_type type) {
  uint32_t *words = out;
  arn__u64 *wide = out;
  for (uint32_t i = 0; i < n; i++) {
    if (type == ARN_INT64) wide[i] = (uint64_t)whole_s64(x[i]);
    if (type == ARN_UINT64) wide[i] = whole_unsigned(x[i], 0x1p64f, UINT64_MAX);
    if (type == ARN_UINT32) words[i] = (uint32_t)whole_unsigned(x[i], 0x1p32f, UINT32_MAX);
  }
}

// Bounds as floats: for int32 the largest float below 2^31, and what is above saturates.
ARN__KERNEL static void to_int32(const float *x, uint32_t n, arn__clamp range, int32_t *values) {
  const float low = (float)range.low;
  const float high = range.high == INT32_MAX ? 2147483520.0f : (float)range.high;
  for (uint32_t i = 0; i < n; i++) {
    const float bounded = x[i] > high ? high : x[i] > low ? x[i] : low;
    const int32_t y = x[i] > high ? range.high : (int32_t)bounded;
    values[i] = x[i] != x[i] ? 0 : y;
  }
}

static arn__clamp range_of(arn_type type) {
  switch (type) {
    case ARN_INT8: return (arn__clamp){INT8_MIN, INT8_MAX};
    case ARN_UINT8: return (arn__clamp){0, UINT8_MAX};
    case ARN_INT16: return (arn__clamp){INT16_MIN, INT16_MAX};
    case ARN_UINT16: return (arn__clamp){0, UINT16_MAX};
    default: return (arn__clamp){INT32_MIN, INT32_MAX};
  }
}

static void from_floats(const float *x, void *out, uint32_t first, uint32_t n, arn_type type) {
  int32_t values[BLOCK];
  switch (type) {
    case ARN_FLOAT32: memmove((float *)out + first, x, n * sizeof *x); return;
    case ARN_INT32: to_int32(x, n, range_of(type), (int32_t *)out + first); return;
    case ARN_INT64:
    case ARN_UINT64: to_unsigned_or_wide(x, (arn__u64 *)out + first, n, type); return;
    case ARN_UINT32: to_unsigned_or_wide(x, (uint32_t *)out + first, n, type); return;
    case ARN_BOOL:
      for (uint32_t i = 0; i < n; i++) values[i] = x[i] != 0.0f;
      break;
    default: to_int32(x, n, range_of(type), values); break;
  }
  arn__quantize_store(values, out, first, n, type);
}

void arn__cast_from_float(const void *in, void *out, uint32_t count, const void *params) {
  const arn__cast_types types = *(const arn__cast_types *)params;
  float widened[BLOCK];
  for (uint32_t at = 0; at < count; at += BLOCK) {
    const uint32_t n = block_at(at, count, BLOCK);
    const float *x = (const float *)in + at;
    if (types.in == ARN_FLOAT16) {
      arn__widen_f16_f32(widened, (const uint16_t *)in + at, n);
      x = widened;
    }
    from_floats(x, out, at, n, types.out);
  }
}
