#include "../add_n.h"

#include "../elementwise.h"
#include "../fixed.h"

ARN__KERNEL void arn__add_n_gather_s8_portable(int32_t *sums, const int8_t *in, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) sums[i] += in[i];
}

ARN__KERNEL void arn__add_n_s32_portable(int32_t *out, const int32_t *a, const int32_t *b,
                                         uint32_t count) {
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) out[i] = (int32_t)((uint32_t)a[i] + (uint32_t)b[i]);
}

ARN__KERNEL void arn__add_n_f32_portable(float *out, const float *a, const float *b,
                                         uint32_t count) {
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) out[i] = a[i] + b[i];
}

ARN__KERNEL void arn__add_n_write_s8_portable(int8_t *out, const int32_t *sums, uint32_t count,
                                              const arn__add_n_params *params) {
  const arn__add_n_params p = *params;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t sum = (int32_t)((uint32_t)(sums[i] + p.start) << p.shift);
    const int32_t scaled =
        arn__rounding_divide(arn__fixed_mul(sum, p.to_out.q), -p.to_out.shift);
    out[i] = (int8_t)(arn__clamp_s32(scaled, p.clamp) + p.zero_out);
  }
}
