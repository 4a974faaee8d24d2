// Plans that files carry, linked only where an application's list of operators names them
// (arn_op_list.plans): everything that reads, proves and runs them is reached through this table.
#ifndef ARENITE_SRC_RUNTIME_PLANS_H
#define ARENITE_SRC_RUNTIME_PLANS_H

#include "run.h"
#include "starter.h"

struct arn_plans {
  // Opens the file's row plan, if there is one; sets rows and has_rows.
  arn_status (*open)(arn__starter *s);
  // Starts the main subgraph as the row plan says.
  arn_status (*start)(arn__starter *s);
  // Says whether the row plan streams something that the application has no callback for.
  bool (*lacks_callback)(const arn__starter *s);
  // Runs a whole invocation by the row plan.
  arn_status (*run)(arn__run *r);
  // Says whether rows of input / output `i` come and go through callbacks.
  bool (*streams)(const arn_interpreter *nn, uint32_t i, bool is_input);
  // Plans a subgraph by the offsets of the file's OfflineMemoryAllocation metadata, and what they
  // leave open (all of it, where there are none) above. Fails: PLAN_COUNT, PLAN_VERSION,
  // PLAN_OFFSET, PLAN_OVERLAP.
  arn_status (*place)(arn__starter *s, arn__planning *planning, uint32_t subgraph);
};

// The entries that have files of their own.
arn_status arn__plans_start(arn__starter *s);
arn_status arn__plans_run(arn__run *r);
arn_status arn__plans_place(arn__starter *s, arn__planning *planning, uint32_t subgraph);

#endif
