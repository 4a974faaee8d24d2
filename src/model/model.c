// Accessors of a verified model: plain loads (see verify.c for what has been checked).
#include "flatbuffer.h"
#include "glance.h"
#include "schema.h"

arn_status arn_model_subgraph(const arn_model *m, uint32_t index, arn_subgraph *g) {
  if (index >= m->subgraph_count) {
    memset(g, 0, sizeof *g);
    return ARN_ERR_ARGUMENT;
  }
  const arn__fb_table t = arn__fb_open(m, arn__fb_element(m, m->subgraphs_at, index));
  arn__fb_find_vector(m, &t, ARN__SUBGRAPH_TENSORS, &g->tensors_at, &g->tensor_count);
  arn__fb_find_vector(m, &t, ARN__SUBGRAPH_INPUTS, &g->inputs_at, &g->input_count);
  arn__fb_find_vector(m, &t, ARN__SUBGRAPH_OUTPUTS, &g->outputs_at, &g->output_count);
  arn__fb_find_vector(m, &t, ARN__SUBGRAPH_OPERATORS, &g->nodes_at, &g->node_count);
  g->name_at = arn__fb_find_target(m, &t, ARN__SUBGRAPH_NAME);
  return ARN_OK;
}

static uint32_t find_u32(const arn__fb_table *t, uint32_t id, uint32_t otherwise) {
  const uint8_t *at = arn__fb_find(t, id);
  return at ? arn__fb_load_u32(at) : otherwise;
}

static uint32_t find_u8(const arn__fb_table *t, uint32_t id) {
  const uint8_t *at = arn__fb_find(t, id);
  return at ? *at : 0;
}

// The operator of a code: old files have it in a byte.
static int32_t code_of(const arn__fb_table *t) {
  const int32_t old = (int8_t)find_u8(t, ARN__CODE_DEPRECATED);
  const int32_t new = (int32_t)find_u32(t, ARN__CODE_BUILTIN, 0);
  return new > old ? new : old;
}

void arn_model_node(const arn_model *m, const arn_subgraph *g, uint32_t index, arn_node *node) {
  const arn__fb_table t = arn__fb_open(m, arn__fb_element(m, g->nodes_at, index));
  const uint32_t code = find_u32(&t, ARN__OPERATOR_CODE_INDEX, 0);
  const arn__fb_table c = arn__fb_open(m, arn__fb_element(m, m->codes_at, code));
  node->code = code_of(&c);
  node->version = (int32_t)find_u32(&c, ARN__CODE_VERSION, 1);
  node->name_at = arn__fb_find_target(m, &c, ARN__CODE_CUSTOM);
  arn__fb_find_vector(m, &t, ARN__OPERATOR_INPUTS, &node->inputs_at, &node->input_count);
  arn__fb_find_vector(m, &t, ARN__OPERATOR_OUTPUTS, &node->outputs_at, &node->output_count);
  node->options_type = find_u8(&t, ARN__OPERATOR_OPTIONS_TYPE);
  node->options_at = arn__fb_find_target(m, &t, ARN__OPERATOR_OPTIONS);
  node->options2_at = arn__fb_find_target(m, &t, ARN__OPERATOR_OPTIONS2);
  arn__fb_find_vector(m, &t, ARN__OPERATOR_CUSTOM_OPTIONS, &node->custom_at, &node->custom_bytes);
}

int32_t arn__model_code(const arn_model *m, const arn_subgraph *g, uint32_t index) {
  const arn__fb_table t = arn__fb_open(m, arn__fb_element(m, g->nodes_at, index));
  const uint32_t code = find_u32(&t, ARN__OPERATOR_CODE_INDEX, 0);
  const arn__fb_table c = arn__fb_open(m, arn__fb_element(m, m->codes_at, code));
  return code_of(&c);
}

int32_t arn__model_code_at(const arn_model *m, uint32_t i) {
  const arn__fb_table c = arn__fb_open(m, arn__fb_element(m, m->codes_at, i));
  return code_of(&c);
}

void arn__model_node_inputs(const arn_model *m, const arn_subgraph *g, uint32_t index,
                            uint32_t *at, uint32_t *count) {
  const arn__fb_table t = arn__fb_open(m, arn__fb_element(m, g->nodes_at, index));
  arn__fb_find_vector(m, &t, ARN__OPERATOR_INPUTS, at, count);
}

void arn__model_node_outputs(const arn_model *m, const arn_subgraph *g, uint32_t index,
                             uint32_t *at, uint32_t *count) {
  const arn__fb_table t = arn__fb_open(m, arn__fb_element(m, g->nodes_at, index));
  arn__fb_find_vector(m, &t, ARN__OPERATOR_OUTPUTS, at, count);
}

arn_type arn__model_type(const arn_model *m, const arn_subgraph *g, uint32_t index) {
  const arn__fb_table t = arn__fb_open(m, arn__fb_element(m, g->tensors_at, index));
  return (arn_type)find_u8(&t, ARN__TENSOR_TYPE);
}

// Reads a buffer's position: in its own vector, or (large files) at an offset behind the tables.
// Returns the bytes of its data.
static uint32_t read_buffer(const arn_model *m, uint32_t index, uint32_t *at) {
  const arn__fb_table t = arn__fb_open(m, arn__fb_element(m, m->buffers_at, index));
  uint32_t bytes;
  arn__fb_find_vector(m, &t, ARN__BUFFER_DATA, at, &bytes);
  if (bytes > 0) return bytes;
  const uint8_t *offset = arn__fb_find(&t, ARN__BUFFER_OFFSET);
  const uint8_t *size = arn__fb_find(&t, ARN__BUFFER_SIZE);
  if (offset == NULL || size == NULL || arn__fb_load_u32(offset) <= 1) return 0;
  *at = arn__fb_load_u32(offset);
  return arn__fb_load_u32(size);
}

bool arn__model_has_data(const arn_model *m, uint32_t buffer) {
  uint32_t at;
  return read_buffer(m, buffer, &at) > 0;
}

arn__glance arn__model_glance(const arn_model *m, const arn_subgraph *g, uint32_t index) {
  const arn__fb_table t = arn__fb_open(m, arn__fb_element(m, g->tensors_at, index));
  arn__glance glance = {0, (uint8_t)find_u8(&t, ARN__TENSOR_TYPE), 0};
  if (find_u8(&t, ARN__TENSOR_IS_VARIABLE)) glance.flags = ARN_TENSOR_VARIABLE;
  else if (read_buffer(m, find_u32(&t, ARN__TENSOR_BUFFER, 0), &glance.data_at) > 0) {
    glance.flags = ARN_TENSOR_CONST;
  }
  return glance;
}

// Sets dims, count and bytes. An open dimension (-1) counts as 1.
static void read_shape(const arn_model *m, const arn__fb_table *table, arn_tensor *t) {
  const uint32_t at = arn__fb_find_target(m, table, ARN__TENSOR_SHAPE);
  const uint32_t rank = at ? arn__fb_u32(m, at) : 0;
  const uint8_t *from = m->bytes + at;
  uint32_t count = 1, unknown = 0;
  for (uint32_t i = 0; i < rank; i++) {
    from += 4;
    const int32_t dim = (int32_t)arn__fb_load_u32(from);
    t->dims[i] = dim;
    if (dim < 0) unknown++;
    else count *= (uint32_t)dim;
  }
  t->rank = (uint8_t)rank;
  t->unknown_dims = (uint8_t)unknown;
  t->count = count;
  t->bytes = count * arn_type_bytes((arn_type)t->type);
  if (t->type == ARN_INT4) t->bytes = (count + 1) / 2;
}

static void read_quantisation(const arn_model *m, uint32_t table, arn_tensor *t) {
  t->scales_at = t->scale_count = t->zeros_at = t->zero_count = 0;
  t->quantised_axis = 0;
  if (table == 0) return;
  const arn__fb_table q = arn__fb_open(m, table);
  arn__fb_find_vector(m, &q, ARN__QUANTISATION_SCALE, &t->scales_at, &t->scale_count);
  arn__fb_find_vector(m, &q, ARN__QUANTISATION_ZERO_POINT, &t->zeros_at, &t->zero_count);
  t->quantised_axis = (int32_t)find_u32(&q, ARN__QUANTISATION_AXIS, 0);
}

void arn_model_tensor(const arn_model *m, const arn_subgraph *g, uint32_t index, arn_tensor *t) {
  const arn__fb_table table = arn__fb_open(m, arn__fb_element(m, g->tensors_at, index));
  uint32_t flags = 0;
  t->index = (int32_t)index;
  t->type = (uint8_t)find_u8(&table, ARN__TENSOR_TYPE);
  read_shape(m, &table, t);
  t->data_bytes = read_buffer(m, find_u32(&table, ARN__TENSOR_BUFFER, 0), &t->data_at);
  read_quantisation(m, arn__fb_find_target(m, &table, ARN__TENSOR_QUANTISATION), t);
  t->name_at = arn__fb_find_target(m, &table, ARN__TENSOR_NAME);
  if (find_u8(&table, ARN__TENSOR_IS_VARIABLE)) flags |= ARN_TENSOR_VARIABLE;
  else if (t->data_bytes > 0) flags |= ARN_TENSOR_CONST;
  if (arn__fb_find(&table, ARN__TENSOR_SPARSITY)) flags |= ARN_TENSOR_SPARSE;
  t->flags = (uint8_t)flags;
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
    const arn__fb_table t = arn__fb_open(m, arn__fb_element(m, m->metadata_at, i));
    uint32_t at;
    if (!arn_model_string_is(m, arn__fb_find_target(m, &t, ARN__METADATA_NAME), name)) continue;
    *size_bytes = read_buffer(m, find_u32(&t, ARN__METADATA_BUFFER, 0), &at);
    return *size_bytes ? m->bytes + at : NULL;
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
  if (t->zero_count == 0) return true;
  const uint32_t low = arn__fb_load_u32(zero), high = arn__fb_load_u32(zero + 4);
  uint32_t differs = 0;
  if (t->zero_count % 2) zero += 8;
  for (; zero < end; zero += 16) {
    differs |= arn__fb_load_u32(zero) ^ low;
    differs |= arn__fb_load_u32(zero + 4) ^ high;
    differs |= arn__fb_load_u32(zero + 8) ^ low;
    differs |= arn__fb_load_u32(zero + 12) ^ high;
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
