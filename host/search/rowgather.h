// Longer steps for the same rows, in no more bytes: what is set up once a step costs less time.
#ifndef ARENITE_HOST_SEARCH_ROWGATHER_H
#define ARENITE_HOST_SEARCH_ROWGATHER_H

#include "host/search/rowsim.h"

// Steps [begin, end), those that hand rows over not counted; where bytes alive may rise to.
typedef struct host_gather_range {
  uint32_t begin, end;
  uint64_t bytes;
} host_gather_range;

// Moves steps to the one of the same node before or after them, wherever what they read is there
// and no more bytes are alive than the range allows. `to` must be empty. Afterwards machine->peak
// is the highest live sum. Returns false where the host has no memory. Cost: O(steps) times how far
// apart the steps of a node lie.
bool host_row_gather(host_row_machine *machine, const host_steps *from, host_gather_range range,
                     host_steps *to);

#endif
