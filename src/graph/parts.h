// Parts of the engine that operators bring along: a record names one in `kinds`, so that an
// application that does not list the operator does not link the part. See runtime/control.h for
// what the first two are.
#ifndef ARENITE_SRC_GRAPH_PARTS_H
#define ARENITE_SRC_GRAPH_PARTS_H

#include "arenite/op.h"

struct arn__control;
struct arn__variables;

// Constants that readers take in place.
struct arn__folding {
  // As arn__graph_folded().
  int32_t (*source)(const arn_model *model, const arn_subgraph *subgraph, const arn_op_list *ops,
                    int32_t tensor);
};

extern const struct arn__control arn__control_flow;          // of IF, WHILE, CALL_ONCE, COMPOSITE
extern const struct arn__variables arn__resource_variables;  // of VAR_HANDLE
extern const struct arn__folding arn__folded_constants;      // of DEQUANTIZE and DENSIFY

#endif
