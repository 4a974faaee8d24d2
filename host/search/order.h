// The best order of whole operators: the one whose highest sum of live tensors is least, nothing in
// place.
#ifndef ARENITE_HOST_SEARCH_ORDER_H
#define ARENITE_HOST_SEARCH_ORDER_H

#include "host/search/rowgraph.h"

typedef struct host_order {
  uint32_t *nodes;       // those that run, in order; the caller frees
  uint32_t count;
  uint64_t live_bytes;   // highest sum of live tensors and scratch
  bool proved;           // no order has less; else the search ended early: the file's order
} host_order;

// Searches sets of nodes that are done, cheapest first, until all are or `most_states` sets were
// looked at. Nodes that touch variables keep their place. Returns false where the host has no
// memory.
bool host_order_search(const host_row_graph *graph, uint32_t most_states, host_order *order);

#endif
