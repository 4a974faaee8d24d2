// RFFT2D, the parts of complex numbers, BITCAST, BUCKETIZE and the unsorted segments, which have no
// packs: against their definitions over random shapes and values, and with what must be refused.
#include "tests/unit/op_rig.h"

#include <complex.h>
#include <math.h>

enum { TRIALS = 60 };

enum {
  CODE_RFFT2D = 131,
  CODE_IMAG = 133,
  CODE_REAL = 134,
  CODE_COMPLEX_ABS = 135,
  CODE_BUCKETIZE = 147,
  CODE_SEGMENT_PROD = 153,
  CODE_SEGMENT_MAX = 154,
  CODE_SEGMENT_SUM = 155,
  CODE_SEGMENT_MIN = 157,
  CODE_BITCAST = 159,
};

static rig r;

static float float_at(const rig_tensor *t, uint32_t i) {
  float value;
  memcpy(&value, t->bytes + 4 * i, sizeof value);
  return value;
}

static void put_float(rig_tensor *t, uint32_t i, float value) {
  memcpy(t->bytes + 4 * i, &value, sizeof value);
}

static int32_t int_at(const rig_tensor *t, uint32_t i) {
  int32_t value;
  memcpy(&value, t->bytes + 4 * i, sizeof value);
  return value;
}

static void put_int(rig_tensor *t, uint32_t i, int32_t value) {
  memcpy(t->bytes + 4 * i, &value, sizeof value);
}

static void fill_floats(rig_tensor *t) {
  const uint32_t floats = rig_size(t) / 4;
  for (uint32_t i = 0; i < floats; i++) put_float(t, i, (float)draw(2001) / 1000.0f - 1.0f);
}

// ---- RFFT2D -------------------------------------------------------------------------------------

// Point (v, u) of the transform of image `image`.
static double complex definition(const int32_t lengths[2], uint32_t image, int32_t v, int32_t u) {
  const int32_t *dims = r.in[0].dims + r.in[0].rank - 2;
  double complex sum = 0;
  for (int32_t y = 0; y < dims[0] && y < lengths[0]; y++) {
    for (int32_t x = 0; x < dims[1] && x < lengths[1]; x++) {
      const double turns = (double)v * y / lengths[0] + (double)u * x / lengths[1];
      const uint32_t at = (image * (uint32_t)dims[0] + (uint32_t)y) * (uint32_t)dims[1];
      sum += float_at(&r.in[0], at + (uint32_t)x) * cexp(-2.0 * acos(-1.0) * I * turns);
    }
  }
  return sum;
}

static void compare_images(const host_engine *engine, const int32_t lengths[2]) {
  const float *got = (const float *)arn_output(&engine->nn, 0).data;
  const int32_t points = lengths[1] / 2 + 1;
  const uint32_t images = rig_count(&r.out[0]) / (uint32_t)(lengths[0] * points);
  for (uint32_t image = 0; image < images; image++) {
    for (int32_t v = 0; v < lengths[0]; v++) {
      for (int32_t u = 0; u < points; u++, got += 2) {
        const double complex want = definition(lengths, image, v, u);
        const double most = 2e-6 * lengths[0] * lengths[1] + 1e-6;
        assert_true(cabs(want - (got[0] + I * got[1])) <= most);
      }
    }
  }
}

static void draw_images(int32_t lengths[2]) {
  rig_begin(&r, CODE_RFFT2D, 2, 1);
  for (uint32_t k = 0; k < 2; k++) lengths[k] = 1 << draw(6);
  r.in[0] = (rig_tensor){.type = ARN_FLOAT32, .rank = 2 + draw(3)};
  for (uint32_t k = 0; k < r.in[0].rank; k++) r.in[0].dims[k] = 1 + (int32_t)draw(2);
  r.out[0] = r.in[0];
  r.out[0].type = ARN_COMPLEX64;
  for (uint32_t k = 0; k < 2; k++) {
    const uint32_t d = r.in[0].rank - 2 + k;
    r.in[0].dims[d] = draw(2) ? lengths[k] : 1 + (int32_t)draw(40);
    r.out[0].dims[d] = k == 0 ? lengths[0] : lengths[1] / 2 + 1;
  }
  fill_floats(&r.in[0]);
  rig_index(&r.in[1], lengths, 2, true);
  r.in[1].type = ARN_INT32;
  memcpy(r.in[1].bytes, lengths, 2 * sizeof *lengths);
}

static void test_rfft2d(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    int32_t lengths[2];
    host_engine engine;
    size_t size;
    draw_images(lengths);
    uint8_t *model = rig_model(&r, &size);
    assert_int_equal(rig_start(&r, model, size, 0, &engine), ARN_OK);
    compare_images(&engine, lengths);
    host_engine_close(&engine);
    free(model);
  }
}

static void test_rfft2d_refuses(void **unused) {
  int32_t lengths[2];
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    draw_images(lengths);
    if (draw(2)) {
      put_int(&r.in[1], draw(2), 6);  // no power of two
      rig_refuse(&r, ARN_ERR_UNSUPPORTED);
    } else {
      put_int(&r.in[1], 0, 2 * lengths[0]);
      rig_refuse(&r, ARN_ERR_MODEL);
    }
  }
}

// ---- complex numbers ----------------------------------------------------------------------------

static void test_parts(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    const bool imaginary = draw(2), wide = draw(3) == 0;
    rig_begin(&r, imaginary ? CODE_IMAG : CODE_REAL, 1, 1);
    rig_shape(&r.in[0], 0, 5);
    r.in[0].type = wide ? ARN_COMPLEX128 : ARN_COMPLEX64;
    rig_fill(&r.in[0]);
    r.out[0] = r.in[0];
    r.out[0].type = wide ? ARN_FLOAT64 : ARN_FLOAT32;
    const uint32_t part = rig_element(&r.out[0]);
    for (uint32_t k = 0; k < rig_count(&r.in[0]); k++) {
      memcpy(r.out[0].bytes + k * part, r.in[0].bytes + (2 * k + imaginary) * part, part);
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 10);
}

// Magnitudes far from 1 must not overflow or vanish on the way.
static void draw_complex(float *re, float *im) {
  const float scales[] = {1e-38f, 1e-20f, 1e-3f, 1.0f, 1e5f, 1e30f, 1.5e38f};
  const float scale = scales[draw(7)];
  *re = scale * ((float)draw(2001) / 1000.0f - 1.0f);
  *im = scale * ((float)draw(2001) / 1000.0f - 1.0f);
  if (draw(20) == 0) *re = -INFINITY;
  if (draw(20) == 0) *im = NAN;
}

static void compare_magnitudes(const host_engine *engine) {
  const float *got = (const float *)arn_output(&engine->nn, 0).data;
  for (uint32_t i = 0; i < rig_count(&r.in[0]); i++) {
    const double want = hypot(float_at(&r.in[0], 2 * i), float_at(&r.in[0], 2 * i + 1));
    if (isnan(want)) assert_true(isnan(got[i]));
    else if (isinf(want)) assert_true(isinf(got[i]));
    else assert_true(fabs(got[i] - want) <= 2.5e-7 * want + 1.5e-45);
  }
}

static void test_magnitudes(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    host_engine engine;
    size_t size;
    rig_begin(&r, CODE_COMPLEX_ABS, 1, 1);
    rig_shape(&r.in[0], 0, 5);
    r.in[0].type = ARN_COMPLEX64;
    for (uint32_t k = 0; k < rig_count(&r.in[0]); k++) {
      float re, im;
      draw_complex(&re, &im);
      put_float(&r.in[0], 2 * k, re);
      put_float(&r.in[0], 2 * k + 1, im);
    }
    r.out[0] = r.in[0];
    r.out[0].type = ARN_FLOAT32;
    uint8_t *model = rig_model(&r, &size);
    assert_int_equal(rig_start(&r, model, size, 0, &engine), ARN_OK);
    compare_magnitudes(&engine);
    host_engine_close(&engine);
    assert_int_equal(rig_start(&r, model, size, ARN_KEEP_ALL, &engine), ARN_OK);
    compare_magnitudes(&engine);
    assert_true(host_rows_check(&engine, 0, 1) <= HOST_ROWS_WHOLE);
    host_engine_close(&engine);
    free(model);
  }
}

// ---- BITCAST ------------------------------------------------------------------------------------

static void test_bitcast(void **unused) {
  static const arn_type types[] = {ARN_INT8,  ARN_BOOL,  ARN_INT16,   ARN_UINT16,
                                   ARN_INT32, ARN_FLOAT32, ARN_INT64, ARN_COMPLEX64};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    rig_begin(&r, CODE_BITCAST, 1, 1);
    rig_shape(&r.in[0], 0, 4);
    r.in[0].type = types[draw(8)];
    rig_tensor *narrow = &r.in[0], *wide = &r.out[0];
    r.out[0] = r.in[0];
    r.out[0].type = types[draw(8)];
    if (rig_element(narrow) > rig_element(wide)) {
      narrow = &r.out[0];
      wide = &r.in[0];
    }
    const uint32_t ratio = rig_element(wide) / rig_element(narrow);
    if (ratio > 1) narrow->dims[narrow->rank++] = (int32_t)ratio;
    for (uint32_t k = 0; k < rig_size(&r.in[0]); k++) r.in[0].bytes[k] = (uint8_t)draw(256);
    memcpy(r.out[0].bytes, r.in[0].bytes, rig_size(&r.in[0]));
    rig_check(&r);
    if (ratio == 1) continue;
    narrow->dims[narrow->rank - 1] += 1;
    rig_refuse(&r, ARN_ERR_MODEL);
  }
}

// ---- BUCKETIZE ----------------------------------------------------------------------------------

static void draw_values(rig_tensor *t) {
  for (uint32_t k = 0; k < rig_count(t); k++) {
    const int64_t whole = (int64_t)draw(41) - 20;
    const float value = (float)whole / 2;
    if (t->type == ARN_FLOAT32) {
      put_float(t, k, value);
    } else {
      memcpy(t->bytes + k * rig_element(t), &whole, rig_element(t));
    }
  }
}

static float value_of(const rig_tensor *t, uint32_t k) {
  int64_t whole = 0;
  if (t->type == ARN_FLOAT32) return float_at(t, k);
  if (t->type == ARN_INT32) return (float)int_at(t, k);
  memcpy(&whole, t->bytes + 8 * k, sizeof whole);
  return (float)whole;
}

static void test_bucketize(void **unused) {
  static const arn_type types[] = {ARN_FLOAT32, ARN_INT32, ARN_INT64};
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    float boundaries[9];
    int32_t bits[9];
    const uint32_t count = draw(10);
    for (uint32_t k = 0; k < count; k++) {
      boundaries[k] = (k > 0 ? boundaries[k - 1] : -12.0f) + (float)draw(6) / 2;
    }
    memcpy(bits, boundaries, sizeof bits);
    rig_begin(&r, CODE_BUCKETIZE, 1, 1);
    r.options_type = ARN_OPTIONS_BUCKETIZE;
    r.lists[0] = (arn_build_list){bits, count};
    rig_shape(&r.in[0], 0, 5);
    r.in[0].type = types[draw(3)];
    draw_values(&r.in[0]);
    r.out[0] = r.in[0];
    r.out[0].type = ARN_INT32;
    for (uint32_t k = 0; k < rig_count(&r.in[0]); k++) {
      int32_t bucket = 0;
      while (bucket < (int32_t)count && boundaries[bucket] <= value_of(&r.in[0], k)) bucket++;
      put_int(&r.out[0], k, bucket);
    }
    rig_tally_check(&tally, &r);
    if (count < 2) continue;
    bits[0] = 0x7F7FFFFF;  // the largest float comes first
    rig_refuse(&r, ARN_ERR_MODEL);
  }
  assert_true(tally.by_rows > TRIALS / 10);
}

// ---- segments -----------------------------------------------------------------------------------

static double fold(int32_t code, double a, double b) {
  switch (code) {
    case CODE_SEGMENT_SUM: return a + b;
    case CODE_SEGMENT_PROD: return a * b;
    case CODE_SEGMENT_MAX: return a > b ? a : b;
    default: return a < b ? a : b;
  }
}

static double start_of(int32_t code, arn_type type) {
  const double most = type == ARN_FLOAT32 ? 3.40282346638528860e38 : 2147483647.0;
  switch (code) {
    case CODE_SEGMENT_SUM: return 0;
    case CODE_SEGMENT_PROD: return 1;
    case CODE_SEGMENT_MAX: return type == ARN_FLOAT32 ? -most : -most - 1;
    default: return most;
  }
}

static double number_at(const rig_tensor *t, uint32_t i) {
  return t->type == ARN_FLOAT32 ? (double)float_at(t, i) : (double)int_at(t, i);
}

static void put_number(rig_tensor *t, uint32_t i, double value) {
  if (t->type == ARN_FLOAT32) {
    put_float(t, i, (float)value);
  } else {
    put_int(t, i, (int32_t)value);
  }
}

// Small whole numbers: exact in float and double alike.
static void draw_segments(int32_t code, uint32_t segments) {
  rig_begin(&r, code, 3, 1);
  rig_shape(&r.in[0], 1, 4);
  r.in[0].type = draw(2) ? ARN_FLOAT32 : ARN_INT32;
  for (uint32_t k = 0; k < rig_count(&r.in[0]); k++) {
    put_number(&r.in[0], k, (double)draw(5) - 2);
  }
  const uint32_t outer = 1 + draw(r.in[0].rank);
  r.in[1] = r.in[0];
  r.in[1].type = ARN_INT32;
  r.in[1].rank = outer;
  r.in[1].is_constant = draw(2);
  for (uint32_t k = 0; k < rig_count(&r.in[1]); k++) {
    put_int(&r.in[1], k, (int32_t)draw(segments + 1) - 1);
  }
  const int32_t count = (int32_t)segments;
  rig_index(&r.in[2], &count, 1, draw(2));
  r.out[0] = r.in[0];
  r.out[0].rank = r.in[0].rank - outer + 1;
  r.out[0].dims[0] = count;
  for (uint32_t k = 1; k < r.out[0].rank; k++) r.out[0].dims[k] = r.in[0].dims[outer + k - 1];
}

static void test_segments(void **unused) {
  static const int32_t codes[] = {CODE_SEGMENT_PROD, CODE_SEGMENT_MAX, CODE_SEGMENT_SUM,
                                  CODE_SEGMENT_MIN};
  (void)unused;
  for (uint32_t i = 0; i < 4 * TRIALS; i++) {
    const int32_t code = codes[i % 4];
    draw_segments(code, 1 + draw(5));
    const uint32_t runs = rig_count(&r.in[1]), run = rig_count(&r.in[0]) / runs;
    for (uint32_t k = 0; k < rig_count(&r.out[0]); k++) {
      put_number(&r.out[0], k, start_of(code, r.in[0].type));
    }
    for (uint32_t k = 0; k < runs * run; k++) {
      const int32_t segment = int_at(&r.in[1], k / run);
      if (segment < 0) continue;
      const uint32_t to = (uint32_t)segment * run + k % run;
      put_number(&r.out[0], to, fold(code, number_at(&r.out[0], to), number_at(&r.in[0], k)));
    }
    rig_check(&r);
    put_int(&r.in[1], draw(runs), r.out[0].dims[0]);
    rig_refuse(&r, ARN_ERR_DATA);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_rfft2d),     cmocka_unit_test(test_rfft2d_refuses),
      cmocka_unit_test(test_parts),      cmocka_unit_test(test_magnitudes),
      cmocka_unit_test(test_bitcast),    cmocka_unit_test(test_bucketize),
      cmocka_unit_test(test_segments),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
