// Which of size, alignment, order, fragmentation, scratch and records is to blame: the arena
// planned again without each.
#include <stdarg.h>

#include "host/decide/advice_work.h"
#include "host/decide/without.h"

__attribute__((format(printf, 4, 5))) static void add_cause(host_advice_work *w, const char *name,
                                                            uint32_t without, const char *format,
                                                            ...) {
  host_advice *a = w->a;
  va_list arguments;
  if (a->cause_count == HOST_MAX_CAUSES) return;
  host_cause *cause = &a->causes[a->cause_count++];
  *cause = (host_cause){.name = name, .arena_without = without};
  va_start(arguments, format);
  vsnprintf(cause->text, sizeof cause->text, format, arguments);
  va_end(arguments);
}

static const host_step_fact *hungriest_step(const host_facts *f) {
  const host_step_fact *most = NULL;
  for (uint32_t n = 0; n < f->step_count; n++) {
    if (most == NULL || f->steps[n].bound_bytes > most->bound_bytes) most = &f->steps[n];
  }
  return most;
}

static void blame_size(host_advice_work *w) {
  const host_facts *f = &w->facts;
  const uint32_t least = w->a->usage.static_bytes + f->bound_bytes;
  const host_step_fact *step = hungriest_step(f);
  if (step == NULL) return;
  add_cause(w, "size", least, "node %u (%s) alone has %u bytes alive at once; with the static "
            "region, %s", step->node, step->op, f->bound_bytes,
            least > w->a->arena_bytes ? "no plan of whole tensors in this order fits"
                                      : "that would fit");
}

static void blame_fragmentation(host_advice_work *w) {
  const host_facts *f = &w->facts;
  uint32_t live = 0;
  for (uint32_t n = 0; n < f->step_count; n++) {
    if (f->steps[n].live_bytes > live) live = f->steps[n].live_bytes;
  }
  const uint32_t holes = w->a->usage.dynamic_bytes > live ? w->a->usage.dynamic_bytes - live : 0;
  add_cause(w, "fragmentation", w->a->need_bytes - holes,
            "bytes of the dynamic region that hold nothing "
            "when the most is alive");
}

// Of placing (another planner), or of operators (another file).
static void blame_order(host_advice_work *w) {
  arn_config other;
  const uint32_t best = host_advice_best_planner(w, &other);
  if (w->reordered.bytes && w->reordered.usage.arena_bytes < best) {
    add_cause(w, "order", w->reordered.usage.arena_bytes,
              "of operators: in another one, less is alive at once");
    return;
  }
  add_cause(w, "order", best, other.planner == w->config.planner
                ? "of operators and of placing: no other that was found does better than %s"
                : "of placing: the planner %s does better", host_planner_names[other.planner]);
}

static void blame_alignment(host_advice_work *w) {
  arn_config other = w->config;
  arn_usage usage;
  other.alignment = 4;
  if (!host_advice_measure(w, &other, &usage)) return;
  add_cause(w, "alignment", usage.arena_bytes, "to %u bytes rather than 4",
            w->config.alignment ? w->config.alignment : 16u);
}

static void blame_scratch(host_advice_work *w) {
  arn_usage usage;
  if (host_measure_without_scratch(&w->engine.model, &w->config, &usage) != ARN_OK) return;
  add_cause(w, "scratch", usage.arena_bytes, "of operators, planned anew as if none asked for it");
}

static void blame_records(host_advice_work *w) {
  const arn_usage *u = &w->a->usage;
  const uint32_t records = u->engine_records + u->op_data + u->init_temporary;
  add_cause(w, "records", u->arena_bytes - records,
            "of the engine %u, of operators %u, of planning (only "
            "while starting) %u",
            u->engine_records, u->op_data, u->init_temporary);
  if (u->variables > 0) {
    add_cause(w, "variables", u->arena_bytes - u->variables,
              "state of the model between invocations");
  }
}

void host_advice_find_causes(host_advice_work *w) {
  host_advice_tell(w, "causes");
  blame_size(w);
  blame_alignment(w);
  blame_order(w);
  blame_fragmentation(w);
  blame_scratch(w);
  blame_records(w);
}
