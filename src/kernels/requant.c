#include "dsp/dsp.h"
#include "kernel.h"
#include "mve/mve.h"

// A positive finite number as mantissa * 2^exponent, mantissa in [2^52, 2^53).
static uint64_t split_double(double x, int32_t *exponent) {
  uint64_t bits;
  memcpy(&bits, &x, sizeof bits);
  int32_t e = (int32_t)(bits >> 52 & 0x7FF);
  uint64_t mantissa = bits & ((UINT64_C(1) << 52) - 1);
  if (e == 0) {
    e = 1;
  } else {
    mantissa |= UINT64_C(1) << 52;
  }
  while (mantissa < UINT64_C(1) << 52) {
    mantissa <<= 1;
    e--;
  }
  *exponent = e - 1075;
  return mantissa;
}

// Packs a multiplier of magnitude q in [2^30, 2^31] and its exponent as the reference does, which
// leaves -2^31 as it is.
static arn__requant pack(uint64_t q, int32_t shift, bool negative) {
  if (q == UINT64_C(1) << 31 && !negative) {
    q >>= 1;
    shift++;
  }
  if (shift < -31) return (arn__requant){0, 0};
  if (shift > 30) return (arn__requant){INT32_MAX, 30};
  return (arn__requant){(int32_t)(negative ? -(int64_t)q : (int64_t)q), shift};
}

arn__requant arn__requant_of(double real) {
  if (!(real > 0.0) && !(real < 0.0)) return (arn__requant){0, 0};
  int32_t exponent;
  const uint64_t mantissa = split_double(real < 0.0 ? -real : real, &exponent);
  return pack((mantissa + (UINT64_C(1) << 21)) >> 22, exponent + 53, real < 0.0);
}

// A positive finite number as mantissa * 2^exponent, mantissa in [2^23, 2^24).
static uint32_t split_float(uint32_t bits, int32_t *exponent) {
  uint32_t mantissa = bits & 0x7FFFFF;
  int32_t e = (int32_t)(bits >> 23 & 0xFF);
  if (e > 0) mantissa |= UINT32_C(1) << 23;
  else e = 1;
  while (mantissa < UINT32_C(1) << 23) {
    mantissa <<= 1;
    e--;
  }
  *exponent = e - 150;
  return mantissa;
}

static uint32_t bits_of(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

// Goes on with a long division by `count` bits, 1 to 8. Needs: *rest < divisor < 2^24.
ARN__INLINE uint64_t divide_on(uint64_t quotient, uint32_t *rest, uint32_t next_bits,
                               uint32_t divisor, uint32_t count) {
  const uint32_t dividend = *rest << count | next_bits;
  const uint32_t digit = dividend / divisor;
  *rest = dividend - digit * divisor;
  return quotient << count | digit;
}

static bool is_infinite(float x) { return x - x != 0.0f; }  // of a number

// Sets what a * b / divisor is where one of them is no finite number, or the divisor is 0.
static bool is_special_ratio(float a, float b, float divisor, arn__requant *out) {
  *out = (arn__requant){0, 0};
  if (!(a > 0.0f || a < 0.0f) || !(b > 0.0f || b < 0.0f)) return true;
  if (divisor != divisor || is_infinite(divisor)) return true;
  if (!is_infinite(a) && !is_infinite(b) && divisor != 0.0f) return false;
  *out = (arn__requant){INT32_MAX, 30};
  return true;
}

// The product of two mantissas has 48 bits, as in double arithmetic; the quotient is found to 31
// bits and a rest. A double would keep 53 bits: it takes quotients that lie 2^-23 or less below a
// tie for the tie, which rounds up, and those that near to 2^31 for a power of two.
arn__requant arn__requant_ratio(float a, float b, float divisor, int32_t exponent) {
  int32_t a_exponent, b_exponent, divisor_exponent;
  arn__requant special;
  if (is_special_ratio(a, b, divisor, &special)) return special;
  const uint32_t a_bits = bits_of(a), b_bits = bits_of(b), divisor_bits = bits_of(divisor);
  const uint32_t high = split_float(a_bits & 0x7FFFFFFF, &a_exponent);
  uint64_t product = (uint64_t)high * split_float(b_bits & 0x7FFFFFFF, &b_exponent);
  const uint32_t d = split_float(divisor_bits & 0x7FFFFFFF, &divisor_exponent);
  exponent += a_exponent + b_exponent - divisor_exponent - 6 + 31;
  while ((uint32_t)(product >> 24) < d) {
    product <<= 1;
    exponent--;
  }
  uint32_t rest = (uint32_t)(product >> 24) - d;
  uint64_t q = 1;
  for (int32_t shift = 16; shift >= 0; shift -= 8) {
    q = divide_on(q, &rest, (uint32_t)(product >> shift) & 0xFF, d, 8);
  }
  q = divide_on(q, &rest, 0, d, 6);
  const bool negative = (a_bits ^ b_bits ^ divisor_bits) >> 31;
  const uint64_t fraction = (uint64_t)rest << 23, whole = (uint64_t)d << 23;
  if (fraction >= whole / 2 - d) q++;
  if (q == UINT64_C(1) << 31 && fraction >= whole - d) {
    q >>= 1;
    exponent++;
  }
  return pack(q, exponent, negative);
}

static float read_scale(const uint8_t *file, uint32_t at) {
  float scale;
  memcpy(&scale, file + at, sizeof scale);
  return scale;
}

static arn__requant exact(const arn__requant_source *s, float scale) {
  return arn__requant_ratio(s->in_scale, scale, s->out_scale, 0);
}

// scale = m * 2^(e - 158) and ratio = r * 2^(ratio_exponent - 63), where m has 32 bits (the last 8
// are zero) and r has 64: the top 31 bits of their product are the multiplier. Of the product's 96
// bits the last 32 are cut off; with what the ratio lacks, 64 are left that are low by at most 2.
// The reference rounds the quotient to 53 bits, which moves it by less than 2048. Where a
// multiplier is that near a tie, too large, or its scale subnormal, its shift becomes ODD. Returns
// whether there is such a one. Channels that are never used have tiny scales: they are not odd.
// `regular`: nothing is odd, nor any scale negative.
#define NEAR 4096u
#define ODD INT32_MIN

#if defined(__GNUC__)
#define WORD(at) __builtin_assume_aligned(at, 4)
#else
#define WORD(at) (at)
#endif

#if defined(__GNUC__)
#define ARN__COLD __attribute__((noinline, cold))
#else
#define ARN__COLD
#endif

ARN__INLINE uint32_t word_at(const uint8_t *at) {
  uint32_t word;
  memcpy(&word, WORD(at), sizeof word);
  return word;
}

ARN__INLINE uint32_t multiply(const arn__requant_source *s, const uint8_t *scales, uint32_t count,
                              arn__requant *restrict out, bool regular) {
  const uint64_t ratio_high = s->ratio_high, ratio_low = s->ratio_low;
  const int32_t base = s->ratio_exponent - 126;
  uint32_t any = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t bits = word_at(scales + 4 * (size_t)i);
    const uint32_t e = regular ? bits >> 23 : bits >> 23 & 0xFF, m = bits << 8 | UINT32_C(1) << 31;
    uint64_t product = m * ratio_high + (m * ratio_low >> 32);
    const uint32_t top = (uint32_t)(product >> 63);
    product = top ? product : product + product;
    const uint32_t high = (uint32_t)(product >> 32), low = (uint32_t)product;
    const uint32_t q = (high >> 1) + (high & 1), sign = regular ? 0 : 0u - (bits >> 31);
    const int32_t shift = (int32_t)(e + top) + base;
    const uint32_t tiny = shift < -31, near = (low ^ ((high & 1) - 1)) < NEAR;
    const uint32_t odd = q >> 31 | near | (shift > 30) | ((e == 0) & (tiny ^ 1));
    out[i].q = tiny ? 0 : (int32_t)((q ^ sign) - sign);
    out[i].shift = odd && !regular ? ODD : tiny ? 0 : shift;
    any |= odd | sign;
  }
  return any;
}

#if defined(ARN__DSP)
#define multiply_regular arn__requant_regular_dsp
#else
ARN__KERNEL static void multiply_regular(const arn__requant_source *s, const uint8_t *scales,
                                         uint32_t count, arn__requant *out) {
  multiply(s, scales, count, out, true);
}
#endif

// Makes as many of `count` regular multipliers as vectors hold; returns how many that were.
#if defined(ARN__MVE)
#define multiply_vectors arn__requant_regular_mve
#else
#define multiply_vectors(s, scales, count, out) 0
#endif

ARN__COLD static bool is_odd(const arn__requant_source *s, const uint8_t *scale) {
  arn__requant out;
  return (word_at(scale) >> 23 & 0xFF) == 0xFF || multiply(s, scale, 1, &out, false);
}

// Says whether multiply() finds nothing odd. Only those are computed that look like it: whose scale
// is not an ordinary positive number, or makes a shift above 30; whose product may round up to
// 2^31; or is near a tie, wherever its top bit is.
static bool is_regular(const arn__requant_source *s, const uint8_t *scales, uint32_t count) {
  const uint32_t ratio_high = s->ratio_high, ratio_low = s->ratio_low, least = 1u << 23;
  const int32_t exponent = 30 + 126 - s->ratio_exponent;  // from here on shifts may be too large
  const uint32_t most = exponent < 2 ? 0 : (uint32_t)(exponent < 255 ? exponent : 255) - 1;
  const uint8_t *end = scales + 4 * (size_t)count;
  for (const uint8_t *at = scales; at != end; at += 4) {
    const uint32_t bits = word_at(at), m = bits << 8 | UINT32_C(1) << 31;
    uint64_t product = (uint64_t)m * ratio_low >> 32;
    product += (uint64_t)m * ratio_high;
    const uint32_t high = (uint32_t)(product >> 32), low = (uint32_t)product;
    if (bits - least < most << 23 && (low + NEAR) << 1 >= 4 * NEAR && (high + 1) << 1 != 0) {
      continue;
    }
    if (is_odd(s, at)) return false;
  }
  return true;
}

void arn__requant_fill(const arn__requant_source *s, const uint8_t *file, uint32_t first,
                       uint32_t count, arn__requant *out) {
  const uint8_t *scales = file + s->scales_at + 4 * first;
  if (s->step == ARN__REQUANT_REGULAR) {
    const uint32_t done = multiply_vectors(s, scales, count, out);
    multiply_regular(s, scales + 4 * done, count - done, out + done);
    return;
  }
  for (uint32_t i = 0; i < count; i++) {
    out[i] = s->one;
    if (s->step == ARN__REQUANT_ONE) continue;
    multiply(s, scales + 4 * i, 1, &out[i], false);
    if (out[i].shift == ODD) out[i] = exact(s, read_scale(scales, 4 * i));
  }
}

static bool is_finite(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return (bits & 0x7FFFFFFF) < 0x7F800000;
}

// Sets the ratio as 64 bits: the quotient of two 24-bit mantissas by long division.
static void set_ratio(arn__requant_source *s) {
  int32_t in_exponent, out_exponent;
  uint32_t rest = split_float(bits_of(s->in_scale), &in_exponent);
  const uint32_t divisor = split_float(bits_of(s->out_scale), &out_exponent);
  s->ratio_exponent = in_exponent - out_exponent;
  if (rest < divisor) {
    rest <<= 1;
    s->ratio_exponent--;
  }
  uint64_t quotient = 1;  // in [1, 2), then 63 bits behind the point
  rest -= divisor;
  for (int32_t i = 0; i < 9; i++) quotient = divide_on(quotient, &rest, 0, divisor, 7);
  s->ratio_high = (uint32_t)(quotient >> 32);
  s->ratio_low = (uint32_t)quotient;
}

// Says whether all scales are finite: a loop without a way out, which vectors can do.
static bool are_finite(const uint8_t *scales, uint32_t count) {
  uint32_t highest = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t magnitude = word_at(scales + 4 * (size_t)i) & 0x7FFFFFFF;
    highest = magnitude > highest ? magnitude : highest;
  }
  return highest < 0x7F800000;
}

bool arn__requant_source_init(arn__requant_source *s, const uint8_t *file, uint32_t scales_at,
                              uint32_t scale_count, float in_scale, float out_scale) {
  memset(s, 0, sizeof *s);
  s->scales_at = scales_at;
  s->step = ARN__REQUANT_ONE;
  s->in_scale = in_scale;
  s->out_scale = out_scale;
  if (scale_count == 0 || !(in_scale > 0.0f) || !(out_scale > 0.0f)) return false;
  if (!is_finite(in_scale) || !is_finite(out_scale)) return false;
  set_ratio(s);
  if (scale_count > 1 && is_regular(s, file + scales_at, scale_count)) {
    s->step = ARN__REQUANT_REGULAR;
    return true;
  }
  if (!are_finite(file + scales_at, scale_count)) return false;
  if (scale_count > 1) s->step = ARN__REQUANT_ANY;
  else s->one = exact(s, read_scale(file, scales_at));
  return true;
}
