// A .tflite file, read where it lies.
//
//   bytes --arn_model_open--> arn_model --arn_model_subgraph--> arn_subgraph
//                                |  \--arn_model_metadata-->      |-- arn_model_node   --> arn_node
//                                |                                 \-- arn_model_tensor
//                                \-- arn_model_index, arn_model_string, arn_tensor_data: "..._at"
//
// arn_model_open() verifies every byte that will ever be read: offsets, lengths, indices, shapes.
// After it, accessors are plain loads. Nothing is copied and nothing allocated; positions in the
// file are kept as 32-bit offsets ("..._at": bytes from the start of the file, 0 for "absent"), so
// that views are small and have the same size on every target.
// Field numbers and enum values are those of the public TFLite schema, version 3 (schema.fbs of the
// TensorFlow repository); the container is FlatBuffers, little endian.
//
// All views (arn_subgraph, arn_node, arn_tensor) are the caller's, small, and stay valid as long as
// the bytes of the file do. All functions here but arn_model_open only read: any number of threads
// may use one arn_model at once.
#ifndef ARENITE_MODEL_H
#define ARENITE_MODEL_H

#include <stdbool.h>

#include "arenite/status.h"

#ifdef __cplusplus
extern "C" {
#endif

// The most dimensions that a tensor may have; more are refused (ERR_UNSUPPORTED). A knob of no
// model seen so far: the schema sets no limit, converters stop at 8.
#define ARN_MAX_RANK 8

// Tensor element types, numbered as in the schema (TensorType). Which operator takes which type is
// in docs/operators.md; RESOURCE names a variable, VARIANT and STRING are carried but not computed
// with.
typedef enum arn_type {
  ARN_FLOAT32 = 0,
  ARN_FLOAT16 = 1,
  ARN_INT32 = 2,
  ARN_UINT8 = 3,
  ARN_INT64 = 4,
  ARN_STRING = 5,
  ARN_BOOL = 6,
  ARN_INT16 = 7,
  ARN_COMPLEX64 = 8,
  ARN_INT8 = 9,
  ARN_FLOAT64 = 10,
  ARN_COMPLEX128 = 11,
  ARN_UINT64 = 12,
  ARN_RESOURCE = 13,
  ARN_VARIANT = 14,
  ARN_UINT32 = 15,
  ARN_UINT16 = 16,
  ARN_INT4 = 17,
} arn_type;

struct arn_model;
struct arn_subgraph;
struct arn_tensor;

// A verified view of a model file: 52 bytes on a 32-bit target. Fields are for the engine; read
// them through the functions.
typedef struct arn_model {
  const uint8_t *bytes;
  uint32_t size_bytes;
  uint32_t codes_at, code_count;          // operator codes
  uint32_t subgraphs_at, subgraph_count;  // vectors of offsets to tables
  uint32_t buffers_at, buffer_count;
  uint32_t metadata_at, metadata_count;
  uint32_t signatures_at, signature_count;
  // Corrects the shape of a tensor: set by arn_model_infer_shapes, NULL where the file's are right.
  void (*infer)(const struct arn_model *, const struct arn_subgraph *, struct arn_tensor *);
} arn_model;

// A subgraph: the positions of its vectors. Nodes are in the order in which the file wants them
// run. That every tensor is written before it is read is for arn_start to check: opening does not
// know the operators.
typedef struct arn_subgraph {
  uint32_t tensors_at, tensor_count;
  uint32_t inputs_at, input_count;    // int32 tensor indices
  uint32_t outputs_at, output_count;  // int32 tensor indices
  uint32_t nodes_at, node_count;
  uint32_t name_at;
} arn_subgraph;

// A node: one operator of a subgraph. The same operator with the same tensors may occur more than
// once.
typedef struct arn_node {
  int32_t code;         // BuiltinOperator of the schema; ARN_CODE_CUSTOM for custom operators
  int32_t version;
  uint32_t name_at;     // string of a custom operator's name
  uint32_t inputs_at, input_count;    // int32 tensor indices, -1 for an absent optional one
  uint32_t outputs_at, output_count;
  uint32_t options_at;  // table of builtin options, or 0
  uint32_t options_type;
  uint32_t options2_at; // table of builtin options 2, or 0
  uint32_t custom_at, custom_bytes;   // custom options
} arn_node;

// The code of all custom operators; they are told apart by the string at name_at.
#define ARN_CODE_CUSTOM 32

// Flags of a tensor.
enum {
  ARN_TENSOR_CONST = 1,     // data in the file
  ARN_TENSOR_VARIABLE = 2,  // state of the model, kept between invocations
  ARN_TENSOR_SPARSE = 4,    // data in the file, in a sparse format
};

// What the file says about a tensor, or what follows from it (arn_model_infer_shapes). Elements lie
// row-major, the last dimension dense. Quantised values mean real = scale * (q - zero point), with
// one scale, or one for each index along quantised_axis.
typedef struct arn_tensor {
  uint8_t type;    // arn_type
  uint8_t rank;
  uint8_t flags;   // ARN_TENSOR_...
  uint8_t unknown_dims;    // count of dimensions that the file leaves open (-1)
  int32_t dims[ARN_MAX_RANK];
  uint32_t count;          // elements: product of dims (an open dimension counts as 1)
  uint32_t bytes;          // of the elements; packed for int4; 0 for strings
  uint32_t data_at, data_bytes;      // constant data in the file
  uint32_t scales_at, scale_count;   // float32 each
  uint32_t zeros_at, zero_count;     // int64 each
  int32_t quantised_axis;
  uint32_t name_at;
  int32_t index;           // in its subgraph
} arn_tensor;

// Opens a .tflite in place and verifies every byte that will ever be read. Copies nothing.
// Borrows `bytes`: must stay readable and unchanged until the last use of `model`.
// Needs: `bytes` 4-byte aligned; 16 is always right. Constant data must then be aligned for its
// type, 64-bit elements at 4 bytes (real files have them so): read those with memcpy.
// Fails: ERR_MODEL (error->what says which rule), ERR_UNSUPPORTED (rank, counts), ERR_ARGUMENT.
// On failure *model is zeroed, and every later call on it returns an error. O(size), ~200 B stack.
ARN_MUST_CHECK arn_status arn_model_open(arn_model *model, const void *bytes, size_t size_bytes,
                                         arn_error *error);

// Finds shapes that the file leaves open though they follow from it. A converter that could not
// know a shape writes a placeholder, and nodes that compute it from the shape of an input; no input
// of this engine changes its shape, so that these are constants. Afterwards arn_model_tensor gives
// the true shapes. Without this call (which costs code) such a model is refused; a model without
// placeholders is as it was. Needs: an opened model. Keeps nothing; about 1.5 KB of stack; O(nodes)
// for usual files, and it gives up on those where the search would be long.
void arn_model_infer_shapes(arn_model *model);

// Reads subgraph `index` (0 is the main one; the others are bodies of control flow).
// Fails: ERR_ARGUMENT (index outside the table, or a model that is not open); *subgraph is then
// zeroed. O(1), no aliasing.
ARN_MUST_CHECK arn_status arn_model_subgraph(const arn_model *model, uint32_t index,
                                             arn_subgraph *subgraph);

// Reads node `index` in the order of the file. Needs: index < subgraph->node_count (not checked:
// the engine asks in loops over that count). Cannot fail on an opened model. O(1).
void arn_model_node(const arn_model *model, const arn_subgraph *subgraph, uint32_t index,
                    arn_node *node);

// Reads tensor `index`. Needs: index < subgraph->tensor_count (not checked). Cannot fail on an
// opened model: shapes, element counts below 2^31 bytes, and quantisation were verified. O(rank).
void arn_model_tensor(const arn_model *model, const arn_subgraph *subgraph, uint32_t index,
                      arn_tensor *tensor);

// Returns element `i` of an int32 vector such as inputs_at: a tensor index of the same subgraph, or
// -1 where an optional input is absent. Needs: i < the count beside the position. O(1).
int32_t arn_model_index(const arn_model *model, uint32_t vector_at, uint32_t i);

// Returns the bytes of a string and its length in bytes; "" for at == 0. Borrowed from the file,
// not terminated by contract, and as hostile as the file: not necessarily UTF-8 nor printable.
// O(1).
const char *arn_model_string(const arn_model *model, uint32_t at, uint32_t *length);

// Says whether the string at `at` is `text` (terminated), byte for byte; "" where at == 0.
// O(length).
bool arn_model_string_is(const arn_model *model, uint32_t at, const char *text);

// Returns where in an int32 vector of `count` elements `value` comes first, or -1. O(count).
int32_t arn_model_index_find(const arn_model *model, uint32_t vector_at, uint32_t count,
                             int32_t value);

// Finds metadata by its exact name; returns its bytes and their count, or NULL (and 0) where there
// is no such entry or it is empty. Borrowed from the file; the first of several wins. O(entries).
const void *arn_model_metadata(const arn_model *model, const char *name, uint32_t *size_bytes);

// Returns scale `i` / zero point `i` of a tensor; 0 where the file gives none, and for an `i` past
// the end. A single zero point stands for all channels; a single scale has index 0 only. O(1).
float arn_tensor_scale(const arn_model *model, const arn_tensor *tensor, uint32_t i);
int64_t arn_tensor_zero(const arn_model *model, const arn_tensor *tensor, uint32_t i);

// Returns a constant tensor's data in the file (data_bytes of them, 4-byte aligned where its type
// needs alignment), NULL where it has none. Borrowed; for sparse tensors these are the stored
// values only.
const void *arn_tensor_data(const arn_model *model, const arn_tensor *tensor);

// Returns the bytes that an element of `type` takes; 0 for types without a fixed size (strings,
// variants) and for no type at all. INT4 says 1; two lie in a byte, so take arn_tensor.bytes for
// whole tensors.
uint32_t arn_type_bytes(arn_type type);

// Returns the schema's name of a type ("INT8") or of a builtin operator ("CONV_2D"); "?" otherwise.
// Static strings, in an object of their own: a program that does not print them does not link them.
const char *arn_type_name(arn_type type);
const char *arn_code_name(int32_t code);

#ifdef __cplusplus
}
#endif
#endif
