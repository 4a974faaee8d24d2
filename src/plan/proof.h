// Verifies a row plan: see docs/plan-format.md for the rules. Needs temporary memory: a record a
// tensor, a record a node, and a bit for each granule of the dynamic region.
#ifndef ARENITE_SRC_PLAN_PROOF_H
#define ARENITE_SRC_PLAN_PROOF_H

#include "arenite/op.h"
#include "rowplan.h"

#define ARN__PROOF_HANDED_OVER 2u

typedef struct arn__proof_tensor {
  uint32_t bytes, row_bytes;
  uint32_t born, dead;   // bytes from the front; kept at the root
  uint16_t root;         // the tensor whose bytes it is
  // 1: lies in the dynamic region; ARN__PROOF_HANDED_OVER: by rows, an output
  uint16_t dynamic;
} arn__proof_tensor;

// No pointers: the same bytes on every machine.
typedef struct arn__proof_node {
  uint32_t state_at;     // in the arena
  uint32_t inputs_at, outputs_at;
  uint32_t rows, done, in_place, scratch_bytes;
  union {
    uint32_t fold_bytes;   // ARN_FOLD
    uint32_t advance;      // ARN_ROWS
  };
  uint16_t input_count, output_count;
  uint16_t op;           // in the operator list
  uint8_t work;          // arn_work
  bool skip;             // a view, or folded away: has no steps
  // touches variables: runs when all before it are complete, none after begun
  bool barrier;
} arn__proof_node;

typedef struct arn__proof {
  const arn__row_plan *plan;
  const arn_subgraph *subgraph;
  const arn_op_list *ops;
  const uint8_t *arena;
  arn__proof_tensor *tensors;
  arn__proof_node *nodes;
  uint32_t *granules;    // bits
  arn_error *error;
  uint32_t cursor;       // in the proof stream
} arn__proof;

// Bytes of temporary memory for the granules of a plan.
uint32_t arn__proof_granule_bytes(const arn__row_plan *plan);

// Notes a tensor (bytes, row bytes, whether its place is dynamic). Root: itself.
void arn__proof_note_tensor(arn__proof *proof, uint32_t index);

// Verifies everything. Needs: all tensors and nodes are noted, granules are zero. Fails (ERR_PLAN):
// PLAN_STEP, PLAN_OFFSET, PLAN_OVERLAP, with node and tensor. O(size of the plan).
ARN_MUST_CHECK arn_status arn__proof_run(arn__proof *proof);

#endif
