// Running two files next to each other.
#ifndef ARENITE_HOST_REWRITE_SAME_H
#define ARENITE_HOST_REWRITE_SAME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// Runs `invocations` of both models on the same generated inputs, the second in a poisoned arena,
// its streamed inputs and outputs through callbacks. Says whether all outputs and statuses are
// equal to the byte and nothing outside the arenas was written.
bool arn_run_the_same(const void *a, size_t a_bytes, const void *b, size_t b_bytes,
                      uint32_t invocations);

#endif
