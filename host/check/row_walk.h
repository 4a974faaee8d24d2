// Replays the row plan of a started engine on paper: its steps, and which bytes of which tensor are
// born and die in each, as the proof in the plan says.
#ifndef ARENITE_HOST_CHECK_ROW_WALK_H
#define ARENITE_HOST_CHECK_ROW_WALK_H

#include "arenite/arenite.h"
#include "src/plan/rowplan.h"

// Bytes [first, last) of a tensor that owns its bytes.
typedef struct host_row_change {
  uint32_t tensor, first, last;
  bool born;    // before the step; else they die after it
  bool kept;    // they die, and the step's output lies there now
} host_row_change;

typedef struct host_walk_tensor {
  uint32_t root;              // the tensor whose bytes it is; UINT32_MAX: not in the plan's memory
  uint32_t bytes, row_bytes;
  uint32_t born, dead;        // of roots
} host_walk_tensor;

typedef struct host_walk_node {
  arn_work work;
  uint32_t rows;
} host_walk_node;

typedef struct host_row_walk {
  const arn_interpreter *nn;
  arn_subgraph subgraph;
  arn__row_plan plan;
  host_walk_tensor *tensors;
  host_walk_node *nodes;
  uint32_t cursor, proof_cursor;

  // The step that host_row_walk_next came to; before the first one, inputs that are there are born.
  arn__row_step step;
  uint32_t in_place;          // 1 + the input slot whose dying rows the output takes; 0: none
  host_row_change *changes;
  uint32_t change_count;
} host_row_walk;

// Needs: a started engine that runs by a row plan. Borrows nn. Returns false where it has none, or
// the host has no memory.
bool host_row_walk_open(host_row_walk *walk, const arn_interpreter *nn);
void host_row_walk_close(host_row_walk *walk);

// Goes back to the start: `changes` are the inputs that the caller writes.
void host_row_walk_begin(host_row_walk *walk);

// Goes to the next step. Returns false at the end.
bool host_row_walk_next(host_row_walk *walk);

// Says whether the step is one in which rows of an input arrive or rows of an output are handed
// over.
bool host_row_walk_is_port(const host_row_walk *walk);

// Returns where byte `byte` of a tensor lies in the dynamic region, and in *run how many bytes
// follow it there without a gap.
uint32_t host_row_walk_offset(const host_row_walk *walk, uint32_t tensor, uint32_t byte,
                              uint32_t *run);

#endif
