// Unary kernels against plain nested loops of their definitions, compiled -O2.
//
//   make benches && build/bench/unary
#define ARN_X86_LEVELS 1  // as the library, so that the same variants are called

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "src/kernels/activation.h"
#include "src/kernels/quantize.h"
#include "src/kernels/softmax.h"

#define MOST 65536
#if defined(__clang__)
#define PLAIN __attribute__((noinline))
#else
#define PLAIN __attribute__((noinline, optimize("O2")))
#endif

static int8_t in_s8[MOST], out_s8[MOST], want_s8[MOST];
static int16_t in_s16[MOST], out_s16[MOST];
static float in_f32[MOST], out_f32[MOST];
static double plain_seconds;

// ---- definitions, as the reference has them -----------------------------------------------------

static inline int32_t multiply(int32_t a, int32_t b) {
  const int64_t product = (int64_t)a * b;
  const int64_t nudge = product >= 0 ? 1 << 30 : 1 - (1 << 30);
  const bool overflow = a == b && a == INT32_MIN;
  return overflow ? INT32_MAX : (int32_t)((product + nudge) / (INT64_C(1) << 31));
}

static inline int32_t divide(int32_t x, int32_t exponent) {
  const int32_t mask = (int32_t)((INT64_C(1) << exponent) - 1);
  return (x >> exponent) + ((x & mask) > (mask >> 1) + (x < 0));
}

static inline int32_t shift(int32_t x, int32_t exponent) {
  const int32_t most = (1 << (31 - exponent)) - 1;
  return x > most ? INT32_MAX : x < -most ? INT32_MIN : (int32_t)((uint32_t)x << exponent);
}

static inline int32_t exp_of(int32_t a, int32_t bits) {
  static const int32_t factors[] = {1672461947, 1302514674, 790015084, 290630308,
                                    39332535,   720401,     242};
  const int32_t quarter = 1 << (29 - bits);
  const int32_t low = (a & (quarter - 1)) - quarter;
  const int32_t x = shift(low, bits) + (1 << 28);
  const int32_t x2 = multiply(x, x), x3 = multiply(x2, x), x4 = multiply(x2, x2);
  const int32_t t = divide(multiply(divide(x4, 2) + x3, 715827883) + x2, 1);
  int32_t y = 1895147668 + multiply(1895147668, x + t);
  for (int32_t i = 0; i < bits + 2; i++) {
    if (((uint32_t)low - (uint32_t)a) >> (29 - bits + i) & 1) y = multiply(y, factors[i]);
  }
  return a == 0 ? INT32_MAX : y;
}

static inline int32_t one_over(int32_t a) {
  const int32_t half = (int32_t)(((int64_t)a + INT32_MAX + 1) / 2);
  int32_t x = 1515870810 + multiply(half, -1010580540);
  for (int32_t i = 0; i < 3; i++) x += shift(multiply(x, (1 << 29) - multiply(half, x)), 2);
  return shift(x, 1);
}

static int32_t clamp_s8(int32_t x) { return x < -128 ? -128 : x > 127 ? 127 : x; }

PLAIN static void softmax_s8(uint32_t vectors, uint32_t depth, arn__requant r) {
  const int32_t least = -((31 << 26) >> r.shift);
  for (uint32_t v = 0; v < vectors; v++) {
    const int8_t *in = in_s8 + v * depth;
    int32_t most = -128, sum = 0;
    for (uint32_t i = 0; i < depth; i++) most = in[i] > most ? in[i] : most;
    for (uint32_t i = 0; i < depth; i++) {
      const int32_t x = in[i] - most;
      if (x >= least) sum += divide(exp_of(multiply(x * (1 << r.shift), r.q), 5), 12);
    }
    const int32_t zeros = __builtin_clz((uint32_t)sum);
    const int32_t factor = one_over((int32_t)(((uint32_t)sum << zeros) - (1u << 31)));
    for (uint32_t i = 0; i < depth; i++) {
      const int32_t x = in[i] - most;
      int32_t y = 0;
      if (x >= least) y = multiply(factor, exp_of(multiply(x * (1 << r.shift), r.q), 5));
      want_s8[v * depth + i] = (int8_t)clamp_s8(divide(y, 35 - zeros) - 128);
    }
  }
}

PLAIN static void logistic_s8(uint32_t count, arn__activation_curve p) {
  const int32_t flat = (15 << 27) >> p.requant.shift;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = in_s8[i] - p.in_zero;
    const int32_t a = multiply(x * (1 << p.requant.shift), p.requant.q);
    int32_t y = x < 0 ? -128 : 127;
    if (x > -flat && x < flat) {
      const int32_t positive = one_over(exp_of(a > 0 ? -a : a, 4));
      const int32_t either = a > 0 ? positive : INT32_MAX - positive;
      y = clamp_s8(divide(a == 0 ? 1 << 30 : either, 23) - 128);
    }
    want_s8[i] = (int8_t)y;
  }
}

PLAIN static void relu_s8(uint32_t count, arn__activation_slopes p) {
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = in_s8[i] - p.in_zero;
    const int32_t y = divide(multiply(x, p.positive.q), -p.positive.shift) + p.out_zero;
    want_s8[i] = (int8_t)arn__clamp_s32(y, p.clamp);
  }
}

PLAIN static void quantise_s8(uint32_t count, arn__quantize_real p) {
  for (uint32_t i = 0; i < count; i++) {
    want_s8[i] = (int8_t)clamp_s8((int32_t)roundf(in_f32[i] / p.scale) + p.zero);
  }
}

PLAIN static void softmax_f32(uint32_t vectors, uint32_t depth) {
  for (uint32_t v = 0; v < vectors; v++) {
    const float *in = in_f32 + v * depth;
    float *out = out_f32 + v * depth, most = in[0], sum = 0.0f;
    for (uint32_t i = 0; i < depth; i++) most = in[i] > most ? in[i] : most;
    for (uint32_t i = 0; i < depth; i++) {
      out[i] = expf(in[i] - most);
      sum += out[i];
    }
    for (uint32_t i = 0; i < depth; i++) out[i] /= sum;
  }
}

#define PLAIN_F32(name, expression)                    \
  PLAIN static void plain_##name(uint32_t count) {     \
    for (uint32_t i = 0; i < count; i++) {             \
      const float x = in_f32[i];                       \
      out_f32[i] = (expression);                       \
    }                                                  \
  }
PLAIN_F32(exp, expf(x))
PLAIN_F32(log, logf(x))
PLAIN_F32(logistic, 1.0f / (1.0f + expf(-x)))
PLAIN_F32(tanh, tanhf(x))
PLAIN_F32(elu, x < 0.0f ? expm1f(x) : x)
PLAIN_F32(gelu, 0.5f * x * erfcf(x * -0.70710678f))
PLAIN_F32(sqrt, sqrtf(x))
PLAIN_F32(floor, floorf(x))
PLAIN_F32(sin, sinf(x))

// ---- timing -------------------------------------------------------------------------------------

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// The least of several times that `call` takes, in seconds.
#define TIME(seconds, call)                                        \
  do {                                                             \
    seconds = 1e9;                                                 \
    for (int round_ = 0; round_ < 9; round_++) {                   \
      const double start_ = now();                                 \
      for (int i_ = 0; i_ < 40; i_++) {                            \
        call;                                                      \
        __asm__ volatile("" ::: "memory");                         \
      }                                                            \
      const double took_ = (now() - start_) / 40;                  \
      seconds = took_ < seconds ? took_ : seconds;                 \
    }                                                              \
  } while (0)

#define COMPARE(name, count, plain, ours)            \
  do {                                               \
    double seconds_;                                 \
    TIME(plain_seconds, plain);                      \
    TIME(seconds_, ours);                            \
    print_row(name, (double)(count), seconds_);      \
  } while (0)

static void print_row(const char *name, double count, double seconds) {
  printf("%-26s plain %8.2f ns, ours %8.2f ns an element: %5.1f times\n", name,
         1e9 * plain_seconds / count, 1e9 * seconds / count, plain_seconds / seconds);
}

static void check(const char *name, uint32_t count) {
  if (memcmp(out_s8, want_s8, count) != 0) printf("%s: other bytes than the definition\n", name);
}

static void softmaxes(void) {
  static const uint32_t sizes[][2] = {{1, 10}, {20, 2}, {20, 12}, {20, 64}, {10, 100}, {2, 1000}};
  static int32_t table[264];
  const arn__requant r = {1400000000, 21};
  for (uint32_t i = 0; i < 6; i++) {
    const uint32_t vectors = sizes[i][0], depth = sizes[i][1];
    const bool tabled = depth > 64;
    const arn__softmax_scaling s = {r, 0, tabled ? table : NULL};
    const arn__softmax_span span = {in_s8, out_s8, vectors, depth};
    const arn__softmax_span real = {in_f32, out_f32, vectors, depth};
    char name[32];
    snprintf(name, sizeof name, "SOFTMAX int8 %ux%u", vectors, depth);
    COMPARE(name, vectors * depth, softmax_s8(vectors, depth, r), {
      if (tabled) arn__softmax_fill(table, r);
      arn__softmax_s8(&span, &s);
    });
    check(name, vectors * depth);
    snprintf(name, sizeof name, "SOFTMAX float32 %ux%u", vectors, depth);
    COMPARE(name, vectors * depth, softmax_f32(vectors, depth), arn__softmax_f32(&real, 1.0f));
  }
}

static void integers(uint32_t n) {
  uint8_t table[256];
  const arn__activation_curve curve = {{1500000000, 22}, 3};
  const arn__activation_slopes slopes = {{1500000000, -1}, {1500000000, -1}, 3, -5, {-5, 127}};
  const arn__quantize_real real = {0.05f, 3, {-128, 127}, ARN_INT8};
  const arn__activation_lookup lookup = {20000, 3};
  COMPARE("LOGISTIC int8", n, logistic_s8(n, curve), {
    arn__unary_fill_table(table, arn__activation_logistic_s8, &curve, 0);
    arn__unary_look_up(table, (const uint8_t *)in_s8, (uint8_t *)out_s8, n);
  });
  check("LOGISTIC", n);
  COMPARE("LOGISTIC int8, few", 300, logistic_s8(300, curve),
          arn__activation_logistic_s8(in_s8, out_s8, 300, &curve));
  COMPARE("RELU int8", n, relu_s8(n, slopes), arn__activation_slopes_s8(in_s8, out_s8, n, &slopes));
  check("RELU", n);
  COMPARE("QUANTIZE float32 to int8", n, quantise_s8(n, real),
          arn__quantize_to(in_f32, out_s8, n, &real));
  check("QUANTIZE", n);
  COMPARE("LOGISTIC int16", n, arn__activation_logistic_s16_portable(in_s16, out_s16, n, &lookup),
          arn__activation_logistic_s16(in_s16, out_s16, n, &lookup));
  COMPARE("TANH int16", n, arn__activation_tanh_s16_portable(in_s16, out_s16, n, &lookup),
          arn__activation_tanh_s16(in_s16, out_s16, n, &lookup));
}

static void floats(uint32_t n) {
#define FLOAT(name, function)                      \
  COMPARE(name " float32", n, plain_##function(n), \
          arn__unary_##function##_f32(in_f32, out_f32, n, NULL))
  FLOAT("EXP", exp);
  FLOAT("LOGISTIC", logistic);
  FLOAT("TANH", tanh);
  FLOAT("ELU", elu);
  FLOAT("GELU", gelu);
  FLOAT("FLOOR", floor);
  FLOAT("SIN", sin);
  for (uint32_t i = 0; i < n; i++) in_f32[i] = fabsf(in_f32[i]) + 0.01f;
  FLOAT("LOG", log);
  FLOAT("SQRT", sqrt);
}

int main(void) {
  for (uint32_t i = 0; i < MOST; i++) {
    in_s8[i] = (int8_t)rand();
    in_s16[i] = (int16_t)rand();
    in_f32[i] = (float)(rand() % 20000 - 10000) / 1000.0f;
  }
  softmaxes();
  integers(16384);
  floats(16384);
  return 0;
}
