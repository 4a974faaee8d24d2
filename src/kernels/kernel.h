// Common to all kernels.
//
// A kernel is an inner loop: it knows pointers, counts and multipliers, never tensors. Portable
// ones (portable/) are plain C that compilers vectorise; variants for an instruction set (dsp/,
// mve/) have the same signature with the suffix of the folder, guard themselves, and are chosen in
// the family's header. All variants give the same bytes and need the same scratch.
#ifndef ARENITE_SRC_KERNELS_KERNEL_H
#define ARENITE_SRC_KERNELS_KERNEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "requant.h"

// Put before a kernel with heavy loops. On x86-64 hosts with ARN_X86_LEVELS, gcc compiles the
// function for several levels of the architecture and the loader picks one; elsewhere it is
// nothing.
#if defined(ARN_X86_LEVELS) && defined(__x86_64__) && defined(__GNUC__) && !defined(__clang__)
#define ARN__KERNEL __attribute__((target_clones("default", "arch=x86-64-v3", "arch=x86-64-v4")))
#else
#define ARN__KERNEL
#endif

// 64-bit elements in memory (constants of real files, tensors where the arena's alignment is 4) lie
// at multiples of 4: reach them through these types.
#if defined(__GNUC__)
typedef int64_t arn__s64 __attribute__((aligned(4)));
typedef uint64_t arn__u64 __attribute__((aligned(4)));
#else
typedef int64_t arn__s64;
typedef uint64_t arn__u64;
#endif

// Helpers that must become part of the kernel (and so of each of its levels).
#if defined(__GNUC__)
#define ARN__INLINE static inline __attribute__((always_inline))
#else
#define ARN__INLINE static inline
#endif

#endif
