// Status codes, and the record that says what failed.
//
// Every call that can fail returns an arn_status: ARN_OK is 0, errors are negative. ARN_STOPPED is
// positive: nothing failed, but an operator asked that this invocation end early.
// An arn_error is a caller-owned record of plain numbers. The first error of a call is kept. Text
// is made from it by arn_error_format(), in an object of its own: a device that never calls it does
// not link the texts, and can send the numbers to the host instead (`arenite explain`).
#ifndef ARENITE_STATUS_H
#define ARENITE_STATUS_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define ARN_MUST_CHECK __attribute__((warn_unused_result))
#else
#define ARN_MUST_CHECK
#endif

// X(name, value, sentence)
#define ARN_STATUS_LIST(X)                                                                \
  X(OK, 0, "no error")                                                                    \
  X(STOPPED, 1, "an operator asked to stop this invocation; outputs so far are valid")    \
  X(ERR_ARGUMENT, -1, "an argument of the call is wrong")                                 \
  X(ERR_MODEL, -2, "the model file is broken")                                            \
  X(ERR_UNSUPPORTED, -3, "the model is valid but uses something not supported here")      \
  X(ERR_NO_OP, -4, "an operator of the model is not registered in the operator list")     \
  X(ERR_NO_MEMORY, -5, "the arena is too small")                                          \
  X(ERR_NOT_READY, -6, "the interpreter was not started, or its start failed")            \
  X(ERR_DATA, -7, "a value computed or given at run time is out of range")                \
  X(ERR_PLAN, -8, "the memory plan does not fit this model")                              \
  X(ERR_ABORTED, -9, "a hook asked to abort")                                             \
  X(ERR_INTERNAL, -10, "an internal check failed: please report this")

typedef enum arn_status {
#define ARN__STATUS_ENUM(name, value, sentence) ARN_##name = value,
  ARN_STATUS_LIST(ARN__STATUS_ENUM)
#undef ARN__STATUS_ENUM
} arn_status;

// What exactly went wrong: X(name, sentence). `need` and `have` of the error are explained in each
// sentence where they mean something.
#define ARN_WHAT_LIST(X)                                                                  \
  X(NONE, "no detail")                                                                    \
  X(NULL_POINTER, "a required pointer is NULL")                                           \
  X(ALIGNMENT, "the address or alignment is not a multiple of what is needed")            \
  X(INDEX, "an index is outside its table")                                               \
  X(NAME, "no such name")                                                                 \
  X(SIZE, "a size does not match")                                                        \
  X(FILE_TOO_SMALL, "the file is shorter than its header")                                \
  X(FILE_TOO_LARGE, "the file is larger than 2 GiB")                                      \
  X(IDENTIFIER, "the file identifier is not TFL3: this is not a .tflite file")            \
  X(SCHEMA_VERSION, "the schema version is not 3")                                        \
  X(OFFSET, "an offset in the file points outside it")                                    \
  X(TABLE, "a table in the file is malformed")                                            \
  X(VECTOR, "a vector in the file is longer than the file")                               \
  X(STRING, "a string in the file is malformed")                                          \
  X(NO_SUBGRAPH, "the file holds no subgraph")                                            \
  X(SUBGRAPH_INDEX, "a subgraph index is outside the table of subgraphs")                 \
  X(SUBGRAPH_CYCLE, "subgraphs call each other in a circle, or too deep")                 \
  X(BUFFER_INDEX, "a tensor names a buffer that does not exist")                          \
  X(BUFFER_SIZE, "the buffer of a constant tensor has not the size its shape needs")      \
  X(BUFFER_ALIGNMENT, "the data of a constant tensor is not aligned for its type")        \
  X(TENSOR_INDEX, "an operator names a tensor that does not exist")                       \
  X(TENSOR_REQUIRED, "an operator lacks a tensor that it requires")                       \
  X(TENSOR_CONSTANT, "a tensor that must be constant is not")                             \
  X(TENSOR_WRITTEN_TWICE, "a tensor is written by two operators, or is not writable")     \
  X(TENSOR_NOT_PRODUCED, "a tensor is read before any operator has written it")           \
  X(TENSOR_VARIABLE, "a state tensor must be a variable tensor")                          \
  X(OPCODE_INDEX, "an operator names an operator code that does not exist")               \
  X(RANK, "the rank of a tensor is not supported")                                        \
  X(DIMENSION, "a dimension is negative, unknown or too large")                           \
  X(SHAPE, "shapes do not fit together")                                                  \
  X(TYPE, "this operator does not take tensors of this type")                             \
  X(TYPES_DIFFER, "the types of the tensors do not go together")                          \
  X(QUANTISATION, "quantisation parameters are missing or malformed")                     \
  X(SCALE, "a scale is not a positive finite number")                                     \
  X(ZERO_POINT, "a zero point is not allowed here")                                       \
  X(OPTION, "an option of the operator is missing or out of range")                       \
  X(ACTIVATION, "this fused activation is not supported by the operator")                 \
  X(STRIDE, "a stride, filter size, dilation or block size is zero or too large")         \
  X(AXIS, "an axis is outside the rank of the tensor")                                    \
  X(INPUT_COUNT, "the operator has the wrong number of inputs")                           \
  X(OUTPUT_COUNT, "the operator has the wrong number of outputs")                         \
  X(CUSTOM_OPTIONS, "the custom options of the operator are malformed")                   \
  X(SPARSITY, "the sparsity description of a tensor is malformed or not supported")       \
  X(OP_NOT_REGISTERED, "the operator exists but is not in the application's list")        \
  X(OP_NOT_SUPPORTED, "no kernel for this operator exists")                               \
  X(OP_FLEX, "a TensorFlow (Flex) operator: convert without SELECT_TF_OPS")               \
  X(OP_VENDOR, "an operator for a vendor's accelerator or delegate")                      \
  X(OP_CUSTOM, "a custom operator that is not registered")                                \
  X(LIMIT, "more of something than this engine can count")                                \
  X(ARENA_RECORDS, "no room for the engine's records: bytes needed, bytes there")         \
  X(ARENA_STATE, "no room for the prepared data of an operator: bytes needed, there")     \
  X(ARENA_VARIABLE, "no room for a variable: bytes needed, bytes there")                  \
  X(ARENA_WEIGHTS, "no room for weights to be copied: bytes needed, bytes there")         \
  X(ARENA_PREPARE, "no room for the temporary records of planning: needed, there")        \
  X(ARENA_TENSOR, "no room for a tensor: arena bytes needed, bytes there")                \
  X(ARENA_SCRATCH, "no room for the scratch of an operator: bytes needed, there")         \
  X(VARIABLE, "a resource variable is used with different types or sizes")                \
  X(DATA_INDEX, "an index tensor holds a value outside the range it indexes")             \
  X(DATA_DIVISOR, "a divisor is zero")                                                    \
  X(DATA_VALUE, "an input value is outside the domain of the operator")                   \
  X(LOOP, "a loop ran longer than the configured limit")                                  \
  X(HOOK, "a hook returned an error")                                                     \
  X(PLAN_COUNT, "the plan lists another number of tensors than the model has")            \
  X(PLAN_VERSION, "the plan has another format version")                                  \
  X(PLAN_OFFSET, "the plan places a tensor at an impossible offset")                      \
  X(PLAN_OVERLAP, "the plan lets two tensors that live together overlap")                 \
  X(PLAN_MODEL, "the plan was made for another model")                                    \
  X(PLAN_ENGINE, "the plan was made for another version of the engine")                   \
  X(PLAN_UNLINKED, "a plan of the file's needs arn_op_list.plans, &arn_file_plans")        \
  X(PLAN_STEP, "the plan's steps are out of order or out of range")                       \
  X(TENSOR_DEAD, "the tensor's memory has been given to another tensor by now")           \
  X(STREAM, "the plan hands rows over through a callback that the configuration lacks")

typedef enum arn_what {
#define ARN__WHAT_ENUM(name, sentence) ARN_WHAT_##name,
  ARN_WHAT_LIST(ARN__WHAT_ENUM)
#undef ARN__WHAT_ENUM
} arn_what;

#define ARN_NOWHERE (-1)

typedef struct arn_error {
  arn_status status;
  arn_what what;
  int32_t subgraph;     // or ARN_NOWHERE
  int32_t node;         // index in the subgraph, or ARN_NOWHERE
  int32_t tensor;       // index in the subgraph, or ARN_NOWHERE
  uint32_t need;        // what the failing request needs (bytes, or as `what` says)
  uint32_t have;        // what was there
  uint32_t total_need;  // ERR_NO_MEMORY: whole arena bytes that a start needs; 0 where unknown
} arn_error;

// Returns "ARN_ERR_MODEL" and the like; "ARN_?" for a number that is no status.
const char *arn_status_name(arn_status status);

// Returns the sentence for `what`; "unknown" for a number out of range.
const char *arn_what_text(arn_what what);

// Writes one sentence about `error` into `text` (cut to `size_bytes`, always terminated where
// size_bytes > 0) and returns the length that the whole sentence has. Needs no model: names are
// given as numbers. `error` may be NULL (an empty text).
size_t arn_error_format(const arn_error *error, char *text, size_t size_bytes);

#ifdef __cplusplus
}
#endif
#endif
