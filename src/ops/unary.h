// What operators share that take one tensor to another of the same shape, element by element.
#ifndef ARENITE_SRC_OPS_UNARY_H
#define ARENITE_SRC_OPS_UNARY_H

#include "../kernels/unary.h"
#include "arenite/op.h"
#include "movement.h"

// Reads input and output of a node with one of each, checks that their shapes are the same and that
// `in` is of one of the operator's types, and says that the node runs by rows, in place where the
// output's elements allow. *row_count is the elements of a row. Fails: INPUT_COUNT, OUTPUT_COUNT,
// SHAPE, TYPE, and as arn_prepare_input.
ARN_MUST_CHECK arn_status arn__unary_prepare(arn_prepare *p, arn_tensor *in, arn_tensor *out,
                                             uint32_t *row_count);

// The same, and that both have one type. Fails also: TYPES_DIFFER.
ARN_MUST_CHECK arn_status arn__unary_prepare_same(arn_prepare *p, arn_tensor *in, arn_tensor *out,
                                                  uint32_t *row_count);

// The `rows` of these operators: the same rows.
void arn__unary_rows(const void *state, uint32_t input, arn_span out, arn_span *in);

// A kernel and what it runs over.
typedef struct arn__unary_job {
  arn__unary_fn fn;
  const void *params;
  uint32_t row_count;
  uint8_t in_bytes, out_bytes;  // of an element
} arn__unary_job;

// Runs a kernel over the step's rows: in one call where they are neighbours.
void arn__unary_run(const arn_eval *e, const arn__unary_job *job);

// The same for a kernel of int8 to int8, applied to int8 (flip 0) or uint8 (flip 0x80) tensors:
// through a table of its results where there are enough elements.
void arn__unary_run_8(const arn_eval *e, const arn__unary_job *job, uint8_t flip);

#endif
