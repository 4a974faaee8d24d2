// Elementwise operators whose inputs are repeated ("broadcast") to the shape of the output: from
// the shapes to a few bytes of state, and from the state to calls of a kernel over plain runs.
//
// Dimensions of 1 are dropped, and neighbours along which the same inputs are repeated merge. What
// is left are the groups: [2,6,5,4] + [5,1] has the groups 12 (input 1 repeated), 5, 4 (input 1
// repeated), and equal shapes have a single group. Groups describe one row of the output; where the
// output is cut into rows, the row axis is apart:
//
//   input is      row r of the output needs
//   aligned       its row r
//   repeated      all of it, which is one row or a constant
//   neither       its r-th slice, which lies inside one row or a constant: [H,W,C] of [1,H,W,C]
//
// The state's size follows the groups: a node with equal shapes keeps 12 bytes and its parameters.
#ifndef ARENITE_SRC_OPS_BROADCAST_COMMON_H
#define ARENITE_SRC_OPS_BROADCAST_COMMON_H

#include "../kernels/elementwise.h"
#include "arenite/op.h"

#define ARN__BROADCAST_INPUTS 3
#define ARN__BROADCAST_GROUPS ARN_MAX_RANK
#define ARN__BROADCAST_PARAM_WORDS 6

// The state of all operators here; how much of it is used says arn__broadcast_keep().
typedef struct arn__broadcast {
  uint8_t repeated[ARN__BROADCAST_INPUTS];  // bit g: the input is repeated along group g
  uint8_t rows_aligned;   // bit i: input i is aligned, see above
  uint8_t rows_repeated;  // bit i: input i is repeated
  uint8_t groups;         // 1 to ARN__BROADCAST_GROUPS
  uint8_t type;           // the operator's own: what it computes in
  uint8_t option;         // the operator's own
  // Sizes of the groups, outermost first, then the operator's parameters.
  uint32_t words[ARN__BROADCAST_GROUPS + ARN__BROADCAST_PARAM_WORDS];
} arn__broadcast;

// What to run over the elements.
typedef struct arn__elementwise {
  arn__elementwise_kernel *kernel;
  const void *params;     // of the kernel
  arn_what fault;         // what it means that the kernel returns false
  uint8_t inputs;         // 1 to ARN__BROADCAST_INPUTS
  uint8_t out_bytes;      // of an element
  uint8_t in_bytes[ARN__BROADCAST_INPUTS];
} arn__elementwise;

// Checks that `out` has the shape that `count` inputs broadcast to; leading dimensions of 1 do not
// matter. Fails: SHAPE.
ARN_MUST_CHECK arn_status arn__broadcast_check(const arn_prepare *p, const arn_tensor *inputs,
                                               uint32_t count, const arn_tensor *out);

// Fills the shape part of the state and p's work, rows and in_place. Needs: each dimension of an
// input is 1 or the output's. `inputs` are the node's inputs 0, 1, ...; shapes count, and whether
// they are constant. The state is kept without parameters.
void arn__broadcast_prepare(arn_prepare *p, arn__broadcast *b, const arn_tensor *inputs,
                            uint32_t count, const arn_tensor *out);

// Keeps `bytes` of parameters of the operator in the state. Needs: bytes <= 4 *
// ARN__BROADCAST_PARAM_WORDS; arn__broadcast_prepare came before.
void arn__broadcast_keep(arn_prepare *p, arn__broadcast *b, const void *params, uint32_t bytes);

// Copies parameters that arn__broadcast_keep stored.
static inline void arn__broadcast_recall(const arn__broadcast *b, void *params, uint32_t bytes) {
  memcpy(params, b->words + b->groups, bytes);
}

// arn_op.rows of an operator whose state is an arn__broadcast.
void arn__broadcast_rows(const void *state, uint32_t input, arn_span out, arn_span *in);

// Runs a kernel for the rows of the step. Fails: what the job says, where the kernel returns false.
// About 700 bytes of stack, of which 224 are for repeated elements.
ARN_MUST_CHECK arn_status arn__broadcast_run(const arn_eval *e, const arn__broadcast *b,
                                             const arn__elementwise *job);

#endif
