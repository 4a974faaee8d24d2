#include "host/rewrite/graph.h"

#include <stdlib.h>
#include <string.h>

#include "host/rewrite/metadata.h"

// Fields of the schema's tables.
enum { MODEL_SUBGRAPHS = 2 };
enum { GRAPH_TENSORS = 0, GRAPH_OPERATORS = 3 };
enum { OPERATOR_INPUTS = 1, OPERATOR_OUTPUTS = 2 };
enum { TENSOR_SHAPE = 0, TENSOR_BUFFER = 2, TENSOR_SIGNATURE = 7 };

// ---- opening ------------------------------------------------------------------------------------

static int32_t *list_of(const arn_model *m, uint32_t at, uint32_t count) {
  int32_t *list = malloc((count + 1) * sizeof *list);
  for (uint32_t i = 0; list && i < count; i++) list[i] = arn_model_index(m, at, i);
  return list;
}

static bool read_nodes(rewrite_graph *g, arn_fbsource *source) {
  const uint32_t at = arn__fbcopy_follow(source, g->subgraph_at, GRAPH_OPERATORS);
  for (uint32_t i = 0; i < g->subgraph.node_count; i++) {
    rewrite_node *n = &g->nodes[i];
    arn_model_node(&g->model, &g->subgraph, i, &n->node);
    n->table_at = arn__fbcopy_element(source, at, i);
    n->inputs = list_of(&g->model, n->node.inputs_at, n->node.input_count);
    n->outputs = list_of(&g->model, n->node.outputs_at, n->node.output_count);
    n->option = REWRITE_NO_CHANGE;
    if (!n->inputs || !n->outputs) return false;
  }
  return true;
}

// Notes a shape that is not the one in the file.
static void read_shape(rewrite_tensor *to, const arn_tensor *found, const arn_tensor *written) {
  to->rank = found->rank;
  memcpy(to->dims, found->dims, sizeof to->dims);
  to->reshaped = found->rank != written->rank ||
                 memcmp(found->dims, written->dims, found->rank * sizeof *found->dims) != 0;
}

static void read_tensors(rewrite_graph *g, arn_fbsource *source) {
  const uint32_t at = arn__fbcopy_follow(source, g->subgraph_at, GRAPH_TENSORS);
  arn_model as_written = g->model;
  as_written.infer = NULL;
  for (uint32_t i = 0; i < g->subgraph.tensor_count; i++) {
    arn_tensor t, written;
    arn_model_tensor(&g->model, &g->subgraph, i, &t);
    arn_model_tensor(&as_written, &g->subgraph, i, &written);
    g->tensors[i].table_at = arn__fbcopy_element(source, at, i);
    g->tensors[i].constant = (t.flags & ARN_TENSOR_CONST) != 0;
    read_shape(&g->tensors[i], &t, &written);
  }
}

bool rewrite_graph_open(rewrite_graph *g, const void *bytes, size_t size) {
  arn_error error;
  arn_fbsource source = {0};
  *g = (rewrite_graph){.bytes = bytes, .size = size};
  if (arn_model_open(&g->model, bytes, size, &error) != ARN_OK) return false;
  arn_model_infer_shapes(&g->model);
  if (arn_model_subgraph(&g->model, 0, &g->subgraph) != ARN_OK) return false;
  const uint32_t root = arn__fbcopy_open(&source, bytes, size);
  const uint32_t graphs = arn__fbcopy_follow(&source, root, MODEL_SUBGRAPHS);
  g->subgraph_at = arn__fbcopy_element(&source, graphs, 0);
  g->nodes = calloc(g->subgraph.node_count + 1u, sizeof *g->nodes);
  g->tensors = calloc(g->subgraph.tensor_count + 1u, sizeof *g->tensors);
  if (g->nodes && g->tensors && read_nodes(g, &source)) {
    read_tensors(g, &source);
    if (source.error == NULL) return true;
  }
  rewrite_graph_free(g);
  return false;
}

void rewrite_graph_free(rewrite_graph *g) {
  for (uint32_t i = 0; g->nodes && i < g->subgraph.node_count; i++) {
    free(g->nodes[i].inputs);
    free(g->nodes[i].outputs);
  }
  for (uint32_t i = 0; g->tensors && i < g->subgraph.tensor_count; i++) free(g->tensors[i].data);
  free(g->nodes);
  free(g->tensors);
  g->nodes = NULL;
  g->tensors = NULL;
}

// ---- asking and changing ------------------------------------------------------------------------

bool rewrite_is_output(const rewrite_graph *g, int32_t tensor) {
  return arn_model_index_find(&g->model, g->subgraph.outputs_at, g->subgraph.output_count,
                              tensor) >= 0;
}

uint32_t rewrite_readers(const rewrite_graph *g, int32_t tensor) {
  uint32_t readers = rewrite_is_output(g, tensor) ? 1 : 0;
  for (uint32_t i = 0; i < g->subgraph.node_count; i++) {
    const rewrite_node *n = &g->nodes[i];
    for (uint32_t k = 0; !n->gone && k < n->node.input_count; k++) {
      if (n->inputs[k] == tensor) readers++;
    }
  }
  return readers;
}

rewrite_node *rewrite_writer(const rewrite_graph *g, int32_t tensor) {
  for (uint32_t i = 0; i < g->subgraph.node_count; i++) {
    rewrite_node *n = &g->nodes[i];
    for (uint32_t k = 0; !n->gone && k < n->node.output_count; k++) {
      if (n->outputs[k] == tensor) return n;
    }
  }
  return NULL;
}

void rewrite_read_instead(rewrite_graph *g, int32_t from, int32_t to) {
  for (uint32_t i = 0; i < g->subgraph.node_count; i++) {
    rewrite_node *n = &g->nodes[i];
    for (uint32_t k = 0; !n->gone && k < n->node.input_count; k++) {
      if (n->inputs[k] != from) continue;
      n->inputs[k] = to;
      n->inputs_changed = true;
    }
  }
}

// ---- writing ------------------------------------------------------------------------------------

struct output {
  arn_fbedit *edits;
  uint32_t edit_count;
  arn_metadata_entry *buffers;
  uint32_t buffer_count;
  int32_t *kept;
};

static void edit(struct output *o, arn_fbedit change) { o->edits[o->edit_count++] = change; }

static void edit_nodes(const rewrite_graph *g, struct output *o) {
  uint32_t kept = 0;
  for (uint32_t k = 0; k < g->subgraph.node_count; k++) {
    const uint32_t i = g->order ? g->order[k] : k;
    const rewrite_node *n = &g->nodes[i];
    if (n->gone) continue;
    o->kept[kept++] = (int32_t)i;
    if (n->inputs_changed) {
      edit(o, (arn_fbedit){.table_at = n->table_at, .field = OPERATOR_INPUTS, .list = n->inputs,
                           .count = n->node.input_count});
    }
    if (n->outputs_changed) {
      edit(o, (arn_fbedit){.table_at = n->table_at, .field = OPERATOR_OUTPUTS, .list = n->outputs,
                           .count = n->node.output_count});
    }
    if (n->option != REWRITE_NO_CHANGE) {
      edit(o, (arn_fbedit){.table_at = n->table_at, .in_options = true,
                           .field = (uint32_t)n->option, .value = (uint64_t)n->value});
    }
  }
  edit(o, (arn_fbedit){.table_at = g->subgraph_at, .field = GRAPH_OPERATORS, .list = o->kept,
                       .count = kept});
}

static void edit_shape(const rewrite_tensor *t, bool has_signature, struct output *o) {
  edit(o, (arn_fbedit){.table_at = t->table_at, .field = TENSOR_SHAPE, .list = t->dims,
                       .count = t->rank});
  if (!has_signature) return;
  edit(o, (arn_fbedit){.table_at = t->table_at, .field = TENSOR_SIGNATURE, .list = t->dims,
                       .count = t->rank});
}

static void edit_tensors(const rewrite_graph *g, struct output *o) {
  arn_fbsource source = {.bytes = g->bytes, .size = (uint32_t)g->size};
  for (uint32_t i = 0; i < g->subgraph.tensor_count; i++) {
    const rewrite_tensor *t = &g->tensors[i];
    if (t->reshaped) {
      edit_shape(t, arn__fbcopy_field(&source, t->table_at, TENSOR_SIGNATURE).at != 0, o);
    }
    if (t->data == NULL) continue;
    edit(o, (arn_fbedit){.table_at = t->table_at, .field = TENSOR_BUFFER,
                         .value = g->model.buffer_count + o->buffer_count});
    o->buffers[o->buffer_count++] = (arn_metadata_entry){NULL, t->data, t->bytes};
  }
}

bool rewrite_graph_write(const rewrite_graph *g, uint8_t **bytes, size_t *size, const char **why) {
  const arn_subgraph *s = &g->subgraph;
  struct output o = {.edits = calloc(3u * (s->node_count + s->tensor_count) + 1u, sizeof *o.edits),
                     .buffers = calloc(s->tensor_count + 1u, sizeof *o.buffers),
                     .kept = calloc(s->node_count + 1u, sizeof *o.kept)};
  bool ok = o.edits && o.buffers && o.kept;
  *why = ok ? NULL : "out of host memory";
  if (ok) {
    edit_nodes(g, &o);
    edit_tensors(g, &o);
    const arn_file_changes changes = {.buffers = o.buffers, .buffer_count = o.buffer_count,
                                      .edits = o.edits, .edit_count = o.edit_count};
    ok = arn_file_change(g->bytes, g->size, &changes, bytes, size, why);
  }
  free(o.edits);
  free(o.buffers);
  free(o.kept);
  return ok;
}
