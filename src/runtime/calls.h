// Which subgraphs a node may run.
#ifndef ARENITE_SRC_RUNTIME_CALLS_H
#define ARENITE_SRC_RUNTIME_CALLS_H

#include "arenite/op.h"

#define ARN__CODE_IF 118
#define ARN__CODE_WHILE 119
#define ARN__CODE_CALL_ONCE 129
#define ARN__CODE_DEQUANTIZE 6
#define ARN__CODE_DENSIFY 124
#define ARN__CODE_VAR_HANDLE 142
#define ARN__CODE_READ_VARIABLE 143
#define ARN__CODE_ASSIGN_VARIABLE 144
#define ARN__CODE_STABLEHLO_WHILE 200
#define ARN__CODE_COMPOSITE 206

// Says whether nodes of this operator run subgraphs.
static inline bool arn__calls_any(int32_t code) {
  return code == ARN__CODE_IF || code == ARN__CODE_WHILE || code == ARN__CODE_CALL_ONCE ||
         code == ARN__CODE_STABLEHLO_WHILE || code == ARN__CODE_COMPOSITE;
}

// Fills `callees` with the subgraphs that control flow of `node` names (then/else, condition/body,
// or one alone) and returns their count: 0 for other operators. Indices come from the file and are
// not checked.
uint32_t arn__calls_of(const arn_model *model, const arn_node *node, int32_t callees[2]);

// Fills depth[s] (0: not reachable from the main subgraph; else the longest chain of calls that
// starts at s). Fails: SUBGRAPH_INDEX, SUBGRAPH_CYCLE. depth has ARN_MAX_SUBGRAPHS elements. Needs:
// depth[0] is 1, the others 0; no more subgraphs than elements.
ARN_MUST_CHECK arn_status arn__calls_depths(const arn_model *model, uint8_t *depth,
                                            arn_error *error);

#endif
