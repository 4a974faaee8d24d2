// Placing below a height that is already known.
#ifndef ARENITE_HOST_SEARCH_ROWPLACE_H
#define ARENITE_HOST_SEARCH_ROWPLACE_H

#include "host/search/rowsearch.h"

// How hard to try. Zeroed: a few orders, and repairs for a moment.
typedef struct host_place_effort {
  double seconds;            // 0: as little as is sensible, and the same on every machine
  uint32_t ceiling;          // only a height below it is of use; 0: any
} host_place_effort;

// As host_row_place. *there is false (and the layout empty) where nothing below the ceiling was
// found.
bool host_row_place_below(const host_row_graph *graph, const host_row_schedule *schedule,
                          host_place_effort effort, host_row_layout *layout, bool *there);

#endif
