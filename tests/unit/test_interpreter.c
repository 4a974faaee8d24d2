// The interpreter's calls: starting in any arena at any address, failing and starting again,
// tensors, state, hooks, planners, threads. Models are built here.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/check/engine.h"
#include "host/rewrite/builder.h"

#define ARENA_BYTES 16384u

typedef struct file {
  uint8_t *bytes;
  size_t size;
} file;

static file finish(arn_builder *b) {
  file f = {NULL, 0};
  if (!arn_builder_finish(b, &f.bytes, &f.size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  return f;
}

// ---- a chain with a skip: c = relu(conv(in)), out = softmax(flatten(c + d)), d = conv(c) ----

enum { IN, WEIGHT, C, R, D, SUM, FLAT, OUT, CHAIN_TENSORS };

static const int8_t weight[64] = {1, -2, 3, -4, 5, -6, 7, -8, 9, 10, -11, 12, 13, -14, 15, 16};

static void add_chain_tensors(arn_builder *b) {
  const float scales[] = {0.1f, 1.0f / 256};
  const int64_t zeros[] = {3, -128};
  for (int32_t i = 0; i < CHAIN_TENSORS; i++) {
    arn_build_tensor t = {.name = (const char *[]){"in", "weight", "c", "r", "d", "sum", "flat",
                                                   "out"}[i],
                          .type = ARN_INT8, .rank = 4, .shape = {1, 6, 6, 4},
                          .quant = {&scales[i == OUT], &zeros[i == OUT], 1, 0}};
    if (i == WEIGHT) {
      memcpy(t.shape, (int32_t[]){4, 2, 2, 4}, 16);
      t.data = weight;
      t.data_bytes = 64;
      t.quant.zero_points = NULL;
    }
    if (i >= FLAT) {
      t.rank = 2;
      t.shape[1] = 144;
    }
    assert_int_equal(arn_builder_tensor(b, &t), i);
  }
}

static void add_node(arn_builder *b, int32_t code, arn_build_options options, const int32_t *in,
                     uint32_t count, int32_t out) {
  const arn_build_operator node = {.code = code, .inputs = in, .input_count = count,
                                   .outputs = &out, .output_count = 1, .options = options};
  arn_builder_operator(b, &node);
}

static file chain_with(const char *metadata, const void *data, size_t bytes) {
  arn_builder *b = arn_builder_new();
  const arn_build_options conv = {.type = ARN_OPTIONS_CONV_2D, .values = {0, 1, 1, 0, 1, 1}};
  const arn_build_options none = {.type = 0};
  const arn_build_options add = {.type = ARN_OPTIONS_ADD};
  const arn_build_options softmax = {.type = ARN_OPTIONS_SOFTMAX, .values = {1}};
  const arn_build_alias in = {"image", IN}, out = {"scores", OUT};
  arn_builder_subgraph(b, "main");
  add_chain_tensors(b);
  add_node(b, ARN_BUILTIN_CONV_2D, conv, (int32_t[]){IN, WEIGHT, -1}, 3, C);
  add_node(b, ARN_BUILTIN_RELU, none, (int32_t[]){C}, 1, R);
  add_node(b, ARN_BUILTIN_CONV_2D, conv, (int32_t[]){R, WEIGHT, -1}, 3, D);
  add_node(b, ARN_BUILTIN_ADD, add, (int32_t[]){R, D}, 2, SUM);
  add_node(b, ARN_BUILTIN_RESHAPE, none, (int32_t[]){SUM}, 1, FLAT);
  add_node(b, ARN_BUILTIN_SOFTMAX, softmax, (int32_t[]){FLAT}, 1, OUT);
  arn_builder_io(b, (int32_t[]){IN}, 1, (int32_t[]){OUT}, 1);
  arn_builder_signature(b, &(arn_build_signature){.key = "serve", .inputs = &in, .input_count = 1,
                                                  .outputs = &out, .output_count = 1});
  if (metadata) arn_builder_metadata(b, metadata, data, bytes);
  return finish(b);
}

// An arena at a known address, the model, and what the chain computes.
typedef struct bench {
  _Alignas(64) uint8_t arena[ARENA_BYTES + 64];
  file f;
  arn_model model;
  arn_interpreter nn;
  arn_config config;
  arn_error error;
  uint8_t want[144];
} bench;

static bench s;

static void open_model(file f) {
  free(s.f.bytes);
  s.f = f;
  assert_int_equal(arn_model_open(&s.model, f.bytes, f.size, &s.error), ARN_OK);
  s.config = (arn_config){.ops = &arn_ops_all};
}

static arn_status start(uint32_t bytes) {
  return arn_start(&s.nn, &s.model, s.arena, bytes, &s.config, &s.error);
}

static void compute(arn_interpreter *nn, uint8_t *out) {
  const arn_tensor_view in = arn_input(nn, 0);
  host_generate_input(&in, 0, 0);
  assert_int_equal(arn_invoke(nn, NULL), ARN_OK);
  memcpy(out, arn_output(nn, 0).data, 144);
}

static void want_the_same(void) {
  uint8_t got[144];
  compute(&s.nn, got);
  assert_memory_equal(got, s.want, sizeof got);
}

static void open_chain(void) {
  open_model(chain_with(NULL, NULL, 0));
  s.config.flags = ARN_KEEP_ALL | ARN_NO_OVERLAP;
  assert_int_equal(start(ARENA_BYTES), ARN_OK);
  compute(&s.nn, s.want);
  memset(&s.nn, 0, sizeof s.nn);
  s.config.flags = 0;
}

static int clean_up(void **state) {
  (void)state;
  free(s.f.bytes);
  s.f.bytes = NULL;
  return 0;
}

// ---- starting ----

static uint32_t measured(void) {
  arn_usage usage;
  assert_int_equal(arn_measure(&s.model, &s.config, NULL, 0, &usage, &s.error), ARN_OK);
  return usage.arena_bytes;
}

static void want_not_ready(void) {
  assert_int_equal(arn_invoke(&s.nn, &s.error), ARN_ERR_NOT_READY);
  assert_int_equal(arn_reset(&s.nn), ARN_ERR_NOT_READY);
  assert_int_equal(arn_reset_variable(&s.nn, 0), ARN_ERR_NOT_READY);
  assert_null(arn_input(&s.nn, 0).data);
  assert_null(arn_output(&s.nn, 0).data);
  assert_null(arn_tensor_at(&s.nn, 0, 0).data);
  assert_null(arn_tensor_by_name(&s.nn, "in").data);
  assert_null(arn_signature_input(&s.nn, NULL, "image").data);
  assert_int_equal(arn_used(&s.nn).arena_bytes, 0);
  assert_int_equal(arn_dynamic_bytes(&s.nn, 0), 0);
  assert_int_equal(arn_place_of_tensor(&s.nn, 0, 0).region, ARN_REGION_NONE);
  assert_null(arn_memory_of_node(&s.nn, 0, 0).op);
}

static void every_smaller_arena_fails_with_the_whole_need(void **state) {
  (void)state;
  open_chain();
  const uint32_t need = measured();
  for (uint32_t bytes = 0; bytes < need; bytes++) {
    memset(s.arena, 0xC5, sizeof s.arena);
    assert_int_equal(start(bytes), ARN_ERR_NO_MEMORY);
    assert_int_equal(s.error.status, ARN_ERR_NO_MEMORY);
    assert_int_not_equal(s.error.what, ARN_WHAT_NONE);
    assert_int_equal(s.error.total_need, need);
    for (uint32_t i = bytes; i < sizeof s.arena; i++) assert_int_equal(s.arena[i], 0xC5);
    if (bytes % 64 == 0) want_not_ready();
  }
  assert_int_equal(arn_start(&s.nn, &s.model, NULL, 0, &s.config, &s.error), ARN_ERR_NO_MEMORY);
  assert_int_equal(s.error.total_need, need);
  assert_int_equal(start(need), ARN_OK);
  want_the_same();
  for (uint32_t i = need; i < sizeof s.arena; i++) assert_int_equal(s.arena[i], 0xC5);
}

static void any_base_will_do_and_its_padding_is_said(void **state) {
  (void)state;
  open_chain();
  const uint32_t need = measured();
  for (uint32_t base = 0; base < 16; base++) {
    const uint32_t whole = need + (16 - base) % 16;
    uint8_t *at = s.arena + base;
    memset(s.arena, 0xC5, sizeof s.arena);
    assert_int_equal(arn_start(&s.nn, &s.model, at, whole - 1, &s.config, &s.error),
                     ARN_ERR_NO_MEMORY);
    assert_int_equal(s.error.total_need, whole);
    assert_int_equal(arn_start(&s.nn, &s.model, at, whole, &s.config, &s.error), ARN_OK);
    want_the_same();
    for (uint32_t i = 0; i < sizeof s.arena; i++) {
      if (i < base || i >= base + whole) assert_int_equal(s.arena[i], 0xC5);
    }
  }
}

static void a_failed_start_leaves_nothing_ready(void **state) {
  (void)state;
  open_chain();
  assert_int_equal(start(ARENA_BYTES), ARN_OK);
  assert_int_equal(arn_start(&s.nn, &s.model, NULL, 5, &s.config, &s.error), ARN_ERR_ARGUMENT);
  want_not_ready();
  assert_int_equal(start(ARENA_BYTES), ARN_OK);
  assert_int_equal(start(100), ARN_ERR_NO_MEMORY);
  want_not_ready();
}

static void null_arguments_are_refused(void **state) {
  (void)state;
  arn_usage usage;
  open_chain();
  const arn_config no_ops = {.ops = NULL}, uneven = {.ops = &arn_ops_all, .alignment = 12},
                   no_planner = {.ops = &arn_ops_all, .planner = 99};
  const arn_model nothing = {.bytes = NULL};
  arn_interpreter *nn = &s.nn;
  uint8_t *a = s.arena;
  assert_int_equal(arn_start(NULL, &s.model, a, 100, &s.config, NULL), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_start(nn, NULL, a, 100, &s.config, NULL), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_start(nn, &nothing, a, 100, &s.config, NULL), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_start(nn, &s.model, a, 100, NULL, NULL), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_start(nn, &s.model, a, 100, &no_ops, NULL), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_start(nn, &s.model, a, 100, &uneven, NULL), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_start(nn, &s.model, a, 100, &no_planner, NULL), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_measure(&s.model, &s.config, NULL, 0, NULL, NULL), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_measure(NULL, &s.config, NULL, 0, &usage, NULL), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_invoke(NULL, NULL), ARN_ERR_NOT_READY);
  assert_int_equal(arn_reset(NULL), ARN_ERR_NOT_READY);
  assert_null(arn_input(NULL, 0).data);
  assert_null(arn_tensor_by_name(NULL, "in").data);
  assert_int_equal(arn_check_node(NULL, NULL, 0, 0, NULL), ARN_ERR_ARGUMENT);
}

static void measuring_says_what_workspace_it_needs(void **state) {
  (void)state;
  static uint32_t workspace[4 * (ARN_STACK_PLAN_RECORDS + 64)];
  arn_builder *b = arn_builder_new();
  arn_usage usage, again;
  arn_build_tensor t = {.name = "t", .type = ARN_FLOAT32, .rank = 1, .shape = {8}};
  const uint32_t count = ARN_STACK_PLAN_RECORDS + 20;
  arn_builder_subgraph(b, "main");
  arn_builder_tensor(b, &t);
  for (int32_t i = 0; i < (int32_t)count; i++) {
    arn_builder_tensor(b, &t);
    add_node(b, ARN_BUILTIN_RELU, (arn_build_options){.type = 0}, &i, 1, i + 1);
  }
  arn_builder_io(b, (int32_t[]){0}, 1, (int32_t[]){(int32_t)count}, 1);
  open_model(finish(b));
  assert_int_equal(arn_measure(&s.model, &s.config, NULL, 0, &usage, &s.error), ARN_ERR_NO_MEMORY);
  assert_int_equal(s.error.what, ARN_WHAT_ARENA_PREPARE);
  assert_int_equal(arn_measure(&s.model, &s.config, workspace, 16 * (count - 1), &usage, &s.error),
                   ARN_ERR_NO_MEMORY);
  assert_int_equal(s.error.need, 16 * (count + 1));
  assert_int_equal(arn_measure(&s.model, &s.config, workspace, s.error.need, &usage, &s.error),
                   ARN_OK);
  assert_int_equal(arn_measure(&s.model, &s.config, workspace, sizeof workspace, &again, &s.error),
                   ARN_OK);
  assert_memory_equal(&usage, &again, sizeof usage);
  uint8_t *arena = aligned_alloc(16, (usage.arena_bytes / 16 + 1) * 16);
  assert_non_null(arena);
  assert_int_equal(arn_start(&s.nn, &s.model, arena, usage.arena_bytes - 1, &s.config, &s.error),
                   ARN_ERR_NO_MEMORY);
  assert_int_equal(arn_start(&s.nn, &s.model, arena, usage.arena_bytes, &s.config, &s.error),
                   ARN_OK);
  free(arena);
}

static void the_parts_add_up_to_the_arena(void **state) {
  (void)state;
  open_chain();
  static const uint16_t alignments[] = {4, 8, 16, 32, 64};
  for (uint32_t i = 0; i < 5; i++) {
    for (uint8_t planner = ARN_PLANNER_AUTO; planner <= ARN_PLANNER_OFFLINE; planner++) {
      s.config.alignment = alignments[i];
      s.config.planner = planner;
      const uint32_t need = measured();
      assert_int_equal(start(need - 1), ARN_ERR_NO_MEMORY);
      assert_int_equal(start(need), ARN_OK);
      const arn_usage u = arn_used(&s.nn);
      assert_int_equal(u.arena_bytes, need);
      assert_int_equal(u.engine_records + u.op_data + u.variables + u.weights_copied +
                           u.static_padding, u.static_bytes);
      assert_int_equal(u.peak_offset % alignments[i], 0);
      assert_true(u.peak_offset - u.static_bytes < alignments[i]);
      assert_int_equal(u.arena_bytes, u.init_temporary ? u.static_bytes + u.init_temporary
                                                       : u.peak_offset + u.dynamic_bytes);
      assert_int_equal(u.dynamic_bytes, arn_dynamic_bytes(&s.nn, 0));
      want_the_same();
    }
  }
}

// ---- operators ----

static void open_one_node(int32_t code, const char *custom) {
  arn_builder *b = arn_builder_new();
  const arn_build_tensor t = {.name = "t", .type = ARN_FLOAT32, .rank = 1, .shape = {8}};
  const arn_build_operator node = {.code = code, .custom_name = custom, .inputs = (int32_t[]){0},
                                   .input_count = 1, .outputs = (int32_t[]){1}, .output_count = 1};
  arn_builder_subgraph(b, "main");
  arn_builder_tensor(b, &t);
  arn_builder_tensor(b, &t);
  arn_builder_operator(b, &node);
  arn_builder_io(b, (int32_t[]){0}, 1, (int32_t[]){1}, 1);
  open_model(finish(b));
}

static arn_what why_not(int32_t code, const char *custom, const arn_op_list *ops) {
  open_one_node(code, custom);
  s.config.ops = ops;
  assert_int_equal(start(ARENA_BYTES), ARN_ERR_NO_OP);
  assert_int_equal(s.error.node, 0);
  const arn_what what = s.error.what;
  assert_int_equal(arn_check_node(&s.model, ops, 0, 0, &s.error), ARN_ERR_NO_OP);
  assert_int_equal(s.error.what, what);
  return what;
}

static void operators_that_are_missing_say_why(void **state) {
  (void)state;
  static const arn_op *const some[] = {&arn_op_softmax};
  static const arn_op_list few = {.ops = some, .count = 1}, none = {0};
  assert_int_equal(why_not(ARN_BUILTIN_RELU, NULL, &few), ARN_WHAT_OP_NOT_REGISTERED);
  assert_int_equal(why_not(ARN_BUILTIN_RELU, NULL, &none), ARN_WHAT_OP_NOT_REGISTERED);
  assert_int_equal(why_not(ARN_BUILTIN_CUSTOM, "mine", &arn_ops_all), ARN_WHAT_OP_CUSTOM);
  assert_int_equal(why_not(ARN_BUILTIN_CUSTOM, "FlexErf", &arn_ops_all), ARN_WHAT_OP_FLEX);
  assert_int_equal(why_not(ARN_BUILTIN_CUSTOM, "ethos-u", &arn_ops_all), ARN_WHAT_OP_VENDOR);
  assert_int_equal(why_not(ARN_BUILTIN_CUSTOM, "edgetpu-custom-op", &few), ARN_WHAT_OP_VENDOR);
}

// An application's own record that says it prepares more than the engine has room for.
static arn_status never_prepared(arn_prepare *p, void *data) {
  (void)p;
  (void)data;
  fail_msg("prepared without room");
  return ARN_OK;
}

static void operators_with_too_much_data_are_refused(void **state) {
  static const arn_op large = {.name = "mine", .code = ARN_CODE_CUSTOM, .state_bytes = 260,
                               .prepare = never_prepared};
  static const arn_op *const mine[] = {&large};
  static const arn_op_list list = {.ops = mine, .count = 1};
  (void)state;
  open_one_node(ARN_BUILTIN_CUSTOM, "mine");
  s.config.ops = &list;
  assert_int_equal(start(ARENA_BYTES), ARN_ERR_ARGUMENT);
  assert_int_equal(s.error.what, ARN_WHAT_SIZE);
  assert_int_equal(arn_check_node(&s.model, &list, 0, 0, &s.error), ARN_ERR_ARGUMENT);
}

static void no_operator_of_ours_has_too_much_data(void **state) {
  (void)state;
  for (uint32_t i = 0; i < arn_ops_all.count; i++) {
    assert_true(arn_ops_all.ops[i]->state_bytes <= ARN_STATE_MAX_BYTES);
    assert_int_equal(arn_ops_all.ops[i]->state_bytes % 4, 0);
  }
}

// ---- tensors ----

static void tensors_are_found_by_index_name_and_signature(void **state) {
  (void)state;
  open_chain();
  s.config.flags = ARN_KEEP_ALL;
  assert_int_equal(start(ARENA_BYTES), ARN_OK);
  const arn_tensor_view in = arn_input(&s.nn, 0), out = arn_output(&s.nn, 0);
  assert_ptr_equal(arn_tensor_at(&s.nn, 0, IN).data, in.data);
  assert_ptr_equal(arn_tensor_by_name(&s.nn, "in").data, in.data);
  assert_ptr_equal(arn_tensor_by_name(&s.nn, "out").data, out.data);
  assert_ptr_equal(arn_signature_input(&s.nn, "serve", "image").data, in.data);
  assert_ptr_equal(arn_signature_output(&s.nn, NULL, "scores").data, out.data);
  assert_memory_equal(arn_tensor_by_name(&s.nn, "weight").data, weight, 64);
  assert_int_equal(in.bytes, 144);
  assert_int_equal(in.type, ARN_INT8);
  assert_int_equal(in.rank, 4);
  assert_int_equal(in.dims[1], 6);
  assert_int_equal(in.zero_point, 3);
  assert_true(in.scale == 0.1f && out.scale == 1.0f / 256);
  assert_null(arn_input(&s.nn, 1).data);
  assert_null(arn_output(&s.nn, UINT32_MAX).data);
  assert_null(arn_tensor_at(&s.nn, 0, CHAIN_TENSORS).data);
  assert_null(arn_tensor_at(&s.nn, 1, 0).data);
  assert_null(arn_tensor_by_name(&s.nn, "i").data);
  assert_null(arn_tensor_by_name(&s.nn, "inn").data);
  assert_null(arn_tensor_by_name(&s.nn, NULL).data);
  assert_null(arn_signature_input(&s.nn, "other", "image").data);
  assert_null(arn_signature_input(&s.nn, "serve", "scores").data);
}

static void keeping_all_gives_every_tensor_its_own_memory(void **state) {
  (void)state;
  open_chain();
  s.config.flags = ARN_KEEP_ALL;
  assert_int_equal(start(ARENA_BYTES), ARN_OK);
  want_the_same();
  for (uint32_t i = 0; i < CHAIN_TENSORS; i++) {
    const arn_tensor_view a = arn_tensor_at(&s.nn, 0, i);
    for (uint32_t k = 0; k < i; k++) {
      const arn_tensor_view b = arn_tensor_at(&s.nn, 0, k);
      const bool apart = (uint8_t *)a.data + a.bytes <= (uint8_t *)b.data ||
                         (uint8_t *)b.data + b.bytes <= (uint8_t *)a.data;
      assert_true(apart || (i == FLAT && k == SUM));
    }
  }
  const int8_t *c = arn_tensor_at(&s.nn, 0, C).data, *r = arn_tensor_at(&s.nn, 0, R).data;
  for (uint32_t i = 0; i < 144; i++) assert_int_equal(r[i], c[i] < 3 ? 3 : c[i]);
}

static bool copies_all(void *context, uint32_t subgraph, const arn_tensor *tensor) {
  *(uint32_t *)context += 1;
  assert_int_equal(subgraph, 0);
  assert_int_equal(tensor->index, WEIGHT);
  return true;
}

static void weights_are_copied_where_asked(void **state) {
  (void)state;
  uint32_t asked = 0;
  open_chain();
  s.config.copy_weights = copies_all;
  s.config.copy_context = &asked;
  const uint32_t need = measured();
  assert_int_equal(start(need), ARN_OK);
  assert_int_equal(asked, 2);
  assert_int_equal(arn_used(&s.nn).weights_copied, 64);
  assert_int_equal(arn_place_of_tensor(&s.nn, 0, WEIGHT).region, ARN_REGION_STATIC);
  assert_memory_equal(arn_tensor_at(&s.nn, 0, WEIGHT).data, weight, 64);
  want_the_same();
  assert_int_equal(start(need - 1), ARN_ERR_NO_MEMORY);
}

// ---- state ----

enum { X, HANDLE, NEW_VALUE, OLD, ONE, INNER_HANDLE = 0, INNER_VALUE = 1 };

// A counter: CALL_ONCE assigns 7s; then count += x, out is the count before. A variable tensor too.
static file counter(void) {
  static const float sevens[2] = {7, 7};
  arn_builder *b = arn_builder_new();
  const arn_build_options handle = {.type = ARN_OPTIONS_VAR_HANDLE, .texts = {"", "count"}};
  const arn_build_options once = {.type = ARN_OPTIONS_CALL_ONCE, .values = {1}};
  const arn_build_options none = {.type = 0}, add = {.type = ARN_OPTIONS_ADD};
  arn_build_tensor value = {.name = "v", .type = ARN_FLOAT32, .rank = 1, .shape = {2}};
  const arn_build_tensor resource = {.name = "h", .type = ARN_RESOURCE};
  const arn_build_operator call = {.code = 129, .options = once};
  const arn_build_operator assign = {.code = 144, .inputs = (int32_t[]){HANDLE, NEW_VALUE},
                                     .input_count = 2};
  const arn_build_operator assign_first = {.code = 144, .inputs = (int32_t[]){0, 1},
                                           .input_count = 2};
  arn_builder_subgraph(b, "main");
  arn_builder_tensor(b, &value);
  arn_builder_tensor(b, &resource);
  arn_builder_tensor(b, &value);
  arn_builder_tensor(b, &value);
  value.is_variable = true;
  arn_builder_tensor(b, &value);
  arn_builder_operator(b, &call);
  add_node(b, 142, handle, NULL, 0, HANDLE);
  add_node(b, 143, none, (int32_t[]){HANDLE}, 1, OLD);
  add_node(b, ARN_BUILTIN_ADD, add, (int32_t[]){OLD, X}, 2, NEW_VALUE);
  arn_builder_operator(b, &assign);
  arn_builder_io(b, (int32_t[]){X}, 1, (int32_t[]){OLD}, 1);
  arn_builder_subgraph(b, "once");
  arn_builder_tensor(b, &resource);
  value.is_variable = false;
  value.data = sevens;
  value.data_bytes = 8;
  arn_builder_tensor(b, &value);
  add_node(b, 142, handle, NULL, 0, INNER_HANDLE);
  arn_builder_operator(b, &assign_first);
  arn_builder_io(b, NULL, 0, NULL, 0);
  return finish(b);
}

static float count_on(float x) {
  float out;
  memcpy(arn_input(&s.nn, 0).data, (float[]){x, x}, 8);
  assert_int_equal(arn_invoke(&s.nn, &s.error), ARN_OK);
  memcpy(&out, arn_output(&s.nn, 0).data, 4);
  return out;
}

static void resets_bring_the_first_state_back(void **state) {
  (void)state;
  open_model(counter());
  assert_int_equal(start(measured()), ARN_OK);
  for (uint32_t round = 0; round < 2; round++) {
    assert_true(count_on(1) == 7);
    assert_true(count_on(2) == 8);
    assert_true(count_on(0) == 10);
    assert_int_equal(arn_reset(&s.nn), ARN_OK);  // arms CALL_ONCE again
  }
  assert_true(count_on(5) == 7);
  assert_int_equal(arn_reset_variable(&s.nn, HANDLE), ARN_OK);  // only the variable
  assert_true(count_on(5) == 0);
  assert_true(count_on(5) == 5);
  assert_int_equal(arn_reset_variable(&s.nn, X), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_reset_variable(&s.nn, 5), ARN_ERR_ARGUMENT);
  assert_int_equal(arn_used(&s.nn).variables, 16);
}

static void variable_tensors_are_reset_too(void **state) {
  (void)state;
  open_model(counter());
  assert_int_equal(start(ARENA_BYTES), ARN_OK);
  float *kept = arn_tensor_at(&s.nn, 0, ONE).data;
  assert_non_null(kept);
  assert_true(kept[0] == 0 && kept[1] == 0);
  kept[0] = kept[1] = 3;
  (void)count_on(1);
  assert_true(kept[1] == 3);
  assert_int_equal(arn_reset_variable(&s.nn, ONE), ARN_OK);
  assert_true(kept[0] == 0 && kept[1] == 0);
  kept[0] = 4;
  assert_int_equal(arn_reset(&s.nn), ARN_OK);
  assert_true(kept[0] == 0);
}

// ---- hooks ----

// Steps seen; `abort_at` is the number of the step that is not to run.
typedef struct watch {
  uint32_t before, after, abort_at;
  uint32_t nodes[64];
} watch;

static bool step_begins(void *context, const arn_interpreter *nn, const arn_step *step) {
  watch *seen = context;
  assert_ptr_equal(nn, &s.nn);
  assert_int_equal(seen->before, seen->after);
  assert_non_null(step->op);
  assert_true(seen->before < 64);
  if (seen->before == seen->abort_at) return false;
  seen->nodes[seen->before++] = step->node;
  return true;
}

static void step_ends(void *context, const arn_interpreter *nn, const arn_step *step) {
  watch *seen = context;
  (void)nn;
  assert_int_equal(seen->before, seen->after + 1);
  assert_int_equal(seen->nodes[seen->after++], step->node);
}

static void hooks_see_every_step_and_may_abort(void **state) {
  (void)state;
  watch seen = {.abort_at = UINT32_MAX};
  open_chain();
  s.config.hooks = (arn_hooks){step_begins, step_ends, &seen};
  assert_int_equal(start(ARENA_BYTES), ARN_OK);
  want_the_same();
  const uint32_t steps = seen.after;
  assert_true(steps >= 6 && seen.before == steps);
  for (uint32_t i = 1; i < steps; i++) assert_true(seen.nodes[i] >= seen.nodes[i - 1]);
  for (uint32_t i = 0; i < steps; i++) {
    seen = (watch){.abort_at = i};
    assert_int_equal(arn_invoke(&s.nn, &s.error), ARN_ERR_ABORTED);
    assert_int_equal(s.error.what, ARN_WHAT_HOOK);
    assert_int_equal(seen.after, i);
    seen = (watch){.abort_at = UINT32_MAX};
    want_the_same();
  }
}

// ---- offline plans ----

#define PLAN_WORDS (3 + CHAIN_TENSORS)

static arn_status start_offline(const int32_t *plan, uint32_t words, uint8_t planner) {
  open_model(chain_with("OfflineMemoryAllocation", plan, 4 * words));
  s.config.planner = planner;
  return start(ARENA_BYTES);
}

static void offline_plans_are_kept_to(void **state) {
  (void)state;
  static const int32_t plan[PLAN_WORDS] = {1, 0, CHAIN_TENSORS, 1600, -1, 800, 400, 0, 1200, -1,
                                           -1};
  open_chain();
  assert_int_equal(start_offline(plan, PLAN_WORDS, ARN_PLANNER_OFFLINE), ARN_OK);
  static const uint32_t tensors[] = {IN, C, R, D, SUM};
  const uint32_t low = arn_place_of_tensor(&s.nn, 0, D).offset;
  for (uint32_t i = 0; i < 5; i++) {
    const arn_placement at = arn_place_of_tensor(&s.nn, 0, tensors[i]);
    assert_int_equal(at.region, ARN_REGION_DYNAMIC);
    assert_int_equal(at.offset - low, plan[3 + tensors[i]]);
  }
  want_the_same();
  for (uint8_t planner = ARN_PLANNER_AUTO; planner < ARN_PLANNER_OFFLINE; planner++) {
    assert_int_equal(start_offline(plan, PLAN_WORDS, planner), ARN_OK);
    assert_true(arn_used(&s.nn).dynamic_bytes < 1200);
    want_the_same();
  }
}

static void offline_plans_that_do_not_fit_are_refused(void **state) {
  (void)state;
  static const struct {
    uint32_t word;
    int32_t value;
    arn_what what;
  } cases[] = {{0, 2, ARN_WHAT_PLAN_VERSION},     {2, CHAIN_TENSORS - 1, ARN_WHAT_PLAN_COUNT},
               {2, -1, ARN_WHAT_PLAN_COUNT},      {3 + C, -2, ARN_WHAT_PLAN_OFFSET},
               {3 + C, INT32_MIN, ARN_WHAT_PLAN_OFFSET}, {3 + C, INT32_MAX, ARN_WHAT_PLAN_OFFSET},
               {3 + C, 6, ARN_WHAT_PLAN_OFFSET},  {3 + SUM, 4, ARN_WHAT_PLAN_OVERLAP},
               {3 + D, 400, ARN_WHAT_PLAN_OVERLAP}};
  for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    int32_t plan[PLAN_WORDS] = {1, 0, CHAIN_TENSORS, 1600, -1, 800, 400, 0, 1200, -1, -1};
    plan[cases[i].word] = cases[i].value;
    assert_int_equal(start_offline(plan, PLAN_WORDS, ARN_PLANNER_OFFLINE), ARN_ERR_PLAN);
    assert_int_equal(s.error.what, cases[i].what);
    want_not_ready();
    assert_int_equal(start_offline(plan, PLAN_WORDS, ARN_PLANNER_GREEDY), ARN_OK);
  }
  const int32_t plan[PLAN_WORDS] = {1, 0, CHAIN_TENSORS};
  assert_int_equal(start_offline(plan, 2, ARN_PLANNER_OFFLINE), ARN_ERR_PLAN);
  assert_int_equal(start_offline(plan, PLAN_WORDS - 1, ARN_PLANNER_OFFLINE), ARN_ERR_PLAN);
  assert_int_equal(s.error.what, ARN_WHAT_PLAN_COUNT);
}

// ---- threads ----

// What a thread does: its own interpreter and arena over the common model.
typedef struct worker {
  _Alignas(16) uint8_t arena[ARENA_BYTES];
  arn_interpreter nn;
  uint32_t failures;
} worker;

static void *work(void *context) {
  worker *mine = context;
  for (uint32_t i = 0; i < 200; i++) {
    if (i % 20 == 0 && arn_start(&mine->nn, &s.model, mine->arena, sizeof mine->arena, &s.config,
                                 NULL) != ARN_OK) {
      mine->failures++;
      break;
    }
    const arn_tensor_view in = arn_input(&mine->nn, 0);
    host_generate_input(&in, 0, 0);
    if (arn_invoke(&mine->nn, NULL) != ARN_OK ||
        memcmp(arn_output(&mine->nn, 0).data, s.want, sizeof s.want) != 0) {
      mine->failures++;
    }
  }
  return NULL;
}

static void threads_with_their_own_arenas_do_not_disturb_each_other(void **state) {
  (void)state;
  static worker workers[2];
  pthread_t threads[2];
  open_chain();
  for (uint32_t i = 0; i < 2; i++) {
    workers[i].failures = 0;
    assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
  }
  for (uint32_t i = 0; i < 2; i++) assert_int_equal(pthread_join(threads[i], NULL), 0);
  assert_int_equal(workers[0].failures + workers[1].failures, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_smaller_arena_fails_with_the_whole_need),
      cmocka_unit_test(any_base_will_do_and_its_padding_is_said),
      cmocka_unit_test(a_failed_start_leaves_nothing_ready),
      cmocka_unit_test(null_arguments_are_refused),
      cmocka_unit_test(measuring_says_what_workspace_it_needs),
      cmocka_unit_test(the_parts_add_up_to_the_arena),
      cmocka_unit_test(operators_that_are_missing_say_why),
      cmocka_unit_test(operators_with_too_much_data_are_refused),
      cmocka_unit_test(no_operator_of_ours_has_too_much_data),
      cmocka_unit_test(tensors_are_found_by_index_name_and_signature),
      cmocka_unit_test(keeping_all_gives_every_tensor_its_own_memory),
      cmocka_unit_test(weights_are_copied_where_asked),
      cmocka_unit_test(resets_bring_the_first_state_back),
      cmocka_unit_test(variable_tensors_are_reset_too),
      cmocka_unit_test(hooks_see_every_step_and_may_abort),
      cmocka_unit_test(offline_plans_are_kept_to),
      cmocka_unit_test(offline_plans_that_do_not_fit_are_refused),
      cmocka_unit_test(threads_with_their_own_arenas_do_not_disturb_each_other),
  };
  return cmocka_run_group_tests(tests, NULL, clean_up);
}
