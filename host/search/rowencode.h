// Writing a row plan in the form of docs/plan-format.md.
#ifndef ARENITE_HOST_SEARCH_ROWENCODE_H
#define ARENITE_HOST_SEARCH_ROWENCODE_H

#include "host/search/rowsearch.h"

// Encodes a schedule and its layout. *bytes is malloc'ed (the caller frees). Returns false where
// the host has no memory.
bool host_row_encode(const host_row_graph *graph, const host_row_schedule *schedule,
                     const host_row_layout *layout, uint8_t **bytes, size_t *size);

#endif
