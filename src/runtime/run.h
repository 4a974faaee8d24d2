// A running invocation: shared by invoke.c (node after node) and row_run.c (by a row plan).
#ifndef ARENITE_SRC_RUNTIME_RUN_H
#define ARENITE_SRC_RUNTIME_RUN_H

#include "records.h"

typedef struct arn__run {
  arn_interpreter *nn;
  arn_error *error;
  arn_subgraph g;        // of the current frame
  arn__frame frame;
  uint32_t depth;        // frames saved in the arena
} arn__run;

// Fills in what the frame's node sees, but for span, row tables and fold.
void arn__run_prepare_eval(const arn__run *r, const arn__node_record *record, arn_eval *e);

// Runs a step, between the hooks.
arn_status arn__run_span(const arn__run *r, const arn_op *op, const void *state, arn_eval *e);

// Runs all rows of a node that is not planned by rows: in one step, or in as many as an overlap of
// its output with its input asks for.
arn_status arn__run_rows(const arn__run *r, const arn_op *op, const arn__node_record *record,
                         arn_eval *e);

// Runs the frame's node and moves on to the next, or into a subgraph that it calls.
arn_status arn__run_node(arn__run *r);

// Returns to the caller of a subgraph; its control-flow node is evaluated again.
arn_status arn__run_leave(arn__run *r);

#endif
