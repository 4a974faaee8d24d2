// The judge: a sweep over time, written apart from the search and sharing nothing with it but
// pack.h.
//
// Events (a piece begins, a piece ends) are sorted by step, ends first. The pieces alive are kept
// in an array sorted by region and address; a piece that begins is compared with its neighbours
// only, which suffices because those already there do not overlap one another.
#include <stdlib.h>
#include <string.h>

#include "host/search/pack.h"

struct span {
  uint64_t low, high;
  uint32_t item, region;
};

struct event {
  uint32_t step, begins;            // ends (0) sort before begins (1)
  struct span span;
};

static int by_step(const void *a, const void *b) {
  const struct event *x = a, *y = b;
  if (x->step != y->step) return x->step < y->step ? -1 : 1;
  if (x->begins != y->begins) return x->begins < y->begins ? -1 : 1;
  return (x->span.item > y->span.item) - (x->span.item < y->span.item);
}

static bool is_before(const struct span *a, const struct span *b) {
  if (a->region != b->region) return a->region < b->region;
  if (a->low != b->low) return a->low < b->low;
  return a->item < b->item;
}

// Index of the first live span that is not before `s`.
static size_t find(const struct span *live, size_t count, const struct span *s) {
  size_t from = 0, to = count;
  while (from < to) {
    const size_t middle = from + (to - from) / 2;
    if (is_before(&live[middle], s)) {
      from = middle + 1;
    } else {
      to = middle;
    }
  }
  return from;
}

static bool meet(const struct span *a, const struct span *b) {
  return a->region == b->region && a->low < b->high && b->low < a->high;
}

static bool has_rule(const arn_pack_problem *p, uint32_t a, uint32_t b) {
  for (uint32_t i = 0; i < p->rule_count; i++) {
    const arn_pack_rule *r = &p->rules[i];
    if ((r->upper == a && r->lower == b) || (r->upper == b && r->lower == a)) return true;
  }
  return false;
}

static uint32_t region_of(const uint8_t *regions, uint32_t item) {
  return regions ? regions[item] : 0u;
}

static uint32_t top_of(const arn_pack_item *item) {
  uint32_t top = item->size;
  for (uint32_t i = 0; i < item->piece_count; i++) {
    if (item->pieces[i].high > top) top = item->pieces[i].high;
  }
  return top;
}

static arn_pack_fault check_item(const arn_pack_problem *p, uint32_t i, uint32_t offset,
                                 uint32_t region, uint32_t capacity) {
  const arn_pack_item *item = &p->items[i];
  const uint32_t regions = p->region_count ? p->region_count : 1u;
  const uint32_t allowed = item->regions ? item->regions : 1u;
  if (region >= regions || !(allowed >> region & 1u)) return ARN_PACK_WRONG_REGION;
  if (item->alignment > 1u && offset % item->alignment) return ARN_PACK_MISALIGNED;
  if (item->fixed != ARN_PACK_FREE && item->fixed != offset) return ARN_PACK_MOVED;
  const uint32_t limit = region ? p->capacities[region] : capacity;
  return (uint64_t)offset + top_of(item) > limit ? ARN_PACK_OVER_CAPACITY : ARN_PACK_OK;
}

static bool rule_holds(const arn_pack_problem *p, const arn_pack_rule *r, const uint32_t *offsets,
                       const uint8_t *regions) {
  if (region_of(regions, r->upper) != region_of(regions, r->lower)) return true;
  const int64_t upper = offsets[r->upper], lower = offsets[r->lower];
  return upper >= lower + r->distance || upper + top_of(&p->items[r->upper]) <= lower;
}

static struct span span_at(uint32_t item, uint32_t offset, uint32_t region, uint32_t low,
                           uint32_t high) {
  return (struct span){(uint64_t)offset + low, (uint64_t)offset + high, item, region};
}

static size_t add_events(struct event *events, size_t count, uint32_t lower, uint32_t upper,
                         struct span span) {
  events[count] = (struct event){lower, 1, span};
  events[count + 1] = (struct event){upper, 0, span};
  return count + 2;
}

static size_t list_events(const arn_pack_problem *p, const uint32_t *offsets,
                          const uint8_t *regions, struct event *events) {
  size_t count = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    const arn_pack_item *item = &p->items[i];
    const uint32_t region = region_of(regions, i);
    if (item->piece_count == 0) {
      count = add_events(events, count, item->lower, item->upper,
                         span_at(i, offsets[i], region, 0, item->size));
    }
    for (uint32_t k = 0; k < item->piece_count; k++) {
      const arn_pack_piece *piece = &item->pieces[k];
      count = add_events(events, count, piece->lower, piece->upper,
                         span_at(i, offsets[i], region, piece->low, piece->high));
    }
  }
  return count;
}

// Pairs under a rule are judged by it alone, so they may overlap here: then the neighbours are not
// enough, and every live span is looked at.
static bool begins_badly(const arn_pack_problem *p, const struct span *live, size_t count,
                         const struct span *s, arn_pack_report *report) {
  const size_t at = find(live, count, s);
  size_t from = at ? at - 1 : 0, to = at + 1 < count ? at + 1 : count;
  if (p->rule_count) {
    from = 0;
    to = count;
  }
  for (size_t i = from; i < to; i++) {
    if (!meet(&live[i], s) || (p->rule_count && has_rule(p, live[i].item, s->item))) continue;
    *report = (arn_pack_report){live[i].item, s->item};
    return true;
  }
  return false;
}

static arn_pack_fault sweep(const arn_pack_problem *p, const struct event *events, size_t count,
                            struct span *live, arn_pack_report *report) {
  size_t alive = 0;
  for (size_t i = 0; i < count; i++) {
    const struct span *s = &events[i].span;
    const size_t at = find(live, alive, s);
    if (events[i].begins) {
      if (begins_badly(p, live, alive, s, report)) return ARN_PACK_OVERLAP;
      memmove(live + at + 1, live + at, (alive - at) * sizeof *live);
      live[at] = *s;
      alive++;
    } else {
      memmove(live + at, live + at + 1, (alive - at - 1) * sizeof *live);
      alive--;
    }
  }
  return ARN_PACK_OK;
}

static arn_pack_fault check_overlaps(const arn_pack_problem *p, const uint32_t *offsets,
                                     const uint8_t *regions, arn_pack_report *report) {
  size_t pieces = 0;
  for (uint32_t i = 0; i < p->count; i++) {
    pieces += p->items[i].piece_count ? p->items[i].piece_count : 1u;
  }
  struct event *events = calloc(2 * pieces + 1, sizeof *events);
  struct span *live = calloc(pieces + 1, sizeof *live);
  arn_pack_fault fault = ARN_PACK_UNCHECKED;
  if (events && live) {
    const size_t count = list_events(p, offsets, regions, events);
    qsort(events, count, sizeof *events, by_step);
    fault = sweep(p, events, count, live, report);
  }
  free(events);
  free(live);
  return fault;
}

arn_pack_fault arn_pack_check(const arn_pack_problem *problem, uint32_t capacity,
                              const uint32_t *offsets, const uint8_t *regions,
                              arn_pack_report *report) {
  arn_pack_report unused;
  if (report == NULL) report = &unused;
  *report = (arn_pack_report){0, 0};
  for (uint32_t i = 0; i < problem->count; i++) {
    const arn_pack_fault fault =
        check_item(problem, i, offsets[i], region_of(regions, i), capacity);
    if (fault != ARN_PACK_OK) {
      report->first = i;
      return fault;
    }
  }
  for (uint32_t i = 0; i < problem->rule_count; i++) {
    if (rule_holds(problem, &problem->rules[i], offsets, regions)) continue;
    report->first = i;
    return ARN_PACK_BROKEN_RULE;
  }
  return check_overlaps(problem, offsets, regions, report);
}

const char *arn_pack_fault_text(arn_pack_fault fault) {
  switch (fault) {
    case ARN_PACK_OK: return "the placement is valid";
    case ARN_PACK_OVERLAP: return "two items share a byte at the same step";
    case ARN_PACK_OVER_CAPACITY: return "an item ends above the capacity";
    case ARN_PACK_MISALIGNED: return "an offset is not aligned";
    case ARN_PACK_MOVED: return "a fixed item is not at its offset";
    case ARN_PACK_WRONG_REGION: return "an item is in a region that it may not use";
    case ARN_PACK_BROKEN_RULE: return "a distance rule does not hold";
    case ARN_PACK_UNCHECKED: return "there was no memory to check the placement";
  }
  return "unknown fault";
}
