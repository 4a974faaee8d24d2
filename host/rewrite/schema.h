// The public TFLite schema, version 3, as data.
//
// One line describes a table: the kinds of its fields, in the order of their numbers. The writer of
// operator options (builder), and the copier of whole sub-tables (fbcopy), both work from these
// lines, so that a new kind of options is one line in schema.def and nothing else.
//
//   1 2 4 8   scalar of that many bytes          f    32-bit float
//   b h w d   vector of 1-, 2-, 4-, 8-byte scalars    a    vector of bytes, 16-byte aligned
//   s         string                              -    deprecated: not written, not copied
//   t T       table, vector of tables: of the next of `parts`
//   u         union of the next of `parts`; takes two field numbers, its type and its value
#ifndef ARENITE_HOST_REWRITE_SCHEMA_H
#define ARENITE_HOST_REWRITE_SCHEMA_H

#include <stdint.h>

typedef struct arn_fbtype {
  const char *name;
  const char *fields;                     // NULL for a union
  const struct arn_fbtype *const *parts;  // types of the fields t, T and u, in order
  const struct arn_fbtype *members;       // of a union: member with type code 1 first
  uint32_t member_count;
} arn_fbtype;

extern const arn_fbtype arn__schema_model;
extern const arn_fbtype arn__schema_options;   // union BuiltinOptions
extern const arn_fbtype arn__schema_options2;  // union BuiltinOptions2

// Operators that the builders of this project use, numbered as in the schema; it has more, and
// arn_build_operator takes any number.
enum {
  ARN_BUILTIN_ADD = 0,
  ARN_BUILTIN_AVERAGE_POOL_2D = 1,
  ARN_BUILTIN_CONCATENATION = 2,
  ARN_BUILTIN_CONV_2D = 3,
  ARN_BUILTIN_DEPTHWISE_CONV_2D = 4,
  ARN_BUILTIN_DEQUANTIZE = 6,
  ARN_BUILTIN_FULLY_CONNECTED = 9,
  ARN_BUILTIN_LOGISTIC = 14,
  ARN_BUILTIN_MAX_POOL_2D = 17,
  ARN_BUILTIN_MUL = 18,
  ARN_BUILTIN_RELU = 19,
  ARN_BUILTIN_RESHAPE = 22,
  ARN_BUILTIN_RESIZE_BILINEAR = 23,
  ARN_BUILTIN_SOFTMAX = 25,
  ARN_BUILTIN_CUSTOM = 32,
  ARN_BUILTIN_PAD = 34,
  ARN_BUILTIN_TRANSPOSE = 39,
  ARN_BUILTIN_MEAN = 40,
  ARN_BUILTIN_STRIDED_SLICE = 45,
  ARN_BUILTIN_RESIZE_NEAREST_NEIGHBOR = 97,
  ARN_BUILTIN_QUANTIZE = 114,
  ARN_BUILTIN_PLACEHOLDER = 127,  // what the one-byte code field says for codes above it
};

enum { ARN_PADDING_SAME = 0, ARN_PADDING_VALID = 1 };
enum { ARN_ACTIVATION_NONE = 0, ARN_ACTIVATION_RELU = 1, ARN_ACTIVATION_RELU6 = 3 };

// Type codes of the union BuiltinOptions: ARN_OPTIONS_CONV_2D and the rest; those of the union
// BuiltinOptions2 are ARN_OPTIONS2 larger here.
enum {
  ARN_OPTIONS_NONE = 0,
#define OPTIONS(name, fields) ARN_OPTIONS_##name,
#define OPTIONS2(name, fields)
#include "host/rewrite/schema.def"
#undef OPTIONS
#undef OPTIONS2
  ARN_OPTIONS_END,
  ARN_OPTIONS2 = 1000,
#define OPTIONS(name, fields)
#define OPTIONS2(name, fields) ARN_OPTIONS2_##name,
#include "host/rewrite/schema.def"
#undef OPTIONS
#undef OPTIONS2
  ARN_OPTIONS2_END
};

// Returns the fields of a type of options, as above; NULL where there is no such type.
const char *arn__schema_option_fields(int32_t type);

#endif
