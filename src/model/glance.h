// One field of a node or tensor, where reading all of them would be most of the work.
#ifndef ARENITE_SRC_MODEL_GLANCE_H
#define ARENITE_SRC_MODEL_GLANCE_H

#include "arenite/model.h"

// Returns the BuiltinOperator of a node.
int32_t arn__model_code(const arn_model *m, const arn_subgraph *g, uint32_t index);

// Returns the type of a tensor.
arn_type arn__model_type(const arn_model *m, const arn_subgraph *g, uint32_t index);

// Says whether all zero points of a tensor are the same, or there are none.
bool arn__model_same_zeros(const arn_model *m, const arn_tensor *t);

#endif
