#include "host/decide/advice.h"

#include <stdlib.h>
#include <string.h>

#include "host/decide/advice_work.h"

const char *const host_planner_names[] = {"auto",   "greedy", "lifetime",
                                          "colour", "id",     "offline"};

void host_advice_tell(const host_advice_work *w, const char *what) {
  if (w->c->progress) w->c->progress(what);
}

bool host_advice_measure(const host_advice_work *w, const arn_config *config, arn_usage *usage) {
  arn_error error;
  return host_measure(&w->engine.model, config, usage, &error) == ARN_OK;
}

uint32_t host_advice_best_planner(const host_advice_work *w, arn_config *best) {
  uint32_t least = w->a->need_bytes;
  *best = w->config;
  for (uint8_t p = ARN_PLANNER_GREEDY; p <= ARN_PLANNER_ID; p++) {
    arn_config other = w->config;
    arn_usage usage;
    other.planner = p;
    if (!host_advice_measure(w, &other, &usage) || usage.arena_bytes >= least) continue;
    least = usage.arena_bytes;
    *best = other;
  }
  return least;
}

// The start in the arena as it is: the error that the device sees.
static void start_as_given(host_advice_work *w) {
  const host_options options = {.config = w->config, .arena_bytes = w->c->arena_bytes};
  host_engine e;
  memset(&w->a->failing, 0, sizeof w->a->failing);
  if (host_engine_open(&e, w->c->bytes, w->c->size, &options, &w->a->failing) == ARN_OK) {
    memset(&w->a->failing, 0, sizeof w->a->failing);
    host_engine_close(&e);
  }
}

// For the blame and for the remedy.
static void find_order(host_advice_work *w) {
  const arn_config plain = {.ops = w->config.ops, .flags = ARN_IGNORE_PLAN};
  const char *why;
  host_advice_tell(w, "ordering operators");
  if (!arn_reorder_measured(w->c->bytes, w->c->size, &plain, &w->reordered, &why)) {
    w->reordered.bytes = NULL;
  }
}

arn_status host_advise(const host_advice_case *c, host_advice *a, arn_error *error) {
  host_advice_work w = {.c = c, .a = a, .config = c->config};
  memset(a, 0, sizeof *a);
  a->arena_bytes = c->arena_bytes;
  const host_options options = {.config = w.config};
  if (w.config.ops == NULL) w.config.ops = &arn_ops_all;
  arn_status status = host_engine_open(&w.engine, c->bytes, c->size, &options, error);
  if (status != ARN_OK) return status;
  a->usage = w.engine.usage;
  a->need_bytes = a->usage.arena_bytes;
  a->fits = a->need_bytes <= a->arena_bytes;
  if (!a->fits) start_as_given(&w);
  status = host_facts_gather(&w.facts, &w.engine.nn) ? ARN_OK : ARN_ERR_INTERNAL;
  if (status == ARN_OK) {
    find_order(&w);
    host_advice_find_causes(&w);
    host_advice_find_remedies(&w);
    free(w.reordered.bytes);
    host_facts_free(&w.facts);
  }
  host_engine_close(&w.engine);
  return status;
}

static bool is_same(const arn_error *e, const arn_error *record) {
  return e->what == record->what && e->node == record->node && e->tensor == record->tensor &&
         e->need == record->need;
}

uint32_t host_advice_arena_of(const host_advice_case *c, const arn_error *record) {
  arn_model model;
  arn_usage usage;
  arn_error error;
  arn_config config = c->config;
  if (config.ops == NULL) config.ops = &arn_ops_all;
  if (arn_model_open(&model, c->bytes, c->size, &error) != ARN_OK) return 0;
  arn_model_infer_shapes(&model);
  if (host_measure(&model, &config, &usage, &error) != ARN_OK) return 0;
  uint8_t *arena = aligned_alloc(64, (usage.arena_bytes / 64u + 1u) * 64u);
  uint32_t found = 0;
  const uint32_t step = usage.arena_bytes / 4096u < 4u ? 4u : usage.arena_bytes / 4096u & ~3u;
  for (uint32_t size = 0; arena && size < usage.arena_bytes && found == 0; size += step) {
    arn_interpreter nn;
    if (arn_start(&nn, &model, arena, size, &config, &error) == ARN_OK) break;
    if (!is_same(&error, record)) continue;
    // What is there grows with the arena, byte by byte, as long as the same request fails.
    const int64_t other = (int64_t)size + record->have - error.have;
    if (other < 0 || other >= usage.arena_bytes) continue;
    if (arn_start(&nn, &model, arena, (size_t)other, &config, &error) == ARN_OK) continue;
    if (is_same(&error, record) && error.have == record->have) found = (uint32_t)other;
  }
  free(arena);
  return found;
}
