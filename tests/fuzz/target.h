// A fuzz target: one input, whatever its bytes. Linked with replay.c it runs files (a corpus);
// built by clang with -fsanitize=fuzzer it searches.
#ifndef ARENITE_TESTS_FUZZ_TARGET_H
#define ARENITE_TESTS_FUZZ_TARGET_H

#include <stddef.h>
#include <stdint.h>

// Returns 0; aborts where something is wrong.
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size);

#endif
