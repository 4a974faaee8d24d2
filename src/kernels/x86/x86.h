// Variants for AVX2, chosen at run time: only on x86-64, by gcc, and where the build asks for
// levels.
#ifndef ARENITE_SRC_KERNELS_X86_X86_H
#define ARENITE_SRC_KERNELS_X86_X86_H

#if defined(ARN_X86_LEVELS) && defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ARN__X86 1
#define ARN__AVX2 __attribute__((target("avx2")))
#endif

#endif
