// The facts of a plan, taken from a started interpreter: what is where, from when to when, and why
// the arena is as large as it is. Every report (text, JSON) is made from these and nothing else.
//
// Time is counted in steps of the main subgraph: step n runs node n; by a row plan, it is the
// plan's step n: some rows of a node, or rows of an input that arrive or of an output that go. A
// tensor is alive from `first` to `last`, both included; subgraph inputs from step 0, outputs to
// the last step.
#ifndef ARENITE_HOST_REPORT_FACTS_H
#define ARENITE_HOST_REPORT_FACTS_H

#include "arenite/arenite.h"

typedef enum host_role {
  HOST_INTERMEDIATE, HOST_INPUT, HOST_OUTPUT, HOST_CONSTANT, HOST_VARIABLE, HOST_UNUSED
} host_role;

typedef struct host_tensor_fact {
  uint32_t index;
  char name[96];
  arn_tensor tensor;
  host_role role;
  arn_placement place;
  int32_t first, last;    // steps; -1 where it has no life in the dynamic region
  int32_t producer;       // node, or -1
  int32_t owner;          // tensor whose bytes it shares (views); itself: its own; -1: none
  uint32_t rows;
  uint32_t first_group, group_count;   // by a row plan: in host_facts.groups
} host_tensor_fact;

// By a row plan: bytes of a tensor that lie together and live together.
typedef struct host_group_fact {
  int32_t tensor;              // owner of the bytes; -1: the accumulator of a node
  uint32_t first_row, rows;    // that the bytes belong to
  uint32_t offset, bytes;      // in the dynamic region
  int32_t first, last;         // steps
} host_group_fact;

typedef struct host_step_fact {
  uint32_t node;          // UINT32_MAX: none; rows of an input arrive, or of an output go
  uint32_t first_row, rows;
  bool in_place;          // by a row plan: the output rows take the places of dying input rows
  char op[48];
  arn_node_memory memory;
  uint64_t macs;
  uint32_t live_bytes;    // bytes of the dynamic region that hold something at this step
  uint32_t high_water;    // end of the highest live byte, from the start of the dynamic region
  uint32_t bound_bytes;   // least bytes that this step needs in this order; see bound.h
} host_step_fact;

// Adds up to the arena's bytes.
typedef struct host_breakdown {
  uint32_t tensor_data, alignment_padding, engine_records, op_data, scratch, variables,
      weights_copied, init_temporary, unused;
} host_breakdown;

typedef struct host_facts {
  const arn_interpreter *nn;
  arn_subgraph subgraph;
  arn_usage usage;
  host_tensor_fact *tensors;
  uint32_t tensor_count;
  host_step_fact *steps;
  uint32_t step_count;
  bool by_row_plan;
  host_group_fact *groups;  // by a row plan
  uint32_t group_count;
  uint32_t peak_step;       // with the most live bytes
  uint32_t bound_bytes;     // no placement of this order of steps needs less in the dynamic region
  host_breakdown breakdown; // at the peak step
  uint64_t macs;
  uint64_t weight_bytes;
} host_facts;

// A live block of the dynamic region at one step.
typedef struct host_block {
  uint32_t offset, bytes;
  int32_t tensor;           // -1: scratch
} host_block;

// Gathers the facts of the main subgraph. Borrows nn. Returns false where the host has no memory.
bool host_facts_gather(host_facts *facts, const arn_interpreter *nn);
void host_facts_free(host_facts *facts);

// Returns room for what is alive at any step (the caller frees), or NULL.
host_block *host_facts_blocks(const host_facts *facts);

// Fills `blocks` (from host_facts_blocks) with what is alive at `step`, sorted by offset, and
// returns their number.
uint32_t host_facts_live(const host_facts *facts, uint32_t step, host_block *blocks);

// Multiply-accumulates of a node (convolutions, fully connected, matrix products, recurrent cells).
uint64_t host_macs(const arn_model *model, const arn_subgraph *subgraph, const arn_node *node);

#endif
