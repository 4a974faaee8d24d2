// The first schedule: the file's order of nodes, cut into segments that run depth first.
#ifndef ARENITE_HOST_SEARCH_ROWCUTS_H
#define ARENITE_HOST_SEARCH_ROWCUTS_H

#include "host/search/rowsim.h"

// Finds the cuts whose highest live sum is least, by dynamic programming; among equals, those with
// the shortest segments, which take the fewest steps. A segment [a, b) computes only the rows that
// node b - 1 needs next, so that tensors inside it are never whole; tensors between segments are.
// cuts: [node_count], receives the ends of the segments, ascending. Returns their number, 0 without
// memory (or nodes). *peak: the highest live sum. When the machine's work passes `end`, only whole
// nodes are tried. Cost: O(nodes * longest worthwhile segment) simulations of a segment.
uint32_t host_row_cuts(host_row_machine *machine, uint64_t end, uint32_t *cuts, uint64_t *peak);

#endif
