// What data-movement operators share: reading their index inputs, and moving bytes between tensors
// whose rows may be scattered.
#ifndef ARENITE_SRC_OPS_MOVEMENT_H
#define ARENITE_SRC_OPS_MOVEMENT_H

#include "../graph/rows.h"
#include "../kernels/move.h"
#include "arenite/op.h"

// Returns early where a call fails.
#define ARN__TRY(call)                     \
  do {                                     \
    const arn_status status_ = (call);     \
    if (status_ != ARN_OK) return status_; \
  } while (0)

// Types whose elements are whole bytes and may be moved without knowing what they mean.
#define ARN__MOVEMENT_TYPES                                                                     \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_FLOAT16) | ARN_TYPE_BIT(ARN_INT32) |            \
   ARN_TYPE_BIT(ARN_UINT8) | ARN_TYPE_BIT(ARN_INT64) | ARN_TYPE_BIT(ARN_BOOL) |                 \
   ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_COMPLEX64) | ARN_TYPE_BIT(ARN_INT8) |             \
   ARN_TYPE_BIT(ARN_FLOAT64) | ARN_TYPE_BIT(ARN_COMPLEX128) | ARN_TYPE_BIT(ARN_UINT64) |        \
   ARN_TYPE_BIT(ARN_UINT32) | ARN_TYPE_BIT(ARN_UINT16))

// ---- prepare ------------------------------------------------------------------------------------

// Reads input `input` and output 0, of the same type, which must be one of p->op->types.
// Fails: TYPE, TYPES_DIFFER, and as arn_prepare_input.
ARN_MUST_CHECK arn_status arn__movement_pair(const arn_prepare *p, uint32_t input, arn_tensor *in,
                                             arn_tensor *out);

// An index input (axis, shape, begin, paddings, ...): int32 or int64 values.
typedef struct arn__index {
  const void *data;  // in the file; NULL where the values are only known at run time
  uint8_t type;      // arn_type
  uint32_t count;
} arn__index;

// Reads index input `i`. Fails: TYPE (neither int32 nor int64), SHAPE (more than two dimensions).
// So an index tensor is always contiguous, even in a node that runs by rows.
ARN_MUST_CHECK arn_status arn__movement_index(const arn_prepare *p, uint32_t i, arn__index *index);

// Returns value `i` of index data; values beyond int32 are clamped to its ends.
int32_t arn__index_at(const void *data, uint32_t type, uint32_t i);

// Reads a constant axis from input `i` (a scalar, or one element) and makes it positive.
// Fails: TENSOR_CONSTANT (known only at run time), AXIS (outside [-rank, rank)), SHAPE.
ARN_MUST_CHECK arn_status arn__movement_axis_input(const arn_prepare *p, uint32_t i, uint32_t rank,
                                                   uint32_t *axis);

// Makes an axis positive. Fails: AXIS.
ARN_MUST_CHECK arn_status arn__movement_axis(const arn_prepare *p, int32_t value, uint32_t rank,
                                             uint32_t *axis);

// Returns the product of dims [from, to), 1 where the range is empty.
uint32_t arn__movement_product(const arn_tensor *t, uint32_t from, uint32_t to);

// Returns the rows that a node with this output may be cut into: those of the output, or 1 where
// there are more than the engine counts.
uint32_t arn__movement_rows(const arn_tensor *out);

// Says that the node runs by the rows of its output.
void arn__movement_by_rows(arn_prepare *p, const arn_tensor *out);

// ---- eval ---------------------------------------------------------------------------------------

// Returns the address of byte `at` of a tensor. What follows it in the same row follows in memory.
static inline uint8_t *arn__movement_at(const arn_rows *rows, uint32_t at) {
  if (rows->table == NULL) return rows->base + at;
  return rows->base + rows->table[at / rows->row_bytes] + at % rows->row_bytes;
}

// Copies `count` bytes from byte `from` of one tensor to byte `to` of another, across row
// boundaries of either. Where both addresses are the same, there is nothing to copy.
void arn__movement_copy(const arn_rows *target, uint32_t to, const arn_rows *source, uint32_t from,
                        uint32_t count);

// Returns the span of rows, `row_bytes` each, that bytes [from, to) lie in.
static inline arn_span arn__movement_span(uint32_t from, uint32_t to, uint32_t row_bytes) {
  if (from >= to) return (arn_span){0, 0};
  const uint32_t first = from / row_bytes;
  return (arn_span){first, (to - 1) / row_bytes - first + 1};
}

// The `rows` of operators whose inputs beyond 0 are single rows: sets the answer for those and
// returns true; false where `input` is 0 and the operator must answer.
static inline bool arn__movement_is_index(uint32_t input, arn_span *in) {
  *in = (arn_span){0, 1};
  return input > 0;
}

#endif
