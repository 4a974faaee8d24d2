// The signal kernels: the tables and the rounding that stand behind bit-exact Fourier transforms,
// the transforms of all lengths against the stages they consist of and against their definition,
// and the kernels over channels against exact arithmetic. Here these are the portable kernels;
// those that the library may choose instead are compared with them in test_op_signal_nodes.c.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <complex.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "src/kernels/fft.h"
#include "src/kernels/signal.h"

static const double pi = 3.141592653589793238462643383279502884;

static uint32_t draw(uint32_t below) {
  static uint64_t seed = 1;
  seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)(seed >> 33) % below;
}

static int32_t draw_s32(void) { return (int32_t)(draw(1u << 31) << 1 | draw(2)); }

// ---- tables -------------------------------------------------------------------------------------

// What the reference makes of a root of unity's part.
static int32_t rounded(double part, int32_t most) { return (int32_t)floor(0.5 + most * part); }

static void the_quarter_is_a_cosine(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i <= ARN__FFT_TURN / 4; i++) {
    assert_int_equal(arn__fft_quarter[i], rounded(cos(2 * pi * i / ARN__FFT_TURN), INT32_MAX));
  }
}

// Roots that are made, not looked up: those of the reference for every even length, both ways.
static void made_roots_are_those_of_the_reference(void **unused) {
  static int16_t narrow[2 * 2048];
  static int32_t wide[2 * 2048];
  (void)unused;
  for (uint32_t length = 2; length <= 2048; length += 2) {
    const uint32_t n = length / 2;
    for (int32_t sign = -1; sign <= 1; sign += 2) {
      arn__fft_roots_s16(narrow, length, sign > 0);
      arn__fft_roots_s32(wide, length, sign > 0);
      for (uint32_t i = 0; i < n + n / 2; i++) {
        const double split = -3.14159265358979323846264338327 * ((double)(i - n + 1) / n + 0.5);
        const double angle = -sign * (i < n ? -2 * pi * i / n : split);
        assert_int_equal(narrow[2 * i], rounded(cos(angle), INT16_MAX));
        assert_int_equal(narrow[2 * i + 1], rounded(sin(angle), INT16_MAX));
        assert_int_equal(wide[2 * i], rounded(cos(angle), INT32_MAX));
        assert_int_equal(wide[2 * i + 1], rounded(sin(angle), INT32_MAX));
      }
    }
  }
}

// ---- stages -------------------------------------------------------------------------------------

// A transform by stages, as the reference's arithmetic defines it, in 64-bit integers that wrap to
// `bits`; recursive, with roots from the C library. Radices are 4, 2, 3, 5 and any other prime.
typedef struct number {
  int64_t re, im;
} number;

typedef struct reference {
  uint32_t n, bits;
  int32_t most;  // that stands for 1
  bool inverse;
  number roots[1024];
} reference;

static reference ref;

static int64_t wrap(int64_t x) { return ref.bits == 16 ? (int16_t)x : (int32_t)x; }

static int64_t times(int64_t x, int64_t w) {
  const uint32_t shift = ref.bits - 1;
  return wrap((int64_t)((uint64_t)(x * w) + (UINT64_C(1) << (shift - 1))) >> shift);
}

static number complex_times(number a, number w) {
  const uint32_t shift = ref.bits - 1;
  const uint64_t half = UINT64_C(1) << (shift - 1);
  const uint64_t re = (uint64_t)(a.re * w.re) - (uint64_t)(a.im * w.im) + half;
  const uint64_t im = (uint64_t)(a.re * w.im) + (uint64_t)(a.im * w.re) + half;
  return (number){wrap((int64_t)re >> shift), wrap((int64_t)im >> shift)};
}

static number both_times(number a, int64_t w) { return (number){times(a.re, w), times(a.im, w)}; }

static number sum(number a, number b) { return (number){wrap(a.re + b.re), wrap(a.im + b.im)}; }

static number difference(number a, number b) {
  return (number){wrap(a.re - b.re), wrap(a.im - b.im)};
}

// a + i b
static number sum_turned(number a, number b) {
  return (number){wrap(a.re - b.im), wrap(a.im + b.re)};
}

static number difference_turned(number a, number b) {
  return (number){wrap(a.re + b.im), wrap(a.im - b.re)};
}

static number root_at(double angle) {
  const double turned = ref.inverse ? -angle : angle;
  return (number){rounded(cos(turned), ref.most), rounded(sin(turned), ref.most)};
}

static void combine_2_4(number *x, uint32_t p) {
  if (p == 2) {
    const number a = x[0];
    x[0] = sum(a, x[1]);
    x[1] = difference(a, x[1]);
    return;
  }
  const number a = sum(x[0], x[2]), b = difference(x[0], x[2]);
  const number c = sum(x[1], x[3]), d = difference(x[1], x[3]);
  x[0] = sum(a, c);
  x[2] = difference(a, c);
  x[1] = ref.inverse ? sum_turned(b, d) : difference_turned(b, d);
  x[3] = ref.inverse ? difference_turned(b, d) : sum_turned(b, d);
}

static void combine_3(number *x) {
  const number s = sum(x[1], x[2]);
  const number d = both_times(difference(x[1], x[2]), ref.roots[ref.n / 3].im);
  const number middle = difference(x[0], (number){s.re >> 1, s.im >> 1});
  x[0] = sum(x[0], s);
  x[1] = sum_turned(middle, d);
  x[2] = difference_turned(middle, d);
}

static void combine_5(number *x) {
  const number a = ref.roots[ref.n / 5], b = ref.roots[2 * (ref.n / 5)];
  const number s1 = sum(x[1], x[4]), d1 = difference(x[1], x[4]);
  const number s2 = sum(x[2], x[3]), d2 = difference(x[2], x[3]);
  const number near = sum(x[0], sum(both_times(s1, a.re), both_times(s2, b.re)));
  const number far = sum(x[0], sum(both_times(s1, b.re), both_times(s2, a.re)));
  const number near_turn = sum(both_times(d1, a.im), both_times(d2, b.im));
  const number far_turn = difference(both_times(d1, b.im), both_times(d2, a.im));
  x[0] = sum(x[0], sum(s1, s2));
  x[1] = sum_turned(near, near_turn);
  x[4] = difference_turned(near, near_turn);
  x[2] = sum_turned(far, far_turn);
  x[3] = difference_turned(far, far_turn);
}

// Point k of p parts of m points each, at out, out + m, ...
static void butterfly(number *out, uint32_t p, uint32_t m, uint32_t k) {
  const uint32_t step = ref.n / (p * m);
  number x[1024], y[1024];
  for (uint32_t i = 0; i < p; i++) y[i] = x[i] = both_times(out[k + i * m], ref.most / (int32_t)p);
  for (uint32_t i = 1; i < p; i++) y[i] = complex_times(x[i], ref.roots[i * k * step]);
  if (p == 2 || p == 4) combine_2_4(y, p);
  if (p == 3) combine_3(y);
  if (p == 5) combine_5(y);
  for (uint32_t i = 0; i < p && p > 5; i++) {
    y[i] = x[0];
    for (uint32_t j = 1; j < p; j++) {
      y[i] = sum(y[i], complex_times(x[j], ref.roots[(k + i * m) * step * j % ref.n]));
    }
  }
  for (uint32_t i = 0; i < p; i++) out[k + i * m] = y[i];
}

static void by_stages(number *out, const number *in, uint32_t n, uint32_t stride) {
  if (n == 1) {
    *out = *in;
    return;
  }
  const uint32_t p = arn__fft_radix(n), m = n / p;
  for (uint32_t i = 0; i < p; i++) by_stages(out + i * m, in + i * stride, m, stride * p);
  for (uint32_t k = 0; k < m; k++) butterfly(out, p, m, k);
}

static void set_reference(uint32_t length, uint32_t bits, bool inverse) {
  ref.n = length / 2;
  ref.bits = bits;
  ref.most = bits == 16 ? INT16_MAX : INT32_MAX;
  ref.inverse = inverse;
  for (uint32_t i = 0; i < ref.n; i++) ref.roots[i] = root_at(-2 * pi * i / ref.n);
}

static number halved(number a) { return both_times(a, ref.most / 2); }

static number conjugate(number a) { return (number){a.re, wrap(-a.im)}; }

static number split_root(uint32_t k) {
  return root_at(-3.14159265358979323846264338327 * ((double)k / ref.n + 0.5));
}

// The single stage of a length of 2 has radix 1, and divides by it.
static void all_stages(number *out, const number *in) {
  by_stages(out, in, ref.n, 1);
  if (ref.n == 1) out[0] = both_times(out[0], ref.most);
}

// x: [length] reals, out: [n + 1].
static void reference_forward(number *out, const int32_t *x) {
  static number packed[1024], points[1024];
  for (uint32_t i = 0; i < ref.n; i++) packed[i] = (number){x[2 * i], x[2 * i + 1]};
  all_stages(points, packed);
  const number ends = halved(points[0]);
  out[0] = (number){wrap(ends.re + ends.im), 0};
  out[ref.n] = (number){wrap(ends.re - ends.im), 0};
  for (uint32_t k = 1; k <= ref.n / 2; k++) {
    const number a = halved(points[k]), b = halved(conjugate(points[ref.n - k]));
    const number even = sum(a, b), odd = complex_times(difference(a, b), split_root(k));
    const bool narrow = ref.bits == 16;  // there, sums have room before they are halved
    const int64_t re = even.re + odd.re, im = even.im + odd.im;
    const int64_t mirror_re = even.re - odd.re, mirror_im = odd.im - even.im;
    out[k] = (number){wrap((narrow ? re : wrap(re)) >> 1), wrap((narrow ? im : wrap(im)) >> 1)};
    out[ref.n - k] = (number){wrap((narrow ? mirror_re : wrap(mirror_re)) >> 1),
                              wrap((narrow ? mirror_im : wrap(mirror_im)) >> 1)};
  }
}

// points: [n + 1], x: [n] pairs of reals.
static void reference_inverse(number *x, const number *points) {
  static number joined[1024];
  const number first = points[0], last = points[ref.n];
  joined[0] = halved((number){wrap(first.re + last.re), wrap(first.re - last.re)});
  for (uint32_t k = 1; k <= ref.n / 2; k++) {
    const number a = halved(points[k]), b = halved(conjugate(points[ref.n - k]));
    const number even = sum(a, b), odd = complex_times(difference(a, b), split_root(k));
    joined[k] = sum(even, odd);
    joined[ref.n - k] = conjugate(difference(even, odd));
  }
  all_stages(x, joined);
}

static const uint32_t lengths[] = {2,  4,   6,   8,   10,  12,  14,  16,  18,  20,   22,   26,
                                   30, 32,  36,  42,  50,  64,  66,  90,  98,  120,  128,  202,
                                   250, 256, 320, 400, 480, 512, 750, 960, 1000, 1024, 1536, 2048};

static void *room_for(uint32_t length, bool inverse, uint32_t bits) {
  const uint32_t count = arn__fft_room(length);
  void *room = count > 0 ? malloc(count * bits / 4) : NULL;
  if (room == NULL) return NULL;
  if (bits == 16) arn__fft_roots_s16(room, length, inverse);
  else arn__fft_roots_s32(room, length, inverse);
  return room;
}

// Values of any magnitude, and often only those at the ends of the range.
static int32_t draw_value(uint32_t bits, uint32_t quiet) {
  if (quiet == 0) return draw(2) ? (bits == 16 ? INT16_MAX : INT32_MAX)
                                 : (bits == 16 ? INT16_MIN : INT32_MIN);
  return draw_s32() >> (32 - bits + quiet - 1);
}

static void check_forward_s16(uint32_t length) {
  int16_t *in = malloc(length * sizeof *in), *out = malloc((length + 2) * sizeof *out);
  const arn__fft fft = {length, 1 + draw(length), room_for(length, false, 16)};
  int32_t x[2048] = {0};
  number want[1025];
  const uint32_t quiet = draw(8);
  for (uint32_t i = 0; i < fft.count; i++) in[i] = (int16_t)(x[i] = draw_value(16, quiet));
  set_reference(length, 16, false);
  reference_forward(want, x);
  arn__fft_forward_s16(out, in, &fft);
  for (uint32_t k = 0; k <= length / 2; k++) {
    assert_int_equal(out[2 * k], want[k].re);
    assert_int_equal(out[2 * k + 1], want[k].im);
  }
  free(in);
  free(out);
  free(fft.room);
}

static void check_forward_s32(uint32_t length) {
  int32_t *in = malloc(length * sizeof *in), *out = malloc((length + 2) * sizeof *out);
  const arn__fft fft = {length, 1 + draw(length), room_for(length, false, 32)};
  int32_t x[2048] = {0};
  number want[1025];
  const uint32_t quiet = 1 + draw(8);
  for (uint32_t i = 0; i < fft.count; i++) in[i] = x[i] = draw_value(32, quiet);
  set_reference(length, 32, false);
  reference_forward(want, x);
  arn__fft_forward_s32(out, in, &fft);
  for (uint32_t k = 0; k <= length / 2; k++) {
    assert_int_equal(out[2 * k], want[k].re);
    assert_int_equal(out[2 * k + 1], want[k].im);
  }
  free(in);
  free(out);
  free(fft.room);
}

static void check_inverse_s16(uint32_t length) {
  int16_t *in = malloc((length + 2) * sizeof *in), *out = malloc(length * sizeof *out);
  const arn__fft fft = {length, 0, room_for(length, true, 16)};
  number points[1025], want[1024];
  const uint32_t quiet = draw(8);
  for (uint32_t i = 0; i < length + 2; i++) in[i] = (int16_t)draw_value(16, quiet);
  for (uint32_t k = 0; k <= length / 2; k++) points[k] = (number){in[2 * k], in[2 * k + 1]};
  set_reference(length, 16, true);
  reference_inverse(want, points);
  arn__fft_inverse_s16(out, in, &fft);
  for (uint32_t k = 0; k < length / 2; k++) {
    assert_int_equal(out[2 * k], want[k].re);
    assert_int_equal(out[2 * k + 1], want[k].im);
  }
  free(in);
  free(out);
  free(fft.room);
}

static void check_inverse_s32(uint32_t length) {
  int32_t *in = malloc((length + 2) * sizeof *in), *out = malloc(length * sizeof *out);
  const arn__fft fft = {length, 0, room_for(length, true, 32)};
  number points[1025], want[1024];
  const uint32_t quiet = 1 + draw(8);
  for (uint32_t i = 0; i < length + 2; i++) in[i] = draw_value(32, quiet);
  for (uint32_t k = 0; k <= length / 2; k++) points[k] = (number){in[2 * k], in[2 * k + 1]};
  set_reference(length, 32, true);
  reference_inverse(want, points);
  arn__fft_inverse_s32(out, in, &fft);
  for (uint32_t k = 0; k < length / 2; k++) {
    assert_int_equal(out[2 * k], want[k].re);
    assert_int_equal(out[2 * k + 1], want[k].im);
  }
  free(in);
  free(out);
  free(fft.room);
}

// Why the kernels leave out products with the first root of a stage, which is 1 as near as may be.
static void the_first_root_changes_no_quotient(void **unused) {
  (void)unused;
  for (uint32_t bits = 16; bits <= 32; bits += 16) {
    set_reference(2, bits, false);
    for (int32_t i = INT16_MIN; i <= INT16_MAX; i++) {
      const int32_t x = bits == 16 ? i : i < -32760 ? INT32_MIN + (i & 7) : draw_s32();
      for (int32_t p = 2; p <= 5; p++) {
        const int64_t quotient = times(x, ref.most / p);
        assert_int_equal(times(quotient, ref.most), quotient);
      }
    }
  }
}

static void transforms_are_their_stages(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    for (uint32_t round = 0; round < 6; round++) {
      check_forward_s16(lengths[i]);
      check_forward_s32(lengths[i]);
      check_inverse_s16(lengths[i]);
      check_inverse_s32(lengths[i]);
    }
  }
}

// ---- definitions --------------------------------------------------------------------------------

static double complex definition(const float *x, uint32_t count, uint32_t length, uint32_t k) {
  double complex sum_of_all = 0;
  for (uint32_t i = 0; i < count; i++) {
    sum_of_all += x[i] * cexp(-2 * pi * I * ((double)k * i / length));
  }
  return sum_of_all;
}

static void float_transforms_are_their_definition(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < sizeof lengths / sizeof *lengths; i++) {
    const uint32_t length = lengths[i], room = arn__fft_room(length);
    float *in = malloc(length * sizeof *in), *out = malloc((length + 2) * sizeof *out);
    float *again = malloc(length * sizeof *again), *roots = malloc((room + 1) * 2 * sizeof *roots);
    const arn__fft fft = {length, 1 + draw(length), room > 0 ? roots : NULL};
    const double most = 1e-6 * sqrt(length) * log2(length);
    for (uint32_t k = 0; k < fft.count; k++) in[k] = (float)draw(2001) / 1000.0f - 1.0f;
    if (room > 0) arn__fft_roots_f32(roots, length, false);
    arn__fft_forward_f32(out, in, &fft);
    for (uint32_t k = 0; k <= length / 2; k++) {
      const double complex want = definition(in, fft.count, length, k);
      assert_true(cabs(want - (out[2 * k] + I * out[2 * k + 1])) <= most);
    }
    if (room > 0) arn__fft_roots_f32(roots, length, true);
    arn__fft_inverse_f32(again, out, &fft);
    for (uint32_t k = 0; k < length; k++) {
      assert_true(fabsf(again[k] - (k < fft.count ? in[k] : 0.0f)) <= 1e-6f);
    }
    free(in);
    free(out);
    free(again);
    free(roots);
  }
}

static void every_value_has_its_place(void **unused) {
  static bool taken[2048];
  (void)unused;
  for (uint32_t n = 1; n <= 2048; n++) {
    uint32_t place = 0;
    memset(taken, 0, sizeof taken);
    for (uint32_t i = 0; i < n; i++) {
      assert_true(place < n && !taken[place]);
      taken[place] = true;
      place = arn__fft_next_place(place, n);
    }
    assert_int_equal(place, 0);
  }
}

// ---- channels -----------------------------------------------------------------------------------

// The nearest whole number to a root, by whole numbers alone: the one below or the one above.
static uint32_t nearest_root(uint64_t x) {
  uint64_t root = (uint64_t)sqrt((double)x);
  const uint64_t most = x >> 32 ? UINT32_MAX : UINT16_MAX;
  if (root > most) root = most;
  while (root * root > x) root--;
  while (root < most && (root + 1) * (root + 1) <= x) root++;
  const bool up = x - root * root > root && root < most;
  return (uint32_t)root + up;
}

static void square_roots_are_the_nearest(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < 200000; i++) {
    uint64_t x = ((uint64_t)draw(1u << 31) << 33 ^ (uint64_t)draw(1u << 31) << 11 ^ draw(2048)) >>
                 draw(64);
    if (i < 3000) x = i;
    if (i % 5 == 0) x = x >> 32 ? ~x : x * x;
    uint32_t root;
    const uint32_t shift = draw(32);
    arn__signal_sqrt_u64(&root, &x, 1, shift);
    assert_int_equal(root, nearest_root(x) >> shift);
  }
}

// Neighbours in the table differ by up to 224 / 65536, between which the reference hardly
// interpolates.
static void logarithms_are_near(void **unused) {
  (void)unused;
  for (uint32_t i = 0; i < 200000; i++) {
    const uint32_t x = i < 3000 ? i : draw_s32() > 0 ? (uint32_t)draw_s32() >> draw(30) : i;
    const arn__signal_log how = {1u + draw(1600), 0};
    const double exact = x > 1 ? log(x) * how.scale : 0;
    int16_t got;
    arn__signal_log_u32(&got, &x, 1, &how);
    assert_true(fabs(got - (exact < INT16_MAX ? exact : INT16_MAX)) <= 0.51 + how.scale * 0.0024);
  }
}

static void gains_say_what_they_read(void **unused) {
  (void)unused;
  assert_int_equal(arn__signal_gain_entries(0), 1);
  assert_int_equal(arn__signal_gain_entries(UINT32_MAX), 125);
  for (uint32_t i = 0; i < 5000; i++) {
    const uint32_t noise = i < 100 ? i : (uint32_t)draw_s32() >> draw(32);
    const uint32_t entries = arn__signal_gain_entries(noise);
    int16_t *table = malloc(entries * sizeof *table);  // the sanitizer sees a read beyond it
    for (uint32_t k = 0; k < entries; k++) table[k] = (int16_t)draw_s32();
    const uint32_t signal = (uint32_t)draw_s32();
    const arn__signal_gain how = {table, draw(64)};
    uint32_t out;
    arn__signal_gain_u32(&out, &signal, &noise, 1, &how);
    free(table);
  }
}

// The largest magnitude, that of the smallest int16 too.
static void magnitudes_do_not_overflow(void **unused) {
  const int16_t x[] = {3, INT16_MIN, 5, -7}, y[] = {0, -12, 11};
  (void)unused;
  assert_int_equal(arn__signal_magnitude_s16(x, 4), 32768);
  assert_int_equal(arn__signal_magnitude_s16(x, 1), 3);
  assert_int_equal(arn__signal_magnitude_s16(y, 3), 12);
  assert_int_equal(arn__signal_magnitude_s16(y, 1), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(the_quarter_is_a_cosine),
      cmocka_unit_test(made_roots_are_those_of_the_reference),
      cmocka_unit_test(the_first_root_changes_no_quotient),
      cmocka_unit_test(transforms_are_their_stages),
      cmocka_unit_test(float_transforms_are_their_definition),
      cmocka_unit_test(every_value_has_its_place),
      cmocka_unit_test(square_roots_are_the_nearest),
      cmocka_unit_test(logarithms_are_near),
      cmocka_unit_test(gains_say_what_they_read),
      cmocka_unit_test(magnitudes_do_not_overflow),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
