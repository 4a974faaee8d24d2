// Dot products of random shapes through the target's kernels and through the portable ones.
#include <string.h>

#include "random.h"
#include "src/kernels/dot.h"

#define X 600
#define W 12000
#define COUNT 40

static int8_t x[X], w[W];

static int32_t any_zero(void) {
  if (random_one_of(3)) return random_one_of(2) ? -128 : 127;
  return random_in(-128, 127);
}

static uint32_t run_rows(void) {
  arn__dot d = {.n = (uint32_t)random_in(1, X / 2), .step = 1};
  d.count = (uint32_t)random_in(1, COUNT);
  int32_t sums[2][COUNT];
  if (random_one_of(8)) d.n = (uint32_t)random_in(0, 8);
  d.stride = d.n + (uint32_t)random_in(0, 5);
  while (d.stride * d.count > W) d.count = (d.count + 1) / 2;
  d.zero = any_zero();
  const int8_t *from = w + W - d.stride * d.count;
  for (uint32_t i = 0; i < COUNT; i++) sums[0][i] = sums[1][i] = (int32_t)random_bits();
  arn__dot_rows_s8(sums[0], x + X - d.n, from, &d);
  arn__dot_rows_s8_portable(sums[1], x + X - d.n, from, &d);
  return memcmp(sums[0], sums[1], sizeof sums[0]) != 0;
}

uint32_t random_dot(uint32_t rounds) {
  uint32_t failed = 0;
  for (uint32_t i = 0; i < rounds; i++) {
    if (i % 16 == 0) {
      random_fill(x, sizeof x);
      random_fill(w, sizeof w);
      if (random_one_of(4)) memset(w, -128, sizeof w);
    }
    failed += run_rows();
  }
  return failed;
}
