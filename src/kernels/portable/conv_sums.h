// The sums of a block of channels in integer kernels: from the bias to the output. CHANNELS, of a
// block at most, is set by who includes this.
#ifndef ARENITE_SRC_KERNELS_PORTABLE_CONV_SUMS_H
#define ARENITE_SRC_KERNELS_PORTABLE_CONV_SUMS_H

#include "../conv.h"

#define LANES ARN__CONV_LANES

// Input and filter: int8, int8; int8, int4; uint8, uint8; int16, int8.
typedef enum conv_types { CONV_S8, CONV_S8_S4, CONV_U8, CONV_S16 } conv_types;

// CONV_S16 uses the wide sums, the others the narrow ones.
typedef struct conv_sums {
  int32_t *s32;  // [CHANNELS]
  int64_t *s64;
} conv_sums;

ARN__INLINE uint32_t conv_bytes(conv_types types) { return types == CONV_S16 ? 2 : 1; }

ARN__INLINE int16_t conv_element(const void *row, int32_t i, int32_t zero, conv_types types) {
  switch (types) {
    case CONV_U8: return (int16_t)(((const uint8_t *)row)[i] - zero);
    case CONV_S16: return ((const int16_t *)row)[i];
    default: return (int16_t)(((const int8_t *)row)[i] - zero);
  }
}

ARN__INLINE void conv_start_64(const arn__conv *s, const arn__conv_block *b, int64_t *sums) {
  memset(sums, 0, CHANNELS * sizeof sums[0]);
  if (b->bias == NULL) return;
  if (s->wide_bias) {
    memcpy(sums, b->bias, b->count * sizeof sums[0]);
  } else {
    for (uint32_t c = 0; c < b->count; c++) sums[c] = ((const int32_t *)b->bias)[c];
  }
}

ARN__INLINE void conv_start(const arn__conv *s, const arn__conv_block *b, const conv_sums *sums,
                            conv_types types) {
  if (types == CONV_S16) {
    conv_start_64(s, b, sums->s64);
    return;
  }
  memset(sums->s32, 0, CHANNELS * sizeof sums->s32[0]);
  if (b->bias) memcpy(sums->s32, b->bias, b->count * sizeof sums->s32[0]);
}

ARN__INLINE int32_t conv_finish_s16(const arn__conv *s, int64_t sum, arn__requant r) {
  if (s->wide_sums) return arn__requantise_s64(sum, r);
  if (sum > INT32_MAX) sum = INT32_MAX;
  if (sum < INT32_MIN) sum = INT32_MIN;
  return arn__requantise((int32_t)sum, r);
}

// LANES channels. In two loops, so that 32-bit and 8-bit elements each fill vectors.
ARN__INLINE void conv_finish_8(const arn__conv *s, const int32_t *sums, const arn__requant *r,
                               uint8_t *out) {
  const int32_t zero = s->out_zero;
  const arn__clamp clamp = s->clamp;
  int32_t y[LANES];
  ARN__CONV_LOOP for (uint32_t j = 0; j < LANES; j++) {
    y[j] = arn__clamp_s32(arn__requantise(sums[j], r[j]), clamp);
  }
  ARN__CONV_LOOP for (uint32_t j = 0; j < LANES; j++) out[j] = (uint8_t)(y[j] + zero);
}

ARN__INLINE void conv_finish_16(const arn__conv *s, const int64_t *sums, const arn__requant *r,
                                int16_t *out) {
  for (uint32_t j = 0; j < LANES; j++) {
    out[j] = (int16_t)arn__clamp_s32(conv_finish_s16(s, sums[j], r[j]), s->clamp);
  }
}

// Writes the block's channels of a pixel to `out`.
ARN__INLINE void conv_finish(const arn__conv *s, const arn__conv_block *b, const conv_sums *sums,
                             uint8_t *out, conv_types types) {
  for (uint32_t c = 0; c < b->count; c += LANES) {
    const uint32_t n = b->count - c < LANES ? b->count - c : LANES;
    if (types == CONV_S16) {
      int16_t tile[LANES];
      conv_finish_16(s, sums->s64 + c, b->requant + c, tile);
      memcpy(out + 2 * c, tile, 2 * n);
    } else {
      uint8_t tile[LANES];
      conv_finish_8(s, sums->s32 + c, b->requant + c, tile);
      memcpy(out + c, tile, n);
    }
  }
}

#endif
