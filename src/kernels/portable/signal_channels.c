// Kernels over the channels of a filter bank.
#include "../fixed.h"
#include "../signal.h"

// ---- filters ------------------------------------------------------------------------------------

typedef struct sums {
  uint64_t weighted, rest;
} sums;

// Channels are narrow, and 64-bit products slow in vectors: the loop is left to scalar code, by
// reading energies as volatile.
static inline sums filter_channel(const volatile uint32_t *energy, const int16_t *weight,
                                  const int16_t *unweight, int32_t width) {
  sums s = {0, 0};
  for (int32_t i = 0; i < width; i++) {
    const int64_t value = energy[i];
    s.weighted += (uint64_t)(weight[i] * value);
    s.rest += (uint64_t)(unweight[i] * value);
  }
  return s;
}

void arn__signal_filter_u32_portable(void *out, const uint32_t *energy,
                                     const arn__signal_filters *f) {
  uint8_t *bytes = out;
  uint64_t rest = 0;
  for (uint32_t c = 0; c <= f->channels; c++) {
    const int32_t start = f->weight_starts[c];
    const sums s = filter_channel(energy + f->energy_starts[c], f->weights + start,
                                  f->unweights + start, f->widths[c]);
    const uint64_t sum = rest + s.weighted;
    if (c > 0) memcpy(bytes + 8 * (c - 1), &sum, sizeof sum);
    rest = s.rest;
  }
}

// ---- square root --------------------------------------------------------------------------------

// One digit after the other, without branches: which way those go cannot be foreseen. Rounded to
// the nearest, but never to 2^16 or 2^32, which the reference's types do not hold.
#define SQUARE_ROOT(name, type, most)                       \
  ARN__INLINE uint32_t name(type x, uint32_t top) {         \
    type root = 0;                                          \
    for (type bit = (type)1 << top; bit > 0; bit >>= 2) {   \
      const type sum = root + bit;                          \
      const type taken = (type)0 - (type)(x >= sum);        \
      x -= sum & taken;                                     \
      root = (root >> 1) + (bit & taken);                   \
    }                                                       \
    return (uint32_t)root + (x > root && root != (most));   \
  }

SQUARE_ROOT(square_root_32, uint32_t, 0xFFFFu)
SQUARE_ROOT(square_root_64, uint64_t, 0xFFFFFFFFu)

// The place of the highest even bit at or below the highest one. Needs: x > 0.
ARN__INLINE uint32_t top_bit(uint32_t x) {
  return (31u - (uint32_t)arn__fixed_leading_zeros(x)) & ~1u;
}

void arn__signal_sqrt_u64_portable(uint32_t *out, const void *x, uint32_t count, uint32_t shift) {
  const uint8_t *bytes = x;
  for (uint32_t i = 0; i < count; i++) {
    uint64_t value;
    memcpy(&value, bytes + 8 * i, sizeof value);
    const uint32_t high = (uint32_t)(value >> 32), low = (uint32_t)value;
    uint32_t root = 0;
    if (high > 0) {
      root = square_root_64(value, 32 + top_bit(high));
    } else if (low > 0) {
      root = square_root_32(low, top_bit(low));
    }
    out[i] = root >> shift;
  }
}

// ---- noise --------------------------------------------------------------------------------------

ARN__KERNEL void arn__signal_denoise_u32_portable(uint32_t *out, uint32_t *noise, const uint32_t *x,
                                                  uint32_t count,
                                                  const arn__signal_denoise *how) {
  const arn__signal_denoise h = *how;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t signal = x[i], scaled = signal << h.smoothing_bits;
    const uint64_t smooth = (uint64_t)scaled * h.smoothing[i & 1] +
                            (uint64_t)noise[i] * h.one_minus_smoothing[i & 1];
    const uint32_t estimate = (uint32_t)(smooth >> h.bits);
    const uint32_t below = estimate > scaled ? scaled : estimate;
    const uint32_t least = (uint32_t)((uint64_t)signal * h.least_left >> h.bits);
    const uint32_t left = (scaled - below) >> h.smoothing_bits;
    noise[i] = h.clamp ? below : estimate;
    out[i] = left > least ? left : least;
  }
}

// ---- gain ---------------------------------------------------------------------------------------

// Where the piece for values of `bits` significant bits begins in the table, from 2 bits on.
ARN__INLINE uint32_t piece_start(uint32_t bits) { return 4 * bits - 6; }

uint32_t arn__signal_gain_entries(uint32_t noise) {
  if (noise <= 2) return noise + 1;
  return piece_start(32u - (uint32_t)arn__fixed_leading_zeros(noise)) + 3;
}

// The gain for a noise estimate: a quadratic polynomial of the ten bits behind the highest one.
ARN__INLINE int16_t gain_of(uint32_t noise, const int16_t *table) {
  if (noise <= 2) return table[noise];
  const uint32_t bits = 32u - (uint32_t)arn__fixed_leading_zeros(noise);
  const int16_t *piece = table + piece_start(bits);
  const uint32_t scaled = bits < 11 ? noise << (11 - bits) : noise >> (bits - 11);
  const int32_t fraction = (int32_t)(scaled & 0x3FF);
  const int32_t slope = (piece[2] * fraction >> 5) + piece[1] * 32;
  return (int16_t)(((slope * fraction + (1 << 14)) >> 15) + piece[0]);
}

enum { SNR_BITS = 12, OUT_BITS = 6 };  // behind the points

// x^2 / 4 for x < 2, and x - 1 above.
ARN__INLINE uint32_t shrink(uint32_t x) {
  if (x < 2u << SNR_BITS) return x * x >> (2 + 2 * SNR_BITS - OUT_BITS);
  return (x >> (SNR_BITS - OUT_BITS)) - (1u << OUT_BITS);
}

ARN__KERNEL void arn__signal_gain_u32_portable(uint32_t *out, const uint32_t *x,
                                               const uint32_t *noise, uint32_t count,
                                               const arn__signal_gain *how) {
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t gain = (uint32_t)gain_of(noise[i], how->table);
    out[i] = shrink((uint32_t)((uint64_t)x[i] * gain >> how->shift));
  }
}

// ---- logarithm ----------------------------------------------------------------------------------

// log2(1 + i / 128) - i / 128, times 2^16 (tools/make_signal_tables.c prints it).
static const uint16_t log_table[129] = {
    0, 224, 442, 654, 861, 1063, 1259, 1450, 1636, 1817, 1992, 2163,
    2329, 2490, 2646, 2797, 2944, 3087, 3224, 3358, 3487, 3611, 3732, 3848,
    3960, 4068, 4172, 4272, 4368, 4460, 4549, 4633, 4714, 4791, 4864, 4934,
    5001, 5063, 5123, 5178, 5231, 5280, 5326, 5368, 5408, 5444, 5477, 5507,
    5533, 5557, 5578, 5595, 5610, 5622, 5631, 5637, 5640, 5641, 5638, 5633,
    5626, 5615, 5602, 5586, 5568, 5547, 5524, 5498, 5470, 5439, 5406, 5370,
    5332, 5291, 5249, 5203, 5156, 5106, 5054, 5000, 4944, 4885, 4825, 4762,
    4697, 4630, 4561, 4490, 4416, 4341, 4264, 4184, 4103, 4020, 3935, 3848,
    3759, 3668, 3575, 3481, 3384, 3286, 3186, 3084, 2981, 2875, 2768, 2659,
    2549, 2437, 2323, 2207, 2090, 1971, 1851, 1729, 1605, 1480, 1353, 1224,
    1094, 963, 830, 695, 559, 421, 282, 142, 0,
};

// log2(x) times 2^16. Needs: x > 0. The reference shifts the slope by 16 where a segment is 2^9
// wide: its value within a segment is that at the start, plus x.
ARN__INLINE uint32_t log2_of(uint32_t x) {
  const uint32_t whole = 31u - (uint32_t)arn__fixed_leading_zeros(x);
  const uint32_t rest = x - (1u << whole);
  const int32_t fraction = (int32_t)(whole < 16 ? rest << (16 - whole) : rest >> (whole - 16));
  const int32_t segment = fraction >> 9, within = fraction & 511;
  const int32_t low = log_table[segment], high = log_table[segment + 1];
  return (whole << 16) + (uint32_t)(fraction + low + ((high - low) * within >> 16));
}

ARN__KERNEL void arn__signal_log_u32_portable(int16_t *out, const uint32_t *x, uint32_t count,
                                              const arn__signal_log *how) {
  const uint32_t ln_2 = 45426;  // * 2^16
  for (uint32_t i = 0; i < count; i++) {
    uint32_t value;
    memcpy(&value, x + i, sizeof value);
    const uint32_t scaled = value << how->shift;
    uint32_t log = 0;
    if (scaled > 1) {
      const uint32_t natural = (uint32_t)(((uint64_t)ln_2 * log2_of(scaled) + 32768) >> 16);
      log = (how->scale * natural + 32768) >> 16;
    }
    out[i] = (int16_t)(log < INT16_MAX ? log : INT16_MAX);
  }
}
