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

static bool before(void *context, const arn_interpreter *nn, const arn_step *step) {
  host_recorder *r = context;
  (void)nn;
  if (step->subgraph == 0) r->entered = now();
  return true;
}

static void after(void *context, const arn_interpreter *nn, const arn_step *step) {
  host_recorder *r = context;
  arn_subgraph g;
  arn_node node;
  if (step->subgraph != 0) return;
  host_recorded_step *s = &r->steps[step->node];
  s->seconds += now() - r->entered;
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

// The start's temporary records lie at the end of the arena, wherever that is: what they need is the
// static region plus their own bytes.
static uint32_t bytes_of_start(const host_engine *e) {
  const uint32_t end = e->nn.arena_bytes & ~3u, fixed = e->usage.static_bytes;
  uint32_t lowest = fixed;
  while (lowest < end && e->nn.arena[lowest] == FILL) lowest++;
  return fixed + ((end - lowest + 3u) & ~3u);
}

void host_recorder_start(host_recorder *r, const host_engine *e) {
  r->start_high_water = bytes_of_start(e);
  // Inputs count from the start on: the caller writes them before the first step.
  arn_subgraph g;
  if (arn_model_subgraph(e->nn.model, 0, &g) != ARN_OK) return;
  raise_list(&r->start_high_water, &e->nn, g.inputs_at, g.input_count);
}

uint32_t host_recorder_high_water(const host_recorder *r) {
  uint32_t most = r->start_high_water;
  for (uint32_t n = 0; n < r->step_count; n++) {
    if (r->steps[n].high_water > most) most = r->steps[n].high_water;
  }
  return most;
}
