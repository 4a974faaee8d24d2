// CONV_2D and DEPTHWISE_CONV_2D over random shapes against their definitions, in all combinations
// of types: whole, and in random spans of scattered rows. The packs hold small shapes of a few
// types: no window longer than a chunk of it, few blocks of channels, no uint8, no filters of other
// types below float inputs.
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
#include "src/kernels/depthwise.h"

enum { CONV_2D = 3, DEPTHWISE_CONV_2D = 4, DEQUANTIZE = 6 };
enum { OPTIONS_CONV_2D = 1, OPTIONS_DEPTHWISE_CONV_2D = 2 };
enum { MOST = 1 << 15, MOST_CHANNELS = 64 };

// A node, and its tensors' values as numbers.
typedef struct node {
  bool depthwise, valid, folded, folded_bias, has_bias;
  int32_t activation;
  int32_t batch, in_h, in_w, in_c, out_h, out_w, out_c, kernel_h, kernel_w, filter_c;
  int32_t stride_h, stride_w, dilation_h, dilation_w, pad_h, pad_w;
  arn_type type, filter_type, bias_type;
  uint32_t filter_scales;
  int64_t in_zero, out_zero, filter_zero;
  float in_scale, out_scale, scales[MOST_CHANNELS], bias_scale;
  double in[MOST], filter[MOST], bias[MOST_CHANNELS], out[MOST];
} node;

#ifndef RIG_SEED
#define RIG_SEED 1  // other seeds: other nodes
#endif

static node n;
static uint64_t seed = RIG_SEED;

static uint32_t draw(uint32_t below) {
  seed += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = seed;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (uint32_t)((z ^ (z >> 31)) % below);
}

static float draw_scale(void) {
  return ldexpf(1.0f + (float)draw(1 << 20) * 0x1p-20f, -8 + (int)draw(4));
}

static bool is_float(arn_type type) { return type == ARN_FLOAT32 || type == ARN_FLOAT16; }

static uint32_t in_count(void) { return (uint32_t)(n.batch * n.in_h * n.in_w * n.in_c); }
static uint32_t out_count(void) { return (uint32_t)(n.batch * n.out_h * n.out_w * n.out_c); }
static uint32_t filter_count(void) {
  return (uint32_t)(n.kernel_h * n.kernel_w * n.filter_c * (n.depthwise ? 1 : n.out_c));
}

// ---- values to bytes ----------------------------------------------------------------------------

// float16 of a multiple of 1/64 below 4 in magnitude: exact.
static uint16_t half_of(double x) {
  if (x == 0.0) return 0;
  int exponent;
  const double mantissa = frexp(fabs(x), &exponent);
  const uint32_t bits = (uint32_t)(exponent + 14) << 10 | (uint32_t)(mantissa * 2048.0 - 1024.0);
  return (uint16_t)(bits | (x < 0.0 ? 0x8000u : 0u));
}

static void write_value(uint8_t *bytes, uint32_t i, arn_type type, double value) {
  const float real = (float)value;
  const uint16_t half = half_of(value);
  const int64_t integer = is_float(type) ? 0 : (int64_t)value;
  switch (type) {
    case ARN_FLOAT32: memcpy(bytes + 4 * i, &real, 4); break;
    case ARN_FLOAT16: memcpy(bytes + 2 * i, &half, 2); break;
    case ARN_INT4:
      bytes[i / 2] = (uint8_t)(i % 2 ? (bytes[i / 2] & 15) | integer * 16 : integer & 15);
      break;
    default: memcpy(bytes + i * arn_type_bytes(type), &integer, arn_type_bytes(type)); break;
  }
}

static uint8_t *to_bytes(arn_type type, const double *values, uint32_t count, size_t *size) {
  *size = type == ARN_INT4 ? (count + 1) / 2 : count * arn_type_bytes(type);
  uint8_t *bytes = calloc(*size + 8, 1);
  for (uint32_t i = 0; i < count; i++) write_value(bytes, i, type, values[i]);
  return bytes;
}

static double draw_value(arn_type type) {
  switch (type) {
    case ARN_INT4: return (double)draw(16) - 8;
    case ARN_INT8: return draw(8) ? (double)draw(256) - 128 : -128;
    case ARN_UINT8: return draw(256);
    case ARN_INT16: return draw(8) ? (double)draw(65536) - 32768 : -32768;
    case ARN_INT32:
    case ARN_INT64: return (double)draw(20000) - 10000;
    case ARN_FLOAT16: return ((double)draw(255) - 127) / 64.0;
    default: return ((double)draw(1 << 20) - (1 << 19)) * 0x1p-18;
  }
}

// ---- a random node ------------------------------------------------------------------------------

static void draw_axis(int32_t in, int32_t *kernel, int32_t *stride, int32_t *dilation) {
  *kernel = 1 + (int32_t)draw(draw(4) ? 3 : 6);
  *stride = 1 + (int32_t)draw(3);
  *dilation = draw(3) ? 1 : 1 + (int32_t)draw(3);
  if (!n.valid) return;
  *stride = 1 + (int32_t)draw(2);
  while ((*kernel - 1) * *dilation + 1 > in) {
    if (*dilation > 1) --*dilation;
    else --*kernel;
  }
}

static int32_t size_of(int32_t in, int32_t kernel, int32_t stride, int32_t dilation,
                       int32_t *pad) {
  const int32_t reach = (kernel - 1) * dilation + 1;
  const int32_t out = n.valid ? (in - reach) / stride + 1 : (in + stride - 1) / stride;
  const int32_t missing = (out - 1) * stride + reach - in;
  *pad = missing > 0 ? missing / 2 : 0;
  return out;
}

static void draw_channels(void) {
  static const int32_t sizes[] = {1, 2, 3, 4, 5, 8, 15, 16, 17, 24, 33};
  n.in_c = sizes[draw(11)];
  if (n.depthwise) {
    const int32_t multiplier = draw(2) ? 1 : 1 + (int32_t)draw(5);
    if (n.in_c * multiplier > MOST_CHANNELS) n.in_c = 3;
    n.out_c = n.filter_c = n.in_c * multiplier;
    return;
  }
  const int32_t groups = draw(3) ? 1 : 1 + (int32_t)draw(3);
  if (n.in_c * groups > MOST_CHANNELS) n.in_c = 5;
  n.filter_c = n.in_c;
  n.in_c *= groups;
  n.out_c = groups * (1 + (int32_t)draw((uint32_t)(MOST_CHANNELS / groups) / (draw(2) ? 1 : 4)));
}

static void draw_shape(void) {
  n.batch = draw(5) ? 1 : 2;
  n.in_h = draw(4) ? 1 + (int32_t)draw(9) : 1;
  n.in_w = draw(4) ? 1 + (int32_t)draw(11) : 1;
  n.valid = draw(2);
  draw_channels();
  draw_axis(n.in_h, &n.kernel_h, &n.stride_h, &n.dilation_h);
  draw_axis(n.in_w, &n.kernel_w, &n.stride_w, &n.dilation_w);
  if (n.in_h == 1 && draw(2)) n.kernel_h = 1;
  n.out_h = size_of(n.in_h, n.kernel_h, n.stride_h, n.dilation_h, &n.pad_h);
  n.out_w = size_of(n.in_w, n.kernel_w, n.stride_w, n.dilation_w, &n.pad_w);
}

static void draw_quantisation(void) {
  static const int64_t least[] = {[ARN_INT8] = -128};
  const bool bytes = n.type == ARN_INT8 || n.type == ARN_UINT8;
  n.in_zero = bytes ? least[n.type == ARN_INT8 ? ARN_INT8 : 0] + draw(256) : 0;
  n.out_zero = bytes ? least[n.type == ARN_INT8 ? ARN_INT8 : 0] + draw(256) : 0;
  const bool free_zero = n.filter_type == ARN_UINT8 || is_float(n.type);
  n.filter_zero = free_zero ? (int64_t)draw_value(n.filter_type) : 0;
  n.filter_scales = n.filter_type == ARN_UINT8 || draw(3) == 0 ? 1 : (uint32_t)n.out_c;
  if (is_float(n.filter_type)) n.filter_scales = 0;
  for (int32_t i = 0; i < MOST_CHANNELS; i++) n.scales[i] = draw_scale();
  n.in_scale = draw_scale();
  n.out_scale = draw_scale() * (n.type == ARN_INT16 ? 2048.0f : 16.0f);
  n.bias_scale = draw_scale();
}

static void draw_node(bool depthwise, arn_type type, arn_type filter, arn_type bias) {
  static const int32_t activations[] = {0, 1, 2, 3};
  n.depthwise = depthwise;
  n.type = type;
  n.filter_type = filter;
  n.bias_type = bias;
  n.has_bias = draw(5) > 0;
  n.folded = is_float(type) && filter != ARN_FLOAT32 && (filter != ARN_INT8 || draw(2));
  n.folded_bias = is_float(type) && bias != ARN_FLOAT32;
  n.activation = activations[draw(4)];
  do draw_shape();
  while (in_count() > MOST || out_count() > MOST || filter_count() > MOST);
  draw_quantisation();
  for (uint32_t i = 0; i < in_count(); i++) n.in[i] = draw_value(type);
  for (uint32_t i = 0; i < filter_count(); i++) n.filter[i] = draw_value(filter);
  for (int32_t i = 0; i < n.out_c; i++) n.bias[i] = draw_value(bias);
}

// ---- the definition -----------------------------------------------------------------------------

static double value_below(const int32_t *at, int32_t ky, int32_t kx, int32_t c, double outside) {
  const int32_t y = at[1] * n.stride_h - n.pad_h + ky * n.dilation_h;
  const int32_t x = at[2] * n.stride_w - n.pad_w + kx * n.dilation_w;
  if (y < 0 || y >= n.in_h || x < 0 || x >= n.in_w) return outside;
  return n.in[((at[0] * n.in_h + y) * n.in_w + x) * n.in_c + c];
}

// The sum of one output: in 64 bits, or in the order of the filter in float.
static double sum_of(const int32_t *at) {
  const int32_t taps = n.kernel_h * n.kernel_w, o = at[3];
  const int32_t depth = n.depthwise ? 1 : n.filter_c;
  const int32_t first = n.depthwise ? o / (n.out_c / n.in_c)
                                    : o / (n.out_c / (n.in_c / n.filter_c)) * n.filter_c;
  int64_t integer = 0;
  float real = 0.0f;
  for (int32_t tap = 0; tap < taps; tap++) {
    for (int32_t c = 0; c < depth; c++) {
      const double x = value_below(at, tap / n.kernel_w, tap % n.kernel_w, first + c, NAN);
      if (isnan(x)) continue;
      const double w = n.filter[n.depthwise ? tap * n.out_c + o : (o * taps + tap) * depth + c];
      const double centred = w - (double)n.filter_zero;
      if (is_float(n.type)) real += (float)x * (float)(is_float(n.filter_type) ? w : centred);
      else integer += (int64_t)(x - (double)n.in_zero) * (int64_t)centred;
    }
  }
  return is_float(n.type) ? (double)real : (double)integer;
}

// The reference's split of a real multiplier.
static int32_t split(double real, int *shift) {
  *shift = 0;
  if (real == 0.0) return 0;
  int64_t q = (int64_t)round(frexp(real, shift) * 2147483648.0);
  if (q == INT64_C(1) << 31) {
    q /= 2;
    ++*shift;
  }
  if (*shift < -31) q = *shift = 0;
  return (int32_t)q;
}

// Two roundings, each away from zero at ties, as written in the reference.
static int64_t requantised_32(int64_t sum, int32_t q, int shift) {
  const int64_t product = sum * (INT64_C(1) << (shift > 0 ? shift : 0)) * q;
  const int64_t nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
  const int64_t high = (product + nudge) / (INT64_C(1) << 31);
  const int64_t divisor = INT64_C(1) << (shift > 0 ? 0 : -shift);
  const int64_t magnitude = ((high < 0 ? -high : high) + divisor / 2) / divisor;
  return high < 0 ? -magnitude : magnitude;
}

static int64_t requantised_64(int64_t sum, int32_t q, int shift) {
  const int64_t reduced = q < 0x7FFF0000 ? (q + (1 << 15)) >> 16 : 0x7FFF;
  return (sum * reduced + (INT64_C(1) << (14 - shift))) >> (15 - shift);
}

static double clamped(double y, double zero, double scale) {
  static const double bounds[4][2] = {{-INFINITY, INFINITY}, {0, INFINITY}, {-1, 1}, {0, 6}};
  const double least = n.type == ARN_INT16 ? -32768 : n.type == ARN_INT8 ? -128 : 0;
  const double most = n.type == ARN_INT16 ? 32767 : n.type == ARN_INT8 ? 127 : 255;
  double low = bounds[n.activation][0], high = bounds[n.activation][1];
  if (!is_float(n.type)) {
    low = fmax(least, zero + (double)roundf((float)low / (float)scale));
    high = fmin(most, zero + (double)roundf((float)high / (float)scale));
  }
  return y < low ? low : y > high ? high : y;
}

static double quantised(double sum, int32_t o) {
  const float filter_scale = n.scales[n.filter_scales > 1 ? o : 0];
  const float product = n.in_scale * filter_scale;
  const double exact = (double)n.in_scale * (double)filter_scale;
  const double real = (n.filter_type == ARN_UINT8 ? (double)product : exact) / (double)n.out_scale;
  const int64_t total = (int64_t)sum + (n.has_bias ? (int64_t)n.bias[o] : 0);
  const bool wide = n.type == ARN_INT16 && (n.depthwise || !n.has_bias || n.bias_type == ARN_INT64);
  int shift;
  const int32_t q = split(real, &shift);
  const int64_t y = wide ? requantised_64(total, q, shift) : requantised_32(total, q, shift);
  return clamped((double)(y + n.out_zero), (double)n.out_zero, (double)n.out_scale);
}

static double real_output(double sum, int32_t o) {
  float y = (float)sum;
  if (!is_float(n.filter_type)) y *= n.scales[n.filter_scales > 1 ? o : 0];
  if (n.has_bias) {
    const float bias = (float)n.bias[o];
    y += is_float(n.bias_type) ? bias : bias * n.bias_scale;
  }
  return clamped((double)y, 0, 1);
}

static void find_outputs(void) {
  for (int32_t i = 0; i < (int32_t)out_count(); i++) {
    const int32_t pixel = i / n.out_c;
    const int32_t at[] = {pixel / (n.out_h * n.out_w), pixel / n.out_w % n.out_h,
                          pixel % n.out_w, i % n.out_c};
    const double sum = sum_of(at);
    n.out[i] = is_float(n.type) ? real_output(sum, at[3]) : quantised(sum, at[3]);
  }
}

// ---- running ------------------------------------------------------------------------------------

static int32_t add_constant(arn_builder *b, arn_build_tensor *t, const double *values,
                            uint32_t count, bool folded) {
  size_t size;
  uint8_t *bytes = to_bytes(t->type, values, count, &size);
  t->data = bytes;
  t->data_bytes = size;
  const int32_t constant = arn_builder_tensor(b, t);
  free(bytes);
  if (!folded) return constant;
  arn_build_tensor unfolded = {.name = "unfolded", .type = ARN_FLOAT32, .rank = t->rank};
  memcpy(unfolded.shape, t->shape, sizeof unfolded.shape);
  const int32_t result = arn_builder_tensor(b, &unfolded);
  arn_builder_operator(b, &(arn_build_operator){.code = DEQUANTIZE, .inputs = &constant,
                                                .input_count = 1, .outputs = &result,
                                                .output_count = 1});
  return result;
}

static int32_t add_filter(arn_builder *b) {
  int64_t zeros[MOST_CHANNELS];
  for (int32_t i = 0; i < MOST_CHANNELS; i++) zeros[i] = n.filter_zero;
  arn_build_tensor t = {.name = "filter", .type = n.filter_type, .rank = 4,
                        .shape = {n.depthwise ? 1 : n.out_c, n.kernel_h, n.kernel_w, n.filter_c},
                        .quant = {n.scales, zeros, n.filter_scales, n.depthwise ? 3 : 0}};
  return add_constant(b, &t, n.filter, filter_count(), n.folded);
}

static int32_t add_bias(arn_builder *b) {
  arn_build_tensor t = {.name = "bias", .type = n.bias_type, .rank = 1, .shape = {n.out_c}};
  const bool scaled = n.folded_bias && !is_float(n.bias_type);
  if (scaled) t.quant = (arn_build_quant){&n.bias_scale, NULL, 1, 0};
  return add_constant(b, &t, n.bias, (uint32_t)n.out_c, n.folded_bias);
}

static uint8_t *build(size_t *size) {
  uint8_t *bytes = NULL;
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  arn_build_tensor in = {.name = "in", .type = n.type, .rank = 4,
                         .shape = {n.batch, n.in_h, n.in_w, n.in_c}};
  arn_build_tensor out = {.name = "out", .type = n.type, .rank = 4,
                          .shape = {n.batch, n.out_h, n.out_w, n.out_c}};
  if (!is_float(n.type)) {
    in.quant = (arn_build_quant){&n.in_scale, &n.in_zero, 1, 0};
    out.quant = (arn_build_quant){&n.out_scale, &n.out_zero, 1, 0};
  }
  const int32_t input = arn_builder_tensor(b, &in);
  const int32_t inputs[] = {input, add_filter(b), n.has_bias ? add_bias(b) : -1};
  const int32_t output = arn_builder_tensor(b, &out);
  arn_build_operator op = {.code = n.depthwise ? DEPTHWISE_CONV_2D : CONV_2D, .inputs = inputs,
                           .input_count = n.has_bias || draw(2) ? 3 : 2, .outputs = &output,
                           .output_count = 1};
  op.options.type = n.depthwise ? OPTIONS_DEPTHWISE_CONV_2D : OPTIONS_CONV_2D;
  const double options[] = {n.valid,      n.stride_w,   n.stride_h,
                            n.activation, n.dilation_w, n.dilation_h};
  double *values = op.options.values;
  memcpy(values, options, sizeof options);
  if (n.depthwise) {
    memmove(values + 4, values + 3, 3 * sizeof values[0]);
    values[3] = n.out_c / n.in_c;
  }
  arn_builder_operator(b, &op);
  arn_builder_io(b, &input, 1, &output, 1);
  if (!arn_builder_finish(b, &bytes, size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  return bytes;
}

static void print_node(void) {
  print_error("%s %s x %s + %s%s: [%d,%d,%d,%d] * [%d,%d,%d] -> [%d,%d,%d] stride %d,%d dilation "
              "%d,%d %s activation %d\n", n.depthwise ? "depthwise" : "conv", arn_type_name(n.type),
              arn_type_name(n.filter_type), arn_type_name(n.bias_type), n.has_bias ? "" : " (none)",
              n.batch, n.in_h, n.in_w, n.in_c, n.kernel_h, n.kernel_w, n.filter_c, n.out_h, n.out_w,
              n.out_c, n.stride_h, n.stride_w, n.dilation_h, n.dilation_w,
              n.valid ? "valid" : "same", n.activation);
}

static void compare(const host_engine *engine, const uint8_t *want, size_t size) {
  const arn_tensor_view view = arn_output(&engine->nn, 0);
  assert_int_equal(view.bytes, size);
  if (memcmp(view.data, want, size) == 0) return;
  const uint8_t *got = view.data;
  size_t i = 0;
  while (got[i] == want[i]) i++;
  print_node();
  fail_msg("byte %zu of %zu: got %02x, want %02x", i, size, got[i], want[i]);
}

// Runs the node; returns how the run by rows went.
static host_rows_result check_node(void) {
  host_engine engine;
  arn_error error = {0};
  size_t size, in_size, out_size;
  uint8_t *model = build(&size);
  uint8_t *in = to_bytes(n.type, n.in, in_count(), &in_size);
  find_outputs();
  uint8_t *want = to_bytes(n.type, n.out, out_count(), &out_size);
  const host_options options = {.config = {.flags = ARN_KEEP_ALL}, .fill = HOST_FILL_RANDOM};
  if (host_engine_open(&engine, model, size, &options, &error) != ARN_OK) {
    print_node();
    fail_msg("does not start: %s", arn_what_text(error.what));
  }
  memcpy(arn_input(&engine.nn, 0).data, in, in_size);
  assert_int_equal(arn_invoke(&engine.nn, &error), ARN_OK);
  assert_true(host_engine_is_intact(&engine));
  compare(&engine, want, out_size);
  const uint32_t node_index = (uint32_t)n.folded + (uint32_t)(n.folded_bias && n.has_bias);
  const host_rows_result rows = host_rows_check(&engine, node_index, seed);
  if (rows != HOST_ROWS_SAME && rows != HOST_ROWS_WHOLE) {
    print_node();
    fail_msg("by rows: %s", host_rows_text(rows));
  }
  host_engine_close(&engine);
  free(want);
  free(in);
  free(model);
  return rows;
}

// The combinations of input, filter and bias.
static void check_types(bool depthwise) {
  static const arn_type types[][3] = {
      {ARN_INT8, ARN_INT8, ARN_INT32},         {ARN_INT8, ARN_INT4, ARN_INT32},
      {ARN_UINT8, ARN_UINT8, ARN_INT32},       {ARN_INT16, ARN_INT8, ARN_INT64},
      {ARN_INT16, ARN_INT8, ARN_INT32},        {ARN_FLOAT32, ARN_FLOAT32, ARN_FLOAT32},
      {ARN_FLOAT32, ARN_FLOAT16, ARN_FLOAT16}, {ARN_FLOAT32, ARN_FLOAT16, ARN_FLOAT32},
      {ARN_FLOAT32, ARN_INT8, ARN_FLOAT32},    {ARN_FLOAT32, ARN_INT8, ARN_INT32},
      {ARN_FLOAT32, ARN_UINT8, ARN_INT8},      {ARN_FLOAT32, ARN_INT16, ARN_INT16},
      {ARN_FLOAT32, ARN_INT4, ARN_FLOAT32},
  };
  for (uint32_t i = 0; i < sizeof types / sizeof types[0]; i++) {
    uint32_t by_rows = 0;
    for (uint32_t k = 0; k < 60; k++) {
      draw_node(depthwise, types[i][0], types[i][1], types[i][2]);
      by_rows += check_node() == HOST_ROWS_SAME;
    }
    assert_in_range(by_rows, 20, 59);
  }
}

static void conv_is_its_definition(void **state) {
  (void)state;
  check_types(false);
}

static void depthwise_is_its_definition(void **state) {
  (void)state;
  check_types(true);
}

// ---- kernels ------------------------------------------------------------------------------------

// What a kernel is given, in allocations of exactly its size: the sanitisers watch its ends.
typedef struct call {
  arn__conv conv;
  arn__conv_row row;
  arn__conv_block block;
  arn__requant requant[ARN__CONV_CHANNELS];
  uint8_t *in, *filter, *bias, *out;
} call;

static uint8_t *exact_bytes(arn_type type, const double *values, int32_t count) {
  size_t size;
  uint8_t *bytes = to_bytes(type, values, (uint32_t)count, &size);
  uint8_t *copy = malloc(size);
  memcpy(copy, bytes, size);
  free(bytes);
  return copy;
}

static void make_call(call *k, int32_t y, int32_t first, int32_t count) {
  const int32_t row_count = n.in_w * n.in_c;
  k->in = exact_bytes(n.type, n.in + y * row_count, (n.in_h - y) * row_count);
  k->filter = exact_bytes(n.filter_type, n.filter, (int32_t)filter_count());
  k->bias = exact_bytes(n.bias_type, n.bias + first, count);
  k->out = calloc((size_t)(n.out_w * n.out_c), arn_type_bytes(n.type));
  const int32_t taps = n.kernel_h * n.kernel_w;
  k->conv = (arn__conv){
      .in_width = n.in_w, .in_channels = n.in_c, .out_channels = n.out_c,
      .group = n.depthwise ? n.out_c / n.in_c : n.filter_c, .kernel_width = n.kernel_w,
      .stride = n.stride_w, .dilation = n.dilation_w, .pad = n.pad_w,
      .filter_step = (uint32_t)(taps * n.filter_c), .filter_count = filter_count(),
      .in_zero = (int32_t)n.in_zero, .filter_zero = (int32_t)n.filter_zero, .out_zero = 0,
      .clamp = {INT16_MIN, INT16_MAX}, .low = -INFINITY, .high = INFINITY, .wide_bias = true,
      .wide_sums = true};
  if (n.type == ARN_INT8) k->conv.clamp = (arn__clamp){INT8_MIN, INT8_MAX};
  for (uint32_t c = 0; c < ARN__CONV_CHANNELS; c++) k->requant[c] = (arn__requant){1 << 30, -9};
  const uint32_t row_bytes = (uint32_t)row_count * arn_type_bytes(n.type);
  k->row = (arn__conv_row){.input = {k->in, NULL, row_bytes}, .step = (uint32_t)n.dilation_h,
                           .count = (uint32_t)n.kernel_h, .columns = (uint32_t)n.out_w,
                           .out = k->out};
  k->block = (arn__conv_block){
      .first = (uint32_t)first, .count = (uint32_t)count, .filter = k->filter, .bias = k->bias,
      .filter_at = (uint32_t)first * (n.depthwise ? 1 : k->conv.filter_step),
      .requant = k->requant};
  const int32_t groups = n.in_c / n.filter_c;
  if (!n.depthwise) k->block.in_first = (uint32_t)(first / (n.out_c / groups) * n.filter_c);
}

static double wanted(int32_t y, int32_t x, int32_t c) {
  const int32_t at[] = {0, y, x, c};
  const double sum = sum_of(at) + n.bias[c];
  if (is_float(n.type)) return (double)(float)((float)sum_of(at) + (float)n.bias[c]);
  const int64_t q = n.type == ARN_INT16 ? requantised_64((int64_t)sum, 1 << 30, -9)
                                        : requantised_32((int64_t)sum, 1 << 30, -9);
  const double most = n.type == ARN_INT16 ? 32767 : 127;
  return (double)q > most ? most : (double)q < -most - 1 ? -most - 1 : (double)q;
}

// The last row of the image and a block of channels, mostly the last.
static void check_call(arn__conv_kernel *kernel) {
  call k;
  const int32_t y = n.in_h - ((n.kernel_h - 1) * n.dilation_h + 1);
  const int32_t groups = n.depthwise ? 1 : n.in_c / n.filter_c, size = n.out_c / groups;
  const int32_t most = n.depthwise ? ARN__DEPTHWISE_CHANNELS : ARN__CONV_CHANNELS;
  const int32_t count = 1 + (int32_t)draw((uint32_t)(size < most ? size : most));
  const int32_t first = n.out_c - count;
  make_call(&k, y, first, count);
  kernel(&k.conv, &k.row, &k.block);
  uint8_t want[4];
  for (int32_t i = 0; i < n.out_w * n.out_c; i++) {
    const bool inside = i % n.out_c >= first;
    memset(want, 0, sizeof want);
    if (inside) write_value(want, 0, n.type, wanted(y, i / n.out_c, i % n.out_c));
    assert_memory_equal(k.out + (size_t)i * arn_type_bytes(n.type), want, arn_type_bytes(n.type));
  }
  free(k.in);
  free(k.filter);
  free(k.bias);
  free(k.out);
}

static void kernels_stay_inside(void **state) {
  static const struct {
    arn_type in, filter, bias;
    arn__conv_kernel *conv, *depthwise;
  } kernels[] = {
      {ARN_INT8, ARN_INT8, ARN_INT32, arn__conv_row_s8, arn__depthwise_row_s8},
      {ARN_INT8, ARN_INT8, ARN_INT32, arn__conv_row_s8_portable, arn__depthwise_row_s8_portable},
      {ARN_INT8, ARN_INT4, ARN_INT32, arn__conv_row_s8_s4, arn__depthwise_row_s8_s4},
      {ARN_INT16, ARN_INT8, ARN_INT64, arn__conv_row_s16, arn__depthwise_row_s16},
      {ARN_FLOAT32, ARN_FLOAT32, ARN_FLOAT32, arn__conv_row_f32, arn__depthwise_row_f32},
  };
  (void)state;
  for (uint32_t i = 0; i < 2 * sizeof kernels / sizeof kernels[0]; i++) {
    for (uint32_t k = 0; k < 100; k++) {
      const bool depthwise = i % 2;
      do draw_node(depthwise, kernels[i / 2].in, kernels[i / 2].filter, kernels[i / 2].bias);
      while (!n.valid);
      n.stride_h = 1;
      n.pad_h = 0;
      check_call(depthwise ? kernels[i / 2].depthwise : kernels[i / 2].conv);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(conv_is_its_definition),
                                     cmocka_unit_test(depthwise_is_its_definition),
                                     cmocka_unit_test(kernels_stay_inside)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
