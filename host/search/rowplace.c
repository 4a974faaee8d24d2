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

#include "host/search/rowitems.h"

#define NOWHERE HOST_ROW_NOWHERE
#define MAX_PAIRS (1u << 25)
#define QUICK 4u                  // how often all items are placed where the caller gives no time,
#define QUICK_ITEMS 10000u        // and how many items besides
#define PATIENT 600u              // and in one round where he does
#define SHUFFLES 200u             // orders drawn in such a round
#define CHANGES 100u             // of the best placement in such a round,
#define CHANGE 4u                // how often all items are placed in each,
#define MOST_GROUPS 8u           // and tensors that it moves
#define ROUNDS 24u                // then: only large networks come to the end of their work

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
  uint32_t *guide;            // offsets to be kept where they can be; NOWHERE: any
  bool has_guide, guided;     // `best` came from outside; find_place follows the guide
  bool valid;                 // `best` is a placement of this schedule
  struct gap *gaps;
  uint64_t random;
  double *factors;            // by group, of shuffled orders
  double *heights;            // by item: the most bytes alive in its life
  bool tight;                 // the tightest hole, not the lowest
  uint64_t placed;            // items, so far
  uint64_t work, end;         // done, and to do at most
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
      p->work += 2;
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

// Whether an item at an offset lies clear of those in the gaps, which need not be sorted.
static bool is_clear(const struct gap *gaps, uint32_t count, int64_t at) {
  for (uint32_t k = 0; k < count; k++) {
    if (gaps[k].low < at && at < gaps[k].high) return false;
  }
  return true;
}

// The place of an item among those that are placed: where it was, if it stays below the limit
// there, or else anywhere.
static uint32_t find_place(struct placer *p, uint32_t item, uint32_t limit) {
  const uint32_t guide = p->guided ? p->guide[item] : NOWHERE;
  uint32_t count = 0;
  for (uint32_t k = p->first[item]; k < p->first[item + 1]; k++) {
    const int64_t there = p->items.items[p->pairs[k].other].offset;
    if (there == NOWHERE || there + p->pairs[k].high <= 0) continue;
    p->gaps[count++] = (struct gap){there + p->pairs[k].low, there + p->pairs[k].high};
  }
  if (guide < limit && limit - guide >= p->items.items[item].bytes &&
      is_clear(p->gaps, count, guide)) {
    return guide;
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
  p->work += (p->items.count - from) / 8;
  for (uint32_t k = from; k < p->items.count; k++) {
    host_row_item *x = &items[p->order[k]];
    const uint32_t at = find_place(p, p->order[k], limit);
    p->placed++;
    p->work += 4 + (p->first[p->order[k] + 1] - p->first[p->order[k]]) / 2;
    if ((uint64_t)at + x->bytes > limit) return k;
    x->offset = at;
  }
  return p->items.count;
}

static uint32_t keep_best(struct placer *p) {
  uint32_t top = 0;
  p->valid = true;
  for (uint32_t i = 0; i < p->items.count; i++) {
    const host_row_item *x = &p->items.items[i];
    p->best[i] = x->offset;
    if (x->offset + x->bytes > top) top = x->offset + x->bytes;
  }
  return top;
}

// ---- orders -------------------------------------------------------------------------------------

// Falling keys; equal ones by birth.
static double key_of(const struct placer *p, uint32_t item, uint32_t mode) {
  const host_row_item *x = &p->items.items[item];
  const double life = (double)x->death - x->birth + 1.0;
  switch (mode % 5) {
    case 0: return -(double)x->birth;
    case 1: return x->bytes;
    case 2: return x->bytes * life;
    case 3: return life;
    default: return p->heights[item];
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
  p->work += 16 * (uint64_t)p->items.count;
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
    keys[i] = (struct keyed){key_of(p, i, mode), x->birth, i};
  }
  sort_by(p, keys);
  p->tight = mode < 5;
  return true;
}

// The same on every host, which pow() is not.
static double power_of(double x, uint32_t n) {
  double y = 1.0;
  for (; n > 0; n >>= 1, x *= x) y = n & 1 ? y * x : y;
  return y;
}

// Large and long-lived ones first, as before, but for a factor that each tensor draws.
static struct keyed *draw_keys(struct placer *p) {
  const uint32_t n = p->items.count, power = draw(p, 3), strength = draw(p, 500);
  const uint32_t steepness = draw(p, 2) * draw(p, 64);
  const uint32_t groups = p->items.graph->root_count + p->items.graph->node_count;
  struct keyed *keys = malloc((n + 1u) * sizeof *keys);
  if (keys == NULL) return NULL;
  for (uint32_t i = 0; i < groups; i++) {
    p->factors[i] = 1.0 + 1e-6 * strength * ((double)draw(p, 2001) - 1000.0);
  }
  for (uint32_t i = 0; i < n; i++) {
    const host_row_item *x = &p->items.items[i];
    const double life = (double)(x->death - x->birth + 1u), root = sqrt(life);
    const double weight = power == 0 ? sqrt(root) : power == 1 ? root : life;
    const double height = power_of(p->heights[i], steepness);
    const double key = x->bytes * weight * p->factors[x->group] * height;
    keys[i] = (struct keyed){key, x->birth, i};
  }
  return keys;
}

static bool shuffle_order(struct placer *p) {
  struct keyed *keys = draw_keys(p);
  if (keys == NULL) return false;
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

// ---- how high -----------------------------------------------------------------------------------

static void add_lives(const struct placer *p, const host_row_item *x, double *live) {
  for (uint32_t t = x->birth; t <= x->death; t++) {
    const host_row_occupied o = host_row_item_at(&p->items, x, t);
    live[t] += o.high - o.low;
  }
}

// Most bytes alive in the life of each item, over the most of all: where there is no room to spare,
// items have to be placed first.
static bool find_heights(struct placer *p) {
  const uint32_t steps = p->items.schedule->steps.count + 1;
  double *live = calloc(steps, sizeof *live), most = 1.0;
  if (live == NULL) return false;
  for (uint32_t i = 0; i < p->items.count; i++) add_lives(p, &p->items.items[i], live);
  for (uint32_t t = 0; t < steps; t++) most = live[t] > most ? live[t] : most;
  for (uint32_t i = 0; i < p->items.count; i++) {
    const host_row_item *x = &p->items.items[i];
    for (uint32_t t = x->birth; t <= x->death; t++) {
      if (live[t] / most > p->heights[i]) p->heights[i] = live[t] / most;
    }
    p->work += (x->death - x->birth) / 4;
  }
  free(live);
  return true;
}

// ---- the search ---------------------------------------------------------------------------------

struct aim {
  uint64_t floor;            // nothing is lower
  uint32_t ceiling;          // nothing as high is of use
  uint64_t items;            // most to be placed in one round
  uint32_t rounds;
  bool long_search;
};

// Repairs an order, of which the first `at` items are placed, until all items stay below the height
// of the best.
static uint32_t repair(struct placer *p, uint32_t at, uint32_t height, const struct aim *aim) {
  const uint64_t most = p->placed + aim->items;
  while (p->placed < most && height > aim->floor) {
    if (p->work > p->end) return height;
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

// The time about which places are looked for anew: that of an item that is too high.
static uint32_t draw_time(struct placer *p, uint32_t limit) {
  uint32_t item = draw(p, p->items.count);
  for (uint32_t i = 0; i < p->items.count; i++) {
    const uint32_t k = (item + i) % p->items.count;
    if (p->best[k] == NOWHERE || p->best[k] + p->items.items[k].bytes > limit) {
      item = k;
      break;
    }
  }
  const host_row_item *x = &p->items.items[item];
  return x->birth + draw(p, x->death - x->birth + 1);
}

// Which items a change of the best placement moves: those alive at times [from, to], and those of
// a few tensors.
struct change {
  uint32_t from, to, groups[MOST_GROUPS], group_count;
};

static struct change draw_change(struct placer *p, uint32_t limit) {
  const uint32_t groups = p->items.graph->root_count + p->items.graph->node_count;
  const uint32_t steps = p->items.schedule->steps.count;
  struct change c = {.from = NOWHERE};
  if (draw(p, 2) == 0) {
    c.group_count = draw(p, MOST_GROUPS + 1);
    for (uint32_t i = 0; i < c.group_count; i++) c.groups[i] = draw(p, groups);
  } else {
    const uint32_t time = draw_time(p, limit), reach = 1 + draw(p, 1 + (steps >> draw(p, 8)));
    c.from = time > reach ? time - reach : 0;
    c.to = time + reach;
  }
  return c;
}

static bool moves(const struct change *c, const host_row_item *x) {
  for (uint32_t i = 0; i < c->group_count; i++) {
    if (c->groups[i] == x->group) return true;
  }
  return x->birth <= c->to && x->death >= c->from;
}

// Local search: all items stay where they were in the best placement, but for those that the change
// moves, those that are too high there, and those that turn out to be in the way.
static uint32_t repair_best(struct placer *p, uint32_t height, const struct change *c,
                            const struct aim *aim) {
  struct keyed *keys = draw_keys(p);
  uint32_t kept = 0;
  if (keys == NULL) return height;
  for (uint32_t i = 0; i < p->items.count; i++) {
    host_row_item *x = &p->items.items[i];
    p->guide[i] = moves(c, x) ? NOWHERE : p->best[i];
    if (p->guide[i] == NOWHERE || p->guide[i] + x->bytes + 4 > height) continue;
    keys[i].key += 1e30;
    x->offset = p->guide[i];
    kept++;
  }
  sort_by(p, keys);
  p->tight = draw(p, 2) == 0;
  p->guided = true;
  height = repair(p, p->valid ? kept : 0, height, aim);
  p->guided = false;
  return height;
}

static uint32_t try_shuffled(struct placer *p, uint32_t height, const struct aim *aim) {
  for (uint32_t i = 0; i < SHUFFLES && height > aim->floor; i++) {
    if (p->work > p->end) return height;
    if (height == NOWHERE || !shuffle_order(p)) return height;
    if (place_from(p, 0, height - 4) == p->items.count) height = keep_best(p);
  }
  return height;
}

// Small changes of the best placement.
static uint32_t try_changes(struct placer *p, uint32_t height, const struct aim *aim) {
  struct aim small = *aim;
  small.items = (uint64_t)p->items.count * CHANGE;
  for (uint32_t idle = 0; idle < CHANGES && height > aim->floor && p->work <= p->end; idle++) {
    const uint32_t before = height;
    const struct change c = draw_change(p, height - 4);
    height = repair_best(p, height, &c, &small);
    if (height < before) idle = 0;
  }
  return height;
}

// Returns the lowest height found, or the ceiling.
static uint32_t search(struct placer *p, const struct aim *aim) {
  // The best ones of most networks first.
  static const uint8_t modes[] = {9, 4, 6, 1, 3, 8, 7, 2, 0, 5};
  uint32_t height = aim->ceiling;
  const struct change none = {.from = NOWHERE};
  if (p->has_guide) height = repair_best(p, height, &none, aim);
  for (uint32_t i = 0; i < sizeof modes; i++) {
    if (height <= aim->floor) return height;
    if (!sort_order(p, modes[i])) return height;
    if (place_from(p, 0, height == NOWHERE ? height : height - 4) == p->items.count) {
      height = keep_best(p);
    }
  }
  for (uint32_t round = 0; height > aim->floor; round++) {
    if (round >= aim->rounds || p->work > p->end) return height;
    if (aim->long_search) height = try_shuffled(p, height, aim);
    if (aim->long_search && (p->valid || p->has_guide)) height = try_changes(p, height, aim);
    if (!sort_order(p, (round * 5) % 10 + round / 2 % 5)) return height;
    height = repair(p, 0, height, aim);
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
  p->guide = calloc(n, sizeof *p->guide);
  p->gaps = calloc(n, sizeof *p->gaps);
  p->heights = calloc(n, sizeof *p->heights);
  p->factors = calloc((size_t)p->items.graph->root_count + p->items.graph->node_count + 1,
                      sizeof *p->factors);
  return p->factors && p->heights && p->order && p->position && p->best && p->guide && p->first &&
         p->gaps && make_pairs(p) && find_heights(p);
}

static void close_placer(struct placer *p) {
  host_row_items_close(&p->items);
  free(p->order);
  free(p->position);
  free(p->best);
  free(p->guide);
  free(p->first);
  free(p->gaps);
  free(p->heights);
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

static struct aim aim_for(const struct placer *p, const host_place_effort *effort) {
  const uint64_t items = p->items.count;
  const bool is_long = effort->work > 0;
  return (struct aim){.floor = p->items.schedule->live_peak,
                      .ceiling = effort->ceiling ? effort->ceiling : NOWHERE,
                      .items = is_long ? items * PATIENT : items * QUICK + QUICK_ITEMS,
                      .rounds = is_long ? ROUNDS : 2,
                      .long_search = is_long};
}

bool host_row_place_below(const host_row_graph *g, const host_row_schedule *schedule,
                          host_place_effort *effort, host_row_layout *l, bool *there) {
  struct placer p = {.random = 1, .end = effort->work ? effort->work : UINT64_MAX};
  bool ok = open_layout(g, l) && host_row_items_open(&p.items, g, schedule) && open_placer(&p);
  *there = false;
  if (ok) {
    const struct aim aim = aim_for(&p, effort);
    p.has_guide = effort->guide != NULL;
    if (p.has_guide) host_row_items_offsets(&p.items, effort->guide, p.best);
    l->bytes = search(&p, &aim);
    *there = l->bytes < aim.ceiling;
    for (uint32_t i = 0; i < p.items.count; i++) p.items.items[i].offset = p.best[i];
    ok = !*there || host_row_items_layout(&p.items, l);
  }
  effort->done = p.work + p.items.machine.work;
  close_placer(&p);
  if (!ok || !*there) host_row_layout_free(l);
  return ok;
}

bool host_row_place(const host_row_graph *g, const host_row_schedule *schedule, double seconds,
                    host_row_layout *l) {
  host_place_effort effort = {.work = (uint64_t)(seconds * HOST_WORK_A_SECOND)};
  bool there;
  return host_row_place_below(g, schedule, &effort, l, &there) && there;
}

void host_row_layout_free(host_row_layout *l) {
  for (uint32_t i = 0; l->rows && i < l->root_count; i++) free(l->rows[i]);
  free(l->rows);
  free(l->scratch);
  free(l->fold);
  memset(l, 0, sizeof *l);
}
