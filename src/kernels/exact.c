#include "exact.h"

#include <math.h>
#include <stdint.h>
#include <string.h>

// The upper half of a product of 64-bit numbers.
static uint64_t high_product(uint64_t a, uint64_t b) {
  const uint64_t a_low = (uint32_t)a, a_high = a >> 32;
  const uint64_t b_low = (uint32_t)b, b_high = b >> 32;
  const uint64_t cross = a_high * b_low + (a_low * b_low >> 32);
  const uint64_t other = a_low * b_high + (uint32_t)cross;
  return a_high * b_high + (cross >> 32) + (other >> 32);
}

// 2^fraction, fraction in [0, 1) of 64 bits; the result in [1, 2) with 62 bits behind the point.
// The top four bits choose 2^(i/16), the rest (below 1/16) goes through the series of 2^z.
static uint64_t power_of_two(uint64_t fraction) {
  static const uint64_t sixteenths[16] = {  // 2^(i/16) * 2^63
      0x8000000000000000, 0x85aac367cc487b15, 0x8b95c1e3ea8bd6e7, 0x91c3d373ab11c336,
      0x9837f0518db8a96f, 0x9ef5326091a111ae, 0xa5fed6a9b15138ea, 0xad583eea42a14ac6,
      0xb504f333f9de6484, 0xbd08a39f580c36be, 0xc5672a115506dadd, 0xce248c151f8480e4,
      0xd744fccad69d6af4, 0xe0ccdeec2a94e111, 0xeac0c6e7dd24392f, 0xf5257d152486cc2c};
  static const uint64_t terms[10] = {  // ln(2)^k / k! * 2^63
      0x8000000000000000, 0x58b90bfbe8e7bcd6, 0x1ebfbdff82c58ea8, 0x071ac235c1282fe2,
      0x013b2ab6fba4e772, 0x002bb0ffcf14ce62, 0x00050c244be1b1e1, 0x00007ff2ff1622c3,
      0x00000b160111d2e4, 0x000000da929e9caf};
  const uint64_t z = fraction & (UINT64_MAX >> 4);
  uint64_t sum = terms[9];
  for (int32_t k = 8; k >= 0; k--) sum = terms[k] + high_product(z, sum);
  return high_product(sum, sixteenths[fraction >> 60]);
}

// Rounds power * 2^(exponent - 62), power in [1, 2) * 2^62, to the nearest float, ties to even.
static float round_to_float(uint64_t power, int32_t exponent) {
  if (exponent > 127) return INFINITY;
  const uint64_t rest = power & ((UINT64_C(1) << 39) - 1);
  uint32_t bits = (uint32_t)(power >> 39) + ((uint32_t)(exponent + 126) << 23);
  const uint64_t half = UINT64_C(1) << 38;
  bits += rest > half || (rest == half && (bits & 1));
  float result;
  memcpy(&result, &bits, sizeof result);
  return result;
}

float arn__exact_exp(float x) {
  const uint64_t log2_e = 0xb8aa3b295c17f0bc;  // * 2^63
  if (!(x < 88.73f)) return x > 0.0f ? INFINITY : x;
  if (x < -87.33f) return 0.0f;
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  const int32_t exponent = (int32_t)(bits >> 23 & 0xFF) - 127;
  if (exponent < -40) return 1.0f;
  // |x| = mantissa * 2^(exponent - 63): then |x| * log2(e) has its point between bits 56 and 57.
  const uint64_t mantissa = (uint64_t)(bits << 8 | 0x80000000u) << 32;
  const uint64_t product = high_product(mantissa, log2_e);  // * 2^(62 - exponent)
  uint64_t fraction;
  int32_t whole = 0;
  if (exponent >= 0) {
    whole = (int32_t)(product >> (62 - exponent));
    fraction = product << (2 + exponent);
  } else if (exponent == -1) {
    whole = (int32_t)(product >> 63);
    fraction = product << 1;
  } else {
    fraction = product >> (-2 - exponent);
  }
  if (bits >> 31) {  // 2^-(whole + fraction)
    whole = fraction ? -whole - 1 : -whole;
    fraction = 0u - fraction;
  }
  return round_to_float(power_of_two(fraction), whole);
}
