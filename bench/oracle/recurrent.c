// Recurrent layers, a step in time at a time.
#include <math.h>

#include "bench/oracle/plain.h"
#include "src/kernels/activation.h"

enum { WEIGHTS = 1, RECURRENT = 5, BIASES = 12, HIDDEN = 18, CELL = 19 };
enum { INPUT_GATE, FORGET_GATE, CELL_GATE, OUTPUT_GATE, GATES };
enum { MOST_UNITS = 256 };

// ---- LSTM of floats -----------------------------------------------------------------------------

// One direction of a node's tensors: the first of its weights, its states.
typedef struct direction {
  uint32_t weights, hidden, cell;
} direction;

static float weight(const plain_tensor *w, uint32_t i) {
  return w->type == ARN_FLOAT32 ? w->f32[i] : w->scale * (float)w->s8[i];
}

static float dot(const plain_tensor *w, uint32_t row, const float *x, uint32_t depth) {
  float sum = 0.0f;
  if (w->type == ARN_FLOAT32) {
    for (uint32_t k = 0; k < depth; k++) sum += w->f32[row * depth + k] * x[k];
  } else {
    for (uint32_t k = 0; k < depth; k++) sum += weight(w, row * depth + k) * x[k];
  }
  return sum;
}

static void lstm_step(const plain_node *n, direction d, const float *x, float *out) {
  const uint32_t depth = (uint32_t)n->in[0].dims[n->in[0].rank - 1], units = n->in[d.hidden].count;
  float *hidden = n->in[d.hidden].f32, *cell = n->in[d.cell].f32, fresh[MOST_UNITS];
  for (uint32_t u = 0; u < units; u++) {
    float gate[GATES];
    for (uint32_t g = 0; g < GATES; g++) {
      gate[g] = dot(&n->in[d.weights + g], u, x, depth) +
                dot(&n->in[d.weights + RECURRENT - WEIGHTS + g], u, hidden, units) +
                n->in[d.weights + BIASES - WEIGHTS + g].f32[u];
      gate[g] = g == CELL_GATE ? tanhf(gate[g]) : 1.0f / (1.0f + expf(-gate[g]));
    }
    cell[u] = gate[FORGET_GATE] * cell[u] + gate[INPUT_GATE] * gate[CELL_GATE];
    fresh[u] = gate[OUTPUT_GATE] * tanhf(cell[u]);
  }
  for (uint32_t u = 0; u < units; u++) out[u] = hidden[u] = fresh[u];
}

static void lstm_f32(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[0].dims[2], units = n->in[HIDDEN].count;
  for (uint32_t t = 0; t < (uint32_t)n->in[0].dims[1]; t++) {
    lstm_step(n, (direction){WEIGHTS, HIDDEN, CELL}, n->in[0].f32 + t * depth,
              n->out[0].f32 + t * units);
  }
}

static void lstm_once_f32(const plain_node *n) {
  lstm_step(n, (direction){WEIGHTS, HIDDEN, CELL}, n->in[0].f32, n->out[0].f32);
}

static void both_f32(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[0].dims[2], units = n->in[35].count;
  const uint32_t steps = (uint32_t)n->in[0].dims[1];
  for (uint32_t i = 0; i < steps; i++) {
    const uint32_t back = steps - 1 - i;
    lstm_step(n, (direction){1, 35, 36}, n->in[0].f32 + i * depth, n->out[0].f32 + i * units);
    lstm_step(n, (direction){18, 37, 38}, n->in[0].f32 + back * depth,
        n->out[1].f32 + back * units);
  }
}

// ---- LSTM of integers ---------------------------------------------------------------------------

// What goes into a gate has 12 bits behind the point, what comes out has 15.
static int16_t look_up(int32_t x, bool is_tanh) {
  const uint32_t bits = is_tanh ? 8 : 9, at = (uint32_t)(x < 0 ? -x : x), k = at >> bits;
  const uint16_t *entry = arn__activation_sigmoid + k;
  uint32_t y = is_tanh ? 0xFFFFu << 8 : 0x7FFFu << 10;
  if (k < 255) y = ((uint32_t)entry[0] << bits) + (at & ((1u << bits) - 1)) * (entry[1] - entry[0]);
  if (!is_tanh) return (int16_t)((x >= 0 ? y + 512 : (1u << 25) - y + 511) >> 10);
  const int32_t z = (int32_t)y - (1 << 23);
  return (int16_t)((x >= 0 ? z + 128 : 127 - z) >> 8);
}

static plain_multiplier gate_multiplier(const plain_tensor *x, const plain_tensor *w) {
  return plain_split((double)(x->scale * w->scale) / 0x1p-12);
}

static int32_t part_s8(const plain_tensor *x, uint32_t at, const plain_tensor *w, uint32_t row,
                       const plain_tensor *bias) {
  const uint32_t depth = (uint32_t)w->dims[1];
  int32_t sum = 0;
  for (uint32_t k = 0; k < depth; k++) {
    sum += (x->s8[at + k] - x->zero) * w->s8[row * depth + k];
  }
  if (bias) sum += bias->s32[row];
  return plain_s16(plain_requantise(sum, gate_multiplier(x, w)));
}

static int32_t part_s16(const plain_tensor *x, uint32_t at, const plain_tensor *w, uint32_t row,
                        const plain_tensor *bias) {
  const uint32_t depth = (uint32_t)w->dims[1];
  int64_t sum = 0;
  for (uint32_t k = 0; k < depth; k++) sum += x->s16[at + k] * w->s8[row * depth + k];
  if (bias) sum += bias->s64[row];
  return plain_s16(plain_requantise_wide(sum, gate_multiplier(x, w)));
}

// What multiplies products of what gates give.
typedef struct steps {
  plain_multiplier product, hidden;
} steps;

static int32_t unit_step(const plain_node *n, uint32_t t, uint32_t u, steps s) {
  const bool narrow = n->in[0].type == ARN_INT8;
  int32_t gate[GATES];
  for (uint32_t g = 0; g < GATES; g++) {
    const plain_tensor *w = &n->in[WEIGHTS + g], *r = &n->in[RECURRENT + g];
    const uint32_t at = t * (uint32_t)n->in[0].dims[2];
    const int32_t fed = narrow ? part_s8(&n->in[0], at, w, u, &n->in[BIASES + g])
                               : part_s16(&n->in[0], at, w, u, &n->in[BIASES + g]);
    const int32_t kept = narrow ? part_s8(&n->in[HIDDEN], 0, r, u, NULL)
                                : part_s16(&n->in[HIDDEN], 0, r, u, NULL);
    gate[g] = look_up(plain_s16(fed + kept) * 3, g == CELL_GATE);
  }
  int16_t *cell = n->in[CELL].s16 + u;
  const plain_multiplier unit = {1 << 30, -14};
  const int32_t fresh = plain_s16(plain_requantise(gate[INPUT_GATE] * gate[CELL_GATE], s.product));
  const int32_t kept = plain_s16(plain_requantise(gate[FORGET_GATE] * *cell, unit));
  *cell = (int16_t)plain_s16(kept + fresh);
  const int32_t tanh = look_up(*cell * 6, true);  // scale 2^-11
  const int32_t y = plain_requantise(gate[OUTPUT_GATE] * tanh, s.hidden);
  const int32_t zero = n->in[HIDDEN].zero;
  return narrow ? plain_s8(y + zero) : plain_s16(y);
}

static void lstm_whole(const plain_node *n) {
  const uint32_t units = n->in[HIDDEN].count, bytes = arn_type_bytes(n->in[0].type);
  const steps s = {plain_split(0x1p-30 / (double)n->in[CELL].scale),
                   plain_split(0x1p-30 / (double)n->in[HIDDEN].scale)};
  for (uint32_t t = 0; t < (uint32_t)n->in[0].dims[1]; t++) {
    uint8_t *out = n->out[0].u8 + t * units * bytes;
    for (uint32_t u = 0; u < units; u++) {
      const int32_t y = unit_step(n, t, u, s);
      memcpy(out + u * bytes, &y, bytes);
    }
    memcpy(n->in[HIDDEN].data, out, units * bytes);
  }
}

// ---- RNN ----------------------------------------------------------------------------------------

// The layer whose weights are input `first`; recurrent weights, bias and hidden state follow.
static void rnn_step(const plain_node *n, uint32_t first, const float *x, float *out) {
  const plain_tensor *w = &n->in[first];
  const uint32_t depth = (uint32_t)w[0].dims[1], units = (uint32_t)w[0].dims[0];
  float *hidden = w[3].f32;
  for (uint32_t u = 0; u < units; u++) {
    out[u] = tanhf(dot(&w[0], u, x, depth) + dot(&w[1], u, hidden, units) + w[2].f32[u]);
  }
  for (uint32_t u = 0; u < units; u++) hidden[u] = out[u];
}

static void rnn_f32(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[1].dims[1], units = (uint32_t)n->in[1].dims[0];
  for (uint32_t t = 0; t < n->in[0].count / depth; t++) {
    rnn_step(n, 1, n->in[0].f32 + t * depth, n->out[0].f32 + t * units);
  }
}

static void both_rnns_f32(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[1].dims[1], units = (uint32_t)n->in[1].dims[0];
  const uint32_t count = n->in[0].count / depth;
  for (uint32_t t = 0; t < count; t++) {
    const uint32_t back = count - 1 - t;
    rnn_step(n, 1, n->in[0].f32 + t * depth, n->out[0].f32 + t * units);
    rnn_step(n, 5, n->in[0].f32 + back * depth, n->out[1].f32 + back * units);
  }
}

// ---- SVDF: rank 2 -------------------------------------------------------------------------------

static void svdf_f32(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[1].dims[1], memory = (uint32_t)n->in[2].dims[1];
  const uint32_t units = n->out[0].count, rank = (uint32_t)n->options[0];
  for (uint32_t u = 0; u < units; u++) {
    float sum = n->in[3].f32[u];
    for (uint32_t f = u * rank; f < (u + 1) * rank; f++) {
      float *kept = n->in[4].f32 + f * memory;
      for (uint32_t i = 0; i + 1 < memory; i++) kept[i] = kept[i + 1];
      kept[memory - 1] = dot(&n->in[1], f, n->in[0].f32, depth);
      sum += dot(&n->in[2], f, kept, memory);
    }
    n->out[0].f32[u] = sum > 0.0f ? sum : 0.0f;
  }
}

#define SVDF(type)                                                                                \
  static void svdf_##type(const plain_node *n) {  /* of int8, with a state of `type` */           \
    const plain_tensor *in = n->in;                                                               \
    const uint32_t depth = (uint32_t)in[1].dims[1], memory = (uint32_t)in[2].dims[1];             \
    const uint32_t units = n->out[0].count, rank = (uint32_t)n->options[0];                       \
    const float feature_scale = in[0].scale * in[1].scale / in[4].scale;                          \
    const float time_scale = in[4].scale * in[2].scale / n->out[0].scale;                         \
    const plain_multiplier feature = plain_split((double)feature_scale);                          \
    const plain_multiplier time = plain_split((double)time_scale);                                \
    for (uint32_t u = 0; u < units; u++) {                                                        \
      int32_t sum = in[3].s32[u];                                                                 \
      for (uint32_t f = u * rank; f < (u + 1) * rank; f++) {                                      \
        __typeof__(in[4].type) kept = in[4].type + f * memory;                                    \
        int32_t value = 0;                                                                        \
        for (uint32_t i = 0; i + 1 < memory; i++) kept[i] = kept[i + 1];                          \
        for (uint32_t k = 0; k < depth; k++) {                                                    \
          value += (in[0].s8[k] - in[0].zero) * in[1].s8[f * depth + k];                          \
        }                                                                                         \
        kept[memory - 1] = (__typeof__(kept[0]))plain_##type(plain_requantise(value, feature));   \
        for (uint32_t i = 0; i < memory; i++) sum += kept[i] * in[2].type[f * memory + i];        \
      }                                                                                           \
      n->out[0].s8[u] = (int8_t)plain_s8(plain_requantise(sum, time) + n->out[0].zero);           \
    }                                                                                             \
  }
SVDF(s8)
SVDF(s16)

#define FOUR(text) text text text text
#define LSTM(note, in, weights, recurrent, bias, hidden, cell, out, loop)                         \
  {&arn_op_unidirectional_sequence_lstm, note,                                                    \
   in ";" FOUR(weights ";") FOUR(recurrent ";") "_;_;_;" FOUR(bias ";") "_;_;" hidden ";" cell    \
   ">" out, loop, true, 1e-4, {ARN_OPTIONS_UNIDIRECTIONAL_SEQUENCE_LSTM, {4}, {{0}}, {0}}, {{0}}}
#define SIDE "f32 96x64 =;f32 96x64 =;f32 96x64 =;f32 96x64 =;" \
  "f32 96x96 =;f32 96x96 =;f32 96x96 =;f32 96x96 =;_;_;_;f32 96 =;f32 96 =;f32 96 =;f32 96 =;_;_;"
#define RNN_SIDE \
  "f32 128x128 =-0.1..0.1;f32 128x128 =-0.1..0.1;f32 128 =;f32 1x128 !;"
#define RECURRENT_CASE(op, note, tensors, loop, ...) \
  {&arn_op_##op, note, tensors, loop, true, 1e-4, {__VA_ARGS__, {{0}}, {0}}, {{0}}}

const plain_case plain_recurrent[] = {
    LSTM("", "f32 1x32x64", "f32 96x64 =", "f32 96x96 =", "f32 96 =", "f32 1x96 !", "f32 1x96 !",
         "f32 1x32x96", lstm_f32),
    LSTM("", "f32 1x32x96", "s8 128x96 @.001 =", "s8 128x128 @.001 =", "f32 128 =", "f32 1x128 !",
         "f32 1x128 !", "f32 1x32x128", lstm_f32),
    LSTM("", "s8 1x64x96 @.02+3", "s8 128x96 @.004 =", "s8 128x128 @.004 =", "s32 128 =",
         "s8 1x128 @.0078125-5 !", "s16 1x128 @.00048828125 !", "s8 1x64x128 @.0078125-5",
         lstm_whole),
    LSTM("", "s16 1x64x96 @.0001", "s8 128x96 @.004 =", "s8 128x128 @.004 =", "s64 128 =",
         "s16 1x128 @.000030517578125 !", "s16 1x128 @.00048828125 !",
         "s16 1x64x128 @.000030517578125", lstm_whole),
    RECURRENT_CASE(bidirectional_sequence_lstm, "", "f32 1x16x64;" SIDE SIDE
                   "f32 1x96 !;f32 1x96 !;f32 1x96 !;f32 1x96 !>f32 1x16x96;f32 1x16x96", both_f32,
                   ARN_OPTIONS_BIDIRECTIONAL_SEQUENCE_LSTM, {4}),
    RECURRENT_CASE(rnn, "", "f32 1x128;f32 128x128 =;f32 128x128 =;f32 128 =;f32 1x128 !>f32 1x128",
                   rnn_f32, ARN_OPTIONS_RNN, {4}),
    RECURRENT_CASE(rnn, "", "f32 1x256;s8 256x256 @.001 =;s8 256x256 @.001 =;f32 256 =;f32 1x256 !>"
                   "f32 1x256", rnn_f32, ARN_OPTIONS_RNN, {4}),
    RECURRENT_CASE(unidirectional_sequence_rnn, "", "f32 1x32x128;"
                   "f32 128x128 =-0.1..0.1;f32 128x128 =-0.1..0.1;f32 128 =;f32 1x128 !>"
                   "f32 1x32x128", rnn_f32, ARN_OPTIONS_SEQUENCE_RNN, {0, 4}),
    RECURRENT_CASE(bidirectional_sequence_rnn, "", "f32 1x32x128;" RNN_SIDE RNN_SIDE "_;_;_>"
                   "f32 1x32x128;f32 1x32x128", both_rnns_f32,
                   ARN_OPTIONS_BIDIRECTIONAL_SEQUENCE_RNN, {0, 4}),
    RECURRENT_CASE(lstm, "", "f32 1x64;" SIDE "f32 1x96 !;f32 1x96 !>f32 1x96", lstm_once_f32,
                   ARN_OPTIONS_LSTM, {4}),
    RECURRENT_CASE(svdf, "",
                   "f32 1x128;f32 256x128 =;f32 256x32 =;f32 128 =;f32 1x8192 !>f32 1x128",
                   svdf_f32, ARN_OPTIONS_SVDF, {2, 1}),
    RECURRENT_CASE(svdf, "",
                   "f32 1x256;s8 512x256 @.001 =;s8 512x32 @.001 =;f32 256 =;f32 1x16384 !>"
                   "f32 1x256", svdf_f32, ARN_OPTIONS_SVDF, {2, 1}),
    RECURRENT_CASE(svdf, "", "s8 1x256 @.02+3;s8 512x256 @.01 =;s8 512x16 @.01 =;s32 256 =;"
                   "s8 1x8192 @.05 !>s8 1x256 @.05-5", svdf_s8, ARN_OPTIONS_SVDF, {2, 1}),
    RECURRENT_CASE(svdf, "state int16", "s8 1x256 @.02+3;s8 512x256 @.01 =;s16 512x16 @.0001 =;"
                   "s32 256 =;s16 1x8192 @.0005 !>s8 1x256 @.05-5", svdf_s16, ARN_OPTIONS_SVDF, {2,
                   1}),
    {.op = NULL}};
