#include "../lstm.h"

static const arn__clamp s8_range = {INT8_MIN, INT8_MAX};
static const arn__clamp s16_range = {INT16_MIN, INT16_MAX};

void arn__lstm_add_s16(int16_t *out, const int16_t *a, const int16_t *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) out[i] = (int16_t)arn__clamp_s32(a[i] + b[i], s16_range);
}

void arn__lstm_add_f32(float *out, const float *a, const float *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) out[i] = a[i] + b[i];
}

void arn__lstm_multiply_s16(int16_t *out, const int16_t *a, const int16_t *b, uint32_t n,
                            arn__requant r) {
  for (uint32_t i = 0; i < n; i++) {
    out[i] = (int16_t)arn__clamp_s32(arn__requantise(a[i] * b[i], r), s16_range);
  }
}

// forget is in units of 2^-15: the multiplier of the product is 2^-15 = 2^30 * 2^(-14 - 31).
void arn__lstm_cell_s16(int16_t *cell, const int16_t *forget, const int16_t *input, uint32_t n,
                        int32_t clip) {
  const arn__requant gate = {1 << 30, -14};
  const arn__clamp bounds = clip < 0 ? s16_range : (arn__clamp){-clip, clip};
  for (uint32_t i = 0; i < n; i++) {
    const int32_t kept = arn__clamp_s32(arn__requantise(forget[i] * cell[i], gate), s16_range);
    const int32_t sum = arn__clamp_s32(kept + input[i], s16_range);
    cell[i] = (int16_t)arn__clamp_s32(sum, bounds);
  }
}

void arn__lstm_cell_f32(float *cell, const float *forget, const float *input, uint32_t n,
                        float clip) {
  for (uint32_t i = 0; i < n; i++) {
    float sum = forget[i] * cell[i] + input[i];
    if (clip >= 0.0f) {
      sum = clip < sum ? clip : sum;
      sum = sum < -clip ? -clip : sum;
    }
    cell[i] = sum;
  }
}

void arn__lstm_hidden_s8(int8_t *out, const int16_t *a, const int16_t *b, uint32_t n,
                         arn__requant r, int32_t zero) {
  const arn__clamp bounds = {s8_range.low - zero, s8_range.high - zero};
  for (uint32_t i = 0; i < n; i++) {
    out[i] = (int8_t)(arn__clamp_s32(arn__requantise(a[i] * b[i], r), bounds) + zero);
  }
}

void arn__lstm_multiply_f32(float *out, const float *a, const float *b, uint32_t n) {
  for (uint32_t i = 0; i < n; i++) out[i] = a[i] * b[i];
}
