// What the planner and the runtime see of a subgraph, over the verified model: producers, readers,
// and constants behind DEQUANTIZE or DENSIFY that their readers take in place ("folded").
#ifndef ARENITE_SRC_GRAPH_GRAPH_H
#define ARENITE_SRC_GRAPH_GRAPH_H

#include "arenite/op.h"

// Reads a tensor of a subgraph.
void arn__graph_read(const arn_model *model, const arn_subgraph *subgraph, uint32_t index,
                     arn_tensor *tensor);

// Returns the node that writes `tensor`, or -1. O(nodes).
int32_t arn__graph_producer(const arn_model *model, const arn_subgraph *subgraph, int32_t tensor);

// Returns the constant that `tensor` is folded to: it comes from a constant through DEQUANTIZE or
// DENSIFY, one of which is listed, and each of its readers takes it so (arn_op.folds). -1
// otherwise. O(nodes).
int32_t arn__graph_folded(const arn_model *model, const arn_subgraph *subgraph,
                          const arn_op_list *ops, int32_t tensor);

// Returns the constant tensor that input `i` of the node being prepared is folded to, or -1.
int32_t arn__graph_folded_source(const arn_prepare *p, uint32_t i);

// Looks an operator up in a list. Returns its index, or -1.
int32_t arn__graph_find_op(const arn_model *model, const arn_op_list *ops, const arn_node *node);

// Returns the part of the engine that the listed operator with this code brings along (see
// parts.h), or NULL.
const void *arn__graph_part(const arn_op_list *ops, int32_t code);

#endif
