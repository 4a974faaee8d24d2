#include "host/rewrite/schema.h"

#include <stddef.h>

// Names in field order, for the reader; kinds as in schema.h.

static const arn_fbtype option_types[] = {
#define OPTIONS(name, fields) {#name, fields, 0, 0, 0},
#define OPTIONS2(name, fields)
#include "host/rewrite/schema.def"
#undef OPTIONS
#undef OPTIONS2
};

static const arn_fbtype option2_types[] = {
#define OPTIONS(name, fields)
#define OPTIONS2(name, fields) {#name, fields, 0, 0, 0},
#include "host/rewrite/schema.def"
#undef OPTIONS
#undef OPTIONS2
};

#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))
#define PARTS(...) ((const arn_fbtype *const[]){__VA_ARGS__})
#define TABLE(label, kinds) {.name = label, .fields = kinds}
#define TABLE_OF(label, kinds, ...) {.name = label, .fields = kinds, .parts = PARTS(__VA_ARGS__)}
#define UNION_OF(label, list) \
  {.name = label, .members = list, .member_count = (uint32_t)COUNT_OF(list)}

const arn_fbtype arn__schema_options = UNION_OF("BuiltinOptions", option_types);
const arn_fbtype arn__schema_options2 = UNION_OF("BuiltinOptions2", option2_types);

const char *arn__schema_option_fields(int32_t type) {
  if (type > 0 && type < ARN_OPTIONS_END) return option_types[type - 1].fields;
  if (type > ARN_OPTIONS2 && type < ARN_OPTIONS2_END) {
    return option2_types[type - ARN_OPTIONS2 - 1].fields;
  }
  return NULL;
}

static const arn_fbtype quantisation_details[] = {TABLE("CustomQuantization", "a")};
static const arn_fbtype details_union = UNION_OF("QuantizationDetails", quantisation_details);

// min, max, scale, zero_point, details, quantized_dimension
static const arn_fbtype quantisation = TABLE_OF("QuantizationParameters", "wwwdu4", &details_union);

static const arn_fbtype sparse_vectors[] = {
    TABLE("Int32Vector", "w"), TABLE("Uint16Vector", "h"), TABLE("Uint8Vector", "b")};
static const arn_fbtype sparse_union = UNION_OF("SparseIndexVector", sparse_vectors);

// format, dense_size, array_segments, array_indices
static const arn_fbtype dimension =
    TABLE_OF("DimensionMetadata", "14uu", &sparse_union, &sparse_union);

// traversal_order, block_map, dim_metadata
static const arn_fbtype sparsity = TABLE_OF("SparsityParameters", "wwT", &dimension);

// shape, type, has_rank
static const arn_fbtype variant = TABLE("VariantSubType", "w11");

// shape, type, buffer, name, quantization, is_variable, sparsity, shape_signature, has_rank,
// variant_tensors
static const arn_fbtype tensor =
    TABLE_OF("Tensor", "w14st1tw1T", &quantisation, &sparsity, &variant);

// deprecated_builtin_code, custom_code, version, builtin_code
static const arn_fbtype operator_code = TABLE("OperatorCode", "1s44");

// opcode_index, inputs, outputs, builtin_options, custom_options, custom_options_format,
// mutating_variable_inputs, intermediates, large_custom_options_offset and _size, builtin_options_2
static const arn_fbtype operation = TABLE_OF("Operator", "4wwub1bw88u", &arn__schema_options,
                                             &arn__schema_options2);

// tensors, inputs, outputs, operators, name
static const arn_fbtype subgraph = TABLE_OF("SubGraph", "TwwTs", &tensor, &operation);

// data, offset, size
static const arn_fbtype buffer = TABLE("Buffer", "a88");

// name, buffer
static const arn_fbtype metadata = TABLE("Metadata", "s4");

// name, tensor_index
static const arn_fbtype tensor_map = TABLE("TensorMap", "s4");

// inputs, outputs, signature_key, deprecated_tag, subgraph_index
static const arn_fbtype signature = TABLE_OF("SignatureDef", "TTs-4", &tensor_map, &tensor_map);

// version, operator_codes, subgraphs, description, buffers, metadata_buffer, metadata,
// signature_defs
const arn_fbtype arn__schema_model = TABLE_OF("Model", "4TTsTwTT", &operator_code, &subgraph,
                                              &buffer, &metadata, &signature);
