// A debug mode for engines that run by a row plan: each byte is overwritten as soon as the plan's
// proof says that it is dead, and all memory before an invocation. A plan or an operator that reads
// what is dead then computes something else.
#ifndef ARENITE_HOST_CHECK_BURY_H
#define ARENITE_HOST_CHECK_BURY_H

#include "host/check/engine.h"
#include "host/check/row_walk.h"

typedef struct host_bury {
  host_row_walk walk;
  host_engine *engine;
  bool wrong;       // a step that the engine runs is not the plan's next one
  bool waits;       // the step is control flow: its inputs are buried when the next one begins
  uint64_t bytes;   // overwritten so far
} host_bury;

// The hooks to open the engine with. Borrows `bury`, which host_bury_start fills.
arn_hooks host_bury_hooks(host_bury *bury);

// Needs: an engine just opened with these hooks. Returns false where it does not run by a row plan,
// or the host has no memory. The caller closes.
bool host_bury_start(host_bury *bury, host_engine *engine);
void host_bury_close(host_bury *bury);

// Overwrites the dynamic region. Needed before inputs are written, in each invocation.
void host_bury_begin(host_bury *bury);

// Says whether the engine ran the plan's steps, and all of them.
bool host_bury_is_right(host_bury *bury);

#endif
