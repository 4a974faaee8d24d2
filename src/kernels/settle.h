// From sums to outputs: add the bias, requantise, clamp, add the zero point, store.
#ifndef ARENITE_SRC_KERNELS_SETTLE_H
#define ARENITE_SRC_KERNELS_SETTLE_H

#include "dsp/dsp.h"
#include "kernel.h"
#include "mve/mve.h"

typedef struct arn__settle {
  const arn__requant *multipliers;
  bool per_channel;      // else multipliers[0] stands for all
  uint32_t n;
  arn__clamp clamp;      // relative to the zero point
  int32_t zero;
} arn__settle;

// Sums and biases of 32 bits; their sum wraps. bias: [n] or NULL. The sums are used as memory.
void arn__settle_s8_portable(int8_t *out, int32_t *sums, const int32_t *bias,
                             const arn__settle *s);
void arn__settle_s16(int16_t *out, int32_t *sums, const int32_t *bias, const arn__settle *s);

// Sums of 64 bits. bias: int64 [n] or NULL.
void arn__settle_s16_s64(int16_t *out, const int64_t *sums, const arn__s64 *bias,
                         const arn__settle *s);

#if defined(ARN__DSP)
void arn__settle_s8_dsp(int8_t *out, int32_t *sums, const int32_t *bias, const arn__settle *s);
#define arn__settle_s8 arn__settle_s8_dsp
#elif defined(ARN__MVE)
void arn__settle_s8_mve(int8_t *out, int32_t *sums, const int32_t *bias, const arn__settle *s);
#define arn__settle_s8 arn__settle_s8_mve
#else
#define arn__settle_s8 arn__settle_s8_portable
#endif

#endif
