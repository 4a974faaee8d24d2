// The shape of all elementwise kernels: out[i] = f(in[0][i], in[1][i], ...) for i < count.
//
// Inputs are plain runs; whoever calls has spread repeated (broadcast) elements before (see
// src/ops/broadcast_common.h). `params` is the kernel's own struct, or NULL where it has none.
// Aliasing: out may start where one of the inputs does, if its elements are not wider than that
// input's; each element is read before it is written. Nothing else may overlap.
// A kernel returns false where it met an element outside its domain (a divisor of zero); `out` then
// holds defined, useless values.
#ifndef ARENITE_SRC_KERNELS_ELEMENTWISE_H
#define ARENITE_SRC_KERNELS_ELEMENTWISE_H

#include "kernel.h"

typedef bool arn__elementwise_kernel(const void *params, void *out, const void *const *in,
                                     uint32_t count);

// Put before a loop over elements: says that iterations do not depend on each other, which the rule
// on aliasing above grants but compilers cannot see.
#if defined(__clang__)
#pragma clang diagnostic ignored "-Wpass-failed"  // a sanitizer may keep a loop from vectorising
#define ARN__INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define ARN__INDEPENDENT _Pragma("GCC ivdep")
#else
#define ARN__INDEPENDENT
#endif

#endif
