// Comparing what was computed with what is wanted.
#ifndef ARENITE_HOST_CHECK_COMPARE_H
#define ARENITE_HOST_CHECK_COMPARE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// |got - want| <= absolute + relative * |want|; NaN matches NaN, equal infinities match.
typedef struct host_tolerance {
  bool exact;
  double relative, absolute;
} host_tolerance;

// The first difference, for the message.
typedef struct host_difference {
  size_t index;
  double got, want;
  size_t count;   // of elements that differ
} host_difference;

// Compares `bytes` of float32 within a tolerance, or bytes exactly. Returns true where they agree.
bool host_compare(const void *got, const void *want, size_t bytes, host_tolerance tolerance,
                  host_difference *difference);

// The tolerance of models/README.md for a float tensor.
host_tolerance host_model_tolerance(const float *want, size_t count);

#endif
