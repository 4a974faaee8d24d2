// The heuristic: place the items one after the other, each at the lowest offset where it fits among
// those placed, also under them. Where one finds no room, it is moved forward and the rest is
// placed again.
#include <stdlib.h>
#include <string.h>

#include "host/search/pack_general.h"

#define NOWHERE (-1)
#define REPAIRS 30u                  // of one order

struct span {
  int64_t low, high;                 // offsets strictly between are taken
};

struct placing {
  const pack_general *g;
  const pack_attempt *attempt;
  int64_t *offset;                   // [items] NOWHERE: not placed
  uint8_t *region;
  struct span *spans;                // scratch, one for each gap of an item
  bool last_region_first;
};

static int by_low(const void *a, const void *b) {
  const struct span *x = a, *y = b;
  return (x->low > y->low) - (x->low < y->low);
}

static int64_t align_up(int64_t offset, int64_t alignment) {
  return (offset + alignment - 1) / alignment * alignment;
}

// Offsets that the placed items of a region deny to `item`.
static size_t list_spans(const struct placing *p, uint32_t item, uint32_t region) {
  const pack_conflicts *c = &p->g->conflicts;
  size_t count = 0;
  for (uint32_t k = c->first[item]; k < c->first[item + 1]; k++) {
    const pack_gap *gap = &c->gaps[c->of[k]];
    const uint32_t other = gap->a == item ? gap->b : gap->a;
    const int64_t at = p->offset[other];
    if (at == NOWHERE || p->region[other] != region) continue;
    p->spans[count++] = gap->a == item ? (struct span){at + gap->low, at + gap->high}
                                       : (struct span){at - gap->high, at - gap->low};
  }
  return count;
}

static int64_t first_fit(const struct placing *p, uint32_t item, uint32_t region) {
  const pack_model *m = p->g->model;
  const arn_pack_item *x = &m->problem->items[item];
  const int64_t last = (int64_t)pack_capacity(m, p->attempt, region) - m->top[item];
  const bool is_fixed = x->fixed != ARN_PACK_FREE;
  int64_t at = is_fixed ? x->fixed : 0;
  const size_t count = list_spans(p, item, region);
  qsort(p->spans, count, sizeof *p->spans, by_low);
  for (size_t i = 0; i < count && p->spans[i].low < at; i++) {
    if (p->spans[i].high <= at) continue;
    if (is_fixed) return NOWHERE;
    at = align_up(p->spans[i].high, pack_alignment(x));
  }
  return at <= last ? at : NOWHERE;
}

static bool place(struct placing *p, uint32_t item) {
  const uint32_t regions = pack_region_count(p->g->model);
  const uint32_t allowed = pack_allowed(&p->g->model->problem->items[item]);
  for (uint32_t k = 0; k < regions; k++) {
    const uint32_t r = p->last_region_first ? regions - 1u - k : k;
    if (!(allowed >> r & 1u)) continue;
    const int64_t at = first_fit(p, item, r);
    if (at == NOWHERE) continue;
    p->offset[item] = at;
    p->region[item] = (uint8_t)r;
    return true;
  }
  return false;
}

// Returns the index in `order` of the item without room, or the number of items.
static uint32_t place_all(struct placing *p, const uint32_t *order) {
  const uint32_t count = p->g->model->count;
  for (uint32_t i = 0; i < count; i++) p->offset[i] = NOWHERE;
  for (uint32_t i = 0; i < count; i++) {
    if (!place(p, order[i])) return i;
  }
  return count;
}

// ---- orders ----

struct ranked {
  double key;
  uint32_t item;
};

static int by_key(const void *a, const void *b) {
  const struct ranked *x = a, *y = b;
  if (x->key != y->key) return x->key > y->key ? -1 : 1;
  return (x->item > y->item) - (x->item < y->item);
}

static double area_of(const pack_model *m, uint32_t item) {
  double area = 0;
  for (uint32_t b = m->first_box[item]; b < m->first_box[item + 1]; b++) {
    const pack_box *box = &m->boxes[b];
    area += (double)(box->high - box->low) * (box->end - box->first);
  }
  return area;
}

static double measure(const pack_general *g, uint32_t item, uint32_t recipe) {
  const pack_model *m = g->model;
  const uint32_t conflicts = g->conflicts.first[item + 1] - g->conflicts.first[item];
  switch (recipe % 4u) {
    case 0: return m->top[item];
    case 1: return area_of(m, item);
    case 2: return conflicts;
    default: return area_of(m, item) / m->top[item];
  }
}

static bool make_order(pack_general *g, const pack_attempt *a, uint64_t *random) {
  const uint32_t recipe = (uint32_t)pack_random(random);
  const double noise = a->turn < 8 ? 0 : 0.5 * (pack_noise(random) + 0.5);
  struct ranked *list = calloc(g->model->count + 1u, sizeof *list);
  if (list == NULL) return false;
  for (uint32_t i = 0; i < g->model->count; i++) {
    const bool is_fixed = g->model->problem->items[i].fixed != ARN_PACK_FREE;
    double key = a->guide ? -(double)a->guide[i] + 0.1 * noise * a->capacity * pack_noise(random)
                          : measure(g, i, a->turn < 8 ? a->turn / 2u : recipe) *
                                (1.0 + noise * pack_noise(random) + 0.1 * g->urgency[i]);
    if (is_fixed) key = 1e300;
    list[i] = (struct ranked){key, i};
  }
  qsort(list, g->model->count, sizeof *list, by_key);
  for (uint32_t i = 0; i < g->model->count; i++) g->order[i] = list[i].item;
  free(list);
  return true;
}

static void move_forward(uint32_t *order, uint32_t from, uint32_t to) {
  const uint32_t item = order[from];
  memmove(order + to + 1, order + to, (from - to) * sizeof *order);
  order[to] = item;
}

static int place_repaired(pack_general *g, pack_attempt *a, struct placing *p, uint64_t *random) {
  const uint32_t count = g->model->count;
  uint64_t nodes = 0;
  for (uint32_t k = 0; k < REPAIRS && nodes < a->node_limit; k++) {
    const uint32_t stuck = place_all(p, g->order);
    nodes += stuck;
    if (stuck == count) {
      for (uint32_t i = 0; i < count; i++) a->offsets[i] = (uint32_t)p->offset[i];
      a->nodes += nodes;
      return PACK_DONE;
    }
    const uint32_t item = g->order[stuck];
    g->urgency[item] += 1.0;
    if (g->model->problem->items[item].fixed != ARN_PACK_FREE) break;
    if (stuck == 0 || arn__pack_cpu_seconds() > a->deadline) break;
    move_forward(g->order, stuck, (uint32_t)(pack_random(random) % stuck));
  }
  a->nodes += nodes + 1;
  return PACK_LIMIT;
}

int arn__general_place(pack_general *g, pack_attempt *a) {
  const size_t count = g->model->count;
  uint64_t random = a->random;
  struct placing p = {.g = g, .attempt = a, .region = a->regions};
  size_t most = 1;
  for (size_t i = 0; i < count; i++) {
    const size_t gaps = g->conflicts.first[i + 1] - g->conflicts.first[i];
    if (gaps > most) most = gaps;
    g->urgency[i] *= 0.95;
  }
  p.last_region_first = pack_random(&random) % 2u;
  p.offset = calloc(count + 1, sizeof *p.offset);
  p.spans = calloc(most, sizeof *p.spans);
  int found = PACK_LIMIT;
  if (p.offset && p.spans && make_order(g, a, &random)) {
    found = place_repaired(g, a, &p, &random);
  }
  free(p.offset);
  free(p.spans);
  return found;
}
