// Softmax of int16, bit for bit the reference's: exp and the reciprocal are read from tables of 512
// intervals with linear interpolation. The table of the reciprocal is computed where it is read,
// two entries a vector, from basic operations on floats.
#include "../fixed.h"
#include "../fmath.h"
#include "../softmax.h"

// 2^15 * exp(x) over [-10, 0], each corrected by half of the error in the middle of its interval.
// From tools/make_tables.c.
const int16_t arn__softmax_exp_table[513] = {
    2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3,
    3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 5, 5, 5, 5, 5, 5, 5,
    5, 5, 5, 6, 6, 6, 6, 6, 6, 6, 6, 7, 7, 7, 7, 7, 7, 7, 7, 8, 8, 8, 8, 8, 8, 9, 9, 9, 9, 9, 9, 10,
    10, 10, 10, 10, 11, 11, 11, 11, 11, 12, 12, 12, 12, 13, 13, 13, 13, 14, 14, 14, 14, 15, 15, 15,
    16, 16, 16, 17, 17, 17, 18, 18, 18, 19, 19, 19, 20, 20, 21, 21, 21, 22, 22, 23, 23, 24, 24, 25,
    25, 26, 26, 27, 27, 28, 28, 29, 29, 30, 30, 31, 32, 32, 33, 34, 34, 35, 36, 36, 37, 37, 38, 39,
    40, 40, 42, 42, 43, 44, 45, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 59, 60, 60, 62,
    63, 65, 65, 67, 68, 69, 71, 73, 74, 75, 77, 78, 80, 81, 83, 85, 86, 88, 90, 92, 93, 95, 97, 99,
    101, 103, 105, 107, 109, 112, 114, 116, 118, 121, 123, 126, 128, 131, 133, 135, 139, 141, 144,
    147, 149, 152, 155, 158, 162, 165, 168, 171, 174, 178, 181, 185, 189, 192, 196, 200, 204, 208,
    212, 217, 221, 225, 230, 234, 239, 243, 248, 253, 258, 263, 268, 273, 279, 284, 290, 296, 302,
    308, 314, 320, 327, 333, 340, 346, 353, 360, 366, 374, 381, 389, 397, 404, 413, 421, 429, 437,
    446, 455, 464, 473, 482, 492, 501, 511, 522, 532, 543, 553, 564, 575, 586, 598, 610, 622, 634,
    646, 659, 672, 685, 699, 713, 727, 741, 756, 771, 786, 801, 817, 833, 850, 866, 884, 901, 919,
    937, 955, 974, 993, 1013, 1033, 1053, 1074, 1095, 1117, 1139, 1161, 1184, 1207, 1232, 1256,
    1281, 1306, 1332, 1358, 1385, 1412, 1440, 1468, 1497, 1527, 1557, 1587, 1619, 1651, 1683, 1716,
    1750, 1785, 1820, 1856, 1892, 1930, 1968, 2006, 2046, 2087, 2128, 2170, 2212, 2256, 2300, 2346,
    2392, 2439, 2488, 2537, 2587, 2638, 2690, 2743, 2796, 2852, 2908, 2966, 3024, 3084, 3145, 3207,
    3270, 3334, 3400, 3467, 3535, 3605, 3677, 3749, 3822, 3898, 3975, 4053, 4133, 4214, 4297, 4383,
    4469, 4557, 4647, 4739, 4833, 4927, 5024, 5124, 5225, 5328, 5433, 5541, 5649, 5761, 5875, 5991,
    6109, 6230, 6352, 6477, 6605, 6736, 6868, 7004, 7141, 7282, 7427, 7572, 7722, 7874, 8030, 8188,
    8350, 8514, 8683, 8854, 9028, 9206, 9387, 9572, 9762, 9954, 10151, 10351, 10555, 10763, 10976,
    11191, 11412, 11637, 11867, 12102, 12341, 12583, 12831, 13085, 13342, 13606, 13874, 14148,
    14427, 14711, 15002, 15297, 15599, 15907, 16221, 16541, 16867, 17199, 17539, 17884, 18237,
    18597, 18964, 19338, 19719, 20108, 20505, 20909, 21322, 21742, 22171, 22608, 23054, 23509,
    23973, 24445, 24928, 25419, 25921, 26432, 26953, 27485, 28027, 28580, 29143, 29718, 30304,
    30902, 31512, 32133, 32767};

// value in [-2^15, 2^15) counts intervals of 128; base and slope of its interval.
static int16_t interpolate(int32_t value, int32_t base, int32_t slope) {
  return (int16_t)(base + ((slope * (value & 127) + 64) >> 7));
}

static int16_t exp_at(int32_t value) {
  const int16_t *entry = arn__softmax_exp_table + 256 + (value >> 7);
  return interpolate(value, entry[0], entry[1] - entry[0]);
}

// 2^15 / (1 + x) for x = i / 512; the reference's rounding to float, of which two entries depend.
static float reciprocal(float i) { return 32768.0f / (1.0f + i / 512.0f); }

// Entry i of 2^15 / (1 + x) over [0, 1], corrected as exp_table is.
static int32_t reciprocal_entry(int32_t i) {
  const int32_t here = arn__fmath_round_away(reciprocal((float)i));
  if (i == 512) return here;
  const float next = reciprocal((float)(i + 1));
  const int32_t middle = arn__fmath_round_away(reciprocal((float)i + 0.5f));
  const int32_t between = arn__fmath_round_away((next + (float)here) / 2.0f);
  const int32_t error = between - middle;
  const int32_t entry = here - (error + (error >= 0 ? 1 : -1)) / 2;
  return entry < INT16_MAX ? entry : INT16_MAX;
}

static int32_t reciprocal_at(int32_t value) {
  const int32_t i = 256 + (value >> 7);
  const int32_t base = reciprocal_entry(i);
  return interpolate(value, base, reciprocal_entry(i + 1) - base);
}

static int32_t saturate(int32_t x) {
  const arn__clamp bounds = {INT16_MIN, INT16_MAX};
  return arn__clamp_s32(x, bounds);
}

uint32_t arn__softmax_exp_s16_portable(const int16_t *in, int16_t *out, uint32_t n, int32_t most,
                                       arn__requant r) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < n; i++) {
    const arn__clamp bounds = {-65535, 0};
    const int32_t y = exp_at(arn__clamp_s32(arn__requantise(in[i] - most, r), bounds) + 32767);
    out[i] = (int16_t)y;
    sum += (uint32_t)y;
  }
  return sum;
}

// Writes exp of the differences to the largest, and returns their sum.
static uint32_t exponentials(const int16_t *in, int16_t *out, uint32_t depth, arn__requant r) {
  int16_t most = INT16_MIN;
  for (uint32_t i = 0; i < depth; i++) most = in[i] > most ? in[i] : most;
  return arn__softmax_exp_s16(in, out, depth, most, r);
}

// Multiplies by 1 / sum: sum = 2^(16 - zeros) * (1 + x), x as 65536ths from -32768 on.
ARN__KERNEL static void normalise(int16_t *out, uint32_t depth, uint32_t sum) {
  const int32_t zeros = arn__fixed_leading_zeros(sum);
  const int32_t mantissa = (int32_t)((((uint64_t)sum << (zeros - 1)) + (1 << 13)) >> 14);
  const int32_t factor = reciprocal_at(saturate(mantissa - ((1 << 15) + (1 << 16))));
  const int32_t right = 31 - zeros;
  for (uint32_t i = 0; i < depth; i++) {
    const int32_t y = (out[i] * factor + (1 << (right - 1))) >> right;
    out[i] = (int16_t)(y < 0 ? 0 : y > INT16_MAX ? INT16_MAX : y);
  }
}

void arn__softmax_s16(const arn__softmax_span *span, const arn__softmax_scaling *scaling) {
  const int16_t *in = span->in;
  int16_t *out = span->out;
  for (uint32_t v = 0; v < span->vectors; v++, in += span->depth, out += span->depth) {
    normalise(out, span->depth, exponentials(in, out, span->depth, scaling->requant));
  }
}
