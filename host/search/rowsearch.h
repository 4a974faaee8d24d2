// Finding a schedule of rows that makes the arena small, and a place for every row.
//
// First the file's order of nodes is cut into segments (rowcuts.h). The ends of the segments are
// sinks of a search below a limit (rowlimit.h): other sinks and other preferences among them are
// tried as long as they lower the highest live sum. Then schedules near it, with more or fewer rows
// a step, are placed; the smallest arena wins. What no schedule of whole rows can go below is
// proved on the way (rowbound.h).
#ifndef ARENITE_HOST_SEARCH_ROWSEARCH_H
#define ARENITE_HOST_SEARCH_ROWSEARCH_H

#include "host/search/rowsim.h"

typedef struct host_search_options {
  double budget_seconds;   // about: the work that a host does in them (HOST_WORK_A_SECOND)
  host_stream_wish stream;
  bool keep_rows;    // arn_optimize: write the row plan even where it saves nothing (for tests)
  bool keep_graph;   // arn_optimize: leave out graph rewrites (simplify.h)
  void (*progress)(void *context, double share);   // NULL: silent
  void *context;
  uint64_t seed;             // of the choices that the search makes
  uint32_t max_steps;        // of host_row_plan's schedule, where one is found; 0: any number
  void (*trade)(void *context, uint32_t steps, uint32_t bytes);   // NULL, or told of every plan
} host_search_options;

typedef struct host_row_schedule {
  host_steps steps;
  uint64_t live_peak;      // highest sum of live bytes, in granules: no placement needs less
  uint64_t bound;          // proved: no schedule of whole rows has a lower one; 0: not known
  uint32_t segments;       // sinks
} host_row_schedule;

// Searches. Returns false where the host has no memory. Deterministic.
bool host_row_search(const host_row_graph *graph, const host_search_options *options,
                     host_row_schedule *schedule);

// Where everything lies: an offset for each row of each root (rigid roots: entry 0 is the block),
// for the scratch and the accumulator of each node.
typedef struct host_row_layout {
  uint32_t **rows;         // by root
  uint32_t *scratch, *fold;  // by node; UINT32_MAX: none
  uint32_t root_count;
  uint32_t bytes;          // of the dynamic region
} host_row_layout;

// Places a schedule. Returns false where the host has no memory.
bool host_row_place(const host_row_graph *graph, const host_row_schedule *schedule,
                    double budget_seconds, host_row_layout *layout);
void host_row_layout_free(host_row_layout *layout);

// Searches schedules and places them, for the smallest arena in at most max_steps. Returns false
// where the host has no memory. Deterministic.
bool host_row_plan(const host_row_graph *graph, const host_search_options *options,
                   host_row_schedule *schedule, host_row_layout *layout);

#endif
