// Starting: records, variables, then every reachable subgraph, callees before callers.
#include <string.h>

#include "../graph/graph.h"
#include "../graph/place.h"
#include "../model/glance.h"
#include "calls.h"
#include "control.h"
#include "plans.h"

// ---- records ------------------------------------------------------------------------------------

ARN__APART static void take_records(arn__starter *s) {
  arn__arena *a = &s->arena;
  const uint32_t count = s->model->subgraph_count;
  s->nn->subgraphs_at =
      arn__arena_take(a, count * (uint32_t)sizeof(arn__subgraph_record), 4, ARN__FOR_RECORDS);
  for (uint32_t i = 0; i < count; i++) {
    arn_subgraph g;
    arn__subgraph_record record = {0, 0, 0};
    if (arn__starter_reads(s, i) && arn_model_subgraph(s->model, i, &g) == ARN_OK) {
      record.nodes_at = arn__arena_take(a, g.node_count * (uint32_t)sizeof(arn__node_record), 4,
                                        ARN__FOR_RECORDS);
      record.places_at = arn__arena_take(a, g.tensor_count * 4, 4, ARN__FOR_RECORDS);
    }
    if (arn__starter_writes(s)) *arn__record_of_subgraph(s->nn, i) = record;
  }
  const uint32_t frames = s->depth[0] > 1 ? s->depth[0] : 0;
  s->nn->frames_at =
      arn__arena_take(a, frames * (uint32_t)sizeof(arn__frame), 4, ARN__FOR_RECORDS);
}

// ---- variables and constants --------------------------------------------------------------------

static void copy_constant(arn__starter *s, uint32_t subgraph, const arn_tensor *t) {
  if (!s->config.copy_weights(s->config.copy_context, subgraph, t)) return;
  const uint32_t at =
      arn__arena_take(&s->arena, t->data_bytes, s->config.alignment, ARN__FOR_WEIGHTS);
  arn__starter_set_place(s, subgraph, (uint32_t)t->index, arn__place(ARN__PLACE_STATIC, at));
  if (arn__starter_writes(s)) {
    memcpy(s->arena.base + at, s->model->bytes + t->data_at, t->data_bytes);
  }
}

static uint32_t place_variable(arn__starter *s, const arn_subgraph *g, uint32_t tensor) {
  arn_tensor t;
  arn_model_tensor(s->model, g, tensor, &t);
  const uint32_t at =
      arn__arena_take(&s->arena, t.bytes, arn__starter_alignment(&t), ARN__FOR_VARIABLES);
  return arn__place(ARN__PLACE_STATIC, at);
}

static void place_tensors(arn__starter *s, uint32_t subgraph) {
  arn_subgraph g;
  if (arn_model_subgraph(s->model, subgraph, &g) != ARN_OK) return;
  for (uint32_t i = 0; i < g.tensor_count; i++) {
    const arn__glance t = arn__model_glance(s->model, &g, i);
    uint32_t place = ARN__PLACE_NONE;
    if (t.flags & ARN_TENSOR_VARIABLE) place = place_variable(s, &g, i);
    else if (t.flags & ARN_TENSOR_CONST) place = arn__place(ARN__PLACE_FILE, t.data_at);
    arn__starter_set_place(s, subgraph, i, place);
  }
}

static void copy_constants(arn__starter *s, uint32_t subgraph) {
  arn_subgraph g;
  if (s->config.copy_weights == NULL) return;
  if (arn_model_subgraph(s->model, subgraph, &g) != ARN_OK) return;
  for (uint32_t i = 0; i < g.tensor_count; i++) {
    arn_tensor t;
    arn_model_tensor(s->model, &g, i, &t);
    if (t.flags & ARN_TENSOR_CONST) copy_constant(s, subgraph, &t);
  }
}

// Says whether the model may have nodes that unpack constants.
static bool unpacks(const arn_model *m) {
  for (uint32_t i = 0; i < m->code_count; i++) {
    const int32_t code = arn__model_code_at(m, i);
    if (code == ARN__CODE_DEQUANTIZE || code == ARN__CODE_DENSIFY) return true;
  }
  return false;
}

// Readers of a folded tensor read the constant behind it.
static void place_folded(arn__starter *s, uint32_t subgraph) {
  arn_subgraph g;
  arn_node node;
  if (arn_model_subgraph(s->model, subgraph, &g) != ARN_OK || !arn__starter_writes(s)) return;
  for (uint32_t n = 0; n < g.node_count; n++) {
    const int32_t code = arn__model_code(s->model, &g, n);
    if (code != ARN__CODE_DEQUANTIZE && code != ARN__CODE_DENSIFY) continue;
    arn_model_node(s->model, &g, n, &node);
    if (!arn__is_folded_away(s->model, &g, s->config.ops, &node)) continue;
    const int32_t tensor = arn_model_index(s->model, node.outputs_at, 0);
    const int32_t source = arn__graph_folded(s->model, &g, s->config.ops, tensor);
    uint32_t *places = arn__places_of(s->nn, subgraph);
    places[tensor] = places[source];
  }
}

ARN__APART static arn_status take_data(arn__starter *s) {
  const uint32_t count = s->model->subgraph_count;
  const arn__variables *variables = arn__graph_part(s->config.ops, ARN__CODE_VAR_HANDLE);
  const bool folds = unpacks(s->model);
  s->nn->variables_at = s->arena.used;
  for (uint32_t i = 0; i < count; i++) {
    if (arn__starter_reads(s, i)) place_tensors(s, i);
  }
  for (uint32_t i = 0; i < count; i++) {
    if (arn__starter_reads(s, i) && variables) TRY(variables->take(s, i));
  }
  s->nn->variables_end = s->arena.used;
  for (uint32_t i = 0; i < count; i++) {
    if (!arn__starter_reads(s, i)) continue;
    copy_constants(s, i);
    if (folds) place_folded(s, i);
    if (variables) TRY(variables->share(s, i));
  }
  return ARN_OK;
}

// ---- the whole ----------------------------------------------------------------------------------

static void sum_up(arn__starter *s) {
  const uint32_t mask = s->config.alignment - 1u;
  arn_usage *u = &s->arena.usage;
  u->static_bytes = s->arena.used;
  u->dynamic_bytes = s->dynamic[0];
  u->peak_offset = (s->arena.used + mask) & ~mask;
  u->arena_bytes = s->dynamic[0] ? u->peak_offset + s->dynamic[0] : s->arena.used;
  if (s->arena.init_bytes > u->arena_bytes) {
    u->init_temporary = s->arena.init_bytes - s->arena.used;
    u->arena_bytes = s->arena.init_bytes;
  }
  u->dynamic_block_bytes = s->dynamic[0];
  if (s->arena.temporary_most > s->dynamic[0]) u->dynamic_block_bytes = s->arena.temporary_most;
}

// Opens the row plan that the file may carry. To run without it needs a flag: it is why the file
// was made, and the need would be another.
static arn_status open_plan(arn__starter *s) {
  const arn_plans *plans = s->config.ops->plans;
  uint32_t bytes;
  if (s->config.flags & (ARN_IGNORE_PLAN | ARN_KEEP_ALL)) return ARN_OK;
  if (s->config.planner != ARN_PLANNER_AUTO) return ARN_OK;
  if (plans) return plans->open(s);
  if (arn_model_metadata(s->model, ARN__PLAN_NAME, &bytes) == NULL) return ARN_OK;
  return arn__starter_fail(s, ARN_ERR_UNSUPPORTED, ARN_WHAT_PLAN_UNLINKED, ARN_NOWHERE,
                           ARN_NOWHERE);
}

arn_status arn__starter_run(arn__starter *s) {
  TRY(arn__depths(s->model, s->config.ops, s->depth, s->error));
  s->measured = true;
  TRY(open_plan(s));
  take_records(s);
  TRY(take_data(s));
  for (uint32_t depth = 1; depth <= s->depth[0]; depth++) {
    for (uint32_t i = 0; i < s->model->subgraph_count; i++) {
      if (s->depth[i] != depth) continue;
      TRY(i == 0 && s->has_rows ? s->config.ops->plans->start(s) : arn__starter_subgraph(s, i));
    }
  }
  sum_up(s);
  return ARN_OK;
}

static bool is_alignment(uint32_t a) {
  return a == 4 || a == 8 || a == 16 || a == 32 || a == 64;
}

static arn_status check_arguments(arn__starter *s, const arn_model *model,
                                  const arn_config *config) {
  if (model == NULL || config == NULL || config->ops == NULL) {
    return arn__starter_fail(s, ARN_ERR_ARGUMENT, ARN_WHAT_NULL_POINTER, ARN_NOWHERE, ARN_NOWHERE);
  }
  if (model->bytes == NULL) {
    return arn__starter_fail(s, ARN_ERR_ARGUMENT, ARN_WHAT_NULL_POINTER, ARN_NOWHERE, ARN_NOWHERE);
  }
  s->config = *config;
  if (s->config.alignment == 0) s->config.alignment = 16;
  if (!is_alignment(s->config.alignment)) {
    return arn__starter_fail(s, ARN_ERR_ARGUMENT, ARN_WHAT_ALIGNMENT, ARN_NOWHERE, ARN_NOWHERE);
  }
  if (s->config.planner > ARN_PLANNER_OFFLINE || config->ops->count > ARN__MAX_OPS) {
    return arn__starter_fail(s, ARN_ERR_ARGUMENT, ARN_WHAT_LIMIT, ARN_NOWHERE, ARN_NOWHERE);
  }
  s->model = model;
  return ARN_OK;
}

static void open_blocks(arn__starter *s, void *arena, size_t arena_bytes) {
  const arn_config *c = &s->config;
  arn__arena_open(&s->arena, arena, arena_bytes, c->alignment);
  if (c->dynamic) arn__arena_open_block(&s->arena, c->dynamic, c->dynamic_bytes, c->alignment);
}

// Turns a request that did not fit into the error of the whole start.
static arn_status report_failure(arn__starter *s, const void *arena) {
  const arn_usage *u = &s->arena.usage;
  const arn_what what = s->arena.failure.what;
  const bool apart = s->arena.apart;
  const bool in_block = apart && (what == ARN_WHAT_ARENA_PREPARE || what == ARN_WHAT_ARENA_TENSOR ||
                                  what == ARN_WHAT_ARENA_SCRATCH);
  const uintptr_t base = (uintptr_t)(in_block ? s->config.dynamic : arena);
  const uint32_t lost = (uint32_t)(-base & (s->config.alignment - 1u));
  const uint32_t whole = apart ? u->static_bytes : u->arena_bytes;
  *s->error = s->arena.failure;
  s->error->total_need = s->measured ? (in_block ? u->dynamic_block_bytes : whole) + lost : 0;
  if (s->arena.base == NULL) s->error->have = 0;
  return ARN_ERR_NO_MEMORY;
}

static void publish(arn__starter *s) {
  arn_interpreter *nn = s->nn;
  nn->usage = s->arena.usage;
  nn->dynamic = s->arena.block + (s->arena.apart ? 0 : nn->usage.peak_offset);
  nn->ready = ARN__READY;
}

// Starts again with planning records on the stack, to learn what an arena that can't hold them
// lacks. Where a start succeeds they were never needed: so they are not on the stack of arn_start.
ARN__APART static arn_status run_with_spare(arn__starter *s, void *arena, size_t arena_bytes) {
  arn__buffer spare[ARN_STACK_PLAN_RECORDS];
  s->spare = spare;
  s->spare_count = ARN_STACK_PLAN_RECORDS;
  open_blocks(s, arena, arena_bytes);
  return arn__starter_run(s);
}

arn_status arn_start(arn_interpreter *nn, const arn_model *model, void *arena, size_t arena_bytes,
                     const arn_config *config, arn_error *error) {
  arn_error ignored;
  arn__starter s;
  memset(&s, 0, sizeof s);
  s.error = error ? error : &ignored;
  s.nn = nn;
  if (nn != NULL) memset(nn, 0, sizeof *nn);
  if (nn == NULL || (arena == NULL && arena_bytes > 0)) {
    return arn__starter_fail(&s, ARN_ERR_ARGUMENT, ARN_WHAT_NULL_POINTER, ARN_NOWHERE,
                             ARN_NOWHERE);
  }
  TRY(check_arguments(&s, model, config));
  open_blocks(&s, arena, arena_bytes);
  nn->model = model;
  nn->config = s.config;
  nn->arena = s.arena.base;
  nn->arena_bytes = s.arena.bytes;
  TRY(arn__starter_run(&s));
  if (!s.measured) TRY(run_with_spare(&s, arena, arena_bytes));
  if (!arn__starter_writes(&s)) return report_failure(&s, arena);
  if (s.has_rows && s.config.ops->plans->lacks_callback(&s)) {
    return arn__starter_fail(&s, ARN_ERR_ARGUMENT, ARN_WHAT_STREAM, 0, ARN_NOWHERE);
  }
  publish(&s);
  return arn_reset(nn);
}

arn_status arn_measure(const arn_model *model, const arn_config *config, void *workspace,
                       size_t workspace_bytes, arn_usage *usage, arn_error *error) {
  arn_error ignored;
  arn_interpreter nn;
  arn__starter s;
  arn__buffer spare[ARN_STACK_PLAN_RECORDS];
  memset(&s, 0, sizeof s);
  memset(&nn, 0, sizeof nn);
  s.error = error ? error : &ignored;
  s.nn = &nn;
  s.spare = spare;
  s.spare_count = ARN_STACK_PLAN_RECORDS;
  if (usage == NULL || (uintptr_t)workspace % 4 != 0) {
    return arn__starter_fail(&s, ARN_ERR_ARGUMENT, ARN_WHAT_NULL_POINTER, ARN_NOWHERE,
                             ARN_NOWHERE);
  }
  memset(usage, 0, sizeof *usage);
  if (workspace && workspace_bytes / sizeof spare[0] > s.spare_count) {
    s.spare = workspace;
    s.spare_count = (uint32_t)(workspace_bytes / sizeof spare[0]);
  }
  TRY(check_arguments(&s, model, config));
  TRY(arn__starter_run(&s));
  if (!s.measured) {
    *s.error = (arn_error){ARN_ERR_NO_MEMORY, ARN_WHAT_ARENA_PREPARE, ARN_NOWHERE, ARN_NOWHERE,
                           ARN_NOWHERE, s.records_wanted * (uint32_t)sizeof spare[0],
                           (uint32_t)workspace_bytes, 0};
    return ARN_ERR_NO_MEMORY;
  }
  *usage = s.arena.usage;
  return ARN_OK;
}
