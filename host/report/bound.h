// A lower bound on the dynamic region, for nodes run whole in the file's order.
//
// At a step, everything alive across it must be in memory at once. The node's own output and the
// inputs that die in it may share bytes: where the node can run by rows, only the rows of the dying
// inputs that later rows still need, and the output rows written so far, must be there together;
// the worst row counts. Alignment and fragmentation are not counted, so a plan may be above the
// bound, never below.
#ifndef ARENITE_HOST_REPORT_BOUND_H
#define ARENITE_HOST_REPORT_BOUND_H

#include "host/report/facts.h"

// Returns the bytes that step `n` needs at least. Needs: lives and owners of the facts are known.
uint32_t host_bound_of_step(const host_facts *facts, uint32_t n);

#endif
