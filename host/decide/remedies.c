// What would make the arena smaller, each by doing it.
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "host/decide/advice_work.h"
#include "host/decide/without.h"
#include "host/rewrite/optimize.h"

__attribute__((format(printf, 4, 5))) static host_remedy *add_remedy(host_advice_work *w,
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
  r->fits = arena_bytes <= a->arena_bytes;
  va_start(arguments, format);
  vsnprintf(r->text, sizeof r->text, format, arguments);
  va_end(arguments);
  return r;
}

// `arenite plan` with a configuration, and with `more` options.
static void name_plan(const host_advice_work *w, host_remedy *r, const arn_config *config,
                      const char *more) {
  char planner[32] = "", alignment[24] = "";
  if (config->planner) {
    snprintf(planner, sizeof planner, "--planner %s ", host_planner_names[config->planner]);
  }
  if (config->alignment) snprintf(alignment, sizeof alignment, "--align %u ", config->alignment);
  snprintf(r->command, sizeof r->command, "arenite plan %s%s%s%s%s%.90s", more, planner, alignment,
           config->flags & ARN_NO_OVERLAP ? "--no-overlap " : "",
           config->flags & ARN_KEEP_ALL ? "--keep-all " : "", w->c->path);
}

// The command that plans with a configuration: `plan`, or `diagnose` where weights are copied,
// which `plan` does not do.
static void plan_command(const host_advice_work *w, host_remedy *r, const arn_config *config) {
  if (r == NULL) return;
  name_plan(w, r, config, "");
  if (!config->copy_weights) return;
  char options[sizeof r->command];
  snprintf(options, sizeof options, "%s", r->command + strlen("arenite plan "));
  snprintf(r->command, sizeof r->command, "arenite diagnose --arena %u --copy-weights %.200s",
           r->arena_bytes, options);
}

static void try_planners(host_advice_work *w) {
  arn_config best;
  const uint32_t least = host_advice_best_planner(w, &best);
  plan_command(w, add_remedy(w, "planner", least, "the planner %s (config.planner)",
                             host_planner_names[best.planner]), &best);
}

// One other value of the configuration.
static void try_configuration(host_advice_work *w, const arn_config *other, const char *name,
                              const char *text) {
  arn_usage usage;
  if (!host_advice_measure(w, other, &usage)) return;
  plan_command(w, add_remedy(w, name, usage.arena_bytes, "%s", text), other);
}

static void try_configurations(host_advice_work *w) {
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

static void file_command(const host_advice_work *w, host_remedy *r, const char *arguments) {
  if (r == NULL) return;
  snprintf(r->command, sizeof r->command, "arenite optimize --budget %.0f%s %s",
           w->c->budget_seconds, arguments, w->c->path);
}

// Files that carry a plan are planned for the default configuration.
static const char *by_default(const host_advice_work *w) {
  const arn_config *config = &w->config;
  const bool is_default = !config->planner && !config->flags && !config->copy_weights &&
                          (config->alignment == 0 || config->alignment == 16);
  return is_default ? "" : ", otherwise configured by default";
}

static bool optimise(const host_advice_work *w, host_stream_wish stream, arn_optimized *r) {
  const host_search_options search = {.budget_seconds = w->c->budget_seconds, .stream = stream};
  arn_error error;
  const char *why = NULL;
  if (arn_optimize(w->c->bytes, w->c->size, &search, r, &error, &why) != ARN_OK) return false;
  free(r->bytes);
  return true;
}

static void try_order(host_advice_work *w) {
  char out[128];
  if (w->reordered.bytes == NULL) return;
  host_remedy *r = add_remedy(w, "operator order", w->reordered.usage.arena_bytes,
                              "a file with its operators in another order%s: the same outputs to "
                              "the byte", by_default(w));
  if (r == NULL) return;
  name_output(w->c->path, "order", out, sizeof out);
  snprintf(r->command, sizeof r->command, "arenite optimize --order -o %s %.90s", out, w->c->path);
}

static void try_rows(host_advice_work *w) {
  arn_optimized r;
  char out[128], arguments[160];
  host_advice_tell(w, "planning by rows");
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

static void try_streams(host_advice_work *w) {
  arn_optimized r;
  char out[128], arguments[224] = "";
  const uint32_t inputs = w->facts.subgraph.input_count < 4 ? w->facts.subgraph.input_count : 4;
  if (inputs == 0) return;
  host_advice_tell(w, "planning with streamed inputs");
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

static void try_int8(host_advice_work *w) {
  host_advice_tell(w, "packing in bytes");
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

// Another region of RAM that holds `bytes`; NULL: none, or none is known.
static const host_region *region_for(const host_advice_work *w, uint32_t bytes) {
  for (uint32_t i = 0; i < w->c->other_count; i++) {
    if (w->c->others[i].bytes >= bytes) return &w->c->others[i];
  }
  return NULL;
}

// The static and the dynamic region in two regions of RAM: the larger part where the arena was to
// lie, unless only the other way round fits.
static void try_regions(host_advice_work *w) {
  const arn_usage *u = &w->a->usage;
  const uint32_t fixed = u->static_bytes, dynamic = u->dynamic_block_bytes;
  bool keeps_dynamic = dynamic >= fixed;
  const uint32_t larger = keeps_dynamic ? dynamic : fixed, smaller = fixed + dynamic - larger;
  if (larger > w->a->arena_bytes && smaller <= w->a->arena_bytes && region_for(w, larger)) {
    keeps_dynamic = !keeps_dynamic;
  }
  const uint32_t kept = keeps_dynamic ? dynamic : fixed, moved = fixed + dynamic - kept;
  const host_region *to = region_for(w, moved);
  host_remedy *r = add_remedy(w, "regions", kept, "two blocks (config.dynamic): the %s region "
                              "where the arena was, the %s region, %u bytes, in %s",
                              keeps_dynamic ? "dynamic" : "static",
                              keeps_dynamic ? "static" : "dynamic", moved,
                              to ? to->name : "another region of RAM, if there is one so large");
  if (r == NULL) return;
  r->fits = r->fits && to != NULL;
  if (w->config.copy_weights) {
    snprintf(r->command, sizeof r->command, "arenite diagnose --arena %u --region %u "
             "--copy-weights %.90s", kept, moved, w->c->path);
  } else {
    char blocks[64];
    snprintf(blocks, sizeof blocks, "--arena %u --dynamic %u ", fixed, dynamic);
    name_plan(w, r, &w->config, blocks);
  }
}

static int by_saving(const void *a, const void *b) {
  const host_remedy *x = a, *y = b;
  return x->arena_bytes < y->arena_bytes ? -1 : x->arena_bytes > y->arena_bytes;
}

void host_advice_find_remedies(host_advice_work *w) {
  try_configurations(w);
  try_regions(w);
  try_order(w);
  try_rows(w);
  try_streams(w);
  try_int8(w);
  qsort(w->a->remedies, w->a->remedy_count, sizeof w->a->remedies[0], by_saving);
}
