// A model file of unknown origin, opened, measured, started and run twice.
#ifndef ARENITE_TESTS_FUZZ_HOSTILE_H
#define ARENITE_TESTS_FUZZ_HOSTILE_H

#include <stddef.h>
#include <stdint.h>

// How far files came.
typedef struct hostile_counts {
  unsigned long tried, opened, started, invoked;
} hostile_counts;

// Returns NULL where every call came back with a status and its message and nothing outside the
// arena was written; else what is wrong. Arenas above 256 KiB are measured but not run; an
// invocation ends after 2,000 steps. `bytes` are 16-byte aligned and not written.
const char *hostile_try(hostile_counts *counts, const uint8_t *bytes, size_t size);

#endif
