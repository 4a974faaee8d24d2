#include "host/cli/ladder.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/report/text.h"
#include "host/search/order.h"
#include "host/search/rowsearch.h"

#define MOST_STATES 50000u
#define NO_ROOT UINT32_MAX

static cli_rung *add_rung(cli_ladder *l, const char *name, const char *cost) {
  cli_rung *rung = &l->rungs[l->count++];
  *rung = (cli_rung){.name = name};
  snprintf(rung->cost, sizeof rung->cost, "%s", cost);
  return rung;
}

// ---- rungs that run -----------------------------------------------------------------------------

static const char *role_name(host_role role) {
  return role == HOST_INPUT ? "input" : role == HOST_OUTPUT ? "output" : "tensor";
}

// The tensor with the most bytes alive at the peak.
static void say_bound(cli_rung *rung, const host_facts *f) {
  host_block *blocks = host_facts_blocks(f);
  uint32_t *bytes = calloc(f->tensor_count + 1u, sizeof *bytes);
  uint32_t most = f->tensor_count;   // stands for scratch
  if (blocks && bytes && f->step_count > 0) {
    const uint32_t count = host_facts_live(f, f->peak_step, blocks);
    for (uint32_t i = 0; i < count; i++) {
      const uint32_t t = blocks[i].tensor < 0 ? f->tensor_count : (uint32_t)blocks[i].tensor;
      bytes[t] += blocks[i].bytes;
      if (bytes[t] > bytes[most]) most = t;
    }
    const host_step_fact *s = &f->steps[f->peak_step];
    char name[128] = "scratch", shape[64];
    if (most < f->tensor_count) {
      const host_tensor_fact *t = &f->tensors[most];
      snprintf(name, sizeof name, "%s #%u (%s)", role_name(t->role), most,
               host_text_shape(&t->tensor, shape, sizeof shape));
    }
    snprintf(rung->bound, sizeof rung->bound, "%s is %u of %u bytes, step %u (%s)", name,
             bytes[most], s->live_bytes, f->peak_step, s->op);
  }
  free(blocks);
  free(bytes);
}

static int run_rung(const cli_model *m, const cli_options *o, cli_rung *rung) {
  host_engine e;
  host_facts f;
  const int code = cli_start(m, o, NULL, &e);
  if (code != EXIT_OK) return code;
  const bool ok = host_facts_gather(&f, &e.nn);
  if (ok) {
    rung->bytes = e.usage.dynamic_bytes;
    rung->arena_bytes = e.usage.arena_bytes;
    rung->steps = f.step_count;
    say_bound(rung, &f);
    host_facts_free(&f);
  }
  host_engine_close(&e);
  return ok ? EXIT_OK : cli_fail(EXIT_INTERNAL, "out of host memory");
}

// ---- the best order of whole operators ----------------------------------------------------------

static void say_order(cli_rung *rung, const host_order *order) {
  uint32_t moved = 0;
  for (uint32_t i = 1; i < order->count; i++) moved += order->nodes[i] < order->nodes[i - 1];
  snprintf(rung->cost, sizeof rung->cost, "%s", moved ? "none: operators in another order"
                                                      : "none: the file's order is as good");
  snprintf(rung->bound, sizeof rung->bound,
           order->proved ? "every order has %llu bytes of whole tensors alive at once"
                         : "%llu bytes alive at once in the file's order; too many to try all",
           (unsigned long long)order->live_bytes);
}

// Places whole tensors for an order.
static bool place_order(const host_row_graph *g, const host_order *order, cli_rung *rung) {
  host_row_schedule schedule = {0};
  host_row_layout layout = {0};
  host_row_machine machine;
  if (!host_machine_open(&machine, g)) return false;
  host_machine_begin(&machine, 0);
  machine.steps = &schedule.steps;
  for (uint32_t i = 0; i < order->count; i++) {
    host_machine_step(&machine, order->nodes[i], g->nodes[order->nodes[i]].rows);
  }
  schedule.live_peak = machine.peak;
  const bool ok = !machine.over && host_row_place(g, &schedule, 1.0, &layout);
  rung->bytes = layout.bytes;
  rung->steps = schedule.steps.count;
  host_row_layout_free(&layout);
  host_steps_free(&schedule.steps);
  host_machine_close(&machine);
  return ok;
}

// Fills the rung of the best order, and what that order needs with outputs in place of dying
// inputs.
static bool order_rung(const cli_model *m, cli_rung *rung, cli_rung *in_place) {
  const host_options options = {.config = {.flags = ARN_IGNORE_PLAN}};
  const host_stream_wish none = {0, 0};
  host_engine e;
  host_row_graph g;
  host_order order;
  arn_error error;
  if (host_engine_open(&e, m->bytes, m->size, &options, &error) != ARN_OK) return false;
  bool ok = host_row_graph_build(&g, &e.nn, none);
  if (ok) {
    ok = host_order_search(&g, MOST_STATES, &order);
    if (ok) {
      ok = place_order(&g, &order, in_place);
      for (uint32_t n = 0; n < g.node_count; n++) g.nodes[n].in_place_root = NO_ROOT;
      ok = ok && place_order(&g, &order, rung);
      say_order(rung, &order);
      free(order.nodes);
    }
    host_row_graph_free(&g);
  }
  host_engine_close(&e);
  return ok;
}

// ---- the ladder ---------------------------------------------------------------------------------

static uint32_t all_inputs(const cli_model *m) {
  arn_subgraph g;
  if (arn_model_subgraph(&m->model, 0, &g) != ARN_OK || g.input_count == 0) return 0;
  return g.input_count < 32 ? (1u << g.input_count) - 1 : UINT32_MAX;
}

static int climb_rows(const cli_model *m, cli_options o, cli_ladder *l) {
  o.planner = CLI_PLANNER_ROWS;
  o.flags = 0;
  o.stream = (host_stream_wish){0, 0};
  int code = run_rung(m, &o, add_rung(l, "+ rows", "more steps; no multiplication is done twice"));
  if (code != EXIT_OK) return code;
  o.wish_only = true;
  o.stream.inputs = all_inputs(m);
  if (o.stream.inputs == 0) return EXIT_OK;
  return run_rung(m, &o, add_rung(l, "+ streamed input", "a callback gives the input row by row"));
}

int cli_ladder_climb(const cli_model *m, const cli_options *given, cli_ladder *l) {
  cli_options o = *given;
  memset(l, 0, sizeof *l);
  o.arena_bytes = 0;
  o.planner = ARN_PLANNER_AUTO;
  o.flags = ARN_IGNORE_PLAN | ARN_NO_OVERLAP;
  int code = run_rung(m, &o, add_rung(l, "file order", "whole tensors, none over another"));
  if (code != EXIT_OK) return code;
  cli_rung ordered = {.bytes = UINT32_MAX};
  if (!order_rung(m, add_rung(l, "best order", ""), &ordered)) l->count--;
  o.flags = ARN_IGNORE_PLAN;
  cli_rung *in_place = add_rung(l, "+ in place", "none: outputs over dying inputs, row for row");
  code = run_rung(m, &o, in_place);
  if (ordered.bytes < in_place->bytes) {  // lying over inputs by rows is for the file's order only
    in_place->bytes = ordered.bytes;
    in_place->arena_bytes = 0;
    snprintf(in_place->cost, sizeof in_place->cost, "none: in the best order, exactly in place");
    snprintf(in_place->bound, sizeof in_place->bound, "whole tensors alive at once in that order");
  }
  return code == EXIT_OK ? climb_rows(m, o, l) : code;
}

void cli_ladder_print(const cli_ladder *l) {
  printf("\nLadder: the dynamic region, each rung with what the ones before it have\n");
  for (uint32_t i = 0; i < l->count; i++) {
    const cli_rung *r = &l->rungs[i];
    printf("  %9u  %-16s %5u steps  %s\n", r->bytes, r->name, r->steps, r->cost);
    printf("             bound by: %.77s\n", r->bound);
  }
}

void cli_ladder_add(cJSON *object, const cli_ladder *l) {
  cJSON *list = cJSON_AddArrayToObject(object, "ladder");
  for (uint32_t i = 0; i < l->count; i++) {
    const cli_rung *r = &l->rungs[i];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "rung", r->name);
    cJSON_AddNumberToObject(item, "dynamic_bytes", r->bytes);
    if (r->arena_bytes) cJSON_AddNumberToObject(item, "arena_bytes", r->arena_bytes);
    cJSON_AddNumberToObject(item, "steps", r->steps);
    cJSON_AddStringToObject(item, "cost", r->cost);
    cJSON_AddStringToObject(item, "bound", r->bound);
    cJSON_AddItemToArray(list, item);
  }
}
