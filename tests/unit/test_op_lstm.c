// Variants of the float LSTM (coupled gates, peepholes, layer normalisation, projection, clips), in
// any combination, over several invocations, against the definition in double.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/check/rows_check.h"
#include "host/rewrite/builder.h"

enum { STEP = 16, SEQUENCE = 44, INPUTS = 24, MOST = 40 };
enum { INPUT, FORGET, CELL, OUTPUT, GATES };

typedef struct lstm {
  int32_t batches, steps, inputs, units, outputs;
  bool coupled, peepholes, normalised, projected, projection_bias, one_step;
  bool narrow;  // peepholes and projection are int8, of scale 2^-7
  bool half;    // biases are float16
  float cell_clip, projection_clip;
  float input[GATES][MOST * MOST], recurrent[GATES][MOST * MOST], projection[MOST * MOST];
  float bias[GATES][MOST], norm[GATES][MOST], peephole[GATES][MOST], bias_p[MOST];
} lstm;

static lstm l;
static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(seed >> 33) % below;
}

static void draw_values(float *x, int32_t count, float most) {
  for (int32_t i = 0; i < count; i++) x[i] = most * ((float)draw(2001) / 1000.0f - 1.0f);
}

// Rounds values to what int8 can hold.
static void make_narrow(float *x, int32_t count) {
  for (int32_t i = 0; i < count; i++) x[i] = fminf(roundf(x[i] * 128.0f), 127.0f) / 128.0f;
}

static void draw_lstm(void) {
  l.one_step = draw(4) == 0;
  l.batches = 1 + (int32_t)draw(3);
  l.steps = l.one_step ? 1 : 1 + (int32_t)draw(4);
  l.inputs = 1 + (int32_t)draw(20);
  l.units = 1 + (int32_t)draw(MOST);
  l.coupled = draw(2);
  l.peepholes = draw(2);
  l.normalised = draw(2);
  l.projected = draw(2);
  l.projection_bias = draw(2);
  l.outputs = l.projected ? 1 + (int32_t)draw(MOST) : l.units;
  l.cell_clip = draw(2) ? 0.5f : 0.0f;
  l.projection_clip = draw(2) ? 0.25f : 0.0f;
  for (uint32_t g = 0; g < GATES; g++) {
    draw_values(l.input[g], l.units * l.inputs, 0.5f);
    draw_values(l.recurrent[g], l.units * l.outputs, 0.3f);
    draw_values(l.bias[g], l.units, 0.5f);
    draw_values(l.norm[g], l.units, 1.0f);
    draw_values(l.peephole[g], l.units, 1.0f);
  }
  draw_values(l.projection, l.outputs * l.units, 0.5f);
  draw_values(l.bias_p, l.outputs, 0.2f);
  l.narrow = draw(2);
  l.half = draw(2);
  for (uint32_t g = 0; g < GATES && l.half; g++) make_narrow(l.bias[g], l.units);
  if (l.narrow) make_narrow(l.projection, l.outputs * l.units);
  for (uint32_t g = 0; g < GATES && l.narrow; g++) make_narrow(l.peephole[g], l.units);
}

// ---- the model ----------------------------------------------------------------------------------

static int32_t add(arn_builder *b, const int32_t *dims, uint32_t rank, const float *data,
                   bool is_variable) {
  arn_build_tensor t = {.name = "t", .type = ARN_FLOAT32, .rank = rank, .data = data,
                        .is_variable = is_variable, .data_bytes = data ? sizeof(float) : 0};
  for (uint32_t i = 0; i < rank; i++) {
    t.shape[i] = dims[i];
    t.data_bytes *= (size_t)dims[i];
  }
  return arn_builder_tensor(b, &t);
}

// The same as int8 where the node has narrow tensors.
static int32_t add_narrow(arn_builder *b, const int32_t *dims, uint32_t rank, const float *data) {
  static int8_t narrow[MOST * MOST];
  const float scale = 1.0f / 128.0f;
  const int64_t zero = 0;
  if (!l.narrow) return add(b, dims, rank, data, false);
  arn_build_tensor t = {.name = "t", .type = ARN_INT8, .rank = rank, .data = narrow,
                        .data_bytes = 1, .quant = {&scale, &zero, 1, 0}};
  for (uint32_t i = 0; i < rank; i++) {
    t.shape[i] = dims[i];
    t.data_bytes *= (size_t)dims[i];
  }
  for (size_t i = 0; i < t.data_bytes; i++) narrow[i] = (int8_t)(data[i] * 128.0f);
  return arn_builder_tensor(b, &t);
}

// Multiples of 2^-7 below 1 as float16: all have less than 11 bits.
static uint16_t half_of(float x) {
  uint16_t exponent = 15;
  float magnitude = fabsf(x);
  if (magnitude == 0.0f) return 0;
  for (; magnitude < 1.0f; magnitude *= 2.0f) exponent--;
  const uint16_t fraction = (uint16_t)((magnitude - 1.0f) * 1024.0f);
  return (uint16_t)((x < 0.0f ? 0x8000u : 0u) | (uint32_t)exponent << 10 | fraction);
}

static int32_t add_bias(arn_builder *b, const float *data) {
  uint16_t half[MOST];
  if (!l.half) return add(b, &l.units, 1, data, false);
  for (int32_t i = 0; i < l.units; i++) half[i] = half_of(data[i]);
  const arn_build_tensor t = {.name = "t", .type = ARN_FLOAT16, .rank = 1, .shape = {l.units},
                              .data = half, .data_bytes = 2 * (size_t)l.units};
  return arn_builder_tensor(b, &t);
}

static int32_t matrix(arn_builder *b, int32_t rows, int32_t columns, const float *data) {
  return add(b, (int32_t[]){rows, columns}, 2, data, data == NULL);
}

static void add_inputs(arn_builder *b, int32_t *in) {
  for (uint32_t i = 0; i < INPUTS; i++) in[i] = -1;
  for (uint32_t g = l.coupled ? 1 : 0; g < GATES; g++) {
    in[1 + g] = matrix(b, l.units, l.inputs, l.input[g]);
    in[5 + g] = matrix(b, l.units, l.outputs, l.recurrent[g]);
    in[12 + g] = add_bias(b, l.bias[g]);
    if (l.normalised) in[20 + g] = add(b, &l.units, 1, l.norm[g], false);
    const uint32_t peephole = 9 + g - (g == OUTPUT);
    if (l.peepholes && g != CELL) in[peephole] = add_narrow(b, &l.units, 1, l.peephole[g]);
  }
  const int32_t projection[] = {l.outputs, l.units};
  if (l.projected) in[16] = add_narrow(b, projection, 2, l.projection);
  if (l.projected && l.projection_bias) in[17] = add(b, &l.outputs, 1, l.bias_p, false);
  in[18] = matrix(b, l.batches, l.outputs, NULL);
  in[19] = matrix(b, l.batches, l.units, NULL);
}

static uint8_t *lstm_model(size_t *size) {
  int32_t in[INPUTS];
  uint8_t *bytes = NULL;
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  add_inputs(b, in);
  const int32_t x[] = {l.batches, l.steps, l.inputs}, y[] = {l.batches, l.steps, l.outputs};
  const int32_t one_x[] = {l.batches, l.inputs}, one_y[] = {l.batches, l.outputs};
  in[0] = l.one_step ? add(b, one_x, 2, NULL, false) : add(b, x, 3, NULL, false);
  const int32_t out = l.one_step ? add(b, one_y, 2, NULL, false) : add(b, y, 3, NULL, false);
  const arn_build_operator op = {
      .code = l.one_step ? STEP : SEQUENCE, .inputs = in, .input_count = INPUTS, .outputs = &out,
      .output_count = 1,
      .options = {.type = l.one_step ? ARN_OPTIONS_LSTM : ARN_OPTIONS_UNIDIRECTIONAL_SEQUENCE_LSTM,
                  .values = {4, (double)l.cell_clip, (double)l.projection_clip}}};  // 4: TANH
  arn_builder_operator(b, &op);
  arn_builder_io(b, in, 1, &out, 1);
  if (!arn_builder_finish(b, &bytes, size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  return bytes;
}

// ---- the definition -----------------------------------------------------------------------------

static double hidden[3][MOST], cell[3][MOST];

static double clipped(double x, float most) {
  return most > 0 ? fmin(fmax(x, -(double)most), (double)most) : x;
}

// Values of a gate; the output gate's peephole sees the new cell.
static void find_gate(uint32_t g, const float *x, const double *h, const double *c, double *out) {
  double mean = 0, variance = 0;
  for (int32_t u = 0; u < l.units; u++) {
    out[u] = l.normalised ? 0.0 : (double)l.bias[g][u];
    for (int32_t i = 0; i < l.inputs; i++) {
      out[u] += (double)l.input[g][u * l.inputs + i] * (double)x[i];
    }
    for (int32_t i = 0; i < l.outputs; i++) {
      out[u] += (double)l.recurrent[g][u * l.outputs + i] * h[i];
    }
    if (l.peepholes && g != CELL) out[u] += (double)l.peephole[g][u] * c[u];
    mean += out[u] / l.units;
  }
  for (int32_t u = 0; u < l.units; u++) variance += (out[u] - mean) * (out[u] - mean) / l.units;
  for (int32_t u = 0; u < l.units; u++) {
    const double normal = (out[u] - mean) / sqrt(variance + 1e-8);
    if (l.normalised) out[u] = normal * (double)l.norm[g][u] + (double)l.bias[g][u];
    out[u] = g == CELL ? tanh(out[u]) : 1.0 / (1.0 + exp(-out[u]));
  }
}

static void find_step(const float *x, double *h, double *c) {
  double gate[GATES][MOST];
  for (uint32_t g = INPUT; g < OUTPUT; g++) find_gate(g, x, h, c, gate[g]);
  for (int32_t u = 0; u < l.units; u++) {
    const double in = l.coupled ? 1.0 - gate[FORGET][u] : gate[INPUT][u];
    c[u] = clipped(gate[FORGET][u] * c[u] + in * gate[CELL][u], l.cell_clip);
  }
  find_gate(OUTPUT, x, h, c, gate[OUTPUT]);
  for (int32_t u = 0; u < l.units; u++) gate[OUTPUT][u] *= tanh(c[u]);
  for (int32_t o = 0; o < l.outputs; o++) {
    double sum = l.projection_bias ? (double)l.bias_p[o] : 0.0;
    for (int32_t u = 0; u < l.units; u++) {
      sum += (double)l.projection[o * l.units + u] * gate[OUTPUT][u];
    }
    h[o] = l.projected ? clipped(sum, l.projection_clip) : gate[OUTPUT][o];
  }
}

static void check_invocation(host_engine *engine) {
  static float x[3 * 4 * 20];
  const arn_tensor_view in = arn_input(&engine->nn, 0);
  draw_values(x, l.batches * l.steps * l.inputs, 1.0f);
  assert_int_equal(in.bytes, (size_t)(l.batches * l.steps * l.inputs) * sizeof *x);
  memcpy(in.data, x, in.bytes);
  assert_int_equal(arn_invoke(&engine->nn, NULL), ARN_OK);
  assert_true(host_engine_is_intact(engine));
  const float *got = arn_output(&engine->nn, 0).data;
  for (int32_t i = 0; i < l.batches * l.steps; i++) {
    const int32_t batch = i / l.steps;
    find_step(x + i * l.inputs, hidden[batch], cell[batch]);
    for (int32_t o = 0; o < l.outputs; o++) {
      assert_true(fabs((double)got[i * l.outputs + o] - hidden[batch][o]) < 2e-5);
    }
  }
}

static void variants_are_their_definition(void **unused) {
  (void)unused;
  for (uint32_t round = 0; round < 150; round++) {
    const host_options options = {.fill = HOST_FILL_RANDOM};
    host_engine engine;
    arn_error error = {0};
    size_t size;
    draw_lstm();
    memset(hidden, 0, sizeof hidden);
    memset(cell, 0, sizeof cell);
    uint8_t *model = lstm_model(&size);
    const arn_status status = host_engine_open(&engine, model, size, &options, &error);
    if (status != ARN_OK) fail_msg("%s", arn_what_text(error.what));
    check_invocation(&engine);
    check_invocation(&engine);
    host_engine_close(&engine);
    free(model);
  }
}

// The same node by rows gives the same bits as whole.
static void steps_may_be_apart(void **unused) {
  const host_options options = {.config = {.flags = ARN_KEEP_ALL}, .fill = HOST_FILL_RANDOM};
  (void)unused;
  for (uint32_t round = 0; round < 30; round++) {
    host_engine engine;
    size_t size;
    do draw_lstm();
    while (l.one_step);
    l.batches = 1;
    uint8_t *model = lstm_model(&size);
    assert_int_equal(host_engine_open(&engine, model, size, &options, NULL), ARN_OK);
    memset(hidden, 0, sizeof hidden);
    memset(cell, 0, sizeof cell);
    check_invocation(&engine);
    const host_rows_result rows = host_rows_check(&engine, 0, round);
    if (rows != HOST_ROWS_SAME && rows != HOST_ROWS_WHOLE && rows != HOST_ROWS_STATEFUL) {
      fail_msg("%s", host_rows_text(rows));
    }
    host_engine_close(&engine);
    free(model);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(variants_are_their_definition),
      cmocka_unit_test(steps_may_be_apart),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
