// Graph rewrites: what goes, what must stay, the same outputs to the byte, and the bytes saved.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "host/check/engine.h"
#include "host/rewrite/builder.h"
#include "host/rewrite/reorder.h"
#include "host/rewrite/same.h"
#include "host/rewrite/simplify.h"

enum { RELU_N1_TO_1 = 20, RELU6 = 21, SUB = 41, SHAPE = 77 };

// ---- small networks -----------------------------------------------------------------------------

typedef struct net {
  arn_builder *b;
  arn_type type;
  float scale;  // of tensors that are made; 0: none
} net;

static net begin(arn_type type, float scale) {
  net n = {arn_builder_new(), type, scale};
  arn_builder_subgraph(n.b, "main");
  return n;
}

static int32_t tensor(net *n, int32_t h, int32_t w, int32_t c) {
  const int64_t zero = -3;
  const arn_build_quant quant = {&n->scale, &zero, n->scale > 0.0f ? 1 : 0, 0};
  return arn_builder_tensor(n->b, &(arn_build_tensor){.name = "t", .type = n->type, .rank = 4,
                                                      .shape = {1, h, w, c}, .quant = quant});
}

static int32_t ints(net *n, const int32_t *values, int32_t count, int32_t columns) {
  arn_build_tensor t = {.name = "list", .type = ARN_INT32, .rank = columns ? 2 : 1,
                        .shape = {columns ? count / columns : count, columns}, .data = values,
                        .data_bytes = (size_t)count * 4};
  return arn_builder_tensor(n->b, &t);
}

static int32_t floats(net *n, const int32_t shape[4]) {
  static float values[256];
  const size_t count = (size_t)(shape[0] * shape[1] * shape[2] * shape[3]);
  assert_true(count <= 256);
  for (size_t i = 0; i < count; i++) values[i] = (float)((int)(i * 37 % 23) - 11) / 16.0f;
  arn_build_tensor t = {.name = "weights", .type = ARN_FLOAT32, .rank = 4, .data = values,
                        .data_bytes = 4 * count};
  memcpy(t.shape, shape, sizeof t.shape[0] * 4);
  return arn_builder_tensor(n->b, &t);
}

typedef struct call {
  int32_t code, options;
  double values[8];
  int32_t in[3];
  uint32_t in_count;
  int32_t out;
} call;

static void node(net *n, call c) {
  arn_build_operator op = {.code = c.code, .version = 1, .inputs = c.in, .input_count = c.in_count,
                           .outputs = &c.out, .output_count = 1};
  op.options.type = c.options;
  memcpy(op.options.values, c.values, sizeof c.values);
  arn_builder_operator(n->b, &op);
}

// ---- what must come of them ---------------------------------------------------------------------

static uint8_t *aligned(const uint8_t *bytes, size_t size) {
  uint8_t *copy = aligned_alloc(16, (size / 16 + 1) * 16);
  assert_non_null(copy);
  memcpy(copy, bytes, size);
  return copy;
}

static uint32_t arena_of(const uint8_t *bytes, size_t size, uint32_t *nodes) {
  arn_model m;
  arn_subgraph g;
  arn_usage usage;
  arn_error error;
  const arn_config config = {.ops = &arn_ops_all};
  assert_int_equal(arn_model_open(&m, bytes, size, &error), ARN_OK);
  assert_int_equal(arn_model_subgraph(&m, 0, &g), ARN_OK);
  assert_int_equal(host_measure(&m, &config, &usage, &error), ARN_OK);
  *nodes = g.node_count;
  return usage.arena_bytes;
}

// Simplifies, and wants `left` nodes, the same outputs, and no larger an arena.
static arn_simplified simplify(net *n, int32_t in, int32_t out, uint32_t left) {
  uint8_t *bytes = NULL, *result = NULL;
  size_t size, result_size;
  uint32_t before, after;
  const char *why;
  arn_simplified done;
  arn_builder_io(n->b, &in, 1, &out, 1);
  if (!arn_builder_finish(n->b, &bytes, &size)) fail_msg("%s", arn_builder_error(n->b));
  arn_builder_free(n->b);
  uint8_t *file = aligned(bytes, size);
  free(bytes);
  if (!arn_simplify(file, size, &result, &result_size, &done, &why)) fail_msg("%s", why);
  const uint32_t arena = arena_of(file, size, &before);
  if (result == NULL) {
    assert_int_equal(before, left);
  } else {
    uint8_t *simpler = aligned(result, result_size);
    const uint32_t less = arena_of(simpler, result_size, &after);
    assert_int_equal(after, left);
    assert_true(less <= arena);
    assert_true(arn_run_the_same(file, size, simpler, result_size, 4));
    print_message("  arena %u -> %u bytes, %u -> %u operators\n", arena, less, before, after);
    free(simpler);
    free(result);
  }
  free(file);
  return done;
}

// ---- dead ---------------------------------------------------------------------------------------

static void what_nobody_reads_goes(void **state) {
  (void)state;
  net n = begin(ARN_FLOAT32, 0);
  const int32_t in = tensor(&n, 2, 3, 4), a = tensor(&n, 2, 3, 4), b = tensor(&n, 2, 3, 4),
                out = tensor(&n, 2, 3, 4);
  node(&n, (call){ARN_BUILTIN_LOGISTIC, 0, {0}, {in}, 1, a});
  node(&n, (call){ARN_BUILTIN_LOGISTIC, 0, {0}, {a}, 1, b});
  node(&n, (call){ARN_BUILTIN_ADD, ARN_OPTIONS_ADD, {0}, {in, in}, 2, out});
  assert_int_equal(simplify(&n, in, out, 1).dead, 2);
}

// ---- identity -----------------------------------------------------------------------------------

static arn_simplified transposes(const int32_t *first, const int32_t *second, bool twice,
                                 uint32_t left) {
  net n = begin(ARN_INT8, 0.5f);
  const int32_t dims[4] = {1, 4, 5, 6};
  int32_t middle[4];
  for (int i = 0; i < 4; i++) middle[i] = dims[first[i]];
  const int32_t in = tensor(&n, 4, 5, 6), a = tensor(&n, middle[1], middle[2], middle[3]),
                b = tensor(&n, middle[second[1]], middle[second[2]], middle[second[3]]),
                out = tensor(&n, middle[second[1]], middle[second[2]], middle[second[3]]);
  node(&n, (call){ARN_BUILTIN_TRANSPOSE, 0, {0}, {in, ints(&n, first, 4, 0)}, 2, a});
  node(&n, (call){ARN_BUILTIN_TRANSPOSE, 0, {0}, {a, ints(&n, second, 4, 0)}, 2, twice ? b : out});
  if (twice) node(&n, (call){ARN_BUILTIN_ADD, ARN_OPTIONS_ADD, {0}, {b, b}, 2, out});
  return simplify(&n, in, out, left);
}

static void transposes_cancel(void **state) {
  (void)state;
  const int32_t to[4] = {0, 2, 3, 1}, back[4] = {0, 3, 1, 2}, same[4] = {0, 1, 2, 3};
  arn_simplified s = transposes(to, back, true, 1);
  assert_int_equal(s.identities, 1);
  assert_int_equal(s.dead, 1);
  assert_int_equal(transposes(same, same, true, 1).identities, 2);
  assert_int_equal(transposes(to, to, true, 3).identities, 0);    // not its inverse
  assert_int_equal(transposes(to, back, false, 2).identities, 0);  // an output of the model
}

// ---- activation ---------------------------------------------------------------------------------

static arn_simplified activation(arn_type type, int32_t code, bool read_twice, uint32_t left) {
  net n = begin(type, type == ARN_FLOAT32 ? 0.0f : 0.0625f);
  const int32_t in = tensor(&n, 4, 5, 6), a = tensor(&n, 4, 5, 6), b = tensor(&n, 4, 5, 6),
                out = tensor(&n, 4, 5, 6);
  node(&n, (call){ARN_BUILTIN_ADD, ARN_OPTIONS_ADD, {0}, {in, in}, 2, a});
  node(&n, (call){code, 0, {0}, {a}, 1, read_twice ? b : out});
  if (read_twice) node(&n, (call){ARN_BUILTIN_ADD, ARN_OPTIONS_ADD, {0}, {a, b}, 2, out});
  return simplify(&n, in, out, left);
}

static void activations_move_into_their_producers(void **state) {
  (void)state;
  static const int32_t codes[] = {ARN_BUILTIN_RELU, RELU_N1_TO_1, RELU6};
  for (uint32_t i = 0; i < 3; i++) {
    assert_int_equal(activation(ARN_FLOAT32, codes[i], false, 1).activations, 1);
    assert_int_equal(activation(ARN_INT8, codes[i], false, 1).activations, 1);
    assert_int_equal(activation(ARN_FLOAT32, codes[i], true, 3).activations, 0);
  }
  assert_int_equal(activation(ARN_FLOAT32, ARN_BUILTIN_LOGISTIC, false, 2).activations, 0);
}

// ---- padding ------------------------------------------------------------------------------------

static arn_simplified padding(int32_t size, int32_t stride, const int32_t pads[8], uint32_t left) {
  net n = begin(ARN_FLOAT32, 0);
  const int32_t h = size + pads[2] + pads[3], w = size + pads[4] + pads[5];
  const int32_t c = 3 + pads[6] + pads[7], shape[4] = {2, 3, 3, c};
  const int32_t in = tensor(&n, size, size, 3), padded = tensor(&n, h, w, c),
                out = tensor(&n, (h - 3) / stride + 1, (w - 3) / stride + 1, 2);
  node(&n, (call){ARN_BUILTIN_PAD, ARN_OPTIONS_PAD, {0}, {in, ints(&n, pads, 8, 2)}, 2, padded});
  node(&n, (call){ARN_BUILTIN_CONV_2D, ARN_OPTIONS_CONV_2D,
                  {ARN_PADDING_VALID, stride, stride, ARN_ACTIVATION_RELU, 1, 1},
                  {padded, floats(&n, shape), -1}, 3, out});
  return simplify(&n, in, out, left);
}

static void paddings_become_those_of_the_convolution(void **state) {
  (void)state;
  const int32_t all[8] = {0, 0, 1, 1, 1, 1, 0, 0}, behind[8] = {0, 0, 0, 1, 0, 1, 0, 0},
                channels[8] = {0, 0, 1, 1, 1, 1, 0, 1};
  assert_int_equal(padding(7, 1, all, 1).paddings, 1);
  assert_int_equal(padding(7, 2, all, 1).paddings, 1);
  assert_int_equal(padding(8, 2, behind, 1).paddings, 1);
  assert_int_equal(padding(8, 2, all, 2).paddings, 0);  // SAME would pad behind only
  assert_int_equal(padding(7, 1, channels, 2).paddings, 0);
}

// ---- constant -----------------------------------------------------------------------------------

static void constants_are_computed_once(void **state) {
  (void)state;
  const int32_t shape[4] = {1, 4, 5, 6};
  net n = begin(ARN_FLOAT32, 0);
  const int32_t in = tensor(&n, 4, 5, 6), a = tensor(&n, 4, 5, 6), b = tensor(&n, 4, 5, 6),
                out = tensor(&n, 4, 5, 6), w = floats(&n, shape);
  node(&n, (call){ARN_BUILTIN_ADD, ARN_OPTIONS_ADD, {0}, {w, w}, 2, a});
  node(&n, (call){SUB, ARN_OPTIONS_SUB, {0}, {a, w}, 2, b});
  node(&n, (call){ARN_BUILTIN_MUL, ARN_OPTIONS_MUL, {0}, {in, b}, 2, out});
  const arn_simplified s = simplify(&n, in, out, 1);
  assert_int_equal(s.constants, 2);
  assert_int_equal(s.constant_bytes, 2 * 480);
}

// What other machines' math libraries round otherwise stays to be computed there.
static void float_functions_are_not_folded(void **state) {
  (void)state;
  const int32_t shape[4] = {1, 4, 5, 6};
  net n = begin(ARN_FLOAT32, 0);
  const int32_t in = tensor(&n, 4, 5, 6), a = tensor(&n, 4, 5, 6), out = tensor(&n, 4, 5, 6);
  node(&n, (call){ARN_BUILTIN_LOGISTIC, 0, {0}, {floats(&n, shape)}, 1, a});
  node(&n, (call){ARN_BUILTIN_MUL, ARN_OPTIONS_MUL, {0}, {in, a}, 2, out});
  assert_int_equal(simplify(&n, in, out, 2).constants, 0);
}

// ---- order --------------------------------------------------------------------------------------

// Two branches, each a large tensor that becomes a small one; the file makes both large ones first.
static uint8_t *branches(bool first_things_first, size_t *size) {
  const int32_t shape[4] = {1, 4, 4, 16};
  const call pool = {ARN_BUILTIN_AVERAGE_POOL_2D, ARN_OPTIONS_POOL_2D,
                     {ARN_PADDING_VALID, 4, 4, 4, 4}, {0}, 1, 0};
  net n = begin(ARN_FLOAT32, 0);
  const int32_t in = tensor(&n, 1, 1, 16), a = tensor(&n, 4, 4, 16), b = tensor(&n, 4, 4, 16),
                c = tensor(&n, 1, 1, 16), d = tensor(&n, 1, 1, 16), out = tensor(&n, 1, 1, 16),
                w = floats(&n, shape);
  call to_c = pool, to_d = pool;
  to_c.in[0] = a;
  to_c.out = c;
  to_d.in[0] = b;
  to_d.out = d;
  node(&n, (call){ARN_BUILTIN_ADD, ARN_OPTIONS_ADD, {0}, {w, in}, 2, a});
  if (first_things_first) node(&n, to_c);
  node(&n, (call){ARN_BUILTIN_ADD, ARN_OPTIONS_ADD, {0}, {w, in}, 2, b});
  if (!first_things_first) node(&n, to_c);
  node(&n, to_d);
  node(&n, (call){ARN_BUILTIN_ADD, ARN_OPTIONS_ADD, {0}, {c, d}, 2, out});
  uint8_t *bytes = NULL;
  arn_builder_io(n.b, &in, 1, &out, 1);
  if (!arn_builder_finish(n.b, &bytes, size)) fail_msg("%s", arn_builder_error(n.b));
  arn_builder_free(n.b);
  uint8_t *file = aligned(bytes, *size);
  free(bytes);
  return file;
}

static void operators_are_put_into_their_best_order(void **state) {
  (void)state;
  for (int good = 0; good < 2; good++) {
    size_t size, result_size;
    uint32_t nodes;
    uint8_t *file = branches(good, &size), *result = NULL;
    const char *why = NULL;
    if (!arn_reorder(file, size, &result, &result_size, &why)) fail_msg("%s", why);
    assert_int_equal(result == NULL, good);
    if (result) {
      uint8_t *better = aligned(result, result_size);
      const uint32_t before = arena_of(file, size, &nodes);
      const uint32_t after = arena_of(better, result_size, &nodes);
      assert_int_equal(nodes, 5);
      assert_true(after + 1024 <= before + 128);  // a large tensor less, a small one more
      assert_true(arn_run_the_same(file, size, better, result_size, 4));
      free(better);
      free(result);
    }
    free(file);
  }
}

static void broken_files_are_refused(void **state) {
  (void)state;
  uint8_t *result = NULL;
  size_t size;
  const char *why = NULL;
  arn_simplified done;
  static const uint8_t garbage[64] __attribute__((aligned(16))) = {1, 2, 3};
  assert_false(arn_simplify(garbage, sizeof garbage, &result, &size, &done, &why));
  assert_non_null(why);
  assert_null(result);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_nobody_reads_goes),
      cmocka_unit_test(transposes_cancel),
      cmocka_unit_test(activations_move_into_their_producers),
      cmocka_unit_test(paddings_become_those_of_the_convolution),
      cmocka_unit_test(constants_are_computed_once),
      cmocka_unit_test(float_functions_are_not_folded),
      cmocka_unit_test(operators_are_put_into_their_best_order),
      cmocka_unit_test(broken_files_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
