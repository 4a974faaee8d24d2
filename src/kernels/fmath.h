// Float functions of our own: short, without branches or calls, so that loops over them vectorise,
// and the same bits on every machine (-ffp-contract=off). Errors were measured over all floats; the
// bounds stand beside each. Coefficients: tools/make_tables.c.
#ifndef ARENITE_SRC_KERNELS_FMATH_H
#define ARENITE_SRC_KERNELS_FMATH_H

#include <math.h>

#include "kernel.h"

ARN__INLINE uint32_t arn__fmath_bits(float x) {
  uint32_t bits;
  memcpy(&bits, &x, sizeof bits);
  return bits;
}

ARN__INLINE float arn__fmath_float(uint32_t bits) {
  float x;
  memcpy(&x, &bits, sizeof x);
  return x;
}

ARN__INLINE float arn__fmath_abs(float x) {
  return arn__fmath_float(arn__fmath_bits(x) & 0x7FFFFFFFu);
}

ARN__INLINE float arn__fmath_copy_sign(float x, float sign) {
  return arn__fmath_float((arn__fmath_bits(x) & 0x7FFFFFFFu) |
                          (arn__fmath_bits(sign) & 0x80000000u));
}

// exp(x) = (1 + rest) * scale * scale2 for x in [-104, 89]: scales are powers of two, split so that
// none leaves the range of floats. NaN gives a rest of NaN; what else is outside gives anything,
// and callers choose their result afterwards (choosing x before would keep loops from vectorising).
typedef struct arn__fmath_power {
  float rest, scale, scale2;
} arn__fmath_power;

ARN__INLINE arn__fmath_power arn__fmath_power_of(float x) {
  const float round = 12582912.0f;  // 1.5 * 2^23: adding it leaves the nearest integer in low bits
  const float shifted = x * 1.44269504f + round;
  const float n = shifted - round;
  const uint32_t k = arn__fmath_bits(shifted) - 0x4B400000u;
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  float p = 0.000198909882f * r + 0.00139336474f;
  p = p * r + 0.00833331048f;
  p = p * r + 0.0416664667f;
  p = p * r + 0.166666672f;
  p = p * r + 0.5f;
  const uint32_t k1 = (uint32_t)((int32_t)k >> 1);
  return (arn__fmath_power){p * r * r + r, arn__fmath_float((k1 + 127u) << 23),
                            arn__fmath_float((k - k1 + 127u) << 23)};
}

// exp(x). 1 ulp.
ARN__INLINE float arn__fmath_exp(float x) {
  const arn__fmath_power p = arn__fmath_power_of(x);
  const float y = (1.0f + p.rest) * p.scale * p.scale2;
  const float bounded = x > 88.73f ? INFINITY : y;
  return x < -104.0f ? 0.0f : bounded;
}

// exp(x) where it is a normal number, which takes less: 0 below -87.3, and infinity from 88.3 on.
// 1 ulp.
ARN__INLINE float arn__fmath_exp_normal(float x) {
  const float round = 12582912.0f;  // as above
  const float shifted = x * 1.44269504f + round;
  const float n = shifted - round;
  const float r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  float p = 0.000198909882f * r + 0.00139336474f;
  p = p * r + 0.00833331048f;
  p = p * r + 0.0416664667f;
  p = p * r + 0.166666672f;
  p = p * r + 0.5f;
  const float scale = arn__fmath_float((arn__fmath_bits(shifted) << 23) + 0x3F800000u);
  const float y = (1.0f + (p * r * r + r)) * scale;
  const float bounded = x > 88.3f ? INFINITY : y;
  return x < -87.3f ? 0.0f : bounded;
}

// exp(x) - 1 for x <= 0. 2 ulp.
ARN__INLINE float arn__fmath_exp_minus_one(float x) {
  const arn__fmath_power p = arn__fmath_power_of(x);
  const float scale = p.scale * p.scale2;
  const float y = p.rest * scale + (scale - 1.0f);
  return x < -104.0f ? -1.0f : y;
}

// log(x): x = m * 2^k with m in [sqrt(1/2), sqrt(2)). 1 ulp; -inf for 0, NaN below.
ARN__INLINE float arn__fmath_log(float x) {
  const bool small = x < 1.17549435e-38f;
  const uint32_t bits = arn__fmath_bits(small ? x * 8388608.0f : x);
  const uint32_t above = bits - 0x3F3504F3u;  // of sqrt(1/2)
  const float f = arn__fmath_float((above & 0x007FFFFFu) + 0x3F3504F3u) - 1.0f;
  const float k = (float)((int32_t)above >> 23) - (small ? 23.0f : 0.0f);
  const float s = f / (2.0f + f);
  const float z = s * s;
  float p = 0.233329132f * z + 0.285507321f;
  p = p * z + 0.400001228f;
  p = p * z + 0.666666687f;
  const float half = 0.5f * f * f;
  const float y = k * 0.693359375f - ((half - (s * (half + p * z) + k * -2.12194440e-4f)) - f);
  const float special = x == 0.0f ? -INFINITY : x < 0.0f ? NAN : x;
  return x > 0.0f && x < INFINITY ? y : special;
}

// 1 / (1 + exp(-x)). 3 ulp, also for x far below 0.
ARN__INLINE float arn__fmath_logistic(float x) {
  const float e = arn__fmath_exp(-arn__fmath_abs(x));
  return (x < 0.0f ? e : 1.0f) / (1.0f + e);
}

// tanh(x): a polynomial near 0, where 1 - 2 / (1 + exp(2x)) would lose digits. 2 ulp.
ARN__INLINE float arn__fmath_tanh(float x) {
  const float a = arn__fmath_abs(x);
  const float z = x * x;
  float p = -0.00609671418f * z + 0.0209971797f;
  p = p * z - 0.0538509078f;
  p = p * z + 0.133327693f;
  p = p * z - 0.333333284f;
  const float near = p * z * x + x;
  const float far = 1.0f - 2.0f / (1.0f + arn__fmath_exp(2.0f * a));
  return a < 0.625f ? near : arn__fmath_copy_sign(far, x);
}

// x * (1 + erf(x / sqrt(2))) / 2, through erfc(z) = t P(t) exp(-z^2), t = 2 / (2 + z), so that
// nothing cancels for negative x. exp(-z^2) is split where z^2 = x^2 / 2 would be rounded. 12 ulp.
ARN__INLINE float arn__fmath_gelu(float x) {
  x = x < -20.0f ? -20.0f : x;  // already 0, and -infinity would give 0 * infinity
  const float a = arn__fmath_abs(x > 20.0f ? 20.0f : x);
  const float z = a * 0.707106781f;
  const float t = 2.0f / (2.0f + z);
  float p = 0.0174617488f * t - 0.149686441f;
  p = p * t + 0.486789882f;
  p = p * t - 0.74103719f;
  p = p * t + 0.474895567f;
  p = p * t - 0.12403056f;
  p = p * t + 0.233335376f;
  p = p * t + 0.2372116f;
  p = p * t + 0.283001602f;
  p = p * t + 0.282058418f;
  const float high = arn__fmath_float(arn__fmath_bits(a) & 0xFFFFF000u);  // its square is exact
  const float e = arn__fmath_exp(-0.5f * high * high) *
                  arn__fmath_exp(-0.5f * (a - high) * (a + high));
  const float tail = 0.5f * (t * p * e);  // of the normal distribution
  return x * (x < 0.0f ? tail : 1.0f - tail);
}

// The usual approximation of the above by tanh.
ARN__INLINE float arn__fmath_gelu_tanh(float x) {
  const float inner = 0.797884561f * (x + 0.044715f * x * x * x);
  return 0.5f * x * (1.0f + arn__fmath_tanh(inner));
}

// sin(x + turns * pi / 2) for |x| < ARN__FMATH_TURNS, where the four parts of pi / 2, of which the
// first three have few bits, leave what is exact; the polynomials hold to pi / 4. 2.4 ulp.
#define ARN__FMATH_TURNS 12867.0f
ARN__INLINE float arn__fmath_sin(float x, uint32_t turns) {
  const float round = 12582912.0f;  // as for exp
  const float shifted = x * 0.636619772f + round;
  const float n = shifted - round;
  const float near = (x - n * 1.5703125f) - n * 4.83751297e-4f;
  const float r = (near - n * 7.54953362e-8f) - n * 2.56334415e-12f;
  const uint32_t quarter = arn__fmath_bits(shifted) + turns;
  const float z = r * r;
  const float odd = ((-1.95152959e-4f * z + 8.33216087e-3f) * z - 0.166666546f) * z * r + r;
  const float p = ((2.44331571e-5f * z - 1.38873163e-3f) * z + 4.16666457e-2f) * z * z;
  const float even = (p - 0.5f * z) + 1.0f;
  const float y = quarter & 1u ? even : odd;
  return arn__fmath_float(arn__fmath_bits(y) ^ (quarter & 2u) << 30);
}

// Says whether arn__fmath_atan2() takes a point: neither coordinate is NaN, and the larger one is
// neither 0 nor near what floats do not hold.
ARN__INLINE bool arn__fmath_has_angle(float y, float x) {
  const float a = arn__fmath_abs(y), b = arn__fmath_abs(x);
  return (a < 1e38f) & (b < 1e38f) & ((a > 1e-37f) | (b > 1e-37f));
}

// The angle of such a point: atan of a quotient of at most tan(pi / 8), and what symmetry adds.
// 3 ulp.
ARN__INLINE float arn__fmath_atan2(float y, float x) {
  const float a = arn__fmath_abs(y), b = arn__fmath_abs(x);
  const float most = a > b ? a : b, least = a > b ? b : a;
  const bool is_steep = least > 0.414213562f * most;
  const float t = (is_steep ? least - most : least) / (is_steep ? least + most : most);
  const float z = t * t;
  float p = 8.05374450e-2f * z - 0.138776856f;
  p = p * z + 0.199777106f;
  p = p * z - 0.333329492f;
  const float eighth = p * z * t + t + (is_steep ? 0.785398163f : 0.0f);
  const float quarter = a > b ? 1.57079633f - eighth : eighth;
  const float half = arn__fmath_bits(x) >> 31 ? 3.14159265f - quarter : quarter;
  return arn__fmath_copy_sign(half, y);
}

// Nearest integer, ties to even; keeps the sign of zero. Exact.
ARN__INLINE float arn__fmath_round_even(float x) {
  const float a = arn__fmath_abs(x);
  const float whole = (a + 8388608.0f) - 8388608.0f;
  return a < 8388608.0f ? arn__fmath_copy_sign(whole, x) : x;
}

// Nearest integer, ties away from zero. Exact. Needs: |x| < 2^31.
ARN__INLINE int32_t arn__fmath_round_away(float x) {
  const int32_t whole = (int32_t)x;
  const float rest = x - (float)whole;
  return whole + (rest >= 0.5f) - (rest <= -0.5f);
}

#endif
