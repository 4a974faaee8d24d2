// Operators that take many values into one: reductions, the places of extremes, norms, softmax.
#include <math.h>

#include "bench/oracle/plain.h"

// ---- [1,H,W,C] to [C], and to [1,H,W] -----------------------------------------------------------

#define REDUCE(name, type, result, acc_type, first, take, finish)                                 \
  static void name##_image_##type(const plain_node *n) {  /* over H and W */                      \
    const uint32_t depth = (uint32_t)n->in[0].dims[3], count = n->in[0].count / depth;            \
    for (uint32_t c = 0; c < depth; c++) {                                                        \
      acc_type acc = first;                                                                       \
      for (uint32_t i = 0; i < count; i++) {                                                      \
        const __typeof__(n->in[0].type[0]) x = n->in[0].type[i * depth + c];                      \
        acc = take;                                                                               \
      }                                                                                           \
      n->out[0].result[c] = (__typeof__(n->out[0].result[0]))(finish);                            \
    }                                                                                             \
  }                                                                                               \
  static void name##_depth_##type(const plain_node *n) {  /* over C */                            \
    const uint32_t count = (uint32_t)n->in[0].dims[3];                                            \
    for (uint32_t v = 0; v < n->in[0].count / count; v++) {                                       \
      acc_type acc = first;                                                                       \
      for (uint32_t i = 0; i < count; i++) {                                                      \
        const __typeof__(n->in[0].type[0]) x = n->in[0].type[v * count + i];                      \
        acc = take;                                                                               \
      }                                                                                           \
      n->out[0].result[v] = (__typeof__(n->out[0].result[0]))(finish);                            \
    }                                                                                             \
  }

// The multiplier of a mean is divided by the count, towards zero.
static plain_multiplier mean_scale(const plain_node *n, uint32_t count) {
  plain_multiplier m = plain_split((double)n->in[0].scale / (double)n->out[0].scale);
  int32_t shift = 31 - __builtin_clz(count);
  if (shift > 31 + m.shift) shift = 31 + m.shift;
  m.q = (int32_t)(((int64_t)m.q << shift) / count);
  m.shift -= shift;
  return m;
}

static int32_t mean(const plain_node *n, int32_t sum, uint32_t count) {
  return plain_requantise(sum, mean_scale(n, count)) + n->out[0].zero;
}

static int32_t total(const plain_node *n, int32_t sum) {
  const plain_multiplier m = plain_split((double)n->in[0].scale / (double)n->out[0].scale);
  return plain_requantise(sum, m) + n->out[0].zero;
}

REDUCE(mean, s8, s8, int32_t, 0, acc + (x - n->in[0].zero), plain_s8(mean(n, acc, count)))
REDUCE(mean, s16, s16, int32_t, 0, acc + (x - n->in[0].zero), plain_s16(mean(n, acc, count)))
REDUCE(mean, f32, f32, float, 0.0f, acc + x, acc / (float)count)
REDUCE(sum, s8, s8, int32_t, 0, acc + (x - n->in[0].zero), plain_s8(total(n, acc)))
REDUCE(sum, f32, f32, float, 0.0f, acc + x, acc)
REDUCE(sum, s32, s32, int32_t, 0, acc + x, acc)
REDUCE(product, f32, f32, float, 1.0f, acc * x, acc)
REDUCE(largest, s8, s8, int32_t, -128, x > acc ? x : acc, acc)
REDUCE(largest, s16, s16, int32_t, -32768, x > acc ? x : acc, acc)
REDUCE(largest, f32, f32, float, -INFINITY, x > acc ? x : acc, acc)
REDUCE(least, s8, s8, int32_t, 127, x < acc ? x : acc, acc)
REDUCE(least, f32, f32, float, INFINITY, x < acc ? x : acc, acc)
REDUCE(any, u8, u8, bool, false, acc || x, acc)
REDUCE(all, u8, u8, bool, true, acc && x, acc)

// The place of the first extreme along the last axis.
#define PLACE(name, type, op)                                                                     \
  static void name##_##type(const plain_node *n) {                                                \
    const uint32_t depth = (uint32_t)n->in[0].dims[1];                                            \
    for (uint32_t v = 0; v < n->out[0].count; v++) {                                              \
      const __typeof__(n->in[0].type) x = n->in[0].type + v * depth;                              \
      uint32_t best = 0;                                                                          \
      for (uint32_t i = 1; i < depth; i++) best = x[i] op x[best] ? i : best;                     \
      n->out[0].s32[v] = (int32_t)best;                                                           \
    }                                                                                             \
  }
PLACE(arg_max, s8, >)
PLACE(arg_max, s16, >)
PLACE(arg_max, f32, >)
PLACE(arg_min, s8, <)
PLACE(arg_min, f32, <)

static void arg_max_channels_s8(const plain_node *n) {  // [rows, depth] to [depth]
  const uint32_t depth = (uint32_t)n->in[0].dims[1];
  for (uint32_t c = 0; c < depth; c++) {
    uint32_t best = 0;
    for (uint32_t i = 1; i < (uint32_t)n->in[0].dims[0]; i++) {
      if (n->in[0].s8[i * depth + c] > n->in[0].s8[best * depth + c]) best = i;
    }
    n->out[0].s32[c] = (int32_t)best;
  }
}

// ---- norms along the last of two axes -----------------------------------------------------------

static void l2_norm_f32(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[0].dims[1];
  for (uint32_t v = 0; v < n->in[0].count / depth; v++) {
    const float *x = n->in[0].f32 + v * depth;
    float square = 0.0f;
    for (uint32_t i = 0; i < depth; i++) square += x[i] * x[i];
    const float length = fmaxf(sqrtf(square), 1e-6f);
    for (uint32_t i = 0; i < depth; i++) n->out[0].f32[v * depth + i] = x[i] / length;
  }
}

// In floats: within a step of the reference's fixed point.
static void l2_norm_s8(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[0].dims[1];
  for (uint32_t v = 0; v < n->in[0].count / depth; v++) {
    int32_t square = 0;
    for (uint32_t i = 0; i < depth; i++) {
      const int32_t x = n->in[0].s8[v * depth + i] - n->in[0].zero;
      square += x * x;
    }
    const float inverse = 128.0f / sqrtf((float)square);
    for (uint32_t i = 0; i < depth; i++) {
      const int32_t x = n->in[0].s8[v * depth + i] - n->in[0].zero;
      n->out[0].s8[v * depth + i] = (int8_t)plain_s8((int32_t)roundf((float)x * inverse));
    }
  }
}

static void local_f32(const plain_node *n) {  // radius, bias, alpha, beta
  const int32_t depth = n->in[0].dims[3], radius = (int32_t)n->options[0];
  const float bias = (float)n->options[1], alpha = (float)n->options[2];
  for (int32_t v = 0; v < (int32_t)n->in[0].count / depth; v++) {
    const float *x = n->in[0].f32 + v * depth;
    for (int32_t c = 0; c < depth; c++) {
      const int32_t from = c < radius ? 0 : c - radius;
      const int32_t to = c + radius < depth ? c + radius : depth - 1;
      float square = 0.0f;
      for (int32_t k = from; k <= to; k++) square += x[k] * x[k];
      n->out[0].f32[v * depth + c] = x[c] * powf(bias + alpha * square, -(float)n->options[3]);
    }
  }
}

// ---- softmax along the last of two axes ---------------------------------------------------------

static void softmax_f32(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[0].dims[1];
  for (uint32_t v = 0; v < n->in[0].count / depth; v++) {
    const float *x = n->in[0].f32 + v * depth;
    float *y = n->out[0].f32 + v * depth, most = x[0], sum = 0.0f;
    for (uint32_t i = 0; i < depth; i++) most = x[i] > most ? x[i] : most;
    for (uint32_t i = 0; i < depth; i++) sum += y[i] = expf(x[i] - most);
    for (uint32_t i = 0; i < depth; i++) y[i] /= sum;
  }
}

static void log_softmax_f32(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[0].dims[1];
  for (uint32_t v = 0; v < n->in[0].count / depth; v++) {
    const float *x = n->in[0].f32 + v * depth;
    float most = x[0], sum = 0.0f;
    for (uint32_t i = 0; i < depth; i++) most = x[i] > most ? x[i] : most;
    for (uint32_t i = 0; i < depth; i++) sum += expf(x[i] - most);
    const float log_sum = logf(sum);
    for (uint32_t i = 0; i < depth; i++) n->out[0].f32[v * depth + i] = x[i] - most - log_sum;
  }
}

// In floats: within a step of the reference's fixed point.
static void log_softmax_s8(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[0].dims[1];
  const float scale = n->in[0].scale;
  for (uint32_t v = 0; v < n->in[0].count / depth; v++) {
    const int8_t *x = n->in[0].s8 + v * depth;
    int32_t most = -128;
    float sum = 0.0f;
    for (uint32_t i = 0; i < depth; i++) most = x[i] > most ? x[i] : most;
    for (uint32_t i = 0; i < depth; i++) sum += expf(scale * (float)(x[i] - most));
    const float log_sum = logf(sum);
    for (uint32_t i = 0; i < depth; i++) {
      const float y = scale * (float)(x[i] - most) - log_sum;
      n->out[0].s8[v * depth + i] = (int8_t)plain_s8((int32_t)roundf(16.0f * y) + 127);
    }
  }
}

static void softmax_s8(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[0].dims[1];
  const plain_multiplier m = plain_split((double)n->in[0].scale * (1 << 26));
  const int32_t least = -((31 << 26) >> m.shift);
  for (uint32_t v = 0; v < n->in[0].count / depth; v++) {
    const int8_t *in = n->in[0].s8 + v * depth;
    int32_t most = -128, sum = 0;
    for (uint32_t i = 0; i < depth; i++) most = in[i] > most ? in[i] : most;
    for (uint32_t i = 0; i < depth; i++) {
      const int32_t x = in[i] - most;
      if (x >= least) sum += plain_divide(plain_exp(plain_high(x * (1 << m.shift), m.q), 5), 12);
    }
    const int32_t zeros = __builtin_clz((uint32_t)sum);
    const int32_t part = (int32_t)(((uint32_t)sum << zeros) - (1u << 31));
    const int32_t factor = plain_shift_left(plain_two_over(part), 1);
    for (uint32_t i = 0; i < depth; i++) {
      const int32_t x = in[i] - most;
      int32_t y = 0;
      if (x >= least) y = plain_high(factor, plain_exp(plain_high(x * (1 << m.shift), m.q), 5));
      n->out[0].s8[v * depth + i] = (int8_t)plain_s8(plain_divide(y, 35 - zeros) - 128);
    }
  }
}

// 16 bits: tables of 512 intervals with linear interpolation, entries corrected by half of the
// error in the middle of their interval. Made once.
static int16_t exp_table[513], reciprocal_table[513];

static float exp_entry(float i) { return 32768.0f * expf(-10.0f + i * (10.0f / 512.0f)); }
static float reciprocal_entry(float i) { return 32768.0f / (1.0f + i / 512.0f); }

static void make_table(int16_t *table, float (*f)(float)) {
  for (int32_t i = 0; i < 513; i++) {
    const float here = roundf(f((float)i)), next = f((float)i + 1.0f);
    const float error = roundf((next + here) / 2.0f) - roundf(f((float)i + 0.5f));
    const float entry = i < 512 ? here - roundf(error / 2.0f) : here;
    table[i] = (int16_t)fminf(entry, 32767.0f);
  }
}

static int32_t look_up(const int16_t *table, int32_t at) {
  const int16_t *entry = table + 256 + (at >> 7);
  return (int16_t)(entry[0] + (((entry[1] - entry[0]) * (at & 127) + 64) >> 7));
}

static void softmax_s16(const plain_node *n) {
  const uint32_t depth = (uint32_t)n->in[0].dims[1];
  const plain_multiplier m = plain_split((double)n->in[0].scale / (10.0 / 65535.0));
  if (exp_table[512] == 0) {
    make_table(exp_table, exp_entry);
    make_table(reciprocal_table, reciprocal_entry);
  }
  for (uint32_t v = 0; v < n->in[0].count / depth; v++) {
    const int16_t *in = n->in[0].s16 + v * depth;
    int16_t *out = n->out[0].s16 + v * depth;
    int32_t most = -32768, sum = 0;
    for (uint32_t i = 0; i < depth; i++) most = in[i] > most ? in[i] : most;
    for (uint32_t i = 0; i < depth; i++) {
      const int32_t x = plain_clamp(plain_requantise(in[i] - most, m), -65535, 0);
      out[i] = (int16_t)look_up(exp_table, x + 32767);
      sum += out[i];
    }
    const int32_t zeros = __builtin_clz((uint32_t)sum), right = 31 - zeros;
    const int32_t mantissa = (int32_t)((((int64_t)sum << (zeros - 1)) + (1 << 13)) >> 14);
    const int32_t at = plain_s16(mantissa - (1 << 15) - (1 << 16));
    const int32_t factor = look_up(reciprocal_table, at);
    for (uint32_t i = 0; i < depth; i++) {
      out[i] = (int16_t)plain_clamp((out[i] * factor + (1 << (right - 1))) >> right, 0, 32767);
    }
  }
}

#define CASE(op, note, tensors, loop, hard, tolerance) \
  {&arn_op_##op, note, tensors, loop, hard, tolerance, {0}, {{0}}}
// Over the image, and over the channels.
#define REDUCED(op, type, in, out, loop, tolerance)                                               \
  CASE(op, "over H, W", #type " 1x64x64x32 " in ";s32 2 =1,2>" #type " 1x32 " out,                \
       loop##_image_##type, false, tolerance),                                                    \
  CASE(op, "over C", #type " 1x64x64x32 " in ";s32 1 =3>" #type " 1x64x64 " out,                  \
       loop##_depth_##type, false, tolerance)
#define REDUCED_BOOL(op, range, loop)                                                             \
  CASE(op, "over H, W", "bool 1x64x64x32 " range ";s32 2 =1,2>bool 1x32", loop##_image_u8,        \
       false, 0),                                                                                 \
  CASE(op, "over C", "bool 1x64x64x32 " range ";s32 1 =3>bool 1x64x64", loop##_depth_u8, false, 0)
#define PLACED(op, type, loop) \
  CASE(op, "", #type " 512x256;s32 . =1>s32 512", loop##_##type, false, 0)
#define SOFTMAX(note, in, out, loop)                                                              \
  {&arn_op_softmax, note, in ">" out, loop, true, 0, {ARN_OPTIONS_SOFTMAX, {1}, {{0}}, {0}},    \
   {{0}}}
#define LOCAL ARN_OPTIONS_LOCAL_RESPONSE_NORMALIZATION, {2, 1, .1, .75}, {{0}}, {0}

const plain_case plain_reduction[] = {
    REDUCED(mean, s8, "@.05+3", "@.01-5", mean, 0), REDUCED(mean, s16, "@.0005", "@.0001", mean, 0),
    REDUCED(mean, f32, "", "", mean, 0), REDUCED(sum, s8, "@.05+3", "@.5-5", sum, 0),
    REDUCED(sum, f32, "", "", sum, 1e-4), REDUCED(sum, s32, "", "", sum, 0),
    REDUCED(reduce_prod, f32, "~.99..1.01", "", product, 1e-4),
    REDUCED(reduce_max, s8, "@.05", "@.05", largest, 0),
    REDUCED(reduce_max, s16, "@.05", "@.05", largest, 0),
    REDUCED(reduce_max, f32, "", "", largest, 0), REDUCED(reduce_min, s8, "@.05", "@.05", least, 0),
    REDUCED(reduce_min, f32, "", "", least, 0),
    REDUCED_BOOL(reduce_any, "~0..0", any), REDUCED_BOOL(reduce_all, "~1..1", all),
    PLACED(arg_max, s8, arg_max), PLACED(arg_max, s16, arg_max), PLACED(arg_max, f32, arg_max),
    CASE(arg_max, "first axis", "s8 512x256;s32 . =0>s32 256", arg_max_channels_s8, false, 0),
    PLACED(arg_min, s8, arg_min), PLACED(arg_min, f32, arg_min),
    CASE(l2_normalization, "", "f32 512x64>f32 512x64", l2_norm_f32, false, 0),
    CASE(l2_normalization, "", "s8 1024x64 @.05+3>s8 1024x64 @.0078125", l2_norm_s8, false, 1),
    {&arn_op_local_response_normalization, "radius 2", "f32 1x32x32x32>f32 1x32x32x32", local_f32,
     false, 0, {LOCAL}, {{0}}},
    SOFTMAX("vectors of 10", "f32 2048x10", "f32 2048x10", softmax_f32),
    SOFTMAX("vectors of 64", "f32 512x64", "f32 512x64", softmax_f32),
    SOFTMAX("vectors of 1000", "f32 20x1000", "f32 20x1000", softmax_f32),
    SOFTMAX("vectors of 10", "s8 8192x10 @.1+3", "s8 8192x10 @.00390625-128", softmax_s8),
    SOFTMAX("vectors of 64", "s8 1024x64 @.1+3", "s8 1024x64 @.00390625-128", softmax_s8),
    SOFTMAX("vectors of 1000", "s8 60x1000 @.1+3", "s8 60x1000 @.00390625-128", softmax_s8),
    SOFTMAX("vectors of 64", "s16 512x64 @.0005", "s16 512x64 @.000030517578125", softmax_s16),
    SOFTMAX("vectors of 1000", "s16 40x1000 @.0005", "s16 40x1000 @.000030517578125", softmax_s16),
    CASE(log_softmax, "vectors of 64", "f32 512x64>f32 512x64", log_softmax_f32, true, 0),
    CASE(log_softmax, "vectors of 64", "s8 1024x64 @.1+3>s8 1024x64 @.0625+127", log_softmax_s8,
         true, 1),
    {.op = NULL}};
