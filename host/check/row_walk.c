#include "host/check/row_walk.h"

#include <stdlib.h>
#include <string.h>

#include "src/graph/place.h"
#include "src/graph/rows.h"
#include "src/runtime/records.h"

#define NO_ROOT UINT32_MAX

// ---- opening ------------------------------------------------------------------------------------

static void note_tensor(host_row_walk *w, uint32_t i) {
  arn_tensor t;
  arn_model_tensor(w->nn->model, &w->subgraph, i, &t);
  const bool mine = !(t.flags & (ARN_TENSOR_CONST | ARN_TENSOR_VARIABLE)) && t.type != ARN_RESOURCE;
  const bool placed = arn__row_plan_place(&w->plan, i) != ARN__PLACE_NONE;
  w->tensors[i] = (host_walk_tensor){.root = mine && placed && t.unknown_dims == 0 ? i : NO_ROOT,
                                     .bytes = t.bytes,
                                     .row_bytes = arn__rows_bytes(&t)};
}

static uint32_t place(const host_row_walk *w, int32_t tensor) {
  return arn__row_plan_place(&w->plan, (uint32_t)tensor);
}

// A node without steps whose output lies where its input does is a view.
static void note_node(host_row_walk *w, uint32_t n) {
  arn_node node;
  const arn_model *m = w->nn->model;
  const arn_node_memory memory = arn_memory_of_node(w->nn, 0, n);
  w->nodes[n] = (host_walk_node){memory.work, arn__record_of_node(w->nn, 0, n)->rows};
  if (!memory.skipped || memory.view_input == 0) return;
  arn_model_node(m, &w->subgraph, n, &node);
  const int32_t in = arn_model_index(m, node.inputs_at, memory.view_input - 1);
  const int32_t out = arn_model_index(m, node.outputs_at, 0);
  if (in < 0 || w->tensors[in].root == NO_ROOT || w->tensors[out].root == NO_ROOT) return;
  if (place(w, in) == place(w, out) && w->tensors[in].bytes == w->tensors[out].bytes) {
    w->tensors[out].root = w->tensors[in].root;
  }
}

// The most changes that one step can have: its inputs and outputs, or all inputs of the model.
static uint32_t most_changes(const host_row_walk *w) {
  uint32_t most = w->subgraph.input_count + 1;
  for (uint32_t n = 0; n < w->subgraph.node_count; n++) {
    arn_node node;
    arn_model_node(w->nn->model, &w->subgraph, n, &node);
    if (node.input_count + node.output_count > most) most = node.input_count + node.output_count;
  }
  return most;
}

bool host_row_walk_open(host_row_walk *w, const arn_interpreter *nn) {
  memset(w, 0, sizeof *w);
  w->nn = nn;
  if (nn->row_plan_at == 0) return false;
  if (arn_model_subgraph(nn->model, 0, &w->subgraph) != ARN_OK) return false;
  arn__row_plan_reopen(&w->plan, nn->model, nn->row_plan_at);
  w->tensors = calloc(w->subgraph.tensor_count + 1u, sizeof *w->tensors);
  w->nodes = calloc(w->subgraph.node_count + 1u, sizeof *w->nodes);
  w->changes = calloc(most_changes(w), sizeof *w->changes);
  if (w->tensors == NULL || w->nodes == NULL || w->changes == NULL) {
    host_row_walk_close(w);
    return false;
  }
  for (uint32_t i = 0; i < w->subgraph.tensor_count; i++) note_tensor(w, i);
  for (uint32_t n = 0; n < w->subgraph.node_count; n++) note_node(w, n);
  host_row_walk_begin(w);
  return true;
}

void host_row_walk_close(host_row_walk *w) {
  free(w->tensors);
  free(w->nodes);
  free(w->changes);
  memset(w, 0, sizeof *w);
}

// ---- walking ------------------------------------------------------------------------------------

static void bear(host_row_walk *w, uint32_t tensor, uint32_t bytes) {
  host_walk_tensor *t = &w->tensors[tensor];
  if (t->root != tensor || bytes == 0) return;
  w->changes[w->change_count++] = (host_row_change){tensor, t->born, t->born + bytes, true, false};
  t->born += bytes;
}

static void die(host_row_walk *w, uint32_t tensor, uint32_t bytes, bool kept) {
  const uint32_t root = w->tensors[tensor].root;
  host_walk_tensor *t = &w->tensors[root];
  if (bytes == 0) return;
  w->changes[w->change_count++] = (host_row_change){root, t->dead, t->dead + bytes, false, kept};
  t->dead += bytes;
}

void host_row_walk_begin(host_row_walk *w) {
  const arn_subgraph *g = &w->subgraph;
  w->cursor = w->plan.steps_at;
  w->proof_cursor = w->plan.proof_at;
  w->change_count = w->in_place = 0;
  memset(&w->step, 0, sizeof w->step);
  for (uint32_t i = 0; i < g->tensor_count; i++) w->tensors[i].born = w->tensors[i].dead = 0;
  for (uint32_t i = 0; i < g->input_count; i++) {
    const uint32_t t = (uint32_t)arn_model_index(w->nn->model, g->inputs_at, i);
    const bool streamed = i < 32 && (w->plan.streamed_inputs >> i & 1);
    if (!streamed && w->tensors[t].born == 0) bear(w, t, w->tensors[t].bytes);
  }
}

static uint32_t number(host_row_walk *w) {
  uint32_t value = 0;
  const uint32_t end = w->plan.proof_at + w->plan.proof_bytes;
  (void)arn__row_plan_number(&w->plan, &w->proof_cursor, end, &value);
  return value;
}

static void walk_port(host_row_walk *w) {
  const bool arrives = w->step.node == w->plan.node_count;
  const uint32_t at = arrives ? w->subgraph.inputs_at : w->subgraph.outputs_at;
  const uint32_t tensor = (uint32_t)arn_model_index(w->nn->model, at, w->step.port);
  if (arrives) bear(w, tensor, w->step.count * w->tensors[tensor].row_bytes);
  else die(w, tensor, number(w), false);
}

static bool named_before(const host_row_walk *w, const arn_node *node, uint32_t slot,
                         uint32_t root) {
  for (uint32_t i = 0; i < slot; i++) {
    const int32_t t = arn_model_index(w->nn->model, node->inputs_at, i);
    if (t >= 0 && w->tensors[t].root == root) return true;
  }
  return false;
}

static void walk_node(host_row_walk *w) {
  arn_node node;
  const arn__row_step *s = &w->step;
  const host_walk_node *about = &w->nodes[s->node];
  arn_model_node(w->nn->model, &w->subgraph, s->node, &node);
  w->in_place = number(w);
  const bool completes = s->first + s->count == about->rows;
  for (uint32_t i = 0; i < node.output_count; i++) {
    const uint32_t t = (uint32_t)arn_model_index(w->nn->model, node.outputs_at, i);
    if (about->work == ARN_ROWS) bear(w, t, s->count * w->tensors[t].row_bytes);
    else if (completes) bear(w, t, w->tensors[t].bytes);
  }
  for (uint32_t i = 0; i < node.input_count; i++) {
    const int32_t t = arn_model_index(w->nn->model, node.inputs_at, i);
    if (t < 0 || w->tensors[t].root == NO_ROOT) continue;
    if (named_before(w, &node, i, w->tensors[t].root)) continue;
    die(w, (uint32_t)t, number(w), w->in_place == i + 1);
  }
}

bool host_row_walk_is_port(const host_row_walk *w) { return w->step.node >= w->plan.node_count; }

bool host_row_walk_next(host_row_walk *w) {
  w->change_count = w->in_place = 0;
  if (w->cursor >= w->plan.steps_at + w->plan.step_bytes) return false;
  if (!arn__row_plan_next(&w->plan, &w->cursor, &w->step)) return false;
  if (host_row_walk_is_port(w)) walk_port(w);
  else walk_node(w);
  return true;
}

uint32_t host_row_walk_offset(const host_row_walk *w, uint32_t tensor, uint32_t byte,
                              uint32_t *run) {
  const uint32_t where = arn__row_plan_place(&w->plan, tensor);
  const uint32_t *table = arn__row_tables(&w->plan);
  const uint32_t at = arn__place_offset(where);
  if (arn__place_kind(where) != ARN__PLACE_ROWS) {
    *run = w->tensors[tensor].bytes - byte;
    return at + byte;
  }
  const uint32_t row_bytes = table[at];
  *run = row_bytes - byte % row_bytes;
  return table[at + 1 + byte / row_bytes] + byte % row_bytes;
}
