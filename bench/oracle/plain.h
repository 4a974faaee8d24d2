// Operators as plain nested loops of their definitions: slow, short, and nothing taken from the
// engine. bench/ops runs each beside the engine's operator on the same tensors, wants the same
// result, and compares the times.
//
// The tensors of a case are written in one line: inputs separated by ';', then '>' and the outputs.
// A tensor is a type (s4 s8 u8 s16 s32 s64 u32 u64 f16 f32 bool c64), a shape ("1x64x64x8", "." for
// a scalar), and then, in any order:
//   @0.05-3       scale and zero point (zero point 0 may be left out)
//   @3:0.01       a scale for each index of axis 3, different ones about 0.01
//   =             a constant; =1,2,3 a constant of these values (the last one is repeated);
//                 =0..63 of random values from 0 to 63
//   ~0..63        computed, of random values from 0 to 63
//   !             a variable
// or "_" alone for an input that is absent. Values are random: of all that 8 and 16 bits hold, from
// -1000 to 1000 for wider integers, from -1 to 1 for floats.
#ifndef ARENITE_BENCH_ORACLE_PLAIN_H
#define ARENITE_BENCH_ORACLE_PLAIN_H

#include <string.h>

#include "arenite/ops.h"
#include "host/rewrite/builder.h"

enum { PLAIN_INPUTS = 48, PLAIN_OUTPUTS = 4, PLAIN_SETTINGS = 12 };

typedef struct plain_tensor {
  arn_type type;
  uint32_t rank;
  int32_t dims[ARN_MAX_RANK];
  uint32_t count, bytes;
  bool absent, constant, variable;
  double low, high;         // of random values
  float scale;              // 0: not quantised
  int32_t zero;
  float *scales;            // one a channel, or NULL
  int32_t axis;             // of the channels
  union {
    void *data;
    int8_t *s8;
    uint8_t *u8;
    int16_t *s16;
    uint16_t *u16;
    int32_t *s32;
    uint32_t *u32;
    int64_t *s64;
    uint64_t *u64;
    float *f32;
  };
} plain_tensor;

// A node, as its definition sees it.
typedef struct plain_node {
  plain_tensor in[PLAIN_INPUTS], out[PLAIN_OUTPUTS];
  uint32_t inputs, outputs;
  const double *options;    // fields of the schema's options, in order
  const struct plain_setting *settings;
} plain_node;

typedef void plain_loop(const plain_node *n);

// An option of a custom operator. Settings are in alphabetic order.
typedef struct plain_setting {
  const char *name;
  double value;
  bool is_real;
} plain_setting;

typedef struct plain_case {
  const arn_op *op;
  const char *what;         // beyond the types; "" where they say it all
  const char *tensors;
  plain_loop *plain;        // NULL: not timed, `what` says why
  bool heavy;               // wanted to be five times as fast as `plain`
  double tolerance;         // floats: relative to 1 + |value|, 0 is 1e-5; int8, int16: in steps
  arn_build_options options;
  plain_setting settings[PLAIN_SETTINGS];
} plain_case;

// A family's cases; op NULL ends them.
extern const plain_case plain_unary[], plain_binary[], plain_movement[], plain_index[],
    plain_reduction[], plain_convolution[], plain_matrix[], plain_recurrent[], plain_image[],
    plain_signal[], plain_selection[], plain_stablehlo[], plain_engine[];

// Reads the case and fills its tensors; outputs and variables are zero. Exits where the case is not
// well written: it is this program's own text.
void plain_open(plain_node *n, const plain_case *c);
void plain_close(plain_node *n);

// Returns the bytes of a model with this node alone; the caller frees them.
uint8_t *plain_model(const plain_node *n, const plain_case *c, size_t *size);

// ---- arithmetic of quantised definitions --------------------------------------------------------

// A real multiplier q * 2^(shift - 31).
typedef struct plain_multiplier {
  int32_t q, shift;
} plain_multiplier;

plain_multiplier plain_split(double real);

// a * b / 2^31: half up above 0, half down below.
static inline int32_t plain_high(int32_t a, int32_t b) {
  const int64_t product = (int64_t)a * b;
  const int64_t nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
  const bool overflow = a == b && a == INT32_MIN;
  return overflow ? INT32_MAX : (int32_t)((product + nudge) / (INT64_C(1) << 31));
}

// x / 2^exponent, ties away from zero.
static inline int32_t plain_divide(int32_t x, int32_t exponent) {
  const int32_t mask = (int32_t)((INT64_C(1) << exponent) - 1);
  return (x >> exponent) + ((x & mask) > (mask >> 1) + (x < 0));
}

static inline int32_t plain_requantise(int32_t x, plain_multiplier m) {
  const int32_t left = m.shift > 0 ? m.shift : 0, right = m.shift > 0 ? 0 : -m.shift;
  return plain_divide(plain_high((int32_t)((uint32_t)x << left), m.q), right);
}

// Of 64-bit sums.
static inline int32_t plain_requantise_wide(int64_t x, plain_multiplier m) {
  const int64_t q = m.q < 0x7FFF0000 ? (m.q + (1 << 15)) >> 16 : 0x7FFF;
  return (int32_t)((x * q + (INT64_C(1) << (14 - m.shift))) >> (15 - m.shift));
}

static inline int32_t plain_clamp(int32_t x, int32_t low, int32_t high) {
  return x < low ? low : x > high ? high : x;
}

static inline int32_t plain_s8(int32_t x) { return plain_clamp(x, -128, 127); }
static inline int32_t plain_s16(int32_t x) { return plain_clamp(x, -32768, 32767); }

static inline int32_t plain_shift_left(int32_t x, int32_t exponent) {  // saturating
  const int32_t most = (1 << (31 - exponent)) - 1;
  return x > most ? INT32_MAX : x < -most ? INT32_MIN : (int32_t)((uint32_t)x << exponent);
}

// exp of a number with `bits` integer bits, in Q0.31.
static inline int32_t plain_exp(int32_t a, int32_t bits) {
  static const int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308,
                                    39332535,   720401,     242};
  const int32_t quarter = 1 << (29 - bits);
  const int32_t low = (a & (quarter - 1)) - quarter;
  const int32_t x = plain_shift_left(low, bits) + (1 << 28);
  const int32_t x2 = plain_high(x, x), x3 = plain_high(x2, x), x4 = plain_high(x2, x2);
  const int32_t t = plain_divide(plain_high(plain_divide(x4, 2) + x3, 715827883) + x2, 1);
  int32_t y = 1895147668 + plain_high(1895147668, x + t);
  for (int32_t i = 0; i < bits + 2; i++) {
    if (((uint32_t)low - (uint32_t)a) >> (29 - bits + i) & 1) y = plain_high(y, factors[i]);
  }
  return a == 0 ? INT32_MAX : y;
}

// 2 / (1 + a) as Q2.29, by Newton's division; a of Q0.31.
static inline int32_t plain_two_over(int32_t a) {
  const int32_t half = (int32_t)(((int64_t)a + INT32_MAX + 1) / 2);
  int32_t x = 1515870810 + plain_high(half, -1010580540);
  for (int32_t i = 0; i < 3; i++) {
    x += plain_shift_left(plain_high(x, (1 << 29) - plain_high(half, x)), 2);
  }
  return x;
}

static inline float plain_half(uint16_t h) {
  const uint32_t e = h >> 10 & 31u;  // of normal numbers
  const uint32_t bits = (uint32_t)(h & 0x8000u) << 16 | (e + 112u) << 23 | (h & 1023u) << 13;
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

#endif
