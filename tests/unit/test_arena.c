// The static region and its marks.
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <cmocka.h>
#include <string.h>

#include "src/arena/arena.h"

static uint8_t memory[256] __attribute__((aligned(64)));

static void takes_in_order_and_counts_padding(void **state) {
  (void)state;
  arn__arena a;
  arn__arena_open(&a, memory, sizeof memory, 16);
  assert_int_equal(arn__arena_take(&a, 5, 4, ARN__FOR_RECORDS), 0);
  assert_int_equal(arn__arena_take(&a, 8, 8, ARN__FOR_VARIABLES), 8);
  assert_int_equal(a.usage.engine_records, 5);
  assert_int_equal(a.usage.variables, 8);
  assert_int_equal(a.usage.static_padding, 3);
  assert_int_equal(a.used, 16);
  assert_true(arn__arena_has(&a));
}

static void loses_the_bytes_before_an_aligned_base(void **state) {
  (void)state;
  for (uint32_t shift = 0; shift < 16; shift++) {
    arn__arena a;
    arn__arena_open(&a, memory + shift, 64, 16);
    const uint32_t lost = (16u - shift) % 16u;
    assert_ptr_equal(a.base, memory + shift + lost);
    assert_int_equal(a.bytes, 64 - lost);
  }
}

static void counts_on_after_a_failure(void **state) {
  (void)state;
  arn__arena a;
  arn__arena_open(&a, memory, 32, 16);
  arn__arena_take(&a, 24, 4, ARN__FOR_RECORDS);
  arn__arena_take(&a, 16, 4, ARN__FOR_OP_DATA);
  assert_false(arn__arena_has(&a));
  assert_int_equal(a.failure.what, ARN_WHAT_ARENA_STATE);
  assert_int_equal(a.failure.need, 16);
  assert_int_equal(a.failure.have, 8);
  arn__arena_take(&a, 100, 4, ARN__FOR_OP_DATA);
  assert_int_equal(a.failure.need, 16);
  assert_int_equal(a.used, 140);
}

static void temporary_and_static_meet(void **state) {
  (void)state;
  arn__arena a;
  arn__arena_open(&a, memory, 64, 16);
  arn__arena_take(&a, 32, 4, ARN__FOR_RECORDS);
  assert_true(arn__arena_take_temporary(&a, 16));
  assert_true(arn__arena_take_temporary(&a, 16));
  assert_int_equal(a.init_bytes, 64);
  assert_false(arn__arena_take_temporary(&a, 4));
  arn__arena_reset_temporary(&a);
  assert_int_equal(a.temporary, 0);
  assert_int_equal(a.init_bytes, 68);
}

static void temporary_apart_leaves_the_arena_to_the_static_region(void **state) {
  (void)state;
  arn__arena a;
  arn__arena_open(&a, memory, 64, 16);
  arn__arena_open_block(&a, memory + 65, 48, 16);
  assert_ptr_equal(a.block, memory + 80);
  assert_int_equal(a.block_bytes, 33);
  assert_int_equal(arn__arena_dynamic_at(&a, 16), 0);
  assert_ptr_equal(arn__arena_end(&a), memory + 112);
  assert_true(arn__arena_take_temporary(&a, 32));
  arn__arena_take(&a, 64, 4, ARN__FOR_RECORDS);
  assert_true(arn__arena_has(&a));
  assert_int_equal(a.init_bytes, 96);
  assert_false(arn__arena_take_temporary(&a, 4));
  assert_int_equal(a.failure.have, 0);
  assert_int_equal(a.temporary_most, 36);
}

static void an_absent_arena_only_counts(void **state) {
  (void)state;
  arn__arena a;
  arn__arena_open(&a, NULL, 0, 16);
  arn__arena_take(&a, 12, 4, ARN__FOR_RECORDS);
  assert_false(arn__arena_has(&a));
  assert_int_equal(a.used, 12);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(takes_in_order_and_counts_padding),
      cmocka_unit_test(loses_the_bytes_before_an_aligned_base),
      cmocka_unit_test(counts_on_after_a_failure),
      cmocka_unit_test(temporary_and_static_meet),
      cmocka_unit_test(temporary_apart_leaves_the_arena_to_the_static_region),
      cmocka_unit_test(an_absent_arena_only_counts),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
