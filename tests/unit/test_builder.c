// The writer of .tflite files, and the copier, judged by a reader that shares no code with them:
// what it finds (fbview.h) is compared with what was asked for.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/rewrite/builder.h"
#include "host/rewrite/fbcopy.h"
#include "tests/unit/fbview.h"

// ---- a model with one of everything ----

static const int8_t weights[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
static const float weight_scales[3] = {0.5f, 0.25f, 0.125f};

static void add_tensors(arn_builder *b) {
  const arn_build_quant quant = {(float[]){0.1f}, (int64_t[]){-5}, 1, 0};
  arn_build_tensor t = {.name = "in", .type = ARN_INT8, .rank = 4, .shape = {1, 4, 4, 1},
                        .quant = quant};
  assert_int_equal(arn_builder_tensor(b, &t), 0);
  t = (arn_build_tensor){.name = "w", .type = ARN_INT8, .rank = 4, .shape = {3, 2, 2, 1},
                         .data = weights, .data_bytes = 12,
                         .quant = {weight_scales, NULL, 3, 0}};
  assert_int_equal(arn_builder_tensor(b, &t), 1);
  t.name = "w again";
  assert_int_equal(arn_builder_tensor(b, &t), 2);
  t = (arn_build_tensor){.name = "out", .type = ARN_INT8, .rank = 4, .shape = {1, 3, 3, 3},
                         .quant = quant};
  assert_int_equal(arn_builder_tensor(b, &t), 3);
  t = (arn_build_tensor){.name = "state", .type = ARN_FLOAT32, .is_variable = true};
  assert_int_equal(arn_builder_tensor(b, &t), 4);
  t = (arn_build_tensor){.name = "shape", .type = ARN_INT32, .rank = 1, .shape = {2},
                         .data = (int32_t[]){9, 3}, .data_bytes = 8};
  assert_int_equal(arn_builder_tensor(b, &t), 5);
  t = (arn_build_tensor){.name = "flat", .type = ARN_INT8, .rank = 2, .shape = {9, 3}};
  assert_int_equal(arn_builder_tensor(b, &t), 6);
}

static void add_operators(arn_builder *b) {
  const arn_build_operator conv = {
      .code = ARN_BUILTIN_CONV_2D, .version = 3, .inputs = (int32_t[]){0, 1, -1},
      .input_count = 3, .outputs = (int32_t[]){3}, .output_count = 1,
      .options.type = ARN_OPTIONS_CONV_2D,
      .options.values = {ARN_PADDING_VALID, 2, 3, ARN_ACTIVATION_RELU6, 1, 7}};
  assert_int_equal(arn_builder_operator(b, &conv), 0);
  const arn_build_operator reshape = {
      .code = ARN_BUILTIN_RESHAPE, .inputs = (int32_t[]){3, 5}, .input_count = 2,
      .outputs = (int32_t[]){6}, .output_count = 1, .options.type = ARN_OPTIONS_RESHAPE,
      .options.lists = {{(int32_t[]){9, 3}, 2}}};
  assert_int_equal(arn_builder_operator(b, &reshape), 1);
  const arn_build_operator handle = {.code = 142, .outputs = (int32_t[]){4}, .output_count = 1,
                                     .options.type = ARN_OPTIONS_VAR_HANDLE,
                                     .options.texts = {"", "counter"}};
  assert_int_equal(arn_builder_operator(b, &handle), 2);
  const arn_build_operator custom = {.code = ARN_BUILTIN_CUSTOM, .custom_name = "mine",
                                     .inputs = (int32_t[]){6}, .input_count = 1,
                                     .outputs = (int32_t[]){6}, .output_count = 1,
                                     .custom_options = "\1\2\3", .custom_bytes = 3};
  assert_int_equal(arn_builder_operator(b, &custom), 3);
  assert_int_equal(arn_builder_operator(b, &conv), 4);
  const arn_build_operator soft = {.code = ARN_BUILTIN_SOFTMAX, .inputs = (int32_t[]){6},
                                   .input_count = 1, .outputs = (int32_t[]){6},
                                   .output_count = 1, .options.type = ARN_OPTIONS_SOFTMAX,
                                   .options.values = {0.75}};
  assert_int_equal(arn_builder_operator(b, &soft), 5);
}

static arn_builder *build_everything(void) {
  arn_builder *b = arn_builder_new();
  assert_non_null(b);
  arn_builder_describe(b, "one of everything");
  assert_int_equal(arn_builder_subgraph(b, "main"), 0);
  add_tensors(b);
  add_operators(b);
  arn_builder_io(b, (int32_t[]){0}, 1, (int32_t[]){6, 3}, 2);
  assert_int_equal(arn_builder_subgraph(b, "second"), 1);
  arn_builder_tensor(b, &(arn_build_tensor){.name = "x", .type = ARN_INT8, .rank = 1,
                                            .shape = {12}, .data = weights, .data_bytes = 12});
  arn_builder_io(b, NULL, 0, (int32_t[]){0}, 1);
  const arn_build_alias in = {"image", 0}, out[2] = {{"a", 6}, {"b", 3}};
  const arn_build_signature signature = {.key = "serve", .inputs = &in, .input_count = 1,
                                         .outputs = out, .output_count = 2};
  assert_int_equal(arn_builder_signature(b, &signature), 0);
  assert_int_equal(arn_builder_metadata(b, "plan", "0123456789", 10), 0);
  assert_null(arn_builder_error(b));
  return b;
}

static view finish(arn_builder *b) {
  view v = {NULL, 0};
  if (!arn_builder_finish(b, &v.bytes, &v.size)) fail_msg("%s", arn_builder_error(b));
  return v;
}

static view everything(void) {
  arn_builder *b = build_everything();
  const view v = finish(b);
  arn_builder_free(b);
  return v;
}

static void assert_tensors(const view *v) {
  assert_int_equal(count_of(v, graph_of(v, 0), GRAPH_TENSORS), 7);
  assert_numbers(v, tensor_of(v, 0), TENSOR_SHAPE, (int32_t[]){1, 4, 4, 1}, 4);
  assert_text(v, tensor_of(v, 0), TENSOR_NAME, "in");
  assert_int_equal(scalar(v, tensor_of(v, 0), TENSOR_TYPE, 1), 9);
  assert_int_equal(scalar(v, tensor_of(v, 0), TENSOR_BUFFER, 4), 0);
  uint32_t count;
  const size_t quant = child(v, tensor_of(v, 0), TENSOR_QUANT);
  assert_true(real(v, vector(v, quant, QUANT_SCALE, 4, &count)) == 0.1f);
  assert_int_equal(count, 1);
  assert_int_equal((int64_t)number(v, vector(v, quant, QUANT_ZERO, 8, &count), 8), -5);
  const size_t channels = child(v, tensor_of(v, 1), TENSOR_QUANT);
  const size_t scales = vector(v, channels, QUANT_SCALE, 4, &count);
  assert_int_equal(count, 3);
  for (uint32_t i = 0; i < 3; i++) assert_true(real(v, scales + 4 * i) == weight_scales[i]);
  vector(v, channels, QUANT_ZERO, 8, &count);
  assert_int_equal(count, 3);
  assert_memory_equal(data_of(v, 1, &count), weights, 12);
  assert_int_equal(count, 12);
  assert_ptr_equal(data_of(v, 2, &count), data_of(v, 1, &count));  // stored once
  assert_int_equal(scalar(v, tensor_of(v, 4), TENSOR_VARIABLE, 1), 1);
  assert_numbers(v, tensor_of(v, 4), TENSOR_SHAPE, NULL, 0);
  assert_int_equal(child(v, tensor_of(v, 6), TENSOR_QUANT), 0);
}

static void assert_operators(const view *v) {
  assert_int_equal(count_of(v, graph_of(v, 0), GRAPH_OPERATORS), 6);
  assert_int_equal(count_of(v, root_of(v), MODEL_CODES), 5);  // two convs share one
  assert_numbers(v, operator_of(v, 0), OP_INPUTS, (int32_t[]){0, 1, -1}, 3);
  assert_numbers(v, operator_of(v, 0), OP_OUTPUTS, (int32_t[]){3}, 1);
  assert_int_equal(scalar(v, operator_of(v, 0), OP_OPTIONS_TYPE, 1), 1);
  const size_t conv = child(v, operator_of(v, 0), OP_OPTIONS);
  assert_int_equal(scalar(v, conv, 0, 1), 1);
  assert_int_equal(scalar(v, conv, 1, 4), 2);
  assert_int_equal(scalar(v, conv, 2, 4), 3);
  assert_int_equal(scalar(v, conv, 3, 1), 3);
  assert_int_equal(scalar(v, conv, 4, 4), 1);
  assert_int_equal(scalar(v, conv, 5, 4), 7);
  assert_int_equal(scalar(v, code_of(v, 0), 0, 1), 3);
  assert_int_equal(scalar(v, code_of(v, 0), 2, 4), 3);
  assert_int_equal(builtin_of(v, 0), 3);
  assert_int_equal(scalar(v, operator_of(v, 1), OP_OPTIONS_TYPE, 1), 17);
  assert_numbers(v, child(v, operator_of(v, 1), OP_OPTIONS), 0, (int32_t[]){9, 3}, 2);
  assert_int_equal(scalar(v, code_of(v, 2), 0, 1), 127);
  assert_int_equal(builtin_of(v, 2), 142);
  assert_int_equal(scalar(v, operator_of(v, 2), OP_OPTIONS_TYPE, 1), 111);
  assert_text(v, child(v, operator_of(v, 2), OP_OPTIONS), 1, "counter");
  assert_text(v, code_of(v, 3), 1, "mine");
  assert_int_equal(builtin_of(v, 3), 32);
  assert_int_equal(count_of(v, operator_of(v, 3), OP_CUSTOM), 3);
  assert_int_equal(scalar(v, operator_of(v, 5), OP_OPTIONS_TYPE, 1), 9);
  assert_true(real(v, field(v, child(v, operator_of(v, 5), OP_OPTIONS), 0)) == 0.75f);
}

static void assert_model(const view *v) {
  const size_t root = root_of(v);
  assert_text(v, root, MODEL_TEXT, "one of everything");
  assert_int_equal(count_of(v, root, MODEL_SUBGRAPHS), 2);
  assert_text(v, graph_of(v, 1), GRAPH_NAME, "second");
  assert_numbers(v, graph_of(v, 0), GRAPH_INPUTS, (int32_t[]){0}, 1);
  assert_numbers(v, graph_of(v, 0), GRAPH_OUTPUTS, (int32_t[]){6, 3}, 2);
  assert_int_equal(count_of(v, root, MODEL_BUFFERS), 4);  // none, weights, shape, metadata
  const size_t metadata = item(v, root, MODEL_METADATA, 0);
  assert_text(v, metadata, 0, "plan");
  const size_t buffer = item(v, root, MODEL_BUFFERS, (uint32_t)scalar(v, metadata, 1, 4));
  assert_text(v, item(v, root, MODEL_SIGNATURES, 0), 2, "serve");
  const size_t output = item(v, item(v, root, MODEL_SIGNATURES, 0), 1, 1);
  assert_text(v, output, 0, "b");
  assert_int_equal(scalar(v, output, 1, 4), 3);
  uint32_t bytes;
  const size_t data = vector(v, buffer, 0, 1, &bytes);
  assert_int_equal(bytes, 10);
  assert_memory_equal(v->bytes + data, "0123456789", 10);
}

static void test_everything_reads_back(void **state) {
  (void)state;
  const view v = everything();
  assert_sound(&v);
  assert_model(&v);
  assert_tensors(&v);
  assert_operators(&v);
  free(v.bytes);
}

static void test_same_calls_same_bytes(void **state) {
  (void)state;
  arn_builder *b = build_everything();
  const view first = everything(), second = finish(b), third = finish(b);
  assert_int_equal(first.size, second.size);
  assert_memory_equal(first.bytes, second.bytes, first.size);
  assert_memory_equal(first.bytes, third.bytes, first.size);
  free(first.bytes);
  free(second.bytes);
  free(third.bytes);
  arn_builder_free(b);
}

// ---- arguments that must be refused ----

static const arn_build_tensor good = {.name = "x", .type = ARN_INT8, .rank = 1, .shape = {4}};

static void add_bad_tensor(arn_builder *b, int which) {
  static char long_name[ARN_BUILD_MAX_NAME + 2];
  static const float scale[2] = {1, 1}, bad_scale = 0, nan_scale = NAN;
  arn_build_tensor t = good;
  memset(long_name, 'n', ARN_BUILD_MAX_NAME + 1);
  switch (which) {
    case 0: t.name = NULL; break;
    case 1: t.name = long_name; break;
    case 2: t.shape[0] = 0; break;
    case 3: t.shape[0] = -1; break;
    case 4: t.rank = ARN_BUILD_MAX_RANK + 1; break;
    case 5: t.rank = UINT32_MAX; break;
    case 6: t.type = (arn_type)99; break;
    case 7: t.data = weights; break;                       // constant without bytes
    case 8: t.data = weights, t.data_bytes = 3; break;     // not what the shape says
    case 9: t.data = weights, t.data_bytes = 4, t.is_variable = true; break;
    case 10: t.quant = (arn_build_quant){NULL, NULL, 1, 0}; break;
    case 11: t.quant = (arn_build_quant){&bad_scale, NULL, 1, 0}; break;
    case 12: t.quant = (arn_build_quant){&nan_scale, NULL, 1, 0}; break;
    case 13: t.quant = (arn_build_quant){scale, NULL, 2, 0}; break;   // 2 scales, 4 channels
    case 14: t.quant = (arn_build_quant){scale, NULL, 2, 1}; break;   // no such axis
    case 15: t.quant = (arn_build_quant){scale, NULL, 2, -1}; break;
    case 16: t.rank = 2, t.shape[0] = t.shape[1] = 1 << 20; break;
    default: arn_builder_tensor(b, NULL); return;
  }
  arn_builder_tensor(b, &t);
}
enum { BAD_TENSORS = 18 };

static void add_bad_operator(arn_builder *b, int which) {
  static const int32_t in[1] = {0}, missing[1] = {1}, negative[1] = {-2};
  arn_build_operator op = {.code = ARN_BUILTIN_SOFTMAX, .inputs = in, .input_count = 1,
                           .outputs = in, .output_count = 1,
                           .options.type = ARN_OPTIONS_SOFTMAX, .options.values = {1}};
  switch (which) {
    case 0: op.inputs = NULL; break;
    case 1: op.input_count = ARN_BUILD_MAX_LIST + 1; break;
    case 2: op.inputs = missing; break;
    case 3: op.inputs = negative; break;
    case 4: op.outputs = missing; break;
    case 5: op.code = -1; break;
    case 6: op.code = ARN_BUILTIN_CUSTOM; break;      // without a name
    case 7: op.custom_name = "not custom"; break;
    case 8: op.version = -3; break;
    case 9: op.options.type = ARN_OPTIONS_END; break;
    case 10: op.options.values[1] = 1; break;         // softmax has one field
    case 11: op.options.values[0] = INFINITY; break;
    case 12: op.options.type = ARN_OPTIONS_ADD, op.options.values[0] = 0.5; break;
    case 13: op.options.type = ARN_OPTIONS_ADD, op.options.values[0] = 300; break;
    case 14: op.options.lists[0] = (arn_build_list){in, 1}; break;
    case 15: op.options.texts[0] = "no text here"; break;
    case 16: op.options.type = ARN_OPTIONS_VAR_HANDLE, op.options.values[0] = 0; break;
    case 17: op.custom_bytes = 5; break;
    case 18: op.intermediates = missing, op.intermediate_count = 1; break;
    default: arn_builder_operator(b, NULL); return;
  }
  arn_builder_operator(b, &op);
}
enum { BAD_OPERATORS = 20 };

static void add_bad_rest(arn_builder *b, int which) {
  const arn_build_alias nameless = {NULL, 0}, missing = {"x", 7};
  switch (which) {
    case 0: arn_builder_subgraph(b, NULL); break;
    case 1: arn_builder_describe(b, NULL); break;
    case 2: arn_builder_io(b, NULL, 1, NULL, 0); break;
    case 3: arn_builder_io(b, (int32_t[]){-1}, 1, NULL, 0); break;
    case 4: arn_builder_io(b, NULL, 0, (int32_t[]){1}, 1); break;
    case 5: arn_builder_metadata(b, "x", NULL, 4); break;
    case 6: arn_builder_metadata(b, "x", "y", 0); break;
    case 7: arn_builder_metadata(b, NULL, "y", 1); break;
    case 8: arn_builder_signature(b, NULL); break;
    case 9: arn_builder_signature(b, &(arn_build_signature){.key = NULL}); break;
    case 10: arn_builder_signature(b, &(arn_build_signature){.key = "k", .input_count = 2}); break;
    case 11: arn_builder_signature(b, &(arn_build_signature){.key = "k", .subgraph = 1}); break;
    case 12:
      arn_builder_signature(
          b, &(arn_build_signature){.key = "k", .inputs = &nameless, .input_count = 1});
      break;
    default:
      arn_builder_signature(
          b, &(arn_build_signature){.key = "k", .outputs = &missing, .output_count = 1});
      break;
  }
}
enum { BAD_REST = 14 };

// Each bad call leaves an error, which makes every later call fail and is never replaced.
static void assert_refused(void (*add_bad)(arn_builder *, int), int count) {
  for (int which = 0; which < count; which++) {
    arn_builder *b = arn_builder_new();
    arn_builder_subgraph(b, "main");
    assert_int_equal(arn_builder_tensor(b, &good), 0);
    assert_null(arn_builder_error(b));
    add_bad(b, which);
    view v = {NULL, 0};
    if (arn_builder_finish(b, &v.bytes, &v.size)) fail_msg("bad call %d was accepted", which);
    assert_null(v.bytes);
    const char *error = arn_builder_error(b);
    assert_non_null(error);
    char first[256];
    snprintf(first, sizeof first, "%s", error);
    assert_int_equal(arn_builder_tensor(b, &good), -1);
    arn_builder_subgraph(b, NULL);
    assert_string_equal(arn_builder_error(b), first);
    arn_builder_free(b);
  }
}

static void test_bad_arguments_are_refused(void **state) {
  (void)state;
  assert_refused(add_bad_tensor, BAD_TENSORS);
  assert_refused(add_bad_operator, BAD_OPERATORS);
  assert_refused(add_bad_rest, BAD_REST);
}

static void test_no_subgraph_no_builder(void **state) {
  (void)state;
  view v = {NULL, 0};
  arn_builder *b = arn_builder_new();
  assert_false(arn_builder_finish(b, &v.bytes, &v.size));
  assert_non_null(arn_builder_error(b));
  arn_builder_free(b);
  b = arn_builder_new();
  assert_int_equal(arn_builder_tensor(b, &good), -1);
  arn_builder_free(b);
  b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  assert_false(arn_builder_save(b, "no/such/folder/x.tflite"));
  arn_builder_free(b);
  assert_int_equal(arn_builder_tensor(NULL, &good), -1);
  assert_int_equal(arn_builder_subgraph(NULL, "x"), -1);
  assert_false(arn_builder_finish(NULL, &v.bytes, &v.size));
  assert_non_null(arn_builder_error(NULL));
  arn_builder_free(NULL);
}

// ---- the low-level writer ----

static void test_tables_of_any_layout(void **state) {
  (void)state;
  arn_fbwrite f = {0};
  assert_true(arn__fbwrite_begin(&f, "TFL3"));
  arn_fbtable table = {0};
  arn__fbwrite_add(&table, 3, 1, 0xAB);
  arn__fbwrite_add(&table, 0, 8, 0x1122334455667788u);
  arn__fbwrite_add(&table, 7, 2, 0xCDEF);
  arn__fbwrite_add(&table, 5, 4, 0x01020304);
  arn__fbwrite_add(&table, 6, 8, UINT64_MAX);
  const uint32_t first = arn__fbwrite_table(&f, &table);
  arn__fbwrite_link_root(&f, first);
  const uint32_t vtables = f.vtable_count;
  assert_true(arn__fbwrite_table(&f, &table) > first);
  assert_int_equal(f.vtable_count, vtables);  // shared
  assert_null(f.error);
  const view v = {f.bytes, f.size};
  assert_int_equal(scalar(&v, first, 3, 1), 0xAB);
  assert_true(scalar(&v, first, 0, 8) == 0x1122334455667788u);
  assert_int_equal(scalar(&v, first, 7, 2), 0xCDEF);
  assert_int_equal(scalar(&v, first, 5, 4), 0x01020304);
  assert_true(scalar(&v, first, 6, 8) == UINT64_MAX);
  assert_int_equal(field(&v, first, 1), 0);
  assert_int_equal(field(&v, first, 40), 0);
  arn__fbwrite_release(&f);
}

static void test_wrong_use_is_refused(void **state) {
  (void)state;
  for (int which = 0; which < 9; which++) {
    arn_fbwrite f = {0};
    arn_fbtable empty = {0}, table = {0};
    assert_true(arn__fbwrite_begin(&f, "TFL3"));
    arn__fbwrite_add_ref(&table, 2);
    const uint32_t at = arn__fbwrite_table(&f, &table);
    const uint32_t refs = arn__fbwrite_refs(&f, 2);
    assert_true(at && refs && !f.error);
    switch (which) {
      case 0: arn__fbwrite_link(&f, at, 2, at); break;  // backwards
      case 1: arn__fbwrite_link(&f, at, 2, f.size); break;
      case 2: arn__fbwrite_link(&f, at, 1, refs); break;
      case 3: arn__fbwrite_link(&f, at, 9, refs); break;
      case 4: arn__fbwrite_link_at(&f, refs, 2, arn__fbwrite_table(&f, &empty)); break;
      case 5: arn__fbwrite_link(&f, 0, 2, refs); break;
      case 6: arn__fbwrite_add_ref(&table, 2), arn__fbwrite_table(&f, &table); break;  // twice
      case 7: arn__fbwrite_vector(&f, &(arn_fbvector){weights, UINT32_MAX, 8, 0}); break;
      default:
        for (int i = 0; i < 40; i++) arn__fbwrite_add(&empty, (uint16_t)i, 1, 0);
        arn__fbwrite_table(&f, &empty);
    }
    assert_non_null(f.error);
    assert_int_equal(arn__fbwrite_table(&f, &table), 0);
    arn__fbwrite_release(&f);
  }
}

// ---- copying ----

static view copy_of(const view *v, arn_fbsource *source) {
  arn_fbwrite f = {0};
  arn__fbwrite_begin(&f, "TFL3");
  const uint32_t root = arn__fbcopy_open(source, v->bytes, v->size);
  const uint32_t copied = root ? arn__fbcopy_table(&f, source, root, &arn__schema_model) : 0;
  if (copied) arn__fbwrite_link_root(&f, copied);
  arn__fbwrite_pad(&f, 16);
  view result = {NULL, 0};
  if (copied && !f.error) {
    result = (view){f.bytes, f.size};
    f.bytes = NULL;
  }
  arn__fbwrite_release(&f);
  return result;
}

static void test_a_copy_says_the_same(void **state) {
  (void)state;
  arn_fbsource source = {0}, again = {0};
  const view v = everything(), copy = copy_of(&v, &source), copy2 = copy_of(&copy, &again);
  assert_non_null(copy.bytes);
  assert_null(source.error);
  assert_int_equal(source.dropped, 0);
  assert_sound(&copy);
  assert_model(&copy);
  assert_tensors(&copy);
  assert_operators(&copy);
  assert_int_equal(copy.size, copy2.size);
  assert_memory_equal(copy.bytes, copy2.bytes, copy.size);
  free(v.bytes);
  free(copy.bytes);
  free(copy2.bytes);
}

// What the schema does not know is counted, not lost in silence.
static void test_unknown_fields_are_counted(void **state) {
  (void)state;
  arn_fbwrite f = {0};
  arn_fbtable table = {0};
  arn__fbwrite_begin(&f, "TFL3");
  arn__fbwrite_add(&table, 0, 4, 3);
  arn__fbwrite_add(&table, 8, 4, 1);
  arn__fbwrite_add(&table, 20, 8, 1);
  arn__fbwrite_link_root(&f, arn__fbwrite_table(&f, &table));
  const view v = {f.bytes, f.size};
  arn_fbsource source = {0};
  const view copy = copy_of(&v, &source);
  assert_non_null(copy.bytes);
  assert_int_equal(source.dropped, 2);
  assert_int_equal(scalar(&copy, root_of(&copy), 0, 4), 3);
  free(copy.bytes);
  arn__fbwrite_release(&f);
}

// A subgraph list that names one large subgraph a thousand times: small to send, large to copy.
static void test_a_copy_cannot_explode(void **state) {
  (void)state;
  enum { TIMES = 1000, NUMBERS = 5000 };
  arn_fbwrite f = {0};
  arn_fbtable model = {0}, graph = {0};
  int32_t *numbers = calloc(NUMBERS, sizeof *numbers);
  arn__fbwrite_begin(&f, "TFL3");
  arn__fbwrite_add_ref(&model, 2);
  const uint32_t root = arn__fbwrite_table(&f, &model);
  const uint32_t refs = arn__fbwrite_refs(&f, TIMES);
  arn__fbwrite_add_ref(&graph, 1);
  const uint32_t one = arn__fbwrite_table(&f, &graph);
  arn__fbwrite_link_root(&f, root);
  arn__fbwrite_link(&f, root, 2, refs);
  for (uint32_t i = 0; i < TIMES; i++) arn__fbwrite_link_at(&f, refs, i, one);
  arn__fbwrite_link(&f, one, 1, arn__fbwrite_vector(&f, &(arn_fbvector){numbers, NUMBERS, 4, 0}));
  assert_null(f.error);
  const view v = {f.bytes, f.size};
  arn_fbsource source = {0};
  assert_null(copy_of(&v, &source).bytes);
  assert_non_null(source.error);
  free(numbers);
  arn__fbwrite_release(&f);
}

// Any bytes may arrive: every cut, and every byte changed in three ways, gives a copy or an error.
static void test_broken_files_do_no_harm(void **state) {
  (void)state;
  const view v = everything();
  uint32_t refused = 0, copied = 0;
  for (size_t size = 0; size < v.size; size++) {
    uint8_t *exact = malloc(size ? size : 1);  // so that a sanitizer sees the first byte beyond
    memcpy(exact, v.bytes, size);
    arn_fbsource source = {0};
    const view copy = copy_of(&(view){exact, size}, &source);
    assert_true((copy.bytes == NULL) == (source.error != NULL));
    refused += copy.bytes == NULL;
    free(copy.bytes);
    free(exact);
  }
  assert_true(refused > v.size / 2);
  static const uint8_t changes[3] = {0xFF, 0x80, 0x01};
  for (size_t at = 0; at < 3 * v.size; at++) {
    v.bytes[at / 3] ^= changes[at % 3];
    arn_fbsource source = {0};
    const view copy = copy_of(&v, &source);
    assert_true((copy.bytes == NULL) == (source.error != NULL));
    copied += copy.bytes != NULL;
    free(copy.bytes);
    v.bytes[at / 3] ^= changes[at % 3];
  }
  assert_true(copied > 0 && copied < 3 * v.size);
  free(v.bytes);
}

// ---- the committed examples ----

static view load(const char *path) {
  view v = {NULL, 0};
  FILE *file = fopen(path, "rb");
  if (!file) fail_msg("%s is missing: run from the top of the repository", path);
  fseek(file, 0, SEEK_END);
  v.size = (size_t)ftell(file);
  rewind(file);
  v.bytes = malloc(v.size);
  assert_int_equal(fread(v.bytes, 1, v.size, file), v.size);
  fclose(file);
  return v;
}

// One operator of an example: its code, the tensor numbers and the shape of what it writes.
struct want {
  int32_t code, input, output;
  uint32_t rank;
  int32_t shape[4];
};

static void assert_chain(const view *v, const struct want *want, uint32_t count) {
  assert_int_equal(count_of(v, graph_of(v, 0), GRAPH_OPERATORS), count);
  for (uint32_t i = 0; i < count; i++, want++) {
    const size_t operation = operator_of(v, i);
    uint32_t inputs;
    const size_t first = vector(v, operation, OP_INPUTS, 4, &inputs);
    assert_int_equal(builtin_of(v, i), want->code);
    assert_int_equal((int32_t)number(v, first, 4), want->input);
    assert_numbers(v, operation, OP_OUTPUTS, &want->output, 1);
    assert_numbers(v, tensor_of(v, (uint32_t)want->output), TENSOR_SHAPE, want->shape, want->rank);
    assert_int_equal(scalar(v, tensor_of(v, (uint32_t)want->output), TENSOR_TYPE, 1), ARN_INT8);
  }
}

// Returns the count of scales of the weights of operator `i`.
static uint32_t weight_scale_count(const view *v, uint32_t i) {
  uint32_t count;
  const size_t inputs = vector(v, operator_of(v, i), OP_INPUTS, 4, &count);
  assert_int_equal(count, 3);
  const size_t quant = child(v, tensor_of(v, (uint32_t)number(v, inputs + 4, 4)), TENSOR_QUANT);
  vector(v, quant, QUANT_SCALE, 4, &count);
  return count;
}

static void test_kws_is_the_network_of_the_course(void **state) {
  (void)state;
  const view v = load("examples/kws/kws.tflite");
  assert_sound(&v);
  assert_numbers(&v, graph_of(&v, 0), GRAPH_INPUTS, (int32_t[]){2}, 1);
  assert_numbers(&v, graph_of(&v, 0), GRAPH_OUTPUTS, (int32_t[]){0}, 1);
  assert_numbers(&v, tensor_of(&v, 2), TENSOR_SHAPE, (int32_t[]){1, 49, 10, 1}, 4);
  assert_chain(&v, (struct want[]){{ARN_BUILTIN_CONV_2D, 2, 3, 4, {1, 47, 8, 8}},
                                   {ARN_BUILTIN_DEPTHWISE_CONV_2D, 3, 4, 4, {1, 45, 8, 8}},
                                   {ARN_BUILTIN_FULLY_CONNECTED, 4, 1, 2, {1, 10}},
                                   {ARN_BUILTIN_SOFTMAX, 1, 0, 2, {1, 10}}}, 4);
  assert_int_equal(weight_scale_count(&v, 0), 8);
  assert_int_equal(weight_scale_count(&v, 1), 8);
  assert_int_equal(weight_scale_count(&v, 2), 1);
  const size_t quant = child(&v, tensor_of(&v, 0), TENSOR_QUANT);
  uint32_t count;
  assert_true(real(&v, vector(&v, quant, QUANT_SCALE, 4, &count)) == 1.0f / 256);
  assert_int_equal((int64_t)number(&v, vector(&v, quant, QUANT_ZERO, 8, &count), 8), -128);
  free(v.bytes);
}

static void test_mnist_is_the_network_of_the_course(void **state) {
  (void)state;
  const view v = load("examples/mnist/mnist.tflite");
  assert_sound(&v);
  assert_numbers(&v, tensor_of(&v, 0), TENSOR_SHAPE, (int32_t[]){1, 28, 28, 1}, 4);
  assert_chain(&v, (struct want[]){{ARN_BUILTIN_CONV_2D, 0, 1, 4, {1, 26, 26, 8}},
                                   {ARN_BUILTIN_CONV_2D, 1, 2, 4, {1, 24, 24, 16}},
                                   {ARN_BUILTIN_CONV_2D, 2, 3, 4, {1, 22, 22, 32}},
                                   {ARN_BUILTIN_FULLY_CONNECTED, 3, 4, 2, {1, 10}}}, 4);
  const size_t quant = child(&v, tensor_of(&v, 0), TENSOR_QUANT);
  uint32_t count;
  assert_true(real(&v, vector(&v, quant, QUANT_SCALE, 4, &count)) == 1.0f / 255);
  assert_int_equal((int64_t)number(&v, vector(&v, quant, QUANT_ZERO, 8, &count), 8), -128);
  assert_int_equal(weight_scale_count(&v, 2), 32);
  free(v.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_everything_reads_back),
      cmocka_unit_test(test_same_calls_same_bytes),
      cmocka_unit_test(test_bad_arguments_are_refused),
      cmocka_unit_test(test_no_subgraph_no_builder),
      cmocka_unit_test(test_tables_of_any_layout),
      cmocka_unit_test(test_wrong_use_is_refused),
      cmocka_unit_test(test_a_copy_says_the_same),
      cmocka_unit_test(test_unknown_fields_are_counted),
      cmocka_unit_test(test_a_copy_cannot_explode),
      cmocka_unit_test(test_broken_files_do_no_harm),
      cmocka_unit_test(test_kws_is_the_network_of_the_course),
      cmocka_unit_test(test_mnist_is_the_network_of_the_course),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
