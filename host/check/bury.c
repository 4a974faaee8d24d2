#include "host/check/bury.h"

#include <string.h>

#include "src/runtime/calls.h"

#define POISON 0xDB

static void overwrite(host_bury *b, const host_row_change *c) {
  const arn_interpreter *nn = &b->engine->nn;
  for (uint32_t byte = c->first; byte < c->last;) {
    uint32_t run;
    const uint32_t offset = host_row_walk_offset(&b->walk, c->tensor, byte, &run);
    if (run > c->last - byte) run = c->last - byte;
    memset(nn->dynamic + offset, POISON, run);
    b->bytes += run;
    byte += run;
  }
}

static void bury_dead(host_bury *b) {
  for (uint32_t i = 0; i < b->walk.change_count; i++) {
    const host_row_change *c = &b->walk.changes[i];
    if (!c->born && !c->kept) overwrite(b, c);
  }
  b->waits = false;
}

static bool is_at(const host_bury *b, const arn_step *step) {
  const arn__row_step *s = &b->walk.step;
  return s->node == step->node && s->first == step->span.first && s->count == step->span.count;
}

static bool is_control(const arn_step *step) {
  return arn__calls_any(step->op->code);
}

static bool before(void *context, const arn_interpreter *nn, const arn_step *step) {
  host_bury *b = context;
  (void)nn;
  if (step->subgraph != 0 || b->engine == NULL || b->wrong) return true;
  if (b->waits && is_at(b, step)) return true;  // evaluated again, after a call
  // Rows that arrive in between may take the place of what died: then it is left alone.
  if (b->waits && b->walk.plan.streamed_inputs == 0) bury_dead(b);
  b->waits = false;
  bool more = host_row_walk_next(&b->walk);
  while (more && host_row_walk_is_port(&b->walk)) more = host_row_walk_next(&b->walk);
  b->wrong = !more || !is_at(b, step);
  return true;
}

static void after(void *context, const arn_interpreter *nn, const arn_step *step) {
  host_bury *b = context;
  (void)nn;
  if (step->subgraph != 0 || b->engine == NULL || b->wrong) return;
  if (is_control(step)) b->waits = true;
  else bury_dead(b);
}

arn_hooks host_bury_hooks(host_bury *b) {
  memset(b, 0, sizeof *b);
  return (arn_hooks){before, after, b};
}

bool host_bury_start(host_bury *b, host_engine *e) {
  if (!host_row_walk_open(&b->walk, &e->nn)) return false;
  b->engine = e;
  if (e->stream) e->stream->poison = true;
  return true;
}

void host_bury_close(host_bury *b) {
  host_row_walk_close(&b->walk);
  b->engine = NULL;
}

void host_bury_begin(host_bury *b) {
  const arn_interpreter *nn = &b->engine->nn;
  memset(nn->dynamic, POISON, nn->usage.dynamic_bytes);
  host_row_walk_begin(&b->walk);
  b->wrong = b->waits = false;
}

bool host_bury_is_right(host_bury *b) {
  while (!b->wrong && host_row_walk_next(&b->walk)) b->wrong = !host_row_walk_is_port(&b->walk);
  return !b->wrong;
}
