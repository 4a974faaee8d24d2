// The size ladder: a model started in arenas of many sizes and at many addresses.
#ifndef ARENITE_HOST_CHECK_LADDER_H
#define ARENITE_HOST_CHECK_LADDER_H

#include "host/check/engine.h"

typedef struct host_ladder {
  const char *wrong;        // NULL: all is well; else what was seen
  uint32_t at_bytes;        // size of the arena where it went wrong
  uint32_t misalignment;
  uint32_t sizes_tried;
  // failures that could not state the whole need (planning records too many)
  uint32_t totals_unknown;
} host_ladder;

// Tries sizes below the need (every one from 0 where need <= full_below; else 0, a spread, and need
// - 1), the need at each of the 16 possible bases, and a retry in a big enough arena after a
// failure; then the same with the dynamic region in a block of its own, for the sizes of either
// block. Each failure must be ERR_NO_MEMORY, name the whole need (of the block that is too small),
// leave everything outside the arena alone, and make arn_invoke refuse. Returns false where the
// model does not start at all.
bool host_ladder_climb(const void *bytes, size_t size, uint32_t full_below, host_ladder *ladder);

#endif
