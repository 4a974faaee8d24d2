// The kernels below dense layers against plain loops: dot products by rows and columns, widened
// weights, settled outputs. Every array is a heap block of exactly its size, so that the sanitizer
// sees a read beyond it.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/kernels/dot.h"
#include "src/kernels/lstm.h"
#include "src/kernels/settle.h"
#include "src/kernels/svdf.h"
#include "src/kernels/widen.h"

static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(seed >> 33) % below;
}

// A block of random bytes; every fourth one holds only the ends of the range.
static void *draw_bytes(size_t count) {
  uint8_t *bytes = malloc(count > 0 ? count : 1);
  const bool extreme = draw(4) == 0;
  assert_non_null(bytes);
  for (size_t i = 0; i < count; i++) bytes[i] = (uint8_t)(extreme ? 127 + draw(2) : draw(256));
  return bytes;
}

// Small integers, whose sums of products a float holds exactly in any order.
static float *draw_floats(size_t count) {
  float *x = malloc(count > 0 ? count * sizeof *x : 1);
  assert_non_null(x);
  for (size_t i = 0; i < count; i++) x[i] = (float)((int32_t)draw(31) - 15);
  return x;
}

// A call by rows (step 1) or by columns, and how many weights it reads.
static arn__dot draw_call(bool by_columns, size_t *weights) {
  static const uint32_t sizes[] = {1,  2,  3,  7,  8,  9,   15,  16, 17,
                                   31, 32, 33, 64, 100, 255, 256, 300};
  arn__dot d = {sizes[draw(17)], 1 + draw(20), 0, 1, (int32_t)draw(256) - 128, 0};
  if (by_columns) {
    d.step = 1 + draw(3);
    d.stride = d.count + draw(4);
    d.spare = draw(2) ? draw(20) : 0;
    *weights = (size_t)(d.n - 1) * d.stride + d.count + d.spare;
  } else {
    d.stride = d.n + (draw(2) ? 0 : draw(20));
    d.spare = draw(2) ? draw(40) : 0;
    *weights = (size_t)(d.count - 1) * d.stride + d.n + d.spare;
  }
  return d;
}

static size_t weight_at(const arn__dot *d, bool by_columns, uint32_t c, uint32_t i) {
  return by_columns ? (size_t)i * d->stride + c : (size_t)c * d->stride + i;
}

static size_t input_count(const arn__dot *d) { return (size_t)(d->n - 1) * d->step + 1; }

static void int8_sums_are_their_definition(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 3000; round++) {
    const bool by_columns = draw(2);
    size_t weights;
    const arn__dot d = draw_call(by_columns, &weights);
    int8_t *x = draw_bytes(input_count(&d)), *w = draw_bytes(weights);
    int32_t *sums = draw_bytes(d.count * sizeof *sums);
    int32_t *wanted = malloc(d.count * sizeof *wanted);
    for (uint32_t c = 0; c < d.count; c++) {
      uint32_t sum = (uint32_t)sums[c];
      for (uint32_t i = 0; i < d.n; i++) {
        sum += (uint32_t)((x[(size_t)i * d.step] - d.zero) * w[weight_at(&d, by_columns, c, i)]);
      }
      wanted[c] = (int32_t)sum;
    }
    if (by_columns) arn__dot_columns_s8(sums, x, w, &d);
    else arn__dot_rows_s8(sums, x, w, &d);
    assert_memory_equal(sums, wanted, d.count * sizeof *sums);
    free(x), free(w), free(sums), free(wanted);
  }
}

static void uint8_sums_are_their_definition(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 1000; round++) {
    size_t weights;
    arn__dot d = draw_call(false, &weights);
    d.zero += 128;
    uint8_t *x = draw_bytes(input_count(&d)), *w = draw_bytes(weights);
    int32_t *sums = draw_bytes(d.count * sizeof *sums);
    int32_t *wanted = malloc(d.count * sizeof *wanted);
    for (uint32_t c = 0; c < d.count; c++) {
      uint32_t sum = (uint32_t)sums[c];
      for (uint32_t i = 0; i < d.n; i++) {
        sum += (uint32_t)((x[i] - d.zero) * w[weight_at(&d, false, c, i)]);
      }
      wanted[c] = (int32_t)sum;
    }
    arn__dot_rows_u8(sums, x, w, &d);
    assert_memory_equal(sums, wanted, d.count * sizeof *sums);
    free(x), free(w), free(sums), free(wanted);
  }
}

// Sums that int32 does not hold, and products of the two smallest numbers.
static void long_sums_do_not_overflow(void **unused) {
  (void)unused;
  const uint32_t n = 100000;
  int8_t *x = malloc(n), *w = malloc(n);
  int16_t *x16 = malloc(2 * n), *w16 = malloc(2 * n);
  const arn__dot d = {n, 1, n, 1, 127, 0};
  memset(x, 0x80, n);
  memset(w, 0x80, n);
  for (uint32_t i = 0; i < n; i++) x16[i] = w16[i] = INT16_MIN;
  int32_t sum = 0;
  int64_t narrow = 0, wide = 0;
  arn__dot_rows_s8(&sum, x, w, &d);
  arn__dot_rows_s16_s8(&narrow, x16, w, &d);
  arn__dot_rows_s16(&wide, x16, w16, &d);
  assert_int_equal(sum, (int32_t)(UINT32_C(255) * 128 * n));
  assert_true(narrow == INT64_C(32768) * 128 * n);
  assert_true(wide == INT64_C(32768) * 32768 * n);
  assert_int_equal(arn__dot_sum_s8(x, &d), -255 * (int32_t)n);
  free(x), free(w), free(x16), free(w16);
}

static int64_t wanted_s16(const arn__dot *d, bool by_columns, uint32_t c, const int16_t *x,
                          const void *w, bool w_is_s16) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < d->n; i++) {
    const size_t at = weight_at(d, by_columns, c, i);
    const int32_t weight = w_is_s16 ? ((const int16_t *)w)[at] : ((const int8_t *)w)[at];
    sum += (int64_t)x[(size_t)i * d->step] * weight;
  }
  return sum;
}

static void int16_sums_are_their_definition(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 3000; round++) {
    const bool by_columns = draw(2), w_is_s16 = draw(2);
    size_t weights;
    const arn__dot d = draw_call(by_columns, &weights);
    int16_t *x = draw_bytes(2 * input_count(&d));
    void *w = draw_bytes(w_is_s16 ? 2 * weights : weights);
    int64_t sums[20] = {0};
    if (by_columns && w_is_s16) arn__dot_columns_s16(sums, x, w, &d);
    else if (by_columns) arn__dot_columns_s16_s8(sums, x, w, &d);
    else if (w_is_s16) arn__dot_rows_s16(sums, x, w, &d);
    else arn__dot_rows_s16_s8(sums, x, w, &d);
    for (uint32_t c = 0; c < d.count; c++) {
      assert_true(sums[c] == wanted_s16(&d, by_columns, c, x, w, w_is_s16));
    }
    free(x), free(w);
  }
}

static void float_sums_of_integers_are_exact(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 2000; round++) {
    const bool by_columns = draw(2);
    size_t weights;
    const arn__dot d = draw_call(by_columns, &weights);
    float *x = draw_floats(input_count(&d)), *w = draw_floats(weights);
    float sums[20];
    for (uint32_t c = 0; c < d.count; c++) sums[c] = (float)c;
    if (by_columns) arn__dot_columns_f32(sums, x, w, &d);
    else arn__dot_rows_f32(sums, x, w, &d);
    for (uint32_t c = 0; c < d.count; c++) {
      double sum = c;
      for (uint32_t i = 0; i < d.n; i++) {
        sum += (double)x[(size_t)i * d.step] * (double)w[weight_at(&d, by_columns, c, i)];
      }
      assert_true((double)sums[c] == sum);
    }
    free(x), free(w);
  }
}

static void sums_of_inputs_are_their_definition(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 500; round++) {
    size_t weights;
    const arn__dot d = draw_call(true, &weights);
    uint8_t *x = draw_bytes(input_count(&d));
    int32_t s8 = 0, u8 = 0;
    for (uint32_t i = 0; i < d.n; i++) {
      s8 += (int8_t)x[(size_t)i * d.step] - d.zero;
      u8 += x[(size_t)i * d.step] - d.zero;
    }
    assert_int_equal(arn__dot_sum_s8((const int8_t *)x, &d), s8);
    assert_int_equal(arn__dot_sum_u8(x, &d), u8);
    free(x);
  }
}

// ---- widening -----------------------------------------------------------------------------------

static double half_value(uint32_t bits) {
  const uint32_t exponent = bits >> 10 & 31, fraction = bits & 1023;
  const double sign = bits >> 15 ? -1.0 : 1.0;
  if (exponent == 31) return fraction ? (double)NAN : sign * (double)INFINITY;
  if (exponent == 0) return sign * ldexp(fraction, -24);
  return sign * ldexp(1024.0 + fraction, (int)exponent - 25);
}

static void every_float16_is_widened_exactly(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < 65536; i++) {
    const uint16_t half = (uint16_t)i;
    float got;
    arn__widen_f16_f32(&got, &half, 1);
    const double want = half_value(i);
    if (isnan(want)) {
      assert_true(isnan(got));
    } else {
      assert_true((double)got == want);
      assert_int_equal(signbit(got) != 0, signbit(want) != 0);
    }
  }
}

static void int4_pairs_are_taken_apart(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 300; round++) {
    const uint32_t first = draw(5), n = 1 + draw(40);
    uint8_t *packed = draw_bytes((first + n + 1) / 2);
    int8_t got[40];
    arn__widen_s4_s8(got, packed, first, n);
    for (uint32_t i = 0; i < n; i++) {
      const uint32_t nibble = packed[(first + i) / 2] >> ((first + i) % 2 ? 4 : 0) & 15;
      assert_int_equal(got[i], nibble < 8 ? (int32_t)nibble : (int32_t)nibble - 16);
    }
    free(packed);
  }
}

// ---- settling -----------------------------------------------------------------------------------

static arn__requant draw_multiplier(void) {
  return (arn__requant){(int32_t)(UINT32_C(1) << 30 | draw(1u << 30)), (int32_t)draw(40) - 31};
}

static void settled_outputs_are_requantised_sums(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 3000; round++) {
    const uint32_t n = 1 + draw(16);
    arn__requant multipliers[16];
    for (uint32_t i = 0; i < 16; i++) multipliers[i] = draw_multiplier();
    const int32_t zero = (int32_t)draw(256) - 128;
    const arn__settle s = {multipliers, draw(2), n, {-128 - zero, 127 - zero}, zero};
    int32_t *sums = draw_bytes(4 * n), *bias = draw_bytes(4 * n), kept[16];
    if (draw(2)) free(bias), bias = NULL;
    memcpy(kept, sums, 4 * n);
    int8_t out8[16];
    int16_t out16[16];
    arn__settle_s8(out8, sums, bias, &s);
    memcpy(sums, kept, 4 * n);
    arn__settle_s16(out16, sums, bias, &s);
    for (uint32_t i = 0; i < n; i++) {
      const int32_t sum = (int32_t)((uint32_t)kept[i] + (bias ? (uint32_t)bias[i] : 0));
      const arn__requant r = multipliers[s.per_channel ? i : 0];
      const int32_t want = arn__clamp_s32(arn__requantise(sum, r), s.clamp) + zero;
      assert_int_equal(out8[i], want);
      assert_int_equal(out16[i], want);
    }
    free(sums), free(bias);
  }
}

static void settled_wide_outputs_are_requantised_sums(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 1000; round++) {
    const uint32_t n = 1 + draw(16);
    arn__requant multipliers[16];
    for (uint32_t i = 0; i < 16; i++) multipliers[i] = draw_multiplier();
    const arn__settle s = {multipliers, draw(2), n, {INT16_MIN, INT16_MAX}, 0};
    int64_t sums[16], bias[16];
    int16_t out[16];
    for (uint32_t i = 0; i < n; i++) {
      sums[i] = (int64_t)draw(1u << 31) * draw(1u << 14) - (INT64_C(1) << 44);
      bias[i] = (int64_t)draw(1u << 31) - (1 << 30);
    }
    const bool has_bias = draw(2);
    arn__settle_s16_s64(out, sums, has_bias ? bias : NULL, &s);
    for (uint32_t i = 0; i < n; i++) {
      const arn__requant r = multipliers[s.per_channel ? i : 0];
      const int32_t value = arn__requantise_s64(sums[i] + (has_bias ? bias[i] : 0), r);
      assert_int_equal(out[i], arn__clamp_s32(value, s.clamp));
    }
  }
}

// ---- SVDF, LSTM ---------------------------------------------------------------------------------

static void sums_over_time_are_their_definition(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 500; round++) {
    const arn__svdf_time t = {1 + draw(40), 1 + draw(16), (int32_t)draw(256) - 128};
    const size_t count = (size_t)t.n * t.units;
    int8_t *s8 = draw_bytes(count), *w8 = draw_bytes(count);
    int16_t *s16 = draw_bytes(2 * count), *w16 = draw_bytes(2 * count);
    float *f = draw_floats(count), *wf = draw_floats(count);
    int32_t sums8[16] = {0}, sums16[16] = {0};
    float sums[16] = {0};
    arn__svdf_time_s8(sums8, s8, w8, &t);
    arn__svdf_time_s16(sums16, s16, w16, &t);
    arn__svdf_time_f32(sums, f, wf, &t);
    for (uint32_t u = 0; u < t.units; u++) {
      uint32_t want8 = 0, want16 = 0;
      double want = 0;
      for (size_t i = u * t.n; i < (u + 1) * (size_t)t.n; i++) {
        want8 += (uint32_t)((s8[i] - t.zero) * w8[i]);
        want16 += (uint32_t)(s16[i] * w16[i]);
        want += (double)f[i] * (double)wf[i];
      }
      assert_int_equal(sums8[u], (int32_t)want8);
      assert_int_equal(sums16[u], (int32_t)want16);
      assert_true((double)sums[u] == want);
    }
    free(s8), free(w8), free(s16), free(w16), free(f), free(wf);
  }
}

// forget * cell with a multiplier of 2^-15 in two rounding steps, as for all products.
static void cells_saturate_and_are_clipped(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 2000; round++) {
    const uint32_t n = 1 + draw(16);
    int16_t *forget = draw_bytes(2 * n), *input = draw_bytes(2 * n), *cell = draw_bytes(2 * n);
    const int32_t clip = draw(2) ? (int32_t)draw(32768) : -1;
    int16_t before[16];
    memcpy(before, cell, 2 * n);
    arn__lstm_cell_s16(cell, forget, input, n, clip);
    for (uint32_t i = 0; i < n; i++) {
      const arn__requant gate = arn__requant_of(0x1p-15);
      const arn__clamp range = {INT16_MIN, INT16_MAX};
      int32_t want = arn__clamp_s32(arn__requantise(forget[i] * before[i], gate), range);
      want = arn__clamp_s32(want + input[i], range);
      if (clip >= 0) want = arn__clamp_s32(want, (arn__clamp){-clip, clip});
      assert_int_equal(cell[i], want);
    }
    free(forget), free(input), free(cell);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(int8_sums_are_their_definition),
      cmocka_unit_test(uint8_sums_are_their_definition),
      cmocka_unit_test(long_sums_do_not_overflow),
      cmocka_unit_test(int16_sums_are_their_definition),
      cmocka_unit_test(float_sums_of_integers_are_exact),
      cmocka_unit_test(sums_of_inputs_are_their_definition),
      cmocka_unit_test(every_float16_is_widened_exactly),
      cmocka_unit_test(int4_pairs_are_taken_apart),
      cmocka_unit_test(settled_outputs_are_requantised_sums),
      cmocka_unit_test(settled_wide_outputs_are_requantised_sums),
      cmocka_unit_test(sums_over_time_are_their_definition),
      cmocka_unit_test(cells_saturate_and_are_clipped),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
