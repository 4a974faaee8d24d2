// A strided copy, run by the rows of its output: what slices, transposes, reversals, tilings and
// space/depth rearrangements all are.
//
// The output's bytes, in order, come from the input at
//   start + i0*step0 + i1*step1 + ... ,   `run` contiguous bytes at each,
// with i0 counting fastest. The outer `lead` loops count output rows. Loops that can be merged are
// merged, but never across the end of a row of either tensor, so that a loop goes either over rows
// of the input or over bytes inside a row: both tensors may have their rows scattered.
#ifndef ARENITE_SRC_OPS_NEST_H
#define ARENITE_SRC_OPS_NEST_H

#include "movement.h"

typedef struct arn__nest_loop {
  uint32_t count;
  int32_t step;  // bytes of the input
} arn__nest_loop;

// A prefix of this, as long as its loops, is the prepared state of a node.
typedef struct arn__nest {
  int32_t start;          // byte of the input that the output begins with
  uint32_t in_row_bytes;
  uint32_t out_row_bytes;
  uint32_t run;           // 0: an empty output
  uint16_t loops, lead;   // the last `lead` of `loops` count output rows
  arn__nest_loop loop[ARN__BLOCK_LOOPS];  // innermost first
} arn__nest;

// What a nest is built from, inside out.
typedef struct arn__nest_plan {
  arn__nest *nest;
  uint32_t inner_bytes;  // of the output, under the loops so far
  bool full;             // more loops than a nest can hold
} arn__nest_plan;

// Starts a nest for an output of elements of `element` bytes. `in_rows`: rows of the input.
arn__nest_plan arn__nest_open(arn__nest *nest, uint32_t element, uint32_t in_row_bytes,
                              uint32_t out_row_bytes);

// Wraps a loop around: `count` times, `step` bytes of the input further each time.
void arn__nest_wrap(arn__nest_plan *plan, uint32_t count, int32_t step);

// Ends a nest over `out_rows` rows. Returns false where its loops do not come to whole output rows.
bool arn__nest_close(const arn__nest_plan *plan, uint32_t out_rows);

// Says whether output and input bytes are in the same order without gaps: then the output is the
// input's bytes from `start` on.
bool arn__nest_is_view(const arn__nest *nest);

// Returns the bytes of a closed nest that are in use.
static inline uint32_t arn__nest_bytes(const arn__nest *nest) {
  return (uint32_t)(sizeof *nest - (ARN__BLOCK_LOOPS - nest->loops) * sizeof nest->loop[0]);
}

// The same for a node that is being prepared, from input 0 to output 0: open; then, once all loops
// are there, close and answer for the node: work, rows, and whether the output is a view.
// state_bytes is set for a state that is a nest and nothing else.
// Fails: RANK (more loops than a nest holds), SHAPE (the loops do not come to the output's size).
arn__nest_plan arn__nest_begin(arn__nest *nest, const arn_tensor *in, const arn_tensor *out);
ARN_MUST_CHECK arn_status arn__nest_finish(arn_prepare *p, const arn__nest_plan *plan,
                                           const arn_tensor *out);

// The same without a view: of a nest whose start is not known yet.
ARN_MUST_CHECK arn_status arn__nest_settle(arn_prepare *p, const arn__nest_plan *plan,
                                           const arn_tensor *out);

// arn_op.rows and arn_op.eval of operators whose state is a nest, over input 0.
void arn__nest_rows(const void *state, uint32_t input, arn_span out, arn_span *in);
arn_status arn__nest_eval(const arn_eval *e, const void *state);

// Runs a nest over input `input`, for the rows of e->span.
void arn__nest_run(const arn__nest *nest, const arn_eval *e, uint32_t input);

#endif
