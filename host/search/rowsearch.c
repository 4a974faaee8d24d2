#include "host/search/rowsearch.h"

#include <stdlib.h>
#include <string.h>

#include "host/search/rowbound.h"
#include "host/search/rowcuts.h"
#include "host/search/rowjoin.h"
#include "host/search/rowlimit.h"

#define NEVER UINT32_MAX
#define TURNS 64u                // of the sinks of a segment
#define MAX_CHANGES 8u
#define PATIENCE 3000u           // tries without a gain before the search for the peak ends
#define PLACE_PATIENCE 150u      // and for the arena
#define WORK_A_SECOND 4000000u   // steps that any host simulates in a second, and places

// Which nodes are sinks, in what order.
struct sinks {
  uint32_t *ranks;               // by node; NEVER: none
  uint32_t *order, count;
};

struct search {
  const host_row_graph *g;
  const host_search_options *options;
  host_row_machine machine;
  host_limiter limiter;
  struct sinks sinks;
  uint32_t *kept;                // ranks before a try
  bool *kept_early;              // machine.early, likewise
  uint64_t random;
  uint64_t peak, bound;
  double begin, end;
  uint32_t segments;
};

static uint32_t draw(struct search *s, uint32_t below) {
  s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
  return (uint32_t)((s->random >> 32) % below);
}

// ---- sinks --------------------------------------------------------------------------------------

static void sort_sinks(struct search *s) {
  struct sinks *k = &s->sinks;
  k->count = 0;
  for (uint32_t n = 0; n < s->g->node_count; n++) {
    if (k->ranks[n] == NEVER || s->g->nodes[n].skip) continue;
    uint32_t at = k->count++;
    for (; at > 0 && k->ranks[k->order[at - 1]] > k->ranks[n]; at--) {
      k->order[at] = k->order[at - 1];
    }
    k->order[at] = n;
  }
}

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
static bool first_sinks(struct search *s) {
  const host_row_graph *g = s->g;
  uint32_t begin = 0;
  const double stop = s->begin + s->options->budget_seconds / 2;
  s->segments = host_row_cuts(&s->machine, stop, s->sinks.order, &s->peak);
  if (s->segments == 0 && g->node_count > 0) return false;
  for (uint32_t i = 0; i < s->segments; i++) {
    const uint32_t end = s->sinks.order[i];
    for (uint32_t n = begin; n < end; n++) {
      const uint32_t turn = end - 1 - n < TURNS ? end - 1 - n : TURNS - 1;
      s->sinks.ranks[n] = is_read(g, &g->nodes[n], end) ? NEVER : rank_in_order(end - 1) + turn;
    }
    begin = end;
  }
  sort_sinks(s);
  return true;
}

// Sinks come, go, and change their turn.
static void change_sinks(struct search *s) {
  const uint32_t nodes = s->g->node_count, changes = 1 + draw(s, MAX_CHANGES);
  for (uint32_t i = 0; i < changes; i++) {
    const uint32_t n = draw(s, nodes), what = draw(s, 5);
    uint32_t *rank = &s->sinks.ranks[n];
    if (what == 4) {
      s->machine.early[n] = !s->machine.early[n];
    } else if (what < 2) {
      *rank = *rank == NEVER || must_be_sink(s->g, n) ? rank_in_order(n) : NEVER;
    } else if (*rank != NEVER) {
      *rank = what == 2 ? draw(s, rank_in_order(nodes)) : rank_in_order(n);
    }
  }
  sort_sinks(s);
}

static void keep_sinks(struct search *s) {
  memcpy(s->kept, s->sinks.ranks, s->g->node_count * sizeof *s->kept);
  memcpy(s->kept_early, s->machine.early, s->g->node_count * sizeof *s->kept_early);
}

static void return_sinks(struct search *s) {
  memcpy(s->sinks.ranks, s->kept, s->g->node_count * sizeof *s->kept);
  memcpy(s->machine.early, s->kept_early, s->g->node_count * sizeof *s->kept_early);
  sort_sinks(s);
}

// ---- the lowest highest live sum ----------------------------------------------------------------

static bool run(struct search *s, uint64_t limit) {
  return host_limiter_run(&s->limiter, s->sinks.order, s->sinks.count,
                          (host_row_limits){.bytes = limit});
}

static bool time_is_up(const struct search *s, double share) {
  const double budget = s->options->budget_seconds;
  return (double)s->machine.work > share * budget * WORK_A_SECOND ||
         host_clock() > s->begin + share * budget;
}

// Runs again, each time with a lower limit, as long as that goes.
static void tighten(struct search *s) {
  do {
    s->peak = s->machine.peak < s->peak ? s->machine.peak : s->peak;
  } while (s->peak > s->bound && run(s, s->peak - 4));
}

// The segments one after the other go through at their own peak, or hardly above it.
static bool run_segments(struct search *s, uint64_t peak) {
  for (uint32_t tries = 0; tries < 64; tries++) {
    if (run(s, peak)) {
      s->peak = s->machine.peak;
      return true;
    }
    peak += peak / 32 + 4;
  }
  return false;
}

// Rows that nobody reads: all of them at the end, or each before it is too late for it to die.
static bool begin_descent(struct search *s) {
  const uint64_t peak = s->peak;
  const uint32_t n = s->g->node_count;
  const bool ok = run_segments(s, peak);
  const uint64_t late = s->peak;
  memset(s->machine.early, 1, n * sizeof *s->machine.early);
  if (!run_segments(s, peak) || (ok && late <= s->peak)) {
    memset(s->machine.early, 0, n * sizeof *s->machine.early);
    s->peak = late;
    if (!ok || !run(s, late)) return false;
  }
  tighten(s);
  return true;
}

static void descend(struct search *s) {
  for (uint32_t idle = 0; idle < PATIENCE && s->peak > s->bound && !time_is_up(s, 0.4); idle++) {
    const uint64_t before = s->peak;
    keep_sinks(s);
    change_sinks(s);
    if (run(s, s->peak)) tighten(s);
    else return_sinks(s);
    if (s->peak < before) idle = 0;
    if (s->options->progress) {
      s->options->progress(s->options->context, 0.4 * idle / PATIENCE);
    }
  }
}

// Writes the schedule below a limit, in steps of several rows where those stay below batch_bytes.
static bool write(struct search *s, uint64_t limit, uint64_t batch_bytes, host_row_schedule *out) {
  host_steps raw = {0};
  s->machine.steps = &raw;
  bool ok = host_limiter_run(&s->limiter, s->sinks.order, s->sinks.count,
                             (host_row_limits){.bytes = limit, .batch_bytes = batch_bytes});
  s->machine.steps = NULL;
  out->steps = (host_steps){0};
  ok = ok && host_row_join(&s->machine, &raw, batch_bytes, &out->steps);
  out->live_peak = s->machine.peak;
  out->bound = s->bound;
  out->segments = s->sinks.count;
  host_steps_free(&raw);
  if (!ok) host_steps_free(&out->steps);
  return ok;
}

// ---- the smallest arena -------------------------------------------------------------------------

// The best plan so far.
struct plan {
  host_row_schedule schedule;
  host_row_layout layout;
  bool there;
};

static bool is_better(const struct search *s, const host_row_schedule *a, const host_row_layout *l,
                      const struct plan *best) {
  const uint32_t most = s->options->max_steps ? s->options->max_steps : UINT32_MAX;
  const bool fits = a->steps.count <= most, fitted = best->schedule.steps.count <= most;
  if (!best->there || fits != fitted) return !best->there || fits;
  if (!fits && a->steps.count != best->schedule.steps.count) {
    return a->steps.count < best->schedule.steps.count;
  }
  if (l->bytes != best->layout.bytes) return l->bytes < best->layout.bytes;
  return a->steps.count < best->schedule.steps.count;
}

// Places a schedule and keeps it if it is the best; takes it over in any case.
static bool offer(struct search *s, host_row_schedule *schedule, struct plan *best) {
  host_row_layout layout;
  if (!host_row_place(s->g, schedule, 0.0, &layout)) {
    host_steps_free(&schedule->steps);
    return false;
  }
  s->machine.work += 8 * (uint64_t)schedule->steps.count;
  if (s->options->trade) {
    s->options->trade(s->options->context, schedule->steps.count, layout.bytes);
  }
  if (is_better(s, schedule, &layout, best)) {
    host_steps_free(&best->schedule.steps);
    host_row_layout_free(&best->layout);
    *best = (struct plan){*schedule, layout, true};
    return true;
  }
  host_steps_free(&schedule->steps);
  host_row_layout_free(&layout);
  return false;
}

static bool try_one(struct search *s, uint64_t limit, uint64_t batch_bytes, struct plan *best) {
  host_row_schedule schedule;
  return write(s, limit, batch_bytes, &schedule) && offer(s, &schedule, best);
}

// Rows a step are limited by live bytes below the peak: steps that fill it leave no room for
// placing.
static void try_batches(struct search *s, struct plan *best) {
  static const uint32_t percents[] = {100, 97, 94, 90, 85, 80, 70, 60, 0};
  for (uint32_t i = 0; i < sizeof percents / sizeof *percents; i++) {
    if (best->there && (best->layout.bytes <= s->bound || time_is_up(s, 0.7))) {
      if (s->options->max_steps == 0) return;
    }
    (void)try_one(s, s->peak, s->peak * percents[i] / 100, best);
  }
  // With more room, larger steps.
  for (uint32_t i = 1; s->options->max_steps > 0 && i < 40; i++) {
    const uint64_t limit = s->peak + s->peak * i / 8;
    if (best->schedule.steps.count <= s->options->max_steps) return;
    (void)try_one(s, limit, limit, best);
  }
}

// Other schedules that stay below the best arena: some of them are easier to place.
static void vary(struct search *s, struct plan *best) {
  for (uint32_t idle = 0; idle < PLACE_PATIENCE && !time_is_up(s, 0.9); idle++) {
    if (best->layout.bytes <= s->bound || best->layout.bytes < s->peak + 4) return;
    const uint32_t room = (best->layout.bytes - 4 - (uint32_t)s->peak) / 4 + 1;
    const uint64_t limit = s->peak + 4 * draw(s, room), percent = 60 + draw(s, 41);
    keep_sinks(s);
    change_sinks(s);
    if (try_one(s, limit, limit * percent / 100, best)) idle = 0;
    else return_sinks(s);
    if (s->options->progress) {
      s->options->progress(s->options->context, 0.4 + 0.5 * idle / PLACE_PATIENCE);
    }
  }
}

// The best schedule once more, with all the time that is left.
static void settle(struct search *s, struct plan *best) {
  const double left = s->begin + s->options->budget_seconds - host_clock();
  host_row_layout layout;
  if (best->layout.bytes <= best->schedule.live_peak || left <= 0) return;
  if (!host_row_place(s->g, &best->schedule, left, &layout)) return;
  if (layout.bytes < best->layout.bytes) {
    host_row_layout_free(&best->layout);
    best->layout = layout;
  } else {
    host_row_layout_free(&layout);
  }
}

// ---- from outside -------------------------------------------------------------------------------

static bool open_search(struct search *s, const host_row_graph *g, const host_search_options *o) {
  memset(s, 0, sizeof *s);
  s->g = g;
  s->options = o;
  s->begin = host_clock();
  s->random = o->seed ^ UINT64_C(0x9E3779B97F4A7C15);
  s->sinks.ranks = calloc(g->node_count + 1u, sizeof *s->sinks.ranks);
  s->sinks.order = calloc(g->node_count + 1u, sizeof *s->sinks.order);
  s->kept = calloc(g->node_count + 1u, sizeof *s->kept);
  s->kept_early = calloc(g->node_count + 1u, sizeof *s->kept_early);
  return s->sinks.ranks && s->sinks.order && s->kept && s->kept_early &&
         host_machine_open(&s->machine, g) && host_limiter_open(&s->limiter, &s->machine);
}

static void close_search(struct search *s) {
  host_limiter_close(&s->limiter);
  host_machine_close(&s->machine);
  free(s->sinks.ranks);
  free(s->sinks.order);
  free(s->kept);
  free(s->kept_early);
}

static bool search_peak(struct search *s, const host_row_graph *g, const host_search_options *o) {
  if (!open_search(s, g, o) || !first_sinks(s)) return false;
  s->bound = host_row_bound(g);
  s->machine.work = 0;
  if (!begin_descent(s)) return false;
  descend(s);
  return true;
}

bool host_row_search(const host_row_graph *g, const host_search_options *o,
                     host_row_schedule *schedule) {
  struct search s;
  const bool ok = search_peak(&s, g, o) && write(&s, s.peak, s.peak * 9 / 10, schedule);
  if (!ok) memset(schedule, 0, sizeof *schedule);
  close_search(&s);
  return ok;
}

bool host_row_plan(const host_row_graph *g, const host_search_options *o,
                   host_row_schedule *schedule, host_row_layout *layout) {
  struct search s;
  struct plan best = {.there = false};
  if (search_peak(&s, g, o)) {
    try_batches(&s, &best);
    if (best.there && o->max_steps == 0) vary(&s, &best);
    if (best.there) settle(&s, &best);
  }
  close_search(&s);
  if (o->progress) o->progress(o->context, 1.0);
  *schedule = best.schedule;
  *layout = best.layout;
  return best.there;
}
