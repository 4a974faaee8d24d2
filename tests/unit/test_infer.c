// Shapes that a file leaves open: graphs whose shapes are computed from the shape of an input, with
// unknown dimensions, against the shapes worked out by hand; and a dilated convolution the way
// converters write it for images of any size, against its definition.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/check/engine.h"
#include "host/rewrite/builder.h"

// BuiltinOperator of the schema.
enum {
  AVERAGE_POOL = 1, CONV = 3, MAX_POOL = 17, MUL = 18, RELU = 19, RESHAPE = 22, CONCATENATION = 2,
  ADD = 0, BATCH_TO_SPACE = 37, SPACE_TO_BATCH = 38, SUB = 41, STRIDED_SLICE = 45, MAXIMUM = 55,
  TILE = 69, SHAPE = 77, PACK = 83, FLOOR_DIV = 90, FILL = 94, FLOOR_MOD = 95
};

// A dimension that the file leaves open; it becomes -1 when the file is written. No tensor has this
// number.
#define OPEN 103

static arn_builder *b;

static int32_t tensor(arn_type type, uint32_t rank, const int32_t *dims, const void *data) {
  arn_build_tensor t = {.name = "t", .type = type, .rank = rank, .data = data, .data_bytes = 4};
  for (uint32_t i = 0; i < rank; i++) {
    t.shape[i] = dims[i];
    t.data_bytes *= (size_t)dims[i];
  }
  if (data == NULL) t.data_bytes = 0;
  return arn_builder_tensor(b, &t);
}

static int32_t numbers(const int32_t *values, int32_t count) {
  return tensor(ARN_INT32, 1, &count, values);
}

static int32_t number(int32_t value) { return numbers(&value, 1); }

static void node(int32_t code, const arn_build_options *options, const int32_t *in, uint32_t count,
                 int32_t out) {
  arn_build_operator op = {.code = code, .inputs = in, .input_count = count, .outputs = &out,
                           .output_count = 1};
  if (options) op.options = *options;
  arn_builder_operator(b, &op);
}

typedef struct file {
  uint8_t *bytes;
  size_t size;
  arn_model model;
} file;

static void open_file(file *f, const int32_t *in, uint32_t in_count, int32_t out) {
  const int32_t mark = OPEN, unknown = -1;
  arn_builder_io(b, in, in_count, &out, 1);
  if (!arn_builder_finish(b, &f->bytes, &f->size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  for (size_t i = 0; i + 4 <= f->size; i += 4) {
    if (memcmp(f->bytes + i, &mark, 4) == 0) memcpy(f->bytes + i, &unknown, 4);
  }
  assert_int_equal(arn_model_open(&f->model, f->bytes, f->size, NULL), ARN_OK);
  arn_model_infer_shapes(&f->model);
}

static void want_dims(const file *f, int32_t index, uint32_t rank, const int32_t *dims) {
  arn_subgraph g;
  arn_tensor t;
  uint32_t count = 1;
  assert_int_equal(arn_model_subgraph(&f->model, 0, &g), ARN_OK);
  arn_model_tensor(&f->model, &g, (uint32_t)index, &t);
  assert_int_equal(t.rank, rank);
  assert_int_equal(t.unknown_dims, 0);
  for (uint32_t i = 0; i < rank; i++) {
    assert_int_equal(t.dims[i], dims[i]);
    count *= (uint32_t)dims[i];
  }
  assert_int_equal(t.count, count);
  assert_int_equal(t.bytes, 4 * count);
}

// ---- one operator a time ------------------------------------------------------------------------

// x is [2,5,7,3]; its shape is computed at run time.
static int32_t x, shape;
static const int32_t x_dims[] = {2, 5, 7, 3};

static void begin(void) {
  const arn_build_options options = {.type = ARN_OPTIONS_SHAPE, .values = {ARN_INT32}};
  b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  x = tensor(ARN_FLOAT32, 4, x_dims, NULL);
  shape = tensor(ARN_INT32, 1, (int32_t[]){4}, NULL);
  node(SHAPE, &options, &x, 1, shape);
}

static int32_t unknown(uint32_t rank) {
  return tensor(ARN_FLOAT32, rank, (int32_t[]){OPEN, OPEN, OPEN, OPEN, OPEN}, NULL);
}

// Element `i` of the shape of x, as a vector of one.
static int32_t dim(int32_t i) {
  const arn_build_options options = {.type = ARN_OPTIONS_STRIDED_SLICE};
  const int32_t end = i + 1, one = 1;
  const int32_t out = tensor(ARN_INT32, 1, &one, NULL);
  node(STRIDED_SLICE, &options,
       (int32_t[]){shape, numbers(&i, 1), numbers(&end, 1), numbers(&one, 1)}, 4, out);
  return out;
}

static int32_t computed(int32_t code, int32_t a, int32_t c) {
  const int32_t out = tensor(ARN_INT32, 1, (int32_t[]){1}, NULL);
  node(code, NULL, (int32_t[]){a, c}, 2, out);
  return out;
}

static int32_t joined(const int32_t *parts, uint32_t count) {
  const arn_build_options options = {.type = ARN_OPTIONS_CONCATENATION};
  const int32_t out = tensor(ARN_INT32, 1, (int32_t[]){(int32_t)count}, NULL);
  node(CONCATENATION, &options, parts, count, out);
  return out;
}

static void finish(int32_t out, uint32_t rank, const int32_t *dims) {
  file f;
  open_file(&f, &x, 1, out);
  want_dims(&f, out, rank, dims);
  free(f.bytes);
}

static void shapes_are_computed(void **unused) {
  (void)unused;
  begin();  // [2, all the rest]
  int32_t out = unknown(2);
  node(RESHAPE, NULL, (int32_t[]){x, joined((int32_t[]){dim(0), number(-1)}, 2)}, 2, out);
  finish(out, 2, (int32_t[]){2, 105});

  begin();  // 7 / 2 + 5 % 3, max(3, 4) * 2
  out = unknown(2);
  const int32_t half = computed(FLOOR_DIV, dim(2), number(2));
  const int32_t rest = computed(FLOOR_MOD, dim(1), number(3));
  const int32_t sum = computed(ADD, half, rest);
  const int32_t most = computed(MAXIMUM, dim(3), number(4));
  const int32_t twice = computed(MUL, most, number(2));
  const float one = 1.0f;
  node(FILL, NULL,
       (int32_t[]){joined((int32_t[]){sum, twice}, 2), tensor(ARN_FLOAT32, 0, NULL, &one)}, 2, out);
  finish(out, 2, (int32_t[]){5, 8});
}

static void negative_numbers_divide_down(void **unused) {
  (void)unused;
  const float one = 1.0f;
  begin();  // 5 - (-7 / 2), -7 mod 4
  const int32_t out = unknown(2);
  const int32_t minus = computed(SUB, number(0), dim(2));
  const int32_t half = computed(FLOOR_DIV, minus, number(2));
  const int32_t first = computed(SUB, dim(1), half);
  const int32_t second = computed(FLOOR_MOD, minus, number(4));
  const int32_t value = tensor(ARN_FLOAT32, 0, NULL, &one);
  node(FILL, NULL, (int32_t[]){joined((int32_t[]){first, second}, 2), value}, 2, out);
  finish(out, 2, (int32_t[]){9, 1});
}

static void operators_pass_shapes_on(void **unused) {
  (void)unused;
  const arn_build_options pool = {.type = ARN_OPTIONS_POOL_2D, .values = {1, 2, 1, 3, 2, 0}};
  const arn_build_options same = {.type = ARN_OPTIONS_POOL_2D, .values = {0, 2, 3, 3, 3, 0}};
  const arn_build_options concat = {.type = ARN_OPTIONS_CONCATENATION, .values = {3}};
  begin();  // twice as many images; VALID 2 x 3 windows a row and two columns apart; SAME ones
  const int32_t two = number(2), one = number(1);
  const int32_t tiled = unknown(4), pooled = unknown(4), relu = unknown(4), out = unknown(4);
  const int32_t wide = unknown(4), images = computed(SUB, dim(3), one);
  node(TILE, NULL, (int32_t[]){x, joined((int32_t[]){images, one, one, two}, 4)}, 2, tiled);
  node(MAX_POOL, &pool, &tiled, 1, pooled);
  node(RELU, NULL, &pooled, 1, relu);
  node(CONCATENATION, &concat, (int32_t[]){relu, pooled}, 2, wide);
  node(AVERAGE_POOL, &same, &wide, 1, out);
  file f;
  open_file(&f, &x, 1, out);
  want_dims(&f, tiled, 4, (int32_t[]){4, 5, 7, 6});
  want_dims(&f, pooled, 4, (int32_t[]){4, 4, 3, 6});
  want_dims(&f, relu, 4, (int32_t[]){4, 4, 3, 6});
  want_dims(&f, wide, 4, (int32_t[]){4, 4, 3, 12});
  want_dims(&f, out, 4, (int32_t[]){4, 2, 2, 12});
  free(f.bytes);
}

static void chains_of_layers_need_no_depth(void **unused) {
  const float half[] = {0.5f};
  (void)unused;
  begin();
  int32_t last = unknown(2), by = tensor(ARN_FLOAT32, 0, NULL, half);
  node(RESHAPE, NULL, (int32_t[]){x, joined((int32_t[]){dim(0), number(-1)}, 2)}, 2, last);
  for (uint32_t i = 0; i < 60; i++) {
    const int32_t next = unknown(2);
    node(i % 2 ? MUL : RELU, NULL, (int32_t[]){last, by}, i % 2 ? 2 : 1, next);
    last = next;
  }
  finish(last, 2, (int32_t[]){2, 105});
}

static void nothing_else_is_touched(void **unused) {
  (void)unused;
  const int32_t dims[] = {2, 105};
  file f;
  begin();  // a right shape: nothing is inferred
  int32_t out = tensor(ARN_FLOAT32, 2, dims, NULL);
  node(RESHAPE, NULL, (int32_t[]){x, joined((int32_t[]){dim(0), number(-1)}, 2)}, 2, out);
  open_file(&f, &x, 1, out);
  assert_null(f.model.infer);
  free(f.bytes);
  begin();  // a shape that an input says
  out = unknown(2);
  const int32_t given = tensor(ARN_INT32, 1, (int32_t[]){2}, NULL);
  node(RESHAPE, NULL, (int32_t[]){x, given}, 2, out);
  open_file(&f, (int32_t[]){x, given}, 2, out);
  assert_null(f.model.infer);
  free(f.bytes);
}

static void searches_end(void **unused) {
  (void)unused;
  const float one = 1.0f;
  file f;
  begin();  // 2^40 additions, and a sum that does not fit
  int32_t value = dim(0), out = unknown(1);
  for (uint32_t i = 0; i < 40; i++) {
    value = computed(ADD, value, value);
  }
  node(FILL, NULL, (int32_t[]){value, tensor(ARN_FLOAT32, 0, NULL, &one)}, 2, out);
  open_file(&f, &x, 1, out);
  assert_null(f.model.infer);
  free(f.bytes);
  begin();  // each needs the other
  out = unknown(1);
  const int32_t a = tensor(ARN_INT32, 1, (int32_t[]){1}, NULL);
  const int32_t c = tensor(ARN_INT32, 1, (int32_t[]){1}, NULL);
  node(ADD, NULL, (int32_t[]){a, a}, 2, c);
  node(ADD, NULL, (int32_t[]){c, c}, 2, a);
  node(FILL, NULL, (int32_t[]){a, tensor(ARN_FLOAT32, 0, NULL, &one)}, 2, out);
  open_file(&f, &x, 1, out);
  assert_null(f.model.infer);
  free(f.bytes);
}

// ---- a dilated convolution ----------------------------------------------------------------------

enum { HEIGHT = 9, WIDTH = 8, CHANNELS = 2, FILTERS = 3, KERNEL = 3, RATE = 2 };

static float filter_value(int32_t f, int32_t y, int32_t x_at, int32_t c) {
  return (float)((f * 7 + y * 5 + x_at * 3 + c) % 11) / 8.0f - 0.5f;
}

// The value of a SAME convolution, of KERNEL by KERNEL taps RATE apart.
static double dilated(const float *image, int32_t y, int32_t x_at, int32_t f) {
  double sum = 0.0;
  for (int32_t i = 0; i < KERNEL * KERNEL * CHANNELS; i++) {
    const int32_t ky = i / CHANNELS / KERNEL, kx = i / CHANNELS % KERNEL, c = i % CHANNELS;
    const int32_t from_y = y + (ky - 1) * RATE, from_x = x_at + (kx - 1) * RATE;
    if (from_y < 0 || from_y >= HEIGHT || from_x < 0 || from_x >= WIDTH) continue;
    sum += (double)image[(from_y * WIDTH + from_x) * CHANNELS + c] *
           (double)filter_value(f, ky, kx, c);
  }
  return sum;
}

// A pair of numbers [0, v] as a row of paddings.
static int32_t pair(int32_t before, int32_t after) {
  const arn_build_options options = {.type = ARN_OPTIONS_CONCATENATION};
  const int32_t out = tensor(ARN_INT32, 1, (int32_t[]){2}, NULL);
  node(CONCATENATION, &options, (int32_t[]){before, after}, 2, out);
  return out;
}

static int32_t pairs(int32_t first, int32_t second) {
  const arn_build_options options = {.type = ARN_OPTIONS_PACK, .values = {2, 0}};
  const int32_t out = tensor(ARN_INT32, 2, (int32_t[]){2, 2}, NULL);
  node(PACK, &options, (int32_t[]){first, second}, 2, out);
  return out;
}

// What brings a dimension up to a multiple of RATE.
static int32_t missing(int32_t size) {
  const int32_t over = computed(FLOOR_MOD, size, number(RATE));
  const int32_t left = computed(SUB, number(RATE), over);
  return computed(FLOOR_MOD, left, number(RATE));
}

static int32_t plus(int32_t a, int32_t value) {
  return computed(ADD, a, number(value));
}

static int32_t dilated_graph(void) {
  static float filter[FILTERS * KERNEL * KERNEL * CHANNELS];
  const float bias[FILTERS] = {0.0f, 0.0f, 0.0f};
  const int32_t filter_dims[] = {FILTERS, KERNEL, KERNEL, CHANNELS};
  const arn_build_options conv = {.type = ARN_OPTIONS_CONV_2D, .values = {1, 1, 1, 0, 1, 1}};
  for (int32_t i = 0; i < FILTERS * KERNEL * KERNEL * CHANNELS; i++) {
    filter[i] = filter_value(i / CHANNELS / KERNEL / KERNEL, i / CHANNELS / KERNEL % KERNEL,
                             i / CHANNELS % KERNEL, i % CHANNELS);
  }
  const int32_t dealt = unknown(4), convolved = unknown(4), out = unknown(4);
  const int32_t zero = number(0), rate = number(RATE);
  const int32_t high = missing(dim(1)), wide = missing(dim(2));
  const int32_t block = numbers((int32_t[]){RATE, RATE}, 2);
  const int32_t pads = pairs(pair(rate, plus(high, RATE)), pair(rate, plus(wide, RATE)));
  const int32_t crops = pairs(pair(zero, high), pair(zero, wide));
  node(SPACE_TO_BATCH, NULL, (int32_t[]){x, block, pads}, 3, dealt);
  node(CONV, &conv,
       (int32_t[]){dealt, tensor(ARN_FLOAT32, 4, filter_dims, filter),
                   tensor(ARN_FLOAT32, 1, filter_dims, bias)}, 3, convolved);
  node(BATCH_TO_SPACE, NULL, (int32_t[]){convolved, block, crops}, 3, out);
  return out;
}

static void dilated_convolutions_of_any_size_run(void **unused) {
  const arn_build_options options = {.type = ARN_OPTIONS_SHAPE, .values = {ARN_INT32}};
  const host_options plain = {.fill = HOST_FILL_RANDOM};
  host_engine engine;
  file f;
  (void)unused;
  b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  x = tensor(ARN_FLOAT32, 4, (int32_t[]){1, HEIGHT, WIDTH, CHANNELS}, NULL);
  shape = tensor(ARN_INT32, 1, (int32_t[]){4}, NULL);
  node(SHAPE, &options, &x, 1, shape);
  const int32_t out = dilated_graph();
  open_file(&f, &x, 1, out);
  want_dims(&f, out, 4, (int32_t[]){1, HEIGHT, WIDTH, FILTERS});
  assert_int_equal(host_engine_open(&engine, f.bytes, f.size, &plain, NULL), ARN_OK);
  const arn_tensor_view in = arn_input(&engine.nn, 0);
  float image[HEIGHT * WIDTH * CHANNELS];
  for (int32_t i = 0; i < HEIGHT * WIDTH * CHANNELS; i++) image[i] = (float)(i * 37 % 64) / 16.0f;
  memcpy(in.data, image, sizeof image);
  assert_int_equal(arn_invoke(&engine.nn, NULL), ARN_OK);
  const arn_tensor_view got = arn_output(&engine.nn, 0);
  for (int32_t i = 0; i < HEIGHT * WIDTH * FILTERS; i++) {
    const double want = dilated(image, i / FILTERS / WIDTH, i / FILTERS % WIDTH, i % FILTERS);
    assert_true(fabs((double)((const float *)got.data)[i] - want) < 1e-4);
  }
  host_engine_close(&engine);
  free(f.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(shapes_are_computed),
      cmocka_unit_test(negative_numbers_divide_down),
      cmocka_unit_test(operators_pass_shapes_on),
      cmocka_unit_test(chains_of_layers_need_no_depth),
      cmocka_unit_test(nothing_else_is_touched),
      cmocka_unit_test(searches_end),
      cmocka_unit_test(dilated_convolutions_of_any_size_run),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
