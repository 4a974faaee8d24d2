// Variants for Cortex-M with the DSP extension (M4, M7, M33) and without vectors: kernels that take
// two 16-bit products in one instruction. Their inner loops take all registers, so that they need a
// compiler that optimises.
#ifndef ARENITE_SRC_KERNELS_DSP_DSP_H
#define ARENITE_SRC_KERNELS_DSP_DSP_H

#if defined(__GNUC__) && defined(__OPTIMIZE__) && defined(__ARM_FEATURE_DSP) && \
    defined(__ARM_FEATURE_SIMD32) && defined(__ARM_FEATURE_UNALIGNED) && \
    !defined(__ARM_NEON) && !defined(__ARM_FEATURE_MVE)
#define ARN__DSP 1

#include "../requant.h"

// Makes regular multipliers: see requant.c.
void arn__requant_regular_dsp(const arn__requant_source *source, const uint8_t *scales,
                              uint32_t count, arn__requant *out);
#endif

#endif
