// Dense layers of random shapes in one go, where the machine has a kernel for that, and by portable
// kernels.
#include <string.h>

#include "random.h"
#include "src/kernels/dense.h"
#include "src/kernels/dot.h"
#include "src/kernels/settle.h"

#define X 600
#define W 12000
#define COUNT 40

static int8_t x[X], w[W];

static arn__dense_layer any_layer(const int32_t *bias) {
  arn__dense_layer d = {.n = (uint32_t)random_in(1, X / 2), .count = (uint32_t)random_in(1, COUNT)};
  if (random_one_of(4)) d.n = (uint32_t)random_in(1, 8);
  while (d.n * d.count > W) d.count = (d.count + 1) / 2;
  d.in_zero = random_in(-128, 127);
  d.zero = random_in(-128, 127);
  d.bias = random_one_of(5) ? NULL : bias;
  d.multiplier = (arn__requant){random_in(1 << 30, INT32_MAX), -random_in(3, 12)};
  if (random_one_of(8)) d.multiplier.shift = random_in(-31, 30);
  d.clamp = (arn__clamp){-128 - d.zero, 127 - d.zero};
  if (random_one_of(4)) d.clamp.low = random_in(-128, 127) - d.zero;
  return d;
}

static uint32_t run_layer(void) {
  int8_t out[2][COUNT + 1];
  int32_t bias[COUNT], sums[COUNT] = {0};
  for (uint32_t i = 0; i < COUNT; i++) bias[i] = random_in(-20000, 20000);
  if (random_one_of(8)) random_fill(bias, sizeof bias);
  const arn__dense_layer d = any_layer(bias);
  const int8_t *from = x + X - d.n, *weights = w + W - d.n * d.count;
  memset(out, 0x55, sizeof out);
  if (!arn__dense_s8(out[0], from, weights, &d)) return 0;
  const arn__dot dot = {.n = d.n, .count = d.count, .stride = d.n, .step = 1, .zero = d.in_zero};
  const arn__settle settle = {&d.multiplier, false, d.count, d.clamp, d.zero};
  arn__dot_rows_s8_portable(sums, from, weights, &dot);
  arn__settle_s8_portable(out[1], sums, d.bias, &settle);
  return memcmp(out[0], out[1], sizeof out[0]) != 0;
}

uint32_t random_dense(uint32_t rounds) {
  uint32_t failed = 0;
  for (uint32_t i = 0; i < rounds; i++) {
    if (i % 16 == 0) {
      random_fill(x, sizeof x);
      random_fill(w, sizeof w);
      if (random_one_of(4)) memset(w, -128, sizeof w);
    }
    failed += run_layer();
  }
  return failed;
}
