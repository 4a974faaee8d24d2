// Reductions, ARG_MAX and ARG_MIN over random shapes, axes and types, against their definitions
// written plainly; the packs have small shapes, few types and no rank above 4.
#include <math.h>

#include "tests/unit/op_rig.h"

enum { MEAN = 40, ARG_MAX = 56, SUM = 74, ARG_MIN = 79, PROD = 81, MAX = 82, MIN = 89, ANY = 91,
       ALL = 140 };
enum { MOST = RIG_BYTES / 8 };  // elements of a tensor

static rig r;
static rig_tensor *const in = &r.in[0], *const axes = &r.in[1], *const out = &r.out[0];
static uint32_t mask;           // of reduced axes

// ---- random nodes -------------------------------------------------------------------------------

static int32_t draw_size(uint32_t left) {
  static const int32_t sizes[] = {1, 1, 1, 2, 3, 5, 7, 8, 16, 33, 64, 65, 257, 300};
  const int32_t size = sizes[draw(sizeof sizes / sizeof sizes[0])];
  return (uint32_t)size <= left ? size : 1;
}

static void draw_shape(uint32_t least_rank) {
  uint32_t left = MOST;
  const uint32_t most_rank = draw(2) ? ARN_MAX_RANK : 4;
  in->rank = least_rank + draw(most_rank + 1 - least_rank);
  for (uint32_t i = 0; i < in->rank; i++) {
    in->dims[i] = i == 0 && draw(2) ? 1 : draw_size(left);
    left /= (uint32_t)in->dims[i];
  }
}

// Axes may be negative, and may be given twice.
static void draw_axes(void) {
  int32_t given[ARN_MAX_RANK + 2];
  const uint32_t count = 1 + draw(in->rank + 1);
  const bool keep = draw(2);
  mask = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t axis = in->rank ? draw(in->rank) : 0;  // a scalar takes any
    mask |= 1u << axis;
    given[i] = (int32_t)axis - (draw(2) ? (int32_t)in->rank : 0);
  }
  axes->type = ARN_INT32;
  axes->rank = 1;
  axes->dims[0] = (int32_t)count;
  axes->is_constant = true;
  memcpy(axes->bytes, given, 4 * (size_t)count);
  out->rank = 0;
  for (uint32_t i = 0; i < in->rank; i++) {
    const bool reduced = mask >> i & 1u;
    if (!reduced || keep) out->dims[out->rank++] = reduced ? 1 : in->dims[i];
  }
  r.options_type = ARN_OPTIONS_REDUCER;
  r.options[0] = keep;
}

static bool is_quantised(arn_type type) {
  return type == ARN_INT8 || type == ARN_UINT8 || type == ARN_INT16;
}

static float draw_float(float low, float high) {
  return low + (high - low) * (float)draw(1u << 24) * 0x1p-24f;
}

static void draw_scales(int32_t op) {
  const int64_t low = in->type == ARN_UINT8 ? 0 : in->type == ARN_INT8 ? -128 : -5;
  in->scale = out->scale = draw_float(0.01f, 0.2f);
  in->zero = out->zero = low + draw(in->type == ARN_INT16 ? 10 : 256);
  if (op == MEAN || op == SUM) {
    out->scale = draw_float(0.01f, 0.2f) * (op == SUM ? 50.0f : 1.0f);
    out->zero = low + draw(10);
  }
}

// Sums and products of these stay finite.
static void fill_values(int32_t op) {
  const uint32_t count = rig_count(in);
  rig_fill(in);
  for (uint32_t i = 0; i < count && in->type == ARN_FLOAT32; i++) {
    const float x = op == PROD ? draw_float(0.9f, 1.1f) : draw_float(-1.0f, 1.0f);
    memcpy(in->bytes + 4 * i, &x, sizeof x);
  }
}

static void draw_reduction(int32_t op, arn_type type) {
  memset(&r, 0, offsetof(rig, in));
  r.code = op;
  r.inputs = 2;
  r.outputs = 1;
  in->type = out->type = type;
  in->scale = out->scale = 0.0f;
  draw_shape(0);
  draw_axes();
  if (is_quantised(type)) draw_scales(op);
  fill_values(op);
}

// ---- definitions --------------------------------------------------------------------------------

// Returns the output that element `i` of the input goes to.
static uint32_t output_of(uint32_t i) {
  uint32_t output = 0, stride = 1;
  for (uint32_t axis = in->rank; axis-- > 0;) {
    const uint32_t size = (uint32_t)in->dims[axis];
    if (!(mask >> axis & 1u)) {
      output += i % size * stride;
      stride *= size;
    }
    i /= size;
  }
  return output;
}

static int64_t read_integer(const rig_tensor *t, uint32_t i) {
  const uint32_t bytes = rig_element(t);
  uint64_t x = 0;
  memcpy(&x, t->bytes + i * bytes, bytes);
  if (t->type == ARN_UINT8 || t->type == ARN_BOOL) return (int64_t)x;
  const uint32_t unused = 64 - 8 * bytes;
  return (int64_t)(x << unused) >> unused;
}

static float read_float(const rig_tensor *t, uint32_t i) {
  float x;
  memcpy(&x, t->bytes + 4 * i, sizeof x);
  return x;
}

static int64_t fold_integer(int32_t op, int64_t a, int64_t x) {
  switch (op) {
    case MAX: return x > a ? x : a;
    case MIN: return x < a ? x : a;
    case PROD: return (int64_t)((uint64_t)a * (uint64_t)x);
    case ALL: return a && x;
    case ANY: return a || x;
    default: return (int64_t)((uint64_t)a + (uint64_t)x);
  }
}

static float fold_float(int32_t op, float a, float x) {
  switch (op) {
    case MAX: return x > a ? x : a;
    case MIN: return x < a ? x : a;
    case PROD: return a * x;
    default: return a + x;
  }
}

static float identity_of(int32_t op) {
  return op == PROD ? 1.0f : op == MAX ? -INFINITY : op == MIN ? INFINITY : 0.0f;
}

// The multiplication of NUMERICS.md, from its text.
static int64_t multiply_and_round(int64_t x, int64_t q, int32_t shift) {
  if (shift > 0) x *= INT64_C(1) << shift;
  const int64_t product = x * q;
  const int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
  const int64_t high = (product + nudge) / (INT64_C(1) << 31);
  return shift >= 0 ? high : (int64_t)round(ldexp((double)high, shift));
}

static int64_t requantised(int32_t op, int64_t sum, uint32_t count) {
  int32_t shift;
  const double fraction = frexp((double)in->scale / (double)out->scale, &shift);
  int64_t q = (int64_t)round(fraction * 0x1p31);
  if (q == INT64_C(1) << 31) {
    q /= 2;
    shift++;
  }
  if (op == MEAN) {
    int32_t log = 0;
    while (count >> (log + 1)) log++;
    if (log > 31 + shift) log = 31 + shift;
    q = (q << log) / count;
    shift -= log;
  }
  const int64_t distance = sum - in->zero * (int64_t)count;
  const int64_t value = multiply_and_round(distance, q, shift) + out->zero;
  const int64_t low = in->type == ARN_UINT8 ? 0 : in->type == ARN_INT8 ? -128 : -32768;
  const int64_t high = in->type == ARN_UINT8 ? 255 : in->type == ARN_INT8 ? 127 : 32767;
  return value < low ? low : value > high ? high : value;
}

// Float results are folded in the same order, and so want the same bits.
static void want_floats(int32_t op) {
  static float want[MOST];
  const uint32_t outputs = rig_count(out), count = rig_count(in);
  for (uint32_t i = 0; i < outputs; i++) want[i] = identity_of(op);
  for (uint32_t i = 0; i < count; i++) {
    float *a = &want[output_of(i)];
    *a = fold_float(op, *a, read_float(in, i));
  }
  for (uint32_t i = 0; i < outputs && op == MEAN; i++) want[i] /= (float)(count / outputs);
  memcpy(out->bytes, want, 4 * (size_t)outputs);
}

static int64_t finish_integer(int32_t op, int64_t x, uint32_t count) {
  if (op != MEAN && op != SUM) return x;
  if (is_quantised(in->type)) return requantised(op, x, count);
  return op == MEAN ? x / (int64_t)count : x;
}

static void want_integers(int32_t op) {
  static int64_t want[MOST];
  static bool begun[MOST];
  const uint32_t outputs = rig_count(out), count = rig_count(in);
  memset(begun, 0, sizeof begun);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t o = output_of(i);
    const int64_t x = read_integer(in, i);
    want[o] = begun[o] ? fold_integer(op, want[o], x) : x;
    begun[o] = true;
  }
  for (uint32_t i = 0; i < outputs; i++) {
    want[i] = finish_integer(op, want[i], count / outputs);
    memcpy(out->bytes + i * rig_element(out), &want[i], rig_element(out));
  }
}

static void try_reduction(rig_tally *tally, int32_t op, arn_type type) {
  draw_reduction(op, type);
  if (type == ARN_FLOAT32) {
    want_floats(op);
  } else {
    want_integers(op);
  }
  rig_tally_check(tally, &r);
}

static void reductions_are_their_definitions(void **unused) {
  static const int32_t ops[] = {MEAN, SUM, MAX, MIN, PROD};
  static const arn_type types[] = {ARN_FLOAT32, ARN_INT32, ARN_INT64,
                                   ARN_INT8,    ARN_UINT8, ARN_INT16};
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 1500; i++) {
    const int32_t op = ops[draw(5)];
    try_reduction(&tally, op, types[draw(op == PROD ? 3 : 6)]);
  }
  assert_true(tally.by_rows > 150);
}

static void truths_are_reduced(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 200; i++) try_reduction(&tally, draw(2) ? ANY : ALL, ARN_BOOL);
}

// ---- nothing, and too much ----------------------------------------------------------------------

static void set_shape(rig_tensor *t, arn_type type, uint32_t rank, const int32_t *dims) {
  t->type = type;
  t->rank = rank;
  for (uint32_t i = 0; i < rank; i++) t->dims[i] = dims[i];
}

static void set_node(int32_t op, int32_t axis) {
  memset(&r, 0, offsetof(rig, in));
  r.code = op;
  r.inputs = 2;
  r.outputs = 1;
  in->scale = out->scale = 0.0f;
  set_shape(axes, ARN_INT32, 0, NULL);
  axes->is_constant = true;
  memcpy(axes->bytes, &axis, sizeof axis);
}

// The builder makes no empty tensors: makes the middle of [2,1,3] 0 in the file.
static void empty_input(uint8_t *model, size_t size) {
  static const int32_t shape[] = {3, 2, 1, 3}, empty[] = {3, 2, 0, 3};
  for (size_t at = 0; at + sizeof shape <= size; at += 4) {
    if (memcmp(model + at, shape, sizeof shape) == 0) memcpy(model + at, empty, sizeof empty);
  }
}

static void nothing_reduces_to_the_identity(void **unused) {
  static const int32_t ops[] = {SUM, PROD, MAX, MIN, MEAN};
  (void)unused;
  for (uint32_t i = 0; i < 5; i++) {
    host_engine engine;
    size_t size;
    set_node(ops[i], 1);
    set_shape(in, ARN_FLOAT32, 3, (const int32_t[]){2, 1, 3});
    set_shape(out, ARN_FLOAT32, 2, (const int32_t[]){2, 3});
    uint8_t *model = rig_model(&r, &size);
    empty_input(model, size);
    set_shape(in, ARN_FLOAT32, 3, (const int32_t[]){2, 0, 3});
    const float want = identity_of(ops[i]);
    for (uint32_t k = 0; k < 6; k++) memcpy(out->bytes + 4 * k, &want, sizeof want);
    assert_int_equal(rig_start(&r, model, size, ARN_KEEP_ALL, &engine), ARN_OK);
    rig_compare(&r, &engine, "empty input");
    host_engine_close(&engine);
    free(model);
  }
}

static void sums_that_could_overflow_are_refused(void **unused) {
  (void)unused;
  for (int32_t count = 65535; count <= 65536; count++) {
    set_node(MEAN, 0);
    set_shape(in, ARN_INT16, 1, &count);
    set_shape(out, ARN_INT16, 0, NULL);
    in->scale = out->scale = 1.0f;
    in->zero = out->zero = 0;
    size_t size;
    uint8_t *model = rig_model(&r, &size);
    host_engine engine;
    arn_error error = {0};
    const host_options options = {.fill = HOST_FILL_ZERO};
    const arn_status status = host_engine_open(&engine, model, size, &options, &error);
    assert_int_equal(status, count == 65535 ? ARN_OK : ARN_ERR_UNSUPPORTED);
    assert_int_equal(error.what, count == 65535 ? ARN_WHAT_NONE : ARN_WHAT_LIMIT);
    if (status == ARN_OK) host_engine_close(&engine);
    free(model);
  }
}

static void axes_outside_the_rank_are_refused(void **unused) {
  static const int32_t wrong[] = {2, -3, INT32_MAX, INT32_MIN};
  (void)unused;
  for (uint32_t i = 0; i < 4; i++) {
    for (int32_t op = ARG_MAX; op <= SUM; op += SUM - ARG_MAX) {
      set_node(op, wrong[i]);
      set_shape(in, ARN_FLOAT32, 2, (const int32_t[]){2, 2});
      set_shape(out, op == SUM ? ARN_FLOAT32 : ARN_INT32, 1, (const int32_t[]){2});
      rig_refuse(&r, ARN_ERR_MODEL);
    }
  }
}

// ---- ARG_MAX, ARG_MIN ---------------------------------------------------------------------------

static double read_value(uint32_t i) {
  return in->type == ARN_FLOAT32 ? (double)read_float(in, i) : (double)read_integer(in, i);
}

// The first of the best of `size` values from `first` on.
static int64_t best_position(bool largest, uint32_t first, uint32_t size, uint32_t stride) {
  uint32_t best = 0;
  for (uint32_t i = 1; i < size; i++) {
    const double x = read_value(first + i * stride), y = read_value(first + best * stride);
    if (largest ? x > y : x < y) best = i;
  }
  return best;
}

static void try_arg(rig_tally *tally, int32_t op, arn_type type, arn_type index_type) {
  set_node(op, 0);
  in->type = type;
  out->type = index_type;
  draw_shape(1);
  const uint32_t axis = draw(in->rank), size = (uint32_t)in->dims[axis];
  uint32_t inner = 1;
  out->rank = 0;
  for (uint32_t i = 0; i < in->rank; i++) {
    if (i != axis) out->dims[out->rank++] = in->dims[i];
    if (i > axis) inner *= (uint32_t)in->dims[i];
  }
  const int32_t given = (int32_t)axis - (draw(2) ? (int32_t)in->rank : 0);
  rig_index(axes, &given, 1, true);
  r.options_type = ARN_OPTIONS_ARG_MAX;
  r.options[0] = (double)index_type;
  fill_values(SUM);
  const uint32_t outputs = rig_count(out);
  for (uint32_t i = 0; i < outputs; i++) {
    const uint32_t first = i / inner * size * inner + i % inner;
    const int64_t want = best_position(op == ARG_MAX, first, size, inner);
    memcpy(out->bytes + i * rig_element(out), &want, rig_element(out));
  }
  rig_tally_check(tally, &r);
}

static void positions_are_those_of_the_first_best(void **unused) {
  static const arn_type types[] = {ARN_FLOAT32, ARN_INT32, ARN_INT8,
                                   ARN_UINT8,   ARN_INT16, ARN_BOOL};
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 600; i++) {
    try_arg(&tally, draw(2) ? ARG_MAX : ARG_MIN, types[draw(6)],
            draw(2) ? ARN_INT32 : ARN_INT64);
  }
  assert_true(tally.by_rows > 60);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(reductions_are_their_definitions),
      cmocka_unit_test(truths_are_reduced),
      cmocka_unit_test(nothing_reduces_to_the_identity),
      cmocka_unit_test(sums_that_could_overflow_are_refused),
      cmocka_unit_test(axes_outside_the_rank_are_refused),
      cmocka_unit_test(positions_are_those_of_the_first_best),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
