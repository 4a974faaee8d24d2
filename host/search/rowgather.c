// The machine stands before step `at`; `next` is the next step of its node. Both ends of the window
// [at, next] are tried as the place of one step for both. What a window leaves behind must be the
// same as before, so that nothing outside of it has to be looked at.
#include "host/search/rowgather.h"

#include <stdlib.h>
#include <string.h>

#include "host/search/rowjoin.h"

#define MAX_WINDOW 1024u
#define MAX_PASSES 8u

struct gatherer {
  const host_row_graph *graph;
  host_row_machine *machine;
  host_row_step *steps;
  uint32_t count;
  host_gather_range range;
  host_row_mark before, after;   // of a window
};

static bool is_port(const struct gatherer *g, const host_row_step *s) {
  return s->node >= g->graph->node_count;
}

static bool is_ready(const struct gatherer *g, const host_row_step *s) {
  const host_row_machine *m = g->machine;
  if (is_port(g, s)) return true;
  const host_row_node *node = &g->graph->nodes[s->node];
  for (uint32_t k = node->first_use; k < node->first_use + node->use_count; k++) {
    const host_use *u = &g->graph->uses[k];
    for (uint32_t row = s->first; row < s->first + s->count; row++) {
      if (m->born[u->root] < host_machine_until(m, u, row)) return false;
    }
  }
  return true;
}

static bool run(const struct gatherer *g, const host_row_step *s) {
  if (!is_ready(g, s)) return false;
  if (is_port(g, s)) host_machine_port(g->machine, s);
  else host_machine_step(g->machine, s->node, s->count);
  return !g->machine->over;
}

static bool is_same(const host_row_step *a, const host_row_step *b) {
  return a->node == b->node && a->port == b->port;
}

// The next step of the same node, or 0. Nodes that touch variables keep their place.
static uint32_t find_next(const struct gatherer *g, uint32_t at) {
  const host_row_step *s = &g->steps[at];
  for (uint32_t i = at + 1; i < g->count && i - at < MAX_WINDOW; i++) {
    const host_row_step *x = &g->steps[i];
    if (!is_port(g, x) && g->graph->nodes[x->node].barrier) return 0;
    if (is_same(x, s)) return i;
  }
  return 0;
}

// Runs a window with one step for both, in the place of the first or of the last.
static bool run_joined(const struct gatherer *g, uint32_t at, uint32_t next, bool first) {
  host_row_step both = g->steps[at];
  both.count += g->steps[next].count;
  if (first && !run(g, &both)) return false;
  for (uint32_t i = at + 1; i < next; i++) {
    if (!run(g, &g->steps[i])) return false;
  }
  return first || run(g, &both);
}

static bool leaves_the_same(const struct gatherer *g) {
  const host_row_machine *m = g->machine;
  const uint32_t nodes = g->graph->node_count, roots = g->graph->root_count;
  const uint32_t *words = g->after.words;
  return m->live == g->after.live &&
         memcmp(words, m->done, nodes * sizeof *words) == 0 &&
         memcmp(words + nodes, m->born, roots * sizeof *words) == 0 &&
         memcmp(words + nodes + roots, m->dead, roots * sizeof *words) == 0;
}

// Neither above the limit nor above what the window had before.
static bool try_joined(const struct gatherer *g, uint32_t at, uint32_t next, bool first) {
  g->machine->limit = g->after.peak > g->range.bytes ? g->after.peak : g->range.bytes;
  const bool goes = run_joined(g, at, next, first) && leaves_the_same(g);
  g->machine->limit = 0;
  host_mark_return(&g->before, g->machine);
  return goes;
}

static void join(struct gatherer *g, uint32_t at, uint32_t next, bool first) {
  const uint32_t kept = first ? at : next, gone = first ? next : at;
  host_row_step both = g->steps[at];
  both.count += g->steps[next].count;
  g->steps[kept] = both;
  g->count--;
  g->range.end--;
  memmove(g->steps + gone, g->steps + gone + 1, (g->count - gone) * sizeof both);
}

// Says whether the step was joined with the next of its node.
static bool gather_one(struct gatherer *g, uint32_t at) {
  const uint32_t next = find_next(g, at);
  if (next == 0 || at < g->range.begin || next >= g->range.end) return false;
  g->machine->peak = 0;
  host_mark_set(&g->before, g->machine);
  for (uint32_t i = at; i <= next; i++) (void)run(g, &g->steps[i]);
  host_mark_set(&g->after, g->machine);
  host_mark_return(&g->before, g->machine);
  for (uint32_t first = 2; first-- > 0;) {
    if (!try_joined(g, at, next, first)) continue;
    join(g, at, next, first);
    return true;
  }
  return false;
}

// One way through all steps. Says whether any were joined.
static bool gather_all(struct gatherer *g) {
  bool any = false;
  host_machine_begin(g->machine, 0);
  for (uint32_t at = 0; at < g->count && !g->machine->over;) {
    if (gather_one(g, at)) any = true;
    else (void)run(g, &g->steps[at++]);
  }
  return any && !g->machine->over;
}

// Steps that hand rows over are left out: the machine writes them anew.
static bool open_gatherer(struct gatherer *g, host_row_machine *m, const host_steps *from) {
  *g = (struct gatherer){.graph = m->graph, .machine = m};
  g->steps = malloc((from->count + 1u) * sizeof *g->steps);
  if (g->steps == NULL) return false;
  for (uint32_t i = 0; i < from->count; i++) {
    if (from->list[i].node <= m->graph->node_count) g->steps[g->count++] = from->list[i];
  }
  return host_mark_open(&g->before, m->graph) && host_mark_open(&g->after, m->graph);
}

bool host_row_gather(host_row_machine *m, const host_steps *from, host_gather_range range,
                     host_steps *to) {
  struct gatherer g;
  bool ok = open_gatherer(&g, m, from);
  g.range = range;
  m->limit = 0;
  for (uint32_t pass = 0; ok && pass < MAX_PASSES && gather_all(&g); pass++) {}
  const host_steps steps = {g.steps, g.count, g.count};
  ok = ok && host_row_join(m, &steps, 0, to);
  host_mark_close(&g.before);
  host_mark_close(&g.after);
  free(g.steps);
  return ok;
}
