// Operators of one input, element by element.
#include <math.h>

#include "bench/oracle/plain.h"
#include "src/kernels/activation.h"

// ---- floats -------------------------------------------------------------------------------------

#define UNARY_F32(name, expression)                                       \
  static void name##_f32(const plain_node *n) {                           \
    for (uint32_t i = 0; i < n->out[0].count; i++) {                      \
      const float x = n->in[0].f32[i];                                    \
      n->out[0].f32[i] = (expression);                                    \
    }                                                                     \
  }
UNARY_F32(relu, x < 0.0f ? 0.0f : x)
UNARY_F32(relu6, x < 0.0f ? 0.0f : x > 6.0f ? 6.0f : x)
UNARY_F32(relu_n1_to_1, x < -1.0f ? -1.0f : x > 1.0f ? 1.0f : x)
UNARY_F32(relu_0_to_1, x < 0.0f ? 0.0f : x > 1.0f ? 1.0f : x)
UNARY_F32(leaky, x < 0.0f ? x * (float)n->options[0] : x)
UNARY_F32(hard_swish, x * fminf(6.0f, fmaxf(0.0f, x + 3.0f)) / 6.0f)
UNARY_F32(abs, fabsf(x))
UNARY_F32(neg, -x)
UNARY_F32(exp, expf(x))
UNARY_F32(log, logf(x))
UNARY_F32(sqrt, sqrtf(x))
UNARY_F32(rsqrt, 1.0f / sqrtf(x))
UNARY_F32(square, x * x)
UNARY_F32(sin, sinf(x))
UNARY_F32(cos, cosf(x))
UNARY_F32(ceil, ceilf(x))
UNARY_F32(floor, floorf(x))
UNARY_F32(round, rintf(x))
UNARY_F32(sign, (float)((x > 0.0f) - (x < 0.0f)))
UNARY_F32(logistic, 1.0f / (1.0f + expf(-x)))
UNARY_F32(tanh, tanhf(x))
UNARY_F32(elu, x < 0.0f ? expm1f(x) : x)
UNARY_F32(gelu, 0.5f * x * erfcf(x * -0.70710678f))

// ---- plain integers -----------------------------------------------------------------------------

static void abs_s32(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const int32_t x = n->in[0].s32[i];
    n->out[0].s32[i] = x < 0 ? (int32_t)(0u - (uint32_t)x) : x;
  }
}

static void neg_s32(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    n->out[0].s32[i] = (int32_t)(0u - (uint32_t)n->in[0].s32[i]);
  }
}

static void neg_s64(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    n->out[0].s64[i] = (int64_t)(0u - (uint64_t)n->in[0].s64[i]);
  }
}

static void sign_s32(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    n->out[0].s32[i] = (n->in[0].s32[i] > 0) - (n->in[0].s32[i] < 0);
  }
}

// ---- lines on quantised values ------------------------------------------------------------------

static plain_multiplier ratio(const plain_node *n) {
  return plain_split((double)n->in[0].scale / (double)n->out[0].scale);
}

// What `value` is in the output's quantisation.
static int32_t level(const plain_node *n, float value) {
  return n->out[0].zero + (int32_t)roundf(value / n->out[0].scale);
}

// Requantises `sign` times the input, if below zero `negative` times, to within bounds.
typedef struct line {
  plain_multiplier positive, negative;
  int32_t low, high;
} line;

static void line_s8(const plain_node *n, line l) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const int32_t x = n->in[0].s8[i] - n->in[0].zero;
    const int32_t y = plain_requantise(x, x < 0 ? l.negative : l.positive) + n->out[0].zero;
    n->out[0].s8[i] = (int8_t)plain_clamp(y, l.low, l.high);
  }
}

static void line_s16(const plain_node *n, line l) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const int32_t x = n->in[0].s16[i] - n->in[0].zero;
    const int32_t y = plain_requantise(x, x < 0 ? l.negative : l.positive) + n->out[0].zero;
    n->out[0].s16[i] = (int16_t)plain_clamp(y, l.low, l.high);
  }
}

static void relu_s8(const plain_node *n) {
  const plain_multiplier m = ratio(n);
  line_s8(n, (line){m, m, plain_s8(level(n, 0.0f)), 127});
}

static void relu_s16(const plain_node *n) {
  const plain_multiplier m = ratio(n);
  line_s16(n, (line){m, m, plain_s16(level(n, 0.0f)), 32767});
}

static void relu_n1_to_1_s8(const plain_node *n) {
  const plain_multiplier m = ratio(n);
  line_s8(n, (line){m, m, plain_s8(level(n, -1.0f)), plain_s8(level(n, 1.0f))});
}

static void relu_0_to_1_s8(const plain_node *n) {
  const plain_multiplier m = ratio(n);
  line_s8(n, (line){m, m, plain_s8(level(n, 0.0f)), plain_s8(level(n, 1.0f))});
}

static void relu6_s8(const plain_node *n) {  // of raw values
  const int32_t low = plain_s8(level(n, 0.0f)), high = plain_s8(level(n, 6.0f));
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    n->out[0].s8[i] = (int8_t)plain_clamp(n->in[0].s8[i], low, high);
  }
}

static void relu6_s16(const plain_node *n) {
  const int32_t low = plain_s16(level(n, 0.0f)), high = plain_s16(level(n, 6.0f));
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    n->out[0].s16[i] = (int16_t)plain_clamp(n->in[0].s16[i], low, high);
  }
}

static plain_multiplier leak(const plain_node *n) {
  const float alpha = (float)n->options[0];
  return plain_split((double)(n->in[0].scale * alpha / n->out[0].scale));
}

static void leaky_s8(const plain_node *n) {
  line_s8(n, (line){plain_split((double)(n->in[0].scale / n->out[0].scale)), leak(n), -128, 127});
}

static void leaky_s16(const plain_node *n) {
  line_s16(n, (line){plain_split((double)(n->in[0].scale / n->out[0].scale)), leak(n), -32768,
                     32767});
}

static plain_multiplier minus(plain_multiplier m) { return (plain_multiplier){-m.q, m.shift}; }

static void abs_s8(const plain_node *n) {
  line_s8(n, (line){ratio(n), minus(ratio(n)), -128, 127});
}

static void neg_s8(const plain_node *n) {
  line_s8(n, (line){minus(ratio(n)), minus(ratio(n)), -128, 127});
}

// ---- curves of quantised values -----------------------------------------------------------------

// A table of the function's 256 results, made at each run, and looked up.
static void table_s8(const plain_node *n, float (*f)(float)) {
  int8_t table[256];
  for (int32_t x = -128; x < 128; x++) {
    const float y = f((float)(x - n->in[0].zero) * n->in[0].scale);
    const float q = roundf(y / n->out[0].scale) + (float)n->out[0].zero;
    table[(uint8_t)x] = (int8_t)(q < -128.0f ? -128.0f : q > 127.0f ? 127.0f : q);
  }
  for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].s8[i] = table[n->in[0].u8[i]];
}

static void values_s16(const plain_node *n, float (*f)(float)) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const float q = roundf(f((float)n->in[0].s16[i] * n->in[0].scale) / n->out[0].scale);
    n->out[0].s16[i] = (int16_t)(q < -32768.0f ? -32768.0f : q > 32767.0f ? 32767.0f : q);
  }
}

static float elu_of(float x) { return x < 0.0f ? expm1f(x) : x; }
static float gelu_of(float x) { return 0.5f * x * erfcf(x * -0.70710678f); }
static float rsqrt_of(float x) { return 1.0f / sqrtf(x); }

static void elu_s8(const plain_node *n) { table_s8(n, elu_of); }
static void gelu_s8(const plain_node *n) { table_s8(n, gelu_of); }
static void exp_s8(const plain_node *n) { table_s8(n, expf); }
static void log_s8(const plain_node *n) { table_s8(n, logf); }
static void rsqrt_s8(const plain_node *n) { table_s8(n, rsqrt_of); }
static void elu_s16(const plain_node *n) { values_s16(n, elu_of); }
static void gelu_s16(const plain_node *n) { values_s16(n, gelu_of); }
static void exp_s16(const plain_node *n) { values_s16(n, expf); }
static void log_s16(const plain_node *n) { values_s16(n, logf); }

static void logistic_s8(const plain_node *n) {
  const plain_multiplier m = plain_split((double)n->in[0].scale * (1 << 27));
  const int32_t flat = (15 << 27) >> m.shift;
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const int32_t x = n->in[0].s8[i] - n->in[0].zero;
    const int32_t a = plain_requantise(x, m);
    int32_t y = x < 0 ? -128 : 127;
    if (x > -flat && x < flat) {
      const int32_t positive = plain_shift_left(plain_two_over(plain_exp(a > 0 ? -a : a, 4)), 1);
      const int32_t either = a > 0 ? positive : INT32_MAX - positive;
      y = plain_s8(plain_divide(a == 0 ? 1 << 30 : either, 23) - 128);
    }
    n->out[0].s8[i] = (int8_t)y;
  }
}

static void tanh_s8(const plain_node *n) {
  const plain_multiplier m = plain_split((double)n->in[0].scale * (1 << 27));
  const int32_t flat = (15 << 27) >> m.shift;
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const int32_t x = n->in[0].s8[i] - n->in[0].zero;
    const int32_t a = plain_requantise(x, m), minus_twice = plain_shift_left(a < 0 ? a : -a, 1);
    int32_t y = x < 0 ? -128 : 127;
    if (x > -flat && x < flat) {
      const int32_t e = plain_exp(minus_twice, 4);
      const int32_t t = plain_shift_left(plain_two_over(e) - (1 << 29), 2);
      y = plain_s8(plain_divide(a == 0 ? 0 : a < 0 ? -t : t, 24));
    }
    n->out[0].s8[i] = (int8_t)y;
  }
}

// 16 bits: the definition is a table (65536 * logistic(i / 24)) and linear interpolation.
static void lookup_s16(const plain_node *n, int32_t bits) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const int32_t x = n->in[0].s16[i] * 3;  // scale 2^-12
    const uint32_t at = (uint32_t)(x < 0 ? -x : x), k = at >> bits, part = at & ((1u << bits) - 1);
    const uint16_t *entry = arn__activation_sigmoid + k;
    const uint32_t end = bits == 9 ? 0x7FFFu << 10 : 0xFFFFu << 8;
    const uint32_t y = k >= 255 ? end : ((uint32_t)entry[0] << bits) + part * (entry[1] - entry[0]);
    if (bits == 9) {
      n->out[0].s16[i] = (int16_t)((x >= 0 ? y + 512 : (1u << 25) - y + 511) >> 10);
    } else {
      const int32_t z = (int32_t)y - (1 << 23);
      n->out[0].s16[i] = (int16_t)((x >= 0 ? z + 128 : 127 - z) >> 8);
    }
  }
}

static void logistic_s16(const plain_node *n) { lookup_s16(n, 9); }
static void tanh_s16(const plain_node *n) { lookup_s16(n, 8); }

static int32_t q15(int32_t q) { return q >= INT32_MAX - (1 << 15) ? 32767 : (q + (1 << 15)) >> 16; }
static int32_t high_s16(int32_t a, int32_t b) { return (a * b + (1 << 14)) >> 15; }

static void hard_swish_s8(const plain_node *n) {
  const float fine = (1.0f / 128.0f) * n->in[0].scale;
  const plain_multiplier out = plain_split((double)(fine / n->out[0].scale));
  const plain_multiplier gate = plain_split((double)(fine / (3.0f / 32768.0f)));
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const int32_t x = (n->in[0].s8[i] - n->in[0].zero) * 128;
    int32_t g = gate.shift > 0 ? plain_s16(x * (1 << (gate.shift - 1))) : x;
    g = high_s16(g, q15(gate.q));
    g = gate.shift > 0 ? plain_s16(2 * g) : plain_divide(g, -gate.shift);
    const int32_t product = ((g + (1 << 15)) >> 1) * high_s16(x, q15(out.q)) / (1 << 15);
    n->out[0].s8[i] = (int8_t)plain_s8(plain_divide(product, -out.shift) + n->out[0].zero);
  }
}

// ---- from one type to another -------------------------------------------------------------------

static void quantise_s8(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const int32_t q = (int32_t)roundf(n->in[0].f32[i] / n->out[0].scale) + n->out[0].zero;
    n->out[0].s8[i] = (int8_t)plain_s8(q);
  }
}

static void quantise_s16(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const int32_t q = (int32_t)roundf(n->in[0].f32[i] / n->out[0].scale) + n->out[0].zero;
    n->out[0].s16[i] = (int16_t)plain_s16(q);
  }
}

static void requantise_s8(const plain_node *n) {
  const plain_multiplier m = ratio(n);
  line_s8(n, (line){m, m, -128, 127});
}

static void requantise_s16_s8(const plain_node *n) {
  const plain_multiplier m = ratio(n);
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const int32_t y = plain_requantise(n->in[0].s16[i] - n->in[0].zero, m) + n->out[0].zero;
    n->out[0].s8[i] = (int8_t)plain_s8(y);
  }
}

static void dequantise_s8(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    n->out[0].f32[i] = n->in[0].scale * (float)(n->in[0].s8[i] - n->in[0].zero);
  }
}

static void dequantise_s16(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    n->out[0].f32[i] = n->in[0].scale * (float)(n->in[0].s16[i] - n->in[0].zero);
  }
}

static void dequantise_f16(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].f32[i] = plain_half(n->in[0].u16[i]);
}

#define CAST(name, from, to)                                       \
  static void cast_##name(const plain_node *n) {                   \
    for (uint32_t i = 0; i < n->out[0].count; i++) {               \
      n->out[0].to[i] = (__typeof__(n->out[0].to[0]))n->in[0].from[i]; \
    }                                                              \
  }
CAST(s8_f32, s8, f32)
CAST(f32_s8, f32, s8)
CAST(f32_s32, f32, s32)
CAST(s32_f32, s32, f32)
CAST(s32_s8, s32, s8)
CAST(s64_s32, s64, s32)

// 256 values from -6 to 6, moved so that 0 is one of them.
static void steps_f32(const plain_node *n) {
  const float step = 12.0f / 255.0f, zero = roundf(6.0f / step);
  const float low = -zero * step, high = (255.0f - zero) * step;
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    const float x = fminf(fmaxf(n->in[0].f32[i], low), high);
    n->out[0].f32[i] = floorf((x - low) / step + 0.5f) * step + low;
  }
}

static void zeros(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].bytes; i++) n->out[0].u8[i] = 0;
}

static void real_part(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].f32[i] = n->in[0].f32[2 * i];
}

static void imaginary_part(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].f32[i] = n->in[0].f32[2 * i + 1];
}

static void magnitude(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    n->out[0].f32[i] = hypotf(n->in[0].f32[2 * i], n->in[0].f32[2 * i + 1]);
  }
}

#define F32(op, loop, range)                                                                  \
  {&arn_op_##op, "", "f32 1x64x64x16 " range " > f32 1x64x64x16", loop##_f32, false, 0,       \
   {0}, {{0}}}
#define S8(op, loop, in, out)                                                                 \
  {&arn_op_##op, "", "s8 1x64x64x16 " in " > s8 1x64x64x16 " out, loop##_s8, false, 0,        \
   {0}, {{0}}}
#define ABOUT_S8(op, loop, in, out)  /* a curve in floats: within a step */                   \
  {&arn_op_##op, "", "s8 1x64x64x16 " in " > s8 1x64x64x16 " out, loop##_s8, false, 1,        \
   {0}, {{0}}}
#define ABOUT_S16(op, loop, in, out)                                                          \
  {&arn_op_##op, "", "s16 1x64x64x16 " in " > s16 1x64x64x16 " out, loop##_s16, false, 1,     \
   {0}, {{0}}}
#define S16(op, loop, in, out)                                                                \
  {&arn_op_##op, "", "s16 1x64x64x16 " in " > s16 1x64x64x16 " out, loop##_s16, false, 0,     \
   {0}, {{0}}}
#define OTHER(op, in, out, loop) {&arn_op_##op, "", in " > " out, loop, false, 0, {0}, {{0}}}
#define LEAKY(in, out, loop)                                                                  \
  {&arn_op_leaky_relu, "", in " > " out, loop, false, 0, {ARN_OPTIONS_LEAKY_RELU, {0.1}, {{0}},\
   {0}}, {{0}}}

const plain_case plain_unary[] = {
    F32(relu, relu, "~-9..9"), S8(relu, relu, "@.05+3", "@.03-5"), S16(relu, relu, "@.05", "@.03"),
    F32(relu6, relu6, "~-9..9"), S8(relu6, relu6, "@.1+3", "@.1+3"), S16(relu6, relu6, "@.001",
        "@.001"),
    F32(relu_n1_to_1, relu_n1_to_1, "~-2..2"), S8(relu_n1_to_1, relu_n1_to_1, "@.05+3", "@.03-5"),
    F32(relu_0_to_1, relu_0_to_1, "~-2..2"), S8(relu_0_to_1, relu_0_to_1, "@.05+3", "@.03-5"),
    LEAKY("f32 1x64x64x16", "f32 1x64x64x16", leaky_f32),
    LEAKY("s8 1x64x64x16 @.05+3", "s8 1x64x64x16 @.03-5", leaky_s8),
    LEAKY("s16 1x64x64x16 @.05", "s16 1x64x64x16 @.03", leaky_s16),
    F32(hard_swish, hard_swish, "~-5..5"), S8(hard_swish, hard_swish, "@.05+3", "@.04-20"),
    F32(abs, abs, ""), S8(abs, abs, "@.05+3", "@.05-5"),
    OTHER(abs, "s32 1x64x64x16", "s32 1x64x64x16", abs_s32),
    F32(neg, neg, ""), S8(neg, neg, "@.05+3", "@.05-5"),
    OTHER(neg, "s32 1x64x64x16", "s32 1x64x64x16", neg_s32),
    OTHER(neg, "s64 1x64x64x16", "s64 1x64x64x16", neg_s64),
    F32(logistic, logistic, "~-9..9"), S8(logistic, logistic, "@.05+3", "@.00390625-128"),
    S16(logistic, logistic, "@.000244140625", "@.000030517578125"),
    F32(tanh, tanh, "~-4..4"), S8(tanh, tanh, "@.05+3", "@.0078125"),
    S16(tanh, tanh, "@.000244140625", "@.000030517578125"),
    F32(elu, elu, "~-5..5"), S8(elu, elu, "@.05+3", "@.04-20"), ABOUT_S16(elu, elu, "@.0001",
        "@.0001"),
    F32(gelu, gelu, "~-5..5"), ABOUT_S8(gelu, gelu, "@.05+3", "@.04-20"), ABOUT_S16(gelu, gelu,
        "@.0001", "@.0001"),
    F32(exp, exp, "~-5..5"), S8(exp, exp, "@.02+3", "@.1-128"), ABOUT_S16(exp, exp, "@.0001",
        "@.001"),
    F32(log, log, "~.01..9"), S8(log, log, "@.05-128 ~-127..127", "@.04+3"),
    ABOUT_S16(log, log, "@.0001 ~1..32767", "@.001"),
    F32(sqrt, sqrt, "~0..9"), F32(rsqrt, rsqrt, "~.01..9"),
    OTHER(rsqrt, "s8 1x64x64x16 @.05-128 ~-127..127", "s8 1x64x64x16 @.04-128", rsqrt_s8),
    F32(square, square, ""), F32(sin, sin, "~-5..5"), F32(cos, cos, "~-5..5"),
    F32(ceil, ceil, "~-9..9"), F32(floor, floor, "~-9..9"), F32(round, round, "~-9..9"),
    F32(sign, sign, ""), OTHER(sign, "s32 1x64x64x16", "s32 1x64x64x16", sign_s32),
    OTHER(quantize, "f32 1x64x64x16 ~-9..9", "s8 1x64x64x16 @.06+3", quantise_s8),
    OTHER(quantize, "f32 1x64x64x16 ~-9..9", "s16 1x64x64x16 @.0003", quantise_s16),
    OTHER(quantize, "s8 1x64x64x16 @.05+3", "s8 1x64x64x16 @.06-7", requantise_s8),
    OTHER(quantize, "s16 1x64x64x16 @.0003", "s8 1x64x64x16 @.06-7", requantise_s16_s8),
    OTHER(dequantize, "s8 1x64x64x16 @.05+3", "f32 1x64x64x16", dequantise_s8),
    OTHER(dequantize, "s16 1x64x64x16 @.05", "f32 1x64x64x16", dequantise_s16),
    OTHER(dequantize, "f16 1x64x64x16", "f32 1x64x64x16", dequantise_f16),
    OTHER(cast, "s8 1x64x64x16", "f32 1x64x64x16", cast_s8_f32),
    OTHER(cast, "f32 1x64x64x16 ~-100..100", "s8 1x64x64x16", cast_f32_s8),
    OTHER(cast, "f32 1x64x64x16 ~-100..100", "s32 1x64x64x16", cast_f32_s32),
    OTHER(cast, "s32 1x64x64x16", "f32 1x64x64x16", cast_s32_f32),
    OTHER(cast, "s32 1x64x64x16", "s8 1x64x64x16", cast_s32_s8),
    OTHER(cast, "s64 1x64x64x16", "s32 1x64x64x16", cast_s64_s32),
    {&arn_op_fake_quant, "8 bits", "f32 1x64x64x16 ~-9..9>f32 1x64x64x16", steps_f32, false, 1e-4,
     {ARN_OPTIONS_FAKE_QUANT, {-6, 6, 8, 0}, {{0}}, {0}}, {{0}}},
    OTHER(zeros_like, "f32 1x64x64x16", "f32 1x64x64x16", zeros),
    OTHER(real, "c64 1x64x64x8", "f32 1x64x64x8", real_part),
    OTHER(imag, "c64 1x64x64x8", "f32 1x64x64x8", imaginary_part),
    OTHER(complex_abs, "c64 1x64x64x8", "f32 1x64x64x8", magnitude),
    {.op = NULL}};
