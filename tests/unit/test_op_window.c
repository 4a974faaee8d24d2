// REDUCE_WINDOW, STABLEHLO_REDUCE_WINDOW and STABLEHLO_REDUCE against their definitions: every
// place of the window is looked at, in the padded and dilated input, one after the other.
#include "tests/unit/op_rig.h"

enum { STABLEHLO_REDUCE = 174, STABLEHLO_REDUCE_WINDOW = 198, REDUCE_WINDOW = 205, ROUNDS = 300 };
enum { ADD = 1, MULTIPLY, MINIMUM, MAXIMUM, ALL, ANY };

static rig r;
static rig_tensor *const in = &r.in[0], *const initial = &r.in[1], *const out = &r.out[0];
static int32_t taps[ARN_MAX_RANK], strides[ARN_MAX_RANK], bases[ARN_MAX_RANK];
static int32_t dilations[ARN_MAX_RANK], padding[2 * ARN_MAX_RANK];

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

// ---- numbers ------------------------------------------------------------------------------------

// A number of any type: integers are whole.
typedef struct number {
  int64_t whole;
  float real;
} number;

static number get(const rig_tensor *t, uint32_t i) {
  number n = {0, 0.0f};
  const uint32_t bytes = rig_element(t);
  memcpy(&n.real, t->bytes + i * bytes, t->type == ARN_FLOAT32 ? 4 : 0);
  memcpy(&n.whole, t->bytes + i * bytes, bytes);
  if (t->type == ARN_INT8) n.whole = (int8_t)n.whole;
  if (t->type == ARN_INT16) n.whole = (int16_t)n.whole;
  if (t->type == ARN_INT32) n.whole = (int32_t)n.whole;
  return n;
}

static void put(rig_tensor *t, uint32_t i, number n) {
  const void *bytes = t->type == ARN_FLOAT32 ? (const void *)&n.real : (const void *)&n.whole;
  memcpy(t->bytes + i * rig_element(t), bytes, rig_element(t));
}

static number combine(uint32_t how, number a, number b) {
  switch (how) {
    case ADD: return (number){(int64_t)((uint64_t)a.whole + (uint64_t)b.whole), a.real + b.real};
    case MULTIPLY:
      return (number){(int64_t)((uint64_t)a.whole * (uint64_t)b.whole), a.real * b.real};
    case MINIMUM:
      return (number){a.whole < b.whole ? a.whole : b.whole, a.real < b.real ? a.real : b.real};
    case MAXIMUM:
      return (number){a.whole > b.whole ? a.whole : b.whole, a.real > b.real ? a.real : b.real};
    case ALL: return (number){a.whole && b.whole, 0.0f};
    default: return (number){a.whole || b.whole, 0.0f};
  }
}

// Real numbers whose sums, and whose products, are exact.
static void fill(rig_tensor *t, uint32_t how) {
  static const float factors[] = {0.5f, -1.0f, 1.0f, 2.0f, -0.5f};
  rig_fill(t);
  for (uint32_t i = 0; i < rig_count(t) && t->type == ARN_FLOAT32; i++) {
    const float sum = (float)((int32_t)draw(200) - 100) / 8.0f;
    put(t, i, (number){0, how == MULTIPLY ? factors[draw(5)] : sum});
  }
}

// Draws a computation, and shapes of input and initial value.
static uint32_t draw_reduction(void) {
  const uint32_t how = 1 + draw(4);
  rig_shape(in, 1, 5);
  initial->type = in->type;
  initial->rank = 0;
  initial->is_constant = draw(2);
  fill(in, how);
  fill(initial, how);
  return in->type == ARN_BOOL ? ALL + how % 2 : how;
}

static void draw_initial_neutral(uint32_t how) {
  if (draw(2) == 0) return;
  if (how == ADD) put(initial, 0, (number){0, 0.0f});
  if (how == MULTIPLY) put(initial, 0, (number){1, 1.0f});
}

// The computation as subgraph 1, of builtin operators or those of StableHLO.
static void give_body(uint32_t how) {
  static const int32_t codes[][2] = {{0, 163},  {18, 165}, {57, 181},
                                     {55, 166}, {86, 176}, {84, 183}};
  r.body = 2;
  r.body_code = codes[how - 1][draw(2)];
}

// ---- windows ------------------------------------------------------------------------------------

// Draws windows that leave an output; where `plain`, of elements only.
static void draw_windows(bool plain) {
  *out = *in;
  for (uint32_t i = 0; i < in->rank; i++) {
    const bool nothing = draw(3) == 0 || (i == 0 && draw(4) > 0);
    taps[i] = nothing ? 1 : 1 + (int32_t)draw(3);
    strides[i] = nothing ? 1 : 1 + (int32_t)draw(3);
    dilations[i] = nothing ? 1 : 1 + (int32_t)draw(3);
    bases[i] = nothing || plain || draw(2) ? 1 : 1 + (int32_t)draw(3);
    for (uint32_t k = 2 * i; k < 2 * i + 2; k++) {
      padding[k] = nothing || plain || draw(2) ? 0 : (int32_t)draw(6) - 2;
    }
    int32_t reach = (taps[i] - 1) * dilations[i] + 1;
    const int32_t length = (in->dims[i] - 1) * bases[i] + 1 + padding[2 * i] + padding[2 * i + 1];
    if (length < reach && plain) taps[i] = reach = 1;
    if (length < reach) padding[2 * i + 1] += reach - length;
    out->dims[i] = length < reach ? 1 : (length - reach) / strides[i] + 1;
  }
}

// What tap (at) of the window of output (o) sees; false: a place without an element.
static bool element_at(const int32_t *o, const int32_t *at, int32_t *from) {
  for (uint32_t i = 0; i < in->rank; i++) {
    const int32_t place = o[i] * strides[i] + at[i] * dilations[i] - padding[2 * i];
    if (place < 0 || place % bases[i] != 0 || place / bases[i] >= in->dims[i]) return false;
    from[i] = place / bases[i];
  }
  return true;
}

static void want_windows(uint32_t how) {
  rig_tensor window = {.type = in->type, .rank = in->rank};
  int32_t o[ARN_MAX_RANK], at[ARN_MAX_RANK], from[ARN_MAX_RANK];
  memcpy(window.dims, taps, sizeof taps);
  for (uint32_t to = 0; to < rig_count(out); to++) {
    number sum = get(initial, 0);
    rig_split(out, to, o);
    for (uint32_t k = 0; k < rig_count(&window); k++) {
      rig_split(&window, k, at);
      const bool is_there = element_at(o, at, from);
      sum = combine(how, sum, is_there ? get(in, rig_join(in, from)) : get(initial, 0));
    }
    put(out, to, sum);
  }
}

static void give_index(uint32_t input, const int32_t *numbers) {
  rig_index(&r.in[input], numbers, in->rank, true);
}

static void windows_of_elements(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < ROUNDS; round++) {
    begin(REDUCE_WINDOW, ARN_OPTIONS2_REDUCE_WINDOW, 5);
    const uint32_t how = draw_reduction();
    r.options[0] = how;
    memset(padding, 0, sizeof padding);
    draw_windows(true);
    give_index(2, taps);
    give_index(3, strides);
    give_index(4, dilations);
    want_windows(how);
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

static void give_lists(void) {
  const uint32_t rank = in->rank;
  const arn_build_list lists[] = {{taps, rank}, {strides, rank}, {bases, rank},
                                  {dilations, rank}, {padding, 2 * rank}};
  memcpy(r.lists, lists, sizeof lists);
  r.options[0] = 1;
}

static void windows_of_padded_and_dilated_inputs(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < 4 * ROUNDS; round++) {
    begin(STABLEHLO_REDUCE_WINDOW, ARN_OPTIONS2_STABLEHLO_REDUCE_WINDOW, 2);
    const uint32_t how = draw_reduction();
    draw_initial_neutral(how);
    give_body(how);
    draw_windows(draw(4) == 0);
    give_lists();
    want_windows(how);
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
}

// ---- whole axes ---------------------------------------------------------------------------------

static void axes_are_reduced_from_a_value_on(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t round = 0; round < 2 * ROUNDS; round++) {
    int32_t at[ARN_MAX_RANK], left[ARN_MAX_RANK];
    uint32_t count = 0, kept = 0;
    begin(STABLEHLO_REDUCE, ARN_OPTIONS2_STABLEHLO_REDUCE, 2);
    const uint32_t how = draw_reduction(), mask = draw(1u << in->rank);
    give_body(how);
    *out = *in;
    for (uint32_t i = 0; i < in->rank; i++) {
      if (mask >> i & 1u) taps[count++] = (int32_t)i;
      else out->dims[kept++] = in->dims[i];
    }
    out->rank = kept;
    r.lists[0] = (arn_build_list){taps, count};
    r.options[0] = 1;
    for (uint32_t i = 0; i < rig_count(out); i++) put(out, i, get(initial, 0));
    for (uint32_t i = 0; i < rig_count(in); i++) {
      rig_split(in, i, at);
      uint32_t k = 0;
      for (uint32_t axis = 0; axis < in->rank; axis++) {
        if (!(mask >> axis & 1u)) left[k++] = at[axis];
      }
      const uint32_t to = rig_join(out, left);
      put(out, to, combine(how, get(out, to), get(in, i)));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > ROUNDS / 10);
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

// A window of 2 over 4 elements, of sums.
static void begin_window(void) {
  begin(STABLEHLO_REDUCE_WINDOW, ARN_OPTIONS2_STABLEHLO_REDUCE_WINDOW, 2);
  in->type = initial->type = ARN_FLOAT32;
  in->rank = 1;
  in->dims[0] = 4;
  initial->rank = 0;
  *out = *in;
  out->dims[0] = 3;
  taps[0] = 2;
  strides[0] = bases[0] = dilations[0] = 1;
  padding[0] = padding[1] = 0;
  give_lists();
  r.body = 2;
  r.body_code = 163;
}

static void other_computations_are_refused(void **unused) {
  static const int32_t codes[] = {163, 164, 188, 86, 59};
  (void)unused;
  for (uint32_t i = 0; i < 5; i++) {
    begin_window();
    r.body_code = codes[i];
    assert_int_equal(status_of(), i == 0 ? ARN_OK : ARN_ERR_UNSUPPORTED);
  }
  begin_window();
  r.body = 1;
  assert_int_equal(status_of(), ARN_ERR_UNSUPPORTED);
  begin_window();
  r.body = 0;
  assert_int_equal(status_of(), ARN_ERR_MODEL);
  begin_window();
  r.options[0] = 0;  // the model itself
  assert_true(status_of() < 0);
}

// Sizes that do not come to the output's, and windows that would see more than can be counted.
static void impossible_windows_are_refused(void **unused) {
  int32_t *const numbers[] = {taps, strides, bases, dilations, padding};
  static const int32_t bad[] = {0, 3, -1, INT32_MAX, INT32_MIN, 1 << 30};
  (void)unused;
  for (uint32_t i = 0; i < 5; i++) {
    for (uint32_t k = 0; k < 6; k++) {
      begin_window();
      if (i == 4 && bad[k] == 0) continue;
      *numbers[i] = bad[k];
      assert_true(status_of() < 0);
    }
  }
  begin_window();
  taps[0] = 1 << 20;
  padding[0] = 1 << 20;
  out->dims[0] = 5;
  assert_int_equal(status_of(), ARN_ERR_UNSUPPORTED);
}

static void unknown_functions_are_refused(void **unused) {
  (void)unused;
  for (int32_t function = -1; function < 9; function++) {
    begin(REDUCE_WINDOW, ARN_OPTIONS2_REDUCE_WINDOW, 5);
    in->type = initial->type = ARN_FLOAT32;
    in->rank = 1;
    in->dims[0] = 4;
    initial->rank = 0;
    *out = *in;
    r.options[0] = function;
    taps[0] = 1;
    for (uint32_t i = 2; i < 5; i++) give_index(i, taps);
    const arn_status want = function < 1 || function > 6 ? ARN_ERR_MODEL
                            : function > 4               ? ARN_ERR_UNSUPPORTED
                                                         : ARN_OK;
    assert_int_equal(status_of(), want);
  }
}

// Sums of quantised values would need a scale of their own.
static void quantised_sums_are_refused(void **unused) {
  (void)unused;
  for (uint32_t how = ADD; how <= MAXIMUM; how++) {
    begin_window();
    in->type = initial->type = out->type = ARN_INT8;
    in->scale = initial->scale = out->scale = 0.5f;
    give_body(how);
    assert_int_equal(status_of(), how < MINIMUM ? ARN_ERR_UNSUPPORTED : ARN_OK);
    initial->scale = 0.25f;
    assert_int_equal(status_of(), ARN_ERR_UNSUPPORTED);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(windows_of_elements),
      cmocka_unit_test(windows_of_padded_and_dilated_inputs),
      cmocka_unit_test(axes_are_reduced_from_a_value_on),
      cmocka_unit_test(other_computations_are_refused),
      cmocka_unit_test(impossible_windows_are_refused),
      cmocka_unit_test(unknown_functions_are_refused),
      cmocka_unit_test(quantised_sums_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
