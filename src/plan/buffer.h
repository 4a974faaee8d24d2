// The planner's record of one thing that wants bytes of the dynamic region: a tensor, or the
// scratch of a node. 16 bytes each, at the end of the arena while starting.
//
// Time is the index of the node in its subgraph. A buffer is alive from `first` to `last`, both
// included. An output (buffer b) may overlap one input of its node (its partner, buffer b -
// distance) that dies there: where the node runs a row at a time in ascending order, row r of the
// output is written when only input rows from some first(r) on are still needed. So
//   partner.offset - b.offset >= lag          is safe (the node then runs by rows), and
//   partner.offset == b.offset                is safe where `in_place` is set.
#ifndef ARENITE_SRC_PLAN_BUFFER_H
#define ARENITE_SRC_PLAN_BUFFER_H

#include <stdbool.h>
#include <stdint.h>

#define ARN__NO_TENSOR 0xFFFFu
#define ARN__LAG_UNIT 16u
#define ARN__LAG_NONE 0xFFFFu
#define ARN__UNPLACED UINT32_MAX
#define ARN__MAX_DISTANCE 7u

typedef enum arn__buffer_kind {
  ARN__BUFFER_TENSOR = 0,
  ARN__BUFFER_VIEW = 1,     // bytes of another buffer: `link` is its index, `offset` the distance
  ARN__BUFFER_SCRATCH = 2,  // tensor is ARN__NO_TENSOR
  ARN__BUFFER_FIXED = 3,    // bytes of a constant or variable: `link` is the input of node `first`
} arn__buffer_kind;

typedef struct arn__buffer {
  uint32_t bytes;
  uint32_t offset;
  uint32_t first : 13, last : 13, distance : 3, kind : 2, in_place : 1;
  uint16_t tensor;
  uint16_t link;  // VIEW, FIXED: see above; TENSOR: lag in units of 16 bytes, or ARN__LAG_NONE
} arn__buffer;

// The buffers of a subgraph. They grow downwards from `top`, so that the static region can grow
// upwards to meet them.
typedef struct arn__buffers {
  arn__buffer *top;
  uint32_t count;
} arn__buffers;

static inline arn__buffer *arn__buffer_at(const arn__buffers *set, uint32_t i) {
  return set->top - 1 - i;
}

// Follows views to the buffer that owns the bytes; adds the distances to *offset (may be NULL).
static inline uint32_t arn__buffer_root(const arn__buffers *set, uint32_t i, uint32_t *offset) {
  const arn__buffer *b = arn__buffer_at(set, i);
  while (b->kind == ARN__BUFFER_VIEW) {
    if (offset) *offset += b->offset;
    i = b->link;
    b = arn__buffer_at(set, i);
  }
  return i;
}

static inline bool arn__buffer_is_placed_kind(const arn__buffer *b) {
  return b->kind == ARN__BUFFER_TENSOR || b->kind == ARN__BUFFER_SCRATCH;
}

#endif
