// Runs one node in random spans of rows, with its rows scattered through poisoned memory, and wants
// the bytes that the whole run gave.
//
// Before each step the memory is filled anew, and only the input rows that the operator's `rows`
// names are there. After it, nothing but the step's own output rows (and scratch) may have changed.
#ifndef ARENITE_HOST_CHECK_ROWS_CHECK_H
#define ARENITE_HOST_CHECK_ROWS_CHECK_H

#include "host/check/engine.h"

typedef enum host_rows_result {
  HOST_ROWS_SAME,      // ran in several steps, the same bytes
  HOST_ROWS_WHOLE,     // not row-capable, or a single row
  HOST_ROWS_STATEFUL,  // keeps state between runs: can't be run again
  HOST_ROWS_DIFFERS,   // other bytes
  HOST_ROWS_STRAYED,   // wrote where it must not
  HOST_ROWS_FAILED,    // eval returned an error
  HOST_ROWS_NO_MEMORY,
} host_rows_result;

// Needs: `engine` was opened with ARN_KEEP_ALL and has been invoked. `seed` chooses the partition
// and the places.
host_rows_result host_rows_check(const host_engine *engine, uint32_t node, uint64_t seed);

const char *host_rows_text(host_rows_result result);

#endif
