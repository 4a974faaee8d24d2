// Variants for Cortex-M with vectors of integers (M55, M85).
#ifndef ARENITE_SRC_KERNELS_MVE_MVE_H
#define ARENITE_SRC_KERNELS_MVE_MVE_H

#if defined(__GNUC__) && defined(__OPTIMIZE__) && defined(__ARM_FEATURE_MVE)
#define ARN__MVE 1
#endif

#endif
