// Making an optimised file: the input with a row plan and a whole-tensor plan in its metadata.
#ifndef ARENITE_HOST_REWRITE_OPTIMIZE_H
#define ARENITE_HOST_REWRITE_OPTIMIZE_H

#include "host/check/engine.h"
#include "host/rewrite/simplify.h"
#include "host/search/rowsearch.h"

typedef struct arn_optimized {
  uint8_t *bytes;          // of the file; the caller frees
  size_t size;
  arn_simplified simplified;  // graph rewrites made
  bool reordered;          // operators stand in another order, which needs a smaller arena
  uint32_t whole_bytes;    // dynamic region of the file as it came, best heap-free planner
  uint32_t row_bytes;      // dynamic region of the result
  bool by_rows;            // the file carries a row plan: it needs less than one of whole tensors
  uint64_t live_peak;      // least that any placement of this schedule needs
  uint64_t bound;          // proved: least that any plan of these rows needs; 0: not known
  uint32_t steps, segments;
  arn_usage usage;         // of the optimised file: the whole arena
} arn_optimized;

// Simplifies the graph (simplify.h), plans rows and writes the file. The result has been started
// once, so that its plan is known to verify. Where rows save nothing, or can't be planned, and
// neither streams nor keep_rows ask for them, the file has no row plan: its arena is then what the
// heap-free planners need, and never more. Fails: status and error of the step that failed; *why a
// sentence where the host failed.
arn_status arn_optimize(const void *bytes, size_t size, const host_search_options *search,
                        arn_optimized *result, arn_error *error, const char **why);

#endif
