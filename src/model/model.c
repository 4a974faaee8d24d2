// Accessors of a verified model: plain loads (see verify.c for what has been checked).
#include "flatbuffer.h"
#include "glance.h"
#include "schema.h"

arn_status arn_model_subgraph(const arn_model *m, uint32_t index, arn_subgraph *g) {
  memset(g, 0, sizeof *g);
  if (index >= m->subgraph_count) return ARN_ERR_ARGUMENT;
  const uint32_t table = arn__fb_element(m, m->subgraphs_at, index);
  arn__fb_vector(m, table, ARN__SUBGRAPH_TENSORS, &g->tensors_at, &g->tensor_count);
  arn__fb_vector(m, table, ARN__SUBGRAPH_INPUTS, &g->inputs_at, &g->input_count);
  arn__fb_vector(m, table, ARN__SUBGRAPH_OUTPUTS, &g->outputs_at, &g->output_count);
  arn__fb_vector(m, table, ARN__SUBGRAPH_OPERATORS, &g->nodes_at, &g->node_count);
  g->name_at = arn__fb_follow(m, table, ARN__SUBGRAPH_NAME);
  return ARN_OK;
}

static int32_t code_of(const arn_model *m, const uint32_t *at) {
  const int32_t old = at[ARN__CODE_DEPRECATED] ? (int8_t)m->bytes[at[ARN__CODE_DEPRECATED]] : 0;
  const int32_t new =
      at[ARN__CODE_BUILTIN] ? (int32_t)arn__fb_u32(m, at[ARN__CODE_BUILTIN]) : 0;
  return new > old ? new : old;
}

static void read_code(const arn_model *m, uint32_t index, arn_node *node) {
  static const uint8_t widths[] = {1, 4, 4, 4};
  uint32_t at[sizeof widths];
  arn__fb_fields(m, arn__fb_element(m, m->codes_at, index), widths, sizeof widths, at);
  node->code = code_of(m, at);
  node->version = at[ARN__CODE_VERSION] ? (int32_t)arn__fb_u32(m, at[ARN__CODE_VERSION]) : 1;
  node->name_at = arn__fb_target(m, at[ARN__CODE_CUSTOM]);
}

void arn_model_node(const arn_model *m, const arn_subgraph *g, uint32_t index, arn_node *node) {
  static const uint8_t widths[] = {4, 4, 4, 1, 4, 4};
  uint32_t at[sizeof widths];
  const uint32_t table = arn__fb_element(m, g->nodes_at, index);
  arn__fb_fields(m, table, widths, sizeof widths, at);
  const uint32_t code_at = at[ARN__OPERATOR_CODE_INDEX];
  read_code(m, code_at ? arn__fb_u32(m, code_at) : 0, node);
  arn__fb_vector_at(m, at[ARN__OPERATOR_INPUTS], &node->inputs_at, &node->input_count);
  arn__fb_vector_at(m, at[ARN__OPERATOR_OUTPUTS], &node->outputs_at, &node->output_count);
  const uint32_t type_at = at[ARN__OPERATOR_OPTIONS_TYPE];
  node->options_type = type_at ? m->bytes[type_at] : 0;
  node->options_at = arn__fb_target(m, at[ARN__OPERATOR_OPTIONS]);
  node->options2_at = arn__fb_follow(m, table, ARN__OPERATOR_OPTIONS2);
  arn__fb_vector_at(m, at[ARN__OPERATOR_CUSTOM_OPTIONS], &node->custom_at, &node->custom_bytes);
}

int32_t arn__model_code(const arn_model *m, const arn_subgraph *g, uint32_t index) {
  arn_node node;
  const uint32_t table = arn__fb_element(m, g->nodes_at, index);
  read_code(m, arn__fb_field_u32(m, table, ARN__OPERATOR_CODE_INDEX, 0), &node);
  return node.code;
}

arn_type arn__model_type(const arn_model *m, const arn_subgraph *g, uint32_t index) {
  const uint32_t table = arn__fb_element(m, g->tensors_at, index);
  return (arn_type)arn__fb_field_u8(m, table, ARN__TENSOR_TYPE, 0);
}

// Reads a buffer's position: in its own vector, or (large files) at an offset behind the tables.
static void read_buffer(const arn_model *m, uint32_t index, arn_tensor *t) {
  static const uint8_t widths[] = {4, 8, 8};
  uint32_t at[sizeof widths];
  arn__fb_fields(m, arn__fb_element(m, m->buffers_at, index), widths, sizeof widths, at);
  arn__fb_vector_at(m, at[ARN__BUFFER_DATA], &t->data_at, &t->data_bytes);
  const uint32_t offset_at = at[ARN__BUFFER_OFFSET], size_at = at[ARN__BUFFER_SIZE];
  if (t->data_bytes == 0 && offset_at && size_at && arn__fb_u32(m, offset_at) > 1) {
    t->data_at = arn__fb_u32(m, offset_at);
    t->data_bytes = arn__fb_u32(m, size_at);
  }
}

// Sets dims, count and bytes. An open dimension (-1) counts as 1.
static void read_shape(const arn_model *m, uint32_t field, arn_tensor *t) {
  uint32_t first, rank;
  arn__fb_vector_at(m, field, &first, &rank);
  t->rank = (uint8_t)rank;
  t->count = 1;
  t->unknown_dims = 0;
  for (uint32_t i = 0; i < rank; i++) {
    const int32_t dim = (int32_t)arn__fb_u32(m, first + 4 * i);
    t->dims[i] = dim;
    if (dim < 0) t->unknown_dims++;
    if (dim >= 0) t->count *= (uint32_t)dim;
  }
  t->bytes = t->count * arn_type_bytes((arn_type)t->type);
  if (t->type == ARN_INT4) t->bytes = (t->count + 1) / 2;
}

static void read_quantisation(const arn_model *m, uint32_t q, arn_tensor *t) {
  static const uint8_t widths[] = {4, 4, 4, 4, 1, 4, 4};
  uint32_t at[sizeof widths];
  t->scales_at = t->scale_count = t->zeros_at = t->zero_count = 0;
  t->quantised_axis = 0;
  if (q == 0) return;
  arn__fb_fields(m, q, widths, sizeof widths, at);
  arn__fb_vector_at(m, at[ARN__QUANTISATION_SCALE], &t->scales_at, &t->scale_count);
  arn__fb_vector_at(m, at[ARN__QUANTISATION_ZERO_POINT], &t->zeros_at, &t->zero_count);
  const uint32_t axis_at = at[ARN__QUANTISATION_AXIS];
  if (axis_at) t->quantised_axis = (int32_t)arn__fb_u32(m, axis_at);
}

void arn_model_tensor(const arn_model *m, const arn_subgraph *g, uint32_t index, arn_tensor *t) {
  static const uint8_t widths[] = {4, 1, 4, 4, 4, 1, 4};
  uint32_t at[sizeof widths];
  arn__fb_fields(m, arn__fb_element(m, g->tensors_at, index), widths, sizeof widths, at);
  t->index = (int32_t)index;
  t->type = at[ARN__TENSOR_TYPE] ? m->bytes[at[ARN__TENSOR_TYPE]] : 0;
  t->flags = 0;
  read_shape(m, at[ARN__TENSOR_SHAPE], t);
  read_buffer(m, at[ARN__TENSOR_BUFFER] ? arn__fb_u32(m, at[ARN__TENSOR_BUFFER]) : 0, t);
  read_quantisation(m, arn__fb_target(m, at[ARN__TENSOR_QUANTISATION]), t);
  t->name_at = arn__fb_target(m, at[ARN__TENSOR_NAME]);
  const uint32_t variable_at = at[ARN__TENSOR_IS_VARIABLE];
  if (variable_at && m->bytes[variable_at]) t->flags |= ARN_TENSOR_VARIABLE;
  if (arn__fb_target(m, at[ARN__TENSOR_SPARSITY])) t->flags |= ARN_TENSOR_SPARSE;
  if (t->data_bytes > 0 && !(t->flags & ARN_TENSOR_VARIABLE)) t->flags |= ARN_TENSOR_CONST;
  if (m->infer) m->infer(m, g, t);
}

int32_t arn_model_index(const arn_model *m, uint32_t vector_at, uint32_t i) {
  return (int32_t)arn__fb_u32(m, vector_at + 4 * i);
}

const char *arn_model_string(const arn_model *m, uint32_t at, uint32_t *length) {
  *length = at ? arn__fb_u32(m, at) : 0;
  return at ? (const char *)m->bytes + at + 4 : "";
}

bool arn_model_string_is(const arn_model *m, uint32_t at, const char *name) {
  uint32_t length;
  const char *text = arn_model_string(m, at, &length);
  for (uint32_t i = 0; i < length; i++) {
    if (name[i] == '\0' || name[i] != text[i]) return false;
  }
  return name[length] == '\0';
}

int32_t arn_model_index_find(const arn_model *m, uint32_t at, uint32_t count, int32_t value) {
  for (uint32_t i = 0; i < count; i++) {
    if (arn_model_index(m, at, i) == value) return (int32_t)i;
  }
  return -1;
}

const void *arn_model_metadata(const arn_model *m, const char *name, uint32_t *size_bytes) {
  *size_bytes = 0;
  for (uint32_t i = 0; i < m->metadata_count; i++) {
    const uint32_t table = arn__fb_element(m, m->metadata_at, i);
    const uint32_t name_at = arn__fb_follow(m, table, ARN__METADATA_NAME);
    if (!arn_model_string_is(m, name_at, name)) continue;
    arn_tensor t;
    read_buffer(m, arn__fb_field_u32(m, table, ARN__METADATA_BUFFER, 0), &t);
    *size_bytes = t.data_bytes;
    return t.data_bytes ? m->bytes + t.data_at : NULL;
  }
  return NULL;
}

float arn_tensor_scale(const arn_model *m, const arn_tensor *t, uint32_t i) {
  float scale = 0.0f;
  if (i < t->scale_count) memcpy(&scale, m->bytes + t->scales_at + 4 * i, sizeof scale);
  return scale;
}

int64_t arn_tensor_zero(const arn_model *m, const arn_tensor *t, uint32_t i) {
  int64_t zero = 0;
  if (t->zero_count == 1) i = 0;
  if (i < t->zero_count) memcpy(&zero, m->bytes + t->zeros_at + 8 * i, sizeof zero);
  return zero;
}

bool arn__model_same_zeros(const arn_model *m, const arn_tensor *t) {
  const uint8_t *zero = m->bytes + t->zeros_at;
  const uint8_t *end = zero + 8 * (size_t)t->zero_count;
  uint32_t first[2], differs = 0;
  if (t->zero_count == 0) return true;
  memcpy(first, zero, sizeof first);
  for (; zero < end; zero += 8) {
    uint32_t word[2];
    memcpy(word, zero, sizeof word);
    differs |= (word[0] ^ first[0]) | (word[1] ^ first[1]);
  }
  return differs == 0;
}

const void *arn_tensor_data(const arn_model *m, const arn_tensor *t) {
  return (t->flags & ARN_TENSOR_CONST) ? m->bytes + t->data_at : NULL;
}

uint32_t arn_type_bytes(arn_type type) {
  static const uint8_t bytes[] = {4, 2, 4, 1, 8, 0, 1, 2, 8, 1, 8, 16, 8, 4, 4, 4, 2, 1};
  return (unsigned)type < sizeof bytes ? bytes[type] : 0;
}
