#include "arenite/quantise.h"

#include <string.h>

static bool fits(const arn_tensor_view *t, size_t count) {
  const uint32_t element = t ? arn_type_bytes(t->type) : 0;
  return element > 0 && t->data && count <= t->bytes / element;
}

// What integers a type holds; false for a type that is not quantised.
static bool range_of(arn_type type, int32_t *low, int32_t *high) {
  switch (type) {
    case ARN_INT8: *low = INT8_MIN; *high = INT8_MAX; return true;
    case ARN_UINT8: *low = 0; *high = UINT8_MAX; return true;
    case ARN_INT16: *low = INT16_MIN; *high = INT16_MAX; return true;
    default: return false;
  }
}

// Rounds before the zero point is added: the sum in float would move values near a tie.
static int32_t quantise_one(float real, float scale, int32_t zero, int32_t low, int32_t high) {
  const float q = real / scale;
  zero = zero < low ? low : zero > high ? high : zero;
  if (!(q == q)) return zero;
  if (q <= -65536.0f) return low;
  if (q >= 65536.0f) return high;
  int32_t whole = (int32_t)q;
  const float rest = q - (float)whole;  // exact
  if (rest >= 0.5f) whole++;
  if (rest <= -0.5f) whole--;
  whole += zero;
  return whole < low ? low : whole > high ? high : whole;
}

static void store(const arn_tensor_view *t, size_t i, int32_t q) {
  if (t->type == ARN_INT16) {
    const int16_t narrow = (int16_t)q;
    memcpy((uint8_t *)t->data + 2 * i, &narrow, sizeof narrow);
  } else {
    ((uint8_t *)t->data)[i] = (uint8_t)q;
  }
}

static int32_t load(const arn_tensor_view *t, size_t i) {
  const uint8_t *data = t->data;
  int16_t wide;
  if (t->type == ARN_UINT8) return data[i];
  if (t->type == ARN_INT8) return (int8_t)data[i];
  memcpy(&wide, data + 2 * i, sizeof wide);
  return wide;
}

arn_status arn_quantise(const arn_tensor_view *t, const float *real, size_t count) {
  int32_t low, high;
  if (!fits(t, count) || (real == NULL && count > 0)) return ARN_ERR_ARGUMENT;
  if (t->type == ARN_FLOAT32) {
    memcpy(t->data, real, count * sizeof *real);
    return ARN_OK;
  }
  if (!range_of(t->type, &low, &high) || !(t->scale > 0.0f)) return ARN_ERR_ARGUMENT;
  for (size_t i = 0; i < count; i++) {
    store(t, i, quantise_one(real[i], t->scale, t->zero_point, low, high));
  }
  return ARN_OK;
}

arn_status arn_dequantise(const arn_tensor_view *t, float *real, size_t count) {
  int32_t low, high;
  if (!fits(t, count) || (real == NULL && count > 0)) return ARN_ERR_ARGUMENT;
  if (t->type == ARN_FLOAT32) {
    memcpy(real, t->data, count * sizeof *real);
    return ARN_OK;
  }
  if (!range_of(t->type, &low, &high)) return ARN_ERR_ARGUMENT;
  for (size_t i = 0; i < count; i++) real[i] = t->scale * (float)(load(t, i) - t->zero_point);
  return ARN_OK;
}

arn_status arn_put_pixels(const arn_tensor_view *t, const uint8_t *pixels, size_t count) {
  if (!fits(t, count) || (pixels == NULL && count > 0)) return ARN_ERR_ARGUMENT;
  for (size_t i = 0; i < count; i++) {
    const float real = (float)pixels[i] / 255.0f;
    switch (t->type) {
      case ARN_UINT8: ((uint8_t *)t->data)[i] = pixels[i]; break;
      case ARN_INT8: ((int8_t *)t->data)[i] = (int8_t)(pixels[i] - 128); break;
      case ARN_FLOAT32: memcpy((uint8_t *)t->data + 4 * i, &real, sizeof real); break;
      default: return ARN_ERR_ARGUMENT;
    }
  }
  return ARN_OK;
}
