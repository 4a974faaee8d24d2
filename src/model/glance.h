// One field of a node or tensor, where reading all of them would be most of the work.
#ifndef ARENITE_SRC_MODEL_GLANCE_H
#define ARENITE_SRC_MODEL_GLANCE_H

#include "arenite/model.h"

// Returns the BuiltinOperator of a node.
int32_t arn__model_code(const arn_model *m, const arn_subgraph *g, uint32_t index);

// Set where the list of a node's tensors begins, and how many these are.
void arn__model_node_inputs(const arn_model *m, const arn_subgraph *g, uint32_t index,
                            uint32_t *at, uint32_t *count);
void arn__model_node_outputs(const arn_model *m, const arn_subgraph *g, uint32_t index,
                             uint32_t *at, uint32_t *count);

// Returns the type of a tensor.
arn_type arn__model_type(const arn_model *m, const arn_subgraph *g, uint32_t index);

// Says whether the model has a node of this operator, or might: its table of codes names it.
bool arn__model_has_code(const arn_model *m, int32_t code);

// Says whether a buffer holds data.
bool arn__model_has_data(const arn_model *m, uint32_t buffer);

// Returns where a constant tensor's data lie in the file; 0 where the tensor is not constant.
uint32_t arn__model_constant(const arn_model *m, const arn_subgraph *g, uint32_t index);

// Says whether a tensor is state of the model (ARN_TENSOR_VARIABLE).
bool arn__model_is_variable(const arn_model *m, const arn_subgraph *g, uint32_t index);

// Says whether all zero points of a tensor are the same, or there are none.
bool arn__model_same_zeros(const arn_model *m, const arn_tensor *t);

#endif
