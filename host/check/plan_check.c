#include "host/check/plan_check.h"

#include <stdlib.h>
#include <string.h>

#include "host/check/trial.h"
#include "src/graph/rows.h"

// A tensor with memory in the dynamic region. `owner` is the tensor whose bytes it is.
struct piece {
  uint32_t offset, bytes, first, last;
  int32_t owner;
  bool there;
};

struct walk {
  const arn_interpreter *nn;
  arn_subgraph g;
  uint32_t subgraph;
  struct piece *pieces;
  host_plan_clash clash;
};

static void live_at(struct walk *w, int32_t tensor, uint32_t step) {
  if (tensor < 0 || !w->pieces[tensor].there) return;
  struct piece *p = &w->pieces[w->pieces[tensor].owner];
  if (step < p->first) p->first = step;
  if (step > p->last) p->last = step;
}

static bool holds(const struct piece *in, const struct piece *out) {
  return in->there && out->there && out->offset >= in->offset &&
         out->offset + out->bytes <= in->offset + in->bytes;
}

// Outputs of operators that declare views, lying inside the viewed input, are that input's bytes.
static void find_views(struct walk *w, const arn_node *node, const arn_node_memory *memory) {
  if (memory->view_input == 0) return;
  const int32_t in = arn_model_index(w->nn->model, node->inputs_at, memory->view_input - 1);
  for (uint32_t o = 0; o < node->output_count && in >= 0; o++) {
    const int32_t out = arn_model_index(w->nn->model, node->outputs_at, o);
    if (holds(&w->pieces[in], &w->pieces[out])) w->pieces[out].owner = w->pieces[in].owner;
  }
}

static void find_lives(struct walk *w) {
  const arn_model *m = w->nn->model;
  arn_node node;
  for (uint32_t i = 0; i < w->g.tensor_count; i++) {
    arn_tensor t;
    const arn_placement place = arn_place_of_tensor(w->nn, w->subgraph, i);
    arn_model_tensor(m, &w->g, i, &t);
    const bool there = place.region == ARN_REGION_DYNAMIC && t.bytes > 0;
    w->pieces[i] = (struct piece){place.offset, t.bytes, UINT32_MAX, 0, (int32_t)i, there};
  }
  for (uint32_t n = 0; n < w->g.node_count; n++) {
    const arn_node_memory memory = arn_memory_of_node(w->nn, w->subgraph, n);
    arn_model_node(m, &w->g, n, &node);
    find_views(w, &node, &memory);
  }
  for (uint32_t i = 0; i < w->g.input_count; i++) {
    live_at(w, arn_model_index(m, w->g.inputs_at, i), 0);
  }
  for (uint32_t n = 0; n < w->g.node_count; n++) {
    arn_model_node(m, &w->g, n, &node);
    for (uint32_t i = 0; i < node.input_count; i++) {
      live_at(w, arn_model_index(m, node.inputs_at, i), n);
    }
    for (uint32_t i = 0; i < node.output_count; i++) {
      live_at(w, arn_model_index(m, node.outputs_at, i), n);
    }
  }
  for (uint32_t i = 0; i < w->g.output_count; i++) {
    live_at(w, arn_model_index(m, w->g.outputs_at, i), w->g.node_count);
  }
}

static bool meet(uint32_t a, uint32_t a_bytes, uint32_t b, uint32_t b_bytes) {
  return a < b + b_bytes && b < a + a_bytes;
}

// ---- an output over an input that dies ----------------------------------------------------------

// Says whether output row r may be written without touching what rows from r on read through a
// slot.
static bool row_is_clear(const host_trial *t, uint32_t slot, const arn_tensor *in,
                         const struct piece *a, const struct piece *b, uint32_t r) {
  const uint32_t out_row = b->bytes / t->p.rows, in_row = arn__rows_bytes(in);
  for (uint32_t later = r; later < t->p.rows; later++) {
    arn_span span = {0, 0};
    t->p.op->rows(t->state, slot, (arn_span){later, 1}, &span);
    if (span.count == 0) continue;
    const uint32_t at = a->offset + span.first * in_row;
    if (meet(b->offset + r * out_row, out_row, at, span.count * in_row)) return false;
  }
  return true;
}

// Input piece a (an owner) dies in node n, whose first output is b.
static bool may_overlap(const struct walk *w, uint32_t n, int32_t in_owner, const struct piece *b) {
  const struct piece *a = &w->pieces[in_owner];
  host_trial t;
  if (!host_trial_prepare(&t, w->nn, w->subgraph, n)) return false;
  const bool by_rows = t.memory.by_rows;
  for (uint32_t slot = 0; slot < t.node.input_count; slot++) {
    const int32_t tensor = arn_model_index(w->nn->model, t.node.inputs_at, slot);
    arn_tensor in;
    if (tensor < 0 || !w->pieces[tensor].there || w->pieces[tensor].owner != in_owner) continue;
    const bool in_place = slot < 32 && (t.p.in_place >> slot & 1) && a->offset == b->offset &&
                          w->pieces[tensor].offset == a->offset;
    if (in_place) continue;
    if (!by_rows || t.p.work != ARN_ROWS || t.p.op->rows == NULL || t.p.rows < 2) return false;
    arn_model_tensor(w->nn->model, &w->g, (uint32_t)tensor, &in);
    for (uint32_t r = 0; r < t.p.rows; r++) {
      if (!row_is_clear(&t, slot, &in, &w->pieces[tensor], b, r)) return false;
    }
  }
  return true;
}

// ---- the walk -----------------------------------------------------------------------------------

static void note(struct walk *w, const char *what, uint32_t node, int32_t a, int32_t b) {
  if (w->clash.what) return;
  w->clash = (host_plan_clash){what, w->subgraph, node, a, b};
}

// Says whether tensor `out` is the first output of the node in which `in` dies, and may lie over
// it.
static bool follows(const struct walk *w, int32_t in, int32_t out) {
  const struct piece *a = &w->pieces[in], *b = &w->pieces[out];
  arn_node node;
  if (a->last != b->first || b->first >= w->g.node_count) return false;
  arn_model_node(w->nn->model, &w->g, b->first, &node);
  return node.output_count > 0 && arn_model_index(w->nn->model, node.outputs_at, 0) == out &&
         may_overlap(w, b->first, in, b);
}

static void check_pair(struct walk *w, int32_t i, int32_t k) {
  const struct piece *a = &w->pieces[i], *b = &w->pieces[k];
  if (a->last < b->first || b->last < a->first) return;
  if (!meet(a->offset, a->bytes, b->offset, b->bytes)) return;
  if (follows(w, i, k) || follows(w, k, i)) return;
  note(w, "two tensors alive together share bytes", b->first, i, k);
}

static void check_scratch(struct walk *w, uint32_t n) {
  const arn_node_memory memory = arn_memory_of_node(w->nn, w->subgraph, n);
  const uint32_t region = arn_dynamic_bytes(w->nn, w->subgraph);
  if (memory.scratch_bytes == 0) return;
  if (memory.scratch_offset > region || memory.scratch_bytes > region - memory.scratch_offset) {
    note(w, "scratch reaches beyond the region", n, -1, -1);
  }
  for (uint32_t i = 0; i < w->g.tensor_count; i++) {
    const struct piece *p = &w->pieces[i];
    if (!p->there || p->owner != (int32_t)i || p->first > n || p->last < n) continue;
    if (meet(p->offset, p->bytes, memory.scratch_offset, memory.scratch_bytes)) {
      note(w, "scratch and a live tensor share bytes", n, (int32_t)i, -1);
    }
  }
}

static bool is_owner(const struct walk *w, uint32_t i) {
  const struct piece *p = &w->pieces[i];
  return p->there && p->owner == (int32_t)i && p->first != UINT32_MAX;
}

static void check_subgraph(struct walk *w) {
  const uint32_t region = arn_dynamic_bytes(w->nn, w->subgraph);
  find_lives(w);
  for (uint32_t i = 0; i < w->g.tensor_count; i++) {
    const struct piece *p = &w->pieces[i];
    if (p->there && (p->offset > region || p->bytes > region - p->offset)) {
      note(w, "a tensor reaches beyond the region", 0, (int32_t)i, -1);
    }
    for (uint32_t k = i + 1; k < w->g.tensor_count && is_owner(w, i); k++) {
      if (is_owner(w, k)) check_pair(w, (int32_t)i, (int32_t)k);
    }
  }
  for (uint32_t n = 0; n < w->g.node_count; n++) check_scratch(w, n);
}

host_plan_clash host_plan_check(const host_engine *e) {
  struct walk w = {.nn = &e->nn};
  for (uint32_t s = 0; s < e->model.subgraph_count; s++) {
    if (arn_model_subgraph(&e->model, s, &w.g) != ARN_OK) continue;
    w.subgraph = s;
    w.pieces = calloc(w.g.tensor_count + 1u, sizeof *w.pieces);
    if (w.pieces == NULL) {
      note(&w, "the host has no memory to check the plan", 0, -1, -1);
      break;
    }
    check_subgraph(&w);
    free(w.pieces);
  }
  return w.clash;
}
