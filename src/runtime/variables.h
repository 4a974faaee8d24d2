// Resource variables: who they are, how large, and where.
//
// A variable is known by the container and name that its VAR_HANDLE nodes give. Handles have no
// value at run time: the place of a RESOURCE tensor is the place of the variable itself.
#ifndef ARENITE_SRC_RUNTIME_VARIABLES_H
#define ARENITE_SRC_RUNTIME_VARIABLES_H

#include "arenite/interpreter.h"

// A node of a subgraph.
typedef struct arn__site {
  uint32_t subgraph, node;
} arn__site;

// Finds the VAR_HANDLE node behind RESOURCE tensor `tensor` of `subgraph`, through calls. Returns
// false where there is none. Of several nodes for one variable, the first is returned.
bool arn__variable_of(const arn_model *model, uint32_t subgraph, int32_t tensor, arn__site *first);

// Computes the bytes of a variable from the nodes that read and assign it (0 where none does), and
// its zero point and type. Fails: VARIABLE where they disagree.
ARN_MUST_CHECK arn_status arn__variable_tensor(const arn_model *model, const uint8_t *depth,
                                               arn__site variable, arn_tensor *tensor,
                                               arn_error *error);

#endif
