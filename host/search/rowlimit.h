// A schedule that stays below a limit of live bytes, or none.
//
// Sinks are nodes whose rows are asked for; what they need is computed depth first before each. The
// first sink, in an order of preference, whose next row fits below the limit gets it: so one
// segment of the network runs to its end before the next begins, unless memory is short; then a
// later sink runs ahead as far as it must, and its input's rows die early.
//
// Whatever the order, a step that leaves no more alive than there was before it is taken at once.
// That is never a mistake: live bytes are a submodular function of how far the nodes are, so any
// schedule from the old state also fits, step by step, from the new one.
#ifndef ARENITE_HOST_SEARCH_ROWLIMIT_H
#define ARENITE_HOST_SEARCH_ROWLIMIT_H

#include "host/search/rowsim.h"

typedef struct host_row_limits {
  uint64_t bytes;            // no step has more alive at once
  uint64_t batch_bytes;      // nor do steps of several rows; 0: a row at a time
  uint64_t max_work;         // machine->work before it gives up; 0: no limit
} host_row_limits;

typedef struct host_limiter {
  host_row_machine *machine;
  host_row_mark mark;
} host_limiter;

bool host_limiter_open(host_limiter *limiter, host_row_machine *machine);
void host_limiter_close(host_limiter *limiter);

// Runs the whole graph. `sinks`: their nodes in order of preference; every node must be a sink or
// needed by one. Returns false where it is stuck below the limit. Afterwards machine->peak is the
// highest live sum, and machine->steps (if set) the schedule.
bool host_limiter_run(host_limiter *limiter, const uint32_t *sinks, uint32_t count,
                      host_row_limits limits);

#endif
