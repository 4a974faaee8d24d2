#include "host/rewrite/optimize.h"

#include <stdlib.h>
#include <string.h>

#include "host/rewrite/metadata.h"
#include "host/rewrite/reorder.h"
#include "host/rewrite/tflm_plan.h"
#include "host/search/rowencode.h"

// Plans rows for a started engine; *plan is malloc'ed.
static bool plan_rows(const host_engine *e, const host_search_options *o, arn_optimized *r,
                      uint8_t **plan, size_t *plan_bytes) {
  host_row_graph g;
  host_row_schedule schedule = {0};
  host_row_layout layout = {0};
  if (!host_row_graph_build(&g, &e->nn, o->stream)) return false;
  bool ok = host_row_plan(&g, o, &schedule, &layout);
  if (ok) {
    r->row_bytes = layout.bytes;
    r->live_peak = schedule.live_peak;
    r->bound = schedule.bound;
    r->by_rows = true;
    r->steps = schedule.steps.count;
    r->segments = schedule.segments;
    ok = host_row_encode(&g, &schedule, &layout, plan, plan_bytes);
  }
  host_row_layout_free(&layout);
  host_steps_free(&schedule.steps);
  host_row_graph_free(&g);
  return ok;
}

// What goes into a file: `rows` NULL leaves the row plan out.
static bool write_file(const void *bytes, size_t size, const host_engine *e, arn_optimized *r,
                       const arn_metadata_entry *rows, const char **why) {
  size_t tflm_bytes = 0;
  int32_t *tflm = arn_tflm_plan(&e->model, &tflm_bytes);
  arn_metadata_entry entries[2] = {{"OfflineMemoryAllocation", tflm, tflm_bytes}, {0}};
  if (rows) entries[1] = *rows;
  free(r->bytes);
  r->bytes = NULL;
  const bool ok = tflm && arn_metadata_add(bytes, size, entries, rows ? 2 : 1, &r->bytes, &r->size,
                                           why);
  if (tflm == NULL) *why = "out of host memory";
  free(tflm);
  return ok;
}

// Starts the result, which verifies its plan.
static arn_status try_result(arn_optimized *r, arn_error *error) {
  const host_options options = {.fill = HOST_FILL_A5};
  host_engine e;
  void *copy = aligned_alloc(64, (r->size / 64 + 1) * 64);
  if (copy == NULL) return ARN_ERR_INTERNAL;
  memcpy(copy, r->bytes, r->size);
  const arn_status status = host_engine_open(&e, copy, r->size, &options, error);
  if (status == ARN_OK) {
    r->usage = e.usage;
    host_engine_close(&e);
  }
  free(copy);
  return status;
}

// Rows where they save something or are asked for, else the heap-free planners' plan.
static arn_status write_best(const void *bytes, size_t size, const host_engine *e,
                             const host_search_options *o, arn_optimized *r, arn_error *error,
                             const char **why) {
  const bool keep = o->keep_rows || o->stream.inputs != 0 || o->stream.outputs != 0;
  uint8_t *plan = NULL;
  size_t plan_bytes = 0;
  arn_status status = ARN_ERR_INTERNAL;
  const bool there = plan_rows(e, o, r, &plan, &plan_bytes);
  const arn_metadata_entry rows = {"arenite.plan", plan, plan_bytes};
  if (!there) *why = "its rows can't be planned (out of host memory, or too many outputs)";
  if (there && write_file(bytes, size, e, r, &rows, why)) status = try_result(r, error);
  free(plan);
  if (status == ARN_OK && r->usage.arena_bytes < e->usage.arena_bytes) return status;
  if (keep || (there && status != ARN_OK)) return status;
  // Very small networks need more to verify a row plan than it saves them.
  *why = NULL;
  r->by_rows = false;
  r->row_bytes = e->usage.dynamic_bytes;
  return write_file(bytes, size, e, r, NULL, why) ? try_result(r, error) : ARN_ERR_INTERNAL;
}

// Plans a file whose graph stays as it is, and writes it.
static arn_status optimize_rows(const void *bytes, size_t size, const host_search_options *search,
                                arn_optimized *r, arn_error *error, const char **why) {
  const host_options options = {.config = {.flags = ARN_IGNORE_PLAN}, .fill = HOST_FILL_ZERO};
  host_engine e;
  arn_status status = host_engine_open(&e, bytes, size, &options, error);
  if (status != ARN_OK) return status;
  status = write_best(bytes, size, &e, search, r, error, why);
  host_engine_close(&e);
  if (status != ARN_OK) {
    free(r->bytes);
    r->bytes = NULL;
  }
  return status;
}

// Says whether the model starts as it came, and what its dynamic region needs.
static arn_status try_source(const void *bytes, size_t size, arn_optimized *r, arn_error *error) {
  const host_options options = {.config = {.flags = ARN_IGNORE_PLAN}, .fill = HOST_FILL_ZERO};
  host_engine e;
  const arn_status status = host_engine_open(&e, bytes, size, &options, error);
  if (status != ARN_OK) return status;
  r->whole_bytes = e.usage.dynamic_bytes;
  host_engine_close(&e);
  return ARN_OK;
}

// The same with the operators in their best order, kept where its arena is smaller.
static void try_order(const void *bytes, size_t size, const host_search_options *search,
                      arn_optimized *r) {
  arn_optimized other = {.simplified = r->simplified, .reordered = true,
                         .whole_bytes = r->whole_bytes};
  arn_error error;
  uint8_t *ordered = NULL;
  size_t ordered_size = 0;
  const char *why;
  if (!arn_reorder(bytes, size, &ordered, &ordered_size, &why) || ordered == NULL) return;
  const arn_status status = optimize_rows(ordered, ordered_size, search, &other, &error, &why);
  if (status == ARN_OK && other.usage.arena_bytes < r->usage.arena_bytes) {
    free(r->bytes);
    *r = other;
  } else if (status == ARN_OK) {
    free(other.bytes);
  }
  free(ordered);
}

arn_status arn_optimize(const void *bytes, size_t size, const host_search_options *search,
                        arn_optimized *r, arn_error *error, const char **why) {
  uint8_t *simpler = NULL;
  size_t simpler_size = 0;
  memset(r, 0, sizeof *r);
  *why = NULL;
  arn_status status = try_source(bytes, size, r, error);
  if (status != ARN_OK) return status;
  // What cannot be rewritten is planned as it is, and says itself why where that fails too.
  const void *best = bytes;
  size_t best_size = size;
  if (!search->keep_graph &&
      arn_simplify(bytes, size, &simpler, &simpler_size, &r->simplified, why) && simpler) {
    best = simpler;
    best_size = simpler_size;
  }
  *why = NULL;
  status = optimize_rows(best, best_size, search, r, error, why);
  if (status == ARN_OK && !search->keep_graph) try_order(best, best_size, search, r);
  free(simpler);
  return status;
}
