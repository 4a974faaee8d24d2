// The verifier: one rule of the format a line. What it has accepted, model.c reads without a check.
//
// Not checked here but where it is read, because the field sizes are an operator's own business:
// the fields of option tables (arn__fb_field tests each against the table's size).
#include "flatbuffer.h"
#include "glance.h"
#include "schema.h"

#define FILE_IDENTIFIER 0x334C4654u  // "TFL3"
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

// ---- tables -------------------------------------------------------------------------------------

// Widths of the fields that are read, by their numbers in schema.h; 0: not read.
static const uint8_t root_widths[] = {4, 4, 4, 0, 4, 0, 4, 4};
static const uint8_t code_widths[] = {1, 4, 4, 4};
static const uint8_t subgraph_widths[] = {4, 4, 4, 4, 4};
static const uint8_t tensor_widths[] = {4, 1, 4, 4, 4, 1, 4};
static const uint8_t quantisation_widths[] = {0, 0, 4, 4, 0, 0, 4};
static const uint8_t node_widths[] = {4, 4, 4, 1, 4, 4, 0, 0, 0, 0, 0, 0, 4};
static const uint8_t buffer_widths[] = {4, 8, 8};
static const uint8_t metadata_widths[] = {4, 4};
static const uint8_t signature_widths[] = {4, 4, 4, 0, 4};
static const uint8_t map_widths[] = {4, 4};

#define INIT(table, kind) \
  arn__fb_layout_init(&(table)->layout, kind##_widths, sizeof kind##_widths)

// A table in work.
struct table {
  arn__fb_layout layout;
  uint32_t at;
};

// Where field `id` of the table lies; 0 where it is absent.
static uint32_t field(const struct table *t, uint32_t id) {
  return arn__fb_laid(&t->layout, t->at, id);
}

static uint32_t field_u32(const arn_model *m, const struct table *t, uint32_t id) {
  const uint32_t at = field(t, id);
  return at ? arn__fb_u32(m, at) : 0;
}

ARN__FB_INLINE bool check_fields(const arn_model *m, struct table *t) {
  if (t->at - arn__fb_u32(m, t->at) != t->layout.vtable) {
    return arn__fb_check_layout(m, t->at, &t->layout);
  }
  return t->layout.table_bytes <= m->size_bytes - t->at;
}

// Goes on to the table that element `i` of a vector points to.
static arn_status open_element(const struct place *p, const arn_model *m, uint32_t first,
                               uint32_t i, struct table *t) {
  VERIFY(arn__fb_check_target(m, first + 4 * i, &t->at), OFFSET);
  VERIFY(check_fields(m, t), TABLE);
  return ARN_OK;
}

static arn_status verify_vector(const struct place *p, const arn_model *m, const struct table *t,
                                uint32_t id, uint32_t shift) {
  uint32_t first, count;
  const uint32_t at = field(t, id);
  VERIFY(at == 0 || arn__fb_check_vector_at(m, at, shift, &first, &count), VECTOR);
  return ARN_OK;
}

static arn_status verify_string(const struct place *p, const arn_model *m, const struct table *t,
                                uint32_t id) {
  uint32_t first, count;
  VERIFY(arn__fb_check_vector_at(m, field(t, id), 0, &first, &count), STRING);
  return ARN_OK;
}

// A table whose fields are read by those who need them, with a check each.
static arn_status verify_options(const struct place *p, const arn_model *m, const struct table *t,
                                 uint32_t id) {
  uint32_t target;
  const uint32_t at = field(t, id);
  if (at == 0) return ARN_OK;
  VERIFY(arn__fb_check_target(m, at, &target), OFFSET);
  VERIFY(arn__fb_check_table(m, target), TABLE);
  return ARN_OK;
}

// ---- codes and buffers --------------------------------------------------------------------------

static arn_status verify_codes(const struct place *p, const arn_model *m) {
  struct table t;
  INIT(&t, code);
  for (uint32_t i = 0; i < m->code_count; i++) {
    TRY(open_element(p, m, m->codes_at, i, &t));
    TRY(verify_string(p, m, &t, ARN__CODE_CUSTOM));
  }
  return ARN_OK;
}

static arn_status verify_buffers(const struct place *p, const arn_model *m) {
  struct table t;
  INIT(&t, buffer);
  for (uint32_t i = 0; i < m->buffer_count; i++) {
    TRY(open_element(p, m, m->buffers_at, i, &t));
    TRY(verify_vector(p, m, &t, ARN__BUFFER_DATA, 0));
    const uint32_t offset_at = field(&t, ARN__BUFFER_OFFSET);
    const uint32_t size_at = field(&t, ARN__BUFFER_SIZE);
    if (offset_at == 0 || size_at == 0) continue;
    VERIFY(arn__fb_u32(m, offset_at + 4) == 0 && arn__fb_u32(m, size_at + 4) == 0, OFFSET);
    VERIFY(arn__fb_inside(m, arn__fb_u32(m, offset_at), arn__fb_u32(m, size_at)), OFFSET);
  }
  return ARN_OK;
}

// ---- tensors ------------------------------------------------------------------------------------

static arn_status verify_shape(const struct place *p, const arn_model *m, const struct table *t) {
  uint32_t first, rank;
  VERIFY(arn__fb_check_vector_at(m, field(t, ARN__TENSOR_SHAPE), 2, &first, &rank), VECTOR);
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

static arn_status verify_quantisation(const struct place *p, const arn_model *m,
                                      const struct table *tensor, struct table *q) {
  const uint32_t at = field(tensor, ARN__TENSOR_QUANTISATION);
  if (at == 0) return ARN_OK;
  VERIFY(arn__fb_check_target(m, at, &q->at), OFFSET);
  VERIFY(check_fields(m, q), TABLE);
  TRY(verify_vector(p, m, q, ARN__QUANTISATION_SCALE, 2));
  return verify_vector(p, m, q, ARN__QUANTISATION_ZERO_POINT, 3);
}

// A constant tensor's data must be as long as its shape says, and aligned for its type.
static arn_status verify_data(const struct place *p, const arn_model *m, const arn_subgraph *g) {
  arn_tensor t;
  arn_model_tensor(m, g, (uint32_t)p->tensor, &t);
  if (t.data_bytes == 0 || t.type == ARN_STRING || (t.flags & ARN_TENSOR_SPARSE)) return ARN_OK;
  VERIFY(t.unknown_dims == 0 && t.data_bytes == t.bytes, BUFFER_SIZE);
  const uint32_t element = arn_type_bytes((arn_type)t.type);
  const uint32_t align = element > 4 ? 4 : element;  // 64-bit constants are read with memcpy
  VERIFY(align == 0 || ((uintptr_t)(m->bytes + t.data_at) & (align - 1)) == 0, BUFFER_ALIGNMENT);
  return ARN_OK;
}

static arn_status verify_tensor(const struct place *p, const arn_model *m, const arn_subgraph *g,
                                struct table *t, struct table *q) {
  const uint32_t type_at = field(t, ARN__TENSOR_TYPE);
  const uint32_t buffer = field_u32(m, t, ARN__TENSOR_BUFFER);
  TRY(verify_shape(p, m, t));
  TRY(verify_string(p, m, t, ARN__TENSOR_NAME));
  TRY(verify_quantisation(p, m, t, q));
  TRY(verify_options(p, m, t, ARN__TENSOR_SPARSITY));
  VERIFY(buffer < m->buffer_count, BUFFER_INDEX);
  VERIFY_SUPPORTED(type_at == 0 || m->bytes[type_at] <= ARN_INT4, TYPE);
  return arn__model_has_data(m, buffer) ? verify_data(p, m, g) : ARN_OK;
}

static arn_status verify_tensors(struct place *p, const arn_model *m, const arn_subgraph *g) {
  struct table t, q;
  INIT(&t, tensor);
  INIT(&q, quantisation);
  for (uint32_t i = 0; i < g->tensor_count; i++) {
    p->tensor = (int32_t)i;
    TRY(open_element(p, m, g->tensors_at, i, &t));
    TRY(verify_tensor(p, m, g, &t, &q));
  }
  p->tensor = ARN_NOWHERE;
  return ARN_OK;
}

// ---- nodes --------------------------------------------------------------------------------------

// Indices of a vector must name tensors; -1 (an absent optional input) where `least` allows it.
static arn_status verify_indices(struct place *p, const arn_model *m, const arn_subgraph *g,
                                 uint32_t field_at, int32_t least) {
  uint32_t first, count;
  VERIFY(arn__fb_check_vector_at(m, field_at, 2, &first, &count), VECTOR);
  for (uint32_t i = 0; i < count; i++) {
    const int32_t index = (int32_t)arn__fb_u32(m, first + 4 * i);
    if (index >= least && index < (int32_t)g->tensor_count) continue;
    p->tensor = index;
    return fail(p, ARN_ERR_MODEL, ARN_WHAT_TENSOR_INDEX);
  }
  return ARN_OK;
}

// Whoever calls a subgraph writes its inputs: they cannot lie in the file.
static arn_status verify_inputs(struct place *p, const arn_model *m, const arn_subgraph *g) {
  for (uint32_t i = 0; i < g->input_count; i++) {
    p->tensor = (int32_t)arn__fb_u32(m, g->inputs_at + 4 * i);
    const arn__glance t = arn__model_glance(m, g, (uint32_t)p->tensor);
    VERIFY((t.flags & ARN_TENSOR_CONST) == 0, TENSOR_WRITTEN_TWICE);
  }
  p->tensor = ARN_NOWHERE;
  return ARN_OK;
}

static arn_status verify_node(struct place *p, const arn_model *m, const arn_subgraph *g,
                              const struct table *t) {
  VERIFY(field_u32(m, t, ARN__OPERATOR_CODE_INDEX) < m->code_count, OPCODE_INDEX);
  TRY(verify_indices(p, m, g, field(t, ARN__OPERATOR_INPUTS), -1));
  TRY(verify_indices(p, m, g, field(t, ARN__OPERATOR_OUTPUTS), 0));
  TRY(verify_options(p, m, t, ARN__OPERATOR_OPTIONS));
  TRY(verify_options(p, m, t, ARN__OPERATOR_OPTIONS2));
  return verify_vector(p, m, t, ARN__OPERATOR_CUSTOM_OPTIONS, 0);
}

static arn_status verify_nodes(struct place *p, const arn_model *m, const arn_subgraph *g) {
  struct table t;
  INIT(&t, node);
  for (uint32_t i = 0; i < g->node_count; i++) {
    p->node = (int32_t)i;
    TRY(open_element(p, m, g->nodes_at, i, &t));
    TRY(verify_node(p, m, g, &t));
  }
  p->node = ARN_NOWHERE;
  return ARN_OK;
}

// ---- subgraphs and signatures -------------------------------------------------------------------

static arn_status verify_subgraph(struct place *p, const arn_model *m, struct table *t) {
  arn_subgraph g;
  TRY(verify_vector(p, m, t, ARN__SUBGRAPH_TENSORS, 2));
  TRY(verify_vector(p, m, t, ARN__SUBGRAPH_OPERATORS, 2));
  TRY(verify_string(p, m, t, ARN__SUBGRAPH_NAME));
  TRY(verify_vector(p, m, t, ARN__SUBGRAPH_INPUTS, 2));
  TRY(verify_vector(p, m, t, ARN__SUBGRAPH_OUTPUTS, 2));
  VERIFY(arn_model_subgraph(m, (uint32_t)p->subgraph, &g) == ARN_OK, SUBGRAPH_INDEX);
  VERIFY_SUPPORTED(g.tensor_count <= MAX_TENSORS && g.node_count <= MAX_NODES, LIMIT);
  TRY(verify_tensors(p, m, &g));
  TRY(verify_indices(p, m, &g, field(t, ARN__SUBGRAPH_INPUTS), 0));
  TRY(verify_indices(p, m, &g, field(t, ARN__SUBGRAPH_OUTPUTS), 0));
  TRY(verify_inputs(p, m, &g));
  return verify_nodes(p, m, &g);
}

static arn_status verify_subgraphs(struct place *p, const arn_model *m) {
  struct table t;
  INIT(&t, subgraph);
  for (uint32_t i = 0; i < m->subgraph_count; i++) {
    p->subgraph = (int32_t)i;
    TRY(open_element(p, m, m->subgraphs_at, i, &t));
    TRY(verify_subgraph(p, m, &t));
  }
  p->subgraph = ARN_NOWHERE;
  return ARN_OK;
}

static arn_status verify_metadata(const struct place *p, const arn_model *m) {
  struct table t;
  INIT(&t, metadata);
  for (uint32_t i = 0; i < m->metadata_count; i++) {
    TRY(open_element(p, m, m->metadata_at, i, &t));
    TRY(verify_string(p, m, &t, ARN__METADATA_NAME));
    VERIFY(field_u32(m, &t, ARN__METADATA_BUFFER) < m->buffer_count, BUFFER_INDEX);
  }
  return ARN_OK;
}

static arn_status verify_signature_map(const struct place *p, const arn_model *m,
                                       uint32_t field_at, const arn_subgraph *g) {
  struct table t;
  INIT(&t, map);
  uint32_t first, count;
  VERIFY(arn__fb_check_vector_at(m, field_at, 2, &first, &count), VECTOR);
  VERIFY_SUPPORTED(count <= MAX_TENSORS, LIMIT);
  for (uint32_t i = 0; i < count; i++) {
    TRY(open_element(p, m, first, i, &t));
    TRY(verify_string(p, m, &t, ARN__TENSOR_MAP_NAME));
    VERIFY(field_u32(m, &t, ARN__TENSOR_MAP_INDEX) < g->tensor_count, TENSOR_INDEX);
  }
  return ARN_OK;
}

static arn_status verify_signatures(const struct place *p, const arn_model *m) {
  struct table t;
  INIT(&t, signature);
  VERIFY_SUPPORTED(m->signature_count <= MAX_SIGNATURES, LIMIT);
  for (uint32_t i = 0; i < m->signature_count; i++) {
    arn_subgraph g;
    TRY(open_element(p, m, m->signatures_at, i, &t));
    VERIFY(arn_model_subgraph(m, field_u32(m, &t, ARN__SIGNATURE_SUBGRAPH), &g) == ARN_OK,
           SUBGRAPH_INDEX);
    TRY(verify_string(p, m, &t, ARN__SIGNATURE_KEY));
    TRY(verify_signature_map(p, m, field(&t, ARN__SIGNATURE_INPUTS), &g));
    TRY(verify_signature_map(p, m, field(&t, ARN__SIGNATURE_OUTPUTS), &g));
  }
  return ARN_OK;
}

// ---- the file -----------------------------------------------------------------------------------

static arn_status verify_root(const struct place *p, arn_model *m) {
  const struct {
    uint32_t id, *first, *count;
  } vectors[] = {{ARN__MODEL_OPERATOR_CODES, &m->codes_at, &m->code_count},
                 {ARN__MODEL_SUBGRAPHS, &m->subgraphs_at, &m->subgraph_count},
                 {ARN__MODEL_BUFFERS, &m->buffers_at, &m->buffer_count},
                 {ARN__MODEL_METADATA, &m->metadata_at, &m->metadata_count},
                 {ARN__MODEL_SIGNATURES, &m->signatures_at, &m->signature_count}};
  struct table t;
  memset(&t, 0, sizeof t);
  INIT(&t, root);
  t.at = arn__fb_u32(m, 0);
  VERIFY(arn__fb_u32(m, 4) == FILE_IDENTIFIER, IDENTIFIER);
  VERIFY(t.at >= 4 && t.at % 4 == 0 && arn__fb_inside(m, t.at, 4), TABLE);
  VERIFY(arn__fb_check_layout(m, t.at, &t.layout), TABLE);
  VERIFY(field_u32(m, &t, ARN__MODEL_VERSION) == 3, SCHEMA_VERSION);
  for (uint32_t i = 0; i < sizeof vectors / sizeof vectors[0]; i++) {
    VERIFY(arn__fb_check_vector_at(m, field(&t, vectors[i].id), 2, vectors[i].first,
                                   vectors[i].count), VECTOR);
  }
  VERIFY(m->subgraph_count > 0, NO_SUBGRAPH);
  VERIFY_SUPPORTED(m->subgraph_count <= MAX_SUBGRAPHS, LIMIT);
  return ARN_OK;
}

static arn_status verify_all(struct place *p, arn_model *m) {
  TRY(verify_root(p, m));
  TRY(verify_codes(p, m));
  TRY(verify_buffers(p, m));
  TRY(verify_metadata(p, m));
  TRY(verify_subgraphs(p, m));
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
