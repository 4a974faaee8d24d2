#include "host/search/rowlimit.h"

#include <string.h>

#define MAX_BATCH 64u

bool host_limiter_open(host_limiter *l, host_row_machine *m) {
  memset(l, 0, sizeof *l);
  l->machine = m;
  return host_mark_open(&l->mark, m->graph);
}

void host_limiter_close(host_limiter *l) { host_mark_close(&l->mark); }

// One run. Nodes that touch variables part the graph into phases; [first, last) is the one that
// runs.
struct run {
  host_limiter *l;
  host_row_machine *m;
  const uint32_t *sinks;
  uint32_t sink_count, first, last;
  host_row_limits limits;
};

static bool is_done(const struct run *r, uint32_t n) {
  const host_row_node *node = &r->m->graph->nodes[n];
  return node->skip || r->m->done[n] >= host_machine_wanted(r->m, n);
}

static bool is_ready(const struct run *r, uint32_t n) {
  const host_row_graph *g = r->m->graph;
  const host_row_node *node = &g->nodes[n];
  for (uint32_t k = node->first_use; k < node->first_use + node->use_count; k++) {
    const host_use *u = &g->uses[k];
    if (r->m->born[u->root] < host_machine_until(r->m, u, r->m->done[n])) return false;
  }
  return true;
}

// Takes the step if it fits and leaves no more alive than there was.
static bool take_if_free(struct run *r, uint32_t n) {
  const uint64_t live = r->m->live;
  if (host_machine_try(r->m, n, 1) > r->limits.bytes) return false;
  host_mark_set(&r->l->mark, r->m);
  host_machine_step(r->m, n, 1);
  if (!r->m->over && r->m->live <= live) return true;
  host_mark_return(&r->l->mark, r->m);
  return false;
}

// The last nodes first: what they take away makes room for those before them.
static bool take_free_steps(struct run *r) {
  bool any = false;
  r->m->work += (r->last - r->first) / 2 + 2;
  for (uint32_t n = r->last; n-- > r->first;) {
    while (!is_done(r, n) && is_ready(r, n) && take_if_free(r, n)) any = true;
  }
  return any;
}

static bool pull_batch(struct run *r, uint32_t n, uint32_t count) {
  host_mark_set(&r->l->mark, r->m);
  r->m->limit = r->limits.batch_bytes;
  host_machine_pull_batch(r->m, n, count);
  r->m->limit = r->limits.bytes;
  if (!r->m->over) return true;
  host_mark_return(&r->l->mark, r->m);
  return false;
}

// Rows of a sink, as many at once as fit.
static bool pull(struct run *r, uint32_t n) {
  const uint32_t left = host_machine_wanted(r->m, n) - r->m->done[n];
  uint32_t count = left < MAX_BATCH ? left : MAX_BATCH;
  for (; r->limits.batch_bytes > 0 && count > 1; count /= 2) {
    if (r->m->live <= r->limits.batch_bytes && pull_batch(r, n, count)) return true;
  }
  host_mark_set(&r->l->mark, r->m);
  host_machine_pull(r->m, n, 1);
  if (!r->m->over) return true;
  host_mark_return(&r->l->mark, r->m);
  return false;
}

static bool pull_some_sink(struct run *r) {
  for (uint32_t i = 0; i < r->sink_count; i++) {
    const uint32_t n = r->sinks[i];
    if (n >= r->first && n < r->last && !is_done(r, n) && pull(r, n)) return true;
  }
  return false;
}

static bool run_phase(struct run *r) {
  const uint64_t end = r->limits.max_work > 0 ? r->m->work + r->limits.max_work : UINT64_MAX;
  bool go_on = true;
  while (go_on && r->m->work < end) {
    go_on = take_free_steps(r);
    if (!go_on) go_on = pull_some_sink(r);
  }
  for (uint32_t n = r->first; n < r->last; n++) {
    if (!is_done(r, n)) return false;
  }
  host_machine_finish(r->m, r->first, r->last);
  return !r->m->over;
}

bool host_limiter_run(host_limiter *l, const uint32_t *sinks, uint32_t count,
                      host_row_limits limits) {
  const host_row_graph *g = l->machine->graph;
  struct run r = {.l = l, .m = l->machine, .sinks = sinks, .sink_count = count, .limits = limits};
  host_machine_begin(r.m, 0);
  if (r.m->steps) r.m->steps->count = 0;
  r.m->limit = limits.bytes;
  if (r.m->live > limits.bytes) return false;
  while (r.first < g->node_count) {
    const bool alone = g->nodes[r.first].barrier;
    r.last = r.first + 1;
    while (!alone && r.last < g->node_count && !g->nodes[r.last].barrier) r.last++;
    if (!run_phase(&r)) return false;
    r.first = r.last;
  }
  return true;
}
