// STABLEHLO_GATHER, STABLEHLO_SCATTER and STABLEHLO_DOT_GENERAL against their definitions, element
// by element, over random dimension numbers.
#include "tests/unit/op_rig.h"

enum { SCATTER = 190, GATHER = 201, ROUNDS = 400 };

static rig r;
static rig_tensor *const operand = &r.in[0], *const indices = &r.in[1], *const updates = &r.in[2];
static rig_tensor *const out = &r.out[0];

// Dimension numbers: sizes of a slice or window in the operand; where its dimensions are in the
// other tensor, and which it has not there; and what the numbers of an index vector are for.
static struct numbers {
  int32_t sizes[ARN_MAX_RANK];
  int32_t offsets[ARN_MAX_RANK], dropped[ARN_MAX_RANK], map[ARN_MAX_RANK];
  uint32_t offset_count, dropped_count, map_count;
  int32_t vector_dim;
} d;

static void begin(int32_t code, int32_t options, uint32_t inputs) {
  memset(&r, 0, offsetof(rig, in));
  r.code = code;
  r.options_type = options;
  r.inputs = inputs;
  r.outputs = 1;
  for (uint32_t i = 0; i < RIG_TENSORS; i++) {
    r.in[i].scale = r.out[i].scale = 0.0f;
    r.in[i].is_constant = false;
  }
}

static bool has(const int32_t *list, uint32_t count, int32_t x) {
  for (uint32_t i = 0; i < count; i++) {
    if (list[i] == x) return true;
  }
  return false;
}

// `count` of the numbers below `below`, in ascending order.
static void draw_some(int32_t *list, uint32_t count, uint32_t below) {
  uint32_t taken = 0;
  for (uint32_t i = 0; i < below; i++) {
    if (draw(below - i) < count - taken) list[taken++] = (int32_t)i;
  }
}

static void shuffle(int32_t *list, uint32_t count) {
  for (uint32_t i = count; i > 1; i--) {
    const uint32_t k = draw(i);
    const int32_t x = list[k];
    list[k] = list[i - 1];
    list[i - 1] = x;
  }
}

// Draws an operand, index vectors, and the shape of what belongs to both.
static void draw_numbers(rig_tensor *both) {
  int32_t batch[3];
  const uint32_t batch_rank = draw(3);
  rig_shape(operand, 1, 4);
  for (uint32_t i = 0; i < operand->rank; i++) operand->dims[i] += (int32_t)draw(2);
  rig_fill(operand);
  d.dropped_count = draw(operand->rank + 1);
  d.offset_count = operand->rank - d.dropped_count;
  d.map_count = draw(operand->rank + 1);
  if (d.map_count == 0) d.map_count = 1;
  draw_some(d.dropped, d.dropped_count, operand->rank);
  draw_some(d.map, d.map_count, operand->rank);
  shuffle(d.map, d.map_count);
  for (uint32_t i = 0; i < batch_rank; i++) batch[i] = 1 + (int32_t)draw(3);
  draw_some(d.offsets, d.offset_count, d.offset_count + batch_rank);
  both->type = operand->type;
  both->rank = d.offset_count + batch_rank;
  uint32_t b = 0, axis = 0;
  for (uint32_t i = 0; i < operand->rank; i++) d.sizes[i] = 1;
  for (uint32_t i = 0; i < both->rank; i++) {
    if (!has(d.offsets, d.offset_count, (int32_t)i)) {
      both->dims[i] = batch[b++];
      continue;
    }
    while (has(d.dropped, d.dropped_count, (int32_t)axis)) axis++;
    const uint32_t whole = (uint32_t)operand->dims[axis];
    d.sizes[axis] = (int32_t)(draw(2) ? whole : 1 + draw(whole));
    both->dims[i] = d.sizes[axis++];
  }
  // Vectors lie along any dimension; where they have one number, also along none.
  d.vector_dim = (int32_t)draw(batch_rank + 1);
  const bool none = d.map_count == 1 && draw(2);
  if (none) d.vector_dim = (int32_t)batch_rank;
  int32_t numbers[256];
  uint32_t count = d.map_count;
  for (uint32_t i = 0; i < batch_rank; i++) count *= (uint32_t)batch[i];
  for (uint32_t i = 0; i < count; i++) numbers[i] = (int32_t)draw(9) - 2;
  rig_index(indices, numbers, count, draw(2));
  indices->rank = batch_rank + !none;
  for (uint32_t i = 0, k = 0; i < indices->rank; i++) {
    indices->dims[i] = !none && (int32_t)i == d.vector_dim ? (int32_t)d.map_count : batch[k++];
  }
}

static int64_t index_value(uint32_t i) {
  int64_t wide;
  int32_t narrow;
  memcpy(&narrow, indices->bytes + 4 * i, sizeof narrow);
  memcpy(&wide, indices->bytes + 8 * i, sizeof wide);
  return indices->type == ARN_INT32 ? narrow : wide;
}

// Where the slice or window of an element (at) of `both` begins, and the element's place in it.
static void locate(const rig_tensor *both, const int32_t *at, int64_t *start, int32_t *place) {
  int32_t where[ARN_MAX_RANK] = {0};
  uint32_t b = 0, axis = 0;
  memset(start, 0, ARN_MAX_RANK * sizeof *start);
  memset(place, 0, ARN_MAX_RANK * sizeof *place);
  for (uint32_t i = 0; i < both->rank; i++) {
    if (has(d.offsets, d.offset_count, (int32_t)i)) {
      while (has(d.dropped, d.dropped_count, (int32_t)axis)) axis++;
      place[axis++] = at[i];
    } else {
      if ((int32_t)b == d.vector_dim) b++;
      where[b++] = at[i];
    }
  }
  for (uint32_t i = 0; i < d.map_count; i++) {
    if (d.vector_dim < (int32_t)indices->rank) where[d.vector_dim] = (int32_t)i;
    start[d.map[i]] = index_value(rig_join(indices, where));
  }
}

static void slices_are_gathered(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    int32_t at[ARN_MAX_RANK], place[ARN_MAX_RANK];
    int64_t start[ARN_MAX_RANK];
    begin(GATHER, ARN_OPTIONS2_STABLEHLO_GATHER, 2);
    draw_numbers(out);
    const arn_build_list lists[] = {{d.offsets, d.offset_count}, {d.dropped, d.dropped_count},
                                    {d.map, d.map_count}, {d.sizes, operand->rank}};
    memcpy(r.lists, lists, sizeof lists);
    r.options[0] = d.vector_dim;
    for (uint32_t to = 0; to < rig_count(out); to++) {
      rig_split(out, to, at);
      locate(out, at, start, place);
      for (uint32_t i = 0; i < operand->rank; i++) {
        const int64_t most = operand->dims[i] - d.sizes[i];
        place[i] += (int32_t)(start[i] < 0 ? 0 : start[i] > most ? most : start[i]);
      }
      rig_want(out, to, operand, rig_join(operand, place));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 20);
}

// Sums of float are of small whole numbers; others wrap.
static void add(rig_tensor *t, uint32_t to, const rig_tensor *u, uint32_t from) {
  const uint32_t bytes = rig_element(t);
  uint64_t a = 0, b = 0;
  float x, y;
  memcpy(&a, t->bytes + to * bytes, bytes);
  memcpy(&b, u->bytes + from * bytes, bytes);
  a += b;
  if (t->type == ARN_FLOAT32) {
    memcpy(&x, t->bytes + 4 * to, sizeof x);
    memcpy(&y, u->bytes + 4 * from, sizeof y);
    x += y;
    memcpy(&a, &x, sizeof x);
  }
  memcpy(t->bytes + to * bytes, &a, bytes);
}

static void fill_small(rig_tensor *t) {
  rig_fill(t);
  for (uint32_t i = 0; i < rig_count(t) && t->type == ARN_FLOAT32; i++) {
    const float x = (float)draw(100);
    memcpy(t->bytes + 4 * i, &x, sizeof x);
  }
}

// Number of the index vector that an element of the updates belongs to.
static uint32_t vector_of(const int32_t *at) {
  uint32_t n = 0;
  for (uint32_t i = 0; i < updates->rank; i++) {
    if (has(d.offsets, d.offset_count, (int32_t)i)) continue;
    n = n * (uint32_t)updates->dims[i] + (uint32_t)at[i];
  }
  return n;
}

// Puts the elements of index vector `n` in place.
static void want_window(uint32_t n) {
  int32_t at[ARN_MAX_RANK], place[ARN_MAX_RANK];
  int64_t start[ARN_MAX_RANK];
  for (uint32_t from = 0; from < rig_count(updates); from++) {
    bool inside = true;
    rig_split(updates, from, at);
    if (vector_of(at) != n) continue;
    locate(updates, at, start, place);
    for (uint32_t i = 0; i < operand->rank; i++) {
      const int64_t where = start[i] + place[i];
      inside = inside && where >= 0 && where < operand->dims[i];
      place[i] = (int32_t)where;
    }
    if (!inside) continue;
    if (r.body == 1) rig_want(out, rig_join(out, place), updates, from);
    else add(out, rig_join(out, place), updates, from);
  }
}

static void windows_are_scattered(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    begin(SCATTER, ARN_OPTIONS2_STABLEHLO_SCATTER, 3);
    draw_numbers(updates);
    fill_small(operand);
    fill_small(updates);
    r.body = operand->type == ARN_BOOL ? 1 : 1 + draw(2);
    r.body_code = draw(2) ? 163 : 0;
    const arn_build_list lists[] = {{d.offsets, d.offset_count}, {d.dropped, d.dropped_count},
                                    {d.map, d.map_count}};
    const double options[] = {0, d.vector_dim, 0, 1};
    memcpy(r.lists, lists, sizeof lists);
    memcpy(r.options, options, sizeof options);
    *out = *operand;
    for (uint32_t n = 0; n < rig_count(updates); n++) want_window(n);
    (void)rig_check(&r);
  }
}

// ---- products -----------------------------------------------------------------------------------

enum { DOT_GENERAL = 197 };

// Dimensions of operand `side`: batches, then summed and free ones in either order. Returns where
// the summed ones begin.
static uint32_t lay_out(rig_tensor *t, bool summed_first, uint32_t free_count,
                        const int32_t *batch, const int32_t *summed) {
  const uint32_t first = d.map_count + (summed_first ? 0 : free_count);
  t->type = ARN_FLOAT32;
  t->rank = d.map_count + d.offset_count + free_count;
  for (uint32_t i = 0; i < t->rank; i++) t->dims[i] = 1 + (int32_t)draw(4);
  for (uint32_t i = 0; i < d.map_count; i++) t->dims[i] = batch[i];
  for (uint32_t i = 0; i < d.offset_count; i++) t->dims[first + i] = summed[i];
  return first;
}

static float real_at(const rig_tensor *t, uint32_t i) {
  float x;
  memcpy(&x, t->bytes + 4 * i, sizeof x);
  return x;
}

// Sums an output element: `at` has its batch, then the free dimensions of both sides.
static double product_at(const int32_t *at, const uint32_t *first) {
  int32_t x[ARN_MAX_RANK], y[ARN_MAX_RANK], k[ARN_MAX_RANK];
  rig_tensor summed = {.rank = d.offset_count};
  double sum = 0;
  for (uint32_t i = 0; i < summed.rank; i++) summed.dims[i] = operand->dims[first[0] + i];
  for (uint32_t n = 0; n < rig_count(&summed); n++) {
    const int32_t *next = at + d.map_count;
    rig_split(&summed, n, k);
    for (uint32_t side = 0; side < 2; side++) {
      int32_t *z = side == 0 ? x : y;
      for (uint32_t i = 0; i < r.in[side].rank; i++) {
        if (i < d.map_count) z[i] = at[i];
        else if (i >= first[side] && i < first[side] + summed.rank) z[i] = k[i - first[side]];
        else z[i] = *next++;
      }
    }
    sum += (double)real_at(operand, rig_join(operand, x)) *
           (double)real_at(indices, rig_join(indices, y));
  }
  return sum;
}

// Batches, sums over neighbours, and free dimensions of both sides, of whole numbers.
static void products_are_summed(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    int32_t batch[2], summed[2], axes[3][2], at[ARN_MAX_RANK];
    uint32_t first[2];
    begin(DOT_GENERAL, ARN_OPTIONS2_STABLEHLO_DOT_GENERAL, 2);
    const bool matrices = draw(3) == 0;
    d.map_count = matrices ? 1 + draw(2) : draw(3);
    d.offset_count = matrices ? 1 : draw(3);
    for (uint32_t i = 0; i < 2; i++) {
      batch[i] = round % 2 && i == 0 ? 1 : 1 + (int32_t)draw(3);
      summed[i] = 1 + (int32_t)draw(5);
    }
    first[0] = lay_out(operand, draw(2), matrices ? 1 : draw(3), batch, summed);
    first[1] = lay_out(indices, draw(2), matrices ? 1 : draw(3), batch, summed);
    indices->is_constant = draw(2);
    out->type = ARN_FLOAT32;
    out->rank = 0;
    for (uint32_t side = 0; side < 2; side++) {
      fill_small(&r.in[side]);
      for (uint32_t i = side == 0 ? 0 : d.map_count; i < r.in[side].rank; i++) {
        const bool is_summed = i >= first[side] && i < first[side] + d.offset_count;
        if (!is_summed) out->dims[out->rank++] = r.in[side].dims[i];
      }
      for (uint32_t i = 0; i < 2; i++) axes[side][i] = (int32_t)(first[side] + i);
    }
    axes[2][0] = 0;
    axes[2][1] = 1;
    const arn_build_list lists[] = {{axes[2], d.map_count}, {axes[2], d.map_count},
                                    {axes[0], d.offset_count}, {axes[1], d.offset_count}};
    memcpy(r.lists, lists, sizeof lists);
    for (uint32_t to = 0; to < rig_count(out); to++) {
      rig_split(out, to, at);
      const float sum = (float)product_at(at, first);
      memcpy(out->bytes + 4 * to, &sum, sizeof sum);
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 40);
}

// ---- refusals -----------------------------------------------------------------------------------

static arn_status status_of(void) {
  host_engine engine;
  size_t size;
  uint8_t *model = rig_model(&r, &size);
  const arn_status status = rig_start(&r, model, size, 0, &engine);
  if (status == ARN_OK) host_engine_close(&engine);
  free(model);
  return status;
}

// Rows 1 and 9 of [4,3], gathered or scattered.
static void begin_rows(bool scatters) {
  static const int32_t rows[] = {1, 9};
  rig_tensor *both = scatters ? updates : out;
  if (scatters) begin(SCATTER, ARN_OPTIONS2_STABLEHLO_SCATTER, 3);
  else begin(GATHER, ARN_OPTIONS2_STABLEHLO_GATHER, 2);
  operand->type = both->type = ARN_INT32;
  operand->rank = both->rank = 2;
  operand->dims[0] = 4;
  operand->dims[1] = both->dims[1] = 3;
  both->dims[0] = 2;
  if (scatters) *out = *operand;
  rig_index(indices, rows, 2, false);
  d = (struct numbers){{1, 3}, {1}, {0}, {0}, 1, 1, 1, 1};
  const arn_build_list lists[] = {{d.offsets, 1}, {d.dropped, 1}, {d.map, 1}, {d.sizes, 2}};
  memcpy(r.lists, lists, (scatters ? 3 : 4) * sizeof lists[0]);
  r.options[scatters ? 1 : 0] = 1;
  if (scatters) r.options[3] = 1;
  r.body = scatters;
}

static void wrong_numbers_are_refused(void **unused) {
  int32_t *const lists[] = {d.offsets, d.dropped, d.map, d.sizes};
  (void)unused;
  for (uint32_t scatters = 0; scatters < 2; scatters++) {
    begin_rows(scatters);
    assert_int_equal(status_of(), ARN_OK);
    for (uint32_t i = 0; i < 4 - scatters; i++) {
      for (int32_t bad = -1; bad < 6; bad += 6) {
        begin_rows(scatters);
        *lists[i] = bad;
        assert_int_equal(status_of(), ARN_ERR_MODEL);
      }
      for (uint32_t count = 0; count < 4; count++) {
        begin_rows(scatters);
        if (r.lists[i].count == count) continue;
        r.lists[i].count = count;
        assert_int_equal(status_of(), ARN_ERR_MODEL);
      }
    }
    for (int32_t vector = -1; vector < 4; vector++) {
      begin_rows(scatters);
      if (vector == 1) continue;
      r.options[scatters] = vector;
      assert_int_equal(status_of(), ARN_ERR_MODEL);
    }
  }
}

static void scatters_of_other_computations_are_refused(void **unused) {
  (void)unused;
  begin_rows(true);
  r.body = 2;
  r.body_code = 188;  // a difference
  assert_int_equal(status_of(), ARN_ERR_UNSUPPORTED);
  begin_rows(true);
  r.body = 0;
  assert_int_equal(status_of(), ARN_ERR_MODEL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(slices_are_gathered),
      cmocka_unit_test(windows_are_scattered),
      cmocka_unit_test(products_are_summed),
      cmocka_unit_test(wrong_numbers_are_refused),
      cmocka_unit_test(scatters_of_other_computations_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
