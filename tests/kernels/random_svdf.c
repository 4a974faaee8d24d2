// The dot products over time of SVDF, and the ageing of its states, against the portable kernels.
#include <string.h>

#include "random.h"
#include "src/kernels/svdf.h"

#define BYTES 1024
#define UNITS 16

static int8_t states[2][BYTES], weights[BYTES];

static bool is_wrong_time(void) {
  int32_t sums[2][UNITS];
  arn__svdf_time t = {(uint32_t)random_in(1, 60), (uint32_t)random_in(1, UNITS),
                      random_in(-128, 127)};
  const uint32_t used = t.n * t.units;
  for (uint32_t i = 0; i < UNITS; i++) sums[0][i] = sums[1][i] = (int32_t)random_bits();
  arn__svdf_time_s8(sums[0], states[0] + BYTES - used, weights + BYTES - used, &t);
  arn__svdf_time_s8_portable(sums[1], states[0] + BYTES - used, weights + BYTES - used, &t);
  return memcmp(sums[0], sums[1], sizeof sums[0]) != 0;
}

static bool is_wrong_age(void) {
  const uint32_t step = random_one_of(2) ? 1 : 2, bytes = step + (uint32_t)random_in(0, BYTES - 2);
  memcpy(states[1], states[0], BYTES);
  arn__svdf_age((uint8_t *)states[0] + BYTES - bytes, bytes, step);
  arn__svdf_age_portable((uint8_t *)states[1] + BYTES - bytes, bytes, step);
  return memcmp(states[0], states[1], BYTES) != 0;
}

uint32_t random_svdf(uint32_t rounds) {
  uint32_t failed = 0;
  for (uint32_t i = 0; i < rounds; i++) {
    if (i % 16 == 0) {
      random_fill(states[0], BYTES);
      random_fill(weights, BYTES);
    }
    failed += is_wrong_time() || is_wrong_age();
  }
  return failed;
}
