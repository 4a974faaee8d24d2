// The exact search for general problems: lowest and highest offsets of every item, and for every
// gap a side.
//
// All items start at their lowest offset. A gap that the lowest offsets break must be resolved one
// way or the other: a stands above it or below. Either choice raises a lowest offset or drops a
// highest one, which settles other gaps in turn. When no gap is broken, the lowest offsets are a
// placement. The rounds are finite, every placement obeys one side of every gap, so a search that
// ends without one is a proof.
#include <stdlib.h>
#include <string.h>

#include "host/search/pack_general.h"

enum { OPEN, BELOW, ABOVE };         // side of a gap: offset[a] - offset[b] <= low, or >= high
enum { SIDE, LOW, HIGH, REGION };    // what a change changed

#define NO_REGION (-1)

struct change {
  uint32_t what, index;
  int64_t old;
};

// A decision with a second way to go, once the first has failed.
struct decision {
  size_t mark;                       // of the trail
  bool of_region;
  uint32_t index;                    // gap or item
  int32_t other;                     // side or region still to try
};

struct pairs {
  const pack_general *g;
  const pack_attempt *attempt;
  uint8_t *side;                     // [gaps]
  int64_t *low, *high;               // [items]
  int64_t *region;                   // [items] or NO_REGION
  struct change *trail;
  size_t trail_count, trail_room;
  struct decision *decisions;
  size_t decision_count, decision_room;
  uint32_t *queue;                   // items whose bounds changed
  uint8_t *is_queued;
  uint32_t queue_count;
  uint64_t *by_start;                // [boxes] scratch
  int64_t *reach;                    // [sections] scratch
  bool no_memory;
};

// ---- changes ----

static int64_t *slot_of(struct pairs *p, uint32_t what, uint32_t index) {
  return what == LOW ? &p->low[index] : what == HIGH ? &p->high[index] : &p->region[index];
}

static void *grown(void *old, size_t *room, size_t size) {
  const size_t more = 2 * *room + 256;
  void *block = realloc(old, more * size);
  if (block) *room = more;
  return block;
}

static bool record(struct pairs *p, uint32_t what, uint32_t index, int64_t old) {
  if (p->trail_count == p->trail_room) {
    struct change *trail = grown(p->trail, &p->trail_room, sizeof *trail);
    if (trail == NULL) {
      p->no_memory = true;
      return false;
    }
    p->trail = trail;
  }
  p->trail[p->trail_count++] = (struct change){what, index, old};
  return true;
}

static void undo(struct pairs *p, size_t mark) {
  while (p->trail_count > mark) {
    const struct change *c = &p->trail[--p->trail_count];
    if (c->what == SIDE) {
      p->side[c->index] = (uint8_t)c->old;
    } else {
      *slot_of(p, c->what, c->index) = c->old;
    }
  }
}

static void enqueue(struct pairs *p, uint32_t item) {
  if (p->is_queued[item]) return;
  p->is_queued[item] = 1;
  p->queue[p->queue_count++] = item;
}

static bool set(struct pairs *p, uint32_t what, uint32_t index, int64_t value) {
  int64_t *slot = slot_of(p, what, index);
  if (!record(p, what, index, *slot)) return false;
  *slot = value;
  enqueue(p, index);
  return true;
}

static bool set_side(struct pairs *p, uint32_t gap, uint8_t side) {
  if (!record(p, SIDE, gap, p->side[gap])) return false;
  p->side[gap] = side;
  enqueue(p, p->g->conflicts.gaps[gap].a);
  enqueue(p, p->g->conflicts.gaps[gap].b);
  return true;
}

// ---- propagation ----

static int64_t alignment_of(const struct pairs *p, uint32_t item) {
  return pack_alignment(&p->g->model->problem->items[item]);
}

static bool raise_low(struct pairs *p, uint32_t item, int64_t low) {
  const int64_t a = alignment_of(p, item);
  if (low <= p->low[item]) return true;
  low = (low + a - 1) / a * a;
  return low <= p->high[item] && set(p, LOW, item, low);
}

static bool drop_high(struct pairs *p, uint32_t item, int64_t high) {
  if (high >= p->high[item]) return true;
  if (high < p->low[item]) return false;
  high -= high % alignment_of(p, item);
  return high >= p->low[item] && set(p, HIGH, item, high);
}

static bool obey(struct pairs *p, const pack_gap *g, uint8_t side) {
  if (side == ABOVE) {
    return raise_low(p, g->a, p->low[g->b] + g->high) &&
           drop_high(p, g->b, p->high[g->a] - g->high);
  }
  return raise_low(p, g->b, p->low[g->a] - g->low) && drop_high(p, g->a, p->high[g->b] + g->low);
}

static bool are_apart(const struct pairs *p, const pack_gap *g) {
  const int64_t a = p->region[g->a], b = p->region[g->b];
  return a == NO_REGION || b == NO_REGION || a != b;
}

static bool settle(struct pairs *p, uint32_t index) {
  const pack_gap *g = &p->g->conflicts.gaps[index];
  if (are_apart(p, g)) return true;
  if (p->side[index] == OPEN) {
    const bool above = p->high[g->a] - p->low[g->b] >= g->high;
    const bool below = p->low[g->a] - p->high[g->b] <= g->low;
    if (!above && !below) return false;
    if (above && below) return true;
    if (!set_side(p, index, above ? ABOVE : BELOW)) return false;
  }
  return obey(p, g, p->side[index]);
}

static bool propagate(struct pairs *p) {
  const pack_conflicts *c = &p->g->conflicts;
  bool holds = true;
  while (p->queue_count) {
    const uint32_t item = p->queue[--p->queue_count];
    p->is_queued[item] = 0;
    for (uint32_t k = c->first[item]; holds && k < c->first[item + 1]; k++) {
      holds = settle(p, c->of[k]);
    }
  }
  return holds;
}

// ---- too much in one section ----

static int by_value(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// Boxes by lowest start. Keys hold start and index, so that qsort needs no context.
static void sort_boxes(struct pairs *p) {
  const pack_model *m = p->g->model;
  for (uint32_t b = 0; b < m->box_count; b++) {
    const pack_box *box = &m->boxes[b];
    p->by_start[b] = (uint64_t)(p->low[box->item] + box->low) << 24 | b;
  }
  qsort(p->by_start, m->box_count, sizeof *p->by_start, by_value);
}

// In each section, the boxes stacked by lowest start must stay under the capacity: whatever their
// order, the last of those that start at or above some offset ends no lower. Items under rules may
// overlap and are left out.
static bool has_room(struct pairs *p, uint32_t region) {
  const pack_model *m = p->g->model;
  const int64_t capacity = pack_capacity(m, p->attempt, region);
  memset(p->reach, 0, m->section_count * sizeof *p->reach);
  for (uint32_t i = 0; i < m->box_count; i++) {
    const pack_box *box = &m->boxes[p->by_start[i] & 0xffffffu];
    const int64_t start = p->low[box->item] + box->low;
    if (p->region[box->item] != region || p->g->is_ruled[box->item]) continue;
    for (uint32_t s = box->first; s < box->end; s++) {
      if (p->reach[s] < start) p->reach[s] = start;
      p->reach[s] += box->high - box->low;
      if (p->reach[s] > capacity) return false;
    }
  }
  return true;
}

static bool is_possible(struct pairs *p) {
  if (!propagate(p)) return false;
  sort_boxes(p);
  for (uint32_t r = 0; r < pack_region_count(p->g->model); r++) {
    if (!has_room(p, r)) return false;
  }
  return true;
}

// ---- deciding ----

static bool set_region(struct pairs *p, uint32_t item, uint32_t region) {
  const pack_model *m = p->g->model;
  const int64_t last = (int64_t)pack_capacity(m, p->attempt, region) - m->top[item];
  return drop_high(p, item, last) && set(p, REGION, item, region);
}

// The lowest region at or above `from` that the item may use, or NO_REGION.
static int32_t region_from(const struct pairs *p, uint32_t item, uint32_t from) {
  const uint32_t allowed = pack_allowed(&p->g->model->problem->items[item]);
  for (uint32_t r = from; r < pack_region_count(p->g->model); r++) {
    if (allowed >> r & 1u) return (int32_t)r;
  }
  return NO_REGION;
}

static bool choose_region(const struct pairs *p, uint32_t *item) {
  const pack_model *m = p->g->model;
  bool found = false;
  for (uint32_t i = 0; i < m->count; i++) {
    if (p->region[i] != NO_REGION || (found && m->top[i] <= m->top[*item])) continue;
    *item = i;
    found = true;
  }
  return found;
}

// Of the broken gaps the one with the least room on its tighter side.
static bool choose_gap(const struct pairs *p, uint32_t *gap, uint8_t *side) {
  const pack_conflicts *c = &p->g->conflicts;
  int64_t best = INT64_MAX;
  for (uint32_t i = 0; i < c->gap_count; i++) {
    const pack_gap *g = &c->gaps[i];
    const int64_t now = p->low[g->a] - p->low[g->b];
    if (p->side[i] != OPEN || now <= g->low || now >= g->high || are_apart(p, g)) continue;
    const int64_t above = p->high[g->a] - p->low[g->b] - g->high;
    const int64_t below = g->low - (p->low[g->a] - p->high[g->b]);
    const int64_t tight = above < below ? above : below;
    if (tight >= best) continue;
    best = tight;
    *gap = i;
    *side = above > below ? ABOVE : BELOW;
  }
  return best != INT64_MAX;
}

static bool push(struct pairs *p, struct decision d) {
  if (p->decision_count == p->decision_room) {
    struct decision *list = grown(p->decisions, &p->decision_room, sizeof *list);
    if (list == NULL) {
      p->no_memory = true;
      return false;
    }
    p->decisions = list;
  }
  p->decisions[p->decision_count++] = d;
  return true;
}

// Takes the first way of the next decision. PACK_DONE: nothing is left to decide.
static int descend(struct pairs *p, bool *holds) {
  uint32_t index = 0;
  uint8_t side = OPEN;
  if (choose_region(p, &index)) {
    const int32_t r = region_from(p, index, 0);
    if (!push(p, (struct decision){p->trail_count, true, index, r})) return PACK_LIMIT;
    p->decisions[p->decision_count - 1].other = region_from(p, index, (uint32_t)r + 1u);
    *holds = set_region(p, index, (uint32_t)r);
    return PACK_FAIL;
  }
  if (!choose_gap(p, &index, &side)) return PACK_DONE;
  const int32_t other = side == ABOVE ? BELOW : ABOVE;
  if (!push(p, (struct decision){p->trail_count, false, index, other})) return PACK_LIMIT;
  *holds = set_side(p, index, side);
  return PACK_FAIL;
}

// Goes back to the last decision with another way, and takes it. Returns false where none is left.
static bool retreat(struct pairs *p, bool *holds) {
  while (p->queue_count) p->is_queued[p->queue[--p->queue_count]] = 0;
  while (p->decision_count) {
    struct decision *d = &p->decisions[p->decision_count - 1];
    const int32_t way = d->other;
    undo(p, d->mark);
    if (d->of_region && way != NO_REGION) {
      d->other = region_from(p, d->index, (uint32_t)way + 1u);
      *holds = set_region(p, d->index, (uint32_t)way);
      return true;
    }
    if (!d->of_region) {
      const uint32_t gap = d->index;
      p->decision_count--;           // the second way needs no way back
      *holds = set_side(p, gap, (uint8_t)way);
      return true;
    }
    p->decision_count--;
  }
  return false;
}

static int run(struct pairs *p, pack_attempt *a) {
  bool holds = is_possible(p);
  for (uint64_t nodes = 0; nodes < a->node_limit; nodes++) {
    if (p->no_memory || (nodes % 16 == 0 && arn__pack_cpu_seconds() > a->deadline)) break;
    a->nodes++;
    if (holds) {
      const int found = descend(p, &holds);
      if (found != PACK_FAIL) return found;
    } else if (!retreat(p, &holds)) {
      return PACK_FAIL;
    }
    holds = holds && is_possible(p);
  }
  return PACK_LIMIT;
}

// ---- frame ----

// Offsets as far as the item alone and its only region say. Returns false where it fits nowhere.
static bool start(struct pairs *p) {
  const pack_model *m = p->g->model;
  for (uint32_t i = 0; i < m->count; i++) {
    const arn_pack_item *item = &m->problem->items[i];
    const int32_t first = region_from(p, i, 0);
    const bool only = region_from(p, i, (uint32_t)first + 1u) == NO_REGION;
    p->region[i] = only ? first : NO_REGION;
    p->low[i] = item->fixed == ARN_PACK_FREE ? 0 : item->fixed;
    p->high[i] = item->fixed == ARN_PACK_FREE ? ARN_PACK_MAX_BYTES : item->fixed;
    p->high[i] -= p->high[i] % alignment_of(p, i);
    const uint32_t room = pack_capacity(m, p->attempt, (uint32_t)first);
    if (only && !drop_high(p, i, (int64_t)room - m->top[i])) return false;
    enqueue(p, i);
  }
  p->trail_count = 0;
  return true;
}

static bool allocate(struct pairs *p) {
  const size_t items = p->g->model->count + 1u;
  p->side = calloc(p->g->conflicts.gap_count + 1u, sizeof *p->side);
  p->low = calloc(items, sizeof *p->low);
  p->high = calloc(items, sizeof *p->high);
  p->region = calloc(items, sizeof *p->region);
  p->queue = calloc(items, sizeof *p->queue);
  p->is_queued = calloc(items, sizeof *p->is_queued);
  p->by_start = calloc(p->g->model->box_count + 1u, sizeof *p->by_start);
  p->reach = calloc(p->g->model->section_count + 1u, sizeof *p->reach);
  return p->side && p->low && p->high && p->region && p->queue && p->is_queued && p->by_start &&
         p->reach;
}

static void release(struct pairs *p) {
  free(p->side);
  free(p->low);
  free(p->high);
  free(p->region);
  free(p->queue);
  free(p->is_queued);
  free(p->by_start);
  free(p->reach);
  free(p->trail);
  free(p->decisions);
}

int arn__general_decide(pack_general *g, pack_attempt *a) {
  struct pairs p = {.g = g, .attempt = a};
  int found = PACK_LIMIT;
  if (allocate(&p)) found = start(&p) ? run(&p, a) : p.no_memory ? PACK_LIMIT : PACK_FAIL;
  for (uint32_t i = 0; found == PACK_DONE && i < g->model->count; i++) {
    a->offsets[i] = (uint32_t)p.low[i];
    a->regions[i] = (uint8_t)p.region[i];
  }
  release(&p);
  return found;
}
