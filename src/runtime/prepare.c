// Starting one subgraph: every node prepares, buffers are collected, planned, and turned into
// places.
#include <string.h>

#include "../graph/graph.h"
#include "../graph/place.h"
#include "calls.h"
#include "plans.h"

#define NO_SCRATCH UINT32_MAX

arn_status arn__starter_fail(arn__starter *s, arn_status status, arn_what what, int32_t subgraph,
                             int32_t node) {
  *s->error = (arn_error){status, what, subgraph, node, ARN_NOWHERE, 0, 0, 0};
  return status;
}

// ---- planning records: at the end of the arena, or in the spare memory --------------------------

static arn__buffer *spare_top(const arn__starter *s) {
  return s->spare ? s->spare + s->spare_count : NULL;
}

static bool make_room(arn__builder *b) {
  arn__starter *s = b->owner;
  arn__buffers *set = &b->buffers;
  const bool in_arena = set->top != spare_top(s);
  const bool fits = arn__arena_take_temporary(&s->arena, sizeof(arn__buffer));
  if (in_arena && fits) return true;
  if (set->count >= s->spare_count) return false;
  if (in_arena) {
    arn__buffer *top = spare_top(s);
    if (set->count > 0) {
      memcpy(top - set->count, set->top - set->count, set->count * sizeof *top);
    }
    set->top = top;
  }
  return true;
}

static arn__buffer *first_top(const arn__starter *s) {
  if (!arn__starter_writes(s)) return spare_top(s);
  return (arn__buffer *)(void *)arn__arena_end(&s->arena);
}

// ---- one node -----------------------------------------------------------------------------------

static void write_record(const arn__prepare_site *at, arn__node_record record) {
  if (!arn__starter_writes(at->s)) return;
  *arn__record_of_node(at->s->nn, at->subgraph, at->index) = record;
}

// Takes memory for persistent data and a word with its size, right in front of the prepared data.
static void take_persistent(arn__starter *s, uint32_t bytes) {
  const uint32_t padded = (bytes + 3) & ~3u;
  const uint32_t at = arn__arena_take(&s->arena, padded + 4, 4, ARN__FOR_OP_DATA);
  if (arn__starter_writes(s)) memcpy(s->arena.base + at + padded, &bytes, 4);
}

// Keeps as much of the prepared data as eval reads.
static uint32_t keep_state(arn__starter *s, const arn_op *op, const arn_prepare *p) {
  const uint32_t bytes = p->state_bytes ? (p->state_bytes + 3) & ~3u : op->state_bytes;
  const uint32_t at = arn__arena_take(&s->arena, bytes, 4, ARN__FOR_OP_DATA);
  if (arn__starter_writes(s)) memcpy(s->arena.base + at, s->state, bytes);
  return at;
}

static arn_status check_answers(const arn__prepare_site *at, const arn_prepare *p) {
  if (p->rows > ARN__MAX_ROWS) {
    return arn__starter_fail(at->s, ARN_ERR_UNSUPPORTED, ARN_WHAT_LIMIT, (int32_t)at->subgraph,
                             (int32_t)at->index);
  }
  return ARN_OK;
}

// The scratch of a node includes the dynamic region of the subgraphs it runs, one at a time.
static void add_called_subgraphs(const arn__prepare_site *at, arn_prepare *p) {
  for (uint32_t i = 0; i < p->call_count; i++) {
    const uint32_t bytes = at->s->dynamic[p->calls[i]];
    if (bytes > p->scratch_bytes) p->scratch_bytes = bytes;
  }
}

static arn_prepare new_prepare(const arn__prepare_site *at, const arn_op *op) {
  return (arn_prepare){.model = at->s->model,
                       .subgraph = at->g,
                       .node = &at->node,
                       .op = op,
                       .ops = at->s->config.ops,
                       .subgraph_index = (int32_t)at->subgraph,
                       .node_index = (int32_t)at->index,
                       .error = at->s->error,
                       .builder = at->builder};
}

// The first request that did not fit was made for this node.
static void name_failure(const arn__prepare_site *at, bool had_room) {
  arn_error *failure = &at->s->arena.failure;
  if (!had_room || failure->status == ARN_OK || failure->node != ARN_NOWHERE) return;
  failure->subgraph = (int32_t)at->subgraph;
  failure->node = (int32_t)at->index;
}

static arn_status prepare_with(arn__prepare_site *at, const arn_op *op, uint32_t op_index) {
  arn__starter *s = at->s;
  memset(s->state, 0, op->state_bytes);
  arn_prepare p = new_prepare(at, op);
  arn_status status = op->prepare(&p, s->state);
  if (status == ARN_OK) status = check_answers(at, &p);
  if (status != ARN_OK) return status;
  add_called_subgraphs(at, &p);
  if (at->builder) arn__builder_prepared(at->builder, &p, s->state);
  if (p.persistent_bytes > 0) take_persistent(s, p.persistent_bytes);
  const uint32_t state_at = keep_state(s, op, &p);
  write_record(at, (arn__node_record){
                       .state_at = state_at,
                       .scratch_at = NO_SCRATCH,
                       .op = op_index & 511u,
                       .flags = p.persistent_bytes > 0 ? ARN__NODE_PERSISTENT : 0u,
                       .rows = (p.rows ? p.rows : 1u) & ARN__MAX_ROWS});
  if (at->prepared) at->prepared(at, &p, state_at);
  return ARN_OK;
}

arn_status arn__prepare_node(arn__prepare_site *at) {
  arn__starter *s = at->s;
  const arn_op *op;
  uint32_t op_index;
  arn_what what;
  arn_model_node(s->model, at->g, at->index, &at->node);
  if (arn__is_folded_away(s->model, at->g, s->config.ops, &at->node)) {
    write_record(at, (arn__node_record){.flags = ARN__NODE_SKIP, .rows = 1});
    return ARN_OK;
  }
  arn_status status = arn__find_op(s->model, s->config.ops, &at->node, &op, &op_index, &what);
  if (status != ARN_OK) {
    return arn__starter_fail(s, status, what, (int32_t)at->subgraph, (int32_t)at->index);
  }
  const bool had_room = arn__arena_has(&s->arena);
  if (at->builder) status = arn__builder_node(at->builder, &at->node, at->index);
  if (status == ARN_OK) status = prepare_with(at, op, op_index);
  name_failure(at, had_room);
  return status;
}

// ---- from offsets to places ---------------------------------------------------------------------

static void apply_scratch(const arn__prepare_site *at, const arn__buffer *b) {
  arn__record_of_node(at->s->nn, at->subgraph, b->first)->scratch_at = b->offset;
}

// A view of a constant or a variable lies where its node's input lies.
static uint32_t fixed_place(const arn__prepare_site *at, const arn__buffer *b,
                            const uint32_t *places) {
  arn_node node;
  arn_model_node(at->s->model, at->g, b->first, &node);
  const int32_t input = arn_model_index(at->s->model, node.inputs_at, b->link);
  return places[input];
}

static void apply_tensor(const arn__prepare_site *at, uint32_t i) {
  const arn__buffers *set = &at->builder->buffers;
  uint32_t distance = 0;
  const arn__buffer *b = arn__buffer_at(set, i);
  const arn__buffer *root = arn__buffer_at(set, arn__buffer_root(set, i, &distance));
  uint32_t *places = arn__places_of(at->s->nn, at->subgraph);
  if (root->kind == ARN__BUFFER_FIXED) {
    const uint32_t place = fixed_place(at, root, places);
    places[b->tensor] = place == ARN__PLACE_NONE ? place : place + root->offset + distance;
  } else {
    places[b->tensor] = arn__place(ARN__PLACE_DYNAMIC, root->offset + distance);
  }
}

// An output that overlaps an input, and does not lie exactly on it, must be computed by rows.
static void apply_overlap(const arn__prepare_site *at, uint32_t i) {
  const arn__buffers *set = &at->builder->buffers;
  const arn__buffer *out = arn__buffer_at(set, i);
  if (out->kind != ARN__BUFFER_TENSOR || out->distance == 0 || out->bytes == 0) return;
  const arn__buffer *in = arn__buffer_at(set, i - out->distance);
  if (!arn__buffer_is_placed_kind(in) || in->last != out->first || in->bytes == 0) return;
  const bool overlap = out->offset < in->offset + in->bytes &&
      in->offset < out->offset + out->bytes;
  if (!overlap || (out->in_place && out->offset == in->offset)) return;
  arn__record_of_node(at->s->nn, at->subgraph, out->first)->flags |= ARN__NODE_BY_ROWS;
}

static void apply(const arn__prepare_site *at) {
  const arn__buffers *set = &at->builder->buffers;
  for (uint32_t i = 0; i < set->count; i++) {
    const arn__buffer *b = arn__buffer_at(set, i);
    if (b->kind == ARN__BUFFER_SCRATCH) {
      apply_scratch(at, b);
    } else {
      apply_tensor(at, i);
      if (!(at->s->config.flags & (ARN_NO_OVERLAP | ARN_KEEP_ALL))) apply_overlap(at, i);
    }
  }
}

// Names the buffer that reaches furthest beyond the arena.
static void check_room(const arn__prepare_site *at) {
  arn__starter *s = at->s;
  const uint32_t dynamic_at = arn__arena_dynamic_at(&s->arena, s->config.alignment);
  const uint32_t limit = s->arena.block_bytes;
  const arn__buffers *set = &at->builder->buffers;
  const arn__buffer *worst = NULL;
  for (uint32_t i = 0; i < set->count; i++) {
    const arn__buffer *b = arn__buffer_at(set, i);
    if (!arn__buffer_is_placed_kind(b)) continue;
    if (worst == NULL || b->offset + b->bytes > worst->offset + worst->bytes) worst = b;
  }
  if (worst == NULL || dynamic_at + worst->offset + worst->bytes <= limit) return;
  const bool scratch = worst->kind == ARN__BUFFER_SCRATCH;
  if (!arn__arena_has(&s->arena)) return;
  arn__arena_note_failure(&s->arena, scratch ? ARN_WHAT_ARENA_SCRATCH : ARN_WHAT_ARENA_TENSOR,
                          dynamic_at + worst->offset + worst->bytes, limit);
  s->arena.failure.node = (int32_t)worst->first;
  s->arena.failure.tensor = scratch ? ARN_NOWHERE : (int32_t)worst->tensor;
  s->arena.failure.subgraph = (int32_t)at->subgraph;
}

// ---- the subgraph -------------------------------------------------------------------------------

// A word for each buffer between what is taken of the arena and the planning records: memory that
// will be the dynamic region's, and if it is not there nothing is missing.
static uint32_t *free_words(const arn__starter *s, const arn__buffers *set) {
  const arn__arena *a = &s->arena;
  const uint32_t words = set->count * (uint32_t)sizeof(uint32_t);
  const uint32_t from = a->apart ? 0 : (a->used + 3) & ~3u, most = a->block_bytes & ~3u;
  if (!arn__starter_writes(s) || a->block == NULL || a->temporary + words > most) return NULL;
  if (from > most - a->temporary - words) return NULL;
  return (uint32_t *)(void *)(a->block + from);
}

ARN__APART static arn_status plan(arn__prepare_site *at) {
  arn__starter *s = at->s;
  arn__planning planning = {at->builder->buffers, s->config.alignment,
                            !(s->config.flags & (ARN_NO_OVERLAP | ARN_KEEP_ALL)),
                            free_words(s, &at->builder->buffers)};
  if (!at->builder->complete) {
    s->measured = false;
    if (at->builder->wanted > s->records_wanted) s->records_wanted = at->builder->wanted;
    return ARN_OK;
  }
  if (s->config.planner == ARN_PLANNER_OFFLINE) {
    const arn_plans *plans = s->config.ops->plans;
    if (plans == NULL) {
      return arn__starter_fail(s, ARN_ERR_UNSUPPORTED, ARN_WHAT_PLAN_UNLINKED, ARN_NOWHERE,
                               ARN_NOWHERE);
    }
    return plans->place(s, &planning, at->subgraph);
  }
  if (s->config.planner == ARN_PLANNER_AUTO) {
    s->dynamic[at->subgraph] = arn__plan_best(&planning);
  } else {
    s->dynamic[at->subgraph] = arn__plan_with(&planning, (arn_planner)s->config.planner);
  }
  return ARN_OK;
}

ARN__APART static void finish(const arn__prepare_site *at) {
  arn__starter *s = at->s;
  if (at->subgraph == 0 && at->builder->complete) check_room(at);
  if (arn__starter_writes(s)) {
    apply(at);
    arn__record_of_subgraph(s->nn, at->subgraph)->dynamic_bytes = s->dynamic[at->subgraph];
  }
  arn__arena_reset_temporary(&s->arena);
}

arn_status arn__starter_subgraph(arn__starter *s, uint32_t index) {
  arn_subgraph g;
  if (arn_model_subgraph(s->model, index, &g) != ARN_OK) return ARN_ERR_INTERNAL;
  arn__builder builder = {.model = s->model,
                          .subgraph = &g,
                          .config = &s->config,
                          .error = s->error,
                          .subgraph_index = (int32_t)index,
                          .make_room = make_room,
                          .owner = s};
  builder.buffers.top = first_top(s);
  arn__prepare_site at = {.s = s, .builder = &builder, .g = &g, .subgraph = index};
  arn_status status = arn__builder_begin(&builder);
  for (uint32_t n = 0; n < g.node_count && status == ARN_OK; n++) {
    at.index = n;
    status = arn__prepare_node(&at);
  }
  if (status == ARN_OK) status = arn__builder_end(&builder);
  if (status == ARN_OK) status = plan(&at);
  if (status == ARN_OK) finish(&at);
  return status;
}
