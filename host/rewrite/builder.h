// Building a .tflite file: schema version 3, valid for TensorFlow Lite and TFLite Micro.
//
//   arn_builder *b = arn_builder_new();
//   arn_builder_subgraph(b, "main");
//   int32_t in = arn_builder_tensor(b, &(arn_build_tensor){.name = "in", .type = ARN_INT8,
//                                   .rank = 2, .shape = {1, 8}, .quant = {.count = 1, ...}});
//   ...
//   arn_builder_operator(b, &(arn_build_operator){.code = ARN_BUILTIN_SOFTMAX, .version = 2,
//                        .options.type = ARN_OPTIONS_SOFTMAX, .options.values = {1}, ...});
//   arn_builder_io(b, &in, 1, &out, 1);
//   if (!arn_builder_save(b, "x.tflite")) puts(arn_builder_error(b));
//
// Everything handed in is checked and copied; nothing is borrowed beyond the call. The first error
// is kept: later calls do nothing and return -1, so a program may check once, at the end. The same
// calls always give the same bytes. Constant data is stored once however many tensors use it,
// aligned to 16 bytes in the file; buffer 0 is empty and belongs to all tensors without data.
#ifndef ARENITE_HOST_REWRITE_BUILDER_H
#define ARENITE_HOST_REWRITE_BUILDER_H

#include "arenite/model.h"
#include "host/rewrite/schema.h"

enum {
  ARN_BUILD_MAX_RANK = ARN_MAX_RANK,
  ARN_BUILD_MAX_NAME = 1024,      // bytes of a name
  ARN_BUILD_MAX_LIST = 4096,      // inputs or outputs of an operator or a subgraph
  ARN_BUILD_MAX_ITEMS = 1 << 20,  // tensors, operators, buffers ... of a file
  ARN_BUILD_MAX_OPTIONS = 12,     // scalar fields of builtin options
  ARN_BUILD_MAX_LISTS = 9,        // vector fields
};

typedef struct arn_builder arn_builder;

// Affine quantisation: value = scale * (q - zero_point). count 0: the tensor has none; 1: one for
// the whole tensor; else one for each index of dimension `axis`.
typedef struct arn_build_quant {
  const float *scales;         // positive and finite
  const int64_t *zero_points;  // NULL: all zero
  uint32_t count;
  int32_t axis;
} arn_build_quant;

typedef struct arn_build_tensor {
  const char *name;
  arn_type type;
  uint32_t rank;  // 0: a scalar
  int32_t shape[ARN_BUILD_MAX_RANK];
  const void *data;  // NULL: not a constant
  size_t data_bytes;  // must be what type and shape say, where the type has a fixed size
  arn_build_quant quant;
  bool is_variable;
} arn_build_tensor;

// The values of a vector field; NULL: the field is absent.
typedef struct arn_build_list {
  const int32_t *values;
  uint32_t count;
} arn_build_list;

// Builtin options: their type code and the values of their fields in schema order (schema.def names
// them). Scalars of every kind, flags and enums included, are given as double; vector fields, of
// whatever width, take `lists`, string fields take `texts`.
typedef struct arn_build_options {
  int32_t type;  // ARN_OPTIONS_... or ARN_OPTIONS2_..., 0: none
  double values[ARN_BUILD_MAX_OPTIONS];
  arn_build_list lists[ARN_BUILD_MAX_LISTS];
  const char *texts[2];
} arn_build_options;

// An operator reads and writes tensors by number; -1 is an absent optional input.
typedef struct arn_build_operator {
  int32_t code;             // ARN_BUILTIN_... or any BuiltinOperator of the schema
  const char *custom_name;  // required if code is ARN_BUILTIN_CUSTOM, else NULL
  int32_t version;          // 0 stands for 1
  const int32_t *inputs;
  uint32_t input_count;
  const int32_t *outputs;
  uint32_t output_count;
  const int32_t *intermediates;
  uint32_t intermediate_count;
  arn_build_options options;
  const void *custom_options;
  size_t custom_bytes;
} arn_build_operator;

// A name for a tensor, in a signature.
typedef struct arn_build_alias {
  const char *name;
  int32_t tensor;
} arn_build_alias;

typedef struct arn_build_signature {
  const char *key;
  int32_t subgraph;
  const arn_build_alias *inputs;
  uint32_t input_count;
  const arn_build_alias *outputs;
  uint32_t output_count;
} arn_build_signature;

// Returns an empty model; NULL if there is no memory. Every other function allows a NULL builder.
arn_builder *arn_builder_new(void);
void arn_builder_free(arn_builder *builder);

// Returns the first error as a sentence, NULL while there is none. Owned by the builder.
const char *arn_builder_error(const arn_builder *builder);

// Sets the description of the model.
void arn_builder_describe(arn_builder *builder, const char *description);

// Begins a subgraph, to which the following calls add. The first one is the main one. All return
// the index of what they added, -1 after an error.
int32_t arn_builder_subgraph(arn_builder *builder, const char *name);
int32_t arn_builder_tensor(arn_builder *builder, const arn_build_tensor *tensor);
int32_t arn_builder_operator(arn_builder *builder, const arn_build_operator *operation);

// Sets the inputs and outputs of the current subgraph.
void arn_builder_io(arn_builder *builder, const int32_t *inputs, uint32_t input_count,
                    const int32_t *outputs, uint32_t output_count);

// Adds a signature, or a named block of metadata, to the model.
int32_t arn_builder_signature(arn_builder *builder, const arn_build_signature *signature);
int32_t arn_builder_metadata(arn_builder *builder, const char *name, const void *data,
                             size_t bytes);

// Writes the file into memory that the caller frees with free(), or to `path`. May be called again,
// and after more was added. Fails: false, with the reason in arn_builder_error: an earlier error, a
// reference to a tensor or subgraph that does not exist, no subgraph, no memory, 2 GiB exceeded.
bool arn_builder_finish(arn_builder *builder, uint8_t **bytes, size_t *size);
bool arn_builder_save(arn_builder *builder, const char *path);

#endif
