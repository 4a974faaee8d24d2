#include "host/search/rowbound.h"

#include <stdlib.h>
#include <string.h>

#define NOBODY UINT32_MAX

// A node, or a streamed input (whose rows arrive one by one): who they are for, and by rows done,
// bytes.
struct vertex {
  uint32_t rows;           // 0: not there
  uint32_t parent, tree;   // the reader whose needs are kept; the end of its line
  int64_t *own;            // [rows + 1] bytes born less bytes dead, by its doing
  int64_t *below;          // [rows + 1] and of all that it needs, at the least
  int64_t *least;          // [rows + 1] the least of below[r ...]
  int64_t *above;          // [rows + 1] the rest of the tree, at the least
  uint32_t *needs;         // [parent's rows + 1] rows of this, by rows of the parent
};

struct bound {
  const host_row_graph *g;
  struct vertex *vertices;   // nodes, then roots
  uint32_t count;
  int64_t inputs, trees;     // bytes of inputs in memory; the least of all trees
};

static int64_t granules(uint64_t bytes) { return (int64_t)((bytes + 3) / 4 * 4); }

static uint32_t lesser(uint32_t a, uint32_t b) { return a < b ? a : b; }

// Bytes taken by the first `bytes` of a root, and given back by as many; neither beyond what is
// read.
static int64_t taken(const host_root *r, uint32_t bytes) {
  if (bytes > r->read_end) bytes = r->read_end;
  if (r->rigid || r->row_bytes == 0) return granules(bytes);
  return granules(r->row_bytes) * ((bytes + r->row_bytes - 1) / r->row_bytes);
}

static int64_t given(const host_root *r, uint32_t bytes) {
  if (bytes >= r->read_end) return taken(r, r->read_end);
  if (r->rigid || r->row_bytes == 0) return bytes / 4 * 4;
  return granules(r->row_bytes) * (bytes / r->row_bytes);
}

static bool stays(const host_root *r) { return r->is_output && !r->streamed_out; }

// ---- the forest ---------------------------------------------------------------------------------

static uint32_t maker_of(const struct bound *b, uint32_t root) {
  const host_root *r = &b->g->roots[root];
  return r->producer >= 0 ? (uint32_t)r->producer : b->g->node_count + root;
}

static void choose_parents(struct bound *b) {
  const host_row_graph *g = b->g;
  for (uint32_t k = 0; k < g->use_count; k++) {
    struct vertex *maker = &b->vertices[maker_of(b, g->uses[k].root)];
    if (maker->rows > 0) maker->parent = lesser(maker->parent, g->uses[k].node);
  }
  for (uint32_t v = b->count; v-- > 0;) {
    struct vertex *x = &b->vertices[v];
    x->tree = v;
  }
  // Parents stand behind their nodes in the file's order; streamed inputs stand behind all nodes.
  for (uint32_t v = b->g->node_count; v-- > 0;) {
    struct vertex *x = &b->vertices[v];
    if (x->parent != NOBODY) x->tree = b->vertices[x->parent].tree;
  }
  for (uint32_t v = b->g->node_count; v < b->count; v++) {
    struct vertex *x = &b->vertices[v];
    if (x->parent != NOBODY) x->tree = b->vertices[x->parent].tree;
  }
}

// Rows of a vertex that make bytes [0, until) of a root.
static uint32_t rows_for(const struct bound *b, uint32_t v, uint32_t root, uint32_t until) {
  const host_row_graph *g = b->g;
  uint32_t row = v < g->node_count ? 0 : g->roots[root].row_bytes;
  if (until == 0) return 0;
  if (v < g->node_count && g->nodes[v].work == ARN_ROWS) {
    for (uint32_t i = 0; i < g->nodes[v].output_count; i++) {
      if (g->nodes[v].outputs[i] == root) row = g->nodes[v].output_row_bytes[i];
    }
  }
  if (row == 0) return b->vertices[v].rows;
  return lesser((until + row - 1) / row, b->vertices[v].rows);
}

static void fill_needs(const struct bound *b, uint32_t v) {
  const host_row_graph *g = b->g;
  struct vertex *x = &b->vertices[v];
  const host_row_node *parent = &g->nodes[x->parent];
  for (uint32_t k = parent->first_use; k < parent->first_use + parent->use_count; k++) {
    const host_use *u = &g->uses[k];
    uint32_t most = 0;
    if (maker_of(b, u->root) != v) continue;
    for (uint32_t r = 0; r < b->vertices[x->parent].rows; r++) {
      const uint32_t until = r + 1 == parent->rows ? u->last_until : u->until[r];
      const uint32_t rows = rows_for(b, v, u->root, until);
      if (rows > most) most = rows;
      if (most > x->needs[r + 1]) x->needs[r + 1] = most;
    }
  }
}

// ---- bytes by progress --------------------------------------------------------------------------

static uint32_t born_bytes(const host_row_node *node, uint32_t output, uint32_t bytes,
                           uint32_t rows) {
  if (node->work == ARN_ROWS) return rows * node->output_row_bytes[output];
  return rows == node->rows ? bytes : 0;
}

static void add_births(const struct bound *b, uint32_t n) {
  const host_row_node *node = &b->g->nodes[n];
  for (uint32_t i = 0; i < node->output_count; i++) {
    const host_root *root = &b->g->roots[node->outputs[i]];
    if (root->streamed_out) continue;
    for (uint32_t r = 0; r <= b->vertices[n].rows; r++) {
      b->vertices[n].own[r] += taken(root, born_bytes(node, i, root->bytes, r));
    }
  }
}

// A root dies with its last reader, by the first byte that any of that node's slots still needs.
static void take_deaths(const struct bound *b, uint32_t root) {
  const host_row_graph *g = b->g;
  const host_root *r = &g->roots[root];
  uint32_t last = 0;
  if (stays(r) || g->reader_first[root] == g->reader_first[root + 1]) return;
  for (uint32_t k = g->reader_first[root]; k < g->reader_first[root + 1]; k++) {
    const uint32_t node = g->uses[g->readers[k]].node;
    if (node > last) last = node;
  }
  struct vertex *x = &b->vertices[last];
  for (uint32_t rows = 0; rows <= x->rows; rows++) {
    uint32_t dead = UINT32_MAX;
    for (uint32_t k = g->reader_first[root]; k < g->reader_first[root + 1]; k++) {
      const host_use *u = &g->uses[g->readers[k]];
      if (u->node == last) dead = lesser(dead, u->need[rows]);
    }
    x->own[rows] -= given(r, dead);
  }
}

// ---- the least of all states --------------------------------------------------------------------

// Bytes below a vertex when `at` of its rows are done, and what it needs is there for `rows` of
// them.
static int64_t subtree(const struct bound *b, uint32_t v, uint32_t at, uint32_t rows) {
  int64_t sum = b->vertices[v].own[at];
  for (uint32_t c = 0; c < b->count; c++) {
    const struct vertex *child = &b->vertices[c];
    if (child->rows > 0 && child->parent == v) sum += child->least[child->needs[rows]];
  }
  return sum;
}

static void look_down(struct bound *b, uint32_t v) {
  struct vertex *x = &b->vertices[v];
  for (uint32_t r = x->rows + 1; r-- > 0;) {
    x->below[r] = subtree(b, v, r, r);
    x->least[r] = x->below[r];
    if (r < x->rows && x->least[r + 1] < x->least[r]) x->least[r] = x->least[r + 1];
  }
  if (x->parent == NOBODY) b->trees += x->least[0];
}

static void look_up(const struct bound *b, uint32_t v) {
  struct vertex *x = &b->vertices[v];
  if (x->parent == NOBODY) return;
  const struct vertex *p = &b->vertices[x->parent];
  int64_t least = INT64_MAX;
  uint32_t t = 0;
  for (uint32_t r = 0; r <= x->rows; r++) {
    for (; t <= p->rows && x->needs[t] <= r; t++) {
      const int64_t rest = p->below[t] - x->least[x->needs[t]] + p->above[t];
      if (rest < least) least = rest;
    }
    x->above[r] = least;
  }
}

static int64_t step_bytes(const struct bound *b, uint32_t n, uint32_t row) {
  const host_row_node *node = &b->g->nodes[n];
  int64_t sum = 0;
  for (uint32_t i = 0; i < node->output_count; i++) {
    const host_root *r = &b->g->roots[node->outputs[i]];
    if (node->work == ARN_ROWS && !r->rigid) sum += granules(node->output_row_bytes[i]);
    if (node->work == ARN_ROWS && r->rigid) sum += node->output_row_bytes[i] / 4 * 4;
    if (node->work != ARN_ROWS && row + 1 == node->rows) sum += granules(r->bytes);
  }
  return node->in_place ? granules(node->scratch_bytes) : sum + granules(node->scratch_bytes);
}

static int64_t highest_step(const struct bound *b, uint32_t n) {
  const struct vertex *x = &b->vertices[n];
  const int64_t rest = b->inputs + b->trees - b->vertices[x->tree].least[0];
  int64_t highest = 0;
  for (uint32_t r = 0; r < x->rows; r++) {
    const int64_t bytes = rest + subtree(b, n, r, r + 1) + x->above[r] + step_bytes(b, n, r);
    if (bytes > highest) highest = bytes;
  }
  return highest;
}

// ---- all of it ----------------------------------------------------------------------------------

static uint32_t vertex_rows(const host_row_graph *g, uint32_t v) {
  if (v < g->node_count) return g->nodes[v].skip ? 0 : g->nodes[v].wanted;
  const host_root *r = &g->roots[v - g->node_count];
  return r->streamed_in && r->row_bytes > 0 ? r->bytes / r->row_bytes : 0;
}

static bool open_vertices(struct bound *b) {
  b->count = b->g->node_count + b->g->root_count;
  b->vertices = calloc(b->count + 1u, sizeof *b->vertices);
  if (b->vertices == NULL) return false;
  for (uint32_t v = 0; v < b->count; v++) {
    struct vertex *x = &b->vertices[v];
    x->rows = vertex_rows(b->g, v);
    x->parent = NOBODY;
    x->own = calloc(4 * ((size_t)x->rows + 1), sizeof *x->own);
    if (x->own == NULL) return false;
    x->below = x->own + x->rows + 1;
    x->least = x->below + x->rows + 1;
    x->above = x->least + x->rows + 1;
  }
  choose_parents(b);
  for (uint32_t v = 0; v < b->count; v++) {
    struct vertex *x = &b->vertices[v];
    if (x->parent == NOBODY) continue;
    x->needs = calloc((size_t)b->vertices[x->parent].rows + 1, sizeof *x->needs);
    if (x->needs == NULL) return false;
    fill_needs(b, v);
  }
  return true;
}

static void close_vertices(struct bound *b) {
  for (uint32_t v = 0; b->vertices && v < b->count; v++) {
    free(b->vertices[v].own);
    free(b->vertices[v].needs);
  }
  free(b->vertices);
}

static void count_bytes(struct bound *b) {
  const host_row_graph *g = b->g;
  for (uint32_t n = 0; n < g->node_count; n++) add_births(b, n);
  for (uint32_t i = 0; i < g->root_count; i++) {
    const host_root *r = &g->roots[i];
    struct vertex *source = &b->vertices[g->node_count + i];
    if (r->producer < 0 && !r->streamed_in) b->inputs += taken(r, r->bytes);
    for (uint32_t k = 1; k <= source->rows; k++) source->own[k] += taken(r, k * r->row_bytes);
    take_deaths(b, i);
  }
}

// What is alive in the end.
static int64_t output_bytes(const host_row_graph *g) {
  int64_t sum = 0;
  for (uint32_t i = 0; i < g->root_count; i++) {
    if (stays(&g->roots[i])) sum += granules(g->roots[i].bytes);
  }
  return sum;
}

uint64_t host_row_bound(const host_row_graph *g) {
  struct bound b = {.g = g};
  int64_t highest = output_bytes(g);
  if (open_vertices(&b)) {
    count_bytes(&b);
    for (uint32_t v = g->node_count; v < b.count; v++) look_down(&b, v);
    for (uint32_t v = 0; v < g->node_count; v++) look_down(&b, v);
    for (uint32_t v = g->node_count; v-- > 0;) look_up(&b, v);
    for (uint32_t n = 0; n < g->node_count; n++) {
      const int64_t bytes = highest_step(&b, n);
      if (bytes > highest) highest = bytes;
    }
  }
  close_vertices(&b);
  return highest > b.inputs ? (uint64_t)highest : (uint64_t)b.inputs;
}
