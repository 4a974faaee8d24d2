// The plan that TFLite Micro honours: whole tensors, "OfflineMemoryAllocation" metadata.
#ifndef ARENITE_HOST_REWRITE_TFLM_PLAN_H
#define ARENITE_HOST_REWRITE_TFLM_PLAN_H

#include "arenite/interpreter.h"

// Returns the metadata's words {1, 0, tensors, offsets...} for the main subgraph (malloc'ed, the
// caller frees) and their bytes; NULL where there is no memory, or more nodes than planners count.
// Offsets of tensors without memory of their own are -1; no two tensors alive together overlap.
int32_t *arn_tflm_plan(const arn_model *model, size_t *bytes);

#endif
