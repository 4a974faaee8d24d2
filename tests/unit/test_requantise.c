// Requantisation against its definitions: multipliers as frexp and round give them in double
// arithmetic, and products as whole-number division says they are rounded.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <float.h>
#include <math.h>
#include <string.h>

#include "src/kernels/requant.h"

__extension__ typedef __int128 wide;

#define CHANNELS 64u

static uint64_t seed;

static uint64_t draw64(void) {
  seed += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = seed;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static uint32_t draw(uint32_t below) { return (uint32_t)(draw64() % below); }

static float from_bits(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// ---- multipliers ----

// As the reference splits a real multiplier.
static arn__requant split(double real) {
  if (real == 0.0) return (arn__requant){0, 0};
  int shift;
  double fraction = frexp(real, &shift);
  int64_t q = (int64_t)round(fraction * 2147483648.0);
  if (q == INT64_C(1) << 31) {
    q /= 2;
    shift++;
  }
  if (shift < -31) return (arn__requant){0, 0};
  if (shift > 30) return (arn__requant){INT32_MAX, 30};
  return (arn__requant){(int32_t)q, shift};
}

static void want_multiplier(arn__requant got, double real) {
  const arn__requant want = split(real);
  if (got.q == want.q && got.shift == want.shift) return;
  fail_msg("%a: got %d, %d; want %d, %d", real, (int)got.q, (int)got.shift, (int)want.q,
           (int)want.shift);
}

static void a_real_number_is_split_as_frexp_does(void **state) {
  (void)state;
  seed = 1;
  for (uint32_t i = 0; i < 2000000; i++) {
    const uint64_t sign = draw64() << 63, fraction = draw64() >> 12;
    const uint64_t exponent = draw(8) ? 983 + draw(80) : draw(2047);
    // Fractions with few bits set, or nearly all, lie on ties and on powers of two.
    const uint64_t masks[] = {~UINT64_C(0), 0, UINT64_C(3) << 20, UINT64_C(0xFFFFFFFFE00000)};
    const uint64_t mask = masks[draw(4)];
    const uint64_t bits = sign | exponent << 52 | ((draw(4) ? fraction & mask : mask) << 12 >> 12);
    double real;
    memcpy(&real, &bits, sizeof real);
    want_multiplier(arn__requant_of(real), real);
  }
}

static void numbers_at_the_edges_are_split_too(void **state) {
  (void)state;
  const double edges[] = {0.0, 1.0, 0.5, 0x1.fffffffffffffp-1, 0x1.fffffffep-1, 0x1.ffffffffp-1,
                          0x1p-32, 0x1p-33, 0x1.fffffffffp-33, 0x1p29, 0x1p30, 0x1.ffffffffp29,
                          0x1p100, 0x1p-1074, 0x1p-1022, 0x1.8000000001p-1};
  for (uint32_t i = 0; i < sizeof edges / sizeof edges[0]; i++) {
    want_multiplier(arn__requant_of(edges[i]), edges[i]);
    want_multiplier(arn__requant_of(-edges[i]), -edges[i]);
  }
  const arn__requant nothing = arn__requant_of((double)NAN);
  assert_int_equal(nothing.q, 0);
  assert_int_equal(nothing.shift, 0);
}

static float some_scale(uint32_t kind);

static void want_ratio(float a, float b, float divisor, int32_t exponent) {
  const double real = ldexp((double)a * (double)b / (double)divisor, exponent);
  const arn__requant got = arn__requant_ratio(a, b, divisor, exponent);
  const arn__requant want = split(real);
  if (got.q == want.q && got.shift == want.shift) return;
  fail_msg("%a * %a / %a * 2^%d: got %d, %d; want %d, %d", (double)a, (double)b, (double)divisor,
           (int)exponent, (int)got.q, (int)got.shift, (int)want.q, (int)want.shift);
}

// Returns x with x * a = r (mod m), m odd and a prime to it; 0 where a is not.
static uint32_t divide_modulo(int64_t r, int64_t a, int64_t m) {
  int64_t old = m, now = a % m, old_x = 0, x = 1;
  while (now != 0) {
    const int64_t quotient = old / now, next = old - quotient * now;
    const int64_t next_x = old_x - quotient * x;
    old = now, now = next, old_x = x, x = next_x;
  }
  return old == 1 ? (uint32_t)((wide)(old_x % m + m) * r % m) : 0;
}

// Returns b so that a * b / divisor, all three mantissas and the divisor odd, leaves a rest of
// nearly half the divisor when taken to 31 bits, or of nearly all of it: what a double of 53 bits
// rounds to a tie, or to the next whole number.
static uint32_t beside_tie(uint32_t a, uint32_t divisor) {
  const uint32_t rest = (draw(3) ? divisor / 2 : divisor - 1) + 2 - draw(6);
  return divide_modulo(rest % divisor, (int64_t)a << (6 + draw(3)), divisor);
}

static void want_ratio_beside_tie(void) {
  const uint32_t divisor = 1u << 23 | draw(1u << 23) | 1, a = 1u << 23 | draw(1u << 23);
  const float sign = draw(2) ? 1.0f : -1.0f;
  want_ratio(sign * (float)a, (float)beside_tie(a, divisor), (float)divisor, -20);
}

// Zeros, infinities and what is no number, in any place: no hang, and what doubles give.
static void ratios_of_special_floats_are_those_of_doubles(void **state) {
  (void)state;
  const float special[] = {0.0f,      -0.0f, 1.0f,    -1.0f,        INFINITY,
                           -INFINITY, NAN,  FLT_MAX, from_bits(1), -0.3f};
  enum { COUNT = sizeof special / sizeof special[0] };
  for (uint32_t i = 0; i < COUNT * COUNT * COUNT; i++) {
    const float a = special[i % COUNT], b = special[i / COUNT % COUNT];
    const float divisor = special[i / COUNT / COUNT];
    const arn__requant want = arn__requant_of((double)a * (double)b / (double)divisor);
    const arn__requant got = arn__requant_ratio(a, b, divisor, 0);
    assert_int_equal(got.q, want.q);
    assert_int_equal(got.shift, want.shift);
  }
}

static void ratios_are_split_as_in_double_arithmetic(void **state) {
  (void)state;
  seed = 7;
  for (uint32_t i = 0; i < 3000000; i++) {
    const uint32_t kind = draw(6);
    float divisor = 0.0f;
    while (!(divisor > 0.0f)) divisor = fabsf(some_scale(draw(6)));
    const int32_t exponent = draw(2) ? 0 : (int32_t)draw(60) - 30;
    want_ratio(some_scale(kind), some_scale(draw(6)), divisor, exponent);
    want_ratio_beside_tie();
  }
  want_ratio(0.0f, 1.0f, 1.0f, 0);
  assert_int_equal(arn__requant_ratio(1.0f, NAN, 1.0f, 0).q, 0);
  want_ratio(from_bits(1), from_bits(1), FLT_MAX, 0);
  want_ratio(FLT_MAX, FLT_MAX, from_bits(1), 0);
}

// ---- multipliers of channels ----

// What the scales of a block look like: usual ones, or any finite ones.
static float some_scale(uint32_t kind) {
  switch (kind) {
    case 0: return from_bits((100 + draw(30)) << 23 | (uint32_t)(draw64() & 0x7FFFFF));
    case 1: return from_bits((100 + draw(30)) << 23);  // powers of two: exact products, ties
    case 2: return from_bits((100 + draw(30)) << 23 | ((uint32_t)(draw64() & 0xFF) << 15));
    case 3: return from_bits(draw(2) << 31 | draw(0x7F800000));
    case 4: return from_bits(draw(0x00800000));  // subnormal
    case 5: return ldexpf((float)(1 + draw(100)), (int)draw(12) - 20);  // round: quotients are ties
    default: return 0.0f;
  }
}

static float positive_scale(uint32_t kind) {
  float x = 0.0f;
  while (!(x > 0.0f)) x = fabsf(some_scale(kind));
  return x;
}

static void check_block(uint32_t kind) {
  _Alignas(4) uint8_t file[16 + 4 * CHANNELS];
  float scales[CHANNELS];
  arn__requant got[CHANNELS];
  arn__requant_source source;
  const float in = positive_scale(kind), out = positive_scale(kind);
  for (uint32_t c = 0; c < CHANNELS; c++) {
    scales[c] = some_scale(draw(40) == 0 ? draw(7) : kind);
    if (draw(64) == 0) scales[c] = -scales[c];
  }
  const uint32_t at = 4 * (1 + draw(3));
  memcpy(file + at, scales, sizeof scales);
  assert_true(arn__requant_source_init(&source, file, at, CHANNELS, in, out));
  const uint32_t first = draw(CHANNELS), count = 1 + draw(CHANNELS - first);
  arn__requant_fill(&source, file, first, count, got);
  for (uint32_t c = 0; c < count; c++) {
    want_multiplier(got[c], (double)in * (double)scales[first + c] / (double)out);
  }
}

// One channel is beside a tie, or not far from a power of two; the others are as usual.
static void check_block_beside_tie(void) {
  _Alignas(4) uint8_t file[4 * CHANNELS];
  float scales[CHANNELS];
  arn__requant got[CHANNELS];
  arn__requant_source source;
  const uint32_t divisor = 1u << 23 | draw(1u << 23) | 1, a = 1u << 23 | draw(1u << 23);
  const float in = ldexpf((float)a, -30), out = ldexpf((float)divisor, -26);
  for (uint32_t c = 0; c < CHANNELS; c++) scales[c] = positive_scale(0);
  float *odd = &scales[draw(CHANNELS)];
  *odd = ldexpf((float)beside_tie(a, divisor), -40);
  if (draw(4) == 0) *odd = from_bits(bits_of(out / in) - draw(3));
  memcpy(file, scales, sizeof scales);
  assert_true(arn__requant_source_init(&source, file, 0, CHANNELS, in, out));
  arn__requant_fill(&source, file, 0, CHANNELS, got);
  for (uint32_t c = 0; c < CHANNELS; c++) {
    want_multiplier(got[c], (double)in * (double)scales[c] / (double)out);
  }
}

static void channels_get_what_double_arithmetic_gives(void **state) {
  (void)state;
  seed = 2;
  for (uint32_t round = 0; round < 150000; round++) check_block(draw(10) ? draw(3) : 3 + draw(3));
  for (uint32_t round = 0; round < 100000; round++) check_block_beside_tie();
}

static void one_scale_serves_all_channels(void **state) {
  (void)state;
  seed = 3;
  for (uint32_t i = 0; i < 10000; i++) {
    _Alignas(4) uint8_t file[8] = {0};
    arn__requant_source source;
    arn__requant got[3];
    const float in = positive_scale(0), out = positive_scale(0), scale = positive_scale(3);
    memcpy(file + 4, &scale, 4);
    assert_true(arn__requant_source_init(&source, file, 4, 1, in, out));
    arn__requant_fill(&source, file, 100, 3, got);
    for (uint32_t c = 0; c < 3; c++) {
      want_multiplier(got[c], (double)in * (double)scale / (double)out);
    }
  }
}

static void impossible_scales_are_refused(void **state) {
  (void)state;
  const float bad[] = {0.0f, -1.0f, NAN, INFINITY, -INFINITY};
  float scales[2] = {1.0f, 1.0f};
  arn__requant_source source;
  _Alignas(4) uint8_t file[12] = {0};
  memcpy(file + 4, scales, 8);
  assert_true(arn__requant_source_init(&source, file, 4, 2, 1.0f, 1.0f));
  assert_false(arn__requant_source_init(&source, file, 4, 0, 1.0f, 1.0f));
  for (uint32_t i = 0; i < 5; i++) {
    assert_false(arn__requant_source_init(&source, file, 4, 2, bad[i], 1.0f));
    assert_false(arn__requant_source_init(&source, file, 4, 2, 1.0f, bad[i]));
    scales[1] = bad[i];
    memcpy(file + 4, scales, 8);
    assert_int_equal(arn__requant_source_init(&source, file, 4, 2, 1.0f, 1.0f), i < 2);
    assert_int_equal(arn__requant_source_init(&source, file, 4, 2, 0x1p-90f, 0x1p90f), i < 2);
    scales[1] = 1.0f;
    memcpy(file + 4, scales, 8);
  }
}

// ---- products ----

static wide magnitude(wide x) { return x < 0 ? -x : x; }

// a / 2^n to the nearest, ties away from zero.
static wide divide_away(wide a, uint32_t n) {
  const wide half = n ? (wide)1 << (n - 1) : 0;
  const wide quotient = (magnitude(a) + half) / ((wide)1 << n);
  return a < 0 ? -quotient : quotient;
}

// a / 2^n to the nearest, ties towards plus infinity.
static wide divide_up(wide a, uint32_t n) {
  const wide divisor = (wide)1 << n, sum = a + divisor / 2;
  const wide quotient = sum / divisor;
  return sum % divisor < 0 ? quotient - 1 : quotient;
}

// The reference's doubling high multiply: a nudge by the sign, and a division that truncates.
static wide multiply_high(wide a, wide q) {
  const wide product = a * q, nudge = (wide)1 << 30;
  return (product + (product >= 0 ? nudge : 1 - nudge)) / ((wide)1 << 31);
}

static int32_t requantise_by_division(int32_t acc, arn__requant r) {
  const wide left = r.shift > 0 ? (wide)1 << r.shift : 1;
  const wide shifted = (int32_t)(uint32_t)((uint64_t)(acc * left) & UINT32_MAX);
  return (int32_t)divide_away(multiply_high(shifted, r.q), r.shift < 0 ? (uint32_t)-r.shift : 0);
}

static const int32_t accumulators[] = {0, 1, -1, 2, -2, 3, -3, 127, -128, 255, 32767, -32768,
                                       1 << 29, -(1 << 29), (1 << 30) - 1, 1 << 30, -(1 << 30),
                                       INT32_MAX, INT32_MAX - 1, INT32_MIN + 1, INT32_MIN};
static const int32_t multipliers[] = {0, 1 << 30, (1 << 30) + 1, 3 << 29, INT32_MAX - 1,
                                      INT32_MAX, -(1 << 30), -(1 << 30) - 1, INT32_MIN + 1};

#define COUNT(list) ((uint32_t)(sizeof(list) / sizeof(list)[0]))

static void want_product(int32_t acc, arn__requant r) {
  const int32_t got = arn__requantise(acc, r), want = requantise_by_division(acc, r);
  if (got == want) return;
  fail_msg("%d * %d >> %d: got %d, want %d", (int)acc, (int)r.q, (int)r.shift, (int)got, (int)want);
}

static void products_at_the_edges_are_rounded_as_defined(void **state) {
  (void)state;
  for (uint32_t a = 0; a < COUNT(accumulators); a++) {
    for (uint32_t q = 0; q < COUNT(multipliers); q++) {
      for (int32_t shift = -31; shift <= 30; shift++) {
        want_product(accumulators[a], (arn__requant){multipliers[q], shift});
      }
    }
  }
}

// The least negative q needs care where the accumulator is as low: that product is out of range.
static void the_lowest_multiplier_takes_all_other_accumulators(void **state) {
  (void)state;
  for (uint32_t a = 0; a < COUNT(accumulators); a++) {
    if (accumulators[a] == INT32_MIN) continue;
    for (int32_t shift = -31; shift <= 0; shift++) {
      want_product(accumulators[a], (arn__requant){INT32_MIN, shift});
    }
  }
}

static void random_products_are_rounded_as_defined(void **state) {
  (void)state;
  seed = 4;
  for (uint32_t i = 0; i < 3000000; i++) {
    const int32_t acc = (int32_t)(uint32_t)draw64() >> draw(31);
    const int32_t q = (int32_t)((UINT32_C(1) << 30) + draw(UINT32_C(1) << 30));
    want_product(acc, (arn__requant){draw(8) ? q : -q, (int32_t)draw(62) - 31});
  }
}

// Of the two steps the multiplication rounds ties up, and the shift after it away from zero.
static void ties_of_the_multiplication_go_up_and_those_of_the_shift_away(void **state) {
  (void)state;
  for (int32_t k = -3; k <= 3; k++) {
    assert_int_equal(arn__requantise(2 * k + 1, (arn__requant){1 << 30, 0}), k + 1);
  }
  for (int32_t right = 2; right < 31; right++) {
    const arn__requant half = {1 << 30, 1 - right};  // 2^-right
    for (int32_t k = -3; k <= 3; k++) {
      const int64_t tie = (2 * (int64_t)k + 1) * (INT64_C(1) << (right - 1));
      if (tie > INT32_MAX / 2 || tie < INT32_MIN / 2) continue;
      assert_int_equal(arn__requantise((int32_t)tie, half), k >= 0 ? k + 1 : k);
      want_product((int32_t)tie - 1, half);
      want_product((int32_t)tie + 1, half);
    }
  }
}

static int32_t requantise_s64_by_division(int64_t acc, arn__requant r) {
  const int32_t reduced = r.q < 0x7FFF0000 ? (r.q + (1 << 15)) / (1 << 16) : 0x7FFF;
  return (int32_t)divide_up((wide)acc * reduced, (uint32_t)(15 - r.shift));
}

static void wide_accumulators_are_rounded_as_defined(void **state) {
  (void)state;
  seed = 5;
  for (uint32_t i = 0; i < 2000000; i++) {
    const int64_t acc = (int64_t)(draw64() & ((UINT64_C(1) << 48) - 1)) - (INT64_C(1) << 47);
    const int32_t q = draw(20) ? (int32_t)((UINT32_C(1) << 30) + draw(UINT32_C(1) << 30))
                               : multipliers[1 + draw(5)];
    const arn__requant r = {q, (int32_t)draw(46) - 31};
    const wide exact = divide_up((wide)acc * 0x8000, (uint32_t)(15 - r.shift));
    if (magnitude(exact) > INT32_MAX) continue;  // no model that is valid gets there
    assert_int_equal(arn__requantise_s64(acc, r), requantise_s64_by_division(acc, r));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_real_number_is_split_as_frexp_does),
      cmocka_unit_test(numbers_at_the_edges_are_split_too),
      cmocka_unit_test(ratios_are_split_as_in_double_arithmetic),
      cmocka_unit_test(ratios_of_special_floats_are_those_of_doubles),
      cmocka_unit_test(channels_get_what_double_arithmetic_gives),
      cmocka_unit_test(one_scale_serves_all_channels),
      cmocka_unit_test(impossible_scales_are_refused),
      cmocka_unit_test(products_at_the_edges_are_rounded_as_defined),
      cmocka_unit_test(the_lowest_multiplier_takes_all_other_accumulators),
      cmocka_unit_test(random_products_are_rounded_as_defined),
      cmocka_unit_test(ties_of_the_multiplication_go_up_and_those_of_the_shift_away),
      cmocka_unit_test(wide_accumulators_are_rounded_as_defined),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
