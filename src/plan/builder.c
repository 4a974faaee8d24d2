#include "builder.h"

#include "../graph/graph.h"
#include "../graph/rows.h"
#include "../model/flatbuffer.h"
#include "../model/glance.h"
#include "../model/schema.h"

#define CODE_IF 118
#define CODE_WHILE 119
#define CODE_CALL_ONCE 129
#define CODE_READ_VARIABLE 143
#define CODE_ASSIGN_VARIABLE 144
#define CODE_STABLEHLO_WHILE 200
#define CODE_COMPOSITE 206
#define MAX_CUT_ROWS (1u << 20)
#define MAX_BUFFER_BYTES (1u << 29)

static arn_status fail(const arn__builder *b, arn_what what, int32_t node, int32_t tensor) {
  if (b->error) {
    *b->error = (arn_error){ARN_ERR_MODEL, what, b->subgraph_index, node, tensor, 0, 0, 0};
  }
  return ARN_ERR_MODEL;
}

// Adds a buffer; returns NULL where there is no room (the plan is then incomplete).
static arn__buffer *add(arn__builder *b, uint32_t bytes, uint32_t at, arn__buffer_kind kind) {
  b->wanted++;
  if (!b->complete || !b->make_room(b)) {
    b->complete = false;
    return NULL;
  }
  arn__buffer *buffer = arn__buffer_at(&b->buffers, b->buffers.count++);
  *buffer = (arn__buffer){.bytes = bytes, .offset = ARN__UNPLACED, .tensor = ARN__NO_TENSOR};
  buffer->first = at & 0x1FFFu;
  buffer->last = at & 0x1FFFu;
  buffer->kind = (uint32_t)kind & 3u;
  buffer->link = ARN__LAG_NONE;
  return buffer;
}

int32_t arn__builder_find(const arn__builder *b, int32_t tensor) {
  for (uint32_t i = b->buffers.count; i-- > 0;) {
    const arn__buffer *buffer = arn__buffer_at(&b->buffers, i);
    if (buffer->tensor == tensor && buffer->kind != ARN__BUFFER_SCRATCH) return (int32_t)i;
  }
  return -1;
}

static void live_until(arn__builder *b, uint32_t i, uint32_t at) {
  const uint32_t root = arn__buffer_root(&b->buffers, i, NULL);
  arn__buffer *owner = arn__buffer_at(&b->buffers, root);
  if (owner->last < at) owner->last = at & 0x1FFFu;
  arn__buffer *self = arn__buffer_at(&b->buffers, i);
  if (self->last < at) self->last = at & 0x1FFFu;
}

static bool needs_buffer(const arn_tensor *t) {
  return !(t->flags & (ARN_TENSOR_CONST | ARN_TENSOR_VARIABLE)) && t->type != ARN_RESOURCE;
}

static arn_status add_tensor(arn__builder *b, int32_t tensor, uint32_t at, int32_t node) {
  arn_tensor t;
  arn__graph_read(b->model, b->subgraph, (uint32_t)tensor, &t);
  if (node >= 0 && (t.flags & ARN_TENSOR_CONST)) {
    return fail(b, ARN_WHAT_TENSOR_WRITTEN_TWICE, node, tensor);
  }
  if (!needs_buffer(&t)) return ARN_OK;
  if (arn__builder_find(b, tensor) >= 0) {
    return node < 0 ? ARN_OK : fail(b, ARN_WHAT_TENSOR_WRITTEN_TWICE, node, tensor);
  }
  if (t.bytes > MAX_BUFFER_BYTES) return fail(b, ARN_WHAT_LIMIT, node, tensor);
  arn__buffer *buffer = add(b, t.bytes, at, ARN__BUFFER_TENSOR);
  if (buffer) buffer->tensor = (uint16_t)tensor;
  return ARN_OK;
}

arn_status arn__builder_begin(arn__builder *b) {
  b->buffers.count = 0;
  b->wanted = 0;
  b->complete = true;
  for (uint32_t i = 0; i < b->subgraph->input_count; i++) {
    const int32_t tensor = arn_model_index(b->model, b->subgraph->inputs_at, i);
    const arn_status status = add_tensor(b, tensor, 0, ARN_NOWHERE);
    if (status != ARN_OK) return status;
  }
  return ARN_OK;
}

// A tensor is read at time `at`: it must be there.
static arn_status read(arn__builder *b, int32_t tensor, uint32_t at, int32_t node) {
  arn_tensor t;
  if (!b->complete) return ARN_OK;
  const arn__glance glance = arn__model_glance(b->model, b->subgraph, (uint32_t)tensor);
  if (!arn__glance_is_temporary(glance)) return ARN_OK;
  const int32_t found = arn__builder_find(b, tensor);
  if (found >= 0) {
    live_until(b, (uint32_t)found, at);
    return ARN_OK;
  }
  arn__graph_read(b->model, b->subgraph, (uint32_t)tensor, &t);
  if (t.count == 0) return ARN_OK;  // an empty one has nothing to be read
  if (arn__graph_folded(b->model, b->subgraph, b->config->ops, tensor) >= 0) return ARN_OK;
  return fail(b, ARN_WHAT_TENSOR_NOT_PRODUCED, node, tensor);
}

arn_status arn__builder_node(arn__builder *b, const arn_node *node, uint32_t index) {
  for (uint32_t i = 0; i < node->input_count; i++) {
    const int32_t tensor = arn_model_index(b->model, node->inputs_at, i);
    if (tensor < 0) continue;
    const arn_status status = read(b, tensor, index, (int32_t)index);
    if (status != ARN_OK) return status;
  }
  for (uint32_t i = 0; i < node->output_count; i++) {
    const int32_t tensor = arn_model_index(b->model, node->outputs_at, i);
    const arn_status status = add_tensor(b, tensor, index, (int32_t)index);
    if (status != ARN_OK) return status;
  }
  return ARN_OK;
}

void arn__builder_scratch(arn__builder *b, uint32_t index, uint32_t bytes) {
  if (bytes > 0) (void)add(b, bytes, index, ARN__BUFFER_SCRATCH);
}

// ---- views --------------------------------------------------------------------------------------

void arn_prepare_view(arn_prepare *p, uint32_t output, uint32_t input, uint32_t byte_offset) {
  arn__builder *b = p->builder;
  p->view_input = input + 1;
  if (b == NULL || !b->complete || !arn_prepare_has_input(p, input)) return;
  const int32_t in_tensor = arn_model_index(p->model, p->node->inputs_at, input);
  const int32_t out =
      arn__builder_find(b, arn_model_index(p->model, p->node->outputs_at, output));
  if (out < 0) return;
  arn__buffer *view = arn__buffer_at(&b->buffers, (uint32_t)out);
  const int32_t in = arn__builder_find(b, in_tensor);
  arn_tensor t;
  arn__graph_read(p->model, p->subgraph, (uint32_t)in_tensor, &t);
  const bool keep_all = b->config->flags & ARN_KEEP_ALL;
  if (t.type == ARN_RESOURCE ? keep_all : byte_offset + view->bytes > t.bytes) return;
  if (in < 0 && t.type != ARN_RESOURCE && !(t.flags & ARN_TENSOR_CONST)) return;
  const bool fixed = in < 0;
  view->kind = fixed ? ARN__BUFFER_FIXED : ARN__BUFFER_VIEW;
  view->link = (uint16_t)(fixed ? input : (uint32_t)in);
  view->offset = byte_offset;
}

void arn_prepare_inside(arn_prepare *p, uint32_t input, uint32_t byte_offset) {
  (void)p;
  (void)input;
  (void)byte_offset;  // only planners that search make use of it: it lengthens the output's life
}

// ---- overlap of an output with an input ---------------------------------------------------------

// What the node's input slots say about one buffer that they read.
struct overlap {
  uint32_t root;
  uint32_t lag;       // bytes; >= the output's bytes: none
  bool in_place;
};

// The largest distance that row r's end in the output runs ahead of what is still needed of the
// input.
static uint32_t lag_of(const arn_prepare *p, const void *state, uint32_t slot, uint32_t out_row) {
  arn_tensor t;
  if (arn_prepare_input(p, slot, &t) != ARN_OK) return UINT32_MAX;
  const uint32_t in_row = arn__rows_bytes(&t);
  const uint32_t in_rows = arn__rows_of(&t).rows;
  uint32_t needed_from = in_rows, lag = 0;
  for (uint32_t r = p->rows; r-- > 0;) {
    arn_span in = {0, 0};
    p->op->rows(state, slot, (arn_span){r, 1}, &in);
    if (in.count > 0 && in.first < needed_from) needed_from = in.first;
    const uint32_t written = (r + 1) * out_row, gone = needed_from * in_row;
    if (written > gone && written - gone > lag) lag = written - gone;
  }
  return lag;
}

static struct overlap overlap_with(const arn_prepare *p, const void *state, uint32_t root,
                                   uint32_t out_row) {
  const arn__builder *b = p->builder;
  struct overlap o = {root, 0, true};
  for (uint32_t i = 0; i < p->node->input_count; i++) {
    const int32_t tensor = arn_model_index(p->model, p->node->inputs_at, i);
    const int32_t found = tensor < 0 ? -1 : arn__builder_find(b, tensor);
    uint32_t distance = 0;
    if (found < 0 || arn__buffer_root(&b->buffers, (uint32_t)found, &distance) != root) continue;
    if (distance > 0 || i >= 32) return (struct overlap){root, UINT32_MAX, false};
    if (!(p->in_place >> i & 1)) o.in_place = false;
    const bool by_rows = p->work == ARN_ROWS && p->rows > 1 && p->rows <= MAX_CUT_ROWS;
    const uint32_t lag = by_rows && p->op->rows ? lag_of(p, state, i, out_row) : UINT32_MAX;
    if (lag > o.lag) o.lag = lag;
  }
  return o;
}

static bool is_read_after(const arn__builder *b, int32_t tensor, uint32_t index) {
  for (uint32_t n = index + 1; n < b->subgraph->node_count; n++) {
    uint32_t first, count;
    const uint32_t table = arn__fb_element(b->model, b->subgraph->nodes_at, n);
    const arn__fb_table node = arn__fb_open(b->model, table);
    arn__fb_find_vector(b->model, &node, ARN__OPERATOR_INPUTS, &first, &count);
    for (uint32_t i = 0; i < count; i++) {
      if (arn__fb_u32(b->model, first + 4 * i) == (uint32_t)tensor) return true;
    }
  }
  return false;
}

// Says whether a later node reads the buffer, or a view of it.
static bool root_is_read_after(const arn__builder *b, uint32_t root, uint32_t index) {
  for (uint32_t i = root; i < b->buffers.count; i++) {
    const arn__buffer *buffer = arn__buffer_at(&b->buffers, i);
    if (i != root && buffer->kind != ARN__BUFFER_VIEW) continue;
    if (arn__buffer_root(&b->buffers, i, NULL) != root) continue;
    if (is_read_after(b, buffer->tensor, index)) return true;
  }
  return false;
}

// Bytes of the input that the output may reuse.
static uint32_t gain(const arn__builder *b, const arn__buffer *out, const struct overlap *o) {
  const uint32_t in_bytes = arn__buffer_at(&b->buffers, o->root)->bytes;
  if (o->in_place) return in_bytes < out->bytes ? in_bytes : out->bytes;
  return o->lag < out->bytes ? out->bytes - o->lag : 0;
}

static void record_overlap(arn__builder *b, const arn_prepare *p, const void *state,
                           uint32_t out_index) {
  arn__buffer *out = arn__buffer_at(&b->buffers, out_index);
  const uint32_t out_row = out->bytes / (p->rows ? p->rows : 1);
  uint32_t best = 0;
  for (uint32_t d = 1; d <= ARN__MAX_DISTANCE && d <= out_index; d++) {
    const arn__buffer *in = arn__buffer_at(&b->buffers, out_index - d);
    if (in->kind != ARN__BUFFER_TENSOR || in->last != out->first) continue;
    const struct overlap o = overlap_with(p, state, out_index - d, out_row);
    const uint32_t bytes = gain(b, out, &o);
    if (bytes <= best || root_is_read_after(b, o.root, out->first)) continue;
    best = bytes;
    const uint32_t units = o.lag < out->bytes ? (o.lag + ARN__LAG_UNIT - 1) / ARN__LAG_UNIT
                                              : ARN__LAG_NONE;
    out->link = (uint16_t)(units < ARN__LAG_NONE ? units : ARN__LAG_NONE);
    out->in_place = o.in_place;
    out->distance = d & 7u;
  }
}

void arn__builder_prepared(arn__builder *b, const arn_prepare *p, const void *state) {
  const uint32_t index = (uint32_t)p->node_index;
  if (b->complete && p->node->output_count > 0 &&
      !(b->config->flags & (ARN_NO_OVERLAP | ARN_KEEP_ALL))) {
    const int32_t out =
        arn__builder_find(b, arn_model_index(p->model, p->node->outputs_at, 0));
    if (out >= 0 && arn__buffer_at(&b->buffers, (uint32_t)out)->kind == ARN__BUFFER_TENSOR) {
      record_overlap(b, p, state, (uint32_t)out);
    }
  }
  arn__builder_scratch(b, index, p->scratch_bytes);
}

// ---- closing ------------------------------------------------------------------------------------

bool arn__builder_touches_variables(int32_t code) {
  return code == CODE_READ_VARIABLE || code == CODE_ASSIGN_VARIABLE || code == CODE_IF ||
         code == CODE_WHILE || code == CODE_CALL_ONCE || code == CODE_STABLEHLO_WHILE ||
         code == CODE_COMPOSITE;
}

bool arn__builder_assigns_between(const arn_model *m, const arn_subgraph *g, uint32_t first,
                                  uint32_t last) {
  arn_node node;
  for (uint32_t n = first + 1; n < last && n < g->node_count; n++) {
    arn_model_node(m, g, n, &node);
    if (node.code != CODE_READ_VARIABLE && arn__builder_touches_variables(node.code)) return true;
  }
  return false;
}

static void copy_endangered_reads(arn__builder *b) {
  arn_node node;
  for (uint32_t i = 0; i < b->buffers.count; i++) {
    arn__buffer *buffer = arn__buffer_at(&b->buffers, i);
    if (buffer->kind != ARN__BUFFER_FIXED) continue;
    arn_model_node(b->model, b->subgraph, buffer->first, &node);
    if (node.code != CODE_READ_VARIABLE ||
        !arn__builder_assigns_between(b->model, b->subgraph, buffer->first, buffer->last)) {
      continue;
    }
    buffer->kind = ARN__BUFFER_TENSOR;
    buffer->offset = ARN__UNPLACED;
    buffer->link = ARN__LAG_NONE;
  }
}

arn_status arn__builder_end(arn__builder *b) {
  const uint32_t end = b->subgraph->node_count;
  for (uint32_t i = 0; i < b->subgraph->output_count; i++) {
    const int32_t tensor = arn_model_index(b->model, b->subgraph->outputs_at, i);
    const arn_status status = read(b, tensor, end, ARN_NOWHERE);
    if (status != ARN_OK) return status;
  }
  if (!b->complete) return ARN_OK;
  copy_endangered_reads(b);
  if (!(b->config->flags & ARN_KEEP_ALL)) return ARN_OK;
  for (uint32_t i = 0; i < b->buffers.count; i++) {
    arn__buffer *buffer = arn__buffer_at(&b->buffers, i);
    // Scratch and fixed buffers are found by their node, which is `first`.
    if (buffer->kind == ARN__BUFFER_SCRATCH || buffer->kind == ARN__BUFFER_FIXED) continue;
    buffer->first = 0;
    buffer->last = end & 0x1FFFu;
  }
  return ARN_OK;
}
