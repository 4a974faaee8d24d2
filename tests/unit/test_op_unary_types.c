// Unary operators on the types that the packs do not hold: uint8 (whose results must be those of
// int8 with the highest bit flipped), casts and requantisations between all types, and constants
// that are dequantised by channel, from int4 and from float16. Over random shapes, planned and by
// rows; large ones go through tables, their single rows do not.
#include "tests/unit/op_rig.h"

#include <math.h>

#include "src/kernels/requant.h"

enum { TRIALS = 40 };

static rig r;

static void begin(int32_t code, arn_type in, arn_type out) {
  memset(&r, 0, sizeof r);
  r.code = code;
  r.inputs = 1;
  r.outputs = 1;
  rig_shape(&r.in[0], 1, 5);
  if (draw(4) == 0) {  // large enough for a table
    r.in[0].rank = 3;
    r.in[0].dims[0] = 1;
    r.in[0].dims[1] = 20 + (int32_t)draw(20);
    r.in[0].dims[2] = 30 + (int32_t)draw(60);
  }
  r.in[0].type = in;
  r.out[0] = r.in[0];
  r.out[0].type = out;
  rig_fill(&r.in[0]);
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

static float draw_scale(void) {
  return ldexpf(1.0f + (float)draw(1000) / 1000.0f, -(int)draw(8) - 3);
}

// ---- uint8 --------------------------------------------------------------------------------------

typedef struct unary {
  int32_t code;
  float scale;     // of the output, which the operator demands; 0: any
  int64_t zero;
  int32_t options_type;
  double option;
} unary;

static const unary unaries[] = {
    {.code = 19}, {.code = 20}, {.code = 152}, {.code = 111}, {.code = 47}, {.code = 73},
    {.code = 101}, {.code = 59},
    {.code = 117},
    {.code = 98, .options_type = ARN_OPTIONS_LEAKY_RELU, .option = 0.2},
    {.code = 150, .options_type = ARN_OPTIONS_GELU, .option = 0},
    {.code = 150, .options_type = ARN_OPTIONS_GELU, .option = 1},
    {.code = 14, .scale = 1.0f / 256.0f, .zero = -128},
    {.code = 28, .scale = 1.0f / 128.0f, .zero = 0},
    {.code = 25, .scale = 1.0f / 256.0f, .zero = -128, .options_type = ARN_OPTIONS_SOFTMAX,
     .option = 1},
    {.code = 50, .scale = 1.0f / 16.0f, .zero = 127},
};

// Runs the rig's node once and takes the output as what is wanted.
static void learn(void) {
  host_engine engine;
  size_t size;
  uint8_t *model = rig_model(&r, &size);
  assert_int_equal(rig_start(&r, model, size, 0, &engine), ARN_OK);
  const arn_tensor_view view = arn_output(&engine.nn, 0);
  memcpy(r.out[0].bytes, view.data, view.bytes);
  host_engine_close(&engine);
  free(model);
}

static void flip(rig_tensor *t) {
  t->type = ARN_UINT8;
  t->zero += 128;
  for (uint32_t i = 0; i < rig_count(t); i++) t->bytes[i] ^= 0x80u;
}

static void uint8_is_int8_flipped(void **state) {
  rig_tally tally = {0, 0};
  (void)state;
  for (uint32_t n = 0; n < TRIALS * sizeof unaries / sizeof unaries[0]; n++) {
    const unary *u = &unaries[n % (sizeof unaries / sizeof unaries[0])];
    begin(u->code, ARN_INT8, ARN_INT8);
    r.options_type = u->options_type;
    r.options[0] = u->option;
    r.in[0].scale = draw_scale();
    r.in[0].zero = (int64_t)draw(256) - 128;
    r.out[0].scale = u->scale;
    r.out[0].zero = u->zero;
    if (u->scale == 0.0f) {
      r.out[0].scale = r.in[0].scale * (0.5f + (float)draw(100) / 100.0f);
      r.out[0].zero = (int64_t)draw(256) - 128;
    }
    learn();
    flip(&r.in[0]);
    flip(&r.out[0]);
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS && tally.whole > TRIALS);
}

// ---- CAST, QUANTIZE -----------------------------------------------------------------------------

static const arn_type integers[] = {ARN_BOOL,   ARN_INT8,  ARN_UINT8,  ARN_INT16, ARN_UINT16,
                                    ARN_INT32,  ARN_UINT32, ARN_INT64, ARN_UINT64};

// A value of `type`, as int64 (uint64: its bits).
static int64_t wrapped(int64_t value, arn_type type) {
  switch (type) {
    case ARN_BOOL: return value != 0;
    case ARN_INT8: return (int8_t)value;
    case ARN_UINT8: return (uint8_t)value;
    case ARN_INT16: return (int16_t)value;
    case ARN_UINT16: return (uint16_t)value;
    case ARN_INT32: return (int32_t)value;
    case ARN_UINT32: return (uint32_t)value;
    default: return value;
  }
}

static void casts_keep_values(void **state) {
  rig_tally tally = {0, 0};
  (void)state;
  for (uint32_t n = 0; n < 9 * TRIALS; n++) {
    const arn_type in = integers[draw(9)], out = draw(4) ? integers[draw(9)] : ARN_FLOAT32;
    begin(53, in, out);
    for (uint32_t i = 0; i < rig_count(&r.in[0]); i++) {
      const int64_t value = wrapped(get(&r.in[0], i), in);
      const float real = in == ARN_UINT64 ? (float)(uint64_t)value : (float)value;
      if (out == ARN_FLOAT32) {
        memcpy(r.out[0].bytes + 4 * i, &real, sizeof real);
      } else {
        put(&r.out[0], i, wrapped(value, out));
      }
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS && tally.whole > TRIALS);
}

static int64_t bounded(int64_t x, arn_type type) {
  static const int64_t most[] = {[ARN_INT8] = 127, [ARN_UINT8] = 255, [ARN_INT16] = 32767,
                                 [ARN_INT32] = INT32_MAX};
  const int64_t least = type == ARN_UINT8 ? 0 : -most[type] - 1;
  return x < least ? least : x > most[type] ? most[type] : x;
}

static void any_quantisation_becomes_any_other(void **state) {
  static const arn_type types[] = {ARN_INT8, ARN_UINT8, ARN_INT16, ARN_INT32};
  rig_tally tally = {0, 0};
  (void)state;
  for (uint32_t n = 0; n < 16 * TRIALS; n++) {
    begin(114, types[draw(4)], types[draw(4)]);
    const bool same = draw(4) == 0;
    r.in[0].scale = draw_scale();
    r.out[0].scale = same ? r.in[0].scale : draw_scale();
    r.in[0].zero = bounded((int64_t)draw(400) - 200, r.in[0].type);
    r.out[0].zero = same ? bounded(r.in[0].zero - 128, r.out[0].type)
                         : bounded((int64_t)draw(400) - 200, r.out[0].type);
    const arn__requant scale = arn__requant_of((double)r.in[0].scale / (double)r.out[0].scale);
    for (uint32_t i = 0; i < rig_count(&r.in[0]); i++) {
      if (r.in[0].type == ARN_INT32) put(&r.in[0], i, (int64_t)draw(2000000) - 1000000);
      const int32_t x = (int32_t)(get(&r.in[0], i) - r.in[0].zero);
      put(&r.out[0], i, bounded(arn__requantise(x, scale) + r.out[0].zero, r.out[0].type));
    }
    rig_tally_check(&tally, &r);
  }
  assert_true(tally.by_rows > TRIALS && tally.whole > TRIALS);
}

// ---- DEQUANTIZE ---------------------------------------------------------------------------------

// Builds DEQUANTIZE of a constant, runs it, and compares with `want`.
static void check_constant(const arn_build_tensor *constant, const float *want, uint32_t count) {
  arn_build_tensor result = {.name = "out", .type = ARN_FLOAT32, .rank = constant->rank};
  host_engine engine;
  uint8_t *model = NULL;
  size_t size;
  memcpy(result.shape, constant->shape, sizeof result.shape);
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  const int32_t in = arn_builder_tensor(b, constant), out = arn_builder_tensor(b, &result);
  const arn_build_operator node = {.code = ARN_BUILTIN_DEQUANTIZE, .version = 1, .inputs = &in,
                                   .input_count = 1, .outputs = &out, .output_count = 1};
  arn_builder_operator(b, &node);
  arn_builder_io(b, NULL, 0, &out, 1);
  if (!arn_builder_finish(b, &model, &size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  memset(&r, 0, sizeof r);
  assert_int_equal(rig_start(&r, model, size, ARN_KEEP_ALL, &engine), ARN_OK);
  const arn_tensor_view view = arn_output(&engine.nn, 0);
  assert_int_equal(view.bytes, 4 * count);
  assert_memory_equal(view.data, want, view.bytes);
  const host_rows_result rows = host_rows_check(&engine, 0, 1);
  assert_true(rows == HOST_ROWS_SAME || rows == HOST_ROWS_WHOLE);
  host_engine_close(&engine);
  free(model);
}

static void channels_have_their_own_scales(void **state) {
  (void)state;
  for (uint32_t n = 0; n < 4 * TRIALS; n++) {
    int8_t values[3 * 4 * 5 * 6];
    float scales[6], want[3 * 4 * 5 * 6];
    int64_t zeros[6];
    const bool packed = draw(2);
    arn_build_tensor t = {.name = "in", .type = packed ? ARN_INT4 : ARN_INT8, .rank = 4};
    uint32_t count = 1, inner = 1;
    for (uint32_t k = 0; k < 4; k++) {
      t.shape[k] = k == 0 && draw(2) ? 1 : 1 + (int32_t)draw(3 + k);
      count *= (uint32_t)t.shape[k];
    }
    const uint32_t axis = draw(4), channels = (uint32_t)t.shape[axis];
    for (uint32_t k = axis + 1; k < 4; k++) inner *= (uint32_t)t.shape[k];
    for (uint32_t c = 0; c < channels; c++) {
      scales[c] = draw_scale();
      zeros[c] = packed ? 0 : (int64_t)draw(20) - 10;
    }
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t c = i / inner % channels;
      values[i] = (int8_t)(packed ? (int32_t)draw(16) - 8 : (int32_t)draw(256) - 128);
      want[i] = scales[c] * (float)(values[i] - zeros[c]);
    }
    if (packed) {
      uint8_t nibbles[sizeof values];
      for (uint32_t i = 0; i < count; i++) nibbles[i] = (uint8_t)values[i] & 15u;
      for (uint32_t i = 0; i < (count + 1) / 2; i++) {
        const uint8_t high = 2 * i + 1 < count ? nibbles[2 * i + 1] : 0;
        values[i] = (int8_t)(uint8_t)(nibbles[2 * i] | high << 4);
      }
    }
    t.data = values;
    t.data_bytes = packed ? (count + 1) / 2 : count;
    t.quant = (arn_build_quant){scales, zeros, channels, (int32_t)axis};
    check_constant(&t, want, count);
  }
}

static void halves_become_floats(void **state) {
  static uint16_t halves[65536];
  static float want[65536];
  (void)state;
  for (uint32_t i = 0; i < 65536; i++) {
    const int exponent = (int)(i >> 10 & 31), fraction = (int)(i & 1023);
    const int mantissa = exponent ? fraction + 1024 : fraction;
    float x = ldexpf((float)mantissa, (exponent ? exponent : 1) - 25);
    if (exponent == 31) x = fraction ? 0.0f : INFINITY;
    halves[i] = (uint16_t)(exponent == 31 && fraction ? 0 : i);  // NaNs have no one reading
    want[i] = i >> 15 && halves[i] ? -x : x;
  }
  const arn_build_tensor t = {.name = "in", .type = ARN_FLOAT16, .rank = 3,
                              .shape = {1, 256, 256}, .data = halves, .data_bytes = sizeof halves};
  check_constant(&t, want, 65536);
}

// ---- refusals -----------------------------------------------------------------------------------

static void refuses_what_it_cannot_compute(void **state) {
  (void)state;
  begin(14, ARN_INT8, ARN_INT8);  // LOGISTIC to any but 1/256
  r.in[0].scale = 0.1f;
  r.out[0].scale = 0.01f;
  r.out[0].zero = -128;
  rig_refuse(&r, ARN_ERR_UNSUPPORTED);
  r.out[0].scale = 1.0f / 256.0f;
  r.out[0].zero = 0;
  rig_refuse(&r, ARN_ERR_UNSUPPORTED);
  begin(117, ARN_INT8, ARN_INT8);  // HARD_SWISH to a scale far below the input's
  r.in[0].scale = 1.0f;
  r.out[0].scale = 0.001f;
  rig_refuse(&r, ARN_ERR_UNSUPPORTED);
  begin(76, ARN_INT8, ARN_INT8);  // RSQRT of a negative value: known at run time only
  r.in[0].scale = r.out[0].scale = 0.1f;
  r.in[0].zero = 0;
  r.in[0].bytes[0] = 0xFF;
  rig_refuse(&r, ARN_ERR_DATA);
  begin(19, ARN_INT8, ARN_INT16);
  r.in[0].scale = r.out[0].scale = 0.1f;
  rig_refuse(&r, ARN_ERR_UNSUPPORTED);
  begin(6, ARN_INT8, ARN_FLOAT32);  // DEQUANTIZE without a scale
  rig_refuse(&r, ARN_ERR_UNSUPPORTED);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(uint8_is_int8_flipped),
      cmocka_unit_test(casts_keep_values),
      cmocka_unit_test(any_quantisation_becomes_any_other),
      cmocka_unit_test(channels_have_their_own_scales),
      cmocka_unit_test(halves_become_floats),
      cmocka_unit_test(refuses_what_it_cannot_compute),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
