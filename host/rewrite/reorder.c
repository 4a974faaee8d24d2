#include "host/rewrite/reorder.h"

#include <stdlib.h>
#include <string.h>

#include "host/rewrite/graph.h"
#include "host/search/order.h"

#define MOST_STATES 200000u

// An order being written: nodes that the search left out (views, constants that readers take in
// place) come right before the first node that reads them.
struct list {
  const rewrite_graph *g;
  uint32_t *nodes;   // [node_count]
  uint32_t count;
  bool *listed;      // [node_count]
};

static int32_t writer_of(const rewrite_graph *g, int32_t tensor) {
  const rewrite_node *n = tensor < 0 ? NULL : rewrite_writer(g, tensor);
  return n ? (int32_t)(n - g->nodes) : -1;
}

// Depth is bounded by the number of nodes, which verification bounds.
static void add(struct list *l, uint32_t node) {
  if (l->listed[node]) return;
  l->listed[node] = true;
  const rewrite_node *n = &l->g->nodes[node];
  for (uint32_t i = 0; i < n->node.input_count; i++) {
    const int32_t before = writer_of(l->g, n->inputs[i]);
    if (before >= 0) add(l, (uint32_t)before);
  }
  l->nodes[l->count++] = node;
}

static void add_all(struct list *l, const host_order *order) {
  for (uint32_t k = 0; k < order->count; k++) add(l, order->nodes[k]);
  for (uint32_t i = 0; i < l->g->subgraph.node_count; i++) add(l, i);
}

static bool is_sorted(const struct list *l) {
  for (uint32_t k = 1; k < l->count; k++) {
    if (l->nodes[k] < l->nodes[k - 1]) return false;
  }
  return true;
}

static bool write_in_order(rewrite_graph *g, const host_order *order, uint8_t **bytes, size_t *size,
                           const char **why) {
  const uint32_t count = g->subgraph.node_count;
  struct list l = {.g = g, .nodes = calloc(count + 1u, sizeof *l.nodes),
                   .listed = calloc(count + 1u, sizeof *l.listed)};
  bool ok = l.nodes && l.listed;
  *why = ok ? NULL : "out of host memory";
  if (ok) add_all(&l, order);
  if (ok && !is_sorted(&l)) {
    g->order = l.nodes;
    ok = rewrite_graph_write(g, bytes, size, why);
    g->order = NULL;
  }
  free(l.nodes);
  free(l.listed);
  return ok;
}

static bool search(const void *source, size_t size, host_order *order, const char **why) {
  const host_options options = {.config = {.flags = ARN_IGNORE_PLAN}, .fill = HOST_FILL_ZERO};
  const host_stream_wish nothing = {0, 0};
  host_engine e;
  host_row_graph graph;
  arn_error error;
  *why = "the model does not start";
  if (host_engine_open(&e, source, size, &options, &error) != ARN_OK) return false;
  *why = "its operators cannot be ordered";
  bool ok = host_row_graph_build(&graph, &e.nn, nothing);
  if (ok) {
    ok = host_order_search(&graph, MOST_STATES, order);
    host_row_graph_free(&graph);
  }
  host_engine_close(&e);
  if (ok) *why = NULL;
  return ok;
}

bool arn_reorder(const void *source, size_t source_bytes, uint8_t **bytes, size_t *size,
                 const char **why) {
  rewrite_graph g;
  host_order order = {0};
  uint32_t plan_bytes;
  *bytes = NULL;
  *size = 0;
  *why = "the file cannot be read";
  if (!rewrite_graph_open(&g, source, source_bytes)) return false;
  bool ok = true;
  *why = NULL;
  if (arn_model_metadata(&g.model, "arenite.plan", &plan_bytes) == NULL) {
    ok = search(source, source_bytes, &order, why) &&
         write_in_order(&g, &order, bytes, size, why);
  }
  free(order.nodes);
  rewrite_graph_free(&g);
  return ok;
}

// Files are read in place: at a multiple of 16.
static bool align(arn_reordered *r) {
  uint8_t *copy = aligned_alloc(16, (r->size / 16 + 1) * 16);
  if (copy) memcpy(copy, r->bytes, r->size);
  free(r->bytes);
  r->bytes = copy;
  return copy != NULL;
}

bool arn_reorder_measured(const void *source, size_t source_bytes, const arn_config *config,
                          arn_reordered *r, const char **why) {
  arn_model model;
  arn_error error;
  memset(r, 0, sizeof *r);
  if (!arn_reorder(source, source_bytes, &r->bytes, &r->size, why)) return false;
  if (r->bytes == NULL) return true;
  *why = "out of host memory";
  if (!align(r)) return false;
  *why = "the reordered file does not start";
  bool ok = arn_model_open(&model, r->bytes, r->size, &error) == ARN_OK;
  if (ok) arn_model_infer_shapes(&model);
  ok = ok && host_measure(&model, config, &r->usage, &error) == ARN_OK;
  if (ok) return true;
  free(r->bytes);
  r->bytes = NULL;
  return false;
}
