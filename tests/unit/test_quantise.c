// Between real numbers and quantised ones: rounding, clamping, NaN, pixels, and what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "arenite/quantise.h"

static void numbers_are_rounded_and_clamped(void **state) {
  (void)state;
  static const float real[] = {0.0f, 0.25f, -0.25f, 0.24999f, 0.75f, -0.75f, 1e9f, -1e9f,
                               INFINITY, -INFINITY, NAN, 0.49999997f * 0.5f};
  static const int8_t want[] = {3, 4, 2, 3, 5, 1, 127, -128, 127, -128, 3, 3};
  int8_t got[12];
  arn_tensor_view t = {.data = got, .bytes = 12, .type = ARN_INT8, .scale = 0.5f, .zero_point = 3};
  assert_int_equal(arn_quantise(&t, real, 12), ARN_OK);
  assert_memory_equal(got, want, 12);
  float back[12];
  assert_int_equal(arn_dequantise(&t, back, 12), ARN_OK);
  for (uint32_t i = 0; i < 12; i++) assert_true(back[i] == 0.5f * (float)(want[i] - 3));
  t.type = ARN_UINT8;
  t.zero_point = 128;
  assert_int_equal(arn_quantise(&t, real, 12), ARN_OK);
  assert_int_equal((uint8_t)got[1], 129);
  assert_int_equal((uint8_t)got[6], 255);
  assert_int_equal((uint8_t)got[7], 0);
  t.type = ARN_INT16;
  t.zero_point = 0;
  assert_int_equal(arn_quantise(&t, real + 4, 6), ARN_OK);
  assert_memory_equal(got, ((int16_t[]){2, -2, 32767, -32768, 32767, -32768}), 12);
}

static void numbers_that_do_not_fit_are_refused(void **state) {
  (void)state;
  float real[4] = {0};
  uint8_t got[8];
  arn_tensor_view t = {.data = got, .bytes = 2, .type = ARN_INT8, .scale = 0.5f};
  assert_int_equal(arn_quantise(&t, real, 3), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_dequantise(&t, real, 3), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_put_pixels(&t, got, 3), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_quantise(&t, NULL, 1), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_quantise(NULL, real, 1), ARN_ERR_ARGUMENT);
  t.scale = 0;
  assert_int_equal(arn_quantise(&t, real, 1), ARN_ERR_ARGUMENT);
  t.data = NULL;
  assert_int_equal(arn_dequantise(&t, real, 1), ARN_ERR_ARGUMENT);
  t = (arn_tensor_view){.data = got, .bytes = 8, .type = ARN_INT32, .scale = 1};
  assert_int_equal(arn_quantise(&t, real, 1), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_put_pixels(&t, got, 1), ARN_ERR_ARGUMENT);
}

static void pixels_become_what_converters_expect(void **state) {
  (void)state;
  static const uint8_t pixels[] = {0, 1, 127, 128, 255};
  _Alignas(4) uint8_t got[20];
  arn_tensor_view t = {.data = got, .bytes = 5, .type = ARN_UINT8};
  assert_int_equal(arn_put_pixels(&t, pixels, 5), ARN_OK);
  assert_memory_equal(got, pixels, 5);
  t.type = ARN_INT8;
  assert_int_equal(arn_put_pixels(&t, pixels, 5), ARN_OK);
  assert_memory_equal(got, ((int8_t[]){-128, -127, -1, 0, 127}), 5);
  t = (arn_tensor_view){.data = got, .bytes = 20, .type = ARN_FLOAT32};
  assert_int_equal(arn_put_pixels(&t, pixels, 5), ARN_OK);
  for (uint32_t i = 0; i < 5; i++) {
    float value;
    memcpy(&value, got + 4 * i, 4);
    assert_true(value == (float)pixels[i] / 255.0f);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_rounded_and_clamped),
      cmocka_unit_test(numbers_that_do_not_fit_are_refused),
      cmocka_unit_test(pixels_become_what_converters_expect),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
