#include "host/decide/advice.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "host/decide/without.h"
#include "host/report/facts.h"
#include "host/rewrite/optimize.h"

// A case being worked on: its plan as asked for, in an arena that suffices.
struct work {
  const host_advice_case *c;
  host_advice *a;
  arn_config config;
  host_engine engine;
  host_facts facts;
};

static const char *const planners[] = {"auto", "greedy", "lifetime", "colour", "id", "offline"};

static void tell(const struct work *w, const char *what) {
  if (w->c->progress) w->c->progress(what);
}

static bool measure(const struct work *w, const arn_config *config, arn_usage *usage) {
  arn_error error;
  return host_measure(&w->engine.model, config, usage, &error) == ARN_OK;
}

// ---- causes ------------------------------------------------------------------------------------

__attribute__((format(printf, 4, 5))) static void add_cause(struct work *w, const char *name,
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

static void blame_size(struct work *w) {
  const host_facts *f = &w->facts;
  const uint32_t least = w->a->usage.static_bytes + f->bound_bytes;
  const host_step_fact *step = hungriest_step(f);
  if (step == NULL) return;
  add_cause(w, "size", least, "node %u (%s) alone has %u bytes alive at once; with the static "
            "region, %s", step->node, step->op, f->bound_bytes,
            least > w->a->arena_bytes ? "no plan of whole tensors in this order fits"
                                      : "that would fit");
}

static void blame_fragmentation(struct work *w) {
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

static void blame_order(struct work *w) {
  uint32_t best = w->a->need_bytes, which = w->config.planner;
  for (uint8_t p = ARN_PLANNER_GREEDY; p <= ARN_PLANNER_ID; p++) {
    arn_config other = w->config;
    arn_usage usage;
    other.planner = p;
    if (measure(w, &other, &usage) && usage.arena_bytes < best) best = usage.arena_bytes, which = p;
  }
  add_cause(w, "order", best, which == w->config.planner
                ? "of placing: no other planner that needs no heap does better than %s"
                : "of placing: the planner %s does better", planners[which]);
}

static void blame_alignment(struct work *w) {
  arn_config other = w->config;
  arn_usage usage;
  other.alignment = 4;
  if (!measure(w, &other, &usage)) return;
  add_cause(w, "alignment", usage.arena_bytes, "to %u bytes rather than 4",
            w->config.alignment ? w->config.alignment : 16u);
}

static void blame_scratch(struct work *w) {
  arn_usage usage;
  if (host_measure_without_scratch(&w->engine.model, &w->config, &usage) != ARN_OK) return;
  add_cause(w, "scratch", usage.arena_bytes, "of operators, planned anew as if none asked for it");
}

static void blame_records(struct work *w) {
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

static void find_causes(struct work *w) {
  tell(w, "causes");
  blame_size(w);
  blame_alignment(w);
  blame_order(w);
  blame_fragmentation(w);
  blame_scratch(w);
  blame_records(w);
}

// ---- remedies ----------------------------------------------------------------------------------

__attribute__((format(printf, 4, 5))) static host_remedy *add_remedy(struct work *w,
                                                                     const char *name,
                                                                     uint32_t arena_bytes,
                                                                     const char *format, ...) {
  host_advice *a = w->a;
  va_list arguments;
  if (a->remedy_count == HOST_MAX_REMEDIES || arena_bytes >= a->need_bytes) return NULL;
  host_remedy *r = &a->remedies[a->remedy_count++];
  memset(r, 0, sizeof *r);
  r->name = name;
  r->arena_bytes = arena_bytes;
  va_start(arguments, format);
  vsnprintf(r->text, sizeof r->text, format, arguments);
  va_end(arguments);
  return r;
}

// The command that plans with a configuration: `plan`, or `diagnose` where weights are copied,
// which `plan` does not do.
static void plan_command(const struct work *w, host_remedy *r, const arn_config *config) {
  char options[128] = "";
  size_t used = 0;
  if (r == NULL) return;
  if (config->planner) {
    used += (size_t)snprintf(options, sizeof options, " --planner %s", planners[config->planner]);
  }
  if (config->alignment) {
    used +=
        (size_t)snprintf(options + used, sizeof options - used, " --align %u", config->alignment);
  }
  snprintf(options + used, sizeof options - used, "%s%s%s",
           config->flags & ARN_NO_OVERLAP ? " --no-overlap" : "",
           config->flags & ARN_KEEP_ALL ? " --keep-all" : "",
           config->copy_weights ? " --copy-weights" : "");
  if (config->copy_weights) {
    snprintf(r->command, sizeof r->command, "arenite diagnose --arena %u%s %s", r->arena_bytes,
             options, w->c->path);
  } else {
    snprintf(r->command, sizeof r->command, "arenite plan%s %s", options, w->c->path);
  }
}

static void try_planners(struct work *w) {
  arn_config best = w->config;
  uint32_t least = w->a->need_bytes;
  for (uint8_t p = ARN_PLANNER_GREEDY; p <= ARN_PLANNER_ID; p++) {
    arn_config other = w->config;
    arn_usage usage;
    other.planner = p;
    if (measure(w, &other, &usage) && usage.arena_bytes < least) {
      least = usage.arena_bytes;
      best = other;
    }
  }
  plan_command(w, add_remedy(w, "planner", least, "the planner %s (config.planner)",
                             planners[best.planner]), &best);
}

// One other value of the configuration.
static void try_configuration(struct work *w, const arn_config *other, const char *name,
                              const char *text) {
  arn_usage usage;
  if (!measure(w, other, &usage)) return;
  plan_command(w, add_remedy(w, name, usage.arena_bytes, "%s", text), other);
}

static void try_configurations(struct work *w) {
  arn_config other = w->config;
  try_planners(w);
  other.alignment = 4;
  try_configuration(w, &other, "alignment",
                    "config.alignment = 4: the arena then starts at a multiple "
                    "of 4");
  other = w->config;
  other.flags &= (uint8_t)~(ARN_NO_OVERLAP | ARN_KEEP_ALL);
  try_configuration(w, &other, "in place", "outputs over inputs that die: config.flags without "
                    "ARN_NO_OVERLAP and ARN_KEEP_ALL");
  other = w->config;
  other.copy_weights = NULL;
  try_configuration(w, &other, "weights", "weights left in flash: config.copy_weights = NULL");
}

// The name of the file that a command is to write, in the working folder.
static void name_output(const char *path, const char *suffix, char *name, size_t size) {
  const char *slash = strrchr(path, '/');
  if (slash) path = slash + 1;
  size_t length = strlen(path);
  if (length > 7 && strcmp(path + length - 7, ".tflite") == 0) length -= 7;
  snprintf(name, size, "%.*s.%s.tflite", (int)(length < 90 ? length : 90), path, suffix);
}

static void file_command(const struct work *w, host_remedy *r, const char *arguments) {
  if (r == NULL) return;
  snprintf(r->command, sizeof r->command, "arenite optimize --budget %.0f%s %s",
           w->c->budget_seconds, arguments, w->c->path);
}

// Files that carry a plan are planned for the default configuration.
static const char *by_default(const struct work *w) {
  const arn_config *config = &w->config;
  const bool is_default = !config->planner && !config->flags && !config->copy_weights &&
                          (config->alignment == 0 || config->alignment == 16);
  return is_default ? "" : ", otherwise configured by default";
}

static bool optimise(const struct work *w, host_stream_wish stream, arn_optimized *r) {
  const host_search_options search = {.budget_seconds = w->c->budget_seconds, .stream = stream};
  arn_error error;
  const char *why = NULL;
  if (arn_optimize(w->c->bytes, w->c->size, &search, r, &error, &why) != ARN_OK) return false;
  free(r->bytes);
  return true;
}

static void try_rows(struct work *w) {
  arn_optimized r;
  char out[128], arguments[160];
  tell(w, "planning by rows");
  if (!optimise(w, (host_stream_wish){0, 0}, &r)) return;
  name_output(w->c->path, "rows", out, sizeof out);
  snprintf(arguments, sizeof arguments, " -o %s", out);
  file_command(w,
               add_remedy(w, "rows", r.usage.arena_bytes,
                          "a file that carries its plan by rows%s: "
                          "the same outputs to the byte",
                          by_default(w)),
               arguments);
}

static void try_streams(struct work *w) {
  arn_optimized r;
  char out[128], arguments[224] = "";
  const uint32_t inputs = w->facts.subgraph.input_count < 4 ? w->facts.subgraph.input_count : 4;
  if (inputs == 0) return;
  tell(w, "planning with streamed inputs");
  if (!optimise(w, (host_stream_wish){(1u << inputs) - 1u, 0}, &r)) return;
  for (uint32_t i = 0; i < inputs; i++) {
    const size_t used = strlen(arguments);
    snprintf(arguments + used, sizeof arguments - used, " --stream-input %u", i);
  }
  name_output(w->c->path, "stream", out, sizeof out);
  const size_t used = strlen(arguments);
  snprintf(arguments + used, sizeof arguments - used, " -o %s", out);
  file_command(w,
               add_remedy(w, "streamed input", r.usage.arena_bytes,
                          "rows of the input fetched when "
                          "they are needed (config.stream)%s, the input never whole",
                          by_default(w)),
               arguments);
}

static void try_int8(struct work *w) {
  tell(w, "packing in bytes");
  const uint32_t alignment = w->config.alignment ? w->config.alignment : 16u;
  const uint32_t dynamic = host_pack_in_bytes(&w->facts, alignment);
  if (dynamic == 0) return;
  host_remedy *r = add_remedy(w, "int8", w->a->usage.static_bytes + dynamic, "a byte an element "
                              "(these lifetimes packed anew, nothing overlapping)");
  if (r) {
    snprintf(r->command, sizeof r->command, "convert with full integer quantisation, then "
             "arenite compare %.80s NEW.tflite", w->c->path);
  }
}

static int by_saving(const void *a, const void *b) {
  const host_remedy *x = a, *y = b;
  return x->arena_bytes < y->arena_bytes ? -1 : x->arena_bytes > y->arena_bytes;
}

static void find_remedies(struct work *w) {
  try_configurations(w);
  try_rows(w);
  try_streams(w);
  try_int8(w);
  qsort(w->a->remedies, w->a->remedy_count, sizeof w->a->remedies[0], by_saving);
}

// ---- all of it ---------------------------------------------------------------------------------

// The start in the arena as it is: the error that the device sees.
static void start_as_given(struct work *w) {
  const host_options options = {.config = w->config, .arena_bytes = w->c->arena_bytes};
  host_engine e;
  memset(&w->a->failing, 0, sizeof w->a->failing);
  if (host_engine_open(&e, w->c->bytes, w->c->size, &options, &w->a->failing) == ARN_OK) {
    memset(&w->a->failing, 0, sizeof w->a->failing);
    host_engine_close(&e);
  }
}

arn_status host_advise(const host_advice_case *c, host_advice *a, arn_error *error) {
  struct work w = {.c = c, .a = a, .config = c->config};
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
    find_causes(&w);
    find_remedies(&w);
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
