// Placing below a height that is already known.
#ifndef ARENITE_HOST_SEARCH_ROWPLACE_H
#define ARENITE_HOST_SEARCH_ROWPLACE_H

#include "host/search/rowsearch.h"

// How hard to try. Zeroed: a few orders, and repairs for a moment.
typedef struct host_place_effort {
  uint64_t work;             // to do at most, in units (HOST_WORK_A_SECOND); 0: a little
  uint32_t ceiling;          // only a height below it is of use; 0: any
  const host_row_layout *guide;   // of a similar schedule, to begin with; NULL: none
  uint64_t done;             // set: the work that was done
} host_place_effort;

// As host_row_place. *there is false (and the layout empty) where nothing below the ceiling was
// found.
bool host_row_place_below(const host_row_graph *graph, const host_row_schedule *schedule,
                          host_place_effort *effort, host_row_layout *layout, bool *there);

#endif
