#include "host/report/row_facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/check/row_walk.h"

#define NOWHERE UINT32_MAX

// Bytes [first, last) of a tensor are born or die at a step.
struct event {
  uint32_t tensor, first, last, step;
};

struct events {
  struct event *list;
  uint32_t count, room;
};

struct gatherer {
  host_facts *f;
  host_row_walk walk;
  const host_step_fact *nodes;
  struct events births, deaths;
  uint32_t *fold_group;   // by node: of its accumulator
  uint32_t group_room;
  bool failed;
};

static void add_event(struct gatherer *g, struct events *e, struct event event) {
  if (e->count == e->room) {
    const uint32_t room = e->room ? 2 * e->room : 1024;
    struct event *list = realloc(e->list, room * sizeof *list);
    if (list == NULL) {
      g->failed = true;
      return;
    }
    e->list = list;
    e->room = room;
  }
  e->list[e->count++] = event;
}

static uint32_t add_group(struct gatherer *g, host_group_fact group) {
  host_facts *f = g->f;
  if (f->group_count == g->group_room) {
    const uint32_t room = g->group_room ? 2 * g->group_room : 1024;
    host_group_fact *groups = realloc(f->groups, room * sizeof *groups);
    if (groups == NULL) {
      g->failed = true;
      return 0;
    }
    f->groups = groups;
    g->group_room = room;
  }
  f->groups[f->group_count] = group;
  return f->group_count++;
}

// ---- steps --------------------------------------------------------------------------------------

static void touch(host_tensor_fact *t, int32_t step) {
  if (t->place.region != ARN_REGION_DYNAMIC && t->place.region != ARN_REGION_ROWS) return;
  if (t->first < 0 || step < t->first) t->first = step;
  if (step > t->last) t->last = step;
}

static void touch_ports(struct gatherer *g) {
  const host_facts *f = g->f;
  const arn_subgraph *s = &f->subgraph;
  for (uint32_t i = 0; i < s->input_count; i++) {
    if (i < 32 && (g->walk.plan.streamed_inputs >> i & 1)) continue;
    touch(&f->tensors[arn_model_index(f->nn->model, s->inputs_at, i)], 0);
  }
  for (uint32_t i = 0; i < s->output_count; i++) {
    if (i < 32 && (g->walk.plan.streamed_outputs >> i & 1)) continue;
    touch(&f->tensors[arn_model_index(f->nn->model, s->outputs_at, i)], (int32_t)f->step_count - 1);
  }
}

static void note_port(struct gatherer *g, uint32_t step) {
  const arn__row_step *at = &g->walk.step;
  host_step_fact *s = &g->f->steps[step];
  const bool arrives = at->node == g->walk.plan.node_count;
  s->node = NOWHERE;
  s->first_row = at->first;
  s->rows = at->count;
  snprintf(s->op, sizeof s->op, "rows of %s %u %s", arrives ? "input" : "output", at->port,
           arrives ? "arrive" : "go");
}

// Multiply-accumulates of a node are spread over its rows; the parts add up to the whole.
static uint64_t share(uint64_t macs, uint32_t rows, uint32_t done) {
  return rows ? macs / rows * done + macs % rows * done / rows : macs;
}

static void note_fold(struct gatherer *g, uint32_t step) {
  const arn__row_step *at = &g->walk.step;
  const host_walk_node *about = &g->walk.nodes[at->node];
  const uint32_t bytes = g->nodes[at->node].memory.fold_bytes;
  if (about->work != ARN_FOLD || at->count == about->rows || bytes == 0) return;
  const uint32_t offset = arn__row_plan_fold(&g->walk.plan, at->node);
  if (at->first == 0) {
    const host_group_fact group = {-1, 0, 1, offset, bytes, (int32_t)step, 0};
    g->fold_group[at->node] = add_group(g, group);
  }
  if (!g->failed) g->f->groups[g->fold_group[at->node]].last = (int32_t)step;
}

static void note_node(struct gatherer *g, uint32_t step) {
  const arn__row_step *at = &g->walk.step;
  host_facts *f = g->f;
  host_step_fact *s = &f->steps[step];
  arn_node node;
  *s = g->nodes[at->node];
  s->first_row = at->first;
  s->rows = at->count;
  s->in_place = g->walk.in_place > 0;
  s->memory.by_rows = false;
  const uint32_t rows = g->walk.nodes[at->node].rows;
  s->macs = share(g->nodes[at->node].macs, rows, at->first + at->count) -
            share(g->nodes[at->node].macs, rows, at->first);
  arn_model_node(f->nn->model, &f->subgraph, at->node, &node);
  for (uint32_t i = 0; i < node.input_count + node.output_count; i++) {
    const bool reads = i < node.input_count;
    const int32_t t = reads ? arn_model_index(f->nn->model, node.inputs_at, i)
                            : arn_model_index(f->nn->model, node.outputs_at, i - node.input_count);
    if (t < 0) continue;
    touch(&f->tensors[t], (int32_t)step);
    if (!reads) f->tensors[t].producer = (int32_t)at->node;
  }
  note_fold(g, step);
}

static void note_changes(struct gatherer *g, uint32_t step) {
  for (uint32_t i = 0; i < g->walk.change_count; i++) {
    const host_row_change *c = &g->walk.changes[i];
    touch(&g->f->tensors[c->tensor], (int32_t)step);
    add_event(g, c->born ? &g->births : &g->deaths,
              (struct event){c->tensor, c->first, c->last, step});
  }
}

static void walk_steps(struct gatherer *g) {
  uint32_t step = 0;
  note_changes(g, 0);
  while (step < g->f->step_count && host_row_walk_next(&g->walk) && !g->failed) {
    if (host_row_walk_is_port(&g->walk)) note_port(g, step);
    else note_node(g, step);
    note_changes(g, step++);
  }
  touch_ports(g);
}

// ---- groups -------------------------------------------------------------------------------------

static int by_tensor(const void *a, const void *b) {
  const struct event *x = a, *y = b;
  if (x->tensor != y->tensor) return x->tensor < y->tensor ? -1 : 1;
  return x->first < y->first ? -1 : x->first > y->first;
}

// Bytes [first, last) of a tensor with the same life, in pieces that lie together.
static void add_pieces(struct gatherer *g, struct event e, int32_t death) {
  const uint32_t row_bytes = g->walk.tensors[e.tensor].row_bytes;
  while (e.first < e.last) {
    uint32_t run, more;
    const uint32_t offset = host_row_walk_offset(&g->walk, e.tensor, e.first, &run);
    if (run > e.last - e.first) run = e.last - e.first;
    while (e.first + run < e.last &&
           host_row_walk_offset(&g->walk, e.tensor, e.first + run, &more) == offset + run) {
      run += more < e.last - e.first - run ? more : e.last - e.first - run;
    }
    const uint32_t first = e.first / row_bytes, last = (e.first + run + row_bytes - 1) / row_bytes;
    add_group(g, (host_group_fact){(int32_t)e.tensor, first, last - first, offset, run,
                                   (int32_t)e.step, death});
    e.first += run;
  }
}

// Births and deaths of a tensor both go through its bytes in order.
static void make_groups(struct gatherer *g) {
  uint32_t d = 0;
  qsort(g->births.list, g->births.count, sizeof *g->births.list, by_tensor);
  qsort(g->deaths.list, g->deaths.count, sizeof *g->deaths.list, by_tensor);
  for (uint32_t b = 0; b < g->births.count && !g->failed; b++) {
    struct event e = g->births.list[b];
    const uint32_t end = e.last;
    while (e.first < end && !g->failed) {
      const struct event *death = NULL;
      while (d < g->deaths.count && (g->deaths.list[d].tensor < e.tensor ||
                                     (g->deaths.list[d].tensor == e.tensor &&
                                      g->deaths.list[d].last <= e.first))) d++;
      if (d < g->deaths.count && g->deaths.list[d].tensor == e.tensor) death = &g->deaths.list[d];
      e.last = death && death->last < end ? death->last : end;
      add_pieces(g, e, death ? (int32_t)death->step : (int32_t)g->f->step_count - 1);
      e.first = e.last;
    }
  }
}

static int group_by_tensor(const void *a, const void *b) {
  const host_group_fact *x = a, *y = b;
  if (x->tensor != y->tensor) return x->tensor < y->tensor ? -1 : 1;
  return x->first_row < y->first_row ? -1 : x->first_row > y->first_row;
}

// A tensor whose bytes do not all live together is shown by its groups.
static void settle_tensors(struct gatherer *g) {
  host_facts *f = g->f;
  if (f->group_count > 0) qsort(f->groups, f->group_count, sizeof *f->groups, group_by_tensor);
  for (uint32_t k = 0; k < f->group_count; k++) {
    if (f->groups[k].tensor < 0) continue;
    host_tensor_fact *t = &f->tensors[f->groups[k].tensor];
    if (t->group_count++ == 0) t->first_group = k;
    touch(t, f->groups[k].last);  // bytes that nobody reads stay to the end
  }
  for (uint32_t i = 0; i < f->tensor_count; i++) {
    host_tensor_fact *t = &f->tensors[i];
    const uint32_t root = g->walk.tensors[i].root;
    if (root != NOWHERE) t->owner = (int32_t)root;
    if (t->group_count > 1) t->place.region = ARN_REGION_ROWS;
    if (t->group_count == 1) {
      t->place = (arn_placement){ARN_REGION_DYNAMIC, f->groups[t->first_group].offset};
      t->first = f->groups[t->first_group].first;
      t->last = f->groups[t->first_group].last;
    }
  }
}

bool host_row_facts_gather(host_facts *f, const host_step_fact *nodes) {
  struct gatherer g = {.f = f, .nodes = nodes};
  if (!host_row_walk_open(&g.walk, f->nn)) return false;
  f->step_count = g.walk.plan.step_count;
  f->steps = calloc(f->step_count + 1u, sizeof *f->steps);
  g.fold_group = calloc(g.walk.plan.node_count + 1u, sizeof *g.fold_group);
  g.failed = f->steps == NULL || g.fold_group == NULL;
  if (!g.failed) walk_steps(&g);
  if (!g.failed) make_groups(&g);
  if (!g.failed) settle_tensors(&g);
  free(g.fold_group);
  free(g.births.list);
  free(g.deaths.list);
  host_row_walk_close(&g.walk);
  return !g.failed;
}
