#include "host/report/view_walk.h"

#include <stdlib.h>
#include <string.h>

// ---- walking ------------------------------------------------------------------------------------

// What is alive, by rising address.
struct alive {
  uint32_t *blocks;
  uint32_t count;
};

static void bury(const host_view *v, struct alive *a, uint32_t step) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < a->count; i++) {
    if (v->blocks[a->blocks[i]].last >= step) a->blocks[kept++] = a->blocks[i];
  }
  a->count = kept;
}

static void insert(const host_view *v, struct alive *a, uint32_t block) {
  uint32_t at = a->count++;
  while (at > 0 && v->blocks[a->blocks[at - 1]].low > v->blocks[block].low) {
    a->blocks[at] = a->blocks[at - 1];
    at--;
  }
  a->blocks[at] = block;
}

bool host_view_walk(const host_view *v, host_view_visit *visit, void *context) {
  struct alive a = {calloc(v->block_count + 1u, sizeof *a.blocks), 0};
  uint32_t next = 0;
  if (a.blocks == NULL) return false;
  for (uint32_t step = 0; step < v->step_count; step++) {
    bury(v, &a, step);
    for (; next < v->block_count && v->blocks[next].first == step; next++) {
      if (v->blocks[next].kind != HOST_KIND_VARIABLE) insert(v, &a, next);
    }
    visit(context, step, a.blocks, a.count);
  }
  free(a.blocks);
  return true;
}

// ---- gaps ---------------------------------------------------------------------------------------

// Gaps of the step before come first in `open`: a gap that is there again goes on.
struct gap_finder {
  host_view *view;
  uint32_t previous_from, previous_to;  // gaps that the step before had
  uint32_t room;
  bool failed;
};

static host_view_gap *same_gap(const struct gap_finder *g, uint32_t step, uint32_t low,
                               uint32_t high) {
  for (uint32_t i = g->previous_from; i < g->previous_to; i++) {
    host_view_gap *gap = &g->view->gaps[i];
    if (gap->low == low && gap->high == high && gap->last + 1 == step) return gap;
  }
  return NULL;
}

static void note_gap(struct gap_finder *g, uint32_t step, uint32_t low, uint32_t high) {
  host_view *v = g->view;
  host_view_gap *same = same_gap(g, step, low, high);
  if (same != NULL) {
    same->last = step;
    return;
  }
  if (v->gap_count == g->room) {
    const uint32_t room = 2 * g->room + 64;
    host_view_gap *more = realloc(v->gaps, room * sizeof *more);
    g->failed = g->failed || more == NULL;
    if (more == NULL) return;
    v->gaps = more;
    g->room = room;
  }
  v->gaps[v->gap_count++] = (host_view_gap){low, high, step, step};
}

static void find_gaps(void *context, uint32_t step, const uint32_t *live, uint32_t count) {
  struct gap_finder *g = context;
  const host_view *v = g->view;
  const uint32_t before = v->gap_count;
  uint32_t end = v->base;
  for (uint32_t i = 0; i < count; i++) {
    const host_view_block *b = &v->blocks[live[i]];
    if (b->low > end && b->low - end < v->alignment) note_gap(g, step, end, b->low);
    if (b->high > end) end = b->high;
  }
  // Only gaps of the last few steps can go on: enough of them stay in sight.
  g->previous_from = before > 64 ? before - 64 : 0;
  g->previous_to = v->gap_count;
}

bool host_view_find_gaps(host_view *v) {
  struct gap_finder g = {v, 0, 0, 0, false};
  return host_view_walk(v, find_gaps, &g) && !g.failed;
}

// ---- tints --------------------------------------------------------------------------------------

static bool touch(const host_view_block *a, const host_view_block *b, uint32_t near) {
  return (uint64_t)a->low <= (uint64_t)b->high + near &&
         (uint64_t)b->low <= (uint64_t)a->high + near;
}

struct tint_chooser {
  host_view *view;
  uint32_t *before;  // alive at the step before
  uint32_t before_count;
};

static uint32_t used_tints(const struct tint_chooser *t, const host_view_block *block,
                           const uint32_t *list, uint32_t count) {
  const host_view *v = t->view;
  const uint32_t near = v->arena_bytes / 100 + v->alignment;
  uint32_t used = 0;
  for (uint32_t i = 0; i < count; i++) {
    const host_view_block *other = &v->blocks[list[i]];
    if (other != block && other->kind == block->kind && touch(other, block, near)) {
      used |= 1u << other->tint;
    }
  }
  return used;
}

static void choose(void *context, uint32_t step, const uint32_t *live, uint32_t count) {
  struct tint_chooser *t = context;
  for (uint32_t i = 0; i < count; i++) {
    host_view_block *block = &t->view->blocks[live[i]];
    if (block->first != step) continue;
    block->tint = 3;  // in nobody's way until it is chosen
    const uint32_t used =
        used_tints(t, block, live, count) | used_tints(t, block, t->before, t->before_count);
    block->tint = !(used & 1) ? 0 : !(used & 2) ? 1 : !(used & 4) ? 2 : 0;
  }
  memcpy(t->before, live, count * sizeof *live);
  t->before_count = count;
}

bool host_view_choose_tints(host_view *v) {
  struct tint_chooser t = {v, calloc(v->block_count + 1u, sizeof *t.before), 0};
  const bool ok = t.before != NULL && host_view_walk(v, choose, &t);
  free(t.before);
  return ok;
}
