// Operators of two inputs, element by element. Input 1 is as large as input 0, or one value a
// channel, or one value.
#include <math.h>

#include "bench/oracle/plain.h"

// Loops over rows of channels; `a` and `b` are the indices of what output i is made of.
#define EACH(n)                                                                               \
  const uint32_t count_ = (n)->out[0].count, period_ = (n)->in[1].count;                      \
  for (uint32_t i = 0; i < count_;)                                                           \
    for (uint32_t b = 0; b < period_; b++, i++)

#define BINARY(name, from, to, expression)                                                    \
  static void name##_##from(const plain_node *n) {                                            \
    EACH(n) {                                                                                 \
      const __typeof__(n->in[0].from[0]) x = n->in[0].from[i], y = n->in[1].from[b];          \
      n->out[0].to[i] = (__typeof__(n->out[0].to[0]))(expression);                            \
    }                                                                                         \
  }

BINARY(add, f32, f32, x + y)
BINARY(sub, f32, f32, x - y)
BINARY(mul, f32, f32, x * y)
BINARY(div, f32, f32, x / y)
BINARY(squared_difference, f32, f32, (x - y) * (x - y))
BINARY(maximum, f32, f32, x > y ? x : y)
BINARY(minimum, f32, f32, x < y ? x : y)
BINARY(floor_div, f32, f32, floorf(x / y))
BINARY(pow, f32, f32, powf(x, y))
BINARY(atan2, f32, f32, atan2f(x, y))
BINARY(prelu, f32, f32, x >= 0.0f ? x : x * y)
BINARY(add, s32, s32, (uint32_t)x + (uint32_t)y)
BINARY(sub, s32, s32, (uint32_t)x - (uint32_t)y)
BINARY(mul, s32, s32, (uint32_t)x * (uint32_t)y)
BINARY(div, s32, s32, x / y)
BINARY(maximum, s32, s32, x > y ? x : y)
BINARY(squared_difference, s32, s32, ((uint32_t)x - (uint32_t)y) * ((uint32_t)x - (uint32_t)y))
BINARY(add, s64, s64, (uint64_t)x + (uint64_t)y)
BINARY(maximum, s8, s8, x > y ? x : y)
BINARY(minimum, s8, s8, x < y ? x : y)
BINARY(maximum, s16, s16, x > y ? x : y)
BINARY(bitwise_xor, s8, s8, x ^ y)
BINARY(bitwise_xor, s32, s32, x ^ y)
BINARY(right_shift, s8, s8, x >> (y < 0 ? 0 : y > 7 ? 7 : y))
BINARY(right_shift, s32, s32, x >> (y < 0 ? 0 : y > 31 ? 31 : y))
BINARY(equal, f32, u8, x == y)
BINARY(equal, s32, u8, x == y)
BINARY(equal, u8, u8, (x != 0) == (y != 0))
BINARY(not_equal, f32, u8, x != y)
BINARY(greater, f32, u8, x > y)
BINARY(greater_equal, f32, u8, x >= y)
BINARY(less, f32, u8, x < y)
BINARY(less, s32, u8, x < y)
BINARY(less_equal, f32, u8, x <= y)
BINARY(logical_and, u8, u8, x && y)
BINARY(logical_or, u8, u8, x || y)

static int32_t floor_quotient(int32_t x, int32_t y) {
  return x / y - (x % y != 0 && (x < 0) != (y < 0));
}

static int32_t floor_rest(int32_t x, int32_t y) {
  return x % y + (x % y != 0 && (x < 0) != (y < 0) ? y : 0);
}

static float floor_rest_of(float x, float y) {
  const float rest = fmodf(x, y);
  return rest != 0.0f && (rest < 0.0f) != (y < 0.0f) ? rest + y : rest;
}

static int32_t power(int32_t x, int32_t y) {
  uint32_t result = 1;
  for (int32_t i = 0; i < y; i++) result *= (uint32_t)x;
  return (int32_t)result;
}

BINARY(floor_div, s32, s32, floor_quotient(x, y))
BINARY(floor_div, s8, s8, floor_quotient(x, y))
BINARY(floor_mod, s32, s32, floor_rest(x, y))
BINARY(floor_mod, s8, s8, floor_rest(x, y))
BINARY(floor_mod, f32, f32, floor_rest_of(x, y))
BINARY(pow, s32, s32, power(x, y))

static void logical_not(const plain_node *n) {
  for (uint32_t i = 0; i < n->out[0].count; i++) n->out[0].u8[i] = !n->in[0].u8[i];
}

// ---- quantised ----------------------------------------------------------------------------------

typedef struct sum {
  plain_multiplier in[2], out;
  int32_t left;
} sum;

// ADD derives its multipliers in double, SUB in float.
static sum sum_of(const plain_node *n, int32_t left, bool in_float) {
  const float a = n->in[0].scale, b = n->in[1].scale, most = a > b ? a : b, out = n->out[0].scale;
  const double twice = 2.0 * (double)most, shifted = (double)(1 << left) * (double)out;
  const float twice_f = 2.0f * most, shifted_f = (float)(1 << left) * out;
  if (in_float) {
    return (sum){{plain_split((double)(a / twice_f)), plain_split((double)(b / twice_f))},
                 plain_split((double)(twice_f / shifted_f)), left};
  }
  return (sum){{plain_split((double)a / twice), plain_split((double)b / twice)},
               plain_split(twice / shifted), left};
}

#define SUM(name, type, bits, in_float, op)                                                   \
  static void name##_##type(const plain_node *n) {                                            \
    const sum s = sum_of(n, bits, in_float);                                                  \
    EACH(n) {                                                                                 \
      const int32_t x = (n->in[0].type[i] - n->in[0].zero) * (1 << s.left);                   \
      const int32_t y = (n->in[1].type[b] - n->in[1].zero) * (1 << s.left);                   \
      const int32_t z = plain_requantise(x, s.in[0]) op plain_requantise(y, s.in[1]);         \
      n->out[0].type[i] = (__typeof__(n->out[0].type[0]))plain_##type(                        \
          plain_requantise(z, s.out) + n->out[0].zero);                                       \
    }                                                                                         \
  }
SUM(add, s8, 20, false, +)
SUM(sub, s8, 20, true, -)
SUM(add, s16, 15, false, +)
SUM(sub, s16, 15, true, -)

#define PRODUCT(type)                                                                         \
  static void mul_##type(const plain_node *n) {                                               \
    const plain_multiplier m = plain_split((double)n->in[0].scale * (double)n->in[1].scale /  \
                                           (double)n->out[0].scale);                          \
    EACH(n) {                                                                                 \
      const int32_t x = n->in[0].type[i] - n->in[0].zero;                                     \
      const int32_t y = n->in[1].type[b] - n->in[1].zero;                                     \
      n->out[0].type[i] = (__typeof__(n->out[0].type[0]))plain_##type(                        \
          plain_requantise(x * y, m) + n->out[0].zero);                                       \
    }                                                                                         \
  }
PRODUCT(s8)
PRODUCT(s16)

static void squared_difference_s8(const plain_node *n) {
  const double scale[] = {(double)n->in[0].scale, (double)n->in[1].scale};
  const double twice = 2.0 * (scale[0] > scale[1] ? scale[0] : scale[1]);
  const plain_multiplier to[2] = {plain_split(scale[0] / twice), plain_split(scale[1] / twice)};
  const float shifted = (float)(1 << 14) * n->out[0].scale;
  const plain_multiplier m = plain_split(twice * twice / (double)shifted);
  const int32_t zero[3] = {n->in[0].zero, n->in[1].zero, n->out[0].zero};
  EACH(n) {
    const int32_t x = plain_requantise((n->in[0].s8[i] - zero[0]) * (1 << 7), to[0]);
    const int32_t y = plain_requantise((n->in[1].s8[b] - zero[1]) * (1 << 7), to[1]);
    const int32_t z = (x - y) * (x - y);
    n->out[0].s8[i] = (int8_t)plain_s8(plain_requantise(z, m) + zero[2]);
  }
}

// The divisor's reciprocal by Newton's division in fixed point, times the dividend.
static void div_s8(const plain_node *n) {
  const float ratio = n->in[0].scale / (n->in[1].scale * n->out[0].scale);
  const plain_multiplier m = plain_split((double)ratio);
  EACH(n) {
    const int32_t x = n->in[0].s8[i] - n->in[0].zero, y = n->in[1].s8[b] - n->in[1].zero;
    const int32_t dividend = y < 0 ? -x : x, divisor = y < 0 ? -y : y;
    const int32_t zeros = __builtin_clz((uint32_t)divisor);
    const int32_t part = (int32_t)(((uint32_t)divisor << zeros) - (1u << 31));
    const int32_t inverse = plain_shift_left(plain_two_over(part), 1);
    const int32_t headroom = __builtin_clz((uint32_t)(dividend < 0 ? ~dividend : dividend) | 1) -
                             (dividend == 0 || dividend == -1 ? 0 : 1);
    const int32_t quotient = plain_high((int32_t)((uint32_t)dividend << headroom), inverse);
    const int32_t right = 31 - zeros + headroom - m.shift;
    const int32_t scaled = plain_high(quotient, m.q);
    const int32_t z = right > 31 ? 0 : plain_divide(scaled, right < 0 ? 0 : right);
    n->out[0].s8[i] = (int8_t)plain_s8(z + n->out[0].zero);
  }
}

#define COMPARE(name, op)                                                                     \
  static void name##_s8(const plain_node *n) {                                                \
    const plain_multiplier m[2] = {plain_split((double)n->in[0].scale),                       \
                                   plain_split((double)n->in[1].scale)};                      \
    EACH(n) {                                                                                 \
      const int32_t x = plain_requantise((n->in[0].s8[i] - n->in[0].zero) * 256, m[0]);       \
      const int32_t y = plain_requantise((n->in[1].s8[b] - n->in[1].zero) * 256, m[1]);       \
      n->out[0].u8[i] = x op y;                                                               \
    }                                                                                         \
  }
COMPARE(equal, ==)
COMPARE(not_equal, !=)
COMPARE(less, <)
COMPARE(less_equal, <=)
COMPARE(greater, >)
COMPARE(greater_equal, >=)

#define PRELU(type)                                                                           \
  static void prelu_##type(const plain_node *n) {                                             \
    const double in = (double)n->in[0].scale, out = (double)n->out[0].scale;                  \
    const plain_multiplier up = plain_split(in / out);                                        \
    const plain_multiplier down = plain_split(in * (double)n->in[1].scale / out);             \
    EACH(n) {                                                                                 \
      const int32_t x = n->in[0].type[i] - n->in[0].zero;                                     \
      const int32_t y = x * (n->in[1].s8[b] - n->in[1].zero);                                 \
      const int32_t z = x >= 0 ? plain_requantise(x, up) : plain_requantise(y, down);         \
      n->out[0].type[i] = (__typeof__(n->out[0].type[0]))plain_##type(z + n->out[0].zero);    \
    }                                                                                         \
  }
PRELU(s8)
PRELU(s16)

// ---- others -------------------------------------------------------------------------------------

#define ADD_N(type)                                                                           \
  static void add_n_##type(const plain_node *n) {                                             \
    for (uint32_t i = 0; i < n->out[0].count; i++) {                                          \
      n->out[0].type[i] = n->in[0].type[i] + n->in[1].type[i] + n->in[2].type[i];             \
    }                                                                                         \
  }
ADD_N(f32)
ADD_N(s32)

static void add_n_s8(const plain_node *n) {  // inputs of one scale, zero points 0
  const double twice = 2.0 * (double)n->in[0].scale;
  const plain_multiplier half = {1 << 30, 0};
  const plain_multiplier m = plain_split(twice / ((double)(1 << 20) * (double)n->out[0].scale));
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    int32_t z = 0;
    for (uint32_t k = 0; k < 3; k++) z += plain_requantise(n->in[k].s8[i] * (1 << 20), half);
    n->out[0].s8[i] = (int8_t)plain_s8(plain_requantise(z, m) + n->out[0].zero);
  }
}

#define CHOOSE(type)                                                                          \
  static void choose_##type(const plain_node *n) {                                            \
    for (uint32_t i = 0; i < n->out[0].count; i++) {                                          \
      n->out[0].type[i] = n->in[0].u8[i] ? n->in[1].type[i] : n->in[2].type[i];               \
    }                                                                                         \
  }
CHOOSE(s8)
CHOOSE(f32)

static void choose_row_f32(const plain_node *n) {  // a condition for each row
  const uint32_t row = n->out[0].count / n->in[0].count;
  for (uint32_t i = 0; i < n->in[0].count; i++) {
    for (uint32_t k = i * row; k < (i + 1) * row; k++) {
      n->out[0].f32[k] = n->in[0].u8[i] ? n->in[1].f32[k] : n->in[2].f32[k];
    }
  }
}

#define REPEAT(type)                                                                          \
  static void repeat_##type(const plain_node *n) {  /* [1,H,1,C] to [1,H,W,C] */              \
    const int32_t h = n->out[0].dims[1], w = n->out[0].dims[2], c = n->out[0].dims[3];        \
    for (int32_t y = 0; y < h; y++) {                                                         \
      for (int32_t x = 0; x < w; x++) {                                                       \
        for (int32_t k = 0; k < c; k++) {                                                     \
          n->out[0].type[(y * w + x) * c + k] = n->in[0].type[y * c + k];                     \
        }                                                                                     \
      }                                                                                       \
    }                                                                                         \
  }
REPEAT(s8)
REPEAT(f32)

#define CASE(op, note, tensors, loop) {&arn_op_##op, note, tensors, loop, false, 0, {0}, {{0}}}
#define SHAPE "1x64x64x16"
#define SAME(op, type, loop) \
  CASE(op, "", type " " SHAPE ";" type " " SHAPE ">" type " " SHAPE, loop)
#define DIVIDED(op, type, loop) \
  CASE(op, "", type " " SHAPE ";" type " " SHAPE " ~1..99>" type " " SHAPE, loop)
#define CHANNEL(op, type, loop) \
  CASE(op, "by channel", type " " SHAPE ";" type " 16 =>" type " " SHAPE, loop)
#define SINGLE(op, type, loop) \
  CASE(op, "by one value", type " " SHAPE ";" type " 1 =>" type " " SHAPE, loop)
#define Q8(op, out, loop)                                                                     \
  CASE(op, "", "s8 " SHAPE " @.05+3;s8 " SHAPE " @.03-5>s8 " SHAPE " " out, loop)
#define Q8_CHANNEL(op, out, loop)                                                             \
  CASE(op, "by channel", "s8 " SHAPE " @.05+3;s8 16 @.03-5 =>s8 " SHAPE " " out, loop)
#define Q16(op, out, loop)                                                                    \
  CASE(op, "", "s16 " SHAPE " @.0005;s16 " SHAPE " @.0003>s16 " SHAPE " " out, loop)
#define COMPARED(op, type, loop) \
  CASE(op, "", type " " SHAPE ";" type " " SHAPE ">bool " SHAPE, loop)
#define COMPARED_Q8(op, loop)                                                                 \
  CASE(op, "", "s8 " SHAPE " @.05+3;s8 " SHAPE " @.03-5>bool " SHAPE, loop)
#define THREE(op, type, loop) \
  CASE(op, "", type " " SHAPE ";" type " " SHAPE ";" type " " SHAPE ">" type " " SHAPE, loop)
#define CHOICE(op, type, loop) \
  CASE(op, "", "bool " SHAPE ";" type " " SHAPE ";" type " " SHAPE ">" type " " SHAPE, loop)

const plain_case plain_binary[] = {
    SAME(add, "f32", add_f32), CHANNEL(add, "f32", add_f32), SINGLE(add, "f32", add_f32),
    Q8(add, "@.06+2", add_s8), Q8_CHANNEL(add, "@.06+2", add_s8), Q16(add, "@.0006", add_s16),
    SAME(add, "s32", add_s32), SAME(add, "s64", add_s64),
    SAME(sub, "f32", sub_f32), CHANNEL(sub, "f32", sub_f32), Q8(sub, "@.06+2", sub_s8),
    Q16(sub, "@.0006", sub_s16), SAME(sub, "s32", sub_s32),
    SAME(mul, "f32", mul_f32), CHANNEL(mul, "f32", mul_f32), Q8(mul, "@.1+2", mul_s8),
    Q8_CHANNEL(mul, "@.1+2", mul_s8), Q16(mul, "@.005", mul_s16), SAME(mul, "s32", mul_s32),
    SAME(squared_difference, "f32", squared_difference_f32),
    Q8(squared_difference, "@.2-100", squared_difference_s8),
    SAME(squared_difference, "s32", squared_difference_s32),
    DIVIDED(div, "f32", div_f32), DIVIDED(div, "s32", div_s32),
    {&arn_op_div, "", "s8 " SHAPE " @.05+3;s8 " SHAPE " @.03-5 ~1..127>s8 " SHAPE " @.05+2", div_s8,
     false, 1, {0}, {{0}}},
    DIVIDED(floor_div, "f32", floor_div_f32), DIVIDED(floor_div, "s32", floor_div_s32),
    DIVIDED(floor_div, "s8", floor_div_s8), DIVIDED(floor_mod, "f32", floor_mod_f32),
    DIVIDED(floor_mod, "s32", floor_mod_s32), DIVIDED(floor_mod, "s8", floor_mod_s8),
    SAME(maximum, "f32", maximum_f32), SAME(maximum, "s32", maximum_s32),
    SAME(maximum, "s8", maximum_s8), SAME(maximum, "s16", maximum_s16),
    CHANNEL(maximum, "s8", maximum_s8),
    SAME(minimum, "f32", minimum_f32), SAME(minimum, "s8", minimum_s8),
    CASE(pow, "", "f32 " SHAPE " ~0..9;f32 " SHAPE ">f32 " SHAPE, pow_f32),
    CASE(pow, "", "s32 " SHAPE " ~-9..9;s32 " SHAPE " ~0..8>s32 " SHAPE, pow_s32),
    SAME(atan2, "f32", atan2_f32),
    COMPARED(equal, "f32", equal_f32), COMPARED(equal, "s32", equal_s32),
    COMPARED(equal, "bool", equal_u8), COMPARED_Q8(equal, equal_s8),
    COMPARED(not_equal, "f32", not_equal_f32), COMPARED_Q8(not_equal, not_equal_s8),
    COMPARED(greater, "f32", greater_f32), COMPARED_Q8(greater, greater_s8),
    COMPARED(greater_equal, "f32", greater_equal_f32), COMPARED_Q8(greater_equal, greater_equal_s8),
    COMPARED(less, "f32", less_f32), COMPARED(less, "s32", less_s32), COMPARED_Q8(less, less_s8),
    COMPARED(less_equal, "f32", less_equal_f32), COMPARED_Q8(less_equal, less_equal_s8),
    SAME(logical_and, "bool", logical_and_u8), SAME(logical_or, "bool", logical_or_u8),
    CASE(logical_not, "", "bool " SHAPE ">bool " SHAPE, logical_not),
    SAME(bitwise_xor, "s8", bitwise_xor_s8), SAME(bitwise_xor, "s32", bitwise_xor_s32),
    SAME(right_shift, "s8", right_shift_s8), SAME(right_shift, "s32", right_shift_s32),
    CHOICE(select, "s8", choose_s8), CHOICE(select_v2, "s8", choose_s8),
    CHOICE(select_v2, "f32", choose_f32),
    CASE(select_v2, "a condition a row", "bool 1x64x64x1;f32 " SHAPE ";f32 " SHAPE ">f32 " SHAPE,
         choose_row_f32),
    CASE(prelu, "by channel", "f32 " SHAPE ";f32 1x1x16 =>f32 " SHAPE, prelu_f32),
    CASE(prelu, "by channel", "s8 " SHAPE " @.05+3;s8 1x1x16 @.01+1 =>s8 " SHAPE " @.04-7",
         prelu_s8),
    CASE(prelu, "by channel", "s16 " SHAPE " @.0005;s8 1x1x16 @.01+1 =>s16 " SHAPE " @.0004",
         prelu_s16),
    THREE(add_n, "f32", add_n_f32), THREE(add_n, "s32", add_n_s32),
    CASE(add_n, "", "s8 " SHAPE " @.05;s8 " SHAPE " @.05;s8 " SHAPE " @.05>s8 " SHAPE " @.06+2",
         add_n_s8),
    CASE(broadcast_to, "", "s8 1x64x1x16;s32 4 =1,64,128,16>s8 1x64x128x16", repeat_s8),
    CASE(broadcast_to, "", "f32 1x64x1x16;s32 4 =1,64,64,16>f32 1x64x64x16", repeat_f32),
    {.op = NULL}};
