// Operators that make or read indices, and have no packs or few: against their definitions over
// random shapes and values, and with data that must be refused at run time.
#include "tests/unit/op_rig.h"

#include <math.h>

enum { TRIALS = 100 };

static rig r;

static int64_t integer_at(const rig_tensor *t, uint32_t i) {
  int64_t value = 0;
  memcpy(&value, t->bytes + i * rig_element(t), rig_element(t));
  if (t->type == ARN_INT8) return (int8_t)value;
  if (t->type == ARN_INT16) return (int16_t)value;
  if (t->type == ARN_INT32) return (int32_t)value;
  return value;
}

static void put_integer(rig_tensor *t, uint32_t i, int64_t value) {
  memcpy(t->bytes + i * rig_element(t), &value, rig_element(t));
}

static void scalar(rig_tensor *t, int32_t value, bool constant) {
  rig_index(t, &value, 1, constant);
  t->rank = 0;
}

// ---- SHAPE, RANK, FILL, RANGE -------------------------------------------------------------------

static void test_shape_and_rank(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    const bool rank = draw(2);
    rig_begin(&r, rank ? 110 : 77, 1, 1);
    rig_shape(&r.in[0], 1, 6);
    rig_fill(&r.in[0]);
    rig_index(&r.out[0], r.in[0].dims, r.in[0].rank, false);
    if (rank) scalar(&r.out[0], (int32_t)r.in[0].rank, false);
    rig_check(&r);
  }
}

static void test_fill(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    rig_begin(&r, 94, 2, 1);
    rig_shape(&r.out[0], 1, 5);
    r.in[1].type = r.out[0].type;
    rig_fill(&r.in[1]);
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      rig_want(&r.out[0], flat, &r.in[1], 0);
    }
    rig_index(&r.in[0], r.out[0].dims, r.out[0].rank, draw(2));
    rig_tally_check(&tally, &r);
    put_integer(&r.in[0], 0, r.out[0].dims[0] + 1);
    rig_refuse(&r, r.in[0].is_constant ? ARN_ERR_MODEL : ARN_ERR_DATA);
  }
  assert_true(tally.by_rows > TRIALS / 10);
}

static void test_range_of_integers(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    const int32_t start = (int32_t)draw(100) - 50;
    const int32_t delta = (int32_t)(1 + draw(9)) * (draw(2) ? 1 : -1);
    const int32_t count = 1 + (int32_t)draw(12), limit = start + delta * count;
    rig_begin(&r, 96, 3, 1);
    r.out[0] = (rig_tensor){.type = draw(2) ? ARN_INT32 : ARN_INT64, .rank = 1, .dims = {count}};
    const int32_t values[3] = {start, limit - (delta > 1) + (delta < -1), delta};
    for (uint32_t k = 0; k < 3; k++) {
      r.in[k] = (rig_tensor){.type = r.out[0].type, .is_constant = draw(2)};
      put_integer(&r.in[k], 0, values[k]);
    }
    for (int32_t k = 0; k < count; k++) put_integer(&r.out[0], (uint32_t)k, start + k * delta);
    rig_check(&r);
    put_integer(&r.in[2], 0, draw(2) ? -delta : 0);
    rig_refuse(&r, ARN_ERR_DATA);
  }
}

static void test_range_of_floats(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    float values[3] = {(float)draw(1000) / 7.0f, 0, ((float)draw(100) + 1) / 13.0f};
    values[1] = values[0] + (float)draw(500) / 11.0f + 0.25f;
    const float count = ceilf((values[1] - values[0]) / values[2]);
    if (count > 1000) continue;
    rig_begin(&r, 96, 3, 1);
    r.out[0] = (rig_tensor){.type = ARN_FLOAT32, .rank = 1, .dims = {(int32_t)count}};
    for (uint32_t k = 0; k < 3; k++) {
      r.in[k] = (rig_tensor){.type = ARN_FLOAT32};
      memcpy(r.in[k].bytes, &values[k], 4);
    }
    float sum = values[0];
    for (uint32_t k = 0; k < (uint32_t)count; k++, sum += values[2]) {
      memcpy(r.out[0].bytes + 4 * k, &sum, 4);
    }
    rig_check(&r);
  }
}

// ---- ONE_HOT, TOPK_V2 ---------------------------------------------------------------------------

static void test_one_hot(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    int32_t indices[2048], at[ARN_MAX_RANK], from[ARN_MAX_RANK];
    const int32_t depth = 1 + (int32_t)draw(5);
    rig_tensor shape;
    rig_begin(&r, 85, 4, 1);
    memset(&shape, 0, sizeof shape);
    rig_shape(&shape, 0, 4);
    for (uint32_t k = 0; k < rig_count(&shape); k++) indices[k] = (int32_t)draw(8) - 1;
    rig_index(&r.in[0], indices, rig_count(&shape), draw(2));
    r.in[0].rank = shape.rank;
    memcpy(r.in[0].dims, shape.dims, sizeof shape.dims);
    const uint32_t axis = draw(shape.rank + 1);
    r.out[0].type = r.in[2].type = r.in[3].type = shape.type;
    rig_fill(&r.in[2]);
    rig_fill(&r.in[3]);
    r.out[0].rank = shape.rank + 1;
    for (uint32_t k = 0; k < shape.rank; k++) r.out[0].dims[k < axis ? k : k + 1] = shape.dims[k];
    r.out[0].dims[axis] = depth;
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      rig_split(&r.out[0], flat, at);
      for (uint32_t k = 0; k < shape.rank; k++) from[k] = at[k < axis ? k : k + 1];
      const bool on = indices[rig_join(&shape, from)] == at[axis];
      rig_want(&r.out[0], flat, &r.in[on ? 2 : 3], 0);
    }
    scalar(&r.in[1], depth, draw(2));
    r.options_type = ARN_OPTIONS_ONE_HOT;
    r.options[0] = axis == shape.rank ? -1 : (double)axis;
    rig_tally_check(&tally, &r);
    scalar(&r.in[1], depth + 1, draw(2));
    rig_refuse(&r, r.in[1].is_constant ? ARN_ERR_MODEL : ARN_ERR_DATA);
  }
  assert_true(tally.by_rows > TRIALS / 20);
}

// Picks the largest that is left, the first of equal ones, k times.
static void pick_largest(const rig_tensor *in, uint32_t line, rig_tensor *values,
                         rig_tensor *places) {
  const uint32_t length = (uint32_t)in->dims[in->rank - 1];
  const uint32_t k = (uint32_t)values->dims[values->rank - 1];
  bool taken[64] = {false};
  for (uint32_t n = 0; n < k; n++) {
    uint32_t best = UINT32_MAX;
    for (uint32_t i = 0; i < length; i++) {
      if (taken[i]) continue;
      if (best == UINT32_MAX ||
          integer_at(in, line * length + i) > integer_at(in, line * length + best)) {
        best = i;
      }
    }
    taken[best] = true;
    rig_want(values, line * k + n, in, line * length + best);
    put_integer(places, line * k + n, best);
  }
}

static void test_topk_v2(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 2 * TRIALS; i++) {
    static const arn_type types[] = {ARN_INT8, ARN_UINT8, ARN_INT16, ARN_INT32, ARN_INT64};
    rig_begin(&r, 48, 2, 2);
    rig_shape(&r.in[0], 1, 4);
    r.in[0].type = types[draw(5)];
    const uint32_t length = 1 + draw(40), k = 1 + draw(length);
    r.in[0].dims[r.in[0].rank - 1] = (int32_t)length;
    for (uint32_t n = 0; n < rig_count(&r.in[0]); n++) {
      put_integer(&r.in[0], n, (int64_t)draw(30) - (r.in[0].type == ARN_UINT8 ? 0 : 15));
    }
    r.out[0] = r.out[1] = r.in[0];
    r.out[0].dims[r.in[0].rank - 1] = r.out[1].dims[r.in[0].rank - 1] = (int32_t)k;
    r.out[1].type = ARN_INT32;
    for (uint32_t line = 0; line < rig_count(&r.in[0]) / length; line++) {
      pick_largest(&r.in[0], line, &r.out[0], &r.out[1]);
    }
    scalar(&r.in[1], (int32_t)k, draw(2));
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 10);
}

// ---- WHERE, UNIQUE, SEGMENT_SUM -----------------------------------------------------------------

static void test_where(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    int32_t at[ARN_MAX_RANK];
    uint32_t found = 0;
    rig_begin(&r, 109, 1, 1);
    rig_shape(&r.in[0], 1, 4);
    if (r.in[0].type == ARN_INT16) r.in[0].type = ARN_BOOL;
    for (uint32_t n = 0; n < rig_size(&r.in[0]); n++) r.in[0].bytes[n] = draw(4) == 0;
    r.in[0].bytes[0] = 1;
    r.out[0].type = ARN_INT64;
    for (uint32_t flat = 0; flat < rig_count(&r.in[0]); flat++) {
      bool is_zero = true;
      for (uint32_t n = 0; n < rig_element(&r.in[0]); n++) {
        is_zero = is_zero && r.in[0].bytes[flat * rig_element(&r.in[0]) + n] == 0;
      }
      if (is_zero) continue;
      rig_split(&r.in[0], flat, at);
      for (uint32_t k = 0; k < r.in[0].rank; k++) {
        put_integer(&r.out[0], found * r.in[0].rank + k, at[k]);
      }
      found++;
    }
    r.out[0].rank = 2;
    r.out[0].dims[0] = (int32_t)found;
    r.out[0].dims[1] = (int32_t)r.in[0].rank;
    rig_check(&r);
    r.out[0].dims[0]++;
    rig_refuse(&r, ARN_ERR_DATA);
  }
}

static void test_unique(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    uint32_t different = 0;
    rig_begin(&r, 103, 1, 2);
    r.in[0] = (rig_tensor){.type = draw(2) ? ARN_INT32 : ARN_INT8, .rank = 1,
                           .dims = {1 + (int32_t)draw(30)}};
    r.out[0].type = r.in[0].type;
    r.out[1].type = draw(2) ? ARN_INT32 : ARN_INT64;
    for (uint32_t n = 0; n < rig_count(&r.in[0]); n++) {
      const int64_t value = (int64_t)draw(9) - 4;
      uint32_t k = 0;
      put_integer(&r.in[0], n, value);
      while (k < different && integer_at(&r.out[0], k) != value) k++;
      if (k == different) put_integer(&r.out[0], different++, value);
      put_integer(&r.out[1], n, k);
    }
    r.out[0].rank = r.out[1].rank = 1;
    r.out[0].dims[0] = (int32_t)different;
    r.out[1].dims[0] = r.in[0].dims[0];
    rig_check(&r);
    r.out[0].dims[0]++;
    rig_refuse(&r, ARN_ERR_DATA);
  }
}

static void test_segment_sum(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    int32_t ids[8];
    rig_begin(&r, 125, 2, 1);
    rig_shape(&r.in[0], 1, 3);
    r.in[0].type = ARN_INT32;
    r.in[0].dims[0] = 1 + (int32_t)draw(7);
    rig_fill(&r.in[0]);
    r.out[0] = r.in[0];
    memset(r.out[0].bytes, 0, sizeof r.out[0].bytes);
    const uint32_t runs = (uint32_t)r.in[0].dims[0], run = rig_count(&r.in[0]) / runs;
    for (uint32_t k = 0; k < runs; k++) {
      ids[k] = k == 0 ? (int32_t)draw(2) : ids[k - 1] + (int32_t)draw(3);
      for (uint32_t n = 0; n < run; n++) {
        const uint32_t at = (uint32_t)ids[k] * run + n;
        put_integer(&r.out[0], at, integer_at(&r.out[0], at) + integer_at(&r.in[0], k * run + n));
      }
    }
    r.out[0].dims[0] = ids[runs - 1] + 1;
    rig_index(&r.in[1], ids, runs, draw(2));
    rig_check(&r);
    put_integer(&r.in[1], runs - 1, draw(2) ? -1 : ids[runs - 1] + 1);
    rig_refuse(&r, ARN_ERR_DATA);
  }
}

// ---- REVERSE_SEQUENCE, MATRIX_DIAG, MATRIX_SET_DIAG, CUMSUM -------------------------------------

static void test_reverse_sequence(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    int32_t lengths[8], at[ARN_MAX_RANK];
    rig_begin(&r, 112, 2, 1);
    rig_shape(&r.in[0], 2, 5);
    rig_fill(&r.in[0]);
    r.out[0] = r.in[0];
    const uint32_t sequence = draw(r.in[0].rank);
    const uint32_t batch = (sequence + 1 + draw(r.in[0].rank - 1)) % r.in[0].rank;
    for (int32_t k = 0; k < r.in[0].dims[batch]; k++) {
      lengths[k] = (int32_t)draw((uint32_t)r.in[0].dims[sequence] + 1);
    }
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      rig_split(&r.out[0], flat, at);
      const int32_t length = lengths[at[batch]];
      if (at[sequence] < length) at[sequence] = length - 1 - at[sequence];
      rig_want(&r.out[0], flat, &r.in[0], rig_join(&r.in[0], at));
    }
    rig_index(&r.in[1], lengths, (uint32_t)r.in[0].dims[batch], draw(2));
    r.options_type = ARN_OPTIONS_REVERSE_SEQUENCE;
    r.options[0] = sequence;
    r.options[1] = batch;
    rig_check(&r);
    put_integer(&r.in[1], 0, r.in[0].dims[sequence] + 1);
    rig_refuse(&r, ARN_ERR_DATA);
  }
}

static void test_matrix_diagonals(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    const bool set = draw(2);
    int32_t at[ARN_MAX_RANK];
    rig_begin(&r, set ? 115 : 113, set ? 2 : 1, 1);
    rig_tensor *vectors = &r.in[set ? 1 : 0];
    rig_shape(&r.out[0], 2, 4);
    const uint32_t rank = r.out[0].rank;
    if (!set) r.out[0].dims[rank - 2] = r.out[0].dims[rank - 1];
    const int32_t height = r.out[0].dims[rank - 2], width = r.out[0].dims[rank - 1];
    *vectors = r.out[0];
    vectors->rank = rank - 1;
    vectors->dims[rank - 2] = height < width ? height : width;
    rig_fill(vectors);
    if (set) {
      rig_fill(&r.out[0]);
      r.in[0] = r.out[0];
    }
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      rig_split(&r.out[0], flat, at);
      if (at[rank - 2] == at[rank - 1]) rig_want(&r.out[0], flat, vectors, rig_join(vectors, at));
    }
    rig_check(&r);
  }
}

static void test_cumsum_of_integers(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    const bool exclusive = draw(2), reverse = draw(2);
    int32_t at[ARN_MAX_RANK];
    rig_begin(&r, 128, 2, 1);
    rig_shape(&r.in[0], 1, 5);
    r.in[0].type = draw(2) ? ARN_INT32 : ARN_INT64;
    rig_fill(&r.in[0]);
    r.out[0] = r.in[0];
    const uint32_t axis = draw(r.in[0].rank);
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      uint64_t sum = 0;
      rig_split(&r.out[0], flat, at);
      const int32_t own = at[axis];
      for (int32_t k = 0; k < r.in[0].dims[axis]; k++) {
        at[axis] = k;
        const bool counts = reverse ? k > own : k < own;
        if (!counts && (k != own || exclusive)) continue;
        sum += (uint64_t)integer_at(&r.in[0], rig_join(&r.in[0], at));
      }
      put_integer(&r.out[0], flat, (int64_t)sum);
    }
    scalar(&r.in[1], (int32_t)axis - (draw(2) ? (int32_t)r.in[0].rank : 0), true);
    r.options_type = ARN_OPTIONS_CUMSUM;
    r.options[0] = exclusive;
    r.options[1] = reverse;
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 20);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_shape_and_rank),    cmocka_unit_test(test_fill),
      cmocka_unit_test(test_range_of_integers), cmocka_unit_test(test_range_of_floats),
      cmocka_unit_test(test_one_hot),           cmocka_unit_test(test_topk_v2),
      cmocka_unit_test(test_where),             cmocka_unit_test(test_unique),
      cmocka_unit_test(test_segment_sum),       cmocka_unit_test(test_reverse_sequence),
      cmocka_unit_test(test_matrix_diagonals),  cmocka_unit_test(test_cumsum_of_integers),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
