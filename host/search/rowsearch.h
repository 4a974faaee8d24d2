// Finding a schedule of rows that makes the arena small, and a place for every row.
//
// The schedules searched: the file's order of nodes, cut into segments. A segment runs depth first (see
// host_machine_segment): only the rows that its last node needs next are computed, so that tensors inside
// it are never whole; tensors between segments are. Dynamic programming over the cuts finds the
// segmentation whose highest live sum is least; among equals, the one with the fewest steps.
#ifndef ARENITE_HOST_SEARCH_ROWSEARCH_H
#define ARENITE_HOST_SEARCH_ROWSEARCH_H

#include "host/search/rowsim.h"

typedef struct host_search_options {
  double budget_seconds;
  host_stream_wish stream;
  bool keep_graph;   // arn_optimize: no graph rewrites
  bool keep_rows;    // arn_optimize: write the row plan even where it saves nothing (for tests)
  void (*progress)(void *context, double share);   // NULL: silent
  void *context;
} host_search_options;

typedef struct host_row_schedule {
  host_steps steps;
  uint64_t live_peak;      // highest sum of live bytes, in granules: no placement needs less
  uint32_t segments;
} host_row_schedule;

// Searches. Returns false where the host has no memory. Deterministic unless the budget runs out.
bool host_row_search(const host_row_graph *graph, const host_search_options *options,
                     host_row_schedule *schedule);

// Where everything lies: an offset for each row of each root (rigid roots: entry 0 is the block), for the
// scratch and the accumulator of each node.
typedef struct host_row_layout {
  uint32_t **rows;         // by root
  uint32_t *scratch, *fold;  // by node; UINT32_MAX: none
  uint32_t root_count;
  uint32_t bytes;          // of the dynamic region
} host_row_layout;

bool host_row_place(const host_row_graph *graph, const host_row_schedule *schedule,
                    double budget_seconds, host_row_layout *layout);
void host_row_layout_free(host_row_layout *layout);

#endif
