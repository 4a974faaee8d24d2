// A proof that no schedule of rows needs less.
#ifndef ARENITE_HOST_SEARCH_ROWBOUND_H
#define ARENITE_HOST_SEARCH_ROWBOUND_H

#include "host/search/rowgraph.h"

// Returns a sum of live bytes that every schedule reaches, whatever its order of steps and wherever
// rows lie, as long as each row is computed once and whole. Returns 0 where the host has no memory.
//
// For each step there is: of all states of the network in which the step can happen, the one with
// the fewest bytes alive. Bytes alive are a sum over nodes of functions of the node's progress (a
// tensor with several readers is taken to die with the last of them in the file's order, which it
// never outlives in less than the truth), and what a node needs of its inputs' makers is a minimum
// of theirs; kept for one reader of each maker, those minima form trees, and dynamic programming
// over them is exact. Whatever is dropped only lowers the bound. Cost: O(rows of all nodes).
uint64_t host_row_bound(const host_row_graph *graph);

#endif
