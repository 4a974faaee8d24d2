// Builds the buffers of a subgraph while its nodes prepare: lifetimes, views, scratch, and where an
// output may overlap an input.
#ifndef ARENITE_SRC_PLAN_BUILDER_H
#define ARENITE_SRC_PLAN_BUILDER_H

#include "arenite/interpreter.h"
#include "buffer.h"

struct arn__plan_builder {
  const arn_model *model;
  const arn_subgraph *subgraph;
  const arn_config *config;
  arn__buffers buffers;
  arn_error *error;
  int32_t subgraph_index;
  // Makes room for one more buffer at the low end; returns false where there is none (the builder
  // then goes on counting, and the plan is not to be used).
  bool (*make_room)(struct arn__plan_builder *b);
  void *owner;
  uint32_t wanted;         // buffers that were asked for
  bool complete;           // all of them have room
};
typedef struct arn__plan_builder arn__builder;

// Opens the subgraph: its inputs are alive from the start.
ARN_MUST_CHECK arn_status arn__builder_begin(arn__builder *b);

// A node reads its inputs and brings its outputs to life. Fails: TENSOR_NOT_PRODUCED,
// TENSOR_WRITTEN_TWICE.
ARN_MUST_CHECK arn_status arn__builder_node(arn__builder *b, const arn_node *node, uint32_t index);

// After prepare: the node's scratch, and the overlap of its output with an input.
void arn__builder_prepared(arn__builder *b, const arn_prepare *p, const void *state);

// Adds scratch that is alive during node `index` (also used for called subgraphs).
void arn__builder_scratch(arn__builder *b, uint32_t index, uint32_t bytes);

// Closes the subgraph: its outputs live to the end; variables that are read in place but assigned
// to while still in use are copied after all. Fails: TENSOR_NOT_PRODUCED.
ARN_MUST_CHECK arn_status arn__builder_end(arn__builder *b);

// Says whether an operator reads or writes resource variables, or may by what it calls.
bool arn__builder_touches_variables(int32_t code);

// Says whether a node between `first` and `last` (both excluded) assigns a variable, or may: what
// was read in place at `first` and is used at `last` must then be a copy.
bool arn__builder_assigns_between(const arn_model *model, const arn_subgraph *subgraph,
                                  uint32_t first, uint32_t last);

// Returns the buffer of a tensor, or -1 (constants, variables, folded tensors).
int32_t arn__builder_find(const arn__builder *b, int32_t tensor);

#endif
