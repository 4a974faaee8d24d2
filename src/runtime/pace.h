// How many rows a step may compute of a node whose output overlaps an input that dies there.
#ifndef ARENITE_SRC_RUNTIME_PACE_H
#define ARENITE_SRC_RUNTIME_PACE_H

#include "arenite/op.h"

// A node's input and output in the same bytes. The input begins `gap` bytes after the output.
typedef struct arn__pace {
  uint32_t slot;             // of the input
  uint32_t gap;
  uint32_t in_row, out_row;  // bytes; out_row 0: one row a step
  uint32_t rows;             // of the output
} arn__pace;

// Borrows `g` and `e`. Cost: two tensors are read.
arn__pace arn__pace_of(const arn_subgraph *g, const arn_eval *e, uint32_t rows);

// Returns the rows of the step that begins at `row`: as many as can be written where nothing lies
// that the node still reads; at least one. Needs: row < pace->rows, and that the planner let the
// output overlap (plan/buffer.h), which makes one row safe.
uint32_t arn__pace_next(const arn__pace *pace, const arn_op *op, const void *state, uint32_t row);

#endif
