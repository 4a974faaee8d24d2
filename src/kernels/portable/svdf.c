#include "../svdf.h"
#include "../lanes.h"

ARN__KERNEL void arn__svdf_time_s8_portable(int32_t *sums, const int8_t *states,
                                            const int8_t *weights, const arn__svdf_time *t) {
  const uint32_t n = t->n;
  const int32_t zero = t->zero;
  for (uint32_t u = 0; u < t->units; u++, states += n, weights += n) {
    uint32_t sum = (uint32_t)sums[u];
    for (uint32_t i = 0; i < n; i++) sum += (uint32_t)((states[i] - zero) * weights[i]);
    sums[u] = (int32_t)sum;
  }
}

ARN__KERNEL void arn__svdf_time_s16_portable(int32_t *sums, const int16_t *states,
                                             const int16_t *weights, const arn__svdf_time *t) {
  const uint32_t n = t->n;
  for (uint32_t u = 0; u < t->units; u++, states += n, weights += n) {
    uint32_t sum = (uint32_t)sums[u];
    for (uint32_t i = 0; i < n; i++) sum += (uint32_t)(states[i] * weights[i]);
    sums[u] = (int32_t)sum;
  }
}

ARN__KERNEL void arn__svdf_time_f32(float *sums, const float *states, const float *weights,
                                    const arn__svdf_time *t) {
  const uint32_t n = t->n;
  for (uint32_t u = 0; u < t->units; u++, states += n, weights += n) {
    arn__lanes lanes = {0};
    uint32_t i = 0;
    for (; n - i >= ARN__LANES; i += ARN__LANES) arn__lanes_add(&lanes, states + i, weights + i);
    float sum = sums[u] + arn__lanes_sum(&lanes);
    for (; i < n; i++) sum += states[i] * weights[i];
    sums[u] = sum;
  }
}
