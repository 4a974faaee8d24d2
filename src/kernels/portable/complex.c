#include "../complex.h"

#include "../elementwise.h"
#include "../fmath.h"

ARN__INLINE void take_parts(uint8_t *out, const uint8_t *in, uint32_t count, size_t bytes) {
  for (size_t i = 0; i < count; i++) {
    uint64_t part = 0;
    memcpy(&part, in + 2 * bytes * i, bytes);
    memcpy(out + bytes * i, &part, bytes);
  }
}

ARN__KERNEL void arn__complex_part_portable(void *out, const void *in, uint32_t count,
                                            uint32_t part_bytes) {
  if (part_bytes == 4) {
    take_parts(out, in, count, 4);
  } else {
    take_parts(out, in, count, 8);
  }
}

// The larger part times sqrt(1 + ratio^2): no square leaves the range of floats.
ARN__KERNEL void arn__complex_abs_f32_portable(float *out, const float *x, uint32_t count) {
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const float re = arn__fmath_abs(x[2 * i]), im = arn__fmath_abs(x[2 * i + 1]);
    const float large = re > im ? re : im, small = re > im ? im : re;
    const float ratio = large > 0.0f ? small / large : small;
    const float size = large * sqrtf(1.0f + ratio * ratio);
    out[i] = re == INFINITY || im == INFINITY ? INFINITY : size;
  }
}
