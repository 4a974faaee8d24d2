#include "../widen.h"

#include "../elementwise.h"

ARN__INLINE int8_t nibble(uint32_t byte, uint32_t odd) {
  return (int8_t)((int32_t)((byte >> (4 * odd) & 15u) ^ 8u) - 8);
}

// Whole bytes in a loop of their own, which vectorises.
ARN__KERNEL void arn__widen_s4_s8(int8_t *out, const uint8_t *packed, uint32_t first, uint32_t n) {
  packed += first / 2;
  if (first % 2 != 0 && n > 0) {
    *out++ = nibble(*packed++, 1);
    n--;
  }
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < n / 2; i++) {
    const uint32_t byte = packed[i];
    out[2 * i] = nibble(byte, 0);
    out[2 * i + 1] = nibble(byte, 1);
  }
  if (n % 2 != 0) out[n - 1] = nibble(packed[n / 2], 0);
}

ARN__KERNEL void arn__widen_s8_f32(float *out, const int8_t *in, uint32_t n, int32_t zero) {
  for (uint32_t i = 0; i < n; i++) out[i] = (float)(in[i] - zero);
}

ARN__KERNEL void arn__widen_u8_f32(float *out, const uint8_t *in, uint32_t n, int32_t zero) {
  for (uint32_t i = 0; i < n; i++) out[i] = (float)(in[i] - zero);
}

ARN__KERNEL void arn__widen_s16_f32(float *out, const int16_t *in, uint32_t n, int32_t zero) {
  for (uint32_t i = 0; i < n; i++) out[i] = (float)(in[i] - zero);
}

// The exponent and fraction moved to their places make the value times 2^-112, also where it is
// subnormal. The largest exponent means no number: it gets the float's largest exponent.
ARN__KERNEL void arn__widen_f16_f32(float *out, const uint16_t *in, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) {
    const uint32_t magnitude = (in[i] & 0x7FFFu) << 13;
    const uint32_t sign = (in[i] & 0x8000u) << 16;
    float value;
    uint32_t bits;
    memcpy(&value, &magnitude, sizeof value);
    value *= 0x1p112f;
    memcpy(&bits, &value, sizeof bits);
    bits |= sign | (magnitude >= 0x0F800000u ? 0x7F800000u : 0u);
    memcpy(out + i, &bits, sizeof bits);
  }
}

ARN__KERNEL void arn__widen_scale_f32(float *x, uint32_t n, float scale) {
  for (uint32_t i = 0; i < n; i++) x[i] *= scale;
}
