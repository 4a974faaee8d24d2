#include "host/search/rowsearch.h"

#include <string.h>

#include "host/search/rowcuts.h"
#include "host/search/rowdescent.h"
#include "host/search/rowgather.h"
#include "host/search/rowplace.h"

#define PATIENCE 1000u           // tries without a smaller arena before the search ends
#define RETURN 60u               // and before it goes back to where it began
#define MAX_ROOMS 64u            // eighths of the peak, for fewer steps

// The best plan so far.
struct plan {
  host_row_schedule schedule;
  host_row_layout layout;
  bool there;
};

static bool is_short(const host_row_descent *d, const host_row_schedule *schedule) {
  return d->options->max_steps == 0 || schedule->steps.count <= d->options->max_steps;
}

// Which arenas are of use for a schedule, all lower than this; 0: all.
static uint32_t ceiling_for(const host_row_descent *d, const host_row_schedule *a,
                            const struct plan *best) {
  const host_row_schedule *b = &best->schedule;
  if (!best->there || is_short(d, a) > is_short(d, b)) return 0;
  if (is_short(d, a) < is_short(d, b)) return 1;
  if (!is_short(d, a)) return a->steps.count < b->steps.count ? 0 : 1;
  return best->layout.bytes;
}

// Whether there is a placement below the effort's ceiling; its work is the search's.
static bool place(host_row_descent *d, const host_row_schedule *schedule, host_place_effort effort,
                  host_row_layout *layout) {
  bool there;
  const bool ok = host_row_place_below(d->graph, schedule, &effort, layout, &there);
  d->machine.work += effort.done;
  return ok && there;
}

// Places a schedule below the ceiling and keeps it; takes it over in any case.
static bool offer_below(host_row_descent *d, host_row_schedule *schedule, uint32_t ceiling,
                        struct plan *best) {
  const bool tells = d->options->trade != NULL;
  host_row_layout layout;
  const host_place_effort effort = {.ceiling = tells ? 0 : ceiling,
                                    .guide = best->there && ceiling ? &best->layout : NULL};
  if (ceiling != 1 && place(d, schedule, effort, &layout)) {
    if (tells) d->options->trade(d->options->context, schedule->steps.count, layout.bytes);
    if (ceiling == 0 || layout.bytes < ceiling) {
      host_steps_free(&best->schedule.steps);
      host_row_layout_free(&best->layout);
      *best = (struct plan){*schedule, layout, true};
      return true;
    }
    host_row_layout_free(&layout);
  }
  host_steps_free(&schedule->steps);
  return false;
}

static bool offer(host_row_descent *d, host_row_schedule *schedule, struct plan *best) {
  return offer_below(d, schedule, ceiling_for(d, schedule, best), best);
}

static bool try_one(host_row_descent *d, uint64_t limit, uint64_t batch_bytes, struct plan *best) {
  host_row_schedule schedule;
  return host_descent_write(d, limit, batch_bytes, &schedule) && offer(d, &schedule, best);
}

// Steps of several rows are kept somewhat below the peak: those that fill it leave no room for
// placing.
static void try_batches(host_row_descent *d, struct plan *best) {
  static const uint32_t percents[] = {100, 97, 94, 90, 85, 80, 70, 60, 0};
  for (uint32_t i = 0; i < sizeof percents / sizeof *percents; i++) {
    const bool done = best->there &&
                      (best->layout.bytes <= d->bound || host_descent_is_over(d, 0.7));
    if (done && d->options->max_steps == 0) return;
    (void)try_one(d, d->peak, d->peak * percents[i] / 100, best);
  }
}

// With more room, larger steps; where a table is asked for, all the way to whole nodes.
static void try_fewer_steps(host_row_descent *d, struct plan *best) {
  for (uint32_t i = 1; i < MAX_ROOMS; i++) {
    const uint64_t limit = d->peak + d->peak * i / 8;
    if (d->options->trade == NULL && is_short(d, &best->schedule)) return;
    (void)try_one(d, limit, limit, best);
  }
}

// Other schedules that stay below the best arena: some of them are easier to place.
static void vary(host_row_descent *d, struct plan *best) {
  for (uint32_t idle = 0; idle < PATIENCE && !host_descent_is_over(d, 0.75); idle++) {
    if (best->layout.bytes <= d->bound || best->layout.bytes < d->peak + 4) return;
    const uint32_t room = (best->layout.bytes - 4 - (uint32_t)d->peak) / 4 + 1;
    const uint64_t limit = d->peak + 4 * host_descent_draw(d, room);
    const uint64_t percent = 60 + host_descent_draw(d, 41);
    if (idle % RETURN == RETURN - 1) host_descent_choose(d, &d->best);
    host_descent_change(d);
    if (try_one(d, limit, limit * percent / 100, best)) idle = 0;
    else host_descent_undo(d);
    if (d->options->progress) {
      d->options->progress(d->options->context, 0.4 + 0.5 * idle / PATIENCE);
    }
  }
}

// Takes steps [begin, end) of the best schedule together, where that leaves its arena as it is.
static bool gather_range(host_row_descent *d, host_gather_range range, struct plan *best) {
  host_row_schedule s = best->schedule;
  s.steps = (host_steps){0};
  if (!host_row_gather(&d->machine, &best->schedule.steps, range, &s.steps) ||
      s.steps.count >= best->schedule.steps.count) {
    host_steps_free(&s.steps);
    return false;
  }
  s.live_peak = d->machine.peak;
  return offer_below(d, &s, best->layout.bytes + 4, best);
}

// The best schedule in fewer steps. Those that fill the peak may be hard to place, so parts of the
// schedule are taken by themselves.
static void gather(host_row_descent *d, struct plan *best) {
  for (uint32_t size = best->schedule.steps.count; size >= 8; size /= 2) {
    for (uint32_t begin = 0; begin < best->schedule.steps.count; begin += size / 2) {
      if (host_descent_is_over(d, 1.0)) return;
      const host_gather_range range = {begin, begin + size, best->layout.bytes};
      (void)gather_range(d, range, best);
    }
  }
}

// Places a schedule with much work, below the best.
static void settle_one(host_row_descent *d, host_row_schedule *schedule, uint64_t end,
                       struct plan *best) {
  host_row_layout layout;
  if (best->layout.bytes <= schedule->live_peak || d->machine.work >= end) return;
  const host_place_effort effort = {.work = end - d->machine.work, .ceiling = best->layout.bytes,
                                    .guide = &best->layout};
  if (!place(d, schedule, effort, &layout)) return;
  host_row_layout_free(&best->layout);
  best->layout = layout;
  if (schedule == &best->schedule) return;
  host_steps_free(&best->schedule.steps);
  best->schedule = *schedule;
  schedule->steps = (host_steps){0};
}

// The best schedule once more, and those with the least alive.
static void settle(host_row_descent *d, struct plan *best) {
  static const uint32_t percents[] = {90, 60, 100, 80};
  const uint32_t count = sizeof percents / sizeof *percents;
  const uint64_t left = d->budget / 100 * 85 - d->machine.work;
  settle_one(d, &best->schedule, d->machine.work + left / 2, best);
  if (d->options->max_steps > 0) return;
  host_descent_choose(d, &d->best);
  for (uint32_t i = 0; i < count && !host_descent_is_over(d, 0.85); i++) {
    host_row_schedule s;
    const uint64_t share = (d->budget / 100 * 85 - d->machine.work) / (count - i);
    if (best->layout.bytes <= d->peak ||
        !host_descent_write(d, d->peak, d->peak * percents[i] / 100, &s)) return;
    settle_one(d, &s, d->machine.work + share, best);
    host_steps_free(&s.steps);
  }
}

bool host_row_search(const host_row_graph *g, const host_search_options *o,
                     host_row_schedule *schedule) {
  host_row_descent d;
  const bool ok = host_descent_open(&d, g, o) &&
                  host_descent_write(&d, d.peak, d.peak * 9 / 10, schedule);
  if (!ok) memset(schedule, 0, sizeof *schedule);
  host_descent_close(&d);
  return ok;
}

bool host_row_plan(const host_row_graph *g, const host_search_options *o,
                   host_row_schedule *schedule, host_row_layout *layout) {
  host_row_descent d;
  struct plan best = {.there = false};
  if (host_descent_open(&d, g, o)) {
    try_batches(&d, &best);
    if (best.there && (o->max_steps > 0 || o->trade)) try_fewer_steps(&d, &best);
    if (best.there && o->max_steps == 0) vary(&d, &best);
    if (best.there && !host_descent_is_over(&d, 0.85)) settle(&d, &best);
    if (best.there) gather(&d, &best);
  }
  host_descent_close(&d);
  if (best.there && o->trade) o->trade(o->context, best.schedule.steps.count, best.layout.bytes);
  if (o->progress) o->progress(o->context, 1.0);
  *schedule = best.schedule;
  *layout = best.layout;
  return best.there;
}
