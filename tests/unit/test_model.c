// Broken and hostile model files, one kind at a time: each is refused with the reason that belongs
// to it, or fails when run, and nothing outside the arena is touched.
#include "op_rig.h"

#include "fbview.h"

#include "broken.h"

static void want_file(const view *v, arn_status want, arn_what what, int32_t tensor) {
  arn_error error;
  const arn_status status = try_file(v->bytes, v->size, &error);
  want_error(&error, status, want, what);
  assert_int_equal(error.tensor, tensor);
}

static void want_ok(const view *v) {
  arn_error error;
  if (try_file(v->bytes, v->size, &error) != ARN_OK) fail_msg("%s", arn_what_text(error.what));
}

// ---- a file to break: convolution, then RESHAPE ----

enum { IMAGE, FILTER, BIAS, MIDDLE, SHAPE, FLAT };

static const int8_t filter[24] = {1, -2, 3, -4, 5, -6, 7, -8, 9, -10, 11, -12};
static const float filter_scales[3] = {0.5f, 0.25f, 0.125f};
static const float bias_scales[3] = {0.25f, 0.125f, 0.0625f};

static void add_tensors(arn_builder *b) {
  const arn_build_quant quant = {(float[]){0.5f}, (int64_t[]){-5}, 1, 0};
  const arn_build_tensor tensors[] = {
      {.name = "image", .type = ARN_INT8, .rank = 4, .shape = {1, 4, 4, 2}, .quant = quant},
      {.name = "filter", .type = ARN_INT8, .rank = 4, .shape = {3, 2, 2, 2}, .data = filter,
       .data_bytes = 24, .quant = {filter_scales, NULL, 3, 0}},
      {.name = "bias", .type = ARN_INT32, .rank = 1, .shape = {3}, .data = (int32_t[]){1, 2, 3},
       .data_bytes = 12, .quant = {bias_scales, NULL, 3, 0}},
      {.name = "middle", .type = ARN_INT8, .rank = 4, .shape = {1, 3, 3, 3}, .quant = quant},
      {.name = "shape", .type = ARN_INT32, .rank = 1, .shape = {2}, .data = (int32_t[]){9, 3},
       .data_bytes = 8},
      {.name = "flat", .type = ARN_INT8, .rank = 2, .shape = {9, 3}, .quant = quant}};
  for (int32_t i = 0; i <= FLAT; i++) assert_int_equal(arn_builder_tensor(b, &tensors[i]), i);
}

static view whole_model(void) {
  view v = {NULL, 0};
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  add_tensors(b);
  const arn_build_operator conv = {
      .code = ARN_BUILTIN_CONV_2D, .version = 3, .inputs = (int32_t[]){IMAGE, FILTER, BIAS},
      .input_count = 3, .outputs = (int32_t[]){MIDDLE}, .output_count = 1,
      .options.type = ARN_OPTIONS_CONV_2D, .options.values = {ARN_PADDING_VALID, 1, 1, 0, 1, 1}};
  const arn_build_operator reshape = {
      .code = ARN_BUILTIN_RESHAPE, .inputs = (int32_t[]){MIDDLE, SHAPE}, .input_count = 2,
      .outputs = (int32_t[]){FLAT}, .output_count = 1};
  arn_builder_operator(b, &conv);
  arn_builder_operator(b, &reshape);
  arn_builder_io(b, (int32_t[]){IMAGE}, 1, (int32_t[]){FLAT}, 1);
  arn_builder_metadata(b, "note", "1234", 4);
  const arn_build_alias in = {"image", IMAGE}, out = {"flat", FLAT};
  arn_builder_signature(b, &(arn_build_signature){.key = "serve", .inputs = &in, .input_count = 1,
                                                  .outputs = &out, .output_count = 1});
  if (!arn_builder_finish(b, &v.bytes, &v.size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  return v;
}

// Sets one word of a sound file and wants it refused.
static void want_after(size_t (*find)(const view *v), int32_t value, arn_status status,
                       arn_what what, int32_t tensor) {
  const view v = whole_model();
  put(&v, find(&v), value);
  want_file(&v, status, what, tensor);
  free(v.bytes);
}

#define WHERE(name, expression) \
  static size_t name(const view *v) { return expression; }

WHERE(buffer_of_input, field(v, tensor_of(v, IMAGE), TENSOR_BUFFER))
WHERE(buffer_of_middle, field(v, tensor_of(v, MIDDLE), TENSOR_BUFFER))
WHERE(buffer_of_output, field(v, tensor_of(v, FLAT), TENSOR_BUFFER))
WHERE(buffer_of_filter, field(v, tensor_of(v, FILTER), TENSOR_BUFFER))
WHERE(buffer_of_shape, field(v, tensor_of(v, SHAPE), TENSOR_BUFFER))
WHERE(buffer_of_metadata, field(v, item(v, root_of(v), MODEL_METADATA, 0), 1))
WHERE(input_of_conv, element(v, operator_of(v, 0), OP_INPUTS, 0))
WHERE(filter_of_conv, element(v, operator_of(v, 0), OP_INPUTS, 1))
WHERE(bias_of_conv, element(v, operator_of(v, 0), OP_INPUTS, 2))
WHERE(output_of_conv, element(v, operator_of(v, 0), OP_OUTPUTS, 0))
WHERE(input_of_reshape, element(v, operator_of(v, 1), OP_INPUTS, 0))
WHERE(output_of_reshape, element(v, operator_of(v, 1), OP_OUTPUTS, 0))
WHERE(input_of_model, element(v, graph_of(v, 0), GRAPH_INPUTS, 0))
WHERE(output_of_model, element(v, graph_of(v, 0), GRAPH_OUTPUTS, 0))
WHERE(code_index_of_reshape, field(v, operator_of(v, 1), OP_CODE))
WHERE(height_of_input, dimension(v, IMAGE, 1))
WHERE(filters, dimension(v, FILTER, 0))
WHERE(length_of_shape, dimension(v, SHAPE, 0))
WHERE(version_of_schema, field(v, root_of(v), 0))
WHERE(count_of_tensors, element(v, graph_of(v, 0), GRAPH_TENSORS, 0) - 4)
WHERE(count_of_dims, dimension(v, IMAGE, 0) - 4)
WHERE(offset_of_tensor, element(v, graph_of(v, 0), GRAPH_TENSORS, 2))
WHERE(offset_of_subgraph, element(v, root_of(v), MODEL_SUBGRAPHS, 0))
WHERE(length_of_name, child(v, tensor_of(v, IMAGE), TENSOR_NAME))
WHERE(count_of_scales, child(v, child(v, tensor_of(v, FILTER), TENSOR_QUANT), QUANT_SCALE))

static void the_whole_file_runs(void **state) {
  (void)state;
  const view v = whole_model();
  want_ok(&v);
  free(v.bytes);
}

static void buffers_that_do_not_exist_are_refused(void **state) {
  (void)state;
  want_after(buffer_of_input, 9999, ARN_ERR_MODEL, ARN_WHAT_BUFFER_INDEX, IMAGE);
  want_after(buffer_of_middle, 9999, ARN_ERR_MODEL, ARN_WHAT_BUFFER_INDEX, MIDDLE);
  want_after(buffer_of_output, 9999, ARN_ERR_MODEL, ARN_WHAT_BUFFER_INDEX, FLAT);
  want_after(buffer_of_output, -1, ARN_ERR_MODEL, ARN_WHAT_BUFFER_INDEX, FLAT);
  want_after(buffer_of_metadata, 9999, ARN_ERR_MODEL, ARN_WHAT_BUFFER_INDEX, ARN_NOWHERE);
}

static void tensors_that_do_not_exist_are_refused(void **state) {
  (void)state;
  want_after(input_of_conv, 999, ARN_ERR_MODEL, ARN_WHAT_TENSOR_INDEX, 999);
  want_after(input_of_conv, -2, ARN_ERR_MODEL, ARN_WHAT_TENSOR_INDEX, -2);
  want_after(input_of_conv, INT32_MIN, ARN_ERR_MODEL, ARN_WHAT_TENSOR_INDEX, INT32_MIN);
  want_after(output_of_conv, 6, ARN_ERR_MODEL, ARN_WHAT_TENSOR_INDEX, 6);
  want_after(output_of_conv, -1, ARN_ERR_MODEL, ARN_WHAT_TENSOR_INDEX, -1);
  want_after(input_of_model, -1, ARN_ERR_MODEL, ARN_WHAT_TENSOR_INDEX, -1);
  want_after(output_of_model, 6, ARN_ERR_MODEL, ARN_WHAT_TENSOR_INDEX, 6);
}

static void absence_is_for_optional_inputs_only(void **state) {
  (void)state;
  want_after(input_of_conv, -1, ARN_ERR_MODEL, ARN_WHAT_TENSOR_REQUIRED, ARN_NOWHERE);
  want_after(filter_of_conv, -1, ARN_ERR_MODEL, ARN_WHAT_TENSOR_REQUIRED, ARN_NOWHERE);
  want_after(input_of_reshape, -1, ARN_ERR_MODEL, ARN_WHAT_TENSOR_REQUIRED, ARN_NOWHERE);
  const view v = whole_model();
  put(&v, bias_of_conv(&v), -1);
  want_ok(&v);
  free(v.bytes);
}

static void what_nobody_wrote_is_not_read(void **state) {
  (void)state;
  want_after(buffer_of_filter, 0, ARN_ERR_MODEL, ARN_WHAT_TENSOR_NOT_PRODUCED, FILTER);
  want_after(buffer_of_shape, 0, ARN_ERR_MODEL, ARN_WHAT_TENSOR_NOT_PRODUCED, SHAPE);
  want_after(input_of_model, FLAT, ARN_ERR_MODEL, ARN_WHAT_TENSOR_NOT_PRODUCED, IMAGE);
  want_after(input_of_conv, FLAT, ARN_ERR_MODEL, ARN_WHAT_TENSOR_NOT_PRODUCED, FLAT);
}

static void what_is_there_is_not_written_again(void **state) {
  (void)state;
  want_after(output_of_conv, IMAGE, ARN_ERR_MODEL, ARN_WHAT_TENSOR_WRITTEN_TWICE, IMAGE);
  want_after(output_of_conv, FILTER, ARN_ERR_MODEL, ARN_WHAT_TENSOR_WRITTEN_TWICE, FILTER);
  want_after(output_of_reshape, MIDDLE, ARN_ERR_MODEL, ARN_WHAT_TENSOR_WRITTEN_TWICE, MIDDLE);
  want_after(input_of_model, FILTER, ARN_ERR_MODEL, ARN_WHAT_TENSOR_WRITTEN_TWICE, FILTER);
}

static void shapes_beyond_reason_are_refused(void **state) {
  (void)state;
  want_after(height_of_input, 0x7FFFFFFF, ARN_ERR_MODEL, ARN_WHAT_DIMENSION, IMAGE);
  want_after(height_of_input, INT32_MIN, ARN_ERR_MODEL, ARN_WHAT_DIMENSION, IMAGE);
  want_after(height_of_input, -2, ARN_ERR_MODEL, ARN_WHAT_DIMENSION, IMAGE);
  want_after(height_of_input, -1, ARN_ERR_UNSUPPORTED, ARN_WHAT_DIMENSION, IMAGE);
  want_after(count_of_dims, ARN_MAX_RANK + 1, ARN_ERR_UNSUPPORTED, ARN_WHAT_RANK, IMAGE);
  want_after(count_of_dims, 0x7FFFFFFF, ARN_ERR_MODEL, ARN_WHAT_VECTOR, IMAGE);
}

static void constants_have_the_bytes_of_their_shape(void **state) {
  (void)state;
  want_after(filters, 4, ARN_ERR_MODEL, ARN_WHAT_BUFFER_SIZE, FILTER);
  want_after(filters, 2, ARN_ERR_MODEL, ARN_WHAT_BUFFER_SIZE, FILTER);
  want_after(filters, -1, ARN_ERR_MODEL, ARN_WHAT_BUFFER_SIZE, FILTER);
  want_after(length_of_shape, 3, ARN_ERR_MODEL, ARN_WHAT_BUFFER_SIZE, SHAPE);
  want_after(buffer_of_shape, 1, ARN_ERR_MODEL, ARN_WHAT_BUFFER_SIZE, SHAPE);
}

static void offsets_and_lengths_stay_in_the_file(void **state) {
  (void)state;
  want_after(offset_of_tensor, 0x7FFFFFFF, ARN_ERR_MODEL, ARN_WHAT_OFFSET, BIAS);
  want_after(offset_of_subgraph, -4, ARN_ERR_MODEL, ARN_WHAT_OFFSET, ARN_NOWHERE);
  want_after(count_of_tensors, 0x40000001, ARN_ERR_MODEL, ARN_WHAT_VECTOR, ARN_NOWHERE);
  want_after(length_of_name, -1, ARN_ERR_MODEL, ARN_WHAT_STRING, IMAGE);
  want_after(count_of_scales, 0x40000000, ARN_ERR_MODEL, ARN_WHAT_VECTOR, FILTER);
  want_after(count_of_scales, 2, ARN_ERR_UNSUPPORTED, ARN_WHAT_QUANTISATION, FILTER);
  want_after(code_index_of_reshape, 2, ARN_ERR_MODEL, ARN_WHAT_OPCODE_INDEX, ARN_NOWHERE);
  want_after(version_of_schema, 4, ARN_ERR_MODEL, ARN_WHAT_SCHEMA_VERSION, ARN_NOWHERE);
}

// A table that says that its vtable is where the file begins, at 0: there is none.
static void a_vtable_at_the_start_of_the_file_is_refused(void **state) {
  (void)state;
  view v = whole_model();
  const size_t tables[] = {tensor_of(&v, IMAGE), tensor_of(&v, FLAT), item(&v, root_of(&v), 2, 0)};
  for (uint32_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
    arn_error error;
    const int32_t sound = (int32_t)number(&v, tables[i], 4);
    put(&v, tables[i], (int32_t)tables[i]);
    want_error(&error, try_file(v.bytes, v.size, &error), ARN_ERR_MODEL, ARN_WHAT_TABLE);
    put(&v, tables[i], sound);
  }
  for (size_t at = 4; at + 4 <= v.size; at += 4) {  // wherever there may be one: no crash
    arn_error error;
    const int32_t sound = (int32_t)number(&v, at, 4);
    put(&v, at, (int32_t)at);
    (void)!try_file(v.bytes, v.size, &error);
    put(&v, at, sound);
  }
  want_ok(&v);
  free(v.bytes);
}

static void what_is_no_model_is_refused(void **state) {
  (void)state;
  arn_model model;
  arn_error error;
  const view v = whole_model();
  want_error(&error, arn_model_open(NULL, v.bytes, v.size, &error), ARN_ERR_ARGUMENT,
             ARN_WHAT_NULL_POINTER);
  want_error(&error, arn_model_open(&model, NULL, v.size, &error), ARN_ERR_ARGUMENT,
             ARN_WHAT_NULL_POINTER);
  want_error(&error, arn_model_open(&model, v.bytes + 2, v.size - 2, &error), ARN_ERR_ARGUMENT,
             ARN_WHAT_ALIGNMENT);
  want_error(&error, arn_model_open(&model, v.bytes, 15, &error), ARN_ERR_MODEL,
             ARN_WHAT_FILE_TOO_SMALL);
  want_error(&error, arn_model_open(&model, v.bytes, (size_t)INT32_MAX + 1, &error),
             ARN_ERR_UNSUPPORTED, ARN_WHAT_FILE_TOO_LARGE);
  v.bytes[4] = 'X';
  want_error(&error, arn_model_open(&model, v.bytes, v.size, &error), ARN_ERR_MODEL,
             ARN_WHAT_IDENTIFIER);
  assert_null(model.bytes);
  assert_int_equal(arn_model_open(&model, v.bytes, v.size, NULL), ARN_ERR_MODEL);
  free(v.bytes);
}

// A file that was cut off lies in a block of its exact size, so that a sanitiser sees each read.
static void a_file_that_is_cut_off_is_refused_or_runs(void **state) {
  (void)state;
  const view v = whole_model();
  arn_error error;
  for (size_t size = 0; size < v.size; size++) {
    uint8_t *cut = malloc(size ? size : 1);
    assert_non_null(cut);
    memcpy(cut, v.bytes, size);
    const arn_status status = try_file(cut, size, &error);
    assert_true(status == ARN_OK || error.what != ARN_WHAT_NONE);
    if (size < v.size / 2) assert_int_not_equal(status, ARN_OK);
    free(cut);
  }
  free(v.bytes);
}

static void a_file_with_any_byte_changed_is_refused_or_runs(void **state) {
  (void)state;
  const view v = whole_model();
  static const uint8_t masks[] = {0x01, 0x80, 0xFF};
  uint32_t refused = 0;
  arn_error error;
  for (size_t i = 0; i < v.size; i++) {
    for (uint32_t k = 0; k < sizeof masks; k++) {
      v.bytes[i] ^= masks[k];
      const arn_status status = try_file(v.bytes, v.size, &error);
      if (status != ARN_OK) assert_int_not_equal(error.what, ARN_WHAT_NONE);
      refused += status != ARN_OK;
      v.bytes[i] ^= masks[k];
    }
  }
  assert_true(refused > v.size / 2);
  want_ok(&v);
  free(v.bytes);
}

// ---- subgraphs ----

// A model of subgraphs without tensors, each of which calls `calls[i]` (-1: none).
static view calling_model(const int32_t *calls, uint32_t count) {
  view v = {NULL, 0};
  arn_builder *b = arn_builder_new();
  for (uint32_t i = 0; i < count; i++) {
    arn_builder_subgraph(b, "g");
    const arn_build_operator call = {.code = 129, .options.type = ARN_OPTIONS_CALL_ONCE,
                                     .options.values = {calls[i]}};
    if (calls[i] >= 0) arn_builder_operator(b, &call);
  }
  if (!arn_builder_finish(b, &v.bytes, &v.size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  return v;
}

static void want_calls(const int32_t *calls, uint32_t count, arn_status status, arn_what what) {
  const view v = calling_model(calls, count);
  if (status == ARN_OK) {
    want_ok(&v);
  } else {
    want_file(&v, status, what, ARN_NOWHERE);
  }
  free(v.bytes);
}

static void subgraphs_do_not_call_in_circles(void **state) {
  (void)state;
  int32_t chain[ARN_MAX_SUBGRAPHS + 1];
  want_calls((int32_t[]){1, -1}, 2, ARN_OK, ARN_WHAT_NONE);
  want_calls((int32_t[]){0, -1}, 2, ARN_ERR_MODEL, ARN_WHAT_SUBGRAPH_CYCLE);
  want_calls((int32_t[]){1, 0}, 2, ARN_ERR_MODEL, ARN_WHAT_SUBGRAPH_CYCLE);
  want_calls((int32_t[]){1, 2, 1}, 3, ARN_ERR_MODEL, ARN_WHAT_SUBGRAPH_CYCLE);
  want_calls((int32_t[]){0}, 1, ARN_ERR_MODEL, ARN_WHAT_SUBGRAPH_CYCLE);
  for (int32_t i = 0; i <= ARN_MAX_SUBGRAPHS; i++) chain[i] = i + 1;
  chain[ARN_MAX_CALL_DEPTH - 1] = -1;
  want_calls(chain, ARN_MAX_CALL_DEPTH, ARN_OK, ARN_WHAT_NONE);
  chain[ARN_MAX_CALL_DEPTH - 1] = ARN_MAX_CALL_DEPTH;
  chain[ARN_MAX_CALL_DEPTH] = -1;
  want_calls(chain, ARN_MAX_CALL_DEPTH + 1, ARN_ERR_MODEL, ARN_WHAT_SUBGRAPH_CYCLE);
}

static void calls_name_subgraphs_that_exist(void **state) {
  (void)state;
  int32_t none[ARN_MAX_SUBGRAPHS + 1];
  want_calls((int32_t[]){2, -1}, 2, ARN_ERR_MODEL, ARN_WHAT_SUBGRAPH_INDEX);
  want_calls((int32_t[]){INT32_MAX, -1}, 2, ARN_ERR_MODEL, ARN_WHAT_SUBGRAPH_INDEX);
  want_calls((int32_t[]){7}, 1, ARN_ERR_MODEL, ARN_WHAT_SUBGRAPH_INDEX);
  memset(none, -1, sizeof none);
  want_calls(none, ARN_MAX_SUBGRAPHS + 1, ARN_ERR_UNSUPPORTED, ARN_WHAT_LIMIT);
}

// IF over two branches that copy their input by a RESHAPE; `dims` of what the second one takes.
static view if_model(int32_t then_graph, int32_t else_graph, int32_t dims) {
  view v = {NULL, 0};
  arn_builder *b = arn_builder_new();
  for (int32_t i = 0; i < 3; i++) {
    const int32_t size = i == 2 ? dims : 4;
    arn_builder_subgraph(b, "g");
    arn_builder_tensor(b, &(arn_build_tensor){.name = "x", .type = ARN_INT8, .rank = 1,
                                              .shape = {size}});
    arn_builder_tensor(b, &(arn_build_tensor){.name = "y", .type = ARN_INT8, .rank = 1,
                                              .shape = {size}});
    if (i == 0) arn_builder_tensor(b, &(arn_build_tensor){.name = "c", .type = ARN_BOOL});
    const arn_build_operator copy = {.code = ARN_BUILTIN_RESHAPE, .inputs = (int32_t[]){0},
                                     .input_count = 1, .outputs = (int32_t[]){1},
                                     .output_count = 1};
    const arn_build_operator branch = {.code = 118, .inputs = (int32_t[]){2, 0}, .input_count = 2,
                                       .outputs = (int32_t[]){1}, .output_count = 1,
                                       .options.type = ARN_OPTIONS_IF,
                                       .options.values = {then_graph, else_graph}};
    arn_builder_operator(b, i == 0 ? &branch : &copy);
    arn_builder_io(b, (int32_t[]){0, 2}, i == 0 ? 2 : 1, (int32_t[]){1}, 1);
  }
  if (!arn_builder_finish(b, &v.bytes, &v.size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  return v;
}

static void branches_fit_their_node(void **state) {
  (void)state;
  static const struct {
    int32_t then_graph, else_graph, dims;
    arn_what what;
  } cases[] = {{1, 3, 4, ARN_WHAT_SUBGRAPH_INDEX}, {-1, 2, 4, ARN_WHAT_SUBGRAPH_INDEX},
               {1, INT32_MIN, 4, ARN_WHAT_SUBGRAPH_INDEX}, {1, 2, 5, ARN_WHAT_SHAPE},
               {0, 2, 4, ARN_WHAT_SUBGRAPH_CYCLE}};
  view v = if_model(1, 2, 4);
  want_ok(&v);
  free(v.bytes);
  for (uint32_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
    arn_error error;
    v = if_model(cases[i].then_graph, cases[i].else_graph, cases[i].dims);
    want_error(&error, try_file(v.bytes, v.size, &error), ARN_ERR_MODEL, cases[i].what);
    free(v.bytes);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_whole_file_runs),
      cmocka_unit_test(buffers_that_do_not_exist_are_refused),
      cmocka_unit_test(tensors_that_do_not_exist_are_refused),
      cmocka_unit_test(absence_is_for_optional_inputs_only),
      cmocka_unit_test(what_nobody_wrote_is_not_read),
      cmocka_unit_test(what_is_there_is_not_written_again),
      cmocka_unit_test(shapes_beyond_reason_are_refused),
      cmocka_unit_test(constants_have_the_bytes_of_their_shape),
      cmocka_unit_test(offsets_and_lengths_stay_in_the_file),
      cmocka_unit_test(a_vtable_at_the_start_of_the_file_is_refused),
      cmocka_unit_test(what_is_no_model_is_refused),
      cmocka_unit_test(a_file_that_is_cut_off_is_refused_or_runs),
      cmocka_unit_test(a_file_with_any_byte_changed_is_refused_or_runs),
      cmocka_unit_test(subgraphs_do_not_call_in_circles),
      cmocka_unit_test(calls_name_subgraphs_that_exist),
      cmocka_unit_test(branches_fit_their_node),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
