// The plan that a file may carry in its "arenite.plan" metadata: steps of rows, and where each row
// lies. Specified bit by bit in docs/plan-format.md. It is read where it lies; reading copies
// nothing.
#ifndef ARENITE_SRC_PLAN_ROWPLAN_H
#define ARENITE_SRC_PLAN_ROWPLAN_H

#include "arenite/model.h"

#define ARN__PLAN_NAME "arenite.plan"
#define ARN__PLAN_MAGIC 0x504E5241u  // "ARNP"
#define ARN__PLAN_VERSION 1u
#define ARN__PLAN_ENGINE 1u          // raised when an operator's rows, scratch or fold bytes change
#define ARN__PLAN_HEADER_WORDS 16u
#define ARN__PLAN_NONE UINT32_MAX
#define ARN__PLAN_GRANULE 4u         // rows and scratch start at multiples of it

typedef struct arn__row_plan {
  const arn_model *model;
  uint32_t at;              // of the header in the file
  uint32_t dynamic_bytes, alignment;
  uint32_t tensor_count, node_count, row_words;
  uint32_t step_bytes, proof_bytes, step_count;
  uint32_t streamed_inputs, streamed_outputs;  // bit i: rows come and go through callbacks
  uint32_t places_at, nodes_at, rows_at, steps_at, proof_at;  // positions in the file
} arn__row_plan;

// One step: rows [first, first + count) of node `node`. Beyond the nodes, two more numbers: rows of
// streamed input / output number `port`.
typedef struct arn__row_step {
  uint32_t node, port, first, count;
} arn__row_step;

// Finds and opens the plan. *found is false where the file has none. Fails (ERR_PLAN):
// PLAN_VERSION, PLAN_ENGINE, PLAN_MODEL, PLAN_COUNT, PLAN_OFFSET. O(nodes + tensors).
ARN_MUST_CHECK arn_status arn__row_plan_open(arn__row_plan *plan, const arn_model *model,
                                             bool *found, arn_error *error);

// Opens a plan that was verified before. O(1).
void arn__row_plan_reopen(arn__row_plan *plan, const arn_model *model, uint32_t at);

// Returns the row table. The metadata lies at a multiple of 4 (checked when it was opened).
const uint32_t *arn__row_tables(const arn__row_plan *plan);

// Returns the place of a tensor: a dynamic offset, rows at an index, or ARN__PLACE_NONE.
uint32_t arn__row_plan_place(const arn__row_plan *plan, uint32_t tensor);

// Returns the offset of a node's scratch / fold accumulator in the dynamic region, or
// ARN__PLAN_NONE.
uint32_t arn__row_plan_scratch(const arn__row_plan *plan, uint32_t node);
uint32_t arn__row_plan_fold(const arn__row_plan *plan, uint32_t node);

// Reads the step at *cursor (from steps_at on) and moves the cursor behind it. Returns false at the
// end, or where the bytes make no sense.
bool arn__row_plan_next(const arn__row_plan *plan, uint32_t *cursor, arn__row_step *step);

// Reads one number of the proof, likewise.
bool arn__row_plan_number(const arn__row_plan *plan, uint32_t *cursor, uint32_t end,
                          uint32_t *number);

// A number that changes with the structure of the main subgraph: operators, their tensors, types,
// shapes.
uint32_t arn__row_plan_fingerprint(const arn_model *model);

#endif
