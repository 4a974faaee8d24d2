// Multipliers against the reference's definition (frexp, then rounding), for scales of all sizes and
// signs, and for round numbers, whose quotients are often ties.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "src/kernels/requant.h"

enum { CHANNELS = 67 };

static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
  seed += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = seed;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (uint32_t)((z ^ (z >> 31)) % below);
}

static arn__requant defined(double real) {
  int shift = 0;
  if (real == 0.0) return (arn__requant){0, 0};
  int64_t q = (int64_t)round(frexp(real, &shift) * 2147483648.0);
  if (q == INT64_C(1) << 31) {
    q /= 2;
    shift++;
  }
  if (shift < -31) return (arn__requant){0, 0};
  if (shift > 30) return (arn__requant){INT32_MAX, 30};
  return (arn__requant){(int32_t)q, shift};
}

static float any_float(void) {
  const uint32_t bits = draw(2) << 31 | draw(255) << 23 | draw(1 << 23);
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static float usual_scale(void) {
  return ldexpf(1.0f + (float)draw(1 << 23) * 0x1p-23f, -1 - (int)draw(12));
}

static float round_number(void) {
  return ldexpf((float)(1 + draw(100)), -20 + (int)draw(12)) * (draw(8) ? 1.0f : -1.0f);
}

static void check_fill(float (*draw_scale)(void)) {
  float scales[CHANNELS];
  arn__requant_source source;
  arn__requant got[CHANNELS];
  const float in = fabsf(draw_scale()), out = fabsf(draw_scale());
  for (uint32_t i = 0; i < CHANNELS; i++) scales[i] = draw(50) ? draw_scale() : 0.0f;
  if (in == 0.0f || out == 0.0f) return;
  assert_true(arn__requant_source_init(&source, (const uint8_t *)scales, 0, CHANNELS, in, out));
  const uint32_t first = draw(CHANNELS), count = 1 + draw(CHANNELS - first);
  arn__requant_fill(&source, (const uint8_t *)scales, first, count, got);
  for (uint32_t i = 0; i < count; i++) {
    const double real = (double)in * (double)scales[first + i] / (double)out;
    const arn__requant want = defined(real), one = arn__requant_of(real);
    assert_int_equal(got[i].q, want.q);
    assert_int_equal(got[i].shift, want.shift);
    assert_int_equal(one.q, want.q);
    assert_int_equal(one.shift, want.shift);
  }
}

static void filled_as_defined(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 3000; i++) {
    check_fill(any_float);
    check_fill(usual_scale);
    check_fill(round_number);
  }
}

// The reference's saturating doubling high multiply and its rounding shift, spelled out.
static int32_t scaled(int32_t x, arn__requant r) {
  const int64_t product = (int64_t)x * (INT64_C(1) << (r.shift > 0 ? r.shift : 0)) * r.q;
  const int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
  const int32_t high = (int32_t)((product + nudge) / (INT64_C(1) << 31));
  const int32_t right = r.shift > 0 ? 0 : -r.shift;
  const int64_t mask = (INT64_C(1) << right) - 1, threshold = (mask >> 1) + (high < 0);
  return (int32_t)((high >> right) + ((high & mask) > threshold));
}

static void applied_as_defined(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 200000; i++) {
    const int32_t shift = 4 - (int32_t)draw(36);
    const int32_t q = (int32_t)((1u << 30) + draw(1u << 30)) * (draw(4) ? 1 : -1);
    const int32_t x = (int32_t)draw(1u << 27) - (1 << 26);
    const arn__requant r = {q, shift < -31 ? -31 : shift};
    assert_int_equal(arn__requantise(x, r), scaled(x, r));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(filled_as_defined),
                                     cmocka_unit_test(applied_as_defined)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
