#include "host/search/rowgraph.h"

#include <stdlib.h>
#include <string.h>

#include "host/check/trial.h"
#include "src/graph/graph.h"
#include "src/graph/rows.h"
#include "src/plan/builder.h"

#define MAX_OUTPUTS 8u
#define NO_ROOT UINT32_MAX

static arn_tensor read_tensor(const host_row_graph *g, int32_t tensor) {
  arn_tensor t;
  arn_model_tensor(g->nn->model, &g->subgraph, (uint32_t)tensor, &t);
  return t;
}

// Views of what was read from a variable get memory of their own: only READ_VARIABLE itself is
// known to be safe in place when rows run in another order.
static bool is_dynamic(const host_row_graph *g, int32_t tensor) {
  if (tensor < 0) return false;
  const arn_tensor t = read_tensor(g, tensor);
  const arn_region region = arn_place_of_tensor(g->nn, 0, (uint32_t)tensor).region;
  if (region == ARN_REGION_DYNAMIC) return true;
  if (region == ARN_REGION_NONE || t.type == ARN_RESOURCE) return false;
  if (t.flags & (ARN_TENSOR_CONST | ARN_TENSOR_VARIABLE)) return false;
  const int32_t producer = arn__graph_producer(g->nn->model, &g->subgraph, tensor);
  arn_node node;
  if (producer < 0) return false;
  arn_model_node(g->nn->model, &g->subgraph, (uint32_t)producer, &node);
  return node.code != 143 && node.code != 6 && node.code != 124;
}

// ---- roots --------------------------------------------------------------------------------------

static uint32_t add_root(host_row_graph *g, int32_t tensor, int32_t producer) {
  const arn_tensor t = read_tensor(g, tensor);
  host_root *r = &g->roots[g->root_count];
  *r = (host_root){.tensor = (uint32_t)tensor, .bytes = t.bytes, .producer = producer};
  g->root_of[tensor] = (int32_t)g->root_count;
  return g->root_count++;
}

static void add_inputs(host_row_graph *g, host_stream_wish wish) {
  for (uint32_t i = 0; i < g->subgraph.input_count; i++) {
    const int32_t tensor = arn_model_index(g->nn->model, g->subgraph.inputs_at, i);
    if (!is_dynamic(g, tensor) || g->root_of[tensor] >= 0) continue;
    host_root *r = &g->roots[add_root(g, tensor, -1)];
    r->is_input = true;
    r->input_port = i;
    r->streamed_in = i < 32 && (wish.inputs >> i & 1);
  }
}

// A view whose bytes are all of its input's gets the input's root, and no steps.
static bool fold_view(host_row_graph *g, const host_trial *t) {
  if (t->p.view_input == 0 || t->node.output_count != 1) return false;
  const int32_t in = arn_model_index(g->nn->model, t->node.inputs_at, t->p.view_input - 1);
  const int32_t out = arn_model_index(g->nn->model, t->node.outputs_at, 0);
  if (!is_dynamic(g, in) || !is_dynamic(g, out) || g->root_of[in] < 0) return false;
  if (read_tensor(g, in).bytes != read_tensor(g, out).bytes) return false;
  g->root_of[out] = g->root_of[in];
  return true;
}

// ---- uses ---------------------------------------------------------------------------------------

static bool add_use(host_row_graph *g, host_row_node *node, const host_trial *t, uint32_t slot,
                    uint32_t root) {
  const int32_t tensor = arn_model_index(g->nn->model, t->node.inputs_at, slot);
  const arn_tensor in = read_tensor(g, tensor);
  const uint32_t row_bytes = arn__rows_bytes(&in), rows = node->rows;
  host_use *u = &g->uses[g->use_count];
  *u = (host_use){.node = node->index, .slot = slot, .root = root};
  u->need = calloc(rows + 1, sizeof *u->need);
  u->until = calloc(rows, sizeof *u->until);
  if (u->need == NULL || u->until == NULL) {
    free(u->need);
    free(u->until);
    return false;
  }
  g->use_count++;
  node->use_count++;
  u->need[rows] = UINT32_MAX;
  for (uint32_t r = rows; r-- > 0;) {
    arn_span span = {0, 0};
    uint32_t first = 0, last = in.bytes;
    if (node->work == ARN_ROWS) {
      t->p.op->rows(t->state, slot, (arn_span){r, 1}, &span);
      first = span.count ? span.first * row_bytes : UINT32_MAX;
      last = span.count ? (span.first + span.count) * row_bytes : 0;
      if (slot == 0 && span.count && first < r * t->p.advance) first = r * t->p.advance;
    } else if (node->work == ARN_FOLD && slot == 0) {
      first = r * (in.bytes / rows);
      last = first + in.bytes / rows;
    }
    u->until[r] = last;
    u->need[r] = first < u->need[r + 1] ? first : u->need[r + 1];
  }
  return true;
}

static bool add_uses(host_row_graph *g, host_row_node *node, const host_trial *t) {
  node->first_use = g->use_count;
  for (uint32_t i = 0; i < t->node.input_count; i++) {
    const int32_t tensor = arn_model_index(g->nn->model, t->node.inputs_at, i);
    if (tensor < 0 || g->root_of[tensor] < 0) continue;
    if (!add_use(g, node, t, i, (uint32_t)g->root_of[tensor])) return false;
  }
  return true;
}

static void choose_in_place(const host_row_graph *g, host_row_node *node, const host_trial *t) {
  node->in_place_root = NO_ROOT;
  if (node->output_count == 0 || node->work != ARN_ROWS) return;
  for (uint32_t k = node->first_use; k < node->first_use + node->use_count; k++) {
    const host_use *u = &g->uses[k];
    if (u->slot >= 32 || !(t->p.in_place >> u->slot & 1)) continue;
    const arn_tensor in =
        read_tensor(g, arn_model_index(g->nn->model, t->node.inputs_at, u->slot));
    bool twice = false;
    for (uint32_t j = node->first_use; j < node->first_use + node->use_count; j++) {
      twice |= j != k && g->uses[j].root == u->root;
    }
    if (twice || arn__rows_bytes(&in) < node->output_row_bytes[0]) continue;
    node->in_place_root = u->root;
    node->in_place_slot = u->slot;
    return;
  }
}

// ---- nodes --------------------------------------------------------------------------------------

// A single vector that folds takes its input by the rows of whatever made it. Floats do not: other
// parts give other sums.
static uint32_t fold_rows(const host_row_graph *g, const host_trial *t, uint32_t rows) {
  const int32_t in = arn_model_index(g->nn->model, t->node.inputs_at, 0);
  if (rows > 1 || g->root_of[in] < 0 || read_tensor(g, in).type == ARN_FLOAT32) return rows;
  const host_root *r = &g->roots[g->root_of[in]];
  if (r->is_input && !r->streamed_in) return rows;
  const arn_tensor owner = read_tensor(g, (int32_t)r->tensor);
  return arn__rows_of(&owner).rows;
}

static bool add_outputs(host_row_graph *g, host_row_node *node, const host_trial *t) {
  for (uint32_t i = 0; i < t->node.output_count; i++) {
    const int32_t tensor = arn_model_index(g->nn->model, t->node.outputs_at, i);
    if (!is_dynamic(g, tensor)) continue;
    if (node->output_count == MAX_OUTPUTS) return false;
    const uint32_t root = add_root(g, tensor, (int32_t)node->index);
    node->outputs[node->output_count] = root;
    node->output_row_bytes[node->output_count++] =
        node->work == ARN_ROWS ? g->roots[root].bytes / node->rows : g->roots[root].bytes;
  }
  return true;
}

static bool add_node(host_row_graph *g, uint32_t n) {
  host_trial t;
  host_row_node *node = &g->nodes[n];
  const bool prepared = host_trial_prepare(&t, g->nn, 0, n);
  node->index = n;
  node->in_place_root = NO_ROOT;
  node->skip = t.memory.skipped;
  node->barrier = t.memory.op && arn__builder_touches_variables(t.memory.op->code);
  if (node->skip) return true;
  if (!prepared) return false;
  node->skip = fold_view(g, &t);
  if (node->skip) return true;
  node->work = t.p.work;
  node->rows = t.p.rows > 1 && t.p.work != ARN_WHOLE ? t.p.rows : 1;
  if (node->work == ARN_FOLD) {
    const uint32_t own = node->rows;
    node->rows = fold_rows(g, &t, own);
    node->borrowed = node->rows != own;
  }
  if (node->work == ARN_ROWS && t.p.op->rows == NULL) node->work = ARN_WHOLE;
  if (node->work == ARN_WHOLE) node->rows = 1;
  node->scratch_bytes = t.memory.scratch_bytes;
  node->fold_bytes = t.p.fold_bytes;
  node->in_place = t.p.in_place;
  if (!add_uses(g, node, &t) || !add_outputs(g, node, &t)) return false;
  choose_in_place(g, node, &t);
  return true;
}

// ---- which roots must be contiguous -------------------------------------------------------------

// All who reach a root by rows must mean the same rows; a whole-tensor operator wants one block.
static void settle_row(host_root *r, uint32_t row_bytes) {
  if (r->row_bytes == 0) r->row_bytes = row_bytes;
  if (r->row_bytes != row_bytes) r->rigid = true;
}

static void settle_uses(host_row_graph *g) {
  for (uint32_t k = 0; k < g->use_count; k++) {
    const host_use *u = &g->uses[k];
    const host_row_node *node = &g->nodes[u->node];
    arn_node raw;
    arn_model_node(g->nn->model, &g->subgraph, u->node, &raw);
    const arn_tensor in = read_tensor(g, arn_model_index(g->nn->model, raw.inputs_at, u->slot));
    host_root *r = &g->roots[u->root];
    if (node->work == ARN_FOLD && u->slot == 0) {
      if (node->rows > 1) settle_row(r, in.bytes / node->rows);
      if (node->rows == 1) r->rigid = true;
    } else if (node->work == ARN_ROWS && arn__rows_of(&in).rows > 1) {
      settle_row(r, arn__rows_bytes(&in));
    } else {
      r->rigid = true;
    }
  }
}

// An output that nodes read as well dies with its last reader, not when it is handed over.
static bool is_used(const host_row_graph *g, uint32_t root) {
  for (uint32_t i = 0; i < g->use_count; i++) {
    if (g->uses[i].root == root) return true;
  }
  return false;
}

static bool is_read(const host_row_graph *g, uint32_t root) {
  for (uint32_t i = 0; i < g->use_count; i++) {
    const host_use *u = &g->uses[i];
    for (uint32_t r = 0; u->root == root && r < g->nodes[u->node].rows; r++) {
      if (u->until[r] > 0) return true;
    }
  }
  return false;
}

// An input that is an output as well (a view of it), or of which nobody reads a byte (SHAPE asks
// for its dimensions only), has no rows to ask for.
static void settle_streams(host_row_graph *g) {
  for (uint32_t i = 0; i < g->root_count; i++) {
    host_root *r = &g->roots[i];
    if (!r->streamed_in || (!r->is_output && is_read(g, i))) continue;
    r->streamed_in = false;
    r->rigid = true;
  }
}

static void settle_roots(host_row_graph *g, host_stream_wish wish) {
  for (uint32_t i = 0; i < g->root_count; i++) {
    host_root *r = &g->roots[i];
    const host_row_node *maker = r->producer >= 0 ? &g->nodes[r->producer] : NULL;
    if (maker == NULL) {
      const arn_tensor t = read_tensor(g, (int32_t)r->tensor);
      if (r->streamed_in) settle_row(r, arn__rows_bytes(&t));
      if (!r->streamed_in) r->rigid = true;
    } else if (maker->work == ARN_ROWS) {
      settle_row(r, r->bytes / maker->rows);
    } else {
      r->rigid = true;
    }
  }
  settle_uses(g);
  for (uint32_t i = 0; i < g->subgraph.output_count; i++) {
    const int32_t tensor = arn_model_index(g->nn->model, g->subgraph.outputs_at, i);
    if (tensor < 0 || g->root_of[tensor] < 0) continue;
    host_root *r = &g->roots[g->root_of[tensor]];
    r->streamed_out = i < 32 && (wish.outputs >> i & 1) && r->tensor == (uint32_t)tensor &&
                      !r->is_input && !r->is_output && !is_used(g, (uint32_t)g->root_of[tensor]);
    r->is_output = true;
    r->output_port = i;
    if (!r->streamed_out) r->rigid = true;
  }
  settle_streams(g);
  for (uint32_t i = 0; i < g->root_count; i++) {
    host_root *r = &g->roots[i];
    if (r->rigid || r->row_bytes == 0 || r->row_bytes == r->bytes) {
      r->rigid = true;
      r->row_bytes = r->bytes;
    }
  }
}

// A node that would fold by the rows of its input's maker takes the input whole where it is one
// block.
static void settle_folds(host_row_graph *g) {
  for (uint32_t k = 0; k < g->use_count; k++) {
    host_use *u = &g->uses[k];
    host_row_node *node = &g->nodes[u->node];
    if (!node->borrowed || u->slot != 0 || !g->roots[u->root].rigid) continue;
    node->rows = 1;
    u->need[0] = 0;
    u->need[1] = UINT32_MAX;
    u->until[0] = g->roots[u->root].bytes;
  }
}

static bool index_readers(host_row_graph *g) {
  g->readers = calloc(g->use_count + 1u, sizeof *g->readers);
  g->reader_first = calloc(g->root_count + 2u, sizeof *g->reader_first);
  if (g->readers == NULL || g->reader_first == NULL) return false;
  for (uint32_t k = 0; k < g->use_count; k++) g->reader_first[g->uses[k].root + 1]++;
  for (uint32_t i = 0; i < g->root_count; i++) g->reader_first[i + 1] += g->reader_first[i];
  uint32_t *next = malloc((g->root_count + 1u) * sizeof *next);
  if (next == NULL) return false;
  memcpy(next, g->reader_first, (g->root_count + 1u) * sizeof *next);
  for (uint32_t k = 0; k < g->use_count; k++) g->readers[next[g->uses[k].root]++] = k;
  free(next);
  return true;
}

// ---- rows that nobody reads ---------------------------------------------------------------------

// Where the bytes of a root end that anybody reads.
static uint32_t read_end(const host_row_graph *g, uint32_t root) {
  uint32_t end = g->roots[root].is_output ? g->roots[root].bytes : 0;
  for (uint32_t k = g->reader_first[root]; k < g->reader_first[root + 1]; k++) {
    const host_use *u = &g->uses[g->readers[k]];
    for (uint32_t r = 0; r < g->nodes[u->node].rows; r++) {
      if (u->until[r] > end) end = u->until[r];
    }
  }
  return end;
}

static uint32_t wanted_rows(const host_row_graph *g, const host_row_node *node) {
  uint32_t wanted = 0;
  if (node->work != ARN_ROWS || node->output_count == 0) return node->rows;
  for (uint32_t i = 0; i < node->output_count; i++) {
    const uint32_t row = node->output_row_bytes[i], end = g->roots[node->outputs[i]].read_end;
    if (row > 0 && (end + row - 1) / row > wanted) wanted = (end + row - 1) / row;
  }
  return wanted;
}

static bool reads_nothing(const host_row_graph *g, const host_row_node *node, uint32_t from) {
  for (uint32_t k = node->first_use; k < node->first_use + node->use_count; k++) {
    for (uint32_t r = from; r < node->rows; r++) {
      if (g->uses[k].until[r] > 0) return false;
    }
  }
  return true;
}

// Bytes die in a step that reads their tensor, so rows that nobody reads (below a stride, say) stay
// to the end if they are born after the last such step. Those that read nothing (padding) wait till
// all else is done; the others are born before the last step that reads any of the tensor.
static void settle_unread_rows(host_row_graph *g) {
  for (uint32_t k = 0; k < g->use_count; k++) {
    g->uses[k].last_until = g->uses[k].until[g->nodes[g->uses[k].node].rows - 1];
  }
  for (uint32_t i = 0; i < g->root_count; i++) g->roots[i].read_end = read_end(g, i);
  for (uint32_t n = 0; n < g->node_count; n++) {
    host_row_node *node = &g->nodes[n];
    const uint32_t wanted = node->skip ? 0 : wanted_rows(g, node);
    node->wanted = node->rows;
    if (node->skip || wanted == node->rows) continue;
    if (wanted > 0 && reads_nothing(g, node, wanted)) {
      node->wanted = wanted;
      continue;
    }
    for (uint32_t i = 0; i < node->output_count; i++) {
      const uint32_t root = node->outputs[i];
      for (uint32_t k = g->reader_first[root]; k < g->reader_first[root + 1]; k++) {
        const host_use *u = &g->uses[g->readers[k]];
        u->until[g->nodes[u->node].rows - 1] = g->roots[root].bytes;
      }
    }
  }
}

static uint32_t count_inputs(const host_row_graph *g) {
  uint32_t sum = 0;
  for (uint32_t n = 0; n < g->subgraph.node_count; n++) {
    arn_node node;
    arn_model_node(g->nn->model, &g->subgraph, n, &node);
    sum += node.input_count;
  }
  return sum;
}

bool host_row_graph_build(host_row_graph *g, const arn_interpreter *nn, host_stream_wish wish) {
  memset(g, 0, sizeof *g);
  g->nn = nn;
  if (arn_model_subgraph(nn->model, 0, &g->subgraph) != ARN_OK) return false;
  g->node_count = g->subgraph.node_count;
  g->nodes = calloc(g->node_count + 1u, sizeof *g->nodes);
  g->roots = calloc(g->subgraph.tensor_count + 1u, sizeof *g->roots);
  g->root_of = malloc((g->subgraph.tensor_count + 1u) * sizeof *g->root_of);
  g->uses = calloc(count_inputs(g) + 1u, sizeof *g->uses);
  bool ok = g->nodes && g->roots && g->root_of && g->uses;
  for (uint32_t i = 0; i < g->subgraph.tensor_count && ok; i++) g->root_of[i] = -1;
  if (ok) add_inputs(g, wish);
  for (uint32_t n = 0; n < g->node_count && ok; n++) ok = add_node(g, n);
  if (ok) {
    settle_roots(g, wish);
    settle_folds(g);
    ok = index_readers(g);
    if (ok) settle_unread_rows(g);
  }
  if (!ok) host_row_graph_free(g);
  return ok;
}

void host_row_graph_free(host_row_graph *g) {
  for (uint32_t k = 0; k < g->use_count; k++) {
    free(g->uses[k].need);
    free(g->uses[k].until);
  }
  free(g->nodes);
  free(g->roots);
  free(g->root_of);
  free(g->uses);
  free(g->readers);
  free(g->reader_first);
  memset(g, 0, sizeof *g);
}
