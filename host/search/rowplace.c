// A place for every row.
//
// For two items that are alive together, the distances at which they would meet at some step are an
// interval, taken as a whole. Items are placed one after the other, each as low as it can be, or in
// the tightest hole; first in several orders, then an item that finds no room below the best height
// so far moves ahead in the order, and those behind it are placed again.
#include "host/search/rowplace.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/search/rowcuts.h"
#include "host/search/rowitems.h"

#define NOWHERE HOST_ROW_NOWHERE
#define MAX_PAIRS (1u << 25)
#define QUICK 4u                  // how often all items are placed where the caller gives no time,
#define QUICK_ITEMS 10000u        // and how many items besides
#define PATIENT 600u              // and in one round where he does
#define SHUFFLES 200u             // orders drawn in such a round
#define ROUNDS 24u                // then: only slow machines and large networks need the clock

// What a neighbour forbids: to lie more than `low` and less than `high` above it.
struct pair {
  uint32_t other;
  int32_t low, high;
};

struct gap {
  int64_t low, high;
};

struct placer {
  host_row_items items;
  struct pair *pairs;
  uint32_t *first;            // [count + 1], of each item's pairs
  uint32_t *order, *position;
  uint32_t *best;             // offsets of the best placement
  struct gap *gaps;
  uint64_t random;
  double *factors;            // by group, of shuffled orders
  bool tight;                 // the tightest hole, not the lowest
  uint64_t placed;            // items, so far
};

static uint32_t draw(struct placer *p, uint32_t below) {
  p->random = p->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)((p->random >> 32) % below);
}

// ---- pairs --------------------------------------------------------------------------------------

static void widen(const host_row_items *items, const host_row_item *x, const host_row_item *y,
                  uint32_t step, struct gap *g) {
  const host_row_occupied a = host_row_item_at(items, x, step);
  const host_row_occupied b = host_row_item_at(items, y, step);
  if (a.low >= a.high || b.low >= b.high) return;
  const int64_t low = (int64_t)b.low - a.high, high = (int64_t)b.high - a.low;
  if (low < g->low) g->low = low;
  if (high > g->high) g->high = high;
}

static void widen_at_marks(const host_row_items *items, const host_row_item *x,
                           const host_row_item *y, const host_row_item *marked, struct gap *g) {
  const uint32_t from = x->birth > y->birth ? x->birth : y->birth;
  const uint32_t to = x->death < y->death ? x->death : y->death;
  for (uint32_t k = marked->first_mark; k < marked->first_mark + marked->mark_count; k++) {
    const uint32_t step = items->marks[k].step;
    if (step > from && step <= to) widen(items, x, y, step, g);
  }
}

// The distances from y at which x must not lie. Returns false where there are none.
static bool keep_apart(const host_row_items *items, const host_row_item *x, const host_row_item *y,
                       struct gap *g) {
  *g = (struct gap){INT64_MAX, INT64_MIN};
  if (y->birth > x->death || x->birth > y->death) return false;
  widen(items, x, y, x->birth > y->birth ? x->birth : y->birth, g);
  if (x->mark_count) widen_at_marks(items, x, y, x, g);
  if (y->mark_count) widen_at_marks(items, x, y, y, g);
  return g->high != INT64_MIN;
}

// Items by birth; of those before an item, only the ones still alive are looked at.
static bool each_pair(struct placer *p, uint32_t *alive, bool store) {
  const host_row_items *items = &p->items;
  uint32_t count = 0, pairs = 0;
  for (uint32_t i = 0; i < items->count; i++) {
    uint32_t left = 0;
    for (uint32_t k = 0; k < count; k++) {
      struct gap g;
      const uint32_t j = alive[k];
      if (items->items[j].death < items->items[i].birth) continue;
      alive[left++] = j;
      if (!keep_apart(items, &items->items[i], &items->items[j], &g)) continue;
      if (store) {
        p->pairs[p->position[i]++] = (struct pair){j, (int32_t)g.low, (int32_t)g.high};
        p->pairs[p->position[j]++] = (struct pair){i, (int32_t)-g.high, (int32_t)-g.low};
      } else {
        p->first[i + 1]++;
        p->first[j + 1]++;
      }
      if (++pairs > MAX_PAIRS) return false;
    }
    count = left;
    alive[count++] = i;
  }
  return true;
}

static bool make_pairs(struct placer *p) {
  const uint32_t n = p->items.count;
  if (!each_pair(p, p->order, false)) return false;
  for (uint32_t i = 0; i < n; i++) p->first[i + 1] += p->first[i];
  p->pairs = malloc((p->first[n] + 1u) * sizeof *p->pairs);
  if (p->pairs == NULL) return false;
  memcpy(p->position, p->first, n * sizeof *p->position);
  return each_pair(p, p->order, true);
}

// ---- one item -----------------------------------------------------------------------------------

static void sort_gaps(struct gap *gaps, uint32_t count) {
  for (uint32_t step = 40; step > 0; step = step > 1 ? step / 3 : 0) {
    for (uint32_t i = step; i < count; i++) {
      const struct gap g = gaps[i];
      uint32_t at = i;
      for (; at >= step && gaps[at - step].low > g.low; at -= step) gaps[at] = gaps[at - step];
      gaps[at] = g;
    }
  }
}

// The place of an item among those that are placed.
static uint32_t find_place(struct placer *p, uint32_t item) {
  uint32_t count = 0;
  for (uint32_t k = p->first[item]; k < p->first[item + 1]; k++) {
    const int64_t there = p->items.items[p->pairs[k].other].offset;
    if (there == NOWHERE || there + p->pairs[k].high <= 0) continue;
    p->gaps[count++] = (struct gap){there + p->pairs[k].low, there + p->pairs[k].high};
  }
  sort_gaps(p->gaps, count);
  int64_t at = 0, best = -1, best_slack = INT64_MAX;
  for (uint32_t k = 0; k < count; k++) {
    const int64_t slack = p->gaps[k].low - at;
    if (slack >= 0 && !p->tight) return (uint32_t)at;
    if (slack >= 0 && slack < best_slack) {
      best_slack = slack;
      best = at;
    }
    if (p->gaps[k].high > at) at = (p->gaps[k].high + 3) & ~(int64_t)3;
  }
  return (uint32_t)(best >= 0 ? best : at);
}

// ---- all items ----------------------------------------------------------------------------------

// Places order[from ...]. Returns the position of the first item that does not stay below `limit`.
static uint32_t place_from(struct placer *p, uint32_t from, uint32_t limit) {
  host_row_item *items = p->items.items;
  for (uint32_t k = from; k < p->items.count; k++) items[p->order[k]].offset = NOWHERE;
  for (uint32_t k = from; k < p->items.count; k++) {
    host_row_item *x = &items[p->order[k]];
    const uint32_t at = find_place(p, p->order[k]);
    p->placed++;
    if ((uint64_t)at + x->bytes > limit) return k;
    x->offset = at;
  }
  return p->items.count;
}

static uint32_t keep_best(struct placer *p) {
  uint32_t top = 0;
  for (uint32_t i = 0; i < p->items.count; i++) {
    const host_row_item *x = &p->items.items[i];
    p->best[i] = x->offset;
    if (x->offset + x->bytes > top) top = x->offset + x->bytes;
  }
  return top;
}

// ---- orders -------------------------------------------------------------------------------------

// Falling keys; equal ones by birth.
static uint64_t key_of(const host_row_item *x, uint32_t mode) {
  const uint64_t life = (uint64_t)x->death - x->birth + 1;
  switch (mode % 4) {
    case 0: return UINT32_MAX - x->birth;
    case 1: return x->bytes;
    case 2: return x->bytes * life;
    default: return life;
  }
}

struct keyed {
  double key;
  uint32_t birth, item;
};

static int by_key(const void *a, const void *b) {
  const struct keyed *x = a, *y = b;
  if (x->key != y->key) return x->key > y->key ? -1 : 1;
  if (x->birth != y->birth) return x->birth < y->birth ? -1 : 1;
  return x->item < y->item ? -1 : x->item > y->item;
}

// Takes the keys over.
static void sort_by(struct placer *p, struct keyed *keys) {
  qsort(keys, p->items.count, sizeof *keys, by_key);
  for (uint32_t i = 0; i < p->items.count; i++) p->order[i] = keys[i].item;
  free(keys);
}

static bool sort_order(struct placer *p, uint32_t mode) {
  const uint32_t n = p->items.count;
  struct keyed *keys = malloc((n + 1u) * sizeof *keys);
  if (keys == NULL) return false;
  for (uint32_t i = 0; i < n; i++) {
    const host_row_item *x = &p->items.items[i];
    keys[i] = (struct keyed){(double)key_of(x, mode), x->birth, i};
  }
  sort_by(p, keys);
  p->tight = mode < 4;
  return true;
}

// Large and long-lived ones first, as before, but for a factor that each tensor draws.
static bool shuffle_order(struct placer *p) {
  const uint32_t n = p->items.count, power = draw(p, 3), strength = draw(p, 500);
  const uint32_t groups = p->items.graph->root_count + p->items.graph->node_count;
  struct keyed *keys = malloc((n + 1u) * sizeof *keys);
  if (keys == NULL) return false;
  for (uint32_t i = 0; i < groups; i++) {
    p->factors[i] = 1.0 + 1e-6 * strength * ((double)draw(p, 2001) - 1000.0);
  }
  for (uint32_t i = 0; i < n; i++) {
    const host_row_item *x = &p->items.items[i];
    const double life = (double)(x->death - x->birth + 1u), root = sqrt(life);
    const double weight = power == 0 ? sqrt(root) : power == 1 ? root : life;
    keys[i] = (struct keyed){x->bytes * weight * p->factors[x->group], x->birth, i};
  }
  sort_by(p, keys);
  p->tight = draw(p, 4) == 0;
  return true;
}

// Moves an item ahead, and with it, if wanted, all of its tensor that is behind.
static void move_ahead(struct placer *p, uint32_t from, uint32_t to, bool group) {
  const host_row_item *items = p->items.items;
  const uint32_t item = p->order[from], last = group ? p->items.count : from + 1;
  uint32_t moved = 0, stayed = 0;
  for (uint32_t k = to; k < last; k++) {
    const uint32_t x = p->order[k];
    const bool goes = group ? items[x].group == items[item].group : k == from;
    if (goes) p->order[to + moved++] = x;
    else p->position[stayed++] = x;
  }
  memcpy(p->order + to + moved, p->position, stayed * sizeof *p->order);
}

// Where in the order an item may go that found no room: before one of the neighbours that took it.
static uint32_t place_ahead(struct placer *p, uint32_t at) {
  const uint32_t item = p->order[at], count = p->first[item + 1] - p->first[item];
  uint32_t to = at;
  for (uint32_t tries = 0; count > 0 && tries < 8 && to == at; tries++) {
    const uint32_t other = p->pairs[p->first[item] + draw(p, count)].other;
    if (p->items.items[other].offset == NOWHERE) continue;
    for (to = 0; to < at && p->order[to] != other;) to++;
  }
  return to;
}

// ---- the search ---------------------------------------------------------------------------------

struct aim {
  uint64_t floor;            // nothing is lower
  uint32_t ceiling;          // nothing as high is of use
  uint64_t items;            // most to be placed in one round
  uint32_t rounds;
  double end;                // 0: none
};

// Repairs an order until all items stay below the height of the best.
static uint32_t repair(struct placer *p, uint32_t height, const struct aim *aim) {
  const uint64_t most = p->placed + aim->items;
  uint32_t at = 0;
  while (p->placed < most && height > aim->floor) {
    if (aim->end > 0 && host_clock() > aim->end) return height;
    at = place_from(p, at, height - 4);
    if (at == p->items.count) {
      height = keep_best(p);
      at = 0;
      continue;
    }
    const uint32_t to = place_ahead(p, at);
    if (to == at) return height;  // alone it is too high
    move_ahead(p, at, to, draw(p, 4) > 0);
    at = to;
  }
  return height;
}

static uint32_t try_shuffled(struct placer *p, uint32_t height, const struct aim *aim) {
  for (uint32_t i = 0; i < SHUFFLES && height > aim->floor; i++) {
    if (aim->end > 0 && host_clock() > aim->end) return height;
    if (height == NOWHERE || !shuffle_order(p)) return height;
    if (place_from(p, 0, height - 4) == p->items.count) height = keep_best(p);
  }
  return height;
}

// Returns the lowest height found, or the ceiling.
static uint32_t search(struct placer *p, const struct aim *aim) {
  static const uint8_t modes[] = {5, 1, 3, 7, 6, 2, 0, 4};  // the best ones of most networks first
  uint32_t height = aim->ceiling;
  for (uint32_t i = 0; i < sizeof modes; i++) {
    if (height <= aim->floor) return height;
    if (!sort_order(p, modes[i])) return height;
    if (place_from(p, 0, height == NOWHERE ? height : height - 4) == p->items.count) {
      height = keep_best(p);
    }
  }
  for (uint32_t round = 0; height > aim->floor; round++) {
    if (round >= aim->rounds || (aim->end > 0 && host_clock() > aim->end)) return height;
    if (aim->end > 0) height = try_shuffled(p, height, aim);
    if (!sort_order(p, (round * 4) % 8 + round / 2 % 4)) return height;
    height = repair(p, height, aim);
  }
  return height;
}

// ---- from outside -------------------------------------------------------------------------------

static bool open_placer(struct placer *p) {
  const size_t n = p->items.count + 1u;
  p->order = calloc(n, sizeof *p->order);
  p->position = calloc(n, sizeof *p->position);
  p->best = calloc(n, sizeof *p->best);
  p->first = calloc(n + 1, sizeof *p->first);
  p->gaps = calloc(n, sizeof *p->gaps);
  p->factors = calloc((size_t)p->items.graph->root_count + p->items.graph->node_count + 1,
                      sizeof *p->factors);
  return p->factors && p->order && p->position && p->best && p->first && p->gaps && make_pairs(p);
}

static void close_placer(struct placer *p) {
  host_row_items_close(&p->items);
  free(p->order);
  free(p->position);
  free(p->best);
  free(p->first);
  free(p->gaps);
  free(p->factors);
  free(p->pairs);
}

static bool open_layout(const host_row_graph *g, host_row_layout *l) {
  memset(l, 0, sizeof *l);
  l->root_count = g->root_count;
  l->rows = calloc(g->root_count + 1u, sizeof *l->rows);
  l->scratch = calloc(g->node_count + 1u, sizeof *l->scratch);
  l->fold = calloc(g->node_count + 1u, sizeof *l->fold);
  return l->rows && l->scratch && l->fold;
}

bool host_row_place_below(const host_row_graph *g, const host_row_schedule *schedule,
                          host_place_effort effort, host_row_layout *l, bool *there) {
  struct placer p = {.random = 1};
  bool ok = open_layout(g, l) && host_row_items_open(&p.items, g, schedule) && open_placer(&p);
  *there = false;
  if (ok) {
    const struct aim aim = {schedule->live_peak, effort.ceiling ? effort.ceiling : NOWHERE,
                            effort.seconds > 0 ? (uint64_t)p.items.count * PATIENT
                                               : (uint64_t)p.items.count * QUICK + QUICK_ITEMS,
                            effort.seconds > 0 ? ROUNDS : 2,
                            effort.seconds > 0 ? host_clock() + effort.seconds : 0};
    l->bytes = search(&p, &aim);
    *there = l->bytes < aim.ceiling;
    for (uint32_t i = 0; i < p.items.count; i++) p.items.items[i].offset = p.best[i];
    ok = !*there || host_row_items_layout(&p.items, l);
  }
  close_placer(&p);
  if (!ok || !*there) host_row_layout_free(l);
  return ok;
}

bool host_row_place(const host_row_graph *g, const host_row_schedule *schedule, double seconds,
                    host_row_layout *l) {
  const host_place_effort effort = {.seconds = seconds};
  bool there;
  return host_row_place_below(g, schedule, effort, l, &there) && there;
}

void host_row_layout_free(host_row_layout *l) {
  for (uint32_t i = 0; l->rows && i < l->root_count; i++) free(l->rows[i]);
  free(l->rows);
  free(l->scratch);
  free(l->fold);
  memset(l, 0, sizeof *l);
}
