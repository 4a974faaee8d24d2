// Broken and hostile model files, one kind at a time: each is refused with the reason that belongs to
// it, or fails when run, and nothing outside the arena is touched.
#include "op_rig.h"

#include "fbview.h"

// ---- what came of it ----

// Opens, starts and runs a file. Returns the status of what failed first; *error says more.
static arn_status try_file(const uint8_t *bytes, size_t size, arn_error *error) {
  const host_options options = {.fill = HOST_FILL_RANDOM};
  host_engine engine;
  memset(error, 0, sizeof *error);
  arn_status status = host_engine_open(&engine, bytes, size, &options, error);
  if (status != ARN_OK) return status;
  for (uint32_t i = 0; i < 8; i++) {
    const arn_tensor_view in = arn_input(&engine.nn, i);
    host_generate_input(&in, 0, i);
  }
  status = arn_invoke(&engine.nn, error);
  assert_true(host_engine_is_intact(&engine));
  host_engine_close(&engine);
  return status;
}

static void want_error(const arn_error *e, arn_status status, arn_status want, arn_what what) {
  if (status == want && e->status == want && e->what == what) return;
  fail_msg("%s (%s), not %s (%s)", arn_status_name(status), arn_what_text(e->what),
           arn_status_name(want), arn_what_text(what));
}

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

// Overwrites a 32-bit word; the field must be there.
static void put(const view *v, size_t at, int32_t value) {
  assert_true(at > 0 && at + 4 <= v->size);
  memcpy(v->bytes + at, &value, 4);
}

static size_t element(const view *v, size_t table, unsigned id, uint32_t i) {
  uint32_t count;
  const size_t first = vector(v, table, id, 4, &count);
  assert_true(i < count);
  return first + 4 * i;
}

static size_t dimension(const view *v, uint32_t tensor, uint32_t i) {
  return element(v, tensor_of(v, tensor), TENSOR_SHAPE, i);
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
  want_after(offset_of_tensor, 0x7FFFFFFF, ARN_ERR_MODEL, ARN_WHAT_VECTOR, ARN_NOWHERE);
  want_after(offset_of_subgraph, -4, ARN_ERR_MODEL, ARN_WHAT_VECTOR, ARN_NOWHERE);
  want_after(count_of_tensors, 0x40000001, ARN_ERR_MODEL, ARN_WHAT_VECTOR, ARN_NOWHERE);
  want_after(length_of_name, -1, ARN_ERR_MODEL, ARN_WHAT_STRING, IMAGE);
  want_after(count_of_scales, 0x40000000, ARN_ERR_MODEL, ARN_WHAT_VECTOR, FILTER);
  want_after(count_of_scales, 2, ARN_ERR_UNSUPPORTED, ARN_WHAT_QUANTISATION, FILTER);
  want_after(code_index_of_reshape, 2, ARN_ERR_MODEL, ARN_WHAT_OPCODE_INDEX, ARN_NOWHERE);
  want_after(version_of_schema, 4, ARN_ERR_MODEL, ARN_WHAT_SCHEMA_VERSION, ARN_NOWHERE);
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

// ---- options and shapes by which kernels would divide ----

static void shape_tensor(rig_tensor *t, arn_type type, uint32_t rank, const int32_t *dims) {
  t->type = type;
  t->rank = rank;
  memcpy(t->dims, dims, rank * sizeof *dims);
  memset(t->bytes, 0, RIG_BYTES);
}

// Says a dimension of 1 where the rig says 0, as the builder wants it; or puts the 0 into the file.
static void hide_zeros(rig_tensor *t, uint32_t zeros) {
  for (uint32_t k = 0; k < t->rank; k++) {
    if (zeros >> k & 1) t->dims[k] = 1;
  }
}

static uint32_t zeros_of(const rig_tensor *t) {
  uint32_t zeros = 0;
  for (uint32_t k = 0; k < t->rank; k++) zeros |= (t->dims[k] == 0 ? 1u : 0u) << k;
  return zeros;
}

// The model of a rig whose tensors may be empty.
static view rig_view(const rig *r) {
  static rig full;
  view v;
  full = *r;
  for (uint32_t i = 0; i < r->inputs; i++) hide_zeros(&full.in[i], zeros_of(&r->in[i]));
  for (uint32_t i = 0; i < r->outputs; i++) hide_zeros(&full.out[i], zeros_of(&r->out[i]));
  v.bytes = rig_model(&full, &v.size);
  for (uint32_t i = 0; i < r->inputs + r->outputs; i++) {
    const rig_tensor *t = i < r->inputs ? &r->in[i] : &r->out[i - r->inputs];
    for (uint32_t k = 0; k < t->rank; k++) {
      if (t->dims[k] == 0) put(&v, dimension(&v, i, k), 0);
    }
  }
  return v;
}

static arn_status try_node(const rig *r, arn_error *error) {
  const view v = rig_view(r);
  const arn_status status = try_file(v.bytes, v.size, error);
  free(v.bytes);
  return status;
}

// Runs the node and wants this failure.
static void want_node(const rig *r, arn_status want, arn_what what, const char *name) {
  arn_error error;
  const arn_status status = try_node(r, &error);
  if (status != want || error.what != what) print_error("%s: ", name);
  if (want != ARN_OK || status != ARN_OK) want_error(&error, status, want, what);
}

// A node of float tensors of rank 4; a filter's dims are 0 where there is none.
typedef struct node_case {
  const char *name;
  int32_t code, options_type;
  double options[8];
  int32_t in[4], weights[4], out[4];
  arn_what what;
} node_case;

#define CONV(...) ARN_BUILTIN_CONV_2D, ARN_OPTIONS_CONV_2D, {__VA_ARGS__}
#define DEPTHWISE(...) ARN_BUILTIN_DEPTHWISE_CONV_2D, ARN_OPTIONS_DEPTHWISE_CONV_2D, {__VA_ARGS__}
#define POOL(code, ...) code, ARN_OPTIONS_POOL_2D, {__VA_ARGS__}

static const node_case impossible[] = {
    {"convolution, no stride along x", CONV(1, 0, 1, 0, 1, 1),
     {1, 4, 4, 2}, {3, 2, 2, 2}, {1, 3, 3, 3}, ARN_WHAT_STRIDE},
    {"convolution, no stride along y", CONV(1, 1, 0, 0, 1, 1),
     {1, 4, 4, 2}, {3, 2, 2, 2}, {1, 3, 3, 3}, ARN_WHAT_STRIDE},
    {"convolution, stride below 0", CONV(0, -1, 1, 0, 1, 1),
     {1, 4, 4, 2}, {3, 2, 2, 2}, {1, 4, 4, 3}, ARN_WHAT_STRIDE},
    {"convolution, no dilation", CONV(0, 1, 1, 0, 0, 1),
     {1, 4, 4, 2}, {3, 2, 2, 2}, {1, 4, 4, 3}, ARN_WHAT_STRIDE},
    {"convolution, filter without channels", CONV(1, 1, 1, 0, 1, 1),
     {1, 4, 4, 2}, {3, 2, 2, 0}, {1, 3, 3, 3}, ARN_WHAT_SHAPE},
    {"convolution, image without channels", CONV(1, 1, 1, 0, 1, 1),
     {1, 4, 4, 0}, {3, 2, 2, 1}, {1, 3, 3, 3}, ARN_WHAT_SHAPE},
    {"depthwise, no stride", DEPTHWISE(0, 0, 0, 1, 0, 1, 1),
     {1, 4, 4, 2}, {1, 2, 2, 2}, {1, 4, 4, 2}, ARN_WHAT_STRIDE},
    {"depthwise, image without channels", DEPTHWISE(0, 1, 1, 1, 0, 1, 1),
     {1, 4, 4, 0}, {1, 2, 2, 2}, {1, 4, 4, 2}, ARN_WHAT_SHAPE},
    {"average, no stride", POOL(1, 0, 0, 1, 2, 2),
     {1, 4, 4, 2}, {0}, {1, 4, 4, 2}, ARN_WHAT_STRIDE},
    {"average, no filter", POOL(1, 0, 1, 1, 0, 2),
     {1, 4, 4, 2}, {0}, {1, 4, 4, 2}, ARN_WHAT_STRIDE},
    {"maximum, no stride", POOL(17, 1, 1, 0, 2, 2),
     {1, 4, 4, 2}, {0}, {1, 3, 3, 2}, ARN_WHAT_STRIDE},
    {"maximum, no filter", POOL(17, 0, 1, 1, 2, 0),
     {1, 4, 4, 2}, {0}, {1, 4, 4, 2}, ARN_WHAT_STRIDE},
    {"square mean, no stride", POOL(12, 0, 0, 0, 2, 2),
     {1, 4, 4, 2}, {0}, {1, 4, 4, 2}, ARN_WHAT_STRIDE},
    {"space to depth, no block", 26, ARN_OPTIONS_SPACE_TO_DEPTH, {0},
     {1, 4, 4, 2}, {0}, {1, 2, 2, 8}, ARN_WHAT_STRIDE},
    {"depth to space, no block", 5, ARN_OPTIONS_DEPTH_TO_SPACE, {0},
     {1, 4, 4, 4}, {0}, {1, 8, 8, 1}, ARN_WHAT_STRIDE},
    {"depth to space, block below 0", 5, ARN_OPTIONS_DEPTH_TO_SPACE, {-2},
     {1, 4, 4, 4}, {0}, {1, 8, 8, 1}, ARN_WHAT_STRIDE},
};

static void divisors_from_options_are_not_zero(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sizeof impossible / sizeof impossible[0]; i++) {
    static rig r;
    const node_case *c = &impossible[i];
    memset(&r, 0, sizeof r);
    r.code = c->code;
    r.options_type = c->options_type;
    memcpy(r.options, c->options, sizeof r.options);
    r.inputs = c->weights[0] > 0 ? 2 : 1;
    r.outputs = 1;
    shape_tensor(&r.in[0], ARN_FLOAT32, 4, c->in);
    shape_tensor(&r.in[1], ARN_FLOAT32, 4, c->weights);
    shape_tensor(&r.out[0], ARN_FLOAT32, 4, c->out);
    arn_error error;
    const arn_status status = try_node(&r, &error);
    const bool refused = status == ARN_ERR_MODEL || status == ARN_ERR_UNSUPPORTED;
    if (!refused || error.what != c->what) {
      fail_msg("%s: %s", c->name, arn_what_text(error.what));
    }
    assert_int_equal(error.node, 0);
  }
}

// ---- index tensors ----

// A node of `data` (float), an int32 list, and an output.
static void list_node(rig *r, int32_t code, const int32_t *list, uint32_t count) {
  memset(r, 0, sizeof *r);
  r->code = code;
  r->inputs = 2;
  r->outputs = 1;
  shape_tensor(&r->in[0], ARN_FLOAT32, 2, (int32_t[]){3, 4});
  shape_tensor(&r->in[1], ARN_INT32, 1, (int32_t[]){(int32_t)count});
  memcpy(r->in[1].bytes, list, count * sizeof *list);
  r->in[1].is_constant = true;
}

static void axes_lie_in_the_rank(void **state) {
  (void)state;
  static rig r;
  static const int32_t axes[] = {2, -3, 100000, -100000, INT32_MAX, INT32_MIN};
  static const int32_t codes[] = {40, 56, 79, 74, 82};  // MEAN, ARG_MAX, ARG_MIN, SUM, REDUCE_MAX
  for (uint32_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
    for (uint32_t k = 0; k < sizeof codes / sizeof codes[0]; k++) {
      list_node(&r, codes[k], &axes[i], 1);
      const arn_type type = codes[k] == 56 || codes[k] == 79 ? ARN_INT32 : ARN_FLOAT32;
      shape_tensor(&r.out[0], type, 1, (int32_t[]){4});
      want_node(&r, ARN_ERR_MODEL, ARN_WHAT_AXIS, "reduction");
    }
    list_node(&r, 70, &axes[i], 1);  // EXPAND_DIMS: one axis more
    if (axes[i] == 2 || axes[i] == -3) r.in[1].bytes[0] = (uint8_t)(axes[i] > 0 ? 3 : -4);
    shape_tensor(&r.out[0], ARN_FLOAT32, 3, (int32_t[]){1, 3, 4});
    want_node(&r, ARN_ERR_MODEL, ARN_WHAT_AXIS, "EXPAND_DIMS");
  }
}

static void splits_have_parts(void **state) {
  (void)state;
  static rig r;
  memset(&r, 0, sizeof r);
  r.code = 49;  // SPLIT: the axis comes first
  r.options_type = ARN_OPTIONS_SPLIT;
  r.inputs = 2;
  shape_tensor(&r.in[0], ARN_INT32, 1, (int32_t[]){1});
  r.in[0].is_constant = true;
  shape_tensor(&r.in[1], ARN_FLOAT32, 2, (int32_t[]){4, 3});
  shape_tensor(&r.out[0], ARN_FLOAT32, 2, (int32_t[]){4, 3});
  r.outputs = 1;
  want_node(&r, ARN_OK, ARN_WHAT_NONE, "SPLIT, 0: into as many as there are outputs");
  r.options[0] = 2;
  want_node(&r, ARN_ERR_MODEL, ARN_WHAT_OUTPUT_COUNT, "SPLIT into 2, with 1 output");
  r.options[0] = 1;
  r.in[0].bytes[0] = 2;
  want_node(&r, ARN_ERR_MODEL, ARN_WHAT_AXIS, "SPLIT along a third axis");
}

static void blocks_are_not_zero(void **state) {
  (void)state;
  static rig r;
  for (int32_t code = 37; code <= 38; code++) {  // BATCH_TO_SPACE_ND, SPACE_TO_BATCH_ND
    memset(&r, 0, sizeof r);
    r.code = code;
    r.inputs = 3;
    r.outputs = 1;
    shape_tensor(&r.in[0], ARN_FLOAT32, 4, (int32_t[]){4, 2, 2, 1});
    shape_tensor(&r.in[1], ARN_INT32, 1, (int32_t[]){2});
    shape_tensor(&r.in[2], ARN_INT32, 2, (int32_t[]){2, 2});
    r.in[1].is_constant = r.in[2].is_constant = true;
    shape_tensor(&r.out[0], ARN_FLOAT32, 4, (int32_t[]){4, 2, 2, 1});
    arn_error error;
    assert_int_not_equal(try_node(&r, &error), ARN_OK);
    assert_int_not_equal(error.what, ARN_WHAT_NONE);
  }
}

// ---- values that only show when run ----

static void indices_are_checked_when_run(void **state) {
  (void)state;
  static rig r;
  static const int32_t bad[] = {3, -1, 1000000, INT32_MIN, INT32_MAX};
  for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    list_node(&r, 107, &bad[i], 1);  // GATHER_ND
    shape_tensor(&r.out[0], ARN_FLOAT32, 1, (int32_t[]){4});
    want_node(&r, ARN_ERR_DATA, ARN_WHAT_DATA_INDEX, "GATHER_ND");
    list_node(&r, 36, (int32_t[]){bad[i], 0}, 2);  // GATHER
    r.options_type = ARN_OPTIONS_GATHER;
    shape_tensor(&r.out[0], ARN_FLOAT32, 2, (int32_t[]){2, 4});
    want_node(&r, ARN_ERR_DATA, ARN_WHAT_DATA_INDEX, "GATHER");
  }
}

static void scattered_indices_stay_in_the_output(void **state) {
  (void)state;
  static rig r;
  static const int32_t bad[] = {5, -1, 1 << 30, INT32_MIN};
  for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    memset(&r, 0, sizeof r);
    r.code = 122;  // SCATTER_ND: indices, updates, shape
    r.inputs = 3;
    r.outputs = 1;
    shape_tensor(&r.in[0], ARN_INT32, 2, (int32_t[]){1, 1});
    memcpy(r.in[0].bytes, &bad[i], 4);
    shape_tensor(&r.in[1], ARN_FLOAT32, 1, (int32_t[]){1});
    shape_tensor(&r.in[2], ARN_INT32, 1, (int32_t[]){1});
    r.in[2].bytes[0] = 5;
    r.in[0].is_constant = r.in[2].is_constant = true;
    shape_tensor(&r.out[0], ARN_FLOAT32, 1, (int32_t[]){5});
    want_node(&r, ARN_ERR_DATA, ARN_WHAT_DATA_INDEX, "SCATTER_ND");
  }
}

static void segments_ascend_within_the_output(void **state) {
  (void)state;
  static rig r;
  static const int32_t bad[][3] = {{0, 0, INT32_MAX}, {0, 0, 2}, {-1, 0, 1}, {1, 0, 1}};
  for (uint32_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
    list_node(&r, 125, bad[i], 3);  // SEGMENT_SUM
    shape_tensor(&r.out[0], ARN_FLOAT32, 2, (int32_t[]){2, 4});
    arn_error error;
    assert_int_not_equal(try_node(&r, &error), ARN_OK);
    assert_int_not_equal(error.what, ARN_WHAT_NONE);
  }
}

static void whole_divisors_are_not_zero(void **state) {
  (void)state;
  static rig r;
  static const int32_t codes[] = {42, 90, 95};  // DIV, FLOOR_DIV, FLOOR_MOD
  for (uint32_t i = 0; i < 3; i++) {
    list_node(&r, codes[i], (int32_t[]){1, 2, 0, 4}, 4);
    shape_tensor(&r.in[0], ARN_INT32, 1, (int32_t[]){4});
    shape_tensor(&r.out[0], ARN_INT32, 1, (int32_t[]){4});
    want_node(&r, ARN_ERR_DATA, ARN_WHAT_DATA_DIVISOR, "division");
  }
}

// ---- empty tensors ----

static void empty_tensors_do_no_harm(void **state) {
  (void)state;
  static rig r;
  static const int32_t codes[] = {0, 18, 41, 55, 57};  // ADD, MUL, SUB, MAXIMUM, MINIMUM
  for (uint32_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
    for (int32_t first = 0; first < 2; first++) {
      memset(&r, 0, sizeof r);
      r.code = codes[i];
      r.inputs = 2;
      r.outputs = 1;
      shape_tensor(&r.in[0], ARN_FLOAT32, 2, (int32_t[]){2, first ? 0 : 1});
      shape_tensor(&r.in[1], ARN_FLOAT32, 2, (int32_t[]){2, first ? 1 : 0});
      shape_tensor(&r.out[0], ARN_FLOAT32, 2, (int32_t[]){2, 0});
      want_node(&r, ARN_OK, ARN_WHAT_NONE, "empty");
      shape_tensor(&r.out[0], ARN_FLOAT32, 2, (int32_t[]){2, 1});
      want_node(&r, ARN_ERR_MODEL, ARN_WHAT_SHAPE, "something from nothing");
    }
  }
}

static void lookups_in_nothing_are_refused(void **state) {
  (void)state;
  static rig r;
  arn_error error;
  memset(&r, 0, sizeof r);
  r.code = 7;  // EMBEDDING_LOOKUP
  r.inputs = 2;
  r.outputs = 1;
  shape_tensor(&r.in[0], ARN_INT32, 1, (int32_t[]){2});
  shape_tensor(&r.in[1], ARN_FLOAT32, 2, (int32_t[]){0, 3});
  shape_tensor(&r.out[0], ARN_FLOAT32, 2, (int32_t[]){2, 3});
  want_node(&r, ARN_ERR_UNSUPPORTED, ARN_WHAT_SHAPE, "EMBEDDING_LOOKUP");
  list_node(&r, 107, (int32_t[]){0}, 1);  // GATHER_ND
  r.in[0].dims[0] = 0;
  shape_tensor(&r.out[0], ARN_FLOAT32, 1, (int32_t[]){4});
  assert_int_not_equal(try_node(&r, &error), ARN_OK);
  assert_int_not_equal(error.what, ARN_WHAT_NONE);
  memset(&r, 0, sizeof r);
  r.code = ARN_BUILTIN_FULLY_CONNECTED;
  r.inputs = 2;
  r.outputs = 1;
  shape_tensor(&r.in[0], ARN_FLOAT32, 2, (int32_t[]){1, 4});
  shape_tensor(&r.in[1], ARN_FLOAT32, 2, (int32_t[]){3, 0});
  shape_tensor(&r.out[0], ARN_FLOAT32, 2, (int32_t[]){1, 3});
  want_node(&r, ARN_ERR_UNSUPPORTED, ARN_WHAT_SHAPE, "FULLY_CONNECTED");
}

static void state_must_be_a_variable(void **state) {
  (void)state;
  static rig r;
  memset(&r, 0, sizeof r);
  r.code = 27;  // SVDF: input, feature and time weights, no bias, state
  r.options_type = ARN_OPTIONS_SVDF;
  r.options[0] = 1;
  r.inputs = 5;
  r.outputs = 1;
  shape_tensor(&r.in[0], ARN_FLOAT32, 2, (int32_t[]){1, 3});
  shape_tensor(&r.in[1], ARN_FLOAT32, 2, (int32_t[]){2, 3});
  shape_tensor(&r.in[2], ARN_FLOAT32, 2, (int32_t[]){2, 4});
  shape_tensor(&r.in[3], ARN_FLOAT32, 1, (int32_t[]){2});
  shape_tensor(&r.in[4], ARN_FLOAT32, 2, (int32_t[]){1, 8});
  shape_tensor(&r.out[0], ARN_FLOAT32, 2, (int32_t[]){1, 2});
  want_node(&r, ARN_ERR_UNSUPPORTED, ARN_WHAT_TENSOR_VARIABLE, "SVDF");
  r.inputs = 4;
  want_node(&r, ARN_ERR_MODEL, ARN_WHAT_INPUT_COUNT, "SVDF without a state");
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
      cmocka_unit_test(what_is_no_model_is_refused),
      cmocka_unit_test(a_file_that_is_cut_off_is_refused_or_runs),
      cmocka_unit_test(a_file_with_any_byte_changed_is_refused_or_runs),
      cmocka_unit_test(subgraphs_do_not_call_in_circles),
      cmocka_unit_test(calls_name_subgraphs_that_exist),
      cmocka_unit_test(branches_fit_their_node),
      cmocka_unit_test(divisors_from_options_are_not_zero),
      cmocka_unit_test(axes_lie_in_the_rank),
      cmocka_unit_test(splits_have_parts),
      cmocka_unit_test(blocks_are_not_zero),
      cmocka_unit_test(indices_are_checked_when_run),
      cmocka_unit_test(scattered_indices_stay_in_the_output),
      cmocka_unit_test(segments_ascend_within_the_output),
      cmocka_unit_test(whole_divisors_are_not_zero),
      cmocka_unit_test(empty_tensors_do_no_harm),
      cmocka_unit_test(lookups_in_nothing_are_refused),
      cmocka_unit_test(state_must_be_a_variable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
