// Prints the constants of the kernels: the integer tables that a C library would otherwise fill,
// and the coefficients of the float approximations. Everything here is computed in long double and
// its definition stands beside it; tests/unit/test_op_unary.c checks what was committed against the
// same definitions.
//
//   cc -std=c11 -o make_tables make_tables.c -lm && ./make_tables
#include <math.h>
#include <stdint.h>
#include <stdio.h>

typedef long double real;

// ---- integer tables
// ------------------------------------------------------------------------------

// 65536 * sigmoid(i / 24).
static real sigmoid(real i) { return 65536.0L / (1.0L + expl(-i / 24.0L)); }

// The table is read with linear interpolation, which lies below a concave curve: each entry is
// raised by half of the error in the middle of its interval. The last entry is "one".
static void print_sigmoid(void) {
  printf("sigmoid, 256 entries\n");
  for (int i = 0; i < 256; i++) {
    const real middle_error = sigmoid(i + 0.5L) - (sigmoid(i) + sigmoid(i + 1)) / 2.0L;
    const long entry = i == 255 ? 65535 : lroundl(sigmoid(i) + middle_error / 2.0L);
    printf("%ld,%s", entry, i % 12 == 11 ? "\n" : " ");
  }
  printf("\n");
}

// exp(x) rounded to float and scaled by 2^15. All x here are sums and products of floats, as where
// the table is defined; the rounding of expl itself is 2^-40 of a float's last place.
static float exp_q15(float x) { return (float)expl((real)x) * 32768.0f; }

// exp over [-10, 0] in 512 steps, each entry corrected by half of the (rounded) error in the middle
// of its interval.
static void print_exp(void) {
  const float step = 10.0f / 512.0f;
  printf("exp, 513 entries\n");
  for (int i = 0; i < 512; i++) {
    const float here = roundf(exp_q15(-10.0f + (float)i * step));
    const float next = exp_q15(-10.0f + (float)(i + 1) * step);
    const float middle = roundf(exp_q15(-10.0f + (float)i * step + step / 2.0f));
    const float between = roundf((next + here) / 2.0f);
    const float entry = here - roundf((between - middle) / 2.0f);
    printf("%d,%s", (int)entry, i % 12 == 11 ? "\n" : " ");
  }
  printf("32767\n");
}

// log2(e) and 2^(i/16), for the exact exp.
static void print_powers(void) {
  printf("log2(e) * 2^63\n0x%016llx\n2^(i/16) * 2^63\n",
         (unsigned long long)(1.0L / logl(2.0L) * 0x1p63L));
  for (int i = 0; i < 16; i++) {
    const unsigned long long power = (unsigned long long)(exp2l(i / 16.0L) * 0x1p63L);
    printf("0x%016llx,%s", power, i % 4 == 3 ? "\n" : " ");
  }
  printf("ln(2)^k / k! * 2^63\n");
  real term = 1.0L;
  for (int k = 0; k < 11; k++) {
    printf("0x%016llx,%s", (unsigned long long)(term * 0x1p63L), k % 4 == 3 ? "\n" : " ");
    term *= logl(2.0L) / (real)(k + 1);
  }
  printf("\n");
}

// ---- polynomials
// ---------------------------------------------------------------------------------

#define MAX_TERMS 16

// A polynomial of `terms` terms that meets f in the Chebyshev points of [low, high]: within a small
// factor of the best one. Newton's divided differences, then expanded to powers of x.
static void print_polynomial(const char *name, real (*f)(real), real low, real high, int terms) {
  real x[MAX_TERMS], d[MAX_TERMS], p[MAX_TERMS] = {0};
  for (int i = 0; i < terms; i++) {
    const real angle = acosl(-1.0L) * ((real)i + 0.5L) / (real)terms;
    x[i] = (low + high) / 2.0L + (high - low) / 2.0L * cosl(angle);
    d[i] = f(x[i]);
  }
  for (int k = 1; k < terms; k++) {
    for (int i = terms - 1; i >= k; i--) d[i] = (d[i] - d[i - 1]) / (x[i] - x[i - k]);
  }
  for (int i = terms - 1; i >= 0; i--) {
    for (int k = terms - 1; k > 0; k--) p[k] = p[k - 1] - p[k] * x[i];
    p[0] = d[i] - p[0] * x[i];
  }
  printf("%s on [%.5Lf, %.5Lf], highest power first\n", name, low, high);
  for (int k = terms - 1; k >= 0; k--) printf("%.9gf%s", (double)(float)p[k], k ? ", " : "\n");
}

// exp(r) = 1 + r + r^2 * P(r)
static real exp_rest(real r) {
  return fabsl(r) < 1e-3L ? 0.5L + r / 6.0L + r * r / 24.0L : (expm1l(r) - r) / (r * r);
}

// log(1 + f) = 2s + s * z * P(z), s = f / (2 + f), z = s^2
static real log_rest(real z) {
  const real s = sqrtl(z);
  if (z < 1e-6L) return 2.0L / 3.0L + 2.0L / 5.0L * z;
  return (2.0L * atanhl(s) - 2.0L * s) / (s * z);
}

// tanh(x) = x + x * z * P(z), z = x^2
static real tanh_rest(real z) {
  const real x = sqrtl(z);
  if (z < 1e-6L) return -1.0L / 3.0L + 2.0L / 15.0L * z;
  return (tanhl(x) - x) / (x * z);
}

// erfc(z) = t * P(t) * exp(-z^2), t = 2 / (2 + z)
static real erfc_rest(real t) {
  const real z = 2.0L * (1.0L - t) / t;
  if (z < 60.0L) return erfcl(z) * expl(z * z) / t;
  const real w = 1.0L / (2.0L * z * z);  // the asymptotic series of erfc
  return (1.0L - w + 3.0L * w * w - 15.0L * w * w * w) / (z * sqrtl(acosl(-1.0L))) / t;
}

int main(void) {
  print_sigmoid();
  print_exp();
  print_powers();
  print_polynomial("exp", exp_rest, -0.3466L, 0.3466L, 6);
  print_polynomial("log", log_rest, 0.0L, 0.0295L, 4);
  print_polynomial("tanh", tanh_rest, 0.0L, 0.390625L, 5);
  print_polynomial("erfc", erfc_rest, 0.16L, 1.0L, 10);
  return 0;
}
