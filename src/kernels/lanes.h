// How many elements dot products take side by side: many where the target has vector registers, one
// elsewhere (there, several rows in flight hide the latency of the adder).
#ifndef ARENITE_SRC_KERNELS_LANES_H
#define ARENITE_SRC_KERNELS_LANES_H

#include "kernel.h"

// Put before a loop over ARN__LANES_INT elements: gcc would unroll it before it could see a vector.
#if defined(__GNUC__) && !defined(__clang__)
#define ARN__LANES_LOOP _Pragma("GCC unroll 1")
#else
#define ARN__LANES_LOOP
#endif

#if defined(__GNUC__) && (defined(__SSE2__) || defined(__aarch64__))

// Of 8- and 16-bit integers: inner loops get multiples of it where zeros can fill up the input.
#define ARN__LANES_INT 16u

// Partial sums of floats, so that compilers need no leave to reorder a sum. The number of lanes
// decides the order of additions, and so the last bits of a float result; docs/numerics.md says how
// far float results agree.
#define ARN__LANES 8u
typedef float arn__lanes __attribute__((vector_size(32)));

// Adds x[i] * w[i] to lane i.
ARN__INLINE void arn__lanes_add(arn__lanes *sums, const float *x, const float *w) {
  arn__lanes a, b;
  memcpy(&a, x, sizeof a);
  memcpy(&b, w, sizeof b);
  *sums += a * b;
}

// Adds x * w[i] to lane i.
ARN__INLINE void arn__lanes_scale(arn__lanes *sums, float x, const float *w) {
  arn__lanes b;
  memcpy(&b, w, sizeof b);
  *sums += x * b;
}

// Adds x[i] to lane i.
ARN__INLINE void arn__lanes_take(arn__lanes *sums, const float *x) {
  arn__lanes a;
  memcpy(&a, x, sizeof a);
  *sums += a;
}

// Lane i becomes x[i] where that is larger.
ARN__INLINE void arn__lanes_largest(arn__lanes *most, const float *x) {
  typedef int32_t bits __attribute__((vector_size(32)));
  arn__lanes a;
  memcpy(&a, x, sizeof a);
  const bits larger = a > *most;
  *most = (arn__lanes)(((bits)a & larger) | ((bits)*most & ~larger));
}

// Lane 0 of each vector becomes the sum of all its lanes, in the order of arn__lanes_sum(): one
// shuffle takes the even lanes of two vectors, another the odd ones, half a vector at a time.
#if defined(__clang__)
#define ARN__LANES_PICK __builtin_shufflevector
#else
#define ARN__LANES_PICK(a, b, ...) __builtin_shuffle(a, b, (arn__lanes_index){__VA_ARGS__})
typedef int32_t arn__lanes_index __attribute__((vector_size(32)));
#endif

ARN__INLINE void arn__lanes_sum_pairs(arn__lanes *out, const arn__lanes *a, const arn__lanes *b) {
  *out = ARN__LANES_PICK(*a, *b, 0, 2, 8, 10, 4, 6, 12, 14) +
         ARN__LANES_PICK(*a, *b, 1, 3, 9, 11, 5, 7, 13, 15);
}

ARN__INLINE void arn__lanes_sum_4(arn__lanes *a, arn__lanes *b, arn__lanes *c, arn__lanes *d) {
  arn__lanes low, high;
  arn__lanes_sum_pairs(&low, a, b);
  arn__lanes_sum_pairs(&high, c, d);
  arn__lanes_sum_pairs(&low, &low, &high);
  (*a)[0] = low[0] + low[4];
  (*b)[0] = low[1] + low[5];
  (*c)[0] = low[2] + low[6];
  (*d)[0] = low[3] + low[7];
}

ARN__INLINE float arn__lanes_at(const arn__lanes *sums, uint32_t i) { return (*sums)[i]; }

// Returns the sum of all lanes.
ARN__INLINE float arn__lanes_sum(const arn__lanes *sums) {
  const arn__lanes s = *sums;
  return ((s[0] + s[1]) + (s[2] + s[3])) + ((s[4] + s[5]) + (s[6] + s[7]));
}

#else

#define ARN__LANES_INT 1u
#define ARN__LANES 1u
typedef float arn__lanes;

ARN__INLINE void arn__lanes_add(arn__lanes *sums, const float *x, const float *w) {
  *sums += *x * *w;
}

ARN__INLINE void arn__lanes_scale(arn__lanes *sums, float x, const float *w) { *sums += x * *w; }

ARN__INLINE void arn__lanes_take(arn__lanes *sums, const float *x) { *sums += *x; }

ARN__INLINE void arn__lanes_largest(arn__lanes *most, const float *x) {
  *most = *x > *most ? *x : *most;
}

ARN__INLINE void arn__lanes_sum_4(arn__lanes *a, arn__lanes *b, arn__lanes *c, arn__lanes *d) {
  (void)a, (void)b, (void)c, (void)d;
}

ARN__INLINE float arn__lanes_at(const arn__lanes *sums, uint32_t i) { return (void)i, *sums; }

ARN__INLINE float arn__lanes_sum(const arn__lanes *sums) { return *sums; }

#endif

#endif
