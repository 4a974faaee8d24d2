// Measuring a model as if it needed less of something.
#ifndef ARENITE_HOST_DECIDE_WITHOUT_H
#define ARENITE_HOST_DECIDE_WITHOUT_H

#include "host/report/facts.h"

// Measures the arena as if no operator asked for scratch. Not for several threads at once.
arn_status host_measure_without_scratch(const arn_model *model, const arn_config *config,
                                        arn_usage *usage);

// Packs the tensors of a plan anew, each alive as long as it is, with elements of one byte where
// they are of floating point or 16 bits; without overlap of inputs and outputs. Returns the bytes
// of the dynamic region; 0 where nothing would be smaller, or the host has no memory.
uint32_t host_pack_in_bytes(const host_facts *facts, uint32_t alignment);

#endif
