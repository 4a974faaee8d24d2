// Moving bytes: strided blocks and fills. Data movement does not look at element types: an element,
// or a run of elements that stay together, is so many bytes.
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

// Copies a block: for all loops, target[run] = source[run]. Needs: source and target do not
// overlap, counts > 0. Cost: one copy a run; runs of 1, 2, 4 and 8 bytes are single loads and
// stores.
void arn__move_block_portable(uint8_t *target, const uint8_t *source, const arn__block *block);

// Writes the element at `value` (`size` bytes, size > 0) `count` times. `value` may not lie in
// target.
void arn__move_fill_portable(uint8_t *target, const void *value, uint32_t size, uint32_t count);

// Copies one run, mostly of an element: the usual sizes are single loads and stores.
static inline void arn__move_run(uint8_t *target, const uint8_t *source, uint32_t run) {
  switch (run) {
    case 1: target[0] = source[0]; break;
    case 2: memcpy(target, source, 2); break;
    case 4: memcpy(target, source, 4); break;
    case 8: memcpy(target, source, 8); break;
    default: memcpy(target, source, run);
  }
}

// Copies `count` elements of `size` bytes in reverse order. Needs: no overlap.
void arn__move_reverse_portable(uint8_t *target, const uint8_t *source, uint32_t size,
                                uint32_t count);

// The variants that this build uses.
#define arn__move_block arn__move_block_portable
#define arn__move_fill arn__move_fill_portable
#define arn__move_reverse arn__move_reverse_portable

#endif
