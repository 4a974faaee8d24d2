#include "host/report/recorder.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define FILL 0xA5

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

bool host_recorder_open(host_recorder *r, const arn_model *model) {
  arn_subgraph g;
  memset(r, 0, sizeof *r);
  if (arn_model_subgraph(model, 0, &g) != ARN_OK) return false;
  r->step_count = g.node_count;
  r->steps = calloc(g.node_count + 1u, sizeof *r->steps);
  return r->steps != NULL;
}

void host_recorder_close(host_recorder *r) {
  free(r->steps);
  r->steps = NULL;
  if (r->by_row_plan) host_row_walk_close(&r->walk);
}

static void raise(uint32_t *mark, const arn_interpreter *nn, uint32_t tensor) {
  const arn_placement place = arn_place_of_tensor(nn, 0, tensor);
  const arn_tensor_view view = arn_tensor_at(nn, 0, tensor);
  uint32_t end = 0;
  if (place.region == ARN_REGION_DYNAMIC) end = nn->usage.peak_offset + place.offset + view.bytes;
  if (place.region == ARN_REGION_STATIC) end = place.offset;
  if (view.bytes > 0 && end > *mark) *mark = end;
}

static void raise_list(uint32_t *mark, const arn_interpreter *nn, uint32_t at, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    const int32_t tensor = arn_model_index(nn->model, at, i);
    if (tensor >= 0) raise(mark, nn, (uint32_t)tensor);
  }
}

// ---- by a row plan ------------------------------------------------------------------------------

// What is written in a step; what is read was written before, or is an input.
static void raise_written(host_recorder *r) {
  uint32_t *mark = &r->steps[r->current].high_water;
  const uint32_t base = r->walk.nn->usage.peak_offset;
  for (uint32_t i = 0; i < r->walk.change_count; i++) {
    const host_row_change *c = &r->walk.changes[i];
    for (uint32_t byte = c->first; c->born && byte < c->last;) {
      uint32_t run;
      const uint32_t offset = host_row_walk_offset(&r->walk, c->tensor, byte, &run);
      if (run > c->last - byte) run = c->last - byte;
      const uint32_t end = base + ((offset + run + 3u) & ~3u);  // rows take granules of 4 bytes
      if (end > *mark) *mark = end;
      byte += run;
    }
  }
}

static bool is_at(const host_recorder *r, const arn_step *step) {
  const arn__row_step *s = &r->walk.step;
  return s->node == step->node && s->first == step->span.first && s->count == step->span.count;
}

// Goes on to the plan's step that the engine begins. (Control flow begins the same one again.)
static void follow(host_recorder *r, const arn_step *step) {
  if (r->current < r->step_count && is_at(r, step)) return;
  for (uint32_t tries = 0; tries <= 2 * r->step_count; tries++) {
    if (!host_row_walk_next(&r->walk)) {
      host_row_walk_begin(&r->walk);
      r->current = UINT32_MAX;
      continue;
    }
    r->current++;
    raise_written(r);
    if (is_at(r, step)) return;
  }
}

static void raise_memory(host_recorder *r, const arn_interpreter *nn,
                         const arn_node_memory *memory) {
  const uint32_t base = nn->usage.peak_offset, node = r->walk.step.node;
  uint32_t *mark = &r->steps[r->current].high_water;
  const uint32_t scratch = base + memory->scratch_offset + memory->scratch_bytes;
  const uint32_t fold = base + arn__row_plan_fold(&r->walk.plan, node) + memory->fold_bytes;
  if (memory->scratch_bytes > 0 && scratch > *mark) *mark = scratch;
  const bool in_parts = r->walk.nodes[node].work == ARN_FOLD &&
                        r->walk.step.count < r->walk.nodes[node].rows && memory->fold_bytes > 0;
  if (in_parts && fold > *mark) *mark = fold;
  *mark = (*mark + 3u) & ~3u;
}

// ---- hooks --------------------------------------------------------------------------------------

static bool before(void *context, const arn_interpreter *nn, const arn_step *step) {
  host_recorder *r = context;
  (void)nn;
  if (step->subgraph != 0) return true;
  if (r->by_row_plan) follow(r, step);
  else r->current = step->node;
  r->entered = now();
  return true;
}

static void after(void *context, const arn_interpreter *nn, const arn_step *step) {
  host_recorder *r = context;
  arn_subgraph g;
  arn_node node;
  if (step->subgraph != 0) return;
  host_recorded_step *s = &r->steps[r->current];
  s->seconds += now() - r->entered;
  if (r->by_row_plan) {
    const arn_node_memory memory = arn_memory_of_node(nn, 0, step->node);
    raise_memory(r, nn, &memory);
    return;
  }
  if (step->span.first > 0 || arn_model_subgraph(nn->model, 0, &g) != ARN_OK) return;
  arn_model_node(nn->model, &g, step->node, &node);
  raise_list(&s->high_water, nn, node.inputs_at, node.input_count);
  raise_list(&s->high_water, nn, node.outputs_at, node.output_count);
  const arn_node_memory memory = arn_memory_of_node(nn, 0, step->node);
  const uint32_t end = nn->usage.peak_offset + memory.scratch_offset + memory.scratch_bytes;
  if (memory.scratch_bytes > 0 && end > s->high_water) s->high_water = end;
}

arn_hooks host_recorder_hooks(host_recorder *r) {
  return (arn_hooks){.before = before, .after = after, .context = r};
}

// The start's temporary records lie at the end of the arena, wherever that is: what they need is
// the static region plus their own bytes.
static uint32_t bytes_of_start(const host_engine *e) {
  const uint32_t end = e->nn.arena_bytes & ~3u, fixed = e->usage.static_bytes;
  uint32_t lowest = fixed;
  while (lowest < end && e->nn.arena[lowest] == FILL) lowest++;
  return fixed + ((end - lowest + 3u) & ~3u);
}

static bool follow_plan(host_recorder *r, const arn_interpreter *nn) {
  if (!host_row_walk_open(&r->walk, nn)) return false;
  r->by_row_plan = true;
  free(r->steps);
  r->step_count = r->walk.plan.step_count;
  r->steps = calloc(r->step_count + 1u, sizeof *r->steps);
  r->current = UINT32_MAX;
  return r->steps != NULL;
}

bool host_recorder_start(host_recorder *r, const host_engine *e) {
  if (e->nn.row_plan_at && !follow_plan(r, &e->nn)) return false;
  r->start_high_water = bytes_of_start(e);
  // Inputs count from the start on: the caller writes them before the first step.
  arn_subgraph g;
  if (arn_model_subgraph(e->nn.model, 0, &g) != ARN_OK) return false;
  raise_list(&r->start_high_water, &e->nn, g.inputs_at, g.input_count);
  if (r->by_row_plan) r->start_high_water = (r->start_high_water + 3u) & ~3u;
  return true;
}

uint32_t host_recorder_high_water(const host_recorder *r) {
  uint32_t most = r->start_high_water;
  for (uint32_t n = 0; n < r->step_count; n++) {
    if (r->steps[n].high_water > most) most = r->steps[n].high_water;
  }
  return most;
}
