#include "host/search/rowdescent.h"

#include <stdlib.h>
#include <string.h>

#include "host/search/rowbound.h"
#include "host/search/rowcuts.h"
#include "host/search/rowjoin.h"

#define NEVER UINT32_MAX
#define TURNS 64u                // of the sinks of a segment
#define MAX_CHANGES 8u
#define PATIENCE 1000u           // tries without a gain before a round ends
#define ROUNDS 4u                // each from the first choice
#define SHARE 0.4                // of the budget

uint32_t host_descent_draw(host_row_descent *d, uint32_t below) {
  d->random = d->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)((d->random >> 32) % below);
}

// ---- choices ------------------------------------------------------------------------------------

bool host_choice_open(host_row_choice *c, const host_row_graph *g) {
  c->ranks = calloc(g->node_count + 1u, sizeof *c->ranks);
  c->early = calloc(g->node_count + 1u, sizeof *c->early);
  return c->ranks && c->early;
}

void host_choice_close(host_row_choice *c) {
  free(c->ranks);
  free(c->early);
}

void host_choice_copy(host_row_choice *to, const host_row_choice *from, const host_row_graph *g) {
  memcpy(to->ranks, from->ranks, g->node_count * sizeof *to->ranks);
  memcpy(to->early, from->early, g->node_count * sizeof *to->early);
}

static void sort_sinks(host_row_descent *d) {
  const uint32_t *ranks = d->choice.ranks;
  d->sink_count = 0;
  for (uint32_t n = 0; n < d->graph->node_count; n++) {
    if (ranks[n] == NEVER || d->graph->nodes[n].skip) continue;
    uint32_t at = d->sink_count++;
    for (; at > 0 && ranks[d->order[at - 1]] > ranks[n]; at--) d->order[at] = d->order[at - 1];
    d->order[at] = n;
  }
}

void host_descent_choose(host_row_descent *d, const host_row_choice *choice) {
  host_choice_copy(&d->choice, choice, d->graph);
  sort_sinks(d);
}

void host_descent_undo(host_row_descent *d) { host_descent_choose(d, &d->kept); }

// Whether nodes before `end` read what a node makes.
static bool is_read(const host_row_graph *g, const host_row_node *node, uint32_t end) {
  for (uint32_t i = 0; i < node->output_count; i++) {
    const uint32_t root = node->outputs[i];
    for (uint32_t k = g->reader_first[root]; k < g->reader_first[root + 1]; k++) {
      if (g->uses[g->readers[k]].node < end) return true;
    }
  }
  return false;
}

static bool must_be_sink(const host_row_graph *g, uint32_t node) {
  return !is_read(g, &g->nodes[node], g->node_count);
}

static uint32_t rank_in_order(uint32_t node) { return TURNS * node; }

// The last node of each segment, and those that no other of its segment asks for: last ones first.
static bool first_sinks(host_row_descent *d) {
  const host_row_graph *g = d->graph;
  const uint32_t segments = host_row_cuts(&d->machine, d->budget / 2, d->order, &d->peak);
  uint32_t begin = 0;
  if (segments == 0 && g->node_count > 0) return false;
  for (uint32_t i = 0; i < segments; i++) {
    const uint32_t end = d->order[i];
    for (uint32_t n = begin; n < end; n++) {
      const uint32_t turn = end - 1 - n < TURNS ? end - 1 - n : TURNS - 1;
      d->choice.ranks[n] = is_read(g, &g->nodes[n], end) ? NEVER : rank_in_order(end - 1) + turn;
    }
    begin = end;
  }
  sort_sinks(d);
  return true;
}

// Sinks come, go, and change their turn.
void host_descent_change(host_row_descent *d) {
  const uint32_t nodes = d->graph->node_count, changes = 1 + host_descent_draw(d, MAX_CHANGES);
  host_choice_copy(&d->kept, &d->choice, d->graph);
  for (uint32_t i = 0; i < changes; i++) {
    const uint32_t n = host_descent_draw(d, nodes), what = host_descent_draw(d, 5);
    uint32_t *rank = &d->choice.ranks[n];
    if (what == 4) {
      d->choice.early[n] = !d->choice.early[n];
    } else if (what < 2) {
      *rank = *rank == NEVER || must_be_sink(d->graph, n) ? rank_in_order(n) : NEVER;
    } else if (*rank != NEVER) {
      *rank = what == 2 ? host_descent_draw(d, rank_in_order(nodes)) : rank_in_order(n);
    }
  }
  sort_sinks(d);
}

// ---- the lowest highest live sum ----------------------------------------------------------------

static bool run(host_row_descent *d, uint64_t limit) {
  return host_limiter_run(&d->limiter, d->order, d->sink_count, (host_row_limits){.bytes = limit});
}

bool host_descent_is_over(const host_row_descent *d, double share) {
  return (double)d->machine.work > share * (double)d->budget;
}

// After a run that went through: runs again, each time with a lower limit, as long as that goes.
// Returns the lowest peak.
static uint64_t tighten(host_row_descent *d) {
  uint64_t peak = d->machine.peak;
  while (peak > d->bound && run(d, peak - 4)) peak = d->machine.peak;
  return peak;
}

// The segments one after the other go through at their own peak, or hardly above it. Returns the
// peak that was enough, or UINT64_MAX.
static uint64_t run_segments(host_row_descent *d, uint64_t peak) {
  for (uint32_t tries = 0; tries < 64; tries++) {
    if (run(d, peak)) return tighten(d);
    peak += peak / 32 + 4;
  }
  return UINT64_MAX;
}

// Rows that nobody reads: all of them at the end, or each before it is too late for it to die.
static bool begin_descent(host_row_descent *d) {
  const uint32_t n = d->graph->node_count;
  const uint64_t segments = d->peak, late = run_segments(d, segments);
  memset(d->choice.early, 1, n * sizeof *d->choice.early);
  const uint64_t early = run_segments(d, segments);
  if (late <= early) memset(d->choice.early, 0, n * sizeof *d->choice.early);
  d->peak = late <= early ? late : early;
  host_choice_copy(&d->first, &d->choice, d->graph);
  host_choice_copy(&d->best, &d->choice, d->graph);
  return d->peak != UINT64_MAX;
}

static bool is_over(const host_row_descent *d) {
  return d->peak <= d->bound || d->graph->node_count == 0 || host_descent_is_over(d, SHARE);
}

// Changes the first choice as long as that lowers the peak now and then.
static void descend_once(host_row_descent *d, uint64_t peak) {
  host_descent_choose(d, &d->first);
  for (uint32_t idle = 0; idle < PATIENCE && !is_over(d); idle++) {
    const uint64_t before = peak;
    host_descent_change(d);
    if (run(d, peak)) peak = tighten(d);
    else host_descent_undo(d);
    if (peak < before) idle = 0;
    if (peak >= d->peak) continue;
    d->peak = peak;
    host_choice_copy(&d->best, &d->choice, d->graph);
  }
}

static void descend(host_row_descent *d) {
  const uint64_t first = d->peak;
  const host_search_options *o = d->options;
  for (uint32_t round = 0; round < ROUNDS && !is_over(d); round++) {
    descend_once(d, first);
    if (o->progress) o->progress(o->context, SHARE * (round + 1) / ROUNDS);
  }
  host_descent_choose(d, &d->best);
}

bool host_descent_write(host_row_descent *d, uint64_t limit, uint64_t batch_bytes,
                        host_row_schedule *out) {
  host_steps raw = {0};
  d->machine.steps = &raw;
  bool ok = host_limiter_run(&d->limiter, d->order, d->sink_count,
                             (host_row_limits){.bytes = limit, .batch_bytes = batch_bytes});
  d->machine.steps = NULL;
  out->steps = (host_steps){0};
  ok = ok && host_row_join(&d->machine, &raw, batch_bytes, &out->steps);
  out->live_peak = d->machine.peak;
  out->bound = d->bound;
  out->segments = d->sink_count;
  host_steps_free(&raw);
  if (!ok) host_steps_free(&out->steps);
  return ok;
}

// ---- from outside -------------------------------------------------------------------------------

static bool open_all(host_row_descent *d, const host_row_graph *g) {
  d->order = calloc(g->node_count + 1u, sizeof *d->order);
  d->choice.ranks = calloc(g->node_count + 1u, sizeof *d->choice.ranks);
  if (!host_machine_open(&d->machine, g)) return false;
  if (!host_limiter_open(&d->limiter, &d->machine)) return false;
  d->choice.early = d->machine.early;
  return d->order && d->choice.ranks && host_choice_open(&d->first, g) &&
         host_choice_open(&d->best, g) && host_choice_open(&d->kept, g);
}

bool host_descent_open(host_row_descent *d, const host_row_graph *g, const host_search_options *o) {
  memset(d, 0, sizeof *d);
  d->graph = g;
  d->options = o;
  d->budget = (uint64_t)(o->budget_seconds * HOST_WORK_A_SECOND);
  d->random = o->seed ^ UINT64_C(0x9E3779B97F4A7C15);
  if (!open_all(d, g) || !first_sinks(d)) return false;
  d->bound = host_row_bound(g);
  if (!begin_descent(d)) return false;
  descend(d);
  return true;
}

void host_descent_close(host_row_descent *d) {
  host_limiter_close(&d->limiter);
  host_machine_close(&d->machine);
  host_choice_close(&d->first);
  host_choice_close(&d->best);
  host_choice_close(&d->kept);
  free(d->choice.ranks);
  free(d->order);
}
