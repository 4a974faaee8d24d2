// Sums to outputs through the target's kernel and through the portable one.
#include <string.h>

#include "random.h"
#include "src/kernels/settle.h"

#define COUNT 33

static int32_t any_sum(void) {
  switch (random_in(0, 5)) {
    case 0: return (int32_t)random_bits();
    case 1: return random_in((1 << 30) - 3, (1 << 30) + 3);
    case 2: return random_in(-(1 << 30) - 3, -(1 << 30) + 3);
    default: return random_in(-100000, 100000);
  }
}

static bool is_same(void) {
  arn__requant requant[COUNT];
  int32_t bias[COUNT], sums[2][COUNT];
  int8_t out[2][COUNT + 4];
  arn__settle s = {requant, random_one_of(2), (uint32_t)random_in(0, COUNT), {0, 0}, 0};
  s.zero = random_in(-128, 127);
  s.clamp = (arn__clamp){-128 - s.zero, 127 - s.zero};
  if (random_one_of(3)) s.clamp.low = random_in(-128, 0) - s.zero;
  if (random_one_of(6)) s.clamp = (arn__clamp){-128, 127};  // outputs wrap, as states of SVDF do
  for (uint32_t i = 0; i < COUNT; i++) {
    requant[i] = (arn__requant){random_in(1 << 30, INT32_MAX), -random_in(0, 31)};
    if (random_one_of(8)) requant[i].q = -requant[i].q;
    if (random_one_of(8)) requant[i].shift = random_in(-2, 30);
    if (random_one_of(8)) requant[i] = (arn__requant){0, 0};
    sums[0][i] = sums[1][i] = any_sum();
    bias[i] = random_in(-10, 10);
  }
  memset(out, 0x55, sizeof out);
  const int32_t *with = random_one_of(2) ? bias : NULL;
  arn__settle_s8(out[0], sums[0], with, &s);
  arn__settle_s8_portable(out[1], sums[1], with, &s);
  return memcmp(out[0], out[1], sizeof out[0]) == 0;
}

uint32_t random_settle(uint32_t rounds) {
  uint32_t wrong = 0;
  for (uint32_t i = 0; i < rounds; i++) wrong += !is_same();
  return wrong;
}
