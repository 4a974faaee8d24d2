// Fewer steps for the same rows.
#ifndef ARENITE_HOST_SEARCH_ROWJOIN_H
#define ARENITE_HOST_SEARCH_ROWJOIN_H

#include "host/search/rowsim.h"

// Writes the steps anew, with those of one node that follow each other joined where no more than
// `limit` bytes are alive. `to` must be empty. Afterwards machine->peak is the highest live sum.
// Returns false where the host has no memory.
bool host_row_join(host_row_machine *machine, const host_steps *from, uint64_t limit,
                   host_steps *to);

#endif
