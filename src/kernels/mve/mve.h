// Variants for Cortex-M with vectors of integers (M55, M85).
#ifndef ARENITE_SRC_KERNELS_MVE_MVE_H
#define ARENITE_SRC_KERNELS_MVE_MVE_H

#if defined(__GNUC__) && defined(__OPTIMIZE__) && defined(__ARM_FEATURE_MVE)
#define ARN__MVE 1

#include "../requant.h"

// Makes as many of `count` regular multipliers (see requant.c) as vectors hold; returns how many
// that were.
uint32_t arn__requant_regular_mve(const arn__requant_source *source, const uint8_t *scales,
                                  uint32_t count, arn__requant *out);
#endif

#endif
