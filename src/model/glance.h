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

// Returns the operator that entry `i` of the model's table of codes names: nodes of no other occur.
int32_t arn__model_code_at(const arn_model *m, uint32_t i);

// Says whether a buffer holds data.
bool arn__model_has_data(const arn_model *m, uint32_t buffer);

// What decides where a tensor lies.
typedef struct arn__glance {
  uint32_t data_at;  // of a constant, in the file
  uint8_t type;      // arn_type
  uint8_t flags;     // ARN_TENSOR_CONST, ARN_TENSOR_VARIABLE
} arn__glance;

arn__glance arn__model_glance(const arn_model *m, const arn_subgraph *g, uint32_t index);

// Says whether a tensor needs memory while the model runs, and none that lasts.
static inline bool arn__glance_is_temporary(arn__glance t) {
  return t.flags == 0 && t.type != ARN_RESOURCE;
}

// Says whether all zero points of a tensor are the same, or there are none.
bool arn__model_same_zeros(const arn_model *m, const arn_tensor *t);

#endif
