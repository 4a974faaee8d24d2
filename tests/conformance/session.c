#include "tests/conformance/session.h"

#include <stdlib.h>
#include <string.h>

#include "host/rewrite/optimize.h"
#include "host/rewrite/same.h"

#define BUDGET_SECONDS 0.05
#define COMPARED_INVOCATIONS 2

static bool complain_error(const char *name, const char *how, const char *what,
                           const arn_error *error) {
  char text[256];
  arn_error_format(error, text, sizeof text);
  return runner_complain(name, how, "%s: %s", what, text);
}

// Copies to a block of its own size, so that a read beyond it is caught by the sanitizers.
static void *take(arn_optimized *r) {
  void *file = aligned_alloc(64, (r->size + 63) / 64 * 64);
  if (file) memcpy(file, r->bytes, r->size);
  free(r->bytes);
  return file;
}

static bool optimise(session *s, const char *name, const variant *v, const void *bytes,
                     size_t *size) {
  host_search_options search = {.budget_seconds = BUDGET_SECONDS, .keep_rows = true};
  arn_optimized r;
  arn_error error = {0};
  const char *why = NULL;
  if (v->streamed) search.stream = (host_stream_wish){UINT32_MAX, UINT32_MAX};
  const arn_status status = arn_optimize(bytes, *size, &search, &r, &error, &why);
  s->unplanned = status != ARN_OK && why != NULL;
  if (s->unplanned) return false;
  if (status != ARN_OK) return complain_error(name, v->name, "can't be optimised", &error);
  if (!arn_run_the_same(bytes, *size, r.bytes, r.size, COMPARED_INVOCATIONS)) {
    free(r.bytes);
    return runner_complain(name, v->name, "the optimised file gives other bytes");
  }
  *size = r.size;
  s->file = take(&r);
  return s->file || runner_complain(name, v->name, "no memory on this host");
}

// Has the engine know only the operators that the model needs, by type.
static bool choose_ops(session *s, const void *bytes, size_t size, host_options *options) {
  arn_model model;
  if (arn_model_open(&model, bytes, size, NULL) != ARN_OK) return false;
  arn_model_infer_shapes(&model);
  if (!host_typed_ops_choose(&model, &s->typed, NULL)) return false;
  options->config.ops = &s->typed.list;
  return true;
}

bool session_open(session *s, runner *r, const char *name, const void *bytes, size_t size,
                  const variant *v) {
  host_options options = v->options;
  arn_error error = {0};
  memset(s, 0, sizeof *s);
  if (v->optimised) {
    if (!optimise(s, name, v, bytes, &size)) {
      if (s->unplanned) r->unplanned++;
      return s->unplanned;
    }
    bytes = s->file;
    options.config.hooks = host_bury_hooks(&s->bury);
  }
  if (v->typed && !choose_ops(s, bytes, size, &options)) {
    return runner_complain(name, v->name, "operators can't be chosen");
  }
  if (host_engine_open(&s->engine, bytes, size, &options, &error) != ARN_OK) {
    free(s->file);
    return complain_error(name, v->name, "does not start", &error);
  }
  s->buries = v->optimised && host_bury_start(&s->bury, &s->engine);
  if (v->optimised ? s->buries : runner_check_plan(name, v->name, &s->engine)) return true;
  if (v->optimised) runner_complain(name, v->name, "the optimised file has no row plan");
  session_close(s);
  return false;
}

void session_close(session *s) {
  if (s->unplanned) return;
  if (s->buries) host_bury_close(&s->bury);
  host_engine_close(&s->engine);
  free(s->file);
}

void session_begin(session *s) {
  if (s->buries) host_bury_begin(&s->bury);
}

bool session_is_sound(session *s, const char *name, const char *how, arn_status ended) {
  if (!host_engine_is_intact(&s->engine)) {
    return runner_complain(name, how, "bytes outside the arena were written");
  }
  const bool right = !s->buries || (ended == ARN_OK ? host_bury_is_right(&s->bury)
                                                    : !s->bury.wrong);
  if (!right) {
    return runner_complain(name, how, "the steps that ran are not those of the plan");
  }
  return true;
}
