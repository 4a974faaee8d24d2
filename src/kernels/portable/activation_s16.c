#include "../activation.h"

ARN__KERNEL void arn__activation_clamp_s16(const void *in, void *out, uint32_t count,
                                           const void *params) {
  const int16_t *from = in;
  int16_t *to = out;
  const arn__clamp bounds = *(const arn__clamp *)params;
  const int16_t low = (int16_t)bounds.low, high = (int16_t)bounds.high;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int16_t x = from[i] < low ? low : from[i];
    to[i] = x > high ? high : x;
  }
}

ARN__KERNEL void arn__activation_slopes_s16(const void *in, void *out, uint32_t count,
                                            const void *params) {
  const int16_t *from = in;
  int16_t *to = out;
  const arn__activation_slopes p = *(const arn__activation_slopes *)params;
  ARN__INDEPENDENT
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = from[i] - p.in_zero;
    const arn__requant r = {x < 0 ? p.negative.q : p.positive.q,
                            x < 0 ? p.negative.shift : p.positive.shift};
    to[i] = (int16_t)arn__clamp_s32(arn__requantise(x, r) + p.out_zero, p.clamp);
  }
}

// 65536 * logistic(i / 24), each raised by half of what linear interpolation falls short in the middle
// of its interval; the last is "one". From tools/make_tables.c.
static const uint16_t table[256] = {
    32768, 33451, 34133, 34813, 35493, 36169, 36843, 37513, 38180, 38841, 39498, 40149, 40794,
    41432, 42064, 42688, 43304, 43912, 44511, 45102, 45683, 46255, 46817, 47369, 47911, 48443,
    48964, 49475, 49975, 50464, 50942, 51409, 51865, 52311, 52745, 53169, 53581, 53983, 54374,
    54755, 55125, 55485, 55834, 56174, 56503, 56823, 57133, 57433, 57724, 58007, 58280, 58544,
    58800, 59048, 59288, 59519, 59743, 59959, 60168, 60370, 60565, 60753, 60935, 61110, 61279,
    61441, 61599, 61750, 61896, 62036, 62172, 62302, 62428, 62549, 62666, 62778, 62886, 62990,
    63090, 63186, 63279, 63368, 63454, 63536, 63615, 63691, 63765, 63835, 63903, 63968, 64030,
    64090, 64148, 64204, 64257, 64308, 64357, 64405, 64450, 64494, 64536, 64576, 64614, 64652,
    64687, 64721, 64754, 64786, 64816, 64845, 64873, 64900, 64926, 64950, 64974, 64997, 65019,
    65039, 65060, 65079, 65097, 65115, 65132, 65149, 65164, 65179, 65194, 65208, 65221, 65234,
    65246, 65258, 65269, 65280, 65291, 65301, 65310, 65319, 65328, 65337, 65345, 65352, 65360,
    65367, 65374, 65381, 65387, 65393, 65399, 65404, 65410, 65415, 65420, 65425, 65429, 65433,
    65438, 65442, 65445, 65449, 65453, 65456, 65459, 65462, 65465, 65468, 65471, 65474, 65476,
    65479, 65481, 65483, 65485, 65488, 65489, 65491, 65493, 65495, 65497, 65498, 65500, 65501,
    65503, 65504, 65505, 65507, 65508, 65509, 65510, 65511, 65512, 65513, 65514, 65515, 65516,
    65517, 65517, 65518, 65519, 65520, 65520, 65521, 65522, 65522, 65523, 65523, 65524, 65524,
    65525, 65525, 65526, 65526, 65526, 65527, 65527, 65528, 65528, 65528, 65529, 65529, 65529,
    65529, 65530, 65530, 65530, 65530, 65531, 65531, 65531, 65531, 65531, 65532, 65532, 65532,
    65532, 65532, 65532, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65533, 65534, 65534,
    65534, 65534, 65534, 65534, 65534, 65534, 65534, 65534, 65535};

// Reads the table at `at`, in units of 2^-bits entries; the result has `bits` more bits than the
// entries. Needs: 2^bits entries' worth of at below 255.
static uint32_t interpolate(uint32_t at, uint32_t bits) {
  const uint32_t low = table[at >> bits], high = table[(at >> bits) + 1];
  return (low << bits) + (at & ((1u << bits) - 1u)) * (high - low);
}

// The input in units of 1/12288.
static int32_t scale_in(int32_t x, const arn__activation_lookup *p) {
  const int32_t half = p->shift > 0 ? 1 << (p->shift - 1) : 0;
  return (x * p->multiplier + half) >> p->shift;
}

void arn__activation_logistic_s16(const void *in, void *out, uint32_t count, const void *params) {
  const int16_t *from = in;
  int16_t *to = out;
  const arn__activation_lookup p = *(const arn__activation_lookup *)params;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = scale_in(from[i], &p);
    const uint32_t at = (uint32_t)(x < 0 ? -x : x);
    const uint32_t y = at >> 9 >= 255 ? 0x7FFFu << 10 : interpolate(at, 9);
    const uint32_t half = 1u << 9;
    to[i] = (int16_t)((x >= 0 ? y + half : (1u << 25) - y + half - 1u) >> 10);
  }
}

// tanh(x) = 2 logistic(2x) - 1: half the width of an entry, and 1/2 taken off.
void arn__activation_tanh_s16(const void *in, void *out, uint32_t count, const void *params) {
  const int16_t *from = in;
  int16_t *to = out;
  const arn__activation_lookup p = *(const arn__activation_lookup *)params;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t x = scale_in(from[i], &p);
    const uint32_t at = (uint32_t)(x < 0 ? -x : x);
    const uint32_t raw = at >> 8 >= 255 ? 0xFFFFu << 8 : interpolate(at, 8);
    const int32_t y = (int32_t)raw - (1 << 23);
    to[i] = (int16_t)((x >= 0 ? y + (1 << 7) : (1 << 7) - 1 - y) >> 8);
  }
}
