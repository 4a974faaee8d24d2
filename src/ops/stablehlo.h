// What operators of StableHLO share: their options (BuiltinOptions2), which are lists of 64-bit
// numbers where a builtin operator has constant inputs, and the computation of one node that a
// subgraph of theirs stands for.
#ifndef ARENITE_SRC_OPS_STABLEHLO_H
#define ARENITE_SRC_OPS_STABLEHLO_H

#include "movement.h"
#include "reducer.h"

// Returns field `id` of the node's options; `otherwise` where options or field are absent. Values
// beyond int32 are clamped to its ends.
int32_t arn__shlo_i64(const arn_prepare *p, uint32_t id, int32_t otherwise);
int32_t arn__shlo_i32(const arn_prepare *p, uint32_t id, int32_t otherwise);

// Reads a list of at most ARN_MAX_RANK numbers, clamped likewise; an absent one has none.
// Fails: OPTION (more numbers, or not inside the file).
ARN_MUST_CHECK arn_status arn__shlo_list(const arn_prepare *p, uint32_t id, int32_t *values,
                                         uint32_t *count);

// Reads a list of `count` numbers in [low, INT32_MAX); an absent one is `otherwise`, everywhere.
// `most` is ARN_MAX_RANK, or 2 * ARN_MAX_RANK. Fails: OPTION.
ARN_MUST_CHECK arn_status arn__shlo_numbers(const arn_prepare *p, uint32_t id, uint32_t count,
                                            int32_t low, int32_t otherwise, int32_t *values);

// Reads a list of different dimensions in [0, rank). Fails: OPTION, AXIS.
ARN_MUST_CHECK arn_status arn__shlo_axes(const arn_prepare *p, uint32_t id, uint32_t rank,
                                         int32_t *axes, uint32_t *count);

// Checks that two tensors stand for the same numbers: equal scales and zero points, or none.
// Fails: QUANTISATION.
ARN_MUST_CHECK arn_status arn__shlo_same_scale(const arn_prepare *p, const arn_tensor *a,
                                               const arn_tensor *b);

// What the computation of a reduction or a scatter does with two values.
typedef enum arn__shlo_body {
  ARN__SHLO_NONE = 0,
  ARN__SHLO_ADD,
  ARN__SHLO_MULTIPLY,
  ARN__SHLO_MINIMUM,
  ARN__SHLO_MAXIMUM,
  ARN__SHLO_ALL,     // of bool: and
  ARN__SHLO_ANY,     // of bool: or
  ARN__SHLO_UPDATE,  // the second value
} arn__shlo_body;

// Says what subgraph `index`, of two values of `type`, computes: one node of ADD, MUL, MINIMUM,
// MAXIMUM, LOGICAL_AND or LOGICAL_OR (or the same of StableHLO) over its two inputs, or no node and
// the second input. Fails: SUBGRAPH_INDEX, TYPES_DIFFER, OPTION (another computation).
ARN_MUST_CHECK arn_status arn__shlo_read_body(const arn_prepare *p, int32_t index, uint32_t type,
                                              arn__shlo_body *body);

// The index tensor of a gather or scatter: vectors of `components` numbers along one dimension of
// it, one vector for each place in the others ("batch").
typedef struct arn__shlo_indices {
  uint8_t type;
  uint8_t rank;              // of the batch
  uint8_t components;
  bool is_flat;              // never scattered by rows
  uint32_t component_stride; // elements
  int32_t dims[ARN_MAX_RANK];
  uint32_t strides[ARN_MAX_RANK];
} arn__shlo_indices;

// Reads input 1, whose vectors lie along dimension `vector_dim` (its rank: each element is one).
// Fails: TYPE (neither int32 nor int64), OPTION.
ARN_MUST_CHECK arn_status arn__shlo_read_indices(const arn_prepare *p, int32_t vector_dim,
                                                 arn__shlo_indices *indices);

// Checks that what a computation other than the second value is given are numbers of one kind: sums
// and products of no scale, the others of the same. Fails: QUANTISATION.
ARN_MUST_CHECK arn_status arn__shlo_check_scales(const arn_prepare *p, arn__shlo_body body,
                                                 const arn_tensor *a, const arn_tensor *b);

// Says whether there is a kernel for a computation (not UPDATE) of values of `type`; sets how:
// accumulators have the type of the values, and `identity` is 0, to be set by the caller.
bool arn__shlo_reducer(arn__shlo_body body, uint32_t type, arn__reducer *how);

// Returns the bytes of an initial value, in the low bytes of the result; true is 1.
uint64_t arn__shlo_initial(const void *value, const arn__reducer *how);

#endif
