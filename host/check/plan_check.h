// An independent check of a started engine's plan, from what the public API says about it and from
// the operators' own words about rows; it shares no code with the planners.
#ifndef ARENITE_HOST_CHECK_PLAN_CHECK_H
#define ARENITE_HOST_CHECK_PLAN_CHECK_H

#include "host/check/engine.h"

// Two things that are in each other's way.
typedef struct host_plan_clash {
  const char *what;          // NULL: the plan is sound
  uint32_t subgraph, node;   // where
  int32_t a, b;              // tensors; -1: scratch
} host_plan_clash;

// Walks every planned subgraph node by node: no two tensors alive together may share a byte, nor a
// tensor and the node's scratch, nor may anything reach beyond its region. Excepted are views of
// the same bytes, and an output over an input that dies in its node, where every row is looked at:
// an output row may only cover input rows that this and later rows do not read, or (in place)
// exactly the row it replaces. Not for engines that run by a row plan (those are proved when they
// start).
host_plan_clash host_plan_check(const host_engine *engine);

#endif
