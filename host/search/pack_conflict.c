// Who must keep what distance from whom.
#include <stdlib.h>
#include <string.h>

#include "host/search/pack_general.h"

#define MAX_GAPS (UINT32_C(1) << 24)

struct list {
  pack_gap *gaps;
  uint32_t count, room;
};

static bool add(struct list *l, uint32_t a, uint32_t b, int64_t low, int64_t high) {
  if (high - low < 2) return true;   // no integer strictly between
  if (l->count == l->room) {
    const uint32_t room = l->room ? 2u * l->room : 1024u;
    pack_gap *gaps = room > MAX_GAPS ? NULL : realloc(l->gaps, room * sizeof *gaps);
    if (gaps == NULL) return false;
    l->gaps = gaps;
    l->room = room;
  }
  l->gaps[l->count++] =
      a < b ? (pack_gap){a, b, low, high} : (pack_gap){b, a, -high, -low};
  return true;
}

static int by_first(const void *a, const void *b) {
  const pack_box *x = a, *y = b;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  return (x->item > y->item) - (x->item < y->item);
}

static int by_pair(const void *a, const void *b) {
  const pack_gap *x = a, *y = b;
  if (x->a != y->a) return x->a < y->a ? -1 : 1;
  if (x->b != y->b) return x->b < y->b ? -1 : 1;
  return (x->low > y->low) - (x->low < y->low);
}

// A sweep over the boxes by their first section; `live` keeps those not ended.
static bool add_boxes(struct list *l, const pack_box *boxes, uint32_t count, uint32_t *live) {
  uint32_t alive = 0;
  for (uint32_t i = 0; i < count; i++) {
    const pack_box *x = &boxes[i];
    uint32_t kept = 0;
    for (uint32_t k = 0; k < alive; k++) {
      const pack_box *y = &boxes[live[k]];
      if (y->end <= x->first) continue;
      live[kept++] = live[k];
      if (y->item == x->item) continue;
      if (!add(l, x->item, y->item, (int64_t)y->low - x->high, (int64_t)y->high - x->low)) {
        return false;
      }
    }
    alive = kept;
    live[alive++] = i;
  }
  return true;
}

static bool list_boxes(struct list *l, const pack_model *m) {
  pack_box *boxes = calloc(m->box_count + 1u, sizeof *boxes);
  uint32_t *live = calloc(m->box_count + 1u, sizeof *live);
  bool done = false;
  if (boxes && live) {
    memcpy(boxes, m->boxes, m->box_count * sizeof *boxes);
    qsort(boxes, m->box_count, sizeof *boxes, by_first);
    done = add_boxes(l, boxes, m->box_count, live);
  }
  free(boxes);
  free(live);
  return done;
}

static const pack_gap *find_pair(const struct list *l, uint32_t a, uint32_t b) {
  uint32_t from = 0, to = l->count;
  while (from < to) {
    const uint32_t middle = from + (to - from) / 2;
    const pack_gap *g = &l->gaps[middle];
    if (g->a < a || (g->a == a && g->b < b)) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from < l->count && l->gaps[from].a == a && l->gaps[from].b == b ? &l->gaps[from] : NULL;
}

// A rule takes the place of what the boxes of its pair say.
static bool apply_rules(struct list *l, const pack_model *m) {
  const arn_pack_problem *p = m->problem;
  if (p->rule_count == 0) return true;
  if (l->count) qsort(l->gaps, l->count, sizeof *l->gaps, by_pair);
  for (uint32_t i = 0; i < p->rule_count; i++) {
    const arn_pack_rule *r = &p->rules[i];
    const uint32_t a = r->upper < r->lower ? r->upper : r->lower;
    const uint32_t b = r->upper < r->lower ? r->lower : r->upper;
    const pack_gap *first = find_pair(l, a, b);
    for (uint32_t k = first ? (uint32_t)(first - l->gaps) : l->count;
         k < l->count && l->gaps[k].a == a && l->gaps[k].b == b; k++) {
      pack_gap *g = &l->gaps[k];
      g->low = g->high = 0;          // empty: dropped by merge
    }
  }
  for (uint32_t i = 0; i < p->rule_count; i++) {
    const arn_pack_rule *r = &p->rules[i];
    if (!add(l, r->upper, r->lower, -(int64_t)m->top[r->upper], r->distance)) return false;
  }
  return true;
}

static void merge(struct list *l) {
  uint32_t count = 0;
  if (l->count) qsort(l->gaps, l->count, sizeof *l->gaps, by_pair);
  for (uint32_t i = 0; i < l->count; i++) {
    const pack_gap *g = &l->gaps[i];
    pack_gap *last = count ? &l->gaps[count - 1] : NULL;
    if (g->high - g->low < 2) continue;
    if (last && last->a == g->a && last->b == g->b && g->low < last->high) {
      if (g->high > last->high) last->high = g->high;
    } else {
      l->gaps[count++] = *g;
    }
  }
  l->count = count;
}

static bool index_items(pack_conflicts *c, uint32_t items) {
  c->first = calloc(items + 2u, sizeof *c->first);
  c->of = calloc(2u * (size_t)c->gap_count + 1u, sizeof *c->of);
  if (!c->first || !c->of) return false;
  for (uint32_t i = 0; i < c->gap_count; i++) {
    c->first[c->gaps[i].a + 2u]++;
    c->first[c->gaps[i].b + 2u]++;
  }
  for (uint32_t i = 2; i < items + 2u; i++) c->first[i] += c->first[i - 1];
  for (uint32_t i = 0; i < c->gap_count; i++) {
    c->of[c->first[c->gaps[i].a + 1u]++] = i;
    c->of[c->first[c->gaps[i].b + 1u]++] = i;
  }
  return true;
}

bool arn__conflict_open(pack_conflicts *c, const pack_model *model) {
  struct list l = {0};
  memset(c, 0, sizeof *c);
  const bool listed = list_boxes(&l, model) && apply_rules(&l, model);
  if (listed) merge(&l);
  c->gaps = l.gaps;
  c->gap_count = l.count;
  if (listed && index_items(c, model->count)) return true;
  arn__conflict_close(c);
  return false;
}

void arn__conflict_close(pack_conflicts *c) {
  free(c->gaps);
  free(c->first);
  free(c->of);
  memset(c, 0, sizeof *c);
}
