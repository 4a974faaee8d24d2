#include "examples/mnist/train/augment.h"

#include <math.h>

#include "host/zoo/net.h"

static float pixel_at(const uint8_t *pixels, int y, int x) {
  if (y < 0 || x < 0 || y >= DIGIT_SIDE || x >= DIGIT_SIDE) return 0;
  return pixels[y * DIGIT_SIDE + x];
}

// Interpolates between the four pixels around a point.
static float sample(const uint8_t *pixels, float y, float x) {
  const float top = floorf(y), left = floorf(x);
  const float down = y - top, right = x - left;
  const int iy = (int)top, ix = (int)left;
  const float upper = pixel_at(pixels, iy, ix) * (1 - right) + pixel_at(pixels, iy, ix + 1) * right;
  const float lower =
      pixel_at(pixels, iy + 1, ix) * (1 - right) + pixel_at(pixels, iy + 1, ix + 1) * right;
  return upper * (1 - down) + lower * down;
}

void augment_digit(const uint8_t *pixels, uint64_t *state, float *out) {
  const float angle = 0.22f * arn_random_f32(state), slant = 0.2f * arn_random_f32(state);
  const float tall = 1 + 0.12f * arn_random_f32(state), wide = 1 + 0.12f * arn_random_f32(state);
  const float centre = (DIGIT_SIDE - 1) / 2.0f;
  const float shift_y = centre + 2 * arn_random_f32(state);
  const float shift_x = centre + 2 * arn_random_f32(state);
  const float c = cosf(angle), s = sinf(angle);
  for (int y = 0; y < DIGIT_SIDE; y++) {
    for (int x = 0; x < DIGIT_SIDE; x++) {
      const float dy = (float)y - shift_y, dx = (float)x - shift_x + slant * dy;
      const float from_y = tall * (c * dy - s * dx) + centre;
      const float from_x = wide * (s * dy + c * dx) + centre;
      out[y * DIGIT_SIDE + x] = sample(pixels, from_y, from_x) / 255;
    }
  }
}
