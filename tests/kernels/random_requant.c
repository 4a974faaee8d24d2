// Multipliers of channels, made a block at a time, against those made one by one with doubles.
#include <string.h>

#include "random.h"
#include "src/kernels/requant.h"

#define CHANNELS 37

static float any_scale(int32_t least, int32_t most) {
  const uint32_t bits = (uint32_t)random_in(127 + least, 127 + most) << 23 | random_bits() >> 9;
  float scale;
  memcpy(&scale, &bits, sizeof scale);
  return scale;
}

static bool is_right(void) {
  float scales[CHANNELS];
  arn__requant_source source;
  arn__requant all[CHANNELS];
  const float in = any_scale(-9, 2), out = any_scale(-9, 2);
  const int32_t least = random_one_of(3) ? -60 : -12;
  for (uint32_t c = 0; c < CHANNELS; c++) scales[c] = any_scale(least, 1);
  const uint8_t *file = (const uint8_t *)scales;
  if (!arn__requant_source_init(&source, file, 0, CHANNELS, in, out)) return false;
  const uint32_t first = (uint32_t)random_in(0, CHANNELS - 1);
  arn__requant_fill(&source, file, first, CHANNELS - first, all);
  for (uint32_t c = first; c < CHANNELS; c++) {
    const arn__requant one = arn__requant_of((double)in * (double)scales[c] / (double)out);
    if (all[c - first].q != one.q || all[c - first].shift != one.shift) return false;
  }
  return true;
}

uint32_t random_requant(uint32_t rounds) {
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < rounds; i++) wrong += !is_right();
  return wrong;
}
