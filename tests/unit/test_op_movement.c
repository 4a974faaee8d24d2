// Data movement against its definitions, element by element, over random shapes: ranks up to 6,
// shapes that have rows, indices that are constant or only known at run time. The operator packs
// hold few shapes with rows, and no TILE.
#include "tests/unit/op_rig.h"

#include "src/kernels/move.h"

enum { TRIALS = 150 };

static rig r;

static bool late(void) { return draw(4) == 0; }

// ---- RESHAPE, EXPAND_DIMS -----------------------------------------------------------------------

// Deals the prime factors of the count out to some dimensions.
static void other_shape(const rig_tensor *in, rig_tensor *out) {
  uint32_t left = rig_count(in);
  out->type = in->type;
  out->rank = 1 + draw(5);
  for (uint32_t i = 0; i < out->rank; i++) out->dims[i] = 1;
  for (uint32_t factor = 2; left > 1; factor++) {
    for (; left % factor == 0; left /= factor) out->dims[draw(out->rank)] *= (int32_t)factor;
  }
}

static void test_reshape(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    rig_begin(&r, 22, 2, 1);
    rig_shape(&r.in[0], 1, 5);
    rig_fill(&r.in[0]);
    other_shape(&r.in[0], &r.out[0]);
    memcpy(r.out[0].bytes, r.in[0].bytes, rig_size(&r.in[0]));
    int32_t shape[ARN_MAX_RANK];
    memcpy(shape, r.out[0].dims, sizeof shape);
    if (draw(2)) shape[draw(r.out[0].rank)] = -1;
    rig_index(&r.in[1], shape, r.out[0].rank, !late());
    rig_tally_check(&tally, &r);
    if (r.in[1].is_constant || r.out[0].rank < 2) continue;
    shape[0] = shape[1] = r.out[0].dims[0] + 1;
    rig_index(&r.in[1], shape, r.out[0].rank, false);
    rig_refuse(&r, ARN_ERR_DATA);
  }
  assert_true(tally.by_rows > TRIALS / 10);
}

static void test_expand_dims(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    rig_begin(&r, 70, 2, 1);
    rig_shape(&r.in[0], 0, 4);
    rig_fill(&r.in[0]);
    const uint32_t rank = r.in[0].rank;
    int32_t axis = (int32_t)draw(rank + 1);
    r.out[0] = r.in[0];
    r.out[0].rank = rank + 1;
    for (uint32_t k = rank; k > (uint32_t)axis; k--) r.out[0].dims[k] = r.in[0].dims[k - 1];
    r.out[0].dims[axis] = 1;
    if (draw(2)) axis -= (int32_t)rank + 1;
    rig_index(&r.in[1], &axis, 1, !late());
    rig_check(&r);
    axis = (int32_t)rank + 1;
    rig_index(&r.in[1], &axis, 1, draw(2));
    rig_refuse(&r, r.in[1].is_constant ? ARN_ERR_MODEL : ARN_ERR_DATA);
  }
}

// ---- SLICE, STRIDED_SLICE -----------------------------------------------------------------------

static void test_slice(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 2 * TRIALS; i++) {
    int32_t begin_at[ARN_MAX_RANK], size[ARN_MAX_RANK], at[ARN_MAX_RANK];
    rig_begin(&r, 65, 3, 1);
    rig_shape(&r.in[0], 1, 6);
    rig_fill(&r.in[0]);
    r.out[0].type = r.in[0].type;
    r.out[0].rank = r.in[0].rank;
    for (uint32_t k = 0; k < r.in[0].rank; k++) {
      const int32_t dim = r.in[0].dims[k];
      begin_at[k] = draw(2) ? 0 : (int32_t)draw((uint32_t)dim);
      const int32_t left = dim - begin_at[k];
      r.out[0].dims[k] = draw(2) ? left : 1 + (int32_t)draw((uint32_t)left);
      size[k] = r.out[0].dims[k] == left && draw(2) ? -1 : r.out[0].dims[k];
    }
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      rig_split(&r.out[0], flat, at);
      for (uint32_t k = 0; k < r.in[0].rank; k++) at[k] += begin_at[k];
      rig_want(&r.out[0], flat, &r.in[0], rig_join(&r.in[0], at));
    }
    rig_index(&r.in[1], begin_at, r.in[0].rank, !late());
    rig_index(&r.in[2], size, r.in[0].rank, !late());
    rig_tally_check(&tally, &r);
    begin_at[0] = r.in[0].dims[0];
    rig_index(&r.in[1], begin_at, r.in[0].rank, false);
    rig_refuse(&r, ARN_ERR_DATA);
  }
  assert_true(tally.by_rows > TRIALS / 5);
}

// One dimension of a strided slice: the places that it takes, as Python's range gives them.
typedef struct taken {
  int32_t count, places[8];
} taken;

static taken take(int32_t dim, int32_t start, int32_t stop, int32_t step) {
  taken t = {0, {0}};
  for (int32_t i = start; step > 0 ? i < stop : i > stop; i += step) {
    if (i >= 0 && i < dim) t.places[t.count++] = i;
  }
  return t;
}

typedef struct strided {
  int32_t begin[8], end[8], step[8], masks[5];
  taken dims[8];
} strided;

// Draws one dimension: begin and end as numbers, counted from either side, or masked.
static void draw_dim(strided *s, uint32_t entry, uint32_t k, int32_t dim) {
  const int32_t step = (int32_t)(1 + draw(3)) * (draw(3) ? 1 : -1);
  int32_t start = (int32_t)draw((uint32_t)dim), stop = start + step * (1 + (int32_t)draw(3));
  s->step[entry] = step;
  if (draw(3) == 0) {
    s->masks[0] |= 1 << entry;
    start = step > 0 ? 0 : dim - 1;
  }
  if (draw(3) == 0) {
    s->masks[1] |= 1 << entry;
    stop = step > 0 ? dim : -1;
  }
  s->begin[entry] = draw(2) ? start : start - dim;
  s->end[entry] = stop < 0 ? stop - dim : stop;  // -1 itself would mean the last
  if (draw(6) == 0) {
    s->masks[4] |= 1 << entry;
    s->step[entry] = 1;
    s->masks[0] &= ~(1 << entry);
    s->dims[k] = take(dim, start, start + 1, 1);
  } else {
    s->dims[k] = take(dim, start, stop, step);
  }
}

// Draws entries for all dimensions: some are left to an ellipsis, some entries make new axes.
static uint32_t draw_entries(strided *s, const rig_tensor *in, rig_tensor *out) {
  uint32_t entry = 0, k = 0;
  const uint32_t left_out = draw(3) == 0 ? draw(in->rank + 1) : 0;
  const uint32_t ellipsis_at = draw(in->rank - left_out + 1);
  while (k < in->rank) {
    if (left_out > 0 && k == ellipsis_at) {
      for (uint32_t n = 0; n < left_out; n++, k++) {
        s->dims[k] = take(in->dims[k], 0, in->dims[k], 1);
        out->dims[out->rank++] = in->dims[k];
      }
      s->masks[2] |= 1 << entry++;
      continue;
    }
    if (draw(8) == 0 && out->rank + in->rank - k < 6 && entry < 6) {
      s->masks[3] |= 1 << entry++;
      out->dims[out->rank++] = 1;
      continue;
    }
    draw_dim(s, entry, k, in->dims[k]);
    if (!(s->masks[4] >> entry & 1)) out->dims[out->rank++] = s->dims[k].count;
    entry++;
    k++;
  }
  return entry;
}

static void test_strided_slice(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 4 * TRIALS; i++) {
    strided s = {{0}, {0}, {0}, {0}, {{0, {0}}}};
    rig_begin(&r, 45, 4, 1);
    rig_shape(&r.in[0], 1, 5);
    rig_fill(&r.in[0]);
    r.out[0].type = r.in[0].type;
    for (uint32_t k = 0; k < 8; k++) s.step[k] = 1;
    const uint32_t entries = draw_entries(&s, &r.in[0], &r.out[0]);
    rig_tensor *dims = &r.out[1];  // the output before axes are dropped and made
    dims->rank = r.in[0].rank;
    for (uint32_t k = 0; k < dims->rank; k++) dims->dims[k] = s.dims[k].count;
    for (uint32_t flat = 0; flat < rig_count(dims); flat++) {
      int32_t at[ARN_MAX_RANK];
      rig_split(dims, flat, at);
      for (uint32_t k = 0; k < dims->rank; k++) at[k] = s.dims[k].places[at[k]];
      rig_want(&r.out[0], flat, &r.in[0], rig_join(&r.in[0], at));
    }
    r.options_type = ARN_OPTIONS_STRIDED_SLICE;
    for (uint32_t k = 0; k < 5; k++) r.options[k] = s.masks[k];
    rig_index(&r.in[1], s.begin, entries, !late());
    rig_index(&r.in[2], s.end, entries, !late());
    rig_index(&r.in[3], s.step, entries, !late());
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 5);
}

// ---- TRANSPOSE, REVERSE_V2, TILE ----------------------------------------------------------------

static void test_transpose(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 2 * TRIALS; i++) {
    int32_t perm[ARN_MAX_RANK], at[ARN_MAX_RANK], from[ARN_MAX_RANK];
    rig_begin(&r, 39, 2, 1);
    rig_shape(&r.in[0], 1, 6);
    rig_fill(&r.in[0]);
    const uint32_t rank = r.in[0].rank;
    r.out[0].type = r.in[0].type;
    r.out[0].rank = rank;
    for (uint32_t k = 0; k < rank; k++) perm[k] = (int32_t)k;
    for (uint32_t k = rank; k-- > 1;) {
      const uint32_t other = draw(k + 1);
      const int32_t saved = perm[k];
      perm[k] = perm[other];
      perm[other] = saved;
    }
    for (uint32_t k = 0; k < rank; k++) r.out[0].dims[k] = r.in[0].dims[perm[k]];
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      rig_split(&r.out[0], flat, at);
      for (uint32_t k = 0; k < rank; k++) from[perm[k]] = at[k];
      rig_want(&r.out[0], flat, &r.in[0], rig_join(&r.in[0], from));
    }
    rig_index(&r.in[1], perm, rank, true);
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 5);
}

static void test_reverse_v2(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    int32_t axes[ARN_MAX_RANK], at[ARN_MAX_RANK];
    uint32_t count = 0, reversed = 0;
    rig_begin(&r, 105, 2, 1);
    rig_shape(&r.in[0], 1, 5);
    rig_fill(&r.in[0]);
    r.out[0] = r.in[0];
    for (uint32_t k = 0; k < r.in[0].rank; k++) {
      if (draw(2)) continue;
      reversed |= 1u << k;
      axes[count++] = (int32_t)k - (draw(2) ? (int32_t)r.in[0].rank : 0);
    }
    if (count == 0) continue;
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      rig_split(&r.out[0], flat, at);
      for (uint32_t k = 0; k < r.in[0].rank; k++) {
        if (reversed >> k & 1u) at[k] = r.in[0].dims[k] - 1 - at[k];
      }
      rig_want(&r.out[0], flat, &r.in[0], rig_join(&r.in[0], at));
    }
    rig_index(&r.in[1], axes, count, true);
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 10);
}

static void test_tile(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < TRIALS; i++) {
    int32_t multiples[ARN_MAX_RANK], at[ARN_MAX_RANK];
    rig_begin(&r, 69, 2, 1);
    rig_shape(&r.in[0], 1, 4);
    rig_fill(&r.in[0]);
    r.out[0].type = r.in[0].type;
    r.out[0].rank = r.in[0].rank;
    for (uint32_t k = 0; k < r.in[0].rank; k++) {
      multiples[k] = k == 0 && r.in[0].rank > 2 ? 1 : 1 + (int32_t)draw(3);
      r.out[0].dims[k] = r.in[0].dims[k] * multiples[k];
    }
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      rig_split(&r.out[0], flat, at);
      for (uint32_t k = 0; k < r.in[0].rank; k++) at[k] %= r.in[0].dims[k];
      rig_want(&r.out[0], flat, &r.in[0], rig_join(&r.in[0], at));
    }
    rig_index(&r.in[1], multiples, r.in[0].rank, !late());
    rig_tally_check(&tally, &r);
    multiples[0]++;
    rig_index(&r.in[1], multiples, r.in[0].rank, draw(2));
    rig_refuse(&r, r.in[1].is_constant ? ARN_ERR_MODEL : ARN_ERR_DATA);
  }
  assert_true(tally.by_rows > TRIALS / 10);
}

// ---- PAD, PADV2, MIRROR_PAD ---------------------------------------------------------------------

// Draws paddings, and the output's shape; `edge` is what a reflection leaves out, or -1 for no
// limit.
static void draw_paddings(int32_t *paddings, int32_t edge) {
  r.out[0].type = r.in[0].type;
  r.out[0].rank = r.in[0].rank;
  for (uint32_t k = 0; k < r.in[0].rank; k++) {
    const int32_t dim = r.in[0].dims[k];
    const uint32_t most = edge < 0 ? 3 : (uint32_t)(dim - edge < 3 ? dim - edge : 3);
    const bool padded = draw(2) && !(k == 0 && r.in[0].rank > 2 && draw(4));
    paddings[2 * k] = padded ? (int32_t)draw(most + 1) : 0;
    paddings[2 * k + 1] = padded ? (int32_t)draw(most + 1) : 0;
    r.out[0].dims[k] = dim + paddings[2 * k] + paddings[2 * k + 1];
  }
}

static void index_paddings(const int32_t *paddings) {
  rig_index(&r.in[1], paddings, 2 * r.in[0].rank, !late());
  r.in[1].rank = 2;
  r.in[1].dims[0] = (int32_t)r.in[0].rank;
  r.in[1].dims[1] = 2;
}

static void test_pad(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 3 * TRIALS; i++) {
    int32_t paddings[2 * ARN_MAX_RANK], at[ARN_MAX_RANK];
    const bool has_value = draw(2);
    rig_begin(&r, has_value ? 60 : 34, has_value ? 3 : 2, 1);
    rig_shape(&r.in[0], 1, 5);
    rig_fill(&r.in[0]);
    draw_paddings(paddings, -1);
    r.in[2] = (rig_tensor){.type = r.in[0].type, .is_constant = draw(2)};
    if (has_value) rig_fill(&r.in[2]);
    if (r.in[0].type == ARN_INT8 && !has_value) {
      r.in[0].scale = r.out[0].scale = 0.5f;
      r.in[0].zero = r.out[0].zero = (int64_t)draw(256) - 128;
      r.in[2].bytes[0] = (uint8_t)r.out[0].zero;
    }
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      bool inside = true;
      rig_split(&r.out[0], flat, at);
      for (uint32_t k = 0; k < r.in[0].rank; k++) {
        at[k] -= paddings[2 * k];
        inside = inside && at[k] >= 0 && at[k] < r.in[0].dims[k];
      }
      rig_want(&r.out[0], flat, inside ? &r.in[0] : &r.in[2], inside ? rig_join(&r.in[0], at) : 0);
    }
    index_paddings(paddings);
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 3);
}

static int32_t mirror(int32_t i, int32_t dim, int32_t edge) {
  if (i < 0) return -i - 1 + edge;
  return i < dim ? i : 2 * dim - 1 - edge - i;
}

static void test_mirror_pad(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 2 * TRIALS; i++) {
    int32_t paddings[2 * ARN_MAX_RANK], at[ARN_MAX_RANK];
    const int32_t edge = (int32_t)draw(2);
    rig_begin(&r, 100, 2, 1);
    rig_shape(&r.in[0], 1, 5);
    rig_fill(&r.in[0]);
    draw_paddings(paddings, edge);
    r.options_type = ARN_OPTIONS_MIRROR_PAD;
    r.options[0] = 1 - edge;
    for (uint32_t flat = 0; flat < rig_count(&r.out[0]); flat++) {
      rig_split(&r.out[0], flat, at);
      for (uint32_t k = 0; k < r.in[0].rank; k++) {
        at[k] = mirror(at[k] - paddings[2 * k], r.in[0].dims[k], edge);
      }
      rig_want(&r.out[0], flat, &r.in[0], rig_join(&r.in[0], at));
    }
    index_paddings(paddings);
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS / 5);
}

// ---- kernels ------------------------------------------------------------------------------------

// A block over dense output, with random steps in the source.
static arn__block draw_block(uint32_t run, uint32_t loops) {
  arn__block b = {run, loops, {{0, 0, 0}}};
  uint32_t target = run;
  for (uint32_t i = 0; i < loops; i++) {
    b.loop[i] = (arn__block_loop){1 + draw(4), (int32_t)draw(120) - 60, (int32_t)target};
    target *= b.loop[i].count;
  }
  return b;
}

// The definition: every byte by itself.
static void copy_bytes(uint8_t *target, const uint8_t *source, const arn__block *b) {
  uint32_t turns = 1;
  for (uint32_t i = 0; i < b->loops; i++) turns *= b->loop[i].count;
  for (uint32_t turn = 0; turn < turns; turn++) {
    uint32_t rest = turn;
    ptrdiff_t to = 0, from = 0;
    for (uint32_t i = 0; i < b->loops; i++) {
      to += (ptrdiff_t)(rest % b->loop[i].count) * b->loop[i].target;
      from += (ptrdiff_t)(rest % b->loop[i].count) * b->loop[i].source;
      rest /= b->loop[i].count;
    }
    for (uint32_t k = 0; k < b->run; k++) target[to + k] = source[from + k];
  }
}

static void fill_source(uint8_t *source, size_t bytes) {
  for (size_t i = 0; i < bytes; i++) source[i] = (uint8_t)draw(256);
}

static void test_blocks(void **unused) {
  static uint8_t source[4096], want[1 << 17], got[1 << 17];
  (void)unused;
  fill_source(source, sizeof source);
  for (uint32_t i = 0; i < 2000; i++) {
    const arn__block b = draw_block(1 + draw(100), draw(5));
    memset(want, 0xEE, sizeof want);
    memset(got, 0xEE, sizeof got);
    copy_bytes(want, source + 2048, &b);
    arn__move_block(got, source + 2048, &b);
    assert_memory_equal(want, got, sizeof got);
  }
}

static void test_transpositions(void **unused) {
  static uint8_t source[1 << 15], want[1 << 15], got[1 << 15];
  (void)unused;
  fill_source(source, sizeof source);
  for (uint32_t i = 0; i < 2000; i++) {
    const uint32_t size = 1u << draw(3), lines = 8 + draw(20), columns = 8 + draw(20);
    const uint32_t pitch = lines * size + draw(3), matrices = 1 + draw(3);
    arn__block b = {size, 3, {{columns, (int32_t)pitch, (int32_t)size},
                              {lines, (int32_t)size, (int32_t)(columns * size)},
                              {matrices, (int32_t)(pitch * columns),
                               (int32_t)(columns * lines * size)}}};
    assert_true(arn__move_is_transposition(&b));
    memset(want, 0xEE, sizeof want);
    memset(got, 0xEE, sizeof got);
    copy_bytes(want, source, &b);
    arn__move_transpose(got, source, &b);
    assert_memory_equal(want, got, sizeof got);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reshape),       cmocka_unit_test(test_expand_dims),
      cmocka_unit_test(test_slice),         cmocka_unit_test(test_strided_slice),
      cmocka_unit_test(test_transpose),     cmocka_unit_test(test_reverse_v2),
      cmocka_unit_test(test_tile),          cmocka_unit_test(test_pad),
      cmocka_unit_test(test_mirror_pad),    cmocka_unit_test(test_blocks),
      cmocka_unit_test(test_transpositions),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
