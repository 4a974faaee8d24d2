#include "host/search/rowitems.h"

#include <stdlib.h>
#include <string.h>

static uint32_t granules(uint32_t bytes) { return (bytes + 3u) & ~3u; }

static uint32_t add_item(host_row_items *p, uint32_t birth, uint32_t bytes, uint32_t group) {
  if (p->count == p->room) {
    const uint32_t room = p->room ? 2 * p->room : 1024;
    host_row_item *items = realloc(p->items, room * sizeof *items);
    if (items == NULL) {
      p->failed = true;
      return 0;
    }
    p->items = items;
    p->room = room;
  }
  p->items[p->count] = (host_row_item){.birth = birth,
                                           .death = HOST_ROW_NOWHERE,
                                           .bytes = granules(bytes),
                                           .offset = HOST_ROW_NOWHERE,
                                           .group = group};
  return p->count++;
}

static void add_mark(host_row_items *p, host_row_occupied mark) {
  if (p->mark_count == p->mark_room) {
    const uint32_t room = p->mark_room ? 2 * p->mark_room : 1024;
    host_row_occupied *marks = realloc(p->marks, room * sizeof *marks);
    if (marks == NULL) {
      p->failed = true;
      return;
    }
    p->marks = marks;
    p->mark_room = room;
  }
  p->marks[p->mark_count++] = mark;
}

// ---- from steps to items ------------------------------------------------------------------------

static uint32_t rows_of(const host_root *r) { return r->rigid ? 1 : r->bytes / r->row_bytes; }

static void born_rows(host_row_items *p, uint32_t root, uint32_t from, uint32_t to, uint32_t step) {
  const host_root *r = &p->graph->roots[root];
  if (r->rigid) {
    if (from == 0 && to > 0) p->rows[root][0] = add_item(p, step, r->bytes, root);
    return;
  }
  for (uint32_t row = from / r->row_bytes; row < to / r->row_bytes; row++) {
    if (p->rows[root][row] == HOST_ROW_NOWHERE) {
      p->rows[root][row] = add_item(p, step, r->row_bytes, root);
    }
  }
}

static void dead_rows(host_row_items *p, uint32_t root, uint32_t from, uint32_t to, uint32_t step) {
  const host_root *r = &p->graph->roots[root];
  if (r->rigid) {
    if (to >= r->bytes && !p->failed) p->items[p->rows[root][0]].death = step;
    return;
  }
  for (uint32_t row = from / r->row_bytes; row < to / r->row_bytes && !p->failed; row++) {
    const uint32_t item = p->rows[root][row];
    if (p->items[item].death == HOST_ROW_NOWHERE) p->items[item].death = step;
  }
}

// The output's rows take the items of the input's rows.
static void pass_rows(host_row_items *p, const host_row_node *node, const host_row_step *s) {
  const uint32_t in = node->in_place_root, out = node->outputs[0];
  for (uint32_t row = s->first; row < s->first + s->count; row++) {
    p->rows[out][row] = p->rows[in][row];
  }
}

static void run_node_step(host_row_items *p, const host_row_step *s, uint32_t at) {
  const host_row_graph *g = p->graph;
  const host_row_node *node = &g->nodes[s->node];
  const bool folds = node->work == ARN_FOLD && s->count < node->rows && node->fold_bytes > 0;
  if (s->in_place) pass_rows(p, node, s);
  if (node->scratch_bytes > 0 && p->scratch[s->node] == HOST_ROW_NOWHERE) {
    p->scratch[s->node] = add_item(p, at, node->scratch_bytes, g->root_count + s->node);
  }
  if (node->scratch_bytes > 0 && !p->failed) p->items[p->scratch[s->node]].death = at;
  if (folds && s->first == 0) {
    p->folds[s->node] = add_item(p, at, node->fold_bytes, g->root_count + s->node);
  }
  if (folds && s->first + s->count == node->rows && !p->failed) {
    p->items[p->folds[s->node]].death = at;
  }
}

// What changed between two states of the machine, as births and deaths.
static void note_changes(host_row_items *p, const uint32_t *born, const uint32_t *dead,
                         const host_row_step *s, uint32_t at) {
  const host_row_graph *g = p->graph;
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

static bool make_items(host_row_items *p) {
  const host_row_graph *g = p->graph;
  uint32_t *born = calloc(g->root_count + 1u, sizeof *born);
  uint32_t *dead = calloc(g->root_count + 1u, sizeof *dead);
  if (born == NULL || dead == NULL) p->failed = true;
  for (uint32_t n = 0; n < g->node_count; n++) p->folds[n] = p->scratch[n] = HOST_ROW_NOWHERE;
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

// Notes what a block occupies whenever that changes: born bytes count in their step, dead ones from
// the next step on.
static void mark_block(host_row_items *p, uint32_t root) {
  const host_row_graph *g = p->graph;
  host_row_item *item = &p->items[p->rows[root][0]];
  host_row_occupied now = {0, 0, 0};
  host_machine_begin(&p->machine, 0);
  item->first_mark = p->mark_count;
  now.high = granules(p->machine.born[root]);
  for (uint32_t i = 0; i < p->schedule->steps.count; i++) {
    const host_row_step *s = &p->schedule->steps.list[i];
    if (s->node < g->node_count) host_machine_step(&p->machine, s->node, s->count);
    else if (s->node == g->node_count) host_machine_port(&p->machine, s);
    const uint32_t high = granules(p->machine.born[root]), low = p->machine.dead[root] & ~3u;
    if (i == 0 || high != now.high || low != now.low) {
      if (i == 0 || high != now.high) add_mark(p, (host_row_occupied){i, now.low, high});
      if (low != now.low) add_mark(p, (host_row_occupied){i + 1, low, high});
    }
    now = (host_row_occupied){i, low, high};
  }
  item = &p->items[p->rows[root][0]];
  item->mark_count = p->mark_count - item->first_mark;
}

static void mark_blocks(host_row_items *p) {
  for (uint32_t i = 0; i < p->graph->root_count && !p->failed; i++) {
    if (p->graph->roots[i].rigid && p->rows[i][0] != HOST_ROW_NOWHERE) mark_block(p, i);
  }
}

// Scratch of a node has one address, and is there in the node's steps only.
static void mark_scratch(host_row_items *p, uint32_t n) {
  host_row_item *item = &p->items[p->scratch[n]];
  item->first_mark = p->mark_count;
  for (uint32_t i = item->birth; i <= item->death && !p->failed; i++) {
    if (p->schedule->steps.list[i].node != n) continue;
    add_mark(p, (host_row_occupied){i, 0, item->bytes});
    add_mark(p, (host_row_occupied){i + 1, 0, 0});
  }
  item->mark_count = p->mark_count - item->first_mark;
}

host_row_occupied host_row_item_at(const host_row_items *p, const host_row_item *x, uint32_t step) {
  uint32_t low = 0, high = x->mark_count;
  if (high == 0) return (host_row_occupied){step, 0, x->bytes};
  while (high - low > 1) {
    const uint32_t middle = (low + high) / 2;
    if (p->marks[x->first_mark + middle].step <= step) low = middle;
    else high = middle;
  }
  return p->marks[x->first_mark + low];
}

// ---- the result ---------------------------------------------------------------------------------

bool host_row_items_layout(const host_row_items *p, host_row_layout *l) {
  const host_row_graph *g = p->graph;
  for (uint32_t i = 0; i < g->root_count; i++) {
    const uint32_t rows = rows_of(&g->roots[i]);
    l->rows[i] = calloc(rows + 1u, sizeof *l->rows[i]);
    if (l->rows[i] == NULL) return false;
    for (uint32_t r = 0; r < rows; r++) {
      const uint32_t item = p->rows[i][r];
      l->rows[i][r] = item == HOST_ROW_NOWHERE ? 0 : p->items[item].offset;
    }
  }
  for (uint32_t n = 0; n < g->node_count; n++) {
    const uint32_t scratch = p->scratch[n], fold = p->folds[n];
    l->scratch[n] = scratch == HOST_ROW_NOWHERE ? HOST_ROW_NOWHERE : p->items[scratch].offset;
    l->fold[n] = fold == HOST_ROW_NOWHERE ? HOST_ROW_NOWHERE : p->items[fold].offset;
  }
  return true;
}

static void set_offset(uint32_t *offsets, uint32_t item, uint32_t offset) {
  if (item != HOST_ROW_NOWHERE) offsets[item] = offset;
}

void host_row_items_offsets(const host_row_items *p, const host_row_layout *l, uint32_t *offsets) {
  const host_row_graph *g = p->graph;
  for (uint32_t i = 0; i < p->count; i++) offsets[i] = HOST_ROW_NOWHERE;
  for (uint32_t i = 0; i < g->root_count; i++) {
    for (uint32_t r = 0; r < rows_of(&g->roots[i]); r++) {
      set_offset(offsets, p->rows[i][r], l->rows[i][r]);
    }
  }
  for (uint32_t n = 0; n < g->node_count; n++) {
    set_offset(offsets, p->scratch[n], l->scratch[n]);
    set_offset(offsets, p->folds[n], l->fold[n]);
  }
}

static bool open_arrays(host_row_items *p) {
  const host_row_graph *g = p->graph;
  p->rows = calloc(g->root_count + 1u, sizeof *p->rows);
  p->folds = calloc(g->node_count + 1u, sizeof *p->folds);
  p->scratch = calloc(g->node_count + 1u, sizeof *p->scratch);
  if (!p->rows || !p->folds || !p->scratch) return false;
  for (uint32_t i = 0; i < g->root_count; i++) {
    const uint32_t rows = rows_of(&g->roots[i]);
    p->rows[i] = malloc((rows + 1u) * sizeof *p->rows[i]);
    if (p->rows[i] == NULL) return false;
    for (uint32_t r = 0; r < rows; r++) p->rows[i][r] = HOST_ROW_NOWHERE;
  }
  return host_machine_open(&p->machine, g);
}

void host_row_items_close(host_row_items *p) {
  for (uint32_t i = 0; p->rows && i < p->graph->root_count; i++) free(p->rows[i]);
  free(p->rows);
  free(p->folds);
  free(p->scratch);
  free(p->items);
  free(p->marks);
  host_machine_close(&p->machine);
}

static void live_to_the_end(host_row_items *p) {
  for (uint32_t i = 0; i < p->count; i++) {
    if (p->items[i].death == HOST_ROW_NOWHERE) p->items[i].death = p->schedule->steps.count;
  }
}

bool host_row_items_open(host_row_items *p, const host_row_graph *g,
                         const host_row_schedule *schedule) {
  memset(p, 0, sizeof *p);
  p->graph = g;
  p->schedule = schedule;
  if (!open_arrays(p) || !make_items(p)) return false;
  mark_blocks(p);
  for (uint32_t n = 0; n < g->node_count && !p->failed; n++) {
    if (p->scratch[n] != HOST_ROW_NOWHERE) mark_scratch(p, n);
  }
  if (p->failed) return false;
  live_to_the_end(p);
  return true;
}
