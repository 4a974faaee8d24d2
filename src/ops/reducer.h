// What reductions and pools have in common: how values of one type are folded into accumulators and
// become outputs, and accumulators on the stack.
#ifndef ARENITE_SRC_OPS_REDUCER_H
#define ARENITE_SRC_OPS_REDUCER_H

#include "../kernels/reduce.h"

// How one operator folds one type. Operators keep a constant list, one entry a type.
typedef struct arn__reducer {
  arn__reduce_fold *fold;
  arn__reduce_store *store;
  uint64_t identity;     // the bytes of an accumulator that nothing was folded into
  uint8_t type;          // arn_type
  uint8_t in_bytes, acc_bytes, out_bytes;  // of an element
} arn__reducer;

enum { ARN__REDUCER_BLOCK_BYTES = 256 };

// A block of accumulators on the stack.
typedef union arn__reducer_block {
  int8_t s8[ARN__REDUCER_BLOCK_BYTES];
  int16_t s16[ARN__REDUCER_BLOCK_BYTES / 2];
  int32_t s32[ARN__REDUCER_BLOCK_BYTES / 4];
  int64_t s64[ARN__REDUCER_BLOCK_BYTES / 8];
  float f32[ARN__REDUCER_BLOCK_BYTES / 4];
} arn__reducer_block;

// Returns the entry of `type`. Needs: the list has one (prepare has checked the type).
static inline const arn__reducer *arn__reducer_find(const arn__reducer *list, uint32_t type) {
  while (list->type != type) list++;
  return list;
}

// Sets `count` accumulators to the identity.
void arn__reducer_clear(const arn__reducer *how, void *acc, uint32_t count);

#endif
