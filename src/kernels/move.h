// Moving bytes: strided blocks, gathers and fills. Data movement does not look at element types: an
// element, or a run of elements that stay together, is so many bytes.
#ifndef ARENITE_SRC_KERNELS_MOVE_H
#define ARENITE_SRC_KERNELS_MOVE_H

#include "kernel.h"

#define ARN__BLOCK_LOOPS 8

// One loop of a nest: how often, and how many bytes source and target move on each time.
typedef struct arn__block_loop {
  uint32_t count;
  int32_t source, target;
} arn__block_loop;

// A nest of loops around a copy of `run` contiguous bytes. loop[0] is the innermost.
typedef struct arn__block {
  uint32_t run;
  uint32_t loops;
  arn__block_loop loop[ARN__BLOCK_LOOPS];
} arn__block;

// Indices of runs of `run` bytes, in little-endian words of 4 or 8 bytes.
typedef struct arn__gather {
  const uint8_t *indices;
  uint32_t width;   // bytes of an index
  uint32_t count;   // of indices
  uint32_t length;  // indices lie in [0, length), length <= INT32_MAX
  uint32_t run;
} arn__gather;

// Tuples of indices: each picks a run of an input of dimensions `dims`, and whatever behind.
typedef struct arn__gather_nd {
  const uint8_t *indices;
  uint32_t width;
  uint32_t count;  // of tuples
  uint32_t tuple;  // indices in one, at most 8
  const uint32_t *dims;
  uint32_t run;
} arn__gather_nd;

// The variants that this build uses.
#define arn__move_block arn__move_block_portable
#define arn__move_transpose arn__move_transpose_portable
#define arn__move_fill arn__move_fill_portable
#define arn__move_reverse arn__move_reverse_portable
#define arn__move_gather arn__move_gather_portable
#define arn__move_gather_nd arn__move_gather_nd_portable

// Copies a block: for all loops, target[run] = source[run]. Needs: source and target do not
// overlap, counts > 0. Cost: one copy a run; runs of 1, 2, 4 and 8 bytes are single loads and
// stores.
void arn__move_block(uint8_t *target, const uint8_t *source, const arn__block *block);

// The same for blocks that arn__move_is_transposition() says yes to.
void arn__move_transpose(uint8_t *target, const uint8_t *source, const arn__block *block);

// Writes the element at `value` (`size` bytes, size > 0) `count` times. `value` may not lie in
// target.
void arn__move_fill(uint8_t *target, const void *value, uint32_t size, uint32_t count);

// Copies `count` elements of `size` bytes in reverse order. Needs: no overlap.
void arn__move_reverse(uint8_t *target, const uint8_t *source, uint32_t size, uint32_t count);

// Copy the runs that the indices name, one after the other. Return how many were copied: fewer than
// g->count where the next index is outside. Need: no overlap.
uint32_t arn__move_gather(uint8_t *target, const uint8_t *source, const arn__gather *g);
uint32_t arn__move_gather_nd(uint8_t *target, const uint8_t *source, const arn__gather_nd *g);

// memcpy, in pieces: for many bytes at once, libraries of x86 take a string instruction, which
// costs 16 times as much on some processors if the target begins just behind the source, modulo
// 4096.
#if defined(__x86_64__)
void arn__move_many(void *target, const void *source, size_t bytes);
#else
#define arn__move_many memcpy
#endif

// ---- single runs --------------------------------------------------------------------------------
//
// Three ways, by size: `fixed` for 1, 2, 4 and 8 bytes, known to the compiler; `short` for 3 to 15
// bytes; `long` from 16 on. A copy of a constant size becomes loads and stores, and sizes in
// between take two that overlap; but for a core without unaligned access each would be a call of
// memcpy.
#if defined(__arm__) && !defined(__ARM_FEATURE_UNALIGNED)
#define ARN__MOVE_BY_BYTES 1

ARN__INLINE void arn__move_fixed(uint8_t *target, const uint8_t *source, uint32_t size) {
  target[0] = source[0];
  if (size > 1) target[1] = source[1];
  if (size > 2) target[2] = source[2], target[3] = source[3];
  if (size > 4) target[4] = source[4], target[5] = source[5];
  if (size > 4) target[6] = source[6], target[7] = source[7];
}

ARN__INLINE void arn__move_short(uint8_t *target, const uint8_t *source, uint32_t run) {
  for (uint32_t i = 0; i < run; i++) target[i] = source[i];
}

ARN__INLINE void arn__move_long(uint8_t *target, const uint8_t *source, uint32_t run) {
  memcpy(target, source, run);
}

#else
#define ARN__MOVE_BY_BYTES 0

ARN__INLINE void arn__move_fixed(uint8_t *target, const uint8_t *source, uint32_t size) {
  memcpy(target, source, size);
}

ARN__INLINE void arn__move_short(uint8_t *target, const uint8_t *source, uint32_t run) {
  if (run >= 8) {
    memcpy(target, source, 8);
    memcpy(target + run - 8, source + run - 8, 8);
  } else if (run >= 4) {
    memcpy(target, source, 4);
    memcpy(target + run - 4, source + run - 4, 4);
  } else {
    memcpy(target, source, 2);
    target[run - 1] = source[run - 1];
  }
}

// Where the bytes are few, a call costs more than they do.
ARN__INLINE void arn__move_long(uint8_t *target, const uint8_t *source, uint32_t run) {
  if (run > 64) {
    memcpy(target, source, run);
    return;
  }
  for (uint32_t i = 0; i + 16 <= run; i += 16) memcpy(target + i, source + i, 16);
  memcpy(target + run - 16, source + run - 16, 16);
}
#endif

// Copies a run of any size.
ARN__INLINE void arn__move_run(uint8_t *target, const uint8_t *source, uint32_t run) {
  switch (run) {
    case 0: break;
    case 1: arn__move_fixed(target, source, 1); break;
    case 2: arn__move_fixed(target, source, 2); break;
    case 4: arn__move_fixed(target, source, 4); break;
    default:
      if (run < 16) arn__move_short(target, source, run);
      else arn__move_long(target, source, run);
  }
}

// ---- for kernels and their callers --------------------------------------------------------------

// Says whether the two inner loops transpose a matrix of 1-, 2- or 4-byte elements worth tiling.
static inline bool arn__move_is_transposition(const arn__block *block) {
  const int32_t run = (int32_t)block->run;
  if (ARN__MOVE_BY_BYTES || block->loops < 2 || (run != 1 && run != 2 && run != 4)) return false;
  const arn__block_loop inner = block->loop[0], outer = block->loop[1];
  return outer.source == run && inner.target == run && outer.count >= 8 && inner.count >= 8;
}

// Returns index `i`; where it is negative, or has more than 32 bits, a number beyond INT32_MAX.
static inline uint32_t arn__gather_index(const uint8_t *indices, uint32_t width, uint32_t i) {
  uint32_t low, high = 0;
  memcpy(&low, indices + (size_t)i * width, sizeof low);
  if (width == 8) memcpy(&high, indices + (size_t)i * 8 + 4, sizeof high);
  return high == 0 ? low : UINT32_MAX;
}

// Walks the loops of a block around the two innermost ones, for kernels that do those at once.
typedef struct arn__block_walk {
  uint8_t *target;
  const uint8_t *source;
  uint32_t index[ARN__BLOCK_LOOPS];
} arn__block_walk;

static inline arn__block_walk arn__block_begin(uint8_t *target, const uint8_t *source) {
  return (arn__block_walk){target, source, {0}};
}

// Goes on to the next place; false after the last.
static inline bool arn__block_next(arn__block_walk *walk, const arn__block *block) {
  for (uint32_t i = 2; i < block->loops; i++) {
    const arn__block_loop loop = block->loop[i];
    if (++walk->index[i] < loop.count) {
      walk->target += loop.target;
      walk->source += loop.source;
      return true;
    }
    walk->index[i] = 0;
    walk->target -= (ptrdiff_t)(loop.count - 1) * loop.target;
    walk->source -= (ptrdiff_t)(loop.count - 1) * loop.source;
  }
  return false;
}

#endif
