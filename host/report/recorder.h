// A recorder for a running engine: time of each step, and the highest byte of the arena that the
// step uses, taken from what its operator is really handed (rows of inputs and outputs, scratch,
// state).
#ifndef ARENITE_HOST_REPORT_RECORDER_H
#define ARENITE_HOST_REPORT_RECORDER_H

#include "host/check/engine.h"
#include "host/check/row_walk.h"

typedef struct host_recorded_step {
  double seconds;         // all invocations
  uint32_t high_water;    // offset in the arena behind the last byte
} host_recorded_step;

typedef struct host_recorder {
  host_recorded_step *steps;   // of the main subgraph, or of the row plan
  uint32_t step_count;
  uint32_t start_high_water;   // of what the start wrote: found by looking at the arena
  double entered;
  host_row_walk walk;          // where the engine runs by a row plan: at step `current`
  uint32_t current;
  bool by_row_plan;
} host_recorder;

bool host_recorder_open(host_recorder *recorder, const arn_model *model);
void host_recorder_close(host_recorder *recorder);

// The hooks to give to the engine.
arn_hooks host_recorder_hooks(host_recorder *recorder);

// Call right after the engine was opened (filled with HOST_FILL_A5): looks which bytes the start
// wrote. Returns false where the host has no memory for the steps of a row plan.
bool host_recorder_start(host_recorder *recorder, const host_engine *engine);

// Returns the high water of the whole run, in bytes from the arena's start.
uint32_t host_recorder_high_water(const host_recorder *recorder);

#endif
