#include "host/search/rowcuts.h"

#include <stdlib.h>

// The best known way to have nodes [0, b) done.
struct best {
  uint64_t peak;
  uint32_t from;     // the last segment is [from, b)
};

struct cutter {
  host_row_machine *machine;
  struct best *best;
  uint64_t end;      // of the machine's work
};

static uint64_t cost(const struct cutter *c, uint32_t a, uint32_t b, uint64_t limit) {
  host_row_machine *m = c->machine;
  m->limit = limit;
  host_machine_begin(m, a);
  host_machine_segment(m, a, b);
  return m->over || (limit && m->peak > limit) ? UINT64_MAX : m->peak;
}

// Nodes that touch variables keep their place in the order: no segment goes across one.
static bool has_barrier(const struct cutter *c, uint32_t a, uint32_t b) {
  const host_row_graph *g = c->machine->graph;
  return g->nodes[a].barrier || g->nodes[b - 1].barrier;
}

static void extend(const struct cutter *c, uint32_t b) {
  struct best *best = &c->best[b];
  *best = (struct best){UINT64_MAX, b - 1};
  for (uint32_t a = b; a-- > 0;) {
    if (a + 1 < b && has_barrier(c, a, b)) break;
    if (c->best[a].peak >= best->peak) continue;
    if (a + 1 < b && c->machine->graph->nodes[b - 1].skip) continue;  // a view ends no segment
    if (a + 1 < b && c->machine->work > c->end) break;
    const uint64_t limit = best->peak == UINT64_MAX ? 0 : best->peak - 1;
    const uint64_t alone = cost(c, a, b, limit);
    if (alone == UINT64_MAX) continue;
    const uint64_t peak = alone > c->best[a].peak ? alone : c->best[a].peak;
    if (peak < best->peak) *best = (struct best){peak, a};
  }
}

// With the peak known, takes each segment as short as the peak allows.
static void shorten(const struct cutter *c, uint32_t b, uint64_t peak) {
  for (uint32_t a = b; a-- > 0;) {
    if (a + 1 < b && has_barrier(c, a, b)) return;
    if (c->best[a].peak > peak || c->machine->work > c->end) continue;
    if (a == c->best[b].from) return;
    const uint64_t alone = cost(c, a, b, peak);
    if (alone == UINT64_MAX) continue;
    c->best[b].from = a;
    c->best[b].peak = alone > c->best[a].peak ? alone : c->best[a].peak;
    return;
  }
}

uint32_t host_row_cuts(host_row_machine *m, uint64_t end, uint32_t *cuts, uint64_t *peak) {
  const uint32_t n = m->graph->node_count;
  struct cutter c = {m, calloc(n + 1u, sizeof *c.best), end};
  uint32_t count = 0;
  if (c.best == NULL) return 0;
  for (uint32_t b = 1; b <= n; b++) extend(&c, b);
  for (uint32_t b = 1; b <= n; b++) shorten(&c, b, c.best[n].peak);
  for (uint32_t b = n; b > 0; b = c.best[b].from) cuts[count++] = b;
  for (uint32_t i = 0; i < count / 2; i++) {
    const uint32_t other = cuts[i];
    cuts[i] = cuts[count - 1 - i];
    cuts[count - 1 - i] = other;
  }
  *peak = c.best[n].peak;
  free(c.best);
  return count;
}
