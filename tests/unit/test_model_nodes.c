// Nodes with options, shapes and values by which a kernel would divide by zero or read and
// write where it must not: refused when prepared, or an error when run.
#include "op_rig.h"

#include "fbview.h"

#include "broken.h"

// ---- options and shapes by which kernels would divide ----

static void shape_tensor(rig_tensor *t, arn_type type, uint32_t rank, const int32_t *dims) {
  t->type = type;
  t->rank = rank;
  if (rank > 0) memcpy(t->dims, dims, rank * sizeof *dims);
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

static void parts_of_given_sizes_lie_along_an_axis(void **state) {
  (void)state;
  static rig r;
  static const int32_t axes[] = {2, -3, 100000, -100000, INT32_MAX, INT32_MIN};
  for (uint32_t i = 0; i < sizeof axes / sizeof axes[0]; i++) {
    memset(&r, 0, sizeof r);
    r.code = 102;  // SPLIT_V: data, sizes, axis
    r.options_type = ARN_OPTIONS_SPLIT_V;
    r.options[0] = 1;
    r.inputs = 3;
    r.outputs = 1;
    shape_tensor(&r.in[0], ARN_FLOAT32, 2, (int32_t[]){4, 3});
    shape_tensor(&r.in[1], ARN_INT32, 1, (int32_t[]){1});
    shape_tensor(&r.in[2], ARN_INT32, 1, (int32_t[]){1});
    r.in[1].bytes[0] = 4;
    r.in[1].is_constant = r.in[2].is_constant = true;
    shape_tensor(&r.out[0], ARN_FLOAT32, 2, (int32_t[]){4, 3});
    want_node(&r, ARN_OK, ARN_WHAT_NONE, "SPLIT_V into one part");
    memcpy(r.in[2].bytes, &axes[i], 4);
    want_node(&r, ARN_ERR_MODEL, ARN_WHAT_AXIS, "SPLIT_V");
  }
}

static void transposed_convolutions_have_strides(void **state) {
  (void)state;
  static rig r;
  arn_error error;
  for (uint32_t zero = 0; zero < 3; zero++) {
    memset(&r, 0, sizeof r);
    r.code = 67;  // TRANSPOSE_CONV: output shape, weights, input; padding, strides along x and y
    r.options_type = ARN_OPTIONS_TRANSPOSE_CONV;
    r.options[1] = zero == 1 ? 0 : 2;
    r.options[2] = zero == 2 ? 0 : 2;
    r.inputs = 3;
    r.outputs = 1;
    shape_tensor(&r.in[0], ARN_INT32, 1, (int32_t[]){4});
    memcpy(r.in[0].bytes, (int32_t[]){1, 4, 4, 3}, 16);
    r.in[0].is_constant = true;
    shape_tensor(&r.in[1], ARN_FLOAT32, 4, (int32_t[]){3, 2, 2, 2});
    shape_tensor(&r.in[2], ARN_FLOAT32, 4, (int32_t[]){1, 2, 2, 2});
    shape_tensor(&r.out[0], ARN_FLOAT32, 4, (int32_t[]){1, 4, 4, 3});
    assert_int_equal(try_node(&r, &error) == ARN_OK, zero == 0);
    assert_int_equal(error.what, zero == 0 ? ARN_WHAT_NONE : ARN_WHAT_STRIDE);
  }
}

// Refused, whether the engine has the operator or not.
static void biases_of_volumes_have_a_channel_each(void **state) {
  (void)state;
  static rig r;
  static const int32_t codes[] = {132, 140};  // CONV_3D; CONV_3D_TRANSPOSE: the output shape first
  for (uint32_t i = 0; i < 2; i++) {
    arn_error error;
    memset(&r, 0, sizeof r);
    r.code = codes[i];
    r.options_type = ARN_OPTIONS_CONV_3D;
    for (uint32_t k = 1; k <= 3; k++) r.options[k] = 1;
    for (uint32_t k = 5; k <= 7; k++) r.options[k] = 1;
    r.inputs = 3 + i;
    r.outputs = 1;
    shape_tensor(&r.in[0], ARN_INT32, 1, (int32_t[]){5});
    memcpy(r.in[0].bytes, (int32_t[]){1, 2, 2, 2, 3}, 20);
    r.in[0].is_constant = i == 1;
    shape_tensor(&r.in[1], ARN_FLOAT32, 5, (int32_t[]){1, 1, 1, i ? 3 : 2, i ? 2 : 3});
    shape_tensor(&r.in[i ? 2 : 0], ARN_FLOAT32, 5, (int32_t[]){1, 2, 2, 2, 2});
    shape_tensor(&r.in[2 + i], ARN_FLOAT32, 1, (int32_t[]){300});
    shape_tensor(&r.out[0], ARN_FLOAT32, 5, (int32_t[]){1, 2, 2, 2, 3});
    const arn_status status = try_node(&r, &error);
    assert_true(status != ARN_OK);
    assert_int_not_equal(error.what, ARN_WHAT_NONE);
  }
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

static void one_hot_of_nothing_is_empty(void **state) {
  (void)state;
  static rig r;
  memset(&r, 0, sizeof r);
  r.code = 85;  // ONE_HOT: indices, depth, on, off
  r.options_type = ARN_OPTIONS_ONE_HOT;
  r.options[0] = -1;
  r.inputs = 4;
  r.outputs = 1;
  shape_tensor(&r.in[0], ARN_INT32, 1, (int32_t[]){0});
  shape_tensor(&r.in[1], ARN_INT32, 0, NULL);
  r.in[1].bytes[0] = 3;
  r.in[1].is_constant = true;
  shape_tensor(&r.in[2], ARN_FLOAT32, 0, NULL);
  shape_tensor(&r.in[3], ARN_FLOAT32, 0, NULL);
  shape_tensor(&r.out[0], ARN_FLOAT32, 2, (int32_t[]){0, 3});
  want_node(&r, ARN_OK, ARN_WHAT_NONE, "ONE_HOT of no indices");
  shape_tensor(&r.out[0], ARN_FLOAT32, 2, (int32_t[]){2, 3});
  want_node(&r, ARN_ERR_MODEL, ARN_WHAT_SHAPE, "ONE_HOT of no indices into two rows");
}

static void hashes_of_nothing_are_refused(void **state) {
  (void)state;
  static rig r;
  arn_error error;
  memset(&r, 0, sizeof r);
  r.code = 15;  // LSH_PROJECTION
  r.inputs = 2;
  r.outputs = 1;
  shape_tensor(&r.in[0], ARN_FLOAT32, 2, (int32_t[]){2, 4});
  shape_tensor(&r.in[1], ARN_FLOAT32, 2, (int32_t[]){0, 4});
  shape_tensor(&r.out[0], ARN_INT32, 1, (int32_t[]){2});
  assert_true(try_node(&r, &error) != ARN_OK);
  assert_int_not_equal(error.what, ARN_WHAT_NONE);
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
      cmocka_unit_test(divisors_from_options_are_not_zero),
      cmocka_unit_test(axes_lie_in_the_rank),
      cmocka_unit_test(splits_have_parts),
      cmocka_unit_test(parts_of_given_sizes_lie_along_an_axis),
      cmocka_unit_test(transposed_convolutions_have_strides),
      cmocka_unit_test(biases_of_volumes_have_a_channel_each),
      cmocka_unit_test(blocks_are_not_zero),
      cmocka_unit_test(indices_are_checked_when_run),
      cmocka_unit_test(scattered_indices_stay_in_the_output),
      cmocka_unit_test(segments_ascend_within_the_output),
      cmocka_unit_test(whole_divisors_are_not_zero),
      cmocka_unit_test(empty_tensors_do_no_harm),
      cmocka_unit_test(lookups_in_nothing_are_refused),
      cmocka_unit_test(one_hot_of_nothing_is_empty),
      cmocka_unit_test(hashes_of_nothing_are_refused),
      cmocka_unit_test(state_must_be_a_variable),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
