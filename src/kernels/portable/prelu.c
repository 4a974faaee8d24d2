#include "../narrow.h"
#include "../prelu.h"

// Both sides are computed, so that there is nothing to branch on.
ARN__KERNEL bool arn__prelu_s8_portable(const void *params, void *out, const void *const *in,
                                        uint32_t count) {
  const arn__prelu_params p = *(const arn__prelu_params *)params;
  const arn__narrow positive = arn__narrow_of(p.positive), negative = arn__narrow_of(p.negative);
  const uint8_t *x = in[0], *alpha = in[1];
  uint8_t *to = out;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t value = (x[i] ^ p.flip) - p.zero_in;
    const int32_t product = value * ((alpha[i] ^ p.flip) - p.zero_alpha);
    const int32_t up = arn__requantise_narrow(value, positive);
    const int32_t down = arn__requantise_narrow(product, negative);
    const int32_t scaled = arn__clamp_s32(value >= 0 ? up : down, p.clamp);
    to[i] = (uint8_t)(scaled + p.zero_out);
  }
  return true;
}

ARN__KERNEL bool arn__prelu_s16_portable(const void *params, void *out, const void *const *in,
                                         uint32_t count) {
  const arn__prelu_params p = *(const arn__prelu_params *)params;
  const int16_t *x = in[0];
  const int8_t *alpha = in[1];
  int16_t *to = out;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t value = x[i] - p.zero_in;
    const int32_t product = value * (alpha[i] - p.zero_alpha);
    const int32_t up = arn__requantise(value, p.positive);
    const int32_t down = arn__requantise(product, p.negative);
    to[i] = (int16_t)(arn__clamp_s32(value >= 0 ? up : down, p.clamp) + p.zero_out);
  }
  return true;
}

ARN__KERNEL bool arn__prelu_f32_portable(const void *params, void *out, const void *const *in,
                                         uint32_t count) {
  const float *x = in[0], *alpha = in[1];
  float *to = out;
  (void)params;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const float product = x[i] * alpha[i];
    to[i] = x[i] >= 0.0f ? x[i] : product;
  }
  return true;
}
