// Roots of unity for lengths that the table does not serve.
//
// The reference takes them from the C library's cosine and sine of an angle in double precision,
// and rounds 32767 or 2^31 - 1 times that. Where the true value ends in exactly one half (angles of
// 30 and 60 degrees), the error of the angle decides. So the angle is computed as there, and its
// cosine and sine in 64-bit integers, to 2^-62, then rounded once to a double.
#include "fft.h"

// The upper half of a product of 64-bit numbers.
static uint64_t high_product(uint64_t a, uint64_t b) {
  const uint64_t a_low = (uint32_t)a, a_high = a >> 32;
  const uint64_t b_low = (uint32_t)b, b_high = b >> 32;
  const uint64_t cross = a_high * b_low + (a_low * b_low >> 32);
  const uint64_t other = a_low * b_high + (uint32_t)cross;
  return a_high * b_high + (cross >> 32) + (other >> 32);
}

#define TERMS 10

// 1 - z / (1 * 2) (1 - z / (3 * 4) (1 - ...)), z and the result below 1 with 64 bits behind the
// point. `terms` are the coefficients of z, z^2, ... without their signs. The result 1 comes as 0.
static uint64_t alternating_series(const uint64_t *terms, uint64_t z) {
  uint64_t sum = terms[TERMS - 1];
  for (uint32_t k = TERMS - 1; k-- > 0;) sum = terms[k] - high_product(z, sum);
  return 0u - high_product(z, sum);
}

typedef struct wave {
  double cosine, sine;
} wave;

// x * 2^-63 is an angle of at most an eighth of a turn.
static wave first_eighth(uint64_t x) {
  static const uint64_t even[TERMS] = {  // 2^64 / (2 k)!
      0x8000000000000000, 0x0aaaaaaaaaaaaaab, 0x005b05b05b05b05b, 0x0001a01a01a01a02,
      0x0000049f93edde28, 0x00000008f76c77fc, 0x000000000c9cba54, 0x00000000000d73fa,
      0x0000000000000b41, 0x0000000000000008};
  static const uint64_t odd[TERMS] = {  // 2^64 / (2 k + 1)!
      0x2aaaaaaaaaaaaaab, 0x0222222222222222, 0x000d00d00d00d00d, 0x00002e3bc74aad8e,
      0x0000006b99159fd5, 0x00000000b092309d, 0x0000000000d73f9f, 0x000000000000ca96,
      0x0000000000000098, 0x0000000000000000};
  const double unit = 1.0 / 18446744073709551616.0;  // 2^-64
  const uint64_t z = high_product(x, x) << 2;
  const uint64_t cosine = alternating_series(even, z), factor = alternating_series(odd, z);
  const uint64_t sine = factor ? high_product(x, factor) : x;
  return (wave){cosine ? (double)cosine * unit : 1.0, (double)sine * (2 * unit)};
}

// Needs: |angle| < 8.
static wave wave_of(double angle) {
  const uint64_t quarter = 0xc90fdaa22168c235;  // pi / 2 * 2^63
  const double positive = angle < 0 ? -angle : angle;
  const uint64_t turned = (uint64_t)(positive * 2305843009213693952.0);  // 2^61
  const uint64_t quarters = turned / (quarter >> 2);
  const uint64_t rest = (turned - quarters * (quarter >> 2)) << 2, late = quarters * (quarter & 3);
  const uint64_t x = rest > late ? rest - late : 0;
  const bool mirrored = x > quarter / 2;
  wave w = first_eighth(mirrored ? quarter - x : x);
  if (mirrored != (quarters & 1)) w = (wave){w.sine, w.cosine};
  if ((quarters + 1) & 2) w.cosine = -w.cosine;
  if ((quarters & 2) != 0) w.sine = -w.sine;
  if (angle < 0) w.sine = -w.sine;
  return w;
}

// ---- arrays of roots ----------------------------------------------------------------------------

typedef void store(void *room, uint32_t i, wave w);

static void make_roots(void *room, uint32_t length, bool inverse, store *put) {
  const double pi = 3.141592653589793238462643383279502884;
  const double n = length / 2, sign = inverse ? -1.0 : 1.0;
  for (uint32_t i = 0; i < length / 2; i++) put(room, i, wave_of(sign * (-2 * pi * i / n)));
  for (uint32_t i = 0; i < length / 4; i++) {
    put(room, length / 2 + i, wave_of(sign * (-pi * ((i + 1) / n + 0.5))));
  }
}

static int32_t round_up_at_half(double x) {
  const double shifted = 0.5 + x;
  const int32_t whole = (int32_t)shifted;
  return shifted < whole ? whole - 1 : whole;
}

static void store_s16(void *room, uint32_t i, wave w) {
  int16_t *roots = room;
  roots[2 * i] = (int16_t)round_up_at_half(INT16_MAX * w.cosine);
  roots[2 * i + 1] = (int16_t)round_up_at_half(INT16_MAX * w.sine);
}

static void store_s32(void *room, uint32_t i, wave w) {
  int32_t *roots = room;
  roots[2 * i] = round_up_at_half(INT32_MAX * w.cosine);
  roots[2 * i + 1] = round_up_at_half(INT32_MAX * w.sine);
}

static void store_f32(void *room, uint32_t i, wave w) {
  float *roots = room;
  roots[2 * i] = (float)w.cosine;
  roots[2 * i + 1] = (float)w.sine;
}

void arn__fft_roots_s16(void *room, uint32_t length, bool inverse) {
  make_roots(room, length, inverse, store_s16);
}

void arn__fft_roots_s32(void *room, uint32_t length, bool inverse) {
  make_roots(room, length, inverse, store_s32);
}

void arn__fft_roots_f32(void *room, uint32_t length, bool inverse) {
  make_roots(room, length, inverse, store_f32);
}

uint32_t arn__fft_room(uint32_t length) {
  if (ARN__FFT_TURN % length == 0) return 0;
  uint32_t n = length / 2, radix = 5;
  while (n % 2 == 0) n /= 2;
  for (uint32_t p = 3; p * p <= n; p += 2) {
    for (; n % p == 0; n /= p) radix = p > radix ? p : radix;
  }
  if (n > radix) radix = n;
  return length / 2 + length / 4 + (radix > 5 ? radix : 0);
}
