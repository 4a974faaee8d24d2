// Operators of StableHLO that move or compare elements, against their definitions over random
// shapes, options and types: TRANSPOSE, BROADCAST_IN_DIM, SLICE, DYNAMIC_SLICE,
// DYNAMIC_UPDATE_SLICE, CONCATENATE, PAD, IOTA, CLAMP, REMAINDER, COMPARE.
#include <math.h>

#include "tests/unit/op_rig.h"

enum { CLAMP = 168, CONCATENATE = 169, BROADCAST_IN_DIM = 170, SLICE = 172, REMAINDER = 185 };
enum { COMPARE = 191, DYNAMIC_SLICE = 193, DYNAMIC_UPDATE_SLICE = 194, PAD = 195, IOTA = 196 };
enum { TRANSPOSE = 202, ROUNDS = 200 };

static rig r;
static rig_tensor *const in = &r.in[0];
static rig_tensor *const out = &r.out[0];
static int32_t lists[3][ARN_MAX_RANK];

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

// Gives option list `i` its first `count` numbers.
static void give_list(uint32_t i, uint32_t count) {
  r.lists[i] = (arn_build_list){lists[i], count};
}

// Draws `count` different numbers below `below`; in ascending order where `ascending`.
static void draw_axes(int32_t *axes, uint32_t count, uint32_t below, bool ascending) {
  uint32_t left = below, taken = 0;
  for (uint32_t i = 0; i < below && taken < count && ascending; i++, left--) {
    if (draw(left) < count - taken) axes[taken++] = (int32_t)i;
  }
  if (ascending) return;
  for (uint32_t i = 0; i < count; i++) {
    axes[i] = (int32_t)draw(below);
    for (uint32_t k = 0; k < i; k++) {
      if (axes[k] != axes[i]) continue;
      axes[i] = (axes[i] + 1) % (int32_t)below;
      k = UINT32_MAX;  // from the start
    }
  }
}

static int32_t larger(int32_t a, int32_t b) { return a > b ? a : b; }
static int32_t smaller(int32_t a, int32_t b) { return a < b ? a : b; }

// ---- strided copies -----------------------------------------------------------------------------

static void dimensions_are_exchanged(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    int32_t at[ARN_MAX_RANK], from[ARN_MAX_RANK];
    begin(TRANSPOSE, ARN_OPTIONS2_STABLEHLO_TRANSPOSE, 1);
    rig_shape(in, 0, 5);
    rig_fill(in);
    draw_axes(lists[0], in->rank, in->rank, false);
    give_list(0, in->rank);
    *out = *in;
    for (uint32_t i = 0; i < in->rank; i++) out->dims[i] = in->dims[lists[0][i]];
    for (uint32_t to = 0; to < rig_count(out); to++) {
      rig_split(out, to, at);
      for (uint32_t i = 0; i < in->rank; i++) from[lists[0][i]] = at[i];
      rig_want(out, to, in, rig_join(in, from));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

static void dimensions_are_repeated(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    int32_t at[ARN_MAX_RANK], from[ARN_MAX_RANK];
    begin(BROADCAST_IN_DIM, ARN_OPTIONS2_STABLEHLO_BROADCAST_IN_DIM, 1);
    rig_shape(out, 0, 5);
    in->type = out->type;
    in->rank = draw(out->rank + 1);
    draw_axes(lists[0], in->rank, out->rank, draw(2));
    give_list(0, in->rank);
    for (uint32_t i = 0; i < in->rank; i++) in->dims[i] = draw(3) ? out->dims[lists[0][i]] : 1;
    rig_fill(in);
    for (uint32_t to = 0; to < rig_count(out); to++) {
      rig_split(out, to, at);
      for (uint32_t i = 0; i < in->rank; i++) from[i] = in->dims[i] == 1 ? 0 : at[lists[0][i]];
      rig_want(out, to, in, rig_join(in, from));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

static void parts_are_cut_out(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    int32_t at[ARN_MAX_RANK];
    begin(SLICE, ARN_OPTIONS2_STABLEHLO_SLICE, 1);
    rig_shape(in, 0, 5);
    rig_fill(in);
    *out = *in;
    for (uint32_t i = 0; i < in->rank; i++) {
      const uint32_t dim = (uint32_t)in->dims[i];
      lists[0][i] = (int32_t)draw(dim);
      lists[1][i] = lists[0][i] + 1 + (int32_t)draw(dim - (uint32_t)lists[0][i]);
      lists[2][i] = 1 + (int32_t)draw(3);
      out->dims[i] = (lists[1][i] - lists[0][i] + lists[2][i] - 1) / lists[2][i];
    }
    for (uint32_t i = 0; i < 3; i++) give_list(i, in->rank);
    for (uint32_t to = 0; to < rig_count(out); to++) {
      rig_split(out, to, at);
      for (uint32_t i = 0; i < in->rank; i++) at[i] = lists[0][i] + at[i] * lists[2][i];
      rig_want(out, to, in, rig_join(in, at));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

// Scalars from input `first` on say where a block of `block` begins in `whole`: often outside.
// Returns the places that they stand for.
static void draw_starts(uint32_t first, const rig_tensor *whole, const rig_tensor *block,
                        int32_t *starts) {
  const arn_type type = draw(2) ? ARN_INT32 : ARN_INT64;
  for (uint32_t i = 0; i < whole->rank; i++) {
    const int32_t given = (int32_t)draw((uint32_t)whole->dims[i] + 4) - 2;
    const int64_t wide = given;
    rig_tensor *t = &r.in[first + i];
    t->type = type;
    t->rank = 0;
    t->is_constant = draw(3) == 0;
    memcpy(t->bytes, &wide, sizeof wide);
    starts[i] = larger(0, smaller(given, whole->dims[i] - block->dims[i]));
  }
}

static void blocks_are_cut_out(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    int32_t at[ARN_MAX_RANK], starts[ARN_MAX_RANK];
    begin(DYNAMIC_SLICE, ARN_OPTIONS2_STABLEHLO_DYNAMIC_SLICE, 1);
    rig_shape(in, 1, 5);
    rig_fill(in);
    *out = *in;
    r.inputs = 1 + in->rank;
    for (uint32_t i = 0; i < in->rank; i++) {
      lists[0][i] = out->dims[i] = draw(2) ? in->dims[i] : 1 + (int32_t)draw((uint32_t)in->dims[i]);
    }
    give_list(0, in->rank);
    draw_starts(1, in, out, starts);
    for (uint32_t to = 0; to < rig_count(out); to++) {
      rig_split(out, to, at);
      for (uint32_t i = 0; i < in->rank; i++) at[i] += starts[i];
      rig_want(out, to, in, rig_join(in, at));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

static void blocks_are_replaced(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    int32_t at[ARN_MAX_RANK], starts[ARN_MAX_RANK];
    begin(DYNAMIC_UPDATE_SLICE, ARN_OPTIONS_NONE, 2);
    rig_shape(in, 1, 5);
    rig_fill(in);
    *out = r.in[1] = *in;
    r.inputs = 2 + in->rank;
    for (uint32_t i = 0; i < in->rank; i++) {
      r.in[1].dims[i] = draw(2) ? in->dims[i] : 1 + (int32_t)draw((uint32_t)in->dims[i]);
    }
    rig_fill(&r.in[1]);
    draw_starts(2, in, &r.in[1], starts);
    for (uint32_t from = 0; from < rig_count(&r.in[1]); from++) {
      rig_split(&r.in[1], from, at);
      for (uint32_t i = 0; i < in->rank; i++) at[i] += starts[i];
      rig_want(out, rig_join(out, at), &r.in[1], from);
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

static void tensors_are_joined(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    int32_t at[ARN_MAX_RANK];
    begin(CONCATENATE, ARN_OPTIONS2_STABLEHLO_CONCATENATE, 1 + draw(4));
    rig_shape(out, 1, 5);
    const uint32_t axis = draw(out->rank);
    r.options[0] = axis;
    out->dims[axis] = 0;
    for (uint32_t k = 0; k < r.inputs; k++) {
      r.in[k] = *out;
      r.in[k].dims[axis] = 1 + (int32_t)draw(3);
      rig_fill(&r.in[k]);
    }
    for (uint32_t k = 0; k < r.inputs; k++) out->dims[axis] += r.in[k].dims[axis];
    for (uint32_t to = 0; to < rig_count(out); to++) {
      uint32_t k = 0;
      rig_split(out, to, at);
      for (; at[axis] >= r.in[k].dims[axis]; k++) at[axis] -= r.in[k].dims[axis];
      rig_want(out, to, &r.in[k], rig_join(&r.in[k], at));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

static void elements_are_padded_and_cut_off(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < 4 * ROUNDS; round++) {
    int32_t at[ARN_MAX_RANK];
    begin(PAD, ARN_OPTIONS2_STABLEHLO_PAD, 2);
    rig_shape(in, 0, 5);
    rig_fill(in);
    *out = r.in[1] = *in;
    r.in[1].rank = 0;
    r.in[1].is_constant = draw(2);
    rig_fill(&r.in[1]);
    const bool gentle = draw(2);  // nothing before the axes that rows may run along
    for (uint32_t i = 0; i < in->rank; i++) {
      const bool none = gentle && i < 1;
      for (uint32_t k = 0; k < 2; k++) lists[k][i] = none ? 0 : (int32_t)draw(6) - 2;
      lists[2][i] = none || draw(2) ? 0 : (int32_t)draw(3);
      const int32_t length = lists[0][i] + lists[1][i] + (in->dims[i] - 1) * (1 + lists[2][i]) + 1;
      if (length < 1) lists[1][i] += 1 - length;
      out->dims[i] = larger(length, 1);
    }
    for (uint32_t i = 0; i < 3; i++) give_list(i, in->rank);
    if (rig_size(out) > RIG_BYTES) continue;
    for (uint32_t to = 0; to < rig_count(out); to++) rig_want(out, to, &r.in[1], 0);
    for (uint32_t from = 0; from < rig_count(in); from++) {
      bool inside = true;
      rig_split(in, from, at);
      for (uint32_t i = 0; i < in->rank; i++) {
        at[i] = lists[0][i] + at[i] * (1 + lists[2][i]);
        inside = inside && at[i] >= 0 && at[i] < out->dims[i];
      }
      if (inside) rig_want(out, rig_join(out, at), in, from);
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

// ---- numbers ------------------------------------------------------------------------------------

// Writes a number as an element; integers wrap.
static void put(rig_tensor *t, uint32_t i, double value) {
  const int64_t whole = (int64_t)value;
  const float real = (float)value;
  if (t->type == ARN_FLOAT32) memcpy(t->bytes + 4 * i, &real, sizeof real);
  else memcpy(t->bytes + i * rig_element(t), &whole, rig_element(t));
}

static double get(const rig_tensor *t, uint32_t i) {
  int64_t whole = 0;
  float real;
  const uint32_t bits = 8 * rig_element(t);
  memcpy(&real, t->bytes + i * rig_element(t), t->type == ARN_FLOAT32 ? 4 : 0);
  memcpy(&whole, t->bytes + i * rig_element(t), rig_element(t));
  if (t->type == ARN_FLOAT32) return (double)real;
  if (t->type == ARN_UINT8 || t->type == ARN_BOOL || bits == 64) return (double)whole;
  return (double)((int64_t)((uint64_t)whole << (64 - bits)) >> (64 - bits));
}

// Numbers that doubles hold.
static void draw_numbers(rig_tensor *t, int32_t most) {
  const bool is_unsigned = t->type == ARN_UINT8 || t->type == ARN_BOOL;
  if (most > 100 && rig_element(t) == 1) most = 100;
  if (t->type == ARN_BOOL) most = 1;
  for (uint32_t i = 0; i < rig_count(t); i++) {
    const int32_t x = (int32_t)draw(2 * (uint32_t)most + 1) - most;
    const int32_t whole = is_unsigned && x < 0 ? -x : x;
    put(t, i, t->type == ARN_FLOAT32 ? whole / 8.0 : whole);
  }
}

static void indices_are_counted(void **unused) {
  static const arn_type types[] = {ARN_FLOAT32, ARN_INT8, ARN_INT16, ARN_INT32, ARN_INT64};
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    int32_t at[ARN_MAX_RANK];
    begin(IOTA, ARN_OPTIONS2_STABLEHLO_IOTA, 0);
    rig_shape(out, 1, 5);
    out->type = types[draw(5)];
    const uint32_t axis = draw(out->rank);
    r.options[0] = axis;
    for (uint32_t to = 0; to < rig_count(out); to++) {
      rig_split(out, to, at);
      put(out, to, at[axis]);
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

static void values_are_clamped(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    begin(CLAMP, ARN_OPTIONS_NONE, 3);
    rig_shape(&r.in[1], 0, 5);
    if (r.in[1].type == ARN_BOOL) r.in[1].type = ARN_INT32;
    *out = r.in[0] = r.in[2] = r.in[1];
    for (uint32_t k = 0; k < 3; k++) {
      if (k != 1 && draw(2)) r.in[k].rank = 0;
      draw_numbers(&r.in[k], 1000);
    }
    for (uint32_t i = 0; i < rig_count(out); i++) {
      const double low = get(&r.in[0], r.in[0].rank ? i : 0);
      const double high = get(&r.in[2], r.in[2].rank ? i : 0);
      put(out, i, fmin(fmax(get(&r.in[1], i), low), high));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

static void remainders_have_the_dividends_sign(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    begin(REMAINDER, ARN_OPTIONS_NONE, 2);
    rig_shape(in, 0, 5);
    if (in->type == ARN_BOOL || in->type == ARN_UINT8) in->type = ARN_INT32;
    *out = r.in[1] = *in;
    draw_numbers(in, 1000);
    draw_numbers(&r.in[1], 20);
    for (uint32_t i = 0; i < rig_count(out); i++) {
      if (get(&r.in[1], i) == 0) put(&r.in[1], i, -7);
      put(out, i, fmod(get(in, i), get(&r.in[1], i)));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

// The lowest numbers divided by -1; a divisor of zero.
static void remainders_at_the_ends(void **unused) {
  static const arn_type types[] = {ARN_INT8, ARN_INT16, ARN_INT32, ARN_INT64};
  (void)unused;
  for (uint32_t k = 0; k < 4; k++) {
    begin(REMAINDER, ARN_OPTIONS_NONE, 2);
    in->type = types[k];
    in->rank = 1;
    in->dims[0] = 2;
    *out = r.in[1] = *in;
    memset(in->bytes, 0, 16);
    in->bytes[rig_element(in) - 1] = 0x80;
    put(in, 1, 5);
    put(&r.in[1], 0, -1);
    put(&r.in[1], 1, -3);
    put(out, 0, 0);
    put(out, 1, 2);
    (void)rig_check(&r);
    put(&r.in[1], 1, 0);
    rig_refuse(&r, ARN_ERR_DATA);
  }
}

static bool holds(uint32_t direction, double a, double b) {
  switch (direction) {
    case 0: return a == b;
    case 1: return a != b;
    case 2: return a >= b;
    case 3: return a > b;
    case 4: return a <= b;
    default: return a < b;
  }
}

static void values_are_compared(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < 2 * ROUNDS; round++) {
    begin(COMPARE, ARN_OPTIONS2_STABLEHLO_COMPARE, 2);
    rig_shape(in, 0, 5);
    const uint32_t direction = draw(in->type == ARN_BOOL ? 2 : 6);
    r.options[0] = direction;
    r.options[1] = in->type == ARN_FLOAT32 ? 1 : 0;
    if (rig_element(in) <= 2 && in->type != ARN_BOOL && draw(2)) {
      in->scale = 0.001f;
      in->zero = in->type == ARN_INT16 ? 0 : 3;
    }
    *out = r.in[1] = *in;
    out->type = ARN_BOOL;
    out->scale = 0.0f;
    draw_numbers(in, draw(2) ? 2 : 127);
    draw_numbers(&r.in[1], 2);
    for (uint32_t i = 0; i < rig_count(out); i++) {
      out->bytes[i] = holds(direction, get(in, i), get(&r.in[1], i));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

// ---- refusals -----------------------------------------------------------------------------------

// A node that runs: [3,4] of float, each option list of two numbers, as given.
static void begin_lists(int32_t code, int32_t options, const int32_t *numbers, uint32_t count) {
  begin(code, options, code == PAD ? 2 : 1);
  in->type = ARN_FLOAT32;
  in->rank = 2;
  in->dims[0] = 3;
  in->dims[1] = 4;
  *out = r.in[1] = *in;
  r.in[1].rank = 0;
  for (uint32_t i = 0; i < count; i++) {
    memcpy(lists[i], numbers + 2 * i, 2 * sizeof numbers[0]);
    give_list(i, 2);
  }
}

static void starts_with(arn_status want) {
  host_engine engine;
  size_t size;
  uint8_t *model = rig_model(&r, &size);
  const arn_status status = rig_start(&r, model, size, 0, &engine);
  if (status == ARN_OK) host_engine_close(&engine);
  free(model);
  assert_int_equal(status, want);
}

static void wrong_options_are_refused(void **unused) {
  static const int32_t slices[][6] = {{0, 0, 3, 4, 1, 1}, {-1, 0, 2, 4, 1, 1}, {0, 0, 3, 5, 1, 1},
                                      {2, 0, 1, 4, 1, 1}, {0, 0, 3, 4, 0, 1},  {0, 0, 3, 4, -1, 1}};
  static const int32_t pads[][6] = {{0, 0, 0, 0, 0, 0}, {1, 0, -1, 0, 0, 0},   {1, 0, 0, 0, 0, 0},
                                    {0, 0, 0, 0, -1, 0}, {0, 0, 0, 0, 0, 1000000},
                                    {INT32_MIN, 0, 0, 0, 0, 0}};
  static const int32_t orders[][2] = {{0, 1}, {0, 0}, {0, 2}, {-1, 0}, {1, 0}};
  (void)unused;
  for (uint32_t i = 0; i < 6; i++) {
    begin_lists(SLICE, ARN_OPTIONS2_STABLEHLO_SLICE, slices[i], 3);
    starts_with(i == 0 ? ARN_OK : ARN_ERR_MODEL);
    begin_lists(PAD, ARN_OPTIONS2_STABLEHLO_PAD, pads[i], 3);
    starts_with(i < 2 ? ARN_OK : ARN_ERR_MODEL);
  }
  for (uint32_t i = 0; i < 5; i++) {
    begin_lists(TRANSPOSE, ARN_OPTIONS2_STABLEHLO_TRANSPOSE, orders[i], 1);
    starts_with(i == 0 ? ARN_OK : ARN_ERR_MODEL);
    begin_lists(BROADCAST_IN_DIM, ARN_OPTIONS2_STABLEHLO_BROADCAST_IN_DIM, orders[i], 1);
    starts_with(i == 0 ? ARN_OK : ARN_ERR_MODEL);
    begin_lists(TRANSPOSE, ARN_OPTIONS2_STABLEHLO_TRANSPOSE, orders[0], 1);
    r.lists[0].count = i;
    starts_with(i == 2 ? ARN_OK : ARN_ERR_MODEL);
  }
}

static void nodes_without_options_are_refused(void **unused) {
  static const int32_t codes[] = {SLICE, TRANSPOSE, BROADCAST_IN_DIM};
  (void)unused;
  for (uint32_t i = 0; i < 3; i++) {
    begin_lists(codes[i], ARN_OPTIONS_NONE, NULL, 0);
    starts_with(ARN_ERR_MODEL);
  }
  for (int32_t axis = -1; axis < 3; axis++) {
    begin(IOTA, ARN_OPTIONS2_STABLEHLO_IOTA, 0);
    out->type = ARN_FLOAT32;
    out->rank = 2;
    out->dims[0] = out->dims[1] = 2;
    r.options[0] = axis;
    starts_with(axis == 0 || axis == 1 ? ARN_OK : ARN_ERR_MODEL);
  }
}

// Total order tells zeros apart; unsigned numbers need unsigned types.
static void comparisons_of_another_kind_are_refused(void **unused) {
  static const arn_status want[] = {ARN_OK, ARN_OK, ARN_ERR_UNSUPPORTED, ARN_OK,
                                    ARN_ERR_UNSUPPORTED};
  (void)unused;
  for (uint32_t how = 0; how < 5; how++) {
    begin_lists(COMPARE, ARN_OPTIONS2_STABLEHLO_COMPARE, NULL, 0);
    r.inputs = 2;
    r.in[1] = *in;
    out->type = ARN_BOOL;
    r.options[1] = how;
    starts_with(want[how]);
  }
  r.options[1] = 0;
  r.options[0] = 6;
  starts_with(ARN_ERR_MODEL);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(dimensions_are_exchanged),
      cmocka_unit_test(dimensions_are_repeated),
      cmocka_unit_test(parts_are_cut_out),
      cmocka_unit_test(blocks_are_cut_out),
      cmocka_unit_test(blocks_are_replaced),
      cmocka_unit_test(tensors_are_joined),
      cmocka_unit_test(elements_are_padded_and_cut_off),
      cmocka_unit_test(indices_are_counted),
      cmocka_unit_test(values_are_clamped),
      cmocka_unit_test(remainders_have_the_dividends_sign),
      cmocka_unit_test(remainders_at_the_ends),
      cmocka_unit_test(values_are_compared),
      cmocka_unit_test(wrong_options_are_refused),
      cmocka_unit_test(nodes_without_options_are_refused),
      cmocka_unit_test(comparisons_of_another_kind_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
