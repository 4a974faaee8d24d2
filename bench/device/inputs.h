// Pseudo-random inputs, the same as `arenite run` generates: see docs/architecture.md.
#ifndef ARENITE_BENCH_DEVICE_INPUTS_H
#define ARENITE_BENCH_DEVICE_INPUTS_H

#include "arenite/arenite.h"

// Fills all inputs of a started interpreter for invocation number `invocation`.
void bench_generate_inputs(const arn_interpreter *nn, uint32_t invocation);

#endif
