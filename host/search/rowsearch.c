#include "host/search/rowsearch.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define MAX_BATCH 64u

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// What dynamic programming knows of the best way to have nodes [0, b) done.
struct best {
  uint64_t peak;
  uint32_t from;     // the last segment is [from, b)
};

struct search {
  const host_row_graph *g;
  const host_search_options *options;
  host_row_machine machine;
  struct best *best;
  double end;
};

static uint64_t cost(struct search *s, uint32_t a, uint32_t b, uint64_t limit) {
  s->machine.limit = limit;
  host_machine_begin(&s->machine, a);
  host_machine_segment(&s->machine, a, b);
  return s->machine.over ? UINT64_MAX : s->machine.peak;
}

// Nodes that touch variables keep their place in the order: no segment goes across one.
static bool has_barrier(const struct search *s, uint32_t a, uint32_t b) {
  return s->g->nodes[a].barrier || s->g->nodes[b - 1].barrier;
}

static void extend(struct search *s, uint32_t b) {
  struct best *best = &s->best[b];
  *best = (struct best){UINT64_MAX, b - 1};
  for (uint32_t a = b; a-- > 0;) {
    if (a + 1 < b && has_barrier(s, a, b)) break;
    if (s->best[a].peak >= best->peak) continue;
    if (a + 1 < b && s->g->nodes[b - 1].skip) continue;  // a view ends no segment of its own
    if (a + 1 < b && now() > s->end) break;
    const uint64_t limit = best->peak == UINT64_MAX ? 0 : best->peak - 1;
    const uint64_t alone = cost(s, a, b, limit);
    if (alone == UINT64_MAX) continue;
    const uint64_t peak = alone > s->best[a].peak ? alone : s->best[a].peak;
    if (peak < best->peak) *best = (struct best){peak, a};
  }
}

// With the peak known, takes the cuts that need the fewest segments... steps fall with shorter segments,
// so each segment is taken as short as the peak allows.
static void shorten(struct search *s, uint64_t peak) {
  const uint32_t n = s->g->node_count;
  for (uint32_t b = 1; b <= n; b++) {
    for (uint32_t a = b; a-- > 0;) {
      if (a + 1 < b && has_barrier(s, a, b)) break;
      if (s->best[a].peak > peak || now() > s->end + s->options->budget_seconds) continue;
      if (a == s->best[b].from) break;
      const uint64_t alone = cost(s, a, b, peak);
      if (alone == UINT64_MAX) continue;
      s->best[b].from = a;
      s->best[b].peak = alone > s->best[a].peak ? alone : s->best[a].peak;
      break;
    }
  }
}

static uint32_t cuts_of(const struct search *s, uint32_t *cuts) {
  uint32_t count = 0;
  for (uint32_t b = s->g->node_count; b > 0; b = s->best[b].from) cuts[count++] = b;
  return count;
}

// The largest batch with which segment [a, b) stays below the peak.
static uint32_t choose_batch(struct search *s, uint32_t a, uint32_t b, uint64_t peak) {
  host_steps *steps = s->machine.steps;
  uint32_t batch = MAX_BATCH;
  s->machine.steps = NULL;
  for (; batch > 1; batch /= 2) {
    s->machine.batch = batch;
    if (cost(s, a, b, peak) != UINT64_MAX) break;
  }
  s->machine.steps = steps;
  s->machine.batch = 1;
  return batch;
}

// Joins steps of one node that follow each other, where the peak allows.
static void join(host_row_machine *m, const host_steps *from, host_steps *to, uint64_t peak) {
  const host_row_graph *g = m->graph;
  host_machine_begin(m, 0);
  m->limit = 0;
  m->steps = to;
  for (uint32_t i = 0; i < from->count;) {
    const host_row_step *s = &from->list[i];
    uint32_t count = s->count, next = i + 1;
    if (s->node >= g->node_count) {
      host_machine_port(m, s);
      i = next;
      continue;
    }
    while (next < from->count && from->list[next].node == s->node &&
           host_machine_try(m, s->node, count + from->list[next].count) <= peak) {
      count += from->list[next++].count;
    }
    host_machine_step(m, s->node, count);
    while (next < from->count && from->list[next].node > g->node_count) next++;  // written anew
    i = next;
  }
}

static bool emit(struct search *s, host_row_schedule *out, uint64_t peak) {
  const uint32_t n = s->g->node_count;
  uint32_t *cuts = calloc(n + 1u, sizeof *cuts), *batches = calloc(n + 1u, sizeof *batches);
  host_steps raw = {0};
  bool ok = cuts && batches;
  if (ok) {
    const uint32_t count = cuts_of(s, cuts);
    uint32_t a = 0;
    for (uint32_t i = count; i-- > 0;) {
      batches[i] = choose_batch(s, a, cuts[i], peak);
      a = cuts[i];
    }
    s->machine.limit = 0;
    s->machine.steps = &raw;
    host_machine_begin(&s->machine, 0);
    a = 0;
    for (uint32_t i = count; i-- > 0;) {
      s->machine.batch = batches[i];
      host_machine_segment(&s->machine, a, cuts[i]);
      a = cuts[i];
    }
    out->segments = count;
    ok = !s->machine.over;
    if (ok) join(&s->machine, &raw, &out->steps, peak);
    out->live_peak = s->machine.peak;
    ok = ok && !s->machine.over;
  }
  host_steps_free(&raw);
  free(cuts);
  free(batches);
  return ok;
}

bool host_row_search(const host_row_graph *g, const host_search_options *o,
                     host_row_schedule *schedule) {
  struct search s = {.g = g, .options = o, .end = now() + o->budget_seconds};
  const uint32_t n = g->node_count;
  memset(schedule, 0, sizeof *schedule);
  s.best = calloc(n + 1u, sizeof *s.best);
  if (s.best == NULL || !host_machine_open(&s.machine, g)) {
    free(s.best);
    return false;
  }
  for (uint32_t b = 1; b <= n; b++) {
    extend(&s, b);
    if (o->progress) o->progress(o->context, (double)b / n);
  }
  shorten(&s, s.best[n].peak);
  const bool ok = emit(&s, schedule, s.best[n].peak);
  host_machine_close(&s.machine);
  free(s.best);
  if (!ok) host_steps_free(&schedule->steps);
  return ok;
}
