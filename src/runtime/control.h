// Parts of the engine that are linked with the operators that need them: see graph/parts.h.
#ifndef ARENITE_SRC_RUNTIME_CONTROL_H
#define ARENITE_SRC_RUNTIME_CONTROL_H

#include "../graph/graph.h"
#include "../graph/parts.h"
#include "run.h"
#include "starter.h"

// Control flow.
struct arn__control {
  // As arn__calls_depths().
  arn_status (*depths)(const arn_model *model, uint8_t *depth, arn_error *error);
  // Evaluates the frame's node, and enters the subgraph that it asks for.
  arn_status (*run)(arn__run *r, const arn_op *op, const arn__node_record *record, arn_eval *e);
};
typedef struct arn__control arn__control;

// Resource variables.
struct arn__variables {
  // Takes room for the variables whose first VAR_HANDLE node is in this subgraph.
  arn_status (*take)(arn__starter *s, uint32_t subgraph);
  // Gives every other RESOURCE tensor the place of the variable that it stands for.
  arn_status (*share)(arn__starter *s, uint32_t subgraph);
  // Finds the tensor that says what a RESOURCE tensor's variable holds.
  arn_status (*kind)(const arn_interpreter *nn, uint32_t subgraph, uint32_t tensor,
                     arn_tensor *kind);
};
typedef struct arn__variables arn__variables;

// Fills depth[s] as arn__calls_depths() does, where a listed operator calls subgraphs; else only
// the main subgraph is reachable. Fails also: LIMIT (of subgraphs).
ARN_MUST_CHECK arn_status arn__depths(const arn_model *model, const arn_op_list *ops,
                                      uint8_t *depth, arn_error *error);

#endif
