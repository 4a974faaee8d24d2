// Shapes that a file leaves open and that follow from the rest of it: how a dimension of a tensor,
// or an integer of a shape that is computed, is found. Only for infer.c and infer_rules.c.
//
// A question is a dimension of a tensor, or an element of an integer tensor. The rule of the
// operator that writes the tensor answers in terms, worked out one after the other: a term asks
// another question, or is a number, and says how its answer joins what there is so far.
#ifndef ARENITE_SRC_GRAPH_INFER_H
#define ARENITE_SRC_GRAPH_INFER_H

#include "arenite/model.h"

enum {
  ARN__ASK_DIM,      // dimension `index` of `tensor`
  ARN__ASK_VALUE,    // element `index` of `tensor`
  ARN__ASK_NUMBER,   // `index` itself
  ARN__ASK_END,      // no more terms: what there is so far is the answer
  ARN__ASK_WRITTEN,  // no rule: what the file says
  ARN__ASK_NOBODY,   // it does not follow from the file
};

enum {
  ARN__JOIN_ALONE,  // this is the answer, no term follows
  ARN__JOIN_SET,
  ARN__JOIN_ADD,
  ARN__JOIN_SUB,
  ARN__JOIN_MUL,
  ARN__JOIN_DIV,        // towards zero
  ARN__JOIN_DIV_EXACT,  // nothing may be left
  ARN__JOIN_DIV_UP,
  ARN__JOIN_DIV_DOWN,
  ARN__JOIN_MOD,        // of the sign of the divisor
  ARN__JOIN_MAX,
  ARN__JOIN_MIN,
  ARN__JOIN_BROADCAST,  // two dimensions, one of which may be 1
};

typedef struct arn__term {
  uint8_t ask, join;
  int32_t tensor;
  int32_t index;
} arn__term;

// What a rule sees: a question about an output of a node, and the terms answered before.
typedef struct arn__asked {
  const arn_model *model;
  const arn_subgraph *subgraph;
  arn_node node;
  arn_tensor out;   // as the file says
  int32_t index;    // the dimension, or the element
  uint32_t step;    // terms answered so far
  int32_t so_far;   // what they come to
} arn__asked;

// Returns the next term of a dimension / of an element. Pure; reads the file only.
arn__term arn__infer_dim(const arn__asked *a);
arn__term arn__infer_value(const arn__asked *a);

// Says whether the shape of what `node` writes depends on values that are not constants.
bool arn__infer_depends(const arn_model *model, const arn_subgraph *subgraph, const arn_node *node);

// Reads element `i` of a constant int32 or int64 tensor. False where it is none, or does not fit.
bool arn__infer_constant(const arn_model *model, const arn_tensor *t, int32_t i, int32_t *value);

// Reads a tensor as the file says, whatever has been inferred.
void arn__infer_written(const arn_model *model, const arn_subgraph *subgraph, int32_t index,
                        arn_tensor *t);

#endif
