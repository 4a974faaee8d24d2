// Operators that the packs do not have: SPARSE_TO_DENSE, HASHTABLE_LOOKUP, EMBEDDING_LOOKUP_SPARSE,
// DILATE, FAKE_QUANT against their definitions; operators of StableHLO that are builtin ones by
// another number, and a composite.
#include <math.h>

#include "tests/unit/op_rig.h"

enum { HASHTABLE_LOOKUP = 10, LOOKUP_SPARSE = 33, SPARSE_TO_DENSE = 68, FAKE_QUANT = 80 };
enum { DILATE = 203 };

static rig r;
static rig_tensor *const out = &r.out[0];

static void begin(int32_t code, uint32_t inputs, uint32_t outputs) {
  memset(&r, 0, offsetof(rig, in));
  r.code = code;
  r.inputs = inputs;
  r.outputs = outputs;
  for (uint32_t i = 0; i < RIG_TENSORS; i++) {
    r.in[i].scale = r.out[i].scale = 0.0f;
    r.in[i].is_constant = false;
  }
}

// ---- SPARSE_TO_DENSE ----------------------------------------------------------------------------

// Indices of rank 0 (one position), 1 (positions in a vector) or 2.
static void set_places(uint32_t rank, int32_t places) {
  int32_t values[64];
  for (int32_t i = 0; i < places * (int32_t)out->rank; i++) {
    values[i] = (int32_t)draw((uint32_t)out->dims[i % (int32_t)out->rank]);
  }
  rig_index(&r.in[0], values, (uint32_t)places * out->rank, draw(2));
  r.in[0].rank = rank;
  r.in[0].dims[0] = places;
  r.in[0].dims[1] = (int32_t)out->rank;
}

static int64_t index_value(const rig_tensor *t, uint32_t i) {
  int64_t wide;
  int32_t narrow;
  memcpy(&narrow, t->bytes + 4 * i, sizeof narrow);
  memcpy(&wide, t->bytes + 8 * i, sizeof wide);
  return t->type == ARN_INT32 ? narrow : wide;
}

static void want_dense(int32_t places) {
  const uint32_t count = rig_count(out);
  for (uint32_t i = 0; i < count; i++) rig_want(out, i, &r.in[3], 0);
  for (uint32_t k = 0; k < (uint32_t)places; k++) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < out->rank; i++) {
      at = at * (uint32_t)out->dims[i] + (uint32_t)index_value(&r.in[0], k * out->rank + i);
    }
    rig_want(out, at, &r.in[2], r.in[2].rank == 0 ? 0 : k);
  }
}

static void sparse_values_are_put_in_place(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 200; round++) {
    begin(SPARSE_TO_DENSE, 4, 1);
    const uint32_t rank = draw(3);
    rig_shape(out, 1, rank < 2 ? 1 : 4);
    const int32_t places = rank == 0 ? 1 : 1 + (int32_t)draw(8);
    set_places(rank, places);
    rig_index(&r.in[1], out->dims, out->rank, draw(2));
    r.in[2].type = r.in[3].type = out->type;
    r.in[2].rank = rank > 0 && draw(2);
    r.in[2].dims[0] = places;
    r.in[3].rank = 0;
    rig_fill(&r.in[2]);
    rig_fill(&r.in[3]);
    want_dense(places);
    (void)rig_check(&r);
  }
}

static void places_outside_are_refused(void **unused) {
  (void)unused;
  for (int32_t bad = -1; bad < 6; bad += 6) {
    begin(SPARSE_TO_DENSE, 4, 1);
    out->type = r.in[2].type = r.in[3].type = ARN_FLOAT32;
    out->rank = 1;
    out->dims[0] = 5;
    rig_index(&r.in[0], &bad, 1, true);
    rig_index(&r.in[1], out->dims, 1, true);
    r.in[2].rank = r.in[3].rank = 0;
    rig_refuse(&r, ARN_ERR_DATA);
  }
}

// ---- HASHTABLE_LOOKUP ---------------------------------------------------------------------------

static void keys_find_their_rows(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 200; round++) {
    int32_t keys[13], wanted[9], key = (int32_t)draw(20) - 10;
    begin(HASHTABLE_LOOKUP, 3, 2);
    const uint32_t key_count = 1 + draw(12), count = 1 + draw(9);
    for (uint32_t i = 0; i < key_count; i++) keys[i] = key += 1 + (int32_t)draw(3);
    for (uint32_t i = 0; i < count; i++) wanted[i] = (int32_t)draw(40) - 10;
    rig_shape(&r.in[2], 1, 3);
    r.in[2].dims[0] = (int32_t)key_count;
    rig_fill(&r.in[2]);
    *out = r.in[2];
    out->dims[0] = (int32_t)count;
    rig_index(&r.in[0], wanted, count, false);
    rig_index(&r.in[1], keys, key_count, true);
    r.in[0].type = r.in[1].type = ARN_INT32;
    memcpy(r.in[0].bytes, wanted, 4 * count);
    memcpy(r.in[1].bytes, keys, 4 * key_count);
    r.out[1].type = ARN_UINT8;
    r.out[1].rank = 1;
    r.out[1].dims[0] = (int32_t)count;
    memset(out->bytes, 0, rig_size(out));
    const uint32_t run = rig_size(out) / count;
    for (uint32_t i = 0; i < count; i++) {
      r.out[1].bytes[i] = 0;
      for (uint32_t k = 0; k < key_count; k++) {
        if (keys[k] != wanted[i]) continue;
        r.out[1].bytes[i] = 1;
        memcpy(out->bytes + i * run, r.in[2].bytes + k * run, run);
      }
    }
    (void)rig_check(&r);
  }
}

// ---- EMBEDDING_LOOKUP_SPARSE --------------------------------------------------------------------

static float float_of(const rig_tensor *t, uint32_t i) {
  float x;
  memcpy(&x, t->bytes + 4 * i, sizeof x);
  return x;
}

// Small integers: sums are exact; and so are means and roots rounded once.
static void fill_integers(rig_tensor *t, uint32_t below) {
  t->type = ARN_FLOAT32;
  for (uint32_t i = 0; i < rig_count(t); i++) {
    const float x = (float)(1 + draw(below));
    memcpy(t->bytes + 4 * i, &x, sizeof x);
  }
}

static void want_sums(int32_t combiner, const int32_t *at) {
  const uint32_t columns = (uint32_t)r.in[4].dims[1], places = rig_count(out) / columns;
  for (uint32_t i = 0; i < rig_count(out); i++) {
    double sum = 0, weights = 0, squares = 0;
    for (uint32_t k = 0; k < rig_count(&r.in[0]); k++) {
      if ((uint32_t)at[k] != i / columns) continue;
      const double w = (double)float_of(&r.in[3], k);
      const uint32_t id = (uint32_t)index_value(&r.in[0], k);
      sum += w * (double)float_of(&r.in[4], id * columns + i % columns);
      weights += w;
      squares += w * w;
    }
    const double by = combiner == 1 ? weights : combiner == 2 ? (double)sqrtf((float)squares) : 1;
    const float want = (float)sum / (float)(weights > 0 ? by : 1);
    memcpy(out->bytes + 4 * i, &want, sizeof want);
  }
  assert_true(places > 0);
}

// Sparse tensors [a, b, c]: entries of one [a, b] are added up.
static void sparse_rows_are_added_up(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 100; round++) {
    const int32_t a = 1 + (int32_t)draw(3), b = 1 + (int32_t)draw(3), rows = 1 + (int32_t)draw(6);
    const int32_t count = 1 + (int32_t)draw(12), columns = 1 + (int32_t)draw(9);
    const int32_t shape[] = {a, b, 9};
    int32_t ids[12], indices[36], at[12];
    begin(LOOKUP_SPARSE, 5, 1);
    for (int32_t k = 0; k < count; k++) {
      ids[k] = (int32_t)draw((uint32_t)rows);
      at[k] = (int32_t)draw((uint32_t)(a * b));
      indices[3 * k] = at[k] / b;
      indices[3 * k + 1] = at[k] % b;
      indices[3 * k + 2] = k;
    }
    const int32_t combiner = (int32_t)draw(3);
    const int32_t *const values[] = {ids, indices, shape};
    const int32_t counts[] = {count, 3 * count, 3};
    for (uint32_t i = 0; i < 3; i++) {
      r.in[i] = (rig_tensor){.type = ARN_INT32, .rank = 1, .dims = {counts[i]}};
      memcpy(r.in[i].bytes, values[i], 4 * (size_t)counts[i]);
    }
    r.in[1].rank = 2;
    r.in[1].dims[0] = count;
    r.in[1].dims[1] = 3;
    r.in[2].is_constant = draw(2);
    r.in[3] = (rig_tensor){.rank = 1, .dims = {count}};
    r.in[4] = (rig_tensor){.rank = 2, .dims = {rows, columns}};
    fill_integers(&r.in[3], 4);
    fill_integers(&r.in[4], 9);
    *out = (rig_tensor){.type = ARN_FLOAT32, .rank = 3, .dims = {a, b, columns}};
    r.options_type = ARN_OPTIONS_EMBEDDING_LOOKUP_SPARSE;
    r.options[0] = combiner;
    want_sums(combiner, at);
    (void)rig_check(&r);
  }
}

// ---- DILATE -------------------------------------------------------------------------------------

static void elements_are_set_apart(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 200; round++) {
    int32_t apart[4];
    begin(DILATE, 3, 1);
    rig_shape(&r.in[0], 1, 4);
    *out = r.in[0];
    for (uint32_t i = 0; i < out->rank; i++) {
      apart[i] = draw(2) ? 1 : 1 + (int32_t)draw(3);
      out->dims[i] = (out->dims[i] - 1) * apart[i] + 1;
    }
    rig_index(&r.in[1], apart, out->rank, true);
    r.in[2].type = out->type;
    r.in[2].rank = 0;
    rig_fill(&r.in[0]);
    rig_fill(&r.in[2]);
    for (uint32_t i = 0; i < rig_count(out); i++) {
      int32_t at[4];
      bool between = false;
      rig_split(out, i, at);
      for (uint32_t k = 0; k < out->rank; k++) {
        between = between || at[k] % apart[k] != 0;
        at[k] /= apart[k];
      }
      rig_want(out, i, between ? &r.in[2] : &r.in[0], between ? 0 : rig_join(&r.in[0], at));
    }
    (void)rig_check(&r);
  }
}

// ---- FAKE_QUANT ---------------------------------------------------------------------------------

// Steps are powers of two here, so that float arithmetic is exact.
static double quantised(double x, double step, int32_t zero, int32_t least, int32_t most) {
  const double q = floor(x / step + 0.5) + zero;
  return (fmin(fmax(q, least), most) - zero) * step;
}

static void fake_quantisation_rounds_and_clamps(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < 100; round++) {
    begin(FAKE_QUANT, 1, 1);
    const int32_t bits = 2 + (int32_t)draw(15), narrow = (int32_t)draw(2);
    const int32_t most = (1 << bits) - 1, zero = narrow + (int32_t)draw((uint32_t)most);
    const double step = ldexp(1.0, (int)draw(8) - 6);
    rig_shape(&r.in[0], 1, 4);
    r.in[0].type = ARN_FLOAT32;
    *out = r.in[0];
    r.options_type = ARN_OPTIONS_FAKE_QUANT;
    r.options[0] = (narrow - zero) * step;
    r.options[1] = (most - zero) * step;
    r.options[2] = bits;
    r.options[3] = narrow;
    for (uint32_t i = 0; i < rig_count(out); i++) {
      const double at = ((double)draw(4096) / 4096.0 - 0.5) * (most + 4) * step * 2;
      const float x = (float)(floor(at / step * 8) / 8 * step);
      const float want = (float)quantised((double)x, step, zero, narrow, most);
      memcpy(r.in[0].bytes + 4 * i, &x, sizeof x);
      memcpy(out->bytes + 4 * i, &want, sizeof want);
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > 20);
}

static void ranges_without_zero_are_refused(void **unused) {
  static const double options[][4] = {{1, 2, 8, 0}, {-2, -1, 8, 0}, {0, 0, 8, 0}, {-1, 1, 1, 0},
                                      {-1, 1, 17, 0}, {1, -1, 8, 0}};
  (void)unused;
  for (uint32_t i = 0; i < sizeof options / sizeof options[0]; i++) {
    begin(FAKE_QUANT, 1, 1);
    r.in[0].type = ARN_FLOAT32;
    r.in[0].rank = 1;
    r.in[0].dims[0] = 4;
    *out = r.in[0];
    r.options_type = ARN_OPTIONS_FAKE_QUANT;
    memcpy(r.options, options[i], sizeof options[i]);
    rig_refuse(&r, ARN_ERR_MODEL);
  }
}

// ---- StableHLO ----------------------------------------------------------------------------------

typedef struct plain {
  int32_t code;
  uint32_t inputs;
  double (*definition)(double x, double y);
} plain;

static double logistic(double x, double y) { return 1.0 / (1.0 + exp(-x)) + 0.0 * y; }
static double sum(double x, double y) { return x + y; }
static double quotient(double x, double y) { return x / y; }
static double product(double x, double y) { return x * y; }
static double most(double x, double y) { return x > y ? x : y; }
static double same(double x, double y) { return x + 0.0 * y; }
static double absolute(double x, double y) { return fabs(x) + 0.0 * y; }
static double cosine(double x, double y) { return cos(x) + 0.0 * y; }
static double exponential(double x, double y) { return exp(x) + 0.0 * y; }
static double rounded(double x, double y) { return floor(x) + 0.0 * y; }
static double logarithm(double x, double y) { return log(x) + 0.0 * y; }
static double least(double x, double y) { return x < y ? x : y; }
static double negative(double x, double y) { return -x + 0.0 * y; }
static double inverse_root(double x, double y) { return 1.0 / sqrt(x) + 0.0 * y; }
static double difference(double x, double y) { return x - y; }
static double tangent(double x, double y) { return tanh(x) + 0.0 * y; }

static const plain plains[] = {
    {162, 1, logistic}, {163, 2, sum},         {164, 2, quotient}, {165, 2, product},
    {166, 2, most},     {167, 1, same},        {175, 1, absolute}, {177, 1, cosine},
    {178, 1, exponential}, {179, 1, rounded},  {180, 1, logarithm}, {181, 2, least},
    {182, 1, negative}, {184, 2, pow},         {186, 1, inverse_root}, {188, 2, difference},
    {189, 1, tangent},  {192, 1, same},
};

static void compare_floats(const float *got, const plain *op, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    float x, y;
    memcpy(&x, r.in[0].bytes + 4 * i, sizeof x);
    memcpy(&y, r.in[op->inputs - 1].bytes + 4 * i, sizeof y);
    const double want = op->definition((double)x, (double)y);
    assert_true(fabs((double)got[i] - want) <= 2e-6 * fabs(want) + 1e-6);
  }
}

static void operators_of_stablehlo_are_builtin_ones(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < sizeof plains / sizeof plains[0]; k++) {
    begin(plains[k].code, plains[k].inputs, 1);
    host_engine engine;
    size_t size;
    for (uint32_t i = 0; i < 3; i++) {
      rig_tensor *t = i < 2 ? &r.in[i] : out;
      t->type = ARN_FLOAT32;
      t->rank = 2;
      t->dims[0] = 3;
      t->dims[1] = 7;
      for (uint32_t j = 0; j < 21; j++) {
        const float x = (float)(draw(4000) + 1) / 1000.0f;
        memcpy(t->bytes + 4 * j, &x, sizeof x);
      }
    }
    uint8_t *model = rig_model(&r, &size);
    assert_int_equal(rig_start(&r, model, size, 0, &engine), ARN_OK);
    // Inputs may have been overwritten in place: those of the rig are as they were.
    compare_floats(arn_output(&engine.nn, 0).data, &plains[k], 21);
    host_engine_close(&engine);
    free(model);
  }
}

// AND, OR of truth values; SELECT.
static void choices_of_stablehlo_are_builtin_ones(void **unused) {
  (void)unused;
  for (int32_t code = 176; code <= 187; code += code == 176 ? 7 : 4) {
    const uint32_t inputs = code == 187 ? 3 : 2;
    begin(code, inputs, 1);
    for (uint32_t i = 0; i <= inputs; i++) {
      rig_tensor *t = i < inputs ? &r.in[i] : out;
      t->type = ARN_BOOL;
      t->rank = 1;
      t->dims[0] = 16;
      rig_fill(t);
    }
    for (uint32_t i = 0; i < 16; i++) {
      const uint8_t a = r.in[0].bytes[i], b = r.in[1].bytes[i], c = r.in[2].bytes[i];
      out->bytes[i] = code == 176 ? a && b : code == 183 ? a || b : a ? b : c;
    }
    (void)rig_check(&r);
  }
}

// Subgraph with one number and one constant: `code` of both.
static void add_step(arn_builder *b, int32_t code, arn_type result, int32_t constant) {
  int32_t t[3];
  arn_build_tensor number = {.name = "x", .type = ARN_INT32, .rank = 1, .shape = {1}};
  arn_builder_subgraph(b, "step");
  t[0] = arn_builder_tensor(b, &number);
  number.data = &constant;
  number.data_bytes = sizeof constant;
  t[1] = arn_builder_tensor(b, &number);
  number = (arn_build_tensor){.name = "y", .type = result, .rank = 1, .shape = {1}};
  t[2] = arn_builder_tensor(b, &number);
  arn_builder_operator(b, &(arn_build_operator){.code = code, .inputs = t, .input_count = 2,
                                                .outputs = &t[2], .output_count = 1});
  arn_builder_io(b, t, 1, &t[2], 1);
}

// While x < 10: x += 3.
static void loops_of_stablehlo_run(void **unused) {
  static const int32_t cases[][2] = {{0, 12}, {9, 12}, {10, 10}, {-4, 11}, {100, 100}};
  (void)unused;
  for (uint32_t i = 0; i < 5; i++) {
    const host_options options = {.fill = HOST_FILL_RANDOM};
    host_engine engine;
    int32_t t[2];
    uint8_t *model = NULL;
    size_t size;
    arn_builder *b = arn_builder_new();
    const arn_build_tensor number = {.name = "x", .type = ARN_INT32, .rank = 1, .shape = {1}};
    arn_builder_subgraph(b, "main");
    for (uint32_t k = 0; k < 2; k++) t[k] = arn_builder_tensor(b, &number);
    arn_builder_operator(b, &(arn_build_operator){
        .code = 200, .inputs = t, .input_count = 1, .outputs = &t[1], .output_count = 1,
        .options = {.type = ARN_OPTIONS2_STABLEHLO_WHILE, .values = {1, 2}}});
    arn_builder_io(b, t, 1, &t[1], 1);
    add_step(b, 58, ARN_BOOL, 10);
    add_step(b, 0, ARN_INT32, 3);
    assert_true(arn_builder_finish(b, &model, &size));
    arn_builder_free(b);
    assert_int_equal(host_engine_open(&engine, model, size, &options, NULL), ARN_OK);
    memcpy(arn_input(&engine.nn, 0).data, &cases[i][0], sizeof cases[i][0]);
    assert_int_equal(arn_invoke(&engine.nn, NULL), ARN_OK);
    assert_memory_equal(arn_output(&engine.nn, 0).data, &cases[i][1], sizeof cases[i][1]);
    host_engine_close(&engine);
    free(model);
  }
}

// A public model: x / sqrt(sum of squares + 1e-6), as a composite.
static void composites_run_what_they_stand_for(void **unused) {
  static const char path[] = "../shared/models/refused/l2_norm_composite.tflite";
  static uint32_t bytes[4096];
  const host_options options = {.fill = HOST_FILL_RANDOM};
  host_engine engine;
  double squares = 1e-6;
  (void)unused;
  FILE *f = fopen(path, "rb");
  if (f == NULL) {
    print_message("skip: %s is not here\n", path);
    skip();
  }
  const size_t size = fread(bytes, 1, sizeof bytes, f);
  fclose(f);
  assert_int_equal(host_engine_open(&engine, bytes, size, &options, NULL), ARN_OK);
  const arn_tensor_view in = arn_input(&engine.nn, 0);
  float x[768];
  assert_int_equal(in.bytes, sizeof x);
  for (uint32_t i = 0; i < 768; i++) {
    x[i] = (float)((int32_t)draw(2001) - 1000) / 1000.0f;
    squares += (double)x[i] * (double)x[i];
  }
  memcpy(in.data, x, sizeof x);
  assert_int_equal(arn_invoke(&engine.nn, NULL), ARN_OK);
  const float *got = arn_output(&engine.nn, 0).data;
  for (uint32_t i = 0; i < 768; i++) {
    assert_true(fabs((double)got[i] - (double)x[i] / sqrt(squares)) < 1e-6);
  }
  host_engine_close(&engine);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sparse_values_are_put_in_place),
      cmocka_unit_test(places_outside_are_refused),
      cmocka_unit_test(keys_find_their_rows),
      cmocka_unit_test(sparse_rows_are_added_up),
      cmocka_unit_test(elements_are_set_apart),
      cmocka_unit_test(fake_quantisation_rounds_and_clamps),
      cmocka_unit_test(ranges_without_zero_are_refused),
      cmocka_unit_test(operators_of_stablehlo_are_builtin_ones),
      cmocka_unit_test(choices_of_stablehlo_are_builtin_ones),
      cmocka_unit_test(loops_of_stablehlo_run),
      cmocka_unit_test(composites_run_what_they_stand_for),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
