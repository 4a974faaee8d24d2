// Elementwise operators against their definitions: types and operators that the packs do not hold
// (uint8, int64, int16 comparisons, POW, ATAN2, shifts, the first SELECT), over random shapes that
// broadcast, planned and by rows; and what must be refused, or fail at run time.
#include "tests/unit/op_rig.h"

#include <math.h>

#include "src/kernels/fmath.h"
#include "src/kernels/requant.h"

enum { TRIALS = 60 };

static rig r;

// ---- drawing ------------------------------------------------------------------------------------

static void begin(int32_t code, uint32_t inputs) {
  memset(&r, 0, sizeof r);
  r.code = code;
  r.inputs = inputs;
  r.outputs = 1;
}

// An output shape, and inputs with some of its dimensions 1 and some leading ones left out.
static void draw_shapes(arn_type type, arn_type out_type) {
  rig_shape(&r.out[0], 0, 6);
  r.out[0].type = out_type;
  for (uint32_t i = 0; i < r.inputs; i++) {
    const uint32_t skip = i > 0 && draw(3) == 0 ? draw(r.out[0].rank + 1) : 0;
    const bool whole = i == 0 || draw(2) == 0;
    r.in[i].type = type;
    r.in[i].rank = r.out[0].rank - skip;
    r.in[i].is_constant = i > 0 && draw(3) == 0;
    for (uint32_t k = 0; k < r.in[i].rank; k++) {
      r.in[i].dims[k] = whole || draw(2) ? r.out[0].dims[k + skip] : 1;
    }
  }
}

// The element of an input that belongs to element `flat` of the output.
static uint32_t source_of(const rig_tensor *in, uint32_t flat) {
  int32_t at[ARN_MAX_RANK], own[ARN_MAX_RANK];
  const uint32_t skip = r.out[0].rank - in->rank;
  rig_split(&r.out[0], flat, at);
  for (uint32_t k = 0; k < in->rank; k++) own[k] = in->dims[k] == 1 ? 0 : at[k + skip];
  return rig_join(in, own);
}

static int64_t get(const rig_tensor *t, uint32_t i) {
  int64_t value = 0;
  memcpy(&value, t->bytes + i * rig_element(t), rig_element(t));
  switch (t->type) {
    case ARN_INT8: return (int8_t)value;
    case ARN_INT16: return (int16_t)value;
    case ARN_INT32: return (int32_t)value;
    default: return value;
  }
}

static void put(rig_tensor *t, uint32_t i, int64_t value) {
  memcpy(t->bytes + i * rig_element(t), &value, rig_element(t));
}

static float get_f32(const rig_tensor *t, uint32_t i) {
  float value;
  memcpy(&value, t->bytes + i * sizeof value, sizeof value);
  return value;
}

static void put_f32(rig_tensor *t, uint32_t i, float value) {
  memcpy(t->bytes + i * sizeof value, &value, sizeof value);
}

// Fills an input with integers: small ones, or any.
static void fill(rig_tensor *t, bool small) {
  rig_fill(t);
  for (uint32_t i = 0; i < rig_count(t) && small; i++) put(t, i, (int64_t)draw(9) - 4);
}

// ---- integers as they are -----------------------------------------------------------------------

typedef int64_t rule(int64_t a, int64_t b);

static int64_t add(int64_t a, int64_t b) { return (int64_t)((uint64_t)a + (uint64_t)b); }
static int64_t subtract(int64_t a, int64_t b) { return (int64_t)((uint64_t)a - (uint64_t)b); }
static int64_t multiply(int64_t a, int64_t b) { return (int64_t)((uint64_t)a * (uint64_t)b); }
static int64_t greater_of(int64_t a, int64_t b) { return a > b ? a : b; }
static int64_t smaller_of(int64_t a, int64_t b) { return a < b ? a : b; }
static int64_t exclusive_or(int64_t a, int64_t b) { return a ^ b; }

static int64_t square_of_difference(int64_t a, int64_t b) {
  const uint64_t difference = (uint64_t)a - (uint64_t)b;
  return (int64_t)(difference * difference);
}

static int64_t floor_quotient(int64_t a, int64_t b) {
  if (b == -1) return subtract(0, a);
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static int64_t floor_rest(int64_t a, int64_t b) {
  return b == -1 ? 0 : subtract(a, multiply(floor_quotient(a, b), b));
}

static int64_t power(int64_t a, int64_t b) {
  int64_t result = 1;
  for (int64_t i = 0; i < b; i++) result = multiply(result, a);
  return result;
}

// What an operator on integers is: its rule, and what its second input may hold.
typedef struct integer_op {
  int32_t code;
  rule *rule;
  uint32_t types;
  bool has_zero, has_negative;
} integer_op;

#define BIT(type) ARN_TYPE_BIT(ARN_##type)

static const integer_op integer_ops[] = {
    {0, add, BIT(INT32) | BIT(INT64), true, true},
    {41, subtract, BIT(INT32) | BIT(INT64), true, true},
    {18, multiply, BIT(INT32) | BIT(INT64), true, true},
    {99, square_of_difference, BIT(INT32), true, true},
    {90, floor_quotient, BIT(INT8) | BIT(INT16) | BIT(INT32) | BIT(INT64), false, true},
    {95, floor_rest, BIT(INT8) | BIT(INT16) | BIT(INT32) | BIT(INT64), false, true},
    {78, power, BIT(INT32), true, false},
    {55, greater_of, BIT(INT8) | BIT(UINT8) | BIT(INT16) | BIT(INT32) | BIT(INT64), true, true},
    {57, smaller_of, BIT(INT8) | BIT(UINT8) | BIT(INT16) | BIT(INT32) | BIT(INT64), true, true},
    {160, exclusive_or,
     BIT(INT8) | BIT(UINT8) | BIT(INT16) | BIT(UINT16) | BIT(INT32) | BIT(UINT32), true, true},
};

static arn_type draw_type(uint32_t types) {
  for (;;) {
    const uint32_t type = draw(18);
    if (types >> type & 1) return (arn_type)type;
  }
}

static void integer_trial(const integer_op *op, rig_tally *tally) {
  const arn_type type = draw_type(op->types);
  begin(op->code, 2);
  draw_shapes(type, type);
  const bool small = draw(2);
  fill(&r.in[0], small);
  fill(&r.in[1], small || op->code == 78);
  for (uint32_t i = 0; i < rig_count(&r.in[1]); i++) {
    const int64_t value = get(&r.in[1], i);
    if (value == 0 && !op->has_zero) put(&r.in[1], i, 3);
    if (value < 0 && !op->has_negative) put(&r.in[1], i, -value);
  }
  for (uint32_t i = 0; i < rig_count(&r.out[0]); i++) {
    const int64_t a = get(&r.in[0], source_of(&r.in[0], i));
    put(&r.out[0], i, op->rule(a, get(&r.in[1], source_of(&r.in[1], i))));
  }
  rig_tally_check(tally, &r);
}

static void integers_follow_their_rule(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < sizeof integer_ops / sizeof integer_ops[0]; i++) {
    for (uint32_t n = 0; n < TRIALS; n++) integer_trial(&integer_ops[i], &tally);
  }
  assert_true(tally.by_rows > tally.whole / 8);
}

static void shifts_are_arithmetic_and_clamped(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t n = 0; n < 4 * TRIALS; n++) {
    const arn_type type = draw_type(BIT(INT8) | BIT(UINT8) | BIT(INT16) | BIT(UINT16) |
                                    BIT(INT32) | BIT(UINT32));
    begin(161, 2);
    draw_shapes(type, type);
    fill(&r.in[0], false);
    fill(&r.in[1], draw(2));
    const int64_t most = 8 * rig_element(&r.in[0]) - 1;
    for (uint32_t i = 0; i < rig_count(&r.out[0]); i++) {
      const int64_t by = get(&r.in[1], source_of(&r.in[1], i));
      const int64_t shift = by < 0 ? 0 : by > most ? most : by;
      put(&r.out[0], i, get(&r.in[0], source_of(&r.in[0], i)) >> shift);
    }
    rig_tally_check(&tally, &r);
  }
}

// The bounds of fused activations apply to int64 as well; ADD of int32 has none (see the packs).
static void activations_bound_integers(void **unused) {
  static const int32_t codes[] = {41, 18, 0};
  static const int32_t options[] = {ARN_OPTIONS_SUB, ARN_OPTIONS_MUL, ARN_OPTIONS_ADD};
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t n = 0; n < 3 * TRIALS; n++) {
    const uint32_t op = n % 3, activation = draw(4);
    const arn_type type = op == 2 || draw(2) ? ARN_INT64 : ARN_INT32;
    begin(codes[op], 2);
    r.options_type = options[op];
    r.options[0] = activation;
    draw_shapes(type, type);
    fill(&r.in[0], true);
    fill(&r.in[1], true);
    const int64_t low = activation == 0 ? INT64_MIN : activation == 2 ? -1 : 0;
    const int64_t high = activation == 2 ? 1 : activation == 3 ? 6 : INT64_MAX;
    for (uint32_t i = 0; i < rig_count(&r.out[0]); i++) {
      const int64_t a = get(&r.in[0], source_of(&r.in[0], i));
      const int64_t b = get(&r.in[1], source_of(&r.in[1], i));
      const int64_t x = op == 0 ? a - b : op == 1 ? a * b : a + b;
      put(&r.out[0], i, x < low ? low : x > high ? high : x);
    }
    rig_tally_check(&tally, &r);
  }
}

// ---- comparisons, logic, choice -----------------------------------------------------------------

static bool holds(int32_t code, int64_t a, int64_t b) {
  switch (code) {
    case 71: return a == b;
    case 72: return a != b;
    case 61: return a > b;
    case 62: return a >= b;
    case 58: return a < b;
    default: return a <= b;
  }
}

// int16 of one scale and of scales 4 apart; integers as they are; bool.
static void comparisons_hold(void **unused) {
  static const int32_t codes[] = {71, 72, 61, 62, 58, 63};
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t n = 0; n < 12 * TRIALS; n++) {
    const int32_t code = codes[n % 6];
    const uint32_t bools = n % 6 < 2 ? BIT(BOOL) : 0;
    const arn_type type = draw_type(BIT(INT16) | BIT(INT32) | BIT(INT64) | bools);
    begin(code, 2);
    draw_shapes(type, ARN_BOOL);
    fill(&r.in[0], type != ARN_BOOL && draw(3) > 0);
    fill(&r.in[1], type != ARN_BOOL && draw(3) > 0);
    const int64_t times = draw(2) ? 4 : 1;
    if (type == ARN_INT16) {
      r.in[0].scale = 0.001f * (float)times;
      r.in[1].scale = 0.001f;
      r.in[0].zero = 3;
    }
    for (uint32_t i = 0; i < rig_count(&r.out[0]); i++) {
      int64_t a = get(&r.in[0], source_of(&r.in[0], i));
      if (type == ARN_INT16) a = (a - 3) * times;
      put(&r.out[0], i, holds(code, a, get(&r.in[1], source_of(&r.in[1], i))));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > tally.whole / 8);
}

// A bool is any byte; what comes out is 0 or 1.
static void any_byte_but_zero_is_true(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t n = 0; n < 2 * TRIALS; n++) {
    const bool is_and = draw(2);
    begin(is_and ? 86 : 84, 2);
    draw_shapes(ARN_BOOL, ARN_BOOL);
    for (uint32_t i = 0; i < 2; i++) {
      for (uint32_t k = 0; k < rig_count(&r.in[i]); k++) put(&r.in[i], k, draw(3) * 85);
    }
    for (uint32_t i = 0; i < rig_count(&r.out[0]); i++) {
      const bool a = get(&r.in[0], source_of(&r.in[0], i)) != 0;
      const bool b = get(&r.in[1], source_of(&r.in[1], i)) != 0;
      put(&r.out[0], i, is_and ? a && b : a || b);
    }
    rig_tally_check(&tally, &r);
  }
}

// SELECT_V2 broadcasts; the condition of SELECT may be a scalar, or go along the first dimension.
static void select_chooses(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t n = 0; n < 4 * TRIALS; n++) {
    const bool first = draw(2), vector = draw(2);
    const uint32_t types = BIT(INT8) | BIT(FLOAT16) | BIT(UINT32) | BIT(INT64) | BIT(BOOL);
    const arn_type type = draw_type(types);
    begin(first ? 64 : 123, 3);
    draw_shapes(type, type);
    for (uint32_t i = 1; i < 3 && first; i++) {
      r.in[i].rank = r.out[0].rank;
      memcpy(r.in[i].dims, r.out[0].dims, sizeof r.in[i].dims);
    }
    r.in[0].type = ARN_BOOL;
    if (first && draw(3) > 0) r.in[0].rank = vector && r.out[0].rank > 0 ? 1 : 0;
    for (uint32_t i = 0; i < 3; i++) rig_fill(&r.in[i]);
    const bool along_first = first && r.in[0].rank == 1;
    for (uint32_t i = 0; i < rig_count(&r.out[0]); i++) {
      int32_t at[ARN_MAX_RANK];
      rig_split(&r.out[0], i, at);
      const uint32_t which = along_first ? (uint32_t)at[0] : source_of(&r.in[0], i);
      const rig_tensor *from = get(&r.in[0], which) ? &r.in[1] : &r.in[2];
      rig_want(&r.out[0], i, from, source_of(from, i));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > tally.whole / 8);
}

// ---- quantised ----------------------------------------------------------------------------------

static float draw_scale(float least, float most) {
  return least + (most - least) * (float)draw(10000) / 10000.0f;
}

static void quantise(rig_tensor *t, bool is_s16) {
  const int64_t low = t->type == ARN_INT8 ? -128 : 0;
  t->scale = is_s16 ? draw_scale(0.0001f, 0.001f) : draw_scale(0.01f, 0.1f);
  t->zero = is_s16 ? 0 : low + draw(256);
}

static int64_t saturate(const rig_tensor *out, int64_t value) {
  const int64_t low = out->type == ARN_INT8 ? -128 : out->type == ARN_UINT8 ? 0 : -32768;
  const int64_t high = out->type == ARN_INT8 ? 127 : out->type == ARN_UINT8 ? 255 : 32767;
  value += out->zero;
  return value < low ? low : value > high ? high : value;
}

// a + b or a - b, as docs/numerics.md has it: SUB derives its multipliers in float.
static int64_t quantised_sum(int64_t a, int64_t b, bool is_sum) {
  const int32_t shift = r.out[0].type == ARN_INT16 ? 15 : 20;
  const float scale[] = {r.in[0].scale, r.in[1].scale, r.out[0].scale};
  const float most = scale[0] > scale[1] ? scale[0] : scale[1], twice_f32 = 2.0f * most;
  const double twice = 2.0 * (double)most;
  double real[3];
  for (uint32_t i = 0; i < 2; i++) {
    real[i] = is_sum ? (double)scale[i] / twice : (double)(scale[i] / twice_f32);
  }
  real[2] = is_sum ? twice / ((double)(1 << shift) * (double)scale[2])
                   : (double)(twice_f32 / ((float)(1 << shift) * scale[2]));
  const int32_t x = arn__requantise((int32_t)a * (1 << shift), arn__requant_of(real[0]));
  const int32_t y = arn__requantise((int32_t)b * (1 << shift), arn__requant_of(real[1]));
  return arn__requantise(is_sum ? x + y : x - y, arn__requant_of(real[2]));
}

static int64_t quantised_product(int64_t a, int64_t b) {
  const double real = (double)r.in[0].scale * (double)r.in[1].scale / (double)r.out[0].scale;
  return arn__requantise((int32_t)(a * b), arn__requant_of(real));
}

static int64_t quantised_prelu(int64_t a, int64_t alpha) {
  const double up = (double)r.in[0].scale / (double)r.out[0].scale;
  const double down = (double)r.in[0].scale * (double)r.in[1].scale / (double)r.out[0].scale;
  return a >= 0 ? arn__requantise((int32_t)a, arn__requant_of(up))
                : arn__requantise((int32_t)(a * alpha), arn__requant_of(down));
}

static int64_t quantised(int32_t code, int64_t a, int64_t b) {
  if (code == 18) return quantised_product(a, b);
  if (code == 54) return quantised_prelu(a, b);
  return quantised_sum(a, b, code == 0);
}

static void quantised_numbers_are_requantised(void **unused) {
  static const int32_t codes[] = {0, 41, 18, 54};
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t n = 0; n < 8 * TRIALS; n++) {
    const int32_t code = codes[n % 4];
    const arn_type type = draw_type(BIT(INT8) | BIT(UINT8) | BIT(INT16));
    begin(code, 2);
    draw_shapes(type, type);
    if (code == 54 && type == ARN_INT16) r.in[1].type = ARN_INT8;
    for (uint32_t i = 0; i < 2; i++) {
      quantise(&r.in[i], r.in[i].type == ARN_INT16);
      rig_fill(&r.in[i]);
    }
    quantise(&r.out[0], type == ARN_INT16);
    for (uint32_t i = 0; i < rig_count(&r.out[0]); i++) {
      const int64_t a = get(&r.in[0], source_of(&r.in[0], i)) - r.in[0].zero;
      const int64_t b = get(&r.in[1], source_of(&r.in[1], i)) - r.in[1].zero;
      put(&r.out[0], i, saturate(&r.out[0], quantised(code, a, b)));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > tally.whole / 8);
}

// ---- floats -------------------------------------------------------------------------------------

// Accuracy is another test's; here, every element gets its own angle, special ones the library's.
static float angle_of(float y, float x) {
  return arn__fmath_has_angle(y, x) ? arn__fmath_atan2(y, x) : atan2f(y, x);
}

static void powers_and_angles_are_those_of_the_functions(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t n = 0; n < 2 * TRIALS; n++) {
    const bool is_power = draw(2);
    begin(is_power ? 78 : 156, 2);
    draw_shapes(ARN_FLOAT32, ARN_FLOAT32);
    for (uint32_t i = 0; i < 2; i++) {
      for (uint32_t k = 0; k < rig_count(&r.in[i]); k++) {
        const float value = (float)draw(2001) / 100.0f;
        put_f32(&r.in[i], k, is_power && i == 0 ? value : value - 10.0f);
      }
    }
    for (uint32_t i = 0; i < rig_count(&r.out[0]); i++) {
      const float a = get_f32(&r.in[0], source_of(&r.in[0], i));
      const float b = get_f32(&r.in[1], source_of(&r.in[1], i));
      put_f32(&r.out[0], i, is_power ? powf(a, b) : angle_of(a, b));
    }
    rig_tally_check(&tally, &r);
  }
}

// ---- many inputs, and shapes --------------------------------------------------------------------

static void add_n_sums_all(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t n = 0; n < 2 * TRIALS; n++) {
    begin(106, 2 + draw(RIG_TENSORS - 1));
    rig_shape(&r.out[0], 1, 5);
    r.out[0].type = draw(2) ? ARN_INT32 : ARN_FLOAT32;
    const bool is_float = r.out[0].type == ARN_FLOAT32;
    for (uint32_t i = 0; i < r.inputs; i++) {
      r.in[i] = r.out[0];
      r.in[i].is_constant = draw(4) == 0 && i > 0;
      for (uint32_t k = 0; k < rig_count(&r.in[i]); k++) {
        const int32_t value = (int32_t)draw(2001) - 1000;  // sums of such floats are exact
        if (is_float) put_f32(&r.in[i], k, (float)value);
        if (!is_float) put(&r.in[i], k, value * 1000003);
      }
    }
    for (uint32_t k = 0; k < rig_count(&r.out[0]); k++) {
      int64_t sum = 0;
      float sum_f32 = 0.0f;
      for (uint32_t i = 0; i < r.inputs && !is_float; i++) sum += get(&r.in[i], k);
      for (uint32_t i = 0; i < r.inputs && is_float; i++) sum_f32 += get_f32(&r.in[i], k);
      if (is_float) put_f32(&r.out[0], k, sum_f32);
      if (!is_float) put(&r.out[0], k, sum);
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > tally.whole / 8);
}

static void broadcast_to_repeats(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t n = 0; n < 3 * TRIALS; n++) {
    begin(130, 2);
    do {
      draw_shapes(ARN_INT8, ARN_INT8);
    } while (r.out[0].rank == 0);  // whose shape would be an empty tensor
    r.in[0] = r.in[1];  // the one that is repeated
    r.in[0].is_constant = false;
    r.in[0].type = r.out[0].type = draw_type(BIT(INT8) | BIT(INT16) | BIT(FLOAT32) | BIT(INT64));
    rig_fill(&r.in[0]);
    for (uint32_t i = 0; i < rig_count(&r.out[0]); i++) {
      rig_want(&r.out[0], i, &r.in[0], source_of(&r.in[0], i));
    }
    rig_index(&r.in[1], r.out[0].dims, r.out[0].rank, draw(2));
    rig_tally_check(&tally, &r);
    put(&r.in[1], 0, r.out[0].dims[0] + 1);
    rig_refuse(&r, r.in[1].is_constant ? ARN_ERR_MODEL : ARN_ERR_DATA);
  }
  assert_true(tally.by_rows > tally.whole / 8);
}

static void broadcast_args_meet(void **unused) {
  const int32_t a[] = {5, 1, 3}, b[] = {4, 3}, c[] = {5, 4, 3};
  (void)unused;
  for (uint32_t n = 0; n < TRIALS; n++) {
    const uint32_t swap = draw(2);
    begin(145, 2);
    rig_index(&r.in[swap], a, 3, draw(2));
    rig_index(&r.in[swap ^ 1], b, 2, draw(2));
    rig_index(&r.out[0], c, 3, false);
    const bool same = r.in[0].type == r.in[1].type && r.out[0].type == r.in[0].type;
    if (!same) {
      rig_refuse(&r, ARN_ERR_MODEL);
      continue;
    }
    rig_check(&r);
    put(&r.in[swap ^ 1], 1, 7);  // against 3
    rig_refuse(&r, ARN_ERR_DATA);
  }
}

// ---- what is refused ----------------------------------------------------------------------------

static void begin_pair(int32_t code, arn_type type) {
  begin(code, 2);
  const rig_tensor t = {.type = type, .rank = 3, .dims = {1, 4, 2}};
  r.in[0] = r.in[1] = r.out[0] = t;
}

static void zero_divisors_and_negative_powers_fail(void **unused) {
  static const int32_t codes[] = {42, 90, 95, 78};
  (void)unused;
  for (uint32_t i = 0; i < 4; i++) {
    begin_pair(codes[i], ARN_INT32);
    for (uint32_t k = 0; k < 8; k++) put(&r.in[1], k, 1);
    put(&r.in[1], 7, codes[i] == 78 ? -1 : 0);
    rig_refuse(&r, ARN_ERR_DATA);
  }
  begin_pair(42, ARN_INT8);
  r.in[0].scale = r.in[1].scale = r.out[0].scale = 0.1f;
  rig_refuse(&r, ARN_ERR_DATA);  // all bytes are the zero point
}

static void types_and_shapes_that_differ_are_refused(void **unused) {
  static const int32_t codes[] = {0, 41, 18, 42, 55, 57, 71, 58, 99};
  (void)unused;
  for (uint32_t i = 0; i < sizeof codes / sizeof codes[0]; i++) {
    begin_pair(codes[i], ARN_FLOAT32);
    if (codes[i] == 71 || codes[i] == 58) r.out[0].type = ARN_BOOL;
    r.in[1].type = ARN_INT32;
    rig_refuse(&r, ARN_ERR_MODEL);
    r.in[1].type = ARN_FLOAT32;
    r.in[1].dims[1] = 3;
    rig_refuse(&r, ARN_ERR_MODEL);
    r.in[1].dims[1] = 4;
    r.out[0].dims[2] = 4;
    rig_refuse(&r, ARN_ERR_MODEL);
    r.out[0].dims[2] = 2;
    r.out[0].type = ARN_INT64;
    rig_refuse(&r, ARN_ERR_MODEL);
  }
}

static void quantisation_that_cannot_be_right_is_refused(void **unused) {
  (void)unused;
  begin_pair(0, ARN_INT8);  // no scales
  rig_refuse(&r, ARN_ERR_UNSUPPORTED);
  begin_pair(0, ARN_INT32);  // scales on numbers that are taken as they are
  r.in[0].scale = 0.5f;
  rig_refuse(&r, ARN_ERR_UNSUPPORTED);
  begin_pair(18, ARN_INT16);  // a zero point that would overflow
  r.in[0].scale = r.in[1].scale = r.out[0].scale = 0.001f;
  r.in[1].zero = 5;
  rig_refuse(&r, ARN_ERR_UNSUPPORTED);
  begin_pair(55, ARN_INT8);  // the larger number need not be the larger value
  r.in[0].scale = r.out[0].scale = 0.5f;
  r.in[1].scale = 0.25f;
  rig_refuse(&r, ARN_ERR_UNSUPPORTED);
  begin_pair(0, ARN_INT8);  // an output 2^-20 of what the inputs are
  r.in[0].scale = r.in[1].scale = 1.0f;
  r.out[0].scale = 1e-7f;
  rig_refuse(&r, ARN_ERR_UNSUPPORTED);
  begin_pair(0, ARN_FLOAT32);  // an activation that is not a bound
  r.options_type = ARN_OPTIONS_ADD;
  r.options[0] = 4;
  rig_refuse(&r, ARN_ERR_UNSUPPORTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(integers_follow_their_rule),
      cmocka_unit_test(shifts_are_arithmetic_and_clamped),
      cmocka_unit_test(activations_bound_integers),
      cmocka_unit_test(comparisons_hold),
      cmocka_unit_test(any_byte_but_zero_is_true),
      cmocka_unit_test(select_chooses),
      cmocka_unit_test(quantised_numbers_are_requantised),
      cmocka_unit_test(powers_and_angles_are_those_of_the_functions),
      cmocka_unit_test(add_n_sums_all),
      cmocka_unit_test(broadcast_to_repeats),
      cmocka_unit_test(broadcast_args_meet),
      cmocka_unit_test(zero_divisors_and_negative_powers_fail),
      cmocka_unit_test(types_and_shapes_that_differ_are_refused),
      cmocka_unit_test(quantisation_that_cannot_be_right_is_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
