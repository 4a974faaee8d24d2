// The verifier: one rule of the format a line. What it has accepted, model.c reads without a check.
//
// Not checked here but where it is read, because the field sizes are an operator's own business:
// the fields of option tables (arn__fb_field tests each against the table's size).
#include "flatbuffer.h"
#include "schema.h"

#define MAX_SUBGRAPHS 255u
#define MAX_TENSORS 65534u
#define MAX_NODES 8190u
#define MAX_SIGNATURES 1024u

// Where the verifier is, for the error record.
struct place {
  arn_error *error;
  int32_t subgraph, node, tensor;
};

static arn_status fail(const struct place *p, arn_status status, arn_what what) {
  if (p->error) {
    *p->error = (arn_error){status, what, p->subgraph, p->node, p->tensor, 0, 0, 0};
  }
  return status;
}

#define VERIFY(cond, reason) \
  if (!(cond)) return fail(p, ARN_ERR_MODEL, ARN_WHAT_##reason)
#define VERIFY_SUPPORTED(cond, reason) \
  if (!(cond)) return fail(p, ARN_ERR_UNSUPPORTED, ARN_WHAT_##reason)
#define TRY(call)                            \
  do {                                       \
    const arn_status status_ = (call);       \
    if (status_ != ARN_OK) return status_;   \
  } while (0)

static arn_status verify_string(const struct place *p, const arn_model *m, uint32_t table,
                                uint32_t id) {
  uint32_t first, count;
  VERIFY(arn__fb_check_vector(m, table, id, 1, &first, &count), STRING);
  return ARN_OK;
}

static arn_status verify_codes(const struct place *p, const arn_model *m) {
  for (uint32_t i = 0; i < m->code_count; i++) {
    TRY(verify_string(p, m, arn__fb_element(m, m->codes_at, i), ARN__CODE_CUSTOM));
  }
  return ARN_OK;
}

static arn_status verify_buffer(const struct place *p, const arn_model *m, uint32_t buffer) {
  uint32_t first, count;
  VERIFY(arn__fb_check_vector(m, buffer, ARN__BUFFER_DATA, 1, &first, &count), VECTOR);
  const uint32_t offset_at = arn__fb_field(m, buffer, ARN__BUFFER_OFFSET, 8);
  const uint32_t size_at = arn__fb_field(m, buffer, ARN__BUFFER_SIZE, 8);
  if (offset_at == 0 || size_at == 0) return ARN_OK;
  VERIFY(arn__fb_u32(m, offset_at + 4) == 0 && arn__fb_u32(m, size_at + 4) == 0, OFFSET);
  VERIFY(arn__fb_inside(m, arn__fb_u32(m, offset_at), arn__fb_u32(m, size_at)), OFFSET);
  return ARN_OK;
}

static arn_status verify_buffers(const struct place *p, const arn_model *m) {
  for (uint32_t i = 0; i < m->buffer_count; i++) {
    TRY(verify_buffer(p, m, arn__fb_element(m, m->buffers_at, i)));
  }
  return ARN_OK;
}

static arn_status verify_shape(const struct place *p, const arn_model *m, uint32_t table) {
  uint32_t first, rank;
  VERIFY(arn__fb_check_vector(m, table, ARN__TENSOR_SHAPE, 4, &first, &rank), VECTOR);
  VERIFY_SUPPORTED(rank <= ARN_MAX_RANK, RANK);
  uint64_t bytes = 16;  // the widest type
  for (uint32_t i = 0; i < rank; i++) {
    const int32_t dim = (int32_t)arn__fb_u32(m, first + 4 * i);
    VERIFY(dim >= -1, DIMENSION);
    if (dim > 0) bytes *= (uint32_t)dim;
    VERIFY(bytes <= INT32_MAX, DIMENSION);
  }
  return ARN_OK;
}

static arn_status verify_quantisation(const struct place *p, const arn_model *m, uint32_t table) {
  uint32_t q, scales, scale_count, zeros, zero_count;
  VERIFY(arn__fb_check_follow(m, table, ARN__TENSOR_QUANTISATION, &q), OFFSET);
  if (q == 0) return ARN_OK;
  VERIFY(arn__fb_check_table(m, q), TABLE);
  VERIFY(arn__fb_check_vector(m, q, ARN__QUANTISATION_SCALE, 4, &scales, &scale_count), VECTOR);
  VERIFY(arn__fb_check_vector(m, q, ARN__QUANTISATION_ZERO_POINT, 8, &zeros, &zero_count), VECTOR);
  return ARN_OK;
}

// A constant tensor's data must be as long as its shape says, and aligned for its type.
static arn_status verify_data(const struct place *p, const arn_model *m, const arn_tensor *t) {
  if (t->data_bytes == 0 || t->type == ARN_STRING || (t->flags & ARN_TENSOR_SPARSE)) return ARN_OK;
  VERIFY(t->unknown_dims == 0 && t->data_bytes == t->bytes, BUFFER_SIZE);
  const uint32_t element = arn_type_bytes((arn_type)t->type);
  const uint32_t align = element > 4 ? 4 : element;  // 64-bit constants are read with memcpy
  VERIFY(align == 0 || (uintptr_t)(m->bytes + t->data_at) % align == 0, BUFFER_ALIGNMENT);
  return ARN_OK;
}

static arn_status verify_tensor(const struct place *p, const arn_model *m, const arn_subgraph *g) {
  const uint32_t table = arn__fb_element(m, g->tensors_at, (uint32_t)p->tensor);
  uint32_t sparsity;
  TRY(verify_shape(p, m, table));
  TRY(verify_string(p, m, table, ARN__TENSOR_NAME));
  TRY(verify_quantisation(p, m, table));
  VERIFY(arn__fb_check_follow(m, table, ARN__TENSOR_SPARSITY, &sparsity), OFFSET);
  VERIFY(sparsity == 0 || arn__fb_check_table(m, sparsity), TABLE);
  VERIFY(arn__fb_field_u32(m, table, ARN__TENSOR_BUFFER, 0) < m->buffer_count, BUFFER_INDEX);
  VERIFY_SUPPORTED(arn__fb_field_u8(m, table, ARN__TENSOR_TYPE, 0) <= ARN_INT4, TYPE);
  arn_tensor t;
  arn_model_tensor(m, g, (uint32_t)p->tensor, &t);
  return verify_data(p, m, &t);
}

// Indices of a vector must name tensors; -1 (an absent optional input) where `optional` allows.
static arn_status verify_indices(struct place *p, const arn_model *m, uint32_t table, uint32_t id,
                                 const arn_subgraph *g, int32_t least) {
  uint32_t first, count;
  VERIFY(arn__fb_check_vector(m, table, id, 4, &first, &count), VECTOR);
  for (uint32_t i = 0; i < count; i++) {
    const int32_t index = arn_model_index(m, first, i);
    p->tensor = index;
    VERIFY(index >= least && index < (int32_t)g->tensor_count, TENSOR_INDEX);
  }
  p->tensor = ARN_NOWHERE;
  return ARN_OK;
}

// Whoever calls a subgraph writes its inputs: they cannot lie in the file.
static arn_status verify_inputs(struct place *p, const arn_model *m, uint32_t table,
                                const arn_subgraph *g) {
  arn_tensor t;
  uint32_t first, count;
  TRY(verify_indices(p, m, table, ARN__SUBGRAPH_INPUTS, g, 0));
  arn__fb_vector(m, table, ARN__SUBGRAPH_INPUTS, &first, &count);
  for (uint32_t i = 0; i < count; i++) {
    p->tensor = arn_model_index(m, first, i);
    arn_model_tensor(m, g, (uint32_t)p->tensor, &t);
    VERIFY((t.flags & ARN_TENSOR_CONST) == 0, TENSOR_WRITTEN_TWICE);
  }
  p->tensor = ARN_NOWHERE;
  return ARN_OK;
}

static arn_status verify_node(struct place *p, const arn_model *m, const arn_subgraph *g) {
  const uint32_t table = arn__fb_element(m, g->nodes_at, (uint32_t)p->node);
  uint32_t options, custom, count;
  VERIFY(arn__fb_field_u32(m, table, ARN__OPERATOR_CODE_INDEX, 0) < m->code_count, OPCODE_INDEX);
  TRY(verify_indices(p, m, table, ARN__OPERATOR_INPUTS, g, -1));
  TRY(verify_indices(p, m, table, ARN__OPERATOR_OUTPUTS, g, 0));
  VERIFY(arn__fb_check_follow(m, table, ARN__OPERATOR_OPTIONS, &options), OFFSET);
  VERIFY(options == 0 || arn__fb_check_table(m, options), TABLE);
  VERIFY(arn__fb_check_follow(m, table, ARN__OPERATOR_OPTIONS2, &options), OFFSET);
  VERIFY(options == 0 || arn__fb_check_table(m, options), TABLE);
  VERIFY(arn__fb_check_vector(m, table, ARN__OPERATOR_CUSTOM_OPTIONS, 1, &custom, &count), VECTOR);
  return ARN_OK;
}

static arn_status verify_subgraph(struct place *p, const arn_model *m) {
  const uint32_t table = arn__fb_element(m, m->subgraphs_at, (uint32_t)p->subgraph);
  arn_subgraph g = {0};
  VERIFY(arn__fb_check_tables(m, table, ARN__SUBGRAPH_TENSORS, &g.tensors_at, &g.tensor_count),
         VECTOR);
  VERIFY(arn__fb_check_tables(m, table, ARN__SUBGRAPH_OPERATORS, &g.nodes_at, &g.node_count),
         VECTOR);
  VERIFY_SUPPORTED(g.tensor_count <= MAX_TENSORS && g.node_count <= MAX_NODES, LIMIT);
  TRY(verify_string(p, m, table, ARN__SUBGRAPH_NAME));
  for (uint32_t i = 0; i < g.tensor_count; i++) {
    p->tensor = (int32_t)i;
    TRY(verify_tensor(p, m, &g));
  }
  p->tensor = ARN_NOWHERE;
  TRY(verify_inputs(p, m, table, &g));
  TRY(verify_indices(p, m, table, ARN__SUBGRAPH_OUTPUTS, &g, 0));
  for (uint32_t i = 0; i < g.node_count; i++) {
    p->node = (int32_t)i;
    TRY(verify_node(p, m, &g));
  }
  p->node = ARN_NOWHERE;
  return ARN_OK;
}

static arn_status verify_metadata(const struct place *p, const arn_model *m) {
  for (uint32_t i = 0; i < m->metadata_count; i++) {
    const uint32_t table = arn__fb_element(m, m->metadata_at, i);
    TRY(verify_string(p, m, table, ARN__METADATA_NAME));
    VERIFY(arn__fb_field_u32(m, table, ARN__METADATA_BUFFER, 0) < m->buffer_count, BUFFER_INDEX);
  }
  return ARN_OK;
}

static arn_status verify_signature_map(const struct place *p, const arn_model *m, uint32_t table,
                                       uint32_t id, const arn_subgraph *g) {
  uint32_t first, count;
  VERIFY(arn__fb_check_tables(m, table, id, &first, &count), VECTOR);
  VERIFY_SUPPORTED(count <= MAX_TENSORS, LIMIT);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t map = arn__fb_element(m, first, i);
    TRY(verify_string(p, m, map, ARN__TENSOR_MAP_NAME));
    VERIFY(arn__fb_field_u32(m, map, ARN__TENSOR_MAP_INDEX, 0) < g->tensor_count, TENSOR_INDEX);
  }
  return ARN_OK;
}

static arn_status verify_signatures(const struct place *p, const arn_model *m) {
  VERIFY_SUPPORTED(m->signature_count <= MAX_SIGNATURES, LIMIT);
  for (uint32_t i = 0; i < m->signature_count; i++) {
    const uint32_t table = arn__fb_element(m, m->signatures_at, i);
    const uint32_t index = arn__fb_field_u32(m, table, ARN__SIGNATURE_SUBGRAPH, 0);
    arn_subgraph g;
    VERIFY(arn_model_subgraph(m, index, &g) == ARN_OK, SUBGRAPH_INDEX);
    TRY(verify_string(p, m, table, ARN__SIGNATURE_KEY));
    TRY(verify_signature_map(p, m, table, ARN__SIGNATURE_INPUTS, &g));
    TRY(verify_signature_map(p, m, table, ARN__SIGNATURE_OUTPUTS, &g));
  }
  return ARN_OK;
}

static arn_status verify_root(const struct place *p, arn_model *m) {
  const uint32_t root = arn__fb_u32(m, 0);
  VERIFY(memcmp(m->bytes + 4, "TFL3", 4) == 0, IDENTIFIER);
  VERIFY(root <= m->size_bytes && arn__fb_check_table(m, root), TABLE);
  VERIFY(arn__fb_field_u32(m, root, ARN__MODEL_VERSION, 0) == 3, SCHEMA_VERSION);
  VERIFY(arn__fb_check_tables(m, root, ARN__MODEL_OPERATOR_CODES, &m->codes_at, &m->code_count),
         VECTOR);
  VERIFY(arn__fb_check_tables(m, root, ARN__MODEL_SUBGRAPHS, &m->subgraphs_at, &m->subgraph_count),
         VECTOR);
  VERIFY(arn__fb_check_tables(m, root, ARN__MODEL_BUFFERS, &m->buffers_at, &m->buffer_count),
         VECTOR);
  VERIFY(arn__fb_check_tables(m, root, ARN__MODEL_METADATA, &m->metadata_at, &m->metadata_count),
         VECTOR);
  VERIFY(arn__fb_check_tables(m, root, ARN__MODEL_SIGNATURES, &m->signatures_at,
                              &m->signature_count),
         VECTOR);
  VERIFY(m->subgraph_count > 0, NO_SUBGRAPH);
  VERIFY_SUPPORTED(m->subgraph_count <= MAX_SUBGRAPHS, LIMIT);
  return ARN_OK;
}

static arn_status verify_all(struct place *p, arn_model *m) {
  TRY(verify_root(p, m));
  TRY(verify_codes(p, m));
  TRY(verify_buffers(p, m));
  TRY(verify_metadata(p, m));
  for (uint32_t i = 0; i < m->subgraph_count; i++) {
    p->subgraph = (int32_t)i;
    TRY(verify_subgraph(p, m));
  }
  p->subgraph = ARN_NOWHERE;
  return verify_signatures(p, m);
}

static arn_status check_arguments(struct place *p, const void *bytes, size_t size) {
  if (bytes == NULL) return fail(p, ARN_ERR_ARGUMENT, ARN_WHAT_NULL_POINTER);
  if ((uintptr_t)bytes % 4 != 0) return fail(p, ARN_ERR_ARGUMENT, ARN_WHAT_ALIGNMENT);
  VERIFY(size >= 16, FILE_TOO_SMALL);
  VERIFY_SUPPORTED(size <= INT32_MAX, FILE_TOO_LARGE);
  return ARN_OK;
}

arn_status arn_model_open(arn_model *model, const void *bytes, size_t size_bytes,
                          arn_error *error) {
  struct place place = {error, ARN_NOWHERE, ARN_NOWHERE, ARN_NOWHERE};
  if (model == NULL) return fail(&place, ARN_ERR_ARGUMENT, ARN_WHAT_NULL_POINTER);
  memset(model, 0, sizeof *model);
  TRY(check_arguments(&place, bytes, size_bytes));
  model->bytes = bytes;
  model->size_bytes = (uint32_t)size_bytes;
  const arn_status status = verify_all(&place, model);
  if (status != ARN_OK) memset(model, 0, sizeof *model);
  return status;
}
