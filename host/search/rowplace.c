// A place for every row.
//
// An item is a row, a block (a rigid root), the scratch of a node, or an accumulator, alive over an interval
// of steps. A block has one address, but its bytes are born and die from the front: at step t it occupies
// [offset + low(t), offset + high(t)), and so an output may follow its input closely. For two items the
// offsets that would let them meet at some step are an interval, taken as a whole. Rows computed in place
// share the item of the row they replace.
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/search/rowsearch.h"

#define NOWHERE UINT32_MAX

// From `step` on, a block occupies [low, high) of its bytes.
struct mark {
  uint32_t step, low, high;
};

struct item {
  uint32_t birth, death;      // steps, both included
  uint32_t bytes, offset;
  uint32_t first_mark, mark_count;   // of blocks, in placer.marks
};

struct placer {
  const host_row_graph *g;
  const host_row_schedule *schedule;
  host_row_machine machine;
  struct item *items;
  uint32_t item_count, item_room;
  struct mark *marks;
  uint32_t mark_count, mark_room;
  uint32_t **row_items;       // by root: the item of each row (blocks: entry 0)
  uint32_t *fold_items;       // by node
  uint32_t *scratch_items;    // by node: one item for all its steps would be too long; the first
  uint32_t *next_scratch;     // by item: the next scratch item of the same node
  bool failed;
};

static uint32_t granules(uint32_t bytes) { return (bytes + 3u) & ~3u; }

static uint32_t add_item(struct placer *p, uint32_t birth, uint32_t bytes) {
  if (p->item_count == p->item_room) {
    const uint32_t room = p->item_room ? 2 * p->item_room : 1024;
    struct item *items = realloc(p->items, room * sizeof *items);
    if (items == NULL) {
      p->failed = true;
      return 0;
    }
    p->items = items;
    p->item_room = room;
  }
  p->items[p->item_count] = (struct item){birth, NOWHERE, granules(bytes), NOWHERE, 0, 0};
  return p->item_count++;
}

static void add_mark(struct placer *p, struct mark mark) {
  if (p->mark_count == p->mark_room) {
    const uint32_t room = p->mark_room ? 2 * p->mark_room : 1024;
    struct mark *marks = realloc(p->marks, room * sizeof *marks);
    if (marks == NULL) {
      p->failed = true;
      return;
    }
    p->marks = marks;
    p->mark_room = room;
  }
  p->marks[p->mark_count++] = mark;
}

// ---- from steps to items -----------------------------------------------------------------------------

static uint32_t rows_of(const host_root *r) { return r->rigid ? 1 : r->bytes / r->row_bytes; }

static void born_rows(struct placer *p, uint32_t root, uint32_t from, uint32_t to, uint32_t step) {
  const host_root *r = &p->g->roots[root];
  if (r->rigid) {
    if (from == 0 && to > 0) p->row_items[root][0] = add_item(p, step, r->bytes);
    return;
  }
  for (uint32_t row = from / r->row_bytes; row < to / r->row_bytes; row++) {
    if (p->row_items[root][row] == NOWHERE) {
      p->row_items[root][row] = add_item(p, step, r->row_bytes);
    }
  }
}

static void dead_rows(struct placer *p, uint32_t root, uint32_t from, uint32_t to, uint32_t step) {
  const host_root *r = &p->g->roots[root];
  if (r->rigid) {
    if (to >= r->bytes && !p->failed) p->items[p->row_items[root][0]].death = step;
    return;
  }
  for (uint32_t row = from / r->row_bytes; row < to / r->row_bytes && !p->failed; row++) {
    const uint32_t item = p->row_items[root][row];
    if (p->items[item].death == NOWHERE) p->items[item].death = step;
  }
}

// The output's rows take the items of the input's rows.
static void pass_rows(struct placer *p, const host_row_node *node, const host_row_step *s) {
  const uint32_t in = node->in_place_root, out = node->outputs[0];
  for (uint32_t row = s->first; row < s->first + s->count; row++) {
    p->row_items[out][row] = p->row_items[in][row];
  }
}

static void run_node_step(struct placer *p, const host_row_step *s, uint32_t at) {
  const host_row_graph *g = p->g;
  const host_row_node *node = &g->nodes[s->node];
  const bool folds = node->work == ARN_FOLD && s->count < node->rows && node->fold_bytes > 0;
  if (s->in_place) pass_rows(p, node, s);
  if (node->scratch_bytes > 0) {
    const uint32_t item = add_item(p, at, node->scratch_bytes);
    p->items[item].death = at;
    if (p->scratch_items[s->node] == NOWHERE) p->scratch_items[s->node] = item;
  }
  if (folds && s->first == 0) p->fold_items[s->node] = add_item(p, at, node->fold_bytes);
  if (folds && s->first + s->count == node->rows && !p->failed) {
    p->items[p->fold_items[s->node]].death = at;
  }
}

// What changed between two states of the machine, as births and deaths.
static void note_changes(struct placer *p, const uint32_t *born, const uint32_t *dead,
                         const host_row_step *s, uint32_t at) {
  const host_row_graph *g = p->g;
  for (uint32_t i = 0; i < g->root_count; i++) {
    if (p->machine.born[i] > born[i]) born_rows(p, i, born[i], p->machine.born[i], at);
  }
  for (uint32_t i = 0; i < g->root_count; i++) {
    if (p->machine.dead[i] == dead[i]) continue;
    const bool passed = s->node < g->node_count && s->in_place &&
                        g->nodes[s->node].in_place_root == i;
    if (!passed) dead_rows(p, i, dead[i], p->machine.dead[i], at);
  }
}

// Scratch of one node must lie at one offset in all its steps: one item over all of them where there are
// several would be alive in between as well; so it is, for the few operators that ask for scratch.
static void stretch_scratch(struct placer *p) {
  for (uint32_t n = 0; n < p->g->node_count; n++) {
    const uint32_t item = p->scratch_items[n];
    if (item == NOWHERE) continue;
    for (uint32_t i = 0; i < p->schedule->steps.count; i++) {
      if (p->schedule->steps.list[i].node == n && i > p->items[item].death) p->items[item].death = i;
    }
  }
}

static bool make_items(struct placer *p) {
  const host_row_graph *g = p->g;
  uint32_t *born = calloc(g->root_count + 1u, sizeof *born);
  uint32_t *dead = calloc(g->root_count + 1u, sizeof *dead);
  if (born == NULL || dead == NULL) p->failed = true;
  for (uint32_t n = 0; n < g->node_count; n++) p->fold_items[n] = p->scratch_items[n] = NOWHERE;
  if (!p->failed) {
    host_machine_begin(&p->machine, 0);
    for (uint32_t i = 0; i < g->root_count; i++) born_rows(p, i, 0, p->machine.born[i], 0);
  }
  for (uint32_t i = 0; i < p->schedule->steps.count && !p->failed; i++) {
    const host_row_step *s = &p->schedule->steps.list[i];
    memcpy(born, p->machine.born, g->root_count * sizeof *born);
    memcpy(dead, p->machine.dead, g->root_count * sizeof *dead);
    if (s->node < g->node_count) {
      run_node_step(p, s, i);
      host_machine_step(&p->machine, s->node, s->count);
    } else if (s->node == g->node_count) {
      host_machine_port(&p->machine, s);
    }
    note_changes(p, born, dead, s, i);
  }
  free(born);
  free(dead);
  return !p->failed;
}

// Notes what a block occupies whenever that changes: born bytes count in their step, dead ones from the
// next step on.
static void mark_block(struct placer *p, uint32_t root) {
  const host_row_graph *g = p->g;
  struct item *item = &p->items[p->row_items[root][0]];
  struct mark now = {0, 0, 0};
  host_machine_begin(&p->machine, 0);
  item->first_mark = p->mark_count;
  now.high = granules(p->machine.born[root]);
  for (uint32_t i = 0; i < p->schedule->steps.count; i++) {
    const host_row_step *s = &p->schedule->steps.list[i];
    if (s->node < g->node_count) host_machine_step(&p->machine, s->node, s->count);
    else if (s->node == g->node_count) host_machine_port(&p->machine, s);
    const uint32_t high = granules(p->machine.born[root]), low = p->machine.dead[root] & ~3u;
    if (i == 0 || high != now.high || low != now.low) {
      if (i == 0 || high != now.high) add_mark(p, (struct mark){i, now.low, high});
      if (low != now.low) add_mark(p, (struct mark){i + 1, low, high});
    }
    now = (struct mark){i, low, high};
  }
  item = &p->items[p->row_items[root][0]];
  item->mark_count = p->mark_count - item->first_mark;
}

static void mark_blocks(struct placer *p) {
  for (uint32_t i = 0; i < p->g->root_count && !p->failed; i++) {
    if (p->g->roots[i].rigid && p->row_items[i][0] != NOWHERE) mark_block(p, i);
  }
}

// ---- placing -----------------------------------------------------------------------------------------

// What an item occupies at a step: the last mark at or before it.
static struct mark window(const struct placer *p, const struct item *x, uint32_t step) {
  struct mark w = {step, 0, x->bytes};
  if (x->mark_count == 0) return w;
  uint32_t low = 0, high = x->mark_count;
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (p->marks[x->first_mark + middle].step <= step) low = middle;
    else high = middle;
  }
  return p->marks[x->first_mark + low];
}

static uint32_t order_key_bytes(const struct item *x) { return x->bytes; }

static const struct item *sort_items;
static uint32_t sort_mode;

static int by_order(const void *a, const void *b) {
  const struct item *x = &sort_items[*(const uint32_t *)a], *y = &sort_items[*(const uint32_t *)b];
  const uint64_t life_x = x->death - x->birth + 1u, life_y = y->death - y->birth + 1u;
  uint64_t kx, ky;
  switch (sort_mode) {
    case 0: kx = order_key_bytes(x); ky = order_key_bytes(y); break;
    case 1: kx = x->bytes * life_x; ky = y->bytes * life_y; break;
    case 2: kx = life_x; ky = life_y; break;
    default: kx = UINT32_MAX - x->birth; ky = UINT32_MAX - y->birth; break;
  }
  if (kx != ky) return kx > ky ? -1 : 1;
  if (x->birth != y->birth) return x->birth < y->birth ? -1 : 1;
  return x < y ? -1 : x > y;
}

// What a placed item forbids to another: to end behind `low` and yet begin before `high`.
struct gap {
  int64_t low, high;
};

static int by_low(const void *a, const void *b) {
  const struct gap *x = a, *y = b;
  return x->low < y->low ? -1 : x->low > y->low;
}

// Widens a gap by what x and y occupy at a step.
static void widen(const struct placer *p, const struct item *x, const struct item *y, uint32_t step,
                  struct gap *g) {
  const struct mark a = window(p, x, step), b = window(p, y, step);
  const int64_t low = (int64_t)y->offset + b.low - a.high + x->bytes;
  const int64_t high = (int64_t)y->offset + b.high - a.low;
  if (a.low >= a.high || b.low >= b.high) return;
  if (low < g->low) g->low = low;
  if (high > g->high) g->high = high;
}

static void widen_at_marks(const struct placer *p, const struct item *x, const struct item *y,
                           const struct item *marked, struct gap *g) {
  const uint32_t from = x->birth > y->birth ? x->birth : y->birth;
  const uint32_t to = x->death < y->death ? x->death : y->death;
  for (uint32_t k = marked->first_mark; k < marked->first_mark + marked->mark_count; k++) {
    const uint32_t step = p->marks[k].step;
    if (step > from && step <= to) widen(p, x, y, step, g);
  }
}

// What hinders item x among the placed ones, sorted.
static uint32_t hindrances(const struct placer *p, const struct item *x, const uint32_t *placed,
                           uint32_t count, struct gap *gaps) {
  uint32_t n = 0;
  for (uint32_t k = 0; k < count; k++) {
    const struct item *y = &p->items[placed[k]];
    if (y->birth > x->death || x->birth > y->death) continue;
    struct gap g = {INT64_MAX, INT64_MIN};
    widen(p, x, y, x->birth > y->birth ? x->birth : y->birth, &g);
    if (x->mark_count) widen_at_marks(p, x, y, x, &g);
    if (y->mark_count) widen_at_marks(p, x, y, y, &g);
    if (g.high != INT64_MIN) gaps[n++] = g;
  }
  qsort(gaps, n, sizeof *gaps, by_low);
  return n;
}

// The lowest place (best: the tightest hole) for `bytes` between the gaps.
static uint32_t find_hole(const struct gap *gaps, uint32_t count, uint32_t bytes, bool best_fit) {
  int64_t end = 0, best = -1, slack = INT64_MAX;
  for (uint32_t k = 0; k < count; k++) {
    const int64_t left = gaps[k].low - end - bytes;
    if (left >= 0 && !best_fit) return (uint32_t)end;
    if (left >= 0 && left < slack) {
      slack = left;
      best = end;
    }
    if (gaps[k].high > end) end = (gaps[k].high + 3) & ~(int64_t)3;
  }
  return (uint32_t)(best >= 0 ? best : end);
}

static uint32_t place_all(struct placer *p, const uint32_t *order, struct gap *gaps, bool best_fit,
                          uint32_t give_up) {
  uint32_t top = 0;
  for (uint32_t k = 0; k < p->item_count; k++) {
    struct item *x = &p->items[order[k]];
    const uint32_t n = hindrances(p, x, order, k, gaps);
    x->offset = find_hole(gaps, n, x->bytes, best_fit);
    if (x->offset + x->bytes > top) top = x->offset + x->bytes;
    if (top >= give_up) return NOWHERE;
  }
  return top;
}

static double seconds(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static uint32_t try_orders(struct placer *p, double budget) {
  uint32_t *order = malloc((p->item_count + 1u) * sizeof *order);
  uint32_t *best = malloc((p->item_count + 1u) * sizeof *best);
  struct gap *gaps = malloc((p->item_count + 1u) * sizeof *gaps);
  uint32_t bytes = NOWHERE;
  const double end = seconds() + budget;
  if (order && best && gaps) {
    for (uint32_t mode = 0; mode < 8; mode++) {
      if (bytes != NOWHERE && (seconds() > end || bytes == p->schedule->live_peak)) break;
      for (uint32_t i = 0; i < p->item_count; i++) order[i] = i;
      sort_items = p->items;
      sort_mode = (mode + 3) % 4;
      qsort(order, p->item_count, sizeof *order, by_order);
      const uint32_t top = place_all(p, order, gaps, mode < 4, bytes);
      if (top >= bytes) continue;
      bytes = top;
      for (uint32_t i = 0; i < p->item_count; i++) best[i] = p->items[i].offset;
    }
    for (uint32_t i = 0; i < p->item_count && bytes != NOWHERE; i++) p->items[i].offset = best[i];
  }
  free(order);
  free(best);
  free(gaps);
  return bytes;
}

// ---- the result --------------------------------------------------------------------------------------

static bool write_layout(const struct placer *p, host_row_layout *l) {
  const host_row_graph *g = p->g;
  for (uint32_t i = 0; i < g->root_count; i++) {
    const uint32_t rows = rows_of(&g->roots[i]);
    l->rows[i] = calloc(rows + 1u, sizeof *l->rows[i]);
    if (l->rows[i] == NULL) return false;
    for (uint32_t r = 0; r < rows; r++) {
      const uint32_t item = p->row_items[i][r];
      l->rows[i][r] = item == NOWHERE ? 0 : p->items[item].offset;
    }
  }
  for (uint32_t n = 0; n < g->node_count; n++) {
    const uint32_t scratch = p->scratch_items[n], fold = p->fold_items[n];
    l->scratch[n] = scratch == NOWHERE ? NOWHERE : p->items[scratch].offset;
    l->fold[n] = fold == NOWHERE ? NOWHERE : p->items[fold].offset;
  }
  return true;
}

static bool open_placer(struct placer *p) {
  const host_row_graph *g = p->g;
  p->row_items = calloc(g->root_count + 1u, sizeof *p->row_items);
  p->fold_items = calloc(g->node_count + 1u, sizeof *p->fold_items);
  p->scratch_items = calloc(g->node_count + 1u, sizeof *p->scratch_items);
  if (!p->row_items || !p->fold_items || !p->scratch_items) return false;
  for (uint32_t i = 0; i < g->root_count; i++) {
    const uint32_t rows = rows_of(&g->roots[i]);
    p->row_items[i] = malloc((rows + 1u) * sizeof *p->row_items[i]);
    if (p->row_items[i] == NULL) return false;
    for (uint32_t r = 0; r < rows; r++) p->row_items[i][r] = NOWHERE;
  }
  return host_machine_open(&p->machine, g);
}

static void close_placer(struct placer *p) {
  for (uint32_t i = 0; p->row_items && i < p->g->root_count; i++) free(p->row_items[i]);
  free(p->row_items);
  free(p->fold_items);
  free(p->scratch_items);
  free(p->items);
  free(p->marks);
  host_machine_close(&p->machine);
}

static void live_to_the_end(struct placer *p) {
  for (uint32_t i = 0; i < p->item_count; i++) {
    if (p->items[i].death == NOWHERE) p->items[i].death = p->schedule->steps.count;
  }
}

bool host_row_place(const host_row_graph *g, const host_row_schedule *schedule, double budget,
                    host_row_layout *l) {
  struct placer p = {.g = g, .schedule = schedule};
  memset(l, 0, sizeof *l);
  l->root_count = g->root_count;
  l->rows = calloc(g->root_count + 1u, sizeof *l->rows);
  l->scratch = calloc(g->node_count + 1u, sizeof *l->scratch);
  l->fold = calloc(g->node_count + 1u, sizeof *l->fold);
  bool ok = l->rows && l->scratch && l->fold && open_placer(&p) && make_items(&p);
  if (ok) mark_blocks(&p);
  ok = ok && !p.failed;
  if (ok) {
    stretch_scratch(&p);
    live_to_the_end(&p);
    l->bytes = try_orders(&p, budget);
    ok = l->bytes != NOWHERE && write_layout(&p, l);
  }
  close_placer(&p);
  if (!ok) host_row_layout_free(l);
  return ok;
}

void host_row_layout_free(host_row_layout *l) {
  for (uint32_t i = 0; l->rows && i < l->root_count; i++) free(l->rows[i]);
  free(l->rows);
  free(l->scratch);
  free(l->fold);
  memset(l, 0, sizeof *l);
}
