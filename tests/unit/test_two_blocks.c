// The dynamic region in a block of its own: same numbers, same outputs, and errors that say which
// block is too small. (All sizes of both blocks, for real models: host/check/ladder.c.)
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "host/check/engine.h"
#include "host/rewrite/builder.h"
#include "host/rewrite/optimize.h"

enum { NODES = 6, ROWS = 32, WIDTH = 16, BYTES = 4 * ROWS * WIDTH };

typedef struct file {
  uint8_t *bytes;
  size_t size;
} file;

// relu, five more, and a sum with the input: so the input stays alive throughout.
static file skip_chain(void) {
  arn_builder *b = arn_builder_new();
  const arn_build_tensor t = {.name = "t", .type = ARN_FLOAT32, .rank = 4,
                              .shape = {1, ROWS, WIDTH, 1}};
  file f = {NULL, 0};
  arn_builder_subgraph(b, "main");
  for (int32_t i = 0; i <= NODES; i++) arn_builder_tensor(b, &t);
  for (int32_t i = 0; i < NODES; i++) {
    const bool last = i + 1 == NODES;
    const arn_build_operator node = {
        .code = last ? ARN_BUILTIN_ADD : ARN_BUILTIN_RELU,
        .inputs = (int32_t[]){i, 0}, .input_count = last ? 2 : 1,
        .outputs = (int32_t[]){i + 1}, .output_count = 1,
        .options = {.type = last ? ARN_OPTIONS_ADD : 0}};
    arn_builder_operator(b, &node);
  }
  arn_builder_io(b, (int32_t[]){0}, 1, (int32_t[]){NODES}, 1);
  assert_true(arn_builder_finish(b, &f.bytes, &f.size));
  arn_builder_free(b);
  return f;
}

static file planned_by_rows(file plain) {
  const host_search_options search = {.budget_seconds = 1.0};
  arn_optimized r;
  arn_error error;
  const char *why = NULL;
  assert_int_equal(arn_optimize(plain.bytes, plain.size, &search, &r, &error, &why), ARN_OK);
  free(plain.bytes);
  return (file){r.bytes, r.size};
}

static void run(host_engine *e, file f, bool apart, uint8_t *out) {
  const host_options options = {.apart = apart, .fill = HOST_FILL_RANDOM};
  arn_error error;
  assert_int_equal(host_engine_open(e, f.bytes, f.size, &options, &error), ARN_OK);
  const arn_tensor_view in = host_engine_input(e, 0);
  host_generate_input(&in, 0, 0);
  assert_int_equal(host_engine_invoke(e, &error), ARN_OK);
  memcpy(out, host_engine_output(e, 0).data, BYTES);
  assert_true(host_engine_is_intact(e));
}

static void compare_ways(file f) {
  static uint8_t one[BYTES], two[BYTES];
  host_engine a, b;
  run(&a, f, false, one);
  run(&b, f, true, two);
  assert_memory_equal(one, two, BYTES);
  const arn_usage u = arn_used(&a.nn), v = arn_used(&b.nn);
  assert_memory_equal(&u, &v, sizeof u);
  assert_int_equal(b.arena_bytes, u.static_bytes);
  assert_true(u.dynamic_block_bytes >= u.dynamic_bytes);
  assert_true(u.static_bytes + u.dynamic_block_bytes <= u.arena_bytes);
  const uint8_t *in = arn_input(&b.nn, 0).data, *block = b.nn.config.dynamic;
  assert_true(in >= block && in + BYTES <= block + v.dynamic_block_bytes);
  host_engine_close(&a);
  host_engine_close(&b);
}

static void two_blocks_compute_what_one_does(void **state) {
  (void)state;
  file f = skip_chain();
  compare_ways(f);
  f = planned_by_rows(f);
  compare_ways(f);
  free(f.bytes);
}

// The numbers of a start with blocks of these sizes.
static arn_error start_with(const arn_model *model, size_t fixed, size_t dynamic) {
  static _Alignas(64) uint8_t arena[4096], block[4 * BYTES];
  const arn_config config = {.ops = &arn_ops_all, .dynamic = block, .dynamic_bytes = dynamic};
  arn_interpreter nn;
  arn_error error = {0};
  assert_true(fixed <= sizeof arena && dynamic <= sizeof block);
  if (arn_start(&nn, model, arena, fixed, &config, &error) == ARN_OK) error.status = ARN_OK;
  return error;
}

static void an_error_says_which_block_is_too_small(void **state) {
  (void)state;
  const file f = skip_chain();
  const arn_config config = {.ops = &arn_ops_all};
  arn_model model;
  arn_usage u;
  arn_error error;
  assert_int_equal(arn_model_open(&model, f.bytes, f.size, &error), ARN_OK);
  assert_int_equal(arn_measure(&model, &config, NULL, 0, &u, &error), ARN_OK);
  assert_int_equal(start_with(&model, u.static_bytes, u.dynamic_block_bytes).status, ARN_OK);
  error = start_with(&model, u.static_bytes, u.dynamic_block_bytes - 1);
  assert_int_equal(error.what, ARN_WHAT_ARENA_TENSOR);
  assert_int_equal(error.total_need, u.dynamic_block_bytes);
  assert_int_equal(error.have, u.dynamic_block_bytes - 1);
  error = start_with(&model, u.static_bytes, 8);
  assert_int_equal(error.what, ARN_WHAT_ARENA_PREPARE);
  assert_int_equal(error.total_need, u.dynamic_block_bytes);
  error = start_with(&model, u.static_bytes - 1, u.dynamic_block_bytes);
  assert_int_equal(error.what, ARN_WHAT_ARENA_STATE);
  assert_int_equal(error.total_need, u.static_bytes);
  free(f.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(two_blocks_compute_what_one_does),
      cmocka_unit_test(an_error_says_which_block_is_too_small),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
