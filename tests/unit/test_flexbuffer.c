// The reader of custom options, over a buffer written by hand, its every truncation and mutation.
#include "../../src/model/flexbuffer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// {"a": -2, "bc": 0.5f, "d": true, "e": "x", "f": indirect int32 70000, "n": null}
static const uint8_t options[] = {
    'a', 0, 'b', 'c', 0, 'd', 0, 'e', 0, 'f', 0, 'n', 0,  // keys at 0, 2, 5, 7, 9, 11
    1,   'x', 0,                                          // a string, at 14
    0x70, 0x11, 1,   0,                                   // 70000, at 16
    6,                                                    // keys: their count, then distances
    21,  20, 18, 17, 16, 15,                              // at 21
    0,                                                    // padding
    7,   0,  0,  0,                                       // distance to keys (28 - 21), at 28
    1,   0,  0,  0,                                       // width of keys
    6,   0,  0,  0,                                       // count
    0xFE, 0xFF, 0xFF, 0xFF,                               // -2, at 40
    0,   0,  0,  0x3F,                                    // 0.5f
    1,   0,  0,  0,                                       // true
    38,  0,  0,  0,                                       // to 14
    40,  0,  0,  0,                                       // to 16
    0,   0,  0,  0,                                       // null
    0x06, 0x0E, 0x6A, 0x14, 0x1A, 0x02,                   // types, at 64
    30,                                                   // root: distance to 40, at 70
    0x26, 1,                                              // a map of width 4; root width 1
};

static arn__flex_map open_bytes(const uint8_t *bytes, uint32_t size) {
  const arn_model model = {.bytes = bytes, .size_bytes = size};
  const arn_node node = {.custom_at = 0, .custom_bytes = size};
  arn__flex_map map;
  arn__flex_open(&map, &model, &node);
  return map;
}

static void numbers_are_read(void **unused) {
  (void)unused;
  arn__flex_map map = open_bytes(options, sizeof options);
  assert_true(map.ok);
  assert_int_equal(map.count, 6);
  assert_int_equal(arn__flex_i32(&map, "a", 9), -2);
  assert_true(arn__flex_f32(&map, "bc", 9.0f) == 0.5f);
  assert_true(arn__flex_f32(&map, "a", 9.0f) == -2.0f);
  assert_true(arn__flex_bool(&map, "d", false));
  assert_int_equal(arn__flex_i32(&map, "f", 9), 70000);
  assert_true(map.ok);
}

static void absent_and_null_give_the_default(void **unused) {
  (void)unused;
  arn__flex_map map = open_bytes(options, sizeof options);
  assert_int_equal(arn__flex_i32(&map, "b", 9), 9);
  assert_int_equal(arn__flex_i32(&map, "bcd", 9), 9);
  assert_int_equal(arn__flex_i32(&map, "", 9), 9);
  assert_int_equal(arn__flex_i32(&map, "n", 9), 9);
  assert_false(arn__flex_has(&map, "n"));
  assert_true(arn__flex_has(&map, "e"));
  assert_true(map.ok);
}

static void a_value_that_is_no_number_is_told(void **unused) {
  (void)unused;
  arn__flex_map map = open_bytes(options, sizeof options);
  assert_int_equal(arn__flex_i32(&map, "e", 9), 9);
  assert_false(map.ok);
}

static void no_options_are_an_empty_map(void **unused) {
  (void)unused;
  arn__flex_map map = open_bytes(options, 0);
  assert_true(map.ok);
  assert_int_equal(map.count, 0);
  assert_int_equal(arn__flex_i32(&map, "a", 9), 9);
}

static void read_all(arn__flex_map *map) {
  static const char *const keys[] = {"a", "bc", "d", "e", "f", "n", "zz"};
  for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
    (void)arn__flex_has(map, keys[i]);
    (void)arn__flex_i32(map, keys[i], 0);
    (void)arn__flex_f32(map, keys[i], 0.0f);
    (void)arn__flex_bool(map, keys[i], false);
  }
}

// What matters here is the address sanitiser: each copy is a block of exactly its size.
static void hostile_bytes_are_survived(void **unused) {
  (void)unused;
  uint32_t refused = 0;
  for (uint32_t size = 1; size <= sizeof options; size++) {
    for (uint32_t at = 0; at < size; at++) {
      for (uint32_t change = 0; change < 256; change += 3) {
        uint8_t *copy = malloc(size);
        assert_non_null(copy);
        memcpy(copy, options + sizeof options - size, size);
        copy[at] = (uint8_t)(copy[at] ^ change);
        arn__flex_map map = open_bytes(copy, size);
        refused += !map.ok;
        read_all(&map);
        free(copy);
      }
    }
  }
  assert_true(refused > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(numbers_are_read),
      cmocka_unit_test(absent_and_null_give_the_default),
      cmocka_unit_test(a_value_that_is_no_number_is_told),
      cmocka_unit_test(no_options_are_an_empty_map),
      cmocka_unit_test(hostile_bytes_are_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
