// The search for the lowest highest sum of live bytes, whatever the places.
#ifndef ARENITE_HOST_SEARCH_ROWDESCENT_H
#define ARENITE_HOST_SEARCH_ROWDESCENT_H

#include "host/search/rowlimit.h"
#include "host/search/rowsearch.h"

// What the search chooses: which nodes are sinks and in what turn (UINT32_MAX: none), and which
// rows that nobody reads are made early.
typedef struct host_row_choice {
  uint32_t *ranks;           // by node
  bool *early;
} host_row_choice;

typedef struct host_row_descent {
  const host_row_graph *graph;
  const host_search_options *options;
  host_row_machine machine;
  host_limiter limiter;
  host_row_choice choice;    // that the machine runs by; its `early` is the machine's
  host_row_choice first;     // one segment after the other
  host_row_choice best;      // of the lowest peak
  host_row_choice kept;      // before a change
  uint32_t *order, sink_count;
  uint64_t random;
  uint64_t peak, bound;      // of `best`; proved
  uint64_t budget;           // of the machine's work, which counts that of placing as well
} host_row_descent;

// Searches. Returns false where the host has no memory; close it in any case.
bool host_descent_open(host_row_descent *descent, const host_row_graph *graph,
                       const host_search_options *options);
void host_descent_close(host_row_descent *descent);

// Whether a share of the budget is used up.
bool host_descent_is_over(const host_row_descent *descent, double share);

// Writes the schedule of `choice` below a limit, in steps of several rows where those stay below
// batch_bytes. Returns false where it is stuck.
bool host_descent_write(host_row_descent *descent, uint64_t limit, uint64_t batch_bytes,
                        host_row_schedule *schedule);

// Keeps the choice and changes it a little; takes the change back; takes another choice over.
void host_descent_change(host_row_descent *descent);
void host_descent_undo(host_row_descent *descent);
void host_descent_choose(host_row_descent *descent, const host_row_choice *choice);

// A number below `below`.
uint32_t host_descent_draw(host_row_descent *descent, uint32_t below);

// Choices of a graph's size, to be freed.
bool host_choice_open(host_row_choice *choice, const host_row_graph *graph);
void host_choice_close(host_row_choice *choice);
void host_choice_copy(host_row_choice *to, const host_row_choice *from,
                      const host_row_graph *graph);

#endif
