// Starting the main subgraph by the row plan that the file carries: nodes prepare as ever; places
// come from the plan, which is verified before it is used.
#include <string.h>

#include "../graph/graph.h"
#include "../graph/place.h"
#include "../plan/proof.h"
#include "calls.h"
#include "plans.h"

// Temporary memory of the verification, from the end of the arena.
struct workspace {
  arn__proof proof;
  bool there;
};

static uint32_t words(uint32_t bytes) { return (bytes + 7) & ~7u; }

static void open_workspace(arn__starter *s, const arn_subgraph *g, struct workspace *w) {
  const arn__row_plan *plan = &s->rows;
  const uint32_t nodes = words(plan->node_count * (uint32_t)sizeof(arn__proof_node));
  const uint32_t tensors = words(plan->tensor_count * (uint32_t)sizeof(arn__proof_tensor));
  const uint32_t granules = words(arn__proof_granule_bytes(plan));
  memset(w, 0, sizeof *w);
  // 4 bytes more than the parts, so that they can start at a multiple of 8.
  const uint32_t all = nodes + tensors + granules + 4;
  w->there = arn__arena_take_temporary(&s->arena, all) && arn__starter_writes(s);
  if (!w->there) return;
  uint8_t *const from = arn__arena_end(&s->arena) - all;
  uint8_t *const at = from + (-(uintptr_t)from & 7u);
  memset(from, 0, all);
  w->proof = (arn__proof){.plan = plan,
                          .subgraph = g,
                          .ops = s->config.ops,
                          .arena = s->arena.base,
                          .nodes = (arn__proof_node *)(void *)at,
                          .tensors = (arn__proof_tensor *)(void *)(at + nodes),
                          .granules = (uint32_t *)(void *)(at + nodes + tensors),
                          .error = s->error};
  for (uint32_t i = 0; i < plan->tensor_count; i++) arn__proof_note_tensor(&w->proof, i);
}

// A view shares the bytes of its input where the plan gives both the same place.
static bool is_view(const arn__prepare_site *at, const arn_prepare *p, const arn__proof *proof) {
  const arn_model *m = at->s->model;
  if (p->view_input == 0 || at->node.output_count != 1) return false;
  const int32_t in = arn_model_index(m, at->node.inputs_at, p->view_input - 1);
  const int32_t out = arn_model_index(m, at->node.outputs_at, 0);
  return in >= 0 && proof->tensors[in].dynamic && proof->tensors[out].dynamic &&
         proof->tensors[in].bytes == proof->tensors[out].bytes &&
         arn__row_plan_place(proof->plan, (uint32_t)in) ==
             arn__row_plan_place(proof->plan, (uint32_t)out);
}

// A folding node over scattered rows goes by those rows.
static uint32_t rows_of(const arn__prepare_site *at, const arn_prepare *p,
                        const arn__proof *proof) {
  const uint32_t rows = p->rows ? p->rows : 1;
  if (p->work != ARN_FOLD) return p->work == ARN_WHOLE ? 1 : rows;
  const int32_t in = arn_model_index(at->s->model, at->node.inputs_at, 0);
  const uint32_t place = arn__row_plan_place(proof->plan, (uint32_t)in);
  if (!proof->tensors[in].dynamic || arn__place_kind(place) != ARN__PLACE_ROWS) return rows;
  const uint32_t index = arn__place_offset(place);
  if (index >= proof->plan->row_words) return rows;
  uint32_t row_bytes;
  memcpy(&row_bytes, at->s->model->bytes + proof->plan->rows_at + 4 * index, 4);
  if (row_bytes == 0 || proof->tensors[in].bytes % row_bytes != 0) return rows;
  return proof->tensors[in].bytes / row_bytes;
}

static void note_node(arn__prepare_site *at, const arn_prepare *p, uint32_t state_at) {
  struct workspace *w = at->context;
  if (!w->there || !arn__starter_writes(at->s)) return;
  arn__proof_node *node = &w->proof.nodes[at->index];
  const arn__node_record *kept = arn__record_of_node(at->s->nn, 0, at->index);
  *node = (arn__proof_node){.op = (uint16_t)kept->op,
                            .state_at = state_at,
                            .inputs_at = at->node.inputs_at,
                            .outputs_at = at->node.outputs_at,
                            .input_count = (uint16_t)at->node.input_count,
                            .output_count = (uint16_t)at->node.output_count,
                            .rows = rows_of(at, p, &w->proof),
                            .in_place = p->in_place,
                            .scratch_bytes = p->scratch_bytes,
                            .fold_bytes = p->fold_bytes,
                            .work = (uint8_t)p->work,
                            .barrier = arn__builder_touches_variables(at->node.code),
                            .skip = is_view(at, p, &w->proof)};
  arn__node_record *record = arn__record_of_node(at->s->nn, 0, at->index);
  if (p->work == ARN_ROWS) node->advance = p->advance;
  record->rows = node->rows & ARN__MAX_ROWS;
  record->scratch_at = arn__row_plan_scratch(w->proof.plan, at->index);
  if (!node->skip) return;
  record->flags |= ARN__NODE_SKIP;
  const int32_t in = arn_model_index(at->s->model, at->node.inputs_at, p->view_input - 1);
  const int32_t out = arn_model_index(at->s->model, at->node.outputs_at, 0);
  w->proof.tensors[out].root = w->proof.tensors[in].root;
}

static uint32_t last_reader(const arn_model *m, const arn_subgraph *g, int32_t tensor) {
  uint32_t last = 0;
  arn_node node;
  for (uint32_t n = 0; n < g->node_count; n++) {
    arn_model_node(m, g, n, &node);
    for (uint32_t i = 0; i < node.input_count; i++) {
      if (arn_model_index(m, node.inputs_at, i) == tensor) last = n;
    }
  }
  for (uint32_t i = 0; i < g->output_count; i++) {
    if (arn_model_index(m, g->outputs_at, i) == tensor) last = g->node_count;
  }
  return last;
}

// What READ_VARIABLE gives needs no memory of the plan where nobody assigns while it is in use.
static void read_in_place(arn__starter *s, const arn_subgraph *g, uint32_t n) {
  arn_node node;
  arn_model_node(s->model, g, n, &node);
  if (node.code != ARN__CODE_READ_VARIABLE || node.output_count != 1 || node.input_count != 1) {
    return;
  }
  const int32_t out = arn_model_index(s->model, node.outputs_at, 0);
  const int32_t in = arn_model_index(s->model, node.inputs_at, 0);
  uint32_t *places = arn__places_of(s->nn, 0);
  if (in < 0 || places[out] != ARN__PLACE_NONE) return;
  if (arn__builder_assigns_between(s->model, g, n, last_reader(s->model, g, out))) return;
  places[out] = places[in];
}

// A tensor that nobody writes: whatever planned it, it has no place (the shape of a TRANSPOSE_CONV
// that a converter left without data).
static bool is_nobodys(const arn_model *m, const arn_subgraph *g, int32_t tensor) {
  return arn__graph_producer(m, g, tensor) < 0 &&
         arn_model_index_find(m, g->inputs_at, g->input_count, tensor) < 0;
}

// Everything that a node reads or writes must have a place.
static arn_status check_all_placed(arn__starter *s, const arn_subgraph *g) {
  const uint32_t *places = arn__places_of(s->nn, 0);
  for (uint32_t n = 0; n < g->node_count; n++) {
    arn_node node;
    arn_model_node(s->model, g, n, &node);
    if (arn__record_of_node(s->nn, 0, n)->flags & ARN__NODE_SKIP) continue;
    for (uint32_t i = 0; i < node.input_count + node.output_count; i++) {
      const bool reads = i < node.input_count;
      const int32_t t = reads ? arn_model_index(s->model, node.inputs_at, i)
                              : arn_model_index(s->model, node.outputs_at, i - node.input_count);
      if (t < 0 || places[t] != ARN__PLACE_NONE) continue;
      if (reads && is_nobodys(s->model, g, t)) continue;
      return arn__starter_fail(s, ARN_ERR_PLAN, ARN_WHAT_PLAN_OFFSET, 0, (int32_t)n);
    }
  }
  return ARN_OK;
}

static arn_status prepare_all(arn__starter *s, const arn_subgraph *g, struct workspace *w) {
  arn__prepare_site at = {.s = s, .g = g, .prepared = note_node, .context = w};
  for (uint32_t n = 0; n < g->node_count; n++) {
    at.index = n;
    const arn_status status = arn__prepare_node(&at);
    if (at.node.input_count > UINT16_MAX || at.node.output_count > UINT16_MAX) {
      return arn__starter_fail(s, ARN_ERR_UNSUPPORTED, ARN_WHAT_LIMIT, 0, (int32_t)n);
    }
    if (status != ARN_OK) return status;
    if (w->there && arn__starter_writes(s) &&
        (arn__record_of_node(s->nn, 0, n)->flags & ARN__NODE_SKIP)) {
      w->proof.nodes[n].skip = true;
    }
  }
  return ARN_OK;
}

static void write_places(arn__starter *s, const struct workspace *w) {
  uint32_t *places = arn__places_of(s->nn, 0);
  for (uint32_t i = 0; i < s->rows.tensor_count; i++) {
    if (w->proof.tensors[i].dynamic) places[i] = arn__row_plan_place(&s->rows, i);
  }
}

static void check_room(arn__starter *s) {
  const uint32_t end =
      arn__arena_dynamic_at(&s->arena, s->config.alignment) + s->rows.dynamic_bytes;
  const uint32_t limit = s->arena.block_bytes;
  if (end > limit) arn__arena_note_failure(&s->arena, ARN_WHAT_ARENA_TENSOR, end, limit);
}

arn_status arn__plans_start(arn__starter *s) {
  arn_subgraph g;
  struct workspace w;
  if (arn_model_subgraph(s->model, 0, &g) != ARN_OK) return ARN_ERR_INTERNAL;
  open_workspace(s, &g, &w);
  arn_status status = prepare_all(s, &g, &w);
  if (status != ARN_OK) return status;
  s->dynamic[0] = s->rows.dynamic_bytes;
  if (arn__starter_writes(s)) {
    status = arn__proof_run(&w.proof);
    if (status != ARN_OK) return status;
    write_places(s, &w);
    for (uint32_t n = 0; n < g.node_count; n++) read_in_place(s, &g, n);
    status = check_all_placed(s, &g);
    if (status != ARN_OK) return status;
    arn__record_of_subgraph(s->nn, 0)->dynamic_bytes = s->dynamic[0];
    s->nn->row_plan_at = s->rows.at;
  }
  arn__arena_reset_temporary(&s->arena);
  check_room(s);
  return ARN_OK;
}
