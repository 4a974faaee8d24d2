// Operators with a memory: what the packs can't show. RNNs (absent from the packs) against their
// definition; layers over narrow weights against the same layers over the floats they stand for; a
// sequence against its steps, one invocation each; variants that must be refused.
//
// Values are small integers and scales powers of two: sums are exact in any order, except in an
// LSTM.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/check/engine.h"
#include "host/rewrite/builder.h"

enum { STEP_LSTM = 16, RNN = 24, SVDF = 27, SEQUENCE_RNN = 35, LSTM = 44, BIDIRECTIONAL_RNN = 46 };
enum { BIDIRECTIONAL = 52 };
enum { MOST = 4096, NODE_INPUTS = 48 };

static uint64_t seed = 1;

static uint32_t draw(uint32_t below) {
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(seed >> 33) % below;
}

// ---- models of one node -------------------------------------------------------------------------

typedef struct node {
  arn_builder *builder;
  int32_t inputs[NODE_INPUTS];
  uint32_t input_count;
  int32_t given, result;
  int32_t second;  // result, where there are two; else 0
  arn_build_options options;
} node;

static node begin(void) {
  node n = {.builder = arn_builder_new()};
  for (uint32_t i = 0; i < NODE_INPUTS; i++) n.inputs[i] = -1;
  arn_builder_subgraph(n.builder, "main");
  return n;
}

// A tensor of up to three dimensions, 0 for "no more"; quantised where scale > 0.
typedef struct shape {
  arn_type type;
  int32_t dims[3];
  float scale;
  int64_t zero;
} shape;

static uint32_t count_of(const shape *s) {
  uint32_t count = 1;
  for (uint32_t i = 0; i < 3 && s->dims[i]; i++) count *= (uint32_t)s->dims[i];
  return count;
}

static int32_t add(node *n, const shape *s, const void *data, bool is_variable) {
  arn_build_tensor t = {.name = "t", .type = s->type, .data = data, .is_variable = is_variable};
  while (t.rank < 3 && s->dims[t.rank]) t.rank++;
  memcpy(t.shape, s->dims, sizeof s->dims);
  if (data) t.data_bytes = count_of(s) * arn_type_bytes(s->type);
  if (s->scale > 0) t.quant = (arn_build_quant){&s->scale, &s->zero, 1, 0};
  return arn_builder_tensor(n->builder, &t);
}

static void set_input(node *n, uint32_t i, const shape *s, const void *data, bool is_variable) {
  n->inputs[i] = add(n, s, data, is_variable);
  if (n->input_count <= i) n->input_count = i + 1;
}

static uint8_t *finish(node *n, int32_t code, size_t *size) {
  uint8_t *bytes = NULL;
  const int32_t results[] = {n->result, n->second};
  const uint32_t count = n->second ? 2 : 1;
  const arn_build_operator op = {.code = code, .inputs = n->inputs, .input_count = n->input_count,
                                 .outputs = results, .output_count = count,
                                 .options = n->options};
  arn_builder_operator(n->builder, &op);
  arn_builder_io(n->builder, &n->given, 1, results, count);
  if (!arn_builder_finish(n->builder, &bytes, size)) fail_msg("%s", arn_builder_error(n->builder));
  arn_builder_free(n->builder);
  return bytes;
}

typedef struct engine {
  host_engine e;
  uint8_t *model;
} engine;

static arn_status start(engine *n, uint8_t *model, size_t size) {
  const host_options options = {.fill = HOST_FILL_RANDOM};
  arn_error error = {0};
  n->model = model;
  return host_engine_open(&n->e, model, size, &options, &error);
}

static const void *invoke(engine *n, const void *in, size_t bytes) {
  const arn_tensor_view view = arn_input(&n->e.nn, 0);
  arn_error error = {0};
  assert_int_equal(view.bytes, bytes);
  memcpy(view.data, in, bytes);
  assert_int_equal(arn_invoke(&n->e.nn, &error), ARN_OK);
  assert_true(host_engine_is_intact(&n->e));
  return arn_output(&n->e.nn, 0).data;
}

static void end(engine *n) {
  host_engine_close(&n->e);
  free(n->model);
}

// ---- weights ------------------------------------------------------------------------------------

// The same weights as floats, as int8 with a scale of 2^-places, and as float16.
typedef struct weights {
  int32_t places;
  float real[MOST];
  int8_t integer[MOST];
  uint16_t half[MOST];
} weights;

// value * 2^-places with |value| < 16
static uint16_t half_of(int32_t value, int32_t places) {
  const uint32_t magnitude = (uint32_t)abs(value);
  uint32_t exponent = 0;
  if (magnitude == 0) return 0;
  while (magnitude >> (exponent + 1)) exponent++;
  return (uint16_t)((value < 0 ? 0x8000u : 0u) | (exponent + 15 - (uint32_t)places) << 10 |
                    (magnitude << (10 - exponent) & 1023));
}

static void draw_weights(weights *w, int32_t count, int32_t places) {
  assert_true(count <= MOST);
  w->places = places;
  for (int32_t i = 0; i < count; i++) {
    const int32_t value = (int32_t)draw(31) - 15;
    w->real[i] = ldexpf((float)value, -places);
    w->integer[i] = (int8_t)value;
    w->half[i] = half_of(value, places);
  }
}

static void set_weights(node *n, uint32_t input, arn_type type, int32_t rows, int32_t columns,
                        const weights *w) {
  const float scale = type == ARN_INT8 ? ldexpf(1.0f, -w->places) : 0.0f;
  const shape s = {type, {rows, columns, 0}, scale, 0};
  const void *data = type == ARN_INT8      ? (const void *)w->integer
                     : type == ARN_FLOAT16 ? (const void *)w->half
                                           : (const void *)w->real;
  set_input(n, input, &s, data, false);
}

static void draw_values(float *x, int32_t count) {
  for (int32_t i = 0; i < count; i++) x[i] = (float)((int32_t)draw(9) - 4);
}

// ---- RNN ----------------------------------------------------------------------------------------

typedef struct rnn {
  int32_t batches, steps, inputs, units;
  bool time_major, sequence;
  weights input, recurrent;
  float bias[64];
} rnn;

static void draw_rnn(rnn *r) {
  r->sequence = draw(3) > 0;
  r->time_major = r->sequence && draw(2);
  r->batches = 1 + (int32_t)draw(3);
  r->steps = r->sequence ? 1 + (int32_t)draw(4) : 1;
  r->inputs = 1 + (int32_t)draw(40);
  r->units = 1 + (int32_t)draw(40);
  draw_weights(&r->input, r->inputs * r->units, 0);
  draw_weights(&r->recurrent, r->units * r->units, 0);
  draw_values(r->bias, r->units);
}

static shape rnn_shape(const rnn *r, int32_t last) {
  if (!r->sequence) return (shape){ARN_FLOAT32, {r->batches, last, 0}, 0, 0};
  if (r->time_major) return (shape){ARN_FLOAT32, {r->steps, r->batches, last}, 0, 0};
  return (shape){ARN_FLOAT32, {r->batches, r->steps, last}, 0, 0};
}

static uint8_t *rnn_model(const rnn *r, arn_type type, size_t *size) {
  node n = begin();
  const shape in = rnn_shape(r, r->inputs), out = rnn_shape(r, r->units);
  const shape bias = {ARN_FLOAT32, {r->units, 0, 0}, 0, 0};
  const shape hidden = {ARN_FLOAT32, {r->batches, r->units, 0}, 0, 0};
  set_input(&n, 0, &in, NULL, false);
  n.given = n.inputs[0];
  set_weights(&n, 1, type, r->units, r->inputs, &r->input);
  set_weights(&n, 2, type, r->units, r->units, &r->recurrent);
  set_input(&n, 3, &bias, r->bias, false);
  set_input(&n, 4, &hidden, NULL, true);
  n.result = add(&n, &out, NULL, false);
  n.options.type = r->sequence ? ARN_OPTIONS_SEQUENCE_RNN : ARN_OPTIONS_RNN;
  n.options.values[0] = r->sequence ? r->time_major : 3;  // RELU6
  n.options.values[1] = r->sequence ? 3 : 0;
  return finish(&n, r->sequence ? SEQUENCE_RNN : RNN, size);
}

// One step of a batch; h holds its state, and then its output.
static void rnn_step(const rnn *r, const float *x, float *h) {
  float next[64];
  for (int32_t u = 0; u < r->units; u++) {
    float sum = r->bias[u];
    for (int32_t i = 0; i < r->inputs; i++) sum += x[i] * r->input.real[u * r->inputs + i];
    for (int32_t i = 0; i < r->units; i++) sum += h[i] * r->recurrent.real[u * r->units + i];
    next[u] = sum < 0 ? 0 : sum > 6 ? 6 : sum;
  }
  memcpy(h, next, (size_t)r->units * sizeof *h);
}

static void check_rnn(const rnn *r, engine *n, float *states) {
  float x[4 * 3 * 40];
  const int32_t count = r->batches * r->steps;
  draw_values(x, count * r->inputs);
  const float *got = invoke(n, x, (size_t)(count * r->inputs) * sizeof *x);
  for (int32_t b = 0; b < r->batches; b++) {
    for (int32_t s = 0; s < r->steps; s++) {
      const int32_t at = r->time_major ? s * r->batches + b : b * r->steps + s;
      rnn_step(r, x + at * r->inputs, states + b * r->units);
      assert_memory_equal(got + at * r->units, states + b * r->units,
                          (size_t)r->units * sizeof *got);
    }
  }
}

static void rnns_are_their_definition(void **unused) {
  static const arn_type types[] = {ARN_FLOAT32, ARN_INT8, ARN_FLOAT16};
  static rnn r;
  (void)unused;
  for (uint32_t round = 0; round < 100; round++) {
    float states[3 * 40] = {0};
    engine n;
    size_t size;
    draw_rnn(&r);
    uint8_t *model = rnn_model(&r, types[draw(3)], &size);
    assert_int_equal(start(&n, model, size), ARN_OK);
    check_rnn(&r, &n, states);
    check_rnn(&r, &n, states);
    end(&n);
  }
}

// Two layers over one sequence, the second one from its end.
static uint8_t *bidirectional_rnn_model(const rnn *r, const rnn *back, bool merged, size_t *size) {
  node n = begin();
  const shape in = rnn_shape(r, r->inputs);
  const shape out = rnn_shape(r, r->units + (merged ? back->units : 0));
  const shape second = rnn_shape(r, back->units);
  set_input(&n, 0, &in, NULL, false);
  n.given = n.inputs[0];
  for (uint32_t i = 0; i < 2; i++) {
    const rnn *layer = i == 0 ? r : back;
    const shape bias = {ARN_FLOAT32, {layer->units, 0, 0}, 0, 0};
    const shape hidden = {ARN_FLOAT32, {r->batches, layer->units, 0}, 0, 0};
    set_weights(&n, 1 + 4 * i, ARN_FLOAT32, layer->units, r->inputs, &layer->input);
    set_weights(&n, 2 + 4 * i, ARN_FLOAT32, layer->units, layer->units, &layer->recurrent);
    set_input(&n, 3 + 4 * i, &bias, layer->bias, false);
    set_input(&n, 4 + 4 * i, &hidden, NULL, true);
  }
  n.input_count = 12;
  n.result = add(&n, &out, NULL, false);
  if (!merged) n.second = add(&n, &second, NULL, false);
  n.options = (arn_build_options){.type = ARN_OPTIONS_BIDIRECTIONAL_SEQUENCE_RNN,
                                  .values = {r->time_major, 3, merged}};
  return finish(&n, BIDIRECTIONAL_RNN, size);
}

static void check_bidirectional_rnn(const rnn *r, const rnn *back, bool merged, engine *n) {
  float x[4 * 3 * 40], forward[40], backward[40];
  draw_values(x, r->batches * r->steps * r->inputs);
  const float *got = invoke(n, x, (size_t)(r->batches * r->steps * r->inputs) * sizeof *x);
  const float *got_back = merged ? got + r->units : arn_output(&n->e.nn, 1).data;
  const int32_t step = r->units + (merged ? back->units : 0);
  const int32_t step_back = merged ? step : back->units;
  for (int32_t b = 0; b < r->batches; b++) {
    memset(forward, 0, sizeof forward);
    memset(backward, 0, sizeof backward);
    for (int32_t i = 0; i < r->steps; i++) {
      const int32_t last = r->steps - 1 - i;
      const int32_t at = r->time_major ? i * r->batches + b : b * r->steps + i;
      const int32_t at_back = r->time_major ? last * r->batches + b : b * r->steps + last;
      rnn_step(r, x + at * r->inputs, forward);
      rnn_step(back, x + at_back * r->inputs, backward);
      assert_memory_equal(got + at * step, forward, (size_t)r->units * sizeof *got);
      assert_memory_equal(got_back + at_back * step_back, backward,
                          (size_t)back->units * sizeof *got);
    }
  }
}

static void rnns_run_in_both_directions(void **unused) {
  static rnn r, back;
  (void)unused;
  for (uint32_t round = 0; round < 60; round++) {
    engine n;
    size_t size;
    const bool merged = draw(2);
    do draw_rnn(&r);
    while (!r.sequence);
    do draw_rnn(&back);
    while (back.inputs != r.inputs);
    uint8_t *model = bidirectional_rnn_model(&r, &back, merged, &size);
    assert_int_equal(start(&n, model, size), ARN_OK);
    check_bidirectional_rnn(&r, &back, merged, &n);
    end(&n);
  }
}

// ---- LSTM ---------------------------------------------------------------------------------------

typedef struct lstm {
  int32_t steps, inputs, units;
  weights layers[8];
  float bias[4][64];
  int32_t extra;  // an input that makes a variant of it; 0: none
  bool fixed_state, no_input_gate;
} lstm;

static void draw_lstm(lstm *l) {
  memset(l, 0, sizeof *l);
  l->steps = 1 + (int32_t)draw(4);
  l->inputs = 1 + (int32_t)draw(32);
  l->units = 1 + (int32_t)draw(32);
  for (int32_t i = 0; i < 8; i++) {
    draw_weights(&l->layers[i], l->units * (i < 4 ? l->inputs : l->units), 6);
  }
  for (int32_t i = 0; i < 4; i++) draw_values(l->bias[i], l->units);
}

// Weights, biases and states of a direction, of a bidirectional LSTM as of a plain one.
static void set_direction(node *n, const lstm *l, arn_type type, uint32_t first,
                          uint32_t states) {
  const shape state = {ARN_FLOAT32, {1, l->units, 0}, 0, 0};
  const shape vector = {ARN_FLOAT32, {l->units, 0, 0}, 0, 0};
  for (uint32_t i = l->no_input_gate ? 1 : 0; i < 8; i++) {
    const int32_t columns = i < 4 ? l->inputs : l->units;
    set_weights(n, first + i, type, l->units, columns, &l->layers[i]);
  }
  for (uint32_t i = 0; i < 4; i++) set_input(n, first + 11 + i, &vector, l->bias[i], false);
  set_input(n, states, &state, l->fixed_state ? l->bias[0] : NULL, !l->fixed_state);
  set_input(n, states + 1, &state, NULL, true);
}

static uint8_t *lstm_model(const lstm *l, arn_type type, size_t *size) {
  node n = begin();
  const shape in = {ARN_FLOAT32, {1, l->steps, l->inputs}, 0, 0};
  const shape out = {ARN_FLOAT32, {1, l->steps, l->units}, 0, 0};
  const shape vector = {ARN_FLOAT32, {l->units, 0, 0}, 0, 0};
  set_input(&n, 0, &in, NULL, false);
  n.given = n.inputs[0];
  set_direction(&n, l, type, 1, 18);
  n.input_count = 24;
  if (l->extra) set_input(&n, (uint32_t)l->extra, &vector, l->bias[0], false);
  n.result = add(&n, &out, NULL, false);
  n.options.type = ARN_OPTIONS_UNIDIRECTIONAL_SEQUENCE_LSTM;
  n.options.values[0] = 4;  // TANH
  n.options.values[1] = 3;  // cell clip
  return finish(&n, LSTM, size);
}

// LSTM is a step of the sequence.
static uint8_t *step_model(const lstm *l, size_t *size) {
  node n = begin();
  const shape in = {ARN_FLOAT32, {1, l->inputs, 0}, 0, 0};
  const shape out = {ARN_FLOAT32, {1, l->units, 0}, 0, 0};
  set_input(&n, 0, &in, NULL, false);
  n.given = n.inputs[0];
  set_direction(&n, l, ARN_FLOAT32, 1, 18);
  n.input_count = 20;
  n.result = add(&n, &out, NULL, false);
  n.options = (arn_build_options){.type = ARN_OPTIONS_LSTM, .values = {4, 3}};  // TANH, cell clip
  return finish(&n, STEP_LSTM, size);
}

// Bit for bit: a power of two as the scale changes no rounding, and so short sums keep their order.
static void narrow_weights_are_the_floats_they_stand_for(void **unused) {
  static lstm l;
  (void)unused;
  for (uint32_t round = 0; round < 40; round++) {
    float x[4 * 32];
    engine real, narrow;
    size_t size;
    draw_lstm(&l);
    uint8_t *model = lstm_model(&l, ARN_FLOAT32, &size);
    assert_int_equal(start(&real, model, size), ARN_OK);
    model = lstm_model(&l, draw(2) ? ARN_INT8 : ARN_FLOAT16, &size);
    assert_int_equal(start(&narrow, model, size), ARN_OK);
    for (uint32_t i = 0; i < 3; i++) {
      draw_values(x, l.steps * l.inputs);
      const size_t bytes = (size_t)(l.steps * l.inputs) * sizeof *x;
      const void *want = invoke(&real, x, bytes), *got = invoke(&narrow, x, bytes);
      assert_memory_equal(got, want, (size_t)(l.steps * l.units) * sizeof *x);
    }
    end(&real), end(&narrow);
  }
}

static void a_sequence_is_its_steps(void **unused) {
  static lstm l;
  (void)unused;
  for (uint32_t round = 0; round < 40; round++) {
    float x[4 * 32];
    engine whole, single;
    size_t size;
    draw_lstm(&l);
    const int32_t steps = l.steps;
    uint8_t *model = lstm_model(&l, ARN_FLOAT32, &size);
    assert_int_equal(start(&whole, model, size), ARN_OK);
    l.steps = 1;
    model = draw(2) ? lstm_model(&l, ARN_FLOAT32, &size) : step_model(&l, &size);
    assert_int_equal(start(&single, model, size), ARN_OK);
    draw_values(x, steps * l.inputs);
    const float *want = invoke(&whole, x, (size_t)(steps * l.inputs) * sizeof *x);
    for (int32_t i = 0; i < steps; i++) {
      const void *got = invoke(&single, x + i * l.inputs, (size_t)l.inputs * sizeof *x);
      assert_memory_equal(got, want + i * l.units, (size_t)l.units * sizeof *want);
    }
    end(&whole), end(&single);
  }
}

// ---- both directions ----------------------------------------------------------------------------

static uint8_t *bidirectional_model(const lstm *l, const lstm *back, bool merged, size_t *size) {
  node n = begin();
  const int32_t units = l->units + (merged ? back->units : 0);
  const shape in = {ARN_FLOAT32, {1, l->steps, l->inputs}, 0, 0};
  const shape out = {ARN_FLOAT32, {1, l->steps, units}, 0, 0};
  const shape second = {ARN_FLOAT32, {1, l->steps, back->units}, 0, 0};
  set_input(&n, 0, &in, NULL, false);
  n.given = n.inputs[0];
  set_direction(&n, l, ARN_FLOAT32, 1, 35);
  set_direction(&n, back, ARN_INT8, 18, 37);
  n.input_count = 48;
  n.result = add(&n, &out, NULL, false);
  if (!merged) n.second = add(&n, &second, NULL, false);
  n.options.type = ARN_OPTIONS_BIDIRECTIONAL_SEQUENCE_LSTM;
  n.options.values[0] = 4;  // TANH
  n.options.values[1] = 3;  // cell clip
  n.options.values[3] = merged;
  return finish(&n, BIDIRECTIONAL, size);
}

static void check_both(const lstm *l, const lstm *back, bool merged) {
  float x[4 * 32], reversed[4 * 32];
  engine both, plain, last;
  size_t size;
  uint8_t *model = bidirectional_model(l, back, merged, &size);
  assert_int_equal(start(&both, model, size), ARN_OK);
  model = lstm_model(l, ARN_FLOAT32, &size);
  assert_int_equal(start(&plain, model, size), ARN_OK);
  model = lstm_model(back, ARN_INT8, &size);
  assert_int_equal(start(&last, model, size), ARN_OK);
  for (uint32_t round = 0; round < 2; round++) {
    const size_t line = (size_t)l->inputs * sizeof *x, bytes = line * (size_t)l->steps;
    draw_values(x, l->steps * l->inputs);
    for (int32_t i = 0; i < l->steps; i++) {
      memcpy(reversed + i * l->inputs, x + (l->steps - 1 - i) * l->inputs, line);
    }
    const float *got = invoke(&both, x, bytes), *want = invoke(&plain, x, bytes);
    const float *want_back = invoke(&last, reversed, bytes);
    const float *got_back = merged ? got + l->units : arn_output(&both.e.nn, 1).data;
    const int32_t step = merged ? l->units + back->units : l->units;
    const int32_t step_back = merged ? step : back->units;
    for (int32_t i = 0; i < l->steps; i++) {
      assert_memory_equal(got + i * step, want + i * l->units, (size_t)l->units * sizeof *x);
      assert_memory_equal(got_back + i * step_back, want_back + (l->steps - 1 - i) * back->units,
                          (size_t)back->units * sizeof *x);
    }
  }
  end(&both), end(&plain), end(&last);
}

static void both_directions_are_two_lstms(void **unused) {
  static lstm l, back;
  (void)unused;
  for (uint32_t round = 0; round < 40; round++) {
    draw_lstm(&l);
    do draw_lstm(&back);
    while (back.inputs != l.inputs);
    back.steps = l.steps;
    check_both(&l, &back, draw(2));
  }
}

// ---- what is refused ----------------------------------------------------------------------------

static void refuse_lstm(const lstm *l) {
  engine n;
  size_t size;
  uint8_t *model = lstm_model(l, ARN_FLOAT32, &size);
  const arn_status status = start(&n, model, size);
  assert_true(status == ARN_ERR_UNSUPPORTED || status == ARN_ERR_MODEL);
  free(model);
}

static void variants_are_refused_never_ignored(void **unused) {
  static const int32_t extras[] = {9, 10, 11, 16, 17, 20, 21, 22, 23};
  static lstm l;
  (void)unused;
  for (uint32_t i = 0; i < 9; i++) {
    draw_lstm(&l);
    l.extra = extras[i];
    refuse_lstm(&l);
  }
  draw_lstm(&l);
  l.fixed_state = true;
  refuse_lstm(&l);
  draw_lstm(&l);
  l.no_input_gate = true;
  refuse_lstm(&l);
}

// ---- SVDF ---------------------------------------------------------------------------------------

typedef struct svdf {
  int32_t batches, inputs, units, rank, memory;
  weights feature, time;
  float bias[64];
  bool has_bias;
} svdf;

static void draw_svdf(svdf *v) {
  v->batches = 1 + (int32_t)draw(3);
  v->inputs = 1 + (int32_t)draw(32);
  v->units = 1 + (int32_t)draw(20);
  v->rank = 1 + (int32_t)draw(3);
  v->memory = 1 + (int32_t)draw(10);
  v->has_bias = draw(2);
  draw_weights(&v->feature, v->units * v->rank * v->inputs, 3);
  draw_weights(&v->time, v->units * v->rank * v->memory, 3);
  draw_values(v->bias, v->units);
}

static uint8_t *svdf_model(const svdf *v, arn_type type, size_t *size) {
  node n = begin();
  const int32_t filters = v->units * v->rank;
  const shape in = {ARN_FLOAT32, {v->batches, v->inputs, 0}, 0, 0};
  const shape out = {ARN_FLOAT32, {v->batches, v->units, 0}, 0, 0};
  const shape bias = {ARN_FLOAT32, {v->units, 0, 0}, 0, 0};
  const shape state = {ARN_FLOAT32, {v->batches, filters * v->memory, 0}, 0, 0};
  set_input(&n, 0, &in, NULL, false);
  n.given = n.inputs[0];
  set_weights(&n, 1, type, filters, v->inputs, &v->feature);
  set_weights(&n, 2, type, filters, v->memory, &v->time);
  if (v->has_bias) set_input(&n, 3, &bias, v->bias, false);
  set_input(&n, 4, &state, NULL, true);
  n.result = add(&n, &out, NULL, false);
  n.options.type = ARN_OPTIONS_SVDF;
  n.options.values[0] = v->rank;
  n.options.values[1] = 1;  // RELU
  return finish(&n, SVDF, size);
}

// state: [batch][filter][memory]; the sums are exact, so any order will do.
static void check_svdf(const svdf *v, engine *n, float *state) {
  float x[3 * 32];
  const int32_t filters = v->units * v->rank;
  draw_values(x, v->batches * v->inputs);
  const float *got = invoke(n, x, (size_t)(v->batches * v->inputs) * sizeof *x);
  for (int32_t b = 0; b < v->batches; b++) {
    for (int32_t u = 0; u < v->units; u++) {
      float sum = v->has_bias ? v->bias[u] : 0;
      for (int32_t f = u * v->rank; f < (u + 1) * v->rank; f++) {
        float *kept = state + (b * filters + f) * v->memory, feature = 0;
        for (int32_t i = 0; i < v->inputs; i++) {
          feature += x[b * v->inputs + i] * v->feature.real[f * v->inputs + i];
        }
        memmove(kept, kept + 1, (size_t)(v->memory - 1) * sizeof *kept);
        kept[v->memory - 1] = feature;
        for (int32_t i = 0; i < v->memory; i++) sum += kept[i] * v->time.real[f * v->memory + i];
      }
      assert_true(got[b * v->units + u] == (sum > 0 ? sum : 0));
    }
  }
}

static void svdfs_are_their_definition(void **unused) {
  static const arn_type types[] = {ARN_FLOAT32, ARN_INT8, ARN_FLOAT16};
  static svdf v;
  static float state[3 * 60 * 10];
  (void)unused;
  for (uint32_t round = 0; round < 60; round++) {
    engine n;
    size_t size;
    draw_svdf(&v);
    memset(state, 0, sizeof state);
    uint8_t *model = svdf_model(&v, types[draw(3)], &size);
    assert_int_equal(start(&n, model, size), ARN_OK);
    for (uint32_t i = 0; i < 12; i++) check_svdf(&v, &n, state);
    end(&n);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rnns_are_their_definition),
      cmocka_unit_test(rnns_run_in_both_directions),
      cmocka_unit_test(narrow_weights_are_the_floats_they_stand_for),
      cmocka_unit_test(a_sequence_is_its_steps),
      cmocka_unit_test(both_directions_are_two_lstms),
      cmocka_unit_test(variants_are_refused_never_ignored),
      cmocka_unit_test(svdfs_are_their_definition),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
