// What the operator packs cannot show of the unary operators: tables and approximations against
// their definitions, variants for AVX2 against portable ones over all inputs, kernels in place, and
// values at the ends of types.
//
// Kernels with tables or variants of their own are included as source, to see inside.
#define ARN_X86_LEVELS 1

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../../src/kernels/cast.h"
#include "../../src/kernels/exact.h"
#include "../../src/kernels/fmath.h"
#include "../../src/kernels/portable/softmax_s16.c"
#include "../../src/kernels/x86/activation_s8.c"
#include "../../src/kernels/x86/activation_s16.c"
#include "../../src/kernels/x86/softmax_exp.c"

static uint32_t seed = 3;

static uint32_t draw(uint32_t below) {
  seed = seed * 1664525u + 1013904223u;
  return (uint32_t)((uint64_t)(seed >> 1) * below >> 31);
}

// ---- tables -------------------------------------------------------------------------------------

static long double sigmoid(long double i) { return 65536.0L / (1.0L + expl(-i / 24.0L)); }

static void sigmoid_table_is_its_definition(void **state) {
  (void)state;
  for (int i = 0; i < 255; i++) {
    const long double error = sigmoid(i + 0.5L) - (sigmoid(i) + sigmoid(i + 1)) / 2.0L;
    assert_int_equal(arn__activation_sigmoid[i], lroundl(sigmoid(i) + error / 2.0L));
  }
  assert_int_equal(arn__activation_sigmoid[255], 65535);
}

// The reference fills tables of 16-bit functions so, in floats, from the scale and zero point of
// both sides.
struct filling {
  float in_scale, out_scale;
  int in_zero;
  float (*function)(float);
};

static float fill_at(const struct filling *f, float x) {
  const float low = f->out_scale * -32768.0f, high = f->out_scale * 32767.0f;
  return f->function(x) * (65536.0f / (high - low));
}

static int filled_entry(const struct filling *f, int i) {
  const float low = f->in_scale * (float)(-32768 - f->in_zero);
  const float high = f->in_scale * (float)(32767 - f->in_zero);
  const float step = (high - low) / 512.0f;
  const float here = roundf(fill_at(f, low + (float)i * step));
  if (i == 512) return (int)fminf(roundf(fill_at(f, high)), 32767.0f);
  const float next = fill_at(f, low + (float)(i + 1) * step);
  const float middle = roundf(fill_at(f, low + (float)i * step + step / 2.0f));
  const float between = roundf((next + here) / 2.0f);
  return (int)fminf(here - roundf((between - middle) / 2.0f), 32767.0f);
}

static float rounded_exp(float x) { return (float)expl((long double)x); }
static float one_over_one_plus(float x) { return 1.0f / (1.0f + x); }

static void softmax_tables_are_their_definitions(void **state) {
  const struct filling exponential = {10.0f / 65535.0f, 2.0f / 65535.0f, 32767, rounded_exp};
  const struct filling inverse = {1.0f / 65535.0f, 2.0f / 65535.0f, -32768, one_over_one_plus};
  (void)state;
  for (int i = 0; i <= 512; i++) {
    assert_int_equal(arn__softmax_exp_table[i], filled_entry(&exponential, i));
    assert_int_equal(reciprocal_entry(i), filled_entry(&inverse, i));
  }
}

static void exact_exp_is_correctly_rounded(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 300000; i++) {
    float x = ((float)draw(1u << 24) - 8388608.0f) / 8388608.0f * 88.0f;
    if (i % 3 == 0) x = ldexpf(x, -(int)draw(40));
    if (x < -87.3f) continue;
    assert_true(arn__exact_exp(x) == (float)expl((long double)x));
  }
  assert_true(arn__exact_exp(0.0f) == 1.0f);
  assert_true(arn__exact_exp(-INFINITY) == 0.0f);
  assert_true(arn__exact_exp(INFINITY) == INFINITY);
  assert_true(arn__exact_exp(88.725f) == INFINITY);
  assert_true(isnan(arn__exact_exp(NAN)));
}

// ---- float functions ----------------------------------------------------------------------------

// The distance of a float from the exact value, in units of its last place.
static double ulps(float got, double want) {
  if (isnan(want)) return isnan(got) ? 0.0 : 1e9;
  const float near = (float)want;
  if (isinf(near) || isinf(got)) return near == got ? 0.0 : 1e9;
  const float size = fmaxf(fabsf(near), 1.17549435e-38f);
  return fabs((double)got - want) / (double)(nextafterf(size, INFINITY) - size);
}

static double worst_error(float (*f)(float), double (*exact)(double), bool negative_only) {
  double worst = 0.0;
  for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 20011) {
    const float x = arn__fmath_float((uint32_t)bits);
    if (negative_only && x > 0.0f) continue;
    const double error = ulps(f(x), exact(x));
    worst = error > worst ? error : worst;
  }
  return worst;
}

static float fmath_exp(float x) { return arn__fmath_exp(x); }
static float fmath_exp_minus_one(float x) { return arn__fmath_exp_minus_one(x); }
static float fmath_log(float x) { return arn__fmath_log(x); }
static float fmath_logistic(float x) { return arn__fmath_logistic(x); }
static float fmath_tanh(float x) { return arn__fmath_tanh(x); }
static float fmath_gelu(float x) { return arn__fmath_gelu(isinf(x) ? NAN : x); }
static double logistic_of(double x) { return 1.0 / (1.0 + exp(-x)); }
static double gelu_of(double x) {
  return isinf(x) ? (double)NAN : 0.5 * x * erfc(-x * 0.70710678118654752);
}

static float fmath_sin(float x) {
  return fabsf(x) < ARN__FMATH_TURNS ? arn__fmath_sin(x, 0) : sinf(x);
}
static float fmath_cos(float x) {
  return fabsf(x) < ARN__FMATH_TURNS ? arn__fmath_sin(x, 1) : cosf(x);
}

// Points of all sizes, and of like sizes.
static double worst_angle(void) {
  double worst = 0.0;
  uint64_t s = 1;
  for (uint32_t i = 0; i < 200000; i++) {
    s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const float y = arn__fmath_float((uint32_t)(s >> 32));
    s = s * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    const float other = arn__fmath_float((uint32_t)(s >> 32));
    const float x = i % 2 == 0 ? other : y * (1.0f - (float)(uint32_t)(s >> 40) / 4194304.0f);
    if (!arn__fmath_has_angle(y, x)) continue;
    const double want = atan2((double)y, (double)x);
    if (fabs(want) < 1e-37) continue;  // the quotient is no normal number
    const double error = ulps(arn__fmath_atan2(y, x), want);
    worst = error > worst ? error : worst;
  }
  return worst;
}

static void angles_and_waves_are_accurate(void **state) {
  (void)state;
  assert_true(worst_error(fmath_sin, sin, false) < 2.5);
  assert_true(worst_error(fmath_cos, cos, false) < 2.5);
  assert_true(worst_angle() < 3.0);
  const float pi = 3.14159265f;
  assert_true(arn__fmath_atan2(0.0f, -1.0f) == pi && arn__fmath_atan2(-0.0f, -1.0f) == -pi);
  assert_true(arn__fmath_atan2(0.0f, 1.0f) == 0.0f && signbit(arn__fmath_atan2(-0.0f, 1.0f)));
  assert_true(arn__fmath_atan2(1.0f, -0.0f) == pi / 2.0f);
}

// All that softmax needs of exp is the same, to the bit.
static void exp_of_normal_results_is_exp(void **state) {
  (void)state;
  for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 20011) {
    const float x = arn__fmath_float((uint32_t)bits), y = arn__fmath_exp_normal(x);
    if (isnan(x)) assert_true(isnan(y));
    else if (x < -87.3f) assert_true(y == 0.0f);
    else if (x > 88.3f) assert_true(y == INFINITY);
    else assert_true(y == arn__fmath_exp(x));
  }
}

static void float_functions_are_accurate(void **state) {
  (void)state;
  assert_true(worst_error(fmath_exp, exp, false) < 1.0);
  assert_true(worst_error(fmath_exp_minus_one, expm1, true) < 2.0);
  assert_true(worst_error(fmath_log, log, false) < 1.0);
  assert_true(worst_error(fmath_logistic, logistic_of, false) < 3.0);
  assert_true(worst_error(fmath_tanh, tanh, false) < 2.0);
  assert_true(worst_error(fmath_gelu, gelu_of, false) < 13.0);
  assert_true(arn__fmath_gelu(INFINITY) == INFINITY && arn__fmath_gelu(-INFINITY) == 0.0f);
}

static void rounding_is_exact(void **state) {
  (void)state;
  for (uint64_t bits = 0; bits < UINT64_C(1) << 32; bits += 20011) {
    const float x = arn__fmath_float((uint32_t)bits);
    if (isnan(x)) continue;
    assert_int_equal(arn__fmath_bits(arn__fmath_round_even(x)), arn__fmath_bits(rintf(x)));
    if (fabsf(x) < 2147483520.0f) assert_true(arn__fmath_round_away(x) == (int32_t)roundf(x));
  }
  assert_int_equal(arn__fmath_round_away(0.49999997f), 0);
  assert_int_equal(arn__fmath_round_away(-0.5f), -1);
}

// ---- fixed point --------------------------------------------------------------------------------

// What logistic and tanh of 8 bits are fixed-point approximations of.
static void curves_follow_the_functions(void **state) {
  int8_t in[256], out[256];
  (void)state;
  for (int i = 0; i < 256; i++) in[i] = (int8_t)(i - 128);
  for (uint32_t n = 0; n < 200; n++) {
    const float scale = ldexpf(1.0f + (float)draw(1000) / 1000.0f, -(int)draw(12) - 1);
    const int32_t zero = (int32_t)draw(256) - 128;
    const arn__activation_curve p = {arn__requant_of((double)scale * (1 << 27)), zero};
    arn__activation_logistic_s8_portable(in, out, 256, &p);
    for (int i = 0; i < 256; i++) {
      const double x = (double)scale * (in[i] - zero);
      assert_true(fabs(out[i] + 128 - fmin(256.0 / (1.0 + exp(-x)), 255.0)) < 0.51);
    }
    arn__activation_tanh_s8_portable(in, out, 256, &p);
    for (int i = 0; i < 256; i++) {
      const double x = (double)scale * (in[i] - zero);
      assert_true(fabs(out[i] - fmin(128.0 * tanh(x), 127.0)) < 0.51);
    }
  }
}

static void check_s16(arn__unary_fn fn, double (*function)(double), float in_scale,
                      float out_scale) {
  static int16_t in[65536], out[65536];
  const arn__activation_real p = {in_scale, 1.0f / out_scale, 0, 0};
  for (int i = 0; i < 65536; i++) in[i] = (int16_t)i;
  fn(in, out, 65536, &p);
  for (int i = 0; i < 65536; i++) {
    const double want = function((double)in_scale * in[i]) / out_scale;
    assert_true(fabs(out[i] - fmin(fmax(want, -32768.0), 32767.0)) < 0.51);
  }
}

static double elu_of(double x) { return x < 0.0 ? expm1(x) : x; }
static double log_of(double x) { return x > 0.0 ? log(x) : -1e9; }

static void curves_of_16_bits_follow_the_functions(void **state) {
  (void)state;
  check_s16(arn__activation_elu_s16, elu_of, 0x1p-12f, 0x1p-12f);
  check_s16(arn__activation_exp_s16, exp, 0x1p-13f, 0x1p-9f);
  check_s16(arn__activation_log_s16, log_of, 0x1p-10f, 0x1p-11f);
  check_s16(arn__activation_gelu_s16, gelu_of, 0x1p-12f, 0x1p-12f);
}

static void inverse_roots_follow_the_function(void **state) {
  (void)state;
  for (int32_t in_zero = -128; in_zero < 128; in_zero += 51) {
    const double in_scale = 0.02, out_scale = 0.05;
    const arn__unary_rsqrt p = {arn__requant_of(1.0 / (sqrt(in_scale) * out_scale)), in_zero, -128};
    for (int32_t x = in_zero + 1; x < 128; x++) {
      int8_t value = (int8_t)x;
      arn__unary_rsqrt_s8(&value, &value, 1, &p);
      const double want = 1.0 / sqrt(in_scale * (x - in_zero)) / out_scale - 128.0;
      assert_true(fabs(value - fmin(want, 127.0)) < 0.6);
    }
  }
}

// ---- variants -----------------------------------------------------------------------------------

#if defined(ARN__X86)

static void variants_agree_on_8_bits(void **state) {
  int8_t in[256], a[256], b[256];
  (void)state;
  if (!__builtin_cpu_supports("avx2")) skip();
  for (int i = 0; i < 256; i++) in[i] = (int8_t)i;
  for (uint32_t n = 0; n < 3000; n++) {
    const arn__requant r = {(int32_t)((1u << 30) + draw(1u << 30)), (int32_t)draw(34) - 3};
    const arn__activation_curve p = {r, (int32_t)draw(256) - 128};
    const uint32_t count = draw(257);
    arn__activation_logistic_s8_portable(in, a, count, &p);
    arn__activation_logistic_s8_x86(in, b, count, &p);
    assert_memory_equal(a, b, count);
    arn__activation_tanh_s8_portable(in, a, count, &p);
    memcpy(b, in, sizeof b);
    arn__activation_tanh_s8_x86(b, b, count, &p);
    assert_memory_equal(a, b, count);
  }
}

static void variants_agree_on_16_bits(void **state) {
  static int16_t in[65536], a[65536], b[65536];
  (void)state;
  if (!__builtin_cpu_supports("avx2")) skip();
  for (int i = 0; i < 65536; i++) in[i] = (int16_t)i;
  for (uint32_t n = 0; n < 40; n++) {
    const arn__activation_lookup p = {n < 4 ? 3 << (n & 1) : 16384 + (int32_t)draw(16384),
                                      n < 4 ? 0 : (int32_t)draw(32)};
    const uint32_t count = 65536 - draw(9);
    arn__activation_logistic_s16_portable(in, a, count, &p);
    arn__activation_logistic_s16_x86(in, b, count, &p);
    assert_memory_equal(a, b, count * sizeof a[0]);
    arn__activation_tanh_s16_portable(in, a, count, &p);
    arn__activation_tanh_s16_x86(in, b, count, &p);
    assert_memory_equal(a, b, count * sizeof a[0]);
  }
}

static void variants_agree_on_exp(void **state) {
  int32_t a[256], b[256];
  (void)state;
  if (!__builtin_cpu_supports("avx2")) skip();
  for (uint32_t n = 0; n < 3000; n++) {
    const arn__requant r = {(int32_t)((1u << 30) + draw(1u << 30)), 1 + (int32_t)draw(31)};
    for (int i = 0; i < 256; i++) a[i] = b[i] = -i;
    arn__softmax_exp_q31_portable(a, 256, r);
    arn__softmax_exp_q31_x86(b, 256, r);
    assert_memory_equal(a, b, sizeof a);
  }
}

#else

static void no_variants_here(void **state) {
  (void)state;
  print_message("skip: no AVX2 variants in this build\n");
  skip();
}
#define variants_agree_on_8_bits no_variants_here
#define variants_agree_on_16_bits no_variants_here
#define variants_agree_on_exp no_variants_here

#endif

// ---- in place -----------------------------------------------------------------------------------

#define MANY 1000

// Runs a kernel apart and in place.
static void check_in_place(arn__unary_fn fn, const void *params, uint32_t in_bytes,
                           uint32_t out_bytes) {
  static uint8_t in[MANY * 8], apart[MANY * 8], together[MANY * 8];
  for (uint32_t count = 0; count < MANY; count += 1 + count / 3) {
    for (uint32_t i = 0; i < sizeof in; i++) in[i] = (uint8_t)draw(100);
    memcpy(together, in, sizeof in);
    memset(apart, 0, sizeof apart);
    fn(in, apart, count, params);
    fn(together, together, count, params);
    assert_memory_equal(apart, together, count * out_bytes);
    assert_memory_equal(together + count * in_bytes, in + count * in_bytes,
                        sizeof in - count * in_bytes);
  }
}

static void kernels_work_in_place(void **state) {
  const arn__activation_slopes slopes = {{1500000000, -1}, {-1200000000, 0}, 3, -5, {-100, 100}};
  const arn__quantize_real real = {0.05f, 3, {-128, 127}, ARN_INT8};
  const arn__quantize_change change = {{1500000000, -8}, 3, 5, {-128, 127}, ARN_INT16, ARN_INT8};
  const arn__cast_types narrow = {ARN_INT32, ARN_INT8}, wide = {ARN_INT64, ARN_BOOL};
  const arn__cast_types same = {ARN_FLOAT32, ARN_INT32};
  (void)state;
  check_in_place(arn__activation_slopes_s8, &slopes, 1, 1);
  check_in_place(arn__activation_slopes_s16, &slopes, 2, 2);
  check_in_place(arn__unary_exp_f32, NULL, 4, 4);
  check_in_place(arn__unary_tanh_f32, NULL, 4, 4);
  check_in_place(arn__unary_neg_s64, NULL, 8, 8);
  check_in_place(arn__quantize_to, &real, 4, 1);
  check_in_place(arn__quantize_again, &change, 2, 1);
  check_in_place(arn__quantize_flip, NULL, 1, 1);
  check_in_place(arn__cast_small, &narrow, 4, 1);
  check_in_place(arn__cast_small, &wide, 8, 1);
  check_in_place(arn__cast_from_float, &same, 4, 4);
}

// ---- the ends of types --------------------------------------------------------------------------

static int64_t cast_float(float x, arn_type type) {
  const arn__cast_types types = {ARN_FLOAT32, type};
  int64_t out = 0;
  arn__cast_from_float(&x, &out, 1, &types);
  return out;
}

static void casts_saturate(void **state) {
  (void)state;
  assert_int_equal((int8_t)cast_float(-1e9f, ARN_INT8), -128);
  assert_int_equal((int8_t)cast_float(127.9f, ARN_INT8), 127);
  assert_int_equal((int8_t)cast_float(NAN, ARN_INT8), 0);
  assert_int_equal(cast_float(-1.5f, ARN_UINT8), 0);
  assert_int_equal(cast_float(300.0f, ARN_UINT8), 255);
  assert_int_equal((int16_t)cast_float(40000.0f, ARN_INT16), 32767);
  assert_int_equal((int32_t)cast_float(2147483648.0f, ARN_INT32), INT32_MAX);
  assert_int_equal((int32_t)cast_float(2147483520.0f, ARN_INT32), 2147483520);
  assert_int_equal((int32_t)cast_float(-3e9f, ARN_INT32), INT32_MIN);
  assert_int_equal((int32_t)cast_float(NAN, ARN_INT32), 0);
  assert_int_equal((uint32_t)cast_float(4294967040.0f, ARN_UINT32), 4294967040u);
  assert_int_equal((uint32_t)cast_float(1e10f, ARN_UINT32), UINT32_MAX);
  assert_int_equal(cast_float(1e20f, ARN_INT64), INT64_MAX);
  assert_int_equal(cast_float(-1e20f, ARN_INT64), INT64_MIN);
  assert_int_equal(cast_float(NAN, ARN_INT64), 0);
  assert_true((uint64_t)cast_float(1e19f, ARN_UINT64) == UINT64_C(9999999980506447872));
  assert_int_equal(cast_float(NAN, ARN_BOOL), 1);
  assert_int_equal(cast_float(-0.0f, ARN_BOOL), 0);
}

static void wide_integers_keep_their_values(void **state) {
  const arn__cast_types to_bool = {ARN_INT64, ARN_BOOL}, to_float = {ARN_UINT64, ARN_FLOAT32};
  const arn__cast_types from_u32 = {ARN_UINT32, ARN_FLOAT32}, widen = {ARN_UINT32, ARN_INT64};
  const int64_t high = INT64_C(1) << 40, minus = -1;
  const uint32_t most = UINT32_MAX;
  uint8_t truth;
  float real;
  int64_t wide;
  (void)state;
  arn__cast_small(&high, &truth, 1, &to_bool);
  assert_int_equal(truth, 1);
  arn__cast_wide(&minus, &real, 1, &to_float);
  assert_true(real == 0x1p64f);
  arn__cast_wide(&most, &real, 1, &from_u32);
  assert_true(real == 0x1p32f);
  arn__cast_wide(&most, &wide, 1, &widen);
  assert_int_equal(wide, UINT32_MAX);
}

static void quantising_rounds_and_saturates(void **state) {
  const arn__quantize_real p = {0.5f, 1, {-128, 127}, ARN_INT8};
  const float in[] = {0.25f, -0.25f, 0.24999999f, INFINITY, -INFINITY, NAN, 1e30f, 63.0f, 63.2f};
  const int8_t want[] = {2, 0, 1, 127, -128, -128, 127, 127, 127};
  int8_t out[9];
  (void)state;
  arn__quantize_to(in, out, 9, &p);
  assert_memory_equal(out, want, sizeof want);
}

static void long_softmax_stays_in_range(void **state) {
  // 20,000 equal elements: the sum passes 32 bits, and each share rounds to nothing
  static int8_t in[20000], out[20000];
  const arn__softmax_scaling s = {{1 << 30, 22}, 0, NULL};
  const arn__softmax_span span = {in, out, 1, 20000};
  (void)state;
  arn__softmax_s8(&span, &s);
  for (int i = 0; i < 20000; i++) assert_int_equal(out[i], -128);
}

static void softmax_through_a_table_is_the_same(void **state) {
  int8_t in[700], plain[1400], tabled[1400];
  int32_t table[264];
  (void)state;
  for (uint32_t n = 0; n < 500; n++) {
    const arn__requant r = {(int32_t)((1u << 30) + draw(1u << 30)), 1 + (int32_t)draw(31)};
    const uint8_t flip = draw(2) ? 0x80 : 0;
    const arn__softmax_scaling with = {r, flip, table}, without = {r, flip, NULL};
    const uint32_t depth = 1 + draw(350), spread = 1 + draw(256);
    for (uint32_t i = 0; i < sizeof in; i++) in[i] = (int8_t)(draw(spread) - 128);
    assert_true(arn__softmax_entries(r) <= 264);
    arn__softmax_fill(table, r);
    const arn__softmax_span a = {in, plain, 2, depth}, b = {in, tabled, 2, depth};
    arn__softmax_s8(&a, &without);
    arn__softmax_s8(&b, &with);
    assert_memory_equal(plain, tabled, 2 * depth);
    arn__softmax_s8_s16(&a, &without);
    arn__softmax_s8_s16(&b, &with);
    assert_memory_equal(plain, tabled, 4 * depth);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sigmoid_table_is_its_definition),
      cmocka_unit_test(softmax_tables_are_their_definitions),
      cmocka_unit_test(exact_exp_is_correctly_rounded),
      cmocka_unit_test(float_functions_are_accurate),
      cmocka_unit_test(angles_and_waves_are_accurate),
      cmocka_unit_test(exp_of_normal_results_is_exp),
      cmocka_unit_test(rounding_is_exact),
      cmocka_unit_test(curves_follow_the_functions),
      cmocka_unit_test(curves_of_16_bits_follow_the_functions),
      cmocka_unit_test(inverse_roots_follow_the_function),
      cmocka_unit_test(variants_agree_on_8_bits),
      cmocka_unit_test(variants_agree_on_16_bits),
      cmocka_unit_test(variants_agree_on_exp),
      cmocka_unit_test(kernels_work_in_place),
      cmocka_unit_test(casts_saturate),
      cmocka_unit_test(wide_integers_keep_their_values),
      cmocka_unit_test(quantising_rounds_and_saturates),
      cmocka_unit_test(long_softmax_stays_in_range),
      cmocka_unit_test(softmax_through_a_table_is_the_same),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
