// Planners without a heap: they give each buffer an offset in the dynamic region.
//
// All work on the same records and with the same primitive (fit.c): find a place for one buffer
// among those placed before. They differ in the order, and in whether outputs may overlap inputs.
#ifndef ARENITE_SRC_PLAN_PLANNER_H
#define ARENITE_SRC_PLAN_PLANNER_H

#include "arenite/interpreter.h"
#include "buffer.h"

typedef struct arn__planning {
  arn__buffers buffers;
  uint32_t alignment;
  bool overlap;     // outputs may overlap their partner
  uint32_t *spare;  // a word for each buffer, or NULL: planning then takes longer
} arn__planning;

// Places all buffers with `planner` (not AUTO, not OFFLINE) and returns the bytes of the region.
// O(buffers^2) for chains.
uint32_t arn__plan_with(arn__planning *p, arn_planner planner);

// Places all buffers with the best of the planners and returns the bytes.
uint32_t arn__plan_best(arn__planning *p);

// Keeps the offsets of the placed buffers, given from ARN__FIT_ORIGIN, and places the rest (offset
// ARN__UNPLACED) above the origin, largest first. Returns the bytes; offsets then count from 0.
uint32_t arn__plan_rest(arn__planning *p);

// The place that grows the occupied interval [low, high) least; see fit.c.
typedef struct arn__extent {
  uint32_t low, high;
} arn__extent;

void arn__fit(const arn__planning *p, uint32_t index, arn__extent *extent);
void arn__fit_upwards(const arn__planning *p, uint32_t index, arn__extent *extent);

// Says whether two placed buffers get in each other's way.
bool arn__fit_conflicts(const arn__planning *p, uint32_t a, uint32_t b);

// The middle of the number line on which the fitting works: regions may grow to both sides of it.
#define ARN__FIT_ORIGIN (1u << 30)

#endif
