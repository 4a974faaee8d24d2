// Sums, differences and products of bytes through the target's kernels and through the portable
// ones.
#include <string.h>

#include "random.h"
#include "src/kernels/arithmetic.h"

#define COUNT 70

static uint8_t in[2][COUNT], out[2][COUNT + 8];

static arn__requant any_requant(int32_t least, int32_t most) {
  if (random_one_of(30)) return (arn__requant){0, most < 0 ? -1 : 0};
  return (arn__requant){random_in(1 << 30, INT32_MAX), random_in(least, most)};
}

static arn__clamp any_clamp(int32_t zero, uint8_t flip) {
  const int32_t low = flip ? -128 : 0;
  if (random_one_of(3)) return (arn__clamp){random_in(low, low + 127) - zero, low + 200 - zero};
  return (arn__clamp){low - zero, low + 255 - zero};
}

static bool is_same(arn__elementwise_kernel *kernel, arn__elementwise_kernel *portable,
                    const void *params) {
  const void *const inputs[2] = {in[0], in[1]};
  const uint32_t count = (uint32_t)random_in(0, COUNT);
  memset(out, 0x55, sizeof out);
  kernel(params, out[0], inputs, count);
  portable(params, out[1], inputs, count);
  return memcmp(out[0], out[1], sizeof out[0]) == 0;
}

static bool is_sum_right(void) {
  arn__rescale_params p = {.small = (uint32_t)random_in(0, 1), .flip = random_one_of(2) ? 0x80 : 0};
  for (uint32_t i = 0; i < 2; i++) p.zero[i] = random_in(0, 255);
  p.zero_out = random_in(0, 255) - p.flip;
  p.clamp = any_clamp(p.zero_out, p.flip);
  p.to_common = any_requant(random_one_of(4) ? -31 : -6, -1);
  if (random_one_of(6)) p.to_common = (arn__requant){1 << 30, 0};
  p.to_out = any_requant(random_one_of(4) ? -31 : -22, random_one_of(4) ? -1 : -16);
  return random_one_of(2)
             ? is_same(arn__arithmetic_add_s8, arn__arithmetic_add_s8_portable, &p)
             : is_same(arn__arithmetic_sub_s8, arn__arithmetic_sub_s8_portable, &p);
}

static bool is_product_right(void) {
  arn__product_params p = {.flip = random_one_of(2) ? 0x80 : 0};
  for (uint32_t i = 0; i < 2; i++) p.zero[i] = random_in(0, 255);
  p.zero_out = random_in(0, 255) - p.flip;
  p.clamp = any_clamp(p.zero_out, p.flip);
  p.to_out = any_requant(-31, random_one_of(4) ? 14 : 0);
  return is_same(arn__arithmetic_mul_s8, arn__arithmetic_mul_s8_portable, &p);
}

uint32_t random_arithmetic(uint32_t rounds) {
  uint32_t failed = 0;
  for (uint32_t i = 0; i < rounds; i++) {
    random_fill(in, sizeof in);
    failed += random_one_of(2) ? !is_sum_right() : !is_product_right();
  }
  return failed;
}
