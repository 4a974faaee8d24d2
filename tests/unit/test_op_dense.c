// FULLY_CONNECTED, BATCH_MATMUL and EMBEDDING_LOOKUP over random shapes and types against their
// definitions written plainly: also the types that the packs lack (uint8, float over integer and
// float16 weights, weights with a zero point, int16 with an int32 bias).
//
// Float values are small integers and scales powers of two, so that sums are exact in any order.
#include <math.h>

#include "src/ops/dense.h"
#include "tests/unit/op_rig.h"

enum { EMBEDDING_LOOKUP = 7, FULLY_CONNECTED = 9, BATCH_MATMUL = 126 };

static rig r;
static rig_tensor *const in = &r.in[0], *const w = &r.in[1], *const bias = &r.in[2];
static rig_tensor *const out = &r.out[0];

static void begin(int32_t code, uint32_t inputs) {
  memset(&r, 0, offsetof(rig, in));
  for (uint32_t i = 0; i < RIG_TENSORS; i++) {
    memset(&r.in[i], 0, offsetof(rig_tensor, bytes));
    memset(&r.out[i], 0, offsetof(rig_tensor, bytes));
  }
  r.code = code;
  r.inputs = inputs;
  r.outputs = 1;
}

static void set_shape(rig_tensor *t, uint32_t rank, const int32_t *dims) {
  t->rank = rank;
  memcpy(t->dims, dims, rank * sizeof *dims);
}

// ---- values -------------------------------------------------------------------------------------

static uint16_t half_of(int32_t value) {  // |value| < 16
  const uint32_t magnitude = (uint32_t)abs(value);
  uint32_t exponent = 0;
  if (magnitude == 0) return 0;
  while (magnitude >> (exponent + 1)) exponent++;
  return (uint16_t)((value < 0 ? 0x8000u : 0u) | (exponent + 15) << 10 |
                    (magnitude << (10 - exponent) & 1023));
}

static void put(rig_tensor *t, uint32_t i, int64_t value) {
  const float real = (float)value;
  const uint16_t half = t->type == ARN_FLOAT16 ? half_of((int32_t)value) : 0;
  const void *from = t->type == ARN_FLOAT32   ? (const void *)&real
                     : t->type == ARN_FLOAT16 ? (const void *)&half
                                              : (const void *)&value;
  memcpy(t->bytes + i * rig_element(t), from, rig_element(t));
}

// Returns an element as a number, the zero point not taken off.
static int64_t get(const rig_tensor *t, uint32_t i) {
  int64_t value = 0;
  float real;
  memcpy(&value, t->bytes + i * rig_element(t), rig_element(t));
  switch (t->type) {
    case ARN_FLOAT32: memcpy(&real, t->bytes + 4 * i, sizeof real); return (int64_t)real;
    case ARN_INT8: return (int8_t)value;
    case ARN_INT16: return (int16_t)value;
    case ARN_INT32: return (int32_t)value;
    case ARN_FLOAT16:
      for (int32_t v = -15; v < 16; v++) {
        if (half_of(v) == (uint16_t)value) return v;
      }
      fail();
      return 0;
    default: return value;
  }
}

static bool is_float(const rig_tensor *t) {
  return t->type == ARN_FLOAT32 || t->type == ARN_FLOAT16;
}

static void fill(rig_tensor *t) {
  assert_true(rig_size(t) <= RIG_BYTES);
  if (!is_float(t)) rig_fill(t);
  for (uint32_t i = 0; i < rig_count(t) && t->type == ARN_INT16 && is_float(out); i++) {
    put(t, i, (int64_t)draw(401) - 200);
  }
  for (uint32_t i = 0; i < rig_count(t) && is_float(t); i++) put(t, i, (int64_t)draw(31) - 15);
  for (uint32_t i = 0; i < rig_count(t) && t->type == ARN_INT64; i++) {
    put(t, i, (int64_t)draw(200000) - 100000);
  }
  for (uint32_t i = 0; i < rig_count(t) && t->type == ARN_INT32; i++) {
    put(t, i, (int64_t)draw(20000) - 10000);
  }
}

// Gives an integer tensor a scale, and a zero point where it may have one.
static void quantise(rig_tensor *t, float scale, bool has_zero) {
  if (is_float(t)) return;
  t->scale = scale;
  t->zero = !has_zero             ? 0
            : t->type == ARN_INT8 ? (int64_t)draw(256) - 128
            : t->type == ARN_UINT8 ? (int64_t)draw(256)
                                   : 0;
}

// ---- a layer ------------------------------------------------------------------------------------

static arn__clamp range_of(const rig_tensor *t) {
  return t->type == ARN_INT8    ? (arn__clamp){-128, 127}
         : t->type == ARN_UINT8 ? (arn__clamp){0, 255}
                                : (arn__clamp){-32768, 32767};
}

static const float lows[] = {-INFINITY, 0.0f, -1.0f, 0.0f};
static const float highs[] = {INFINITY, INFINITY, 1.0f, 6.0f};

static int32_t bound(float value, int32_t otherwise, arn__clamp range) {
  if (isinf(value)) return otherwise;
  return arn__clamp_s32((int32_t)(out->zero + (int64_t)roundf(value / out->scale)), range);
}

static void want_quantised(uint32_t i, int64_t sum, const int64_t *bias_value,
                           uint32_t activation) {
  const arn__clamp range = range_of(out);
  const arn__clamp clamp = {bound(lows[activation], range.low, range),
                            bound(highs[activation], range.high, range)};
  const float product = in->scale * w->scale;
  const arn__requant m = arn__requant_of((double)product / (double)out->scale);
  const bool narrow = out->type != ARN_INT16 || (bias_value && bias->type == ARN_INT32);
  if (bias_value) sum += *bias_value;
  const int32_t value = narrow ? arn__requantise((int32_t)sum, m) : arn__requantise_s64(sum, m);
  put(out, i, arn__clamp_s32(value + (int32_t)out->zero, clamp));
}

static void want_float(uint32_t i, int64_t sum, const int64_t *bias_value, uint32_t activation) {
  float value = (float)sum * (is_float(w) ? 1.0f : w->scale);
  if (bias_value) value += (float)*bias_value;
  value = value < lows[activation] ? lows[activation] : value;
  value = value > highs[activation] ? highs[activation] : value;
  memcpy(out->bytes + 4 * i, &value, sizeof value);
}

static void want(uint32_t i, int64_t sum, const int64_t *bias_value, uint32_t activation) {
  if (is_float(out)) want_float(i, sum, bias_value, activation);
  else want_quantised(i, sum, bias_value, activation);
}

static void draw_layer_types(bool with_bias) {
  static const arn_type pairs[][3] = {
      {ARN_INT8, ARN_INT8, ARN_INT32},      {ARN_UINT8, ARN_UINT8, ARN_INT32},
      {ARN_INT16, ARN_INT8, ARN_INT64},     {ARN_INT16, ARN_INT8, ARN_INT32},
      {ARN_FLOAT32, ARN_FLOAT32, ARN_FLOAT32}, {ARN_FLOAT32, ARN_FLOAT16, ARN_FLOAT16},
      {ARN_FLOAT32, ARN_INT8, ARN_FLOAT32}, {ARN_FLOAT32, ARN_UINT8, ARN_FLOAT32},
      {ARN_FLOAT32, ARN_INT16, ARN_FLOAT32}};
  const uint32_t i = draw(9);
  in->type = out->type = pairs[i][0];
  w->type = pairs[i][1];
  bias->type = with_bias ? pairs[i][2] : ARN_FLOAT32;
}

static void set_layer_scales(bool w_has_zero) {
  quantise(in, 0.5f, in->type != ARN_INT16);
  quantise(w, 0.25f, w_has_zero && in->type != ARN_INT16);
  quantise(out, in->type == ARN_INT16 ? 3.7f : 23.0f, out->type != ARN_INT16);
  if (!is_float(bias)) bias->scale = in->scale * w->scale;
}

// ---- FULLY_CONNECTED ----------------------------------------------------------------------------

// Shapes of which some have rows, some fold, and some run whole.
static void draw_layer_shapes(uint32_t *vectors, uint32_t *depth, uint32_t *channels) {
  const int32_t a = 1 + (int32_t)draw(5), b = 1 + (int32_t)draw(6);
  static const int32_t depths[] = {1, 2, 3, 8, 10, 16, 20, 33, 64, 130};
  int32_t k = depths[draw(10)];
  const int32_t n = 1 + (int32_t)draw(draw(3) ? 8 : 40);
  switch (draw(5)) {
    case 0: set_shape(in, 4, (const int32_t[]){1, a, b, k}); *vectors = 1; k *= a * b; break;
    case 1: set_shape(in, 3, (const int32_t[]){1, a, k}); *vectors = (uint32_t)a; break;
    case 2: set_shape(in, 4, (const int32_t[]){1, a, b, k}); *vectors = (uint32_t)(a * b); break;
    case 3: set_shape(in, 2, (const int32_t[]){a, k}); *vectors = (uint32_t)a; break;
    default: set_shape(in, 1, (const int32_t[]){k}); *vectors = 1; break;
  }
  *depth = (uint32_t)k;
  *channels = (uint32_t)n;
  set_shape(w, 2, (const int32_t[]){n, k});
  set_shape(bias, 1, (const int32_t[]){n});
  if (in->rank == 4 && *vectors > 1) set_shape(out, 4, (const int32_t[]){1, a, b, n});
  else if (in->rank == 3) set_shape(out, 3, (const int32_t[]){1, a, n});
  else set_shape(out, 2, (const int32_t[]){(int32_t)*vectors, n});
}

static void want_layer(uint32_t vectors, uint32_t depth, uint32_t channels, uint32_t activation) {
  for (uint32_t v = 0; v < vectors; v++) {
    for (uint32_t c = 0; c < channels; c++) {
      int64_t sum = 0;
      for (uint32_t k = 0; k < depth; k++) {
        sum += (get(in, v * depth + k) - in->zero) * (get(w, c * depth + k) - w->zero);
      }
      const int64_t b = r.inputs == 3 ? get(bias, c) : 0;
      want(v * channels + c, sum, r.inputs == 3 ? &b : NULL, activation);
    }
  }
}

static void try_fully_connected(rig_tally *tally) {
  uint32_t vectors, depth, channels;
  const uint32_t activation = draw(4);
  const bool with_bias = draw(2);
  begin(FULLY_CONNECTED, with_bias ? 3 : 2);
  draw_layer_types(with_bias);
  draw_layer_shapes(&vectors, &depth, &channels);
  if (rig_size(w) > RIG_BYTES) return;
  set_layer_scales(draw(2));
  r.options_type = ARN_OPTIONS_FULLY_CONNECTED;
  r.options[0] = activation;
  w->is_constant = bias->is_constant = true;
  fill(in), fill(w), fill(bias);
  want_layer(vectors, depth, channels, activation);
  rig_tally_check(tally, &r);
}

static void layers_are_their_definition(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 900; i++) try_fully_connected(&tally);
  assert_true(tally.by_rows > 150);
}

static void refuse_layer(arn_status status) {
  set_layer_scales(false);
  w->is_constant = bias->is_constant = true;
  fill(in), fill(w), fill(bias);
  rig_refuse(&r, status);
}

static void begin_small_layer(void) {
  begin(FULLY_CONNECTED, 3);
  in->type = w->type = out->type = ARN_INT8;
  bias->type = ARN_INT32;
  set_shape(in, 2, (const int32_t[]){2, 4});
  set_shape(w, 2, (const int32_t[]){3, 4});
  set_shape(bias, 1, (const int32_t[]){3});
  set_shape(out, 2, (const int32_t[]){2, 3});
  r.options_type = ARN_OPTIONS_FULLY_CONNECTED;
}

static void broken_layers_are_refused(void **unused) {
  (void)unused;
  begin_small_layer();
  set_shape(in, 2, (const int32_t[]){2, 5});
  refuse_layer(ARN_ERR_UNSUPPORTED);
  begin_small_layer();
  set_shape(w, 1, (const int32_t[]){12});
  refuse_layer(ARN_ERR_UNSUPPORTED);
  begin_small_layer();
  set_shape(out, 2, (const int32_t[]){3, 2});
  refuse_layer(ARN_ERR_UNSUPPORTED);
  begin_small_layer();
  set_shape(bias, 1, (const int32_t[]){2});
  refuse_layer(ARN_ERR_UNSUPPORTED);
  begin_small_layer();
  w->type = ARN_FLOAT32;
  refuse_layer(ARN_ERR_UNSUPPORTED);
  begin_small_layer();
  r.options[0] = 4;  // TANH
  refuse_layer(ARN_ERR_UNSUPPORTED);
  begin_small_layer();
  r.options[1] = 1;  // shuffled weights
  refuse_layer(ARN_ERR_UNSUPPORTED);
}

// ---- BATCH_MATMUL -------------------------------------------------------------------------------

static void draw_product_types(void) {
  static const arn_type pairs[][2] = {{ARN_INT8, ARN_INT8},       {ARN_INT16, ARN_INT16},
                                      {ARN_INT16, ARN_INT8},      {ARN_FLOAT32, ARN_FLOAT32},
                                      {ARN_FLOAT32, ARN_FLOAT16}, {ARN_FLOAT32, ARN_INT8}};
  const uint32_t i = draw(6);
  in->type = out->type = pairs[i][0];
  w->type = pairs[i][1];
}

// Batch dimensions that broadcast; where there is one batch, lines are rows.
static void draw_batches(uint32_t rank, int32_t *lhs, int32_t *rhs, int32_t *result) {
  const bool single = draw(2);
  for (uint32_t i = 0; i + 2 < rank; i++) {
    const int32_t dim = single || (i == 0 && draw(2)) ? 1 : 1 + (int32_t)draw(3);
    lhs[i] = draw(4) ? dim : 1;
    rhs[i] = lhs[i] == 1 || draw(4) ? dim : 1;
    result[i] = lhs[i] == 1 ? rhs[i] : lhs[i];
  }
}

static uint32_t matrix_index(const rig_tensor *t, const int32_t *at) {
  uint32_t flat = 0;
  const uint32_t missing = out->rank - t->rank;
  for (uint32_t i = 0; i + 2 < t->rank; i++) {
    flat = flat * (uint32_t)t->dims[i] + (t->dims[i] == 1 ? 0 : (uint32_t)at[i + missing]);
  }
  return flat;
}

static void want_products(bool adj_x, bool adj_y) {
  const uint32_t m = (uint32_t)out->dims[out->rank - 2], n = (uint32_t)out->dims[out->rank - 1];
  const uint32_t k = rig_count(in) == 0 ? 0 : (uint32_t)in->dims[in->rank - (adj_x ? 2 : 1)];
  for (uint32_t i = 0; i < rig_count(out); i++) {
    int32_t at[ARN_MAX_RANK];
    rig_split(out, i, at);
    const uint32_t row = (uint32_t)at[out->rank - 2], column = (uint32_t)at[out->rank - 1];
    const uint32_t x = matrix_index(in, at) * m * k, y = matrix_index(w, at) * k * n;
    int64_t sum = 0;
    for (uint32_t j = 0; j < k; j++) {
      sum += (get(in, x + (adj_x ? j * m + row : row * k + j)) - in->zero) *
             (get(w, y + (adj_y ? column * k + j : j * n + column)) - w->zero);
    }
    want(i, sum, NULL, 0);
  }
}

static void try_batch_matmul(rig_tally *tally) {
  static const int32_t sizes[] = {1, 2, 3, 5, 8, 17, 40};
  const bool adj_x = draw(2), adj_y = draw(2);
  const int32_t m = sizes[draw(7)], k = sizes[draw(7)], n = sizes[draw(7)];
  const uint32_t rank = 2 + draw(4);
  int32_t lhs[ARN_MAX_RANK], rhs[ARN_MAX_RANK], result[ARN_MAX_RANK];
  begin(BATCH_MATMUL, 2);
  draw_product_types();
  draw_batches(rank, lhs, rhs, result);
  lhs[rank - 2] = adj_x ? k : m, lhs[rank - 1] = adj_x ? m : k;
  rhs[rank - 2] = adj_y ? n : k, rhs[rank - 1] = adj_y ? k : n;
  result[rank - 2] = m, result[rank - 1] = n;
  set_shape(in, rank, lhs), set_shape(w, rank, rhs), set_shape(out, rank, result);
  if (draw(4) == 0) set_shape(w, 2, rhs + rank - 2);
  for (uint32_t i = 0; i + 2 < rank && w->rank == 2; i++) out->dims[i] = lhs[i];
  if (rig_size(in) > RIG_BYTES || rig_size(w) > RIG_BYTES || rig_size(out) > RIG_BYTES) return;
  quantise(in, 0.5f, in->type == ARN_INT8);
  quantise(w, 0.25f, in->type != ARN_INT16);
  quantise(out, 11.0f, in->type == ARN_INT8);
  w->is_constant = draw(2);
  r.options_type = ARN_OPTIONS_BATCH_MATMUL;
  r.options[0] = adj_x;
  r.options[1] = adj_y;
  fill(in), fill(w);
  want_products(adj_x, adj_y);
  rig_tally_check(tally, &r);
}

static void products_are_their_definition(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 900; i++) try_batch_matmul(&tally);
  assert_true(tally.by_rows > 150);
}

// ---- the layer below ----------------------------------------------------------------------------

// Weights as int8, as packed int4, and as rows that a decoder hands out.
typedef struct stored {
  arn__dense_decoder base;
  int8_t bytes[2048], decoded[2048];
  uint8_t packed[1024];
  uint32_t depth;
} stored;

static void decode(const arn__dense_decoder *self, uint32_t first, uint32_t count) {
  const stored *s = (const stored *)(const void *)self;
  assert_true(count <= ARN__DENSE_DECODED);
  memcpy((int8_t *)(uintptr_t)s->decoded, s->bytes + first * s->depth, count * s->depth);
}

static void store(stored *s, uint32_t channels, uint32_t depth) {
  memset(s, 0, sizeof *s);
  s->base.decode = decode;
  s->depth = depth;
  for (uint32_t i = 0; i < channels * depth; i++) {
    const int32_t value = (int32_t)draw(16) - 8;
    s->bytes[i] = (int8_t)value;
    s->packed[i / 2] = (uint8_t)(s->packed[i / 2] | (value & 15) << (i % 2 ? 4 : 0));
  }
}

static arn__dense draw_dense(uint32_t depth, uint32_t channels) {
  arn__dense d = {.depth = depth, .channels = channels, .w_type = ARN_INT8};
  d.type = d.out_type = draw(2) ? ARN_INT8 : ARN_FLOAT32;
  d.bias_type = ARN__DENSE_NO_BIAS;
  if (d.type == ARN_FLOAT32) {
    d.clamp.f32 = (arn__clamp_f32){-1e9f, 1e9f};
    d.w_zero = (int16_t)draw(5);
  } else {
    d.clamp.s32 = (arn__clamp){-128, 127};
    d.in_zero = (int16_t)draw(100);
    d.w_zero = (int16_t)draw(5);
    d.scaling = ARN__DENSE_PER_TENSOR;
    d.scale.one = arn__requant_of(0.01);
  }
  return d;
}

// Lines of `in` times the weights, in all ways to store them, must give the same bytes.
static void weights_mean_the_same_however_stored(void **unused) {
  static stored s;
  (void)unused;
  for (uint32_t round = 0; round < 300; round++) {
    const uint32_t depth = 1 + draw(70), channels = 1 + draw(draw(2) ? 6 : 29), lines = 1 + draw(4);
    arn__dense d = draw_dense(depth, channels);
    const uint32_t es = arn_type_bytes((arn_type)d.type);
    _Alignas(4) uint8_t x[4 * 70 * 4], first[4 * 29 * 4], got[4 * 29 * 4];
    store(&s, channels, depth);
    for (uint32_t i = 0; i < lines * depth; i++) {
      const float value = (float)((int32_t)draw(31) - 15);
      if (es == 1) x[i] = (uint8_t)draw(256);
      else memcpy(x + 4 * i, &value, 4);
    }
    const bool by_columns = draw(2);
    arn__dense_run run = {&arn__dense_any, &d, NULL, {(uint8_t *)s.bytes, NULL, 0}, NULL, 1,
                          by_columns, NULL};
    arn__dense_vectors v = {{x, NULL, depth * es}, {first, NULL, channels * es}, 0, 1};
    arn__dense_rows(&run, &v, (arn_span){0, lines});
    v.out.base = got;
    d.w_type = ARN_INT4;
    run.w.base = s.packed;
    arn__dense_rows(&run, &v, (arn_span){0, lines});
    assert_memory_equal(got, first, lines * channels * es);
    if (by_columns) continue;
    d.w_type = ARN_INT8;
    run.w.base = (uint8_t *)s.decoded;
    run.decoder = &s.base;
    memset(got, 0, sizeof got);
    arn__dense_rows(&run, &v, (arn_span){0, lines});
    assert_memory_equal(got, first, lines * channels * es);
  }
}

// ---- EMBEDDING_LOOKUP ---------------------------------------------------------------------------

static void try_embedding(rig_tally *tally) {
  static const arn_type tables[] = {ARN_FLOAT32, ARN_FLOAT16, ARN_INT8,
                                    ARN_UINT8,   ARN_INT16,   ARN_INT32};
  const uint32_t ids = draw(3) ? 1 + draw(6) : 1, rows = 1 + draw(9);
  const int32_t a = 1 + (int32_t)draw(4), b = 1 + (int32_t)draw(80);
  begin(EMBEDDING_LOOKUP, 2);
  in->type = ARN_INT32;
  set_shape(in, 1, (const int32_t[]){(int32_t)ids});
  w->type = tables[draw(6)];
  set_shape(w, 3, (const int32_t[]){(int32_t)rows, a, b});
  out->type = w->type == ARN_INT32 || draw(3) == 0 ? w->type : ARN_FLOAT32;
  set_shape(out, 3, (const int32_t[]){(int32_t)ids, a, b});
  if (out->type == ARN_FLOAT32) quantise(w, 0.25f, true);
  w->is_constant = draw(4) > 0;
  fill(w);
  const uint32_t count = (uint32_t)(a * b);
  for (uint32_t i = 0; i < ids; i++) {
    const uint32_t id = draw(rows);
    put(in, i, id);
    for (uint32_t k = 0; k < count; k++) {
      const uint32_t from = id * count + k, to = i * count + k;
      const float value = (float)(get(w, from) - w->zero) * (is_float(w) ? 1.0f : w->scale);
      if (out->type == w->type) rig_want(out, to, w, from);
      else memcpy(out->bytes + 4 * to, &value, sizeof value);
    }
  }
  rig_tally_check(tally, &r);
  put(in, draw(ids), draw(2) ? (int64_t)rows : -1);
  rig_refuse(&r, ARN_ERR_DATA);
}

static void embeddings_are_rows_of_the_table(void **unused) {
  rig_tally tally = {0, 0};
  (void)unused;
  for (uint32_t i = 0; i < 300; i++) try_embedding(&tally);
  assert_true(tally.by_rows > 30);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(layers_are_their_definition),
      cmocka_unit_test(broken_layers_are_refused),
      cmocka_unit_test(products_are_their_definition),
      cmocka_unit_test(weights_mean_the_same_however_stored),
      cmocka_unit_test(embeddings_are_rows_of_the_table),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
