// The search for row plans: against every schedule there is, on networks small enough to try them
// all; limits on steps; longer steps; the same plan for the same seed; and files that are never
// worse than they came.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/rewrite/builder.h"
#include "host/rewrite/optimize.h"
#include "host/rewrite/same.h"
#include "host/search/rowbound.h"
#include "host/search/rowdescent.h"
#include "host/search/rowgather.h"
#include "host/search/rowsearch.h"

#define MAX_STATES 400000u

typedef struct file {
  uint8_t *bytes;
  size_t size;
} file;

// ---- networks ----

static int8_t weights[4096];

static int32_t add_tensor(arn_builder *b, arn_build_tensor t) {
  static const float scale = 0.05f;
  t.name = "t";
  t.rank = 4;
  t.type = ARN_INT8;
  t.quant = (arn_build_quant){&scale, NULL, 1, 0};
  const int32_t index = arn_builder_tensor(b, &t);
  if (index < 0) fail_msg("%s", arn_builder_error(b));
  return index;
}

static int32_t activation(arn_builder *b, int32_t h, int32_t c) {
  return add_tensor(b, (arn_build_tensor){.shape = {1, h, 6, c}});
}

static void add_node(arn_builder *b, int32_t code, const int32_t *in, uint32_t count, int32_t out,
                     arn_build_options options) {
  const arn_build_operator node = {.code = code, .version = 1, .inputs = in, .input_count = count,
                                   .outputs = &out, .output_count = 1, .options = options};
  arn_builder_operator(b, &node);
}

// A convolution of k rows and one column, so that heights can differ from widths.
typedef struct layer {
  int32_t rows_in, channels_in, rows, channels, k;
} layer;

static int32_t add_conv(arn_builder *b, int32_t in, layer l) {
  const size_t bytes = (size_t)(l.channels * l.k * l.channels_in);
  assert_true(bytes <= sizeof weights);
  const int32_t filter = add_tensor(
      b, (arn_build_tensor){.shape = {l.channels, l.k, 1, l.channels_in}, .data = weights,
                            .data_bytes = bytes});
  const int32_t out = activation(b, l.rows, l.channels);
  const double stride = l.rows_in / l.rows;
  add_node(b, ARN_BUILTIN_CONV_2D, (int32_t[]){in, filter, -1}, 3, out,
           (arn_build_options){.type = ARN_OPTIONS_CONV_2D, .values = {0, 1, stride, 0, 1, 1}});
  return out;
}

static int32_t add_sum(arn_builder *b, int32_t x, int32_t y, int32_t rows, int32_t channels) {
  const int32_t out = activation(b, rows, channels);
  add_node(b, ARN_BUILTIN_ADD, (int32_t[]){x, y}, 2, out,
           (arn_build_options){.type = ARN_OPTIONS_ADD});
  return out;
}

static file finish(arn_builder *b, int32_t in, const int32_t *out, uint32_t count) {
  file f = {NULL, 0};
  arn_builder_io(b, &in, 1, out, count);
  if (!arn_builder_finish(b, &f.bytes, &f.size)) fail_msg("%s", arn_builder_error(b));
  arn_builder_free(b);
  return f;
}

// Four convolutions that widen and narrow: channels[0] goes in.
static file chain(const int32_t *channels, const int32_t *rows, int32_t k) {
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  const int32_t in = activation(b, rows[0], channels[0]);
  int32_t x = in;
  for (int i = 0; i < 4; i++) {
    x = add_conv(b, x, (layer){rows[i], channels[i], rows[i + 1], channels[i + 1], k});
  }
  return finish(b, in, &x, 1);
}

// An inverted residual between two convolutions.
static file residual(int32_t wide) {
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  const int32_t in = activation(b, 8, 4);
  const int32_t a = add_conv(b, in, (layer){8, 4, 8, 6, 3});
  const int32_t e = add_conv(b, a, (layer){8, 6, 8, wide, 1});
  const int32_t p = add_conv(b, e, (layer){8, wide, 8, 6, 3});
  const int32_t sum = add_sum(b, a, p, 8, 6);
  const int32_t out = add_conv(b, sum, (layer){8, 6, 4, 2, 3});
  return finish(b, in, &out, 1);
}

// Two heads of different size on one stem.
static file heads(void) {
  arn_builder *b = arn_builder_new();
  arn_builder_subgraph(b, "main");
  const int32_t in = activation(b, 8, 3);
  const int32_t stem = add_conv(b, in, (layer){8, 3, 8, 8, 3});
  const int32_t small = add_conv(b, stem, (layer){8, 8, 4, 2, 3});
  const int32_t large = add_conv(b, stem, (layer){8, 8, 8, 12, 1});
  return finish(b, in, (int32_t[]){small, large}, 2);
}

// ---- every schedule there is ----

// The machine where `done` rows of each node are done. (No stride may leave out rows: those would
// die later than this says, in the next step that reads their tensor.)
static void put_state(host_row_machine *m, const uint32_t *done) {
  const host_row_graph *g = m->graph;
  memcpy(m->done, done, g->node_count * sizeof *done);
  m->live = 0;
  for (uint32_t i = 0; i < g->root_count; i++) {
    const host_root *r = &g->roots[i];
    uint32_t dead = r->is_output ? 0 : UINT32_MAX;
    const int32_t maker = r->producer;
    m->born[i] = maker < 0 ? r->bytes : done[maker] * (r->bytes / g->nodes[maker].rows);
    for (uint32_t k = g->reader_first[i]; k < g->reader_first[i + 1]; k++) {
      const host_use *u = &g->uses[g->readers[k]];
      if (u->need[done[u->node]] < dead) dead = u->need[done[u->node]];
    }
    m->dead[i] = dead < m->born[i] ? dead : m->born[i];
    m->live += host_root_bytes(r, m->born[i], m->dead[i]);
  }
}

static bool is_ready(const host_row_machine *m, uint32_t n) {
  const host_row_graph *g = m->graph;
  const host_row_node *node = &g->nodes[n];
  if (m->done[n] == node->rows) return false;
  for (uint32_t k = node->first_use; k < node->first_use + node->use_count; k++) {
    if (m->born[g->uses[k].root] < g->uses[k].until[m->done[n]]) return false;
  }
  return true;
}

// The lowest peak of all schedules: over all states in order, each step's bytes.
static uint64_t lowest_peak(const host_row_graph *g) {
  static uint32_t peaks[MAX_STATES];
  uint32_t states = 1, weight[16], done[16];
  host_row_machine m;
  assert_true(g->node_count <= 16 && host_machine_open(&m, g));
  for (uint32_t n = 0; n < g->node_count; n++) {
    assert_true(!g->nodes[n].skip && g->nodes[n].wanted == g->nodes[n].rows);
    weight[n] = states;
    states *= g->nodes[n].rows + 1;
  }
  assert_true(states <= MAX_STATES);
  for (uint32_t s = 0; s < states; s++) peaks[s] = s > 0 ? UINT32_MAX : 0;
  for (uint32_t s = 0; s < states; s++) {
    if (peaks[s] == UINT32_MAX) continue;
    for (uint32_t n = 0; n < g->node_count; n++) done[n] = s / weight[n] % (g->nodes[n].rows + 1);
    put_state(&m, done);
    for (uint32_t n = 0; n < g->node_count; n++) {
      if (!is_ready(&m, n)) continue;
      const uint32_t inside = (uint32_t)host_machine_try(&m, n, 1);
      const uint32_t peak = inside > peaks[s] ? inside : peaks[s];
      if (peak < peaks[s + weight[n]]) peaks[s + weight[n]] = peak;
    }
  }
  host_machine_close(&m);
  return peaks[states - 1];
}

// What is proved is true, what is found exists; how often the search finds the lowest.
static bool compare(file f) {
  const host_search_options options = {.budget_seconds = 1};
  const host_options engine_options = {.config = {.flags = ARN_IGNORE_PLAN}};
  host_engine e;
  arn_error error;
  host_row_graph g;
  host_row_schedule schedule;
  assert_int_equal(host_engine_open(&e, f.bytes, f.size, &engine_options, &error), ARN_OK);
  assert_true(host_row_graph_build(&g, &e.nn, options.stream));
  const uint64_t bound = host_row_bound(&g), lowest = lowest_peak(&g);
  assert_true(host_row_search(&g, &options, &schedule));
  assert_true(bound <= lowest);
  assert_true(lowest <= schedule.live_peak);
  const bool found = lowest == schedule.live_peak;
  if (bound != lowest) print_message("proved %u, lowest %u\n", (unsigned)bound, (unsigned)lowest);
  if (!found) print_message("lowest %u, not found\n", (unsigned)lowest);
  host_steps_free(&schedule.steps);
  host_row_graph_free(&g);
  host_engine_close(&e);
  free(f.bytes);
  return found;
}

static void no_schedule_is_below_what_is_proved(void **state) {
  (void)state;
  uint32_t found = 0, all = 0;
  for (int32_t wide = 6; wide <= 30; wide += 12, all++) found += compare(residual(wide));
  for (int32_t k = 2; k <= 3; k++) {
    found += compare(chain((int32_t[]){3, 8, 2, 12, 1}, (int32_t[]){8, 8, 8, 4, 4}, k));
    found += compare(chain((int32_t[]){8, 2, 16, 4, 8}, (int32_t[]){8, 8, 8, 8, 8}, k));
    found += compare(chain((int32_t[]){2, 12, 12, 3, 1}, (int32_t[]){12, 6, 6, 3, 3}, k));
    all += 3;
  }
  found += compare(heads());
  all++;
  assert_int_equal(found, all);
}

// ---- files ----

static arn_optimized optimise(const file *f, host_search_options search) {
  arn_optimized result;
  arn_error error;
  const char *why;
  const arn_status status = arn_optimize(f->bytes, f->size, &search, &result, &error, &why);
  if (status != ARN_OK) fail_msg("%s", why ? why : arn_what_text(error.what));
  assert_true(arn_run_the_same(f->bytes, f->size, result.bytes, result.size, 2));
  return result;
}

static void fewer_steps_cost_bytes(void **state) {
  (void)state;
  file f = residual(30);
  arn_optimized best = optimise(&f, (host_search_options){.budget_seconds = 1, .keep_rows = true});
  for (uint32_t most = best.steps; most >= 5; most -= most / 4 + 1) {
    const host_search_options few = {.budget_seconds = 1, .keep_rows = true, .max_steps = most};
    arn_optimized r = optimise(&f, few);
    assert_true(r.steps <= most);
    assert_true(r.row_bytes >= best.bound && r.row_bytes >= r.live_peak);
    free(r.bytes);
  }
  free(best.bytes);
  free(f.bytes);
}

// As well where the budget is used up.
static void a_seed_gives_one_file(void **state) {
  (void)state;
  static const double budgets[] = {5, 0.02, 0.001};
  file f = residual(18);
  for (uint32_t i = 0; i < sizeof budgets / sizeof *budgets; i++) {
    const host_search_options search = {
        .budget_seconds = budgets[i], .keep_rows = true, .seed = 7 + i};
    arn_optimized a = optimise(&f, search), b = optimise(&f, search);
    assert_int_equal(a.size, b.size);
    assert_memory_equal(a.bytes, b.bytes, a.size);
    free(a.bytes);
    free(b.bytes);
  }
  free(f.bytes);
}

// Runs steps from the start: each reads only what is there, and all rows are made, each once.
static void check_steps(const host_row_graph *g, const host_steps *steps) {
  host_row_machine m;
  assert_true(host_machine_open(&m, g));
  host_machine_begin(&m, 0);
  for (uint32_t i = 0; i < steps->count; i++) {
    const host_row_step *s = &steps->list[i];
    assert_int_equal(s->first, m.done[s->node]);
    for (uint32_t k = 0; k < g->use_count; k++) {
      const host_use *u = &g->uses[k];
      for (uint32_t r = s->first; u->node == s->node && r < s->first + s->count; r++) {
        assert_true(u->until[r] <= m.born[u->root]);
      }
    }
    host_machine_step(&m, s->node, s->count);
  }
  for (uint32_t n = 0; n < g->node_count; n++) assert_int_equal(m.done[n], g->nodes[n].rows);
  host_machine_close(&m);
}

// Steps taken together: as many rows, in fewer steps, below the limit; with all the room there is,
// one step a node.
static void gathered_steps_do_the_same(void **state) {
  (void)state;
  const host_options engine_options = {.config = {.flags = ARN_IGNORE_PLAN}};
  const host_search_options options = {.budget_seconds = 1};
  host_engine e;
  arn_error error;
  host_row_graph g;
  host_row_descent d;
  host_row_schedule s;
  file f = residual(30);
  assert_int_equal(host_engine_open(&e, f.bytes, f.size, &engine_options, &error), ARN_OK);
  assert_true(host_row_graph_build(&g, &e.nn, options.stream));
  assert_true(host_descent_open(&d, &g, &options));
  assert_true(host_descent_write(&d, d.peak, 0, &s));
  for (uint64_t limit = d.peak / 2; limit < 16 * d.peak; limit *= 2) {
    const host_gather_range range = {0, s.steps.count, limit};
    host_steps fewer = {0};
    assert_true(host_row_gather(&d.machine, &s.steps, range, &fewer));
    assert_true(d.machine.peak <= (limit > d.peak ? limit : d.peak));
    assert_true(fewer.count <= s.steps.count);
    check_steps(&g, &fewer);
    if (limit > 4 * d.peak) assert_int_equal(fewer.count, g.node_count);
    host_steps_free(&fewer);
  }
  host_steps_free(&s.steps);
  host_descent_close(&d);
  host_row_graph_free(&g);
  host_engine_close(&e);
  free(f.bytes);
}

// A stride that leaves the last rows of a padded tensor unread, and an input of which only a part
// is.
static file unread_rows(void) {
  arn_builder *b = arn_builder_new();
  static const int32_t paddings[8] = {0, 0, 1, 3, 0, 0, 0, 0};
  arn_builder_subgraph(b, "main");
  const int32_t in = activation(b, 8, 4), padded = activation(b, 12, 4);
  const int32_t sides = arn_builder_tensor(
      b, &(arn_build_tensor){.name = "p", .type = ARN_INT32, .rank = 2, .shape = {4, 2},
                             .data = paddings, .data_bytes = sizeof paddings});
  add_node(b, ARN_BUILTIN_PAD, (int32_t[]){in, sides}, 2, padded,
           (arn_build_options){.type = ARN_OPTIONS_PAD});
  const int32_t filter = add_tensor(
      b, (arn_build_tensor){.shape = {5, 2, 1, 4}, .data = weights, .data_bytes = 40});
  const int32_t out = activation(b, 4, 5);
  add_node(b, ARN_BUILTIN_CONV_2D, (int32_t[]){padded, filter, -1}, 3, out,
           (arn_build_options){.type = ARN_OPTIONS_CONV_2D, .values = {1, 1, 3, 0, 1, 1}});
  const int32_t last = add_conv(b, out, (layer){4, 5, 4, 3, 3});
  return finish(b, in, &last, 1);
}

static void rows_that_nobody_reads_do_no_harm(void **state) {
  (void)state;
  file f = unread_rows();
  for (uint32_t i = 0; i < 4; i++) {
    const host_search_options search = {.budget_seconds = 1, .keep_rows = true, .keep_graph = i & 1,
                                        .stream = {.inputs = i >> 1}};
    arn_optimized r = optimise(&f, search);
    assert_true(r.row_bytes >= r.bound);
    free(r.bytes);
  }
  free(f.bytes);
}

// Small models, where a row plan may cost more than it saves: the file that comes out is never
// worse.
static void no_arena_grows(void **state) {
  (void)state;
  static const char *const names[] = {"hello_world_int8", "sine_float", "add0", "sub0", "vad",
                                      "leaky_relu10", "model_ToyCar", "str_ww_ref_model"};
  uint32_t seen = 0;
  for (uint32_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    char path[128];
    file f;
    snprintf(path, sizeof path, "../shared/models/%s.tflite", names[i]);
    f.bytes = host_read_file(path, &f.size);
    if (f.bytes == NULL) continue;
    const host_options options = {.config = {.flags = ARN_IGNORE_PLAN}};
    host_engine e;
    arn_error error;
    assert_int_equal(host_engine_open(&e, f.bytes, f.size, &options, &error), ARN_OK);
    arn_optimized r = optimise(&f, (host_search_options){.budget_seconds = 0.3});
    assert_true(r.usage.arena_bytes <= e.usage.arena_bytes);
    host_engine_close(&e);
    free(r.bytes);
    free(f.bytes);
    seen++;
  }
  if (seen == 0) print_message("SKIP: ../shared/models is not there\n");
}

static int set_up(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sizeof weights; i++) weights[i] = (int8_t)(i * 37u % 251u - 125u);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(no_schedule_is_below_what_is_proved),
      cmocka_unit_test(fewer_steps_cost_bytes),
      cmocka_unit_test(a_seed_gives_one_file),
      cmocka_unit_test(gathered_steps_do_the_same),
      cmocka_unit_test(rows_that_nobody_reads_do_no_harm),
      cmocka_unit_test(no_arena_grows),
  };
  return cmocka_run_group_tests(tests, set_up, NULL);
}
