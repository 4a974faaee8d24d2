// Advice: causes and remedies are what planning again really gives, and records of five numbers
// lead back to the arena that they came from.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/decide/advice.h"
#include "host/decide/without.h"
#include "host/decide/wrap.h"
#include "host/report/facts.h"
#include "host/rewrite/optimize.h"

struct model {
  void *bytes;
  size_t size;
};

static int open_model(void **state) {
  static struct model m;
  m.bytes = host_read_file("examples/kws/kws.tflite", &m.size);
  *state = &m;
  return m.bytes ? 0 : -1;
}

static int close_model(void **state) {
  free(((struct model *)*state)->bytes);
  return 0;
}

static host_advice_case case_of(const struct model *m, uint32_t arena_bytes) {
  return (host_advice_case){.path = "kws.tflite", .bytes = m->bytes, .size = m->size,
                            .arena_bytes = arena_bytes, .budget_seconds = 0.2};
}

static uint32_t measured(const struct model *m, arn_config config) {
  arn_model model;
  arn_usage usage;
  arn_error error;
  config.ops = &arn_ops_all;
  assert_int_equal(arn_model_open(&model, m->bytes, m->size, &error), ARN_OK);
  assert_int_equal(host_measure(&model, &config, &usage, &error), ARN_OK);
  return usage.arena_bytes;
}

static const host_remedy *find_remedy(const host_advice *a, const char *name) {
  for (uint32_t i = 0; i < a->remedy_count; i++) {
    if (strcmp(a->remedies[i].name, name) == 0) return &a->remedies[i];
  }
  return NULL;
}

static const host_cause *find_cause(const host_advice *a, const char *name) {
  for (uint32_t i = 0; i < a->cause_count; i++) {
    if (strcmp(a->causes[i].name, name) == 0) return &a->causes[i];
  }
  return NULL;
}

static void remedies_are_carried_out(void **state) {
  const struct model *m = *state;
  host_advice_case c = case_of(m, 1024);
  host_advice a;
  arn_error error;
  c.config.planner = ARN_PLANNER_ID;
  c.config.flags = ARN_KEEP_ALL;
  assert_int_equal(host_advise(&c, &a, &error), ARN_OK);
  assert_false(a.fits);
  assert_int_equal(a.need_bytes, measured(m, c.config));
  assert_int_equal(a.failing.status, ARN_ERR_NO_MEMORY);
  const host_remedy *in_place = find_remedy(&a, "in place"), *rows = find_remedy(&a, "rows");
  assert_non_null(in_place);
  assert_int_equal(in_place->arena_bytes, measured(m, (arn_config){.planner = ARN_PLANNER_ID}));
  const host_search_options search = {.budget_seconds = 0.2};
  arn_optimized r;
  const char *why;
  assert_int_equal(arn_optimize(m->bytes, m->size, &search, &r, &error, &why), ARN_OK);
  free(r.bytes);
  assert_non_null(rows);
  // The same search; it ends by time, so that two of them may end a few bytes apart.
  assert_in_range(rows->arena_bytes, r.usage.arena_bytes * 9 / 10, r.usage.arena_bytes * 11 / 10);
  for (uint32_t i = 0; i < a.remedy_count; i++) {   // what saves nothing is not listed, most first
    assert_true(a.remedies[i].arena_bytes < a.need_bytes);
    if (i > 0) assert_true(a.remedies[i - 1].arena_bytes <= a.remedies[i].arena_bytes);
  }
}

static void wants_fits(const struct model *m, uint32_t arena, uint32_t other, bool fits) {
  const host_region region = {"ccm", other};
  host_advice_case c = case_of(m, arena);
  host_advice a;
  arn_error error;
  c.others = &region;
  c.other_count = other > 0;
  assert_int_equal(host_advise(&c, &a, &error), ARN_OK);
  const host_remedy *r = find_remedy(&a, "regions");
  assert_non_null(r);
  assert_int_equal(r->fits, fits);
}

static void two_regions_are_weighed(void **state) {
  const struct model *m = *state;
  arn_model model;
  arn_usage u;
  arn_error error;
  const arn_config config = {.ops = &arn_ops_all};
  assert_int_equal(arn_model_open(&model, m->bytes, m->size, &error), ARN_OK);
  assert_int_equal(host_measure(&model, &config, &u, &error), ARN_OK);
  wants_fits(m, u.dynamic_block_bytes, u.static_bytes, true);
  wants_fits(m, u.dynamic_block_bytes, u.static_bytes - 1, false);
  wants_fits(m, u.dynamic_block_bytes - 1, u.static_bytes, false);
  wants_fits(m, u.static_bytes, u.dynamic_block_bytes, true);   // the other way round
  wants_fits(m, u.dynamic_block_bytes, 0, false);               // no other region is known
}

static void causes_are_planned_without(void **state) {
  const struct model *m = *state;
  host_advice_case c = case_of(m, 2048);
  host_advice a;
  arn_error error;
  c.config.planner = ARN_PLANNER_ID;
  assert_int_equal(host_advise(&c, &a, &error), ARN_OK);
  const host_cause *alignment = find_cause(&a, "alignment"), *order = find_cause(&a, "order");
  assert_int_equal(alignment->arena_without,
                   measured(m, (arn_config){.planner = ARN_PLANNER_ID, .alignment = 4}));
  uint32_t best = a.need_bytes;
  for (uint8_t p = ARN_PLANNER_GREEDY; p <= ARN_PLANNER_ID; p++) {
    const uint32_t bytes = measured(m, (arn_config){.planner = p});
    if (bytes < best) best = bytes;
  }
  assert_int_equal(order->arena_without, best);
  assert_int_equal(find_cause(&a, "records")->arena_without,
                   a.usage.arena_bytes - a.usage.engine_records - a.usage.op_data -
                       a.usage.init_temporary);
  assert_in_range(find_cause(&a, "size")->arena_without, a.usage.static_bytes, a.need_bytes);
}

static void exactly_enough_fits(void **state) {
  const struct model *m = *state;
  const uint32_t need = measured(m, (arn_config){0});
  host_advice_case c = case_of(m, need);
  host_advice a;
  arn_error error;
  assert_int_equal(host_advise(&c, &a, &error), ARN_OK);
  assert_true(a.fits);
  assert_int_equal(a.failing.status, ARN_OK);
  c.arena_bytes = need - 1;
  assert_int_equal(host_advise(&c, &a, &error), ARN_OK);
  assert_false(a.fits);
}

// Five numbers of every failing start lead to an arena that fails with the same five numbers.
static void records_lead_back(void **state) {
  const struct model *m = *state;
  host_advice_case c = case_of(m, 0);
  const arn_config config = {.ops = &arn_ops_all};
  const uint32_t need = measured(m, config);
  uint8_t *arena = aligned_alloc(64, (need / 64 + 1) * 64);
  arn_model model;
  arn_interpreter nn;
  arn_error error, again;
  uint32_t found = 0, tried = 0;
  assert_int_equal(arn_model_open(&model, m->bytes, m->size, &error), ARN_OK);
  for (uint32_t size = 0; size < need; size += 37) {
    assert_int_equal(arn_start(&nn, &model, arena, size, &config, &error), ARN_ERR_NO_MEMORY);
    const uint32_t back = host_advice_arena_of(&c, &error);
    tried++;
    if (back == 0) continue;
    found++;
    assert_int_equal(arn_start(&nn, &model, arena, back, &config, &again), ARN_ERR_NO_MEMORY);
    assert_int_equal(again.what, error.what);
    assert_int_equal(again.need, error.need);
    assert_int_equal(again.have, error.have);
  }
  assert_true(found + 1 >= tried);   // of an arena of 0 bytes, 0 is the right answer
  error.need += 4;
  assert_int_equal(host_advice_arena_of(&c, &error), 0);
  free(arena);
}

static void scratch_is_left_out(void **state) {
  const struct model *m = *state;
  arn_model model;
  arn_usage with, without;
  arn_error error;
  const arn_config config = {.ops = &arn_ops_all, .flags = ARN_KEEP_ALL};
  assert_int_equal(arn_model_open(&model, m->bytes, m->size, &error), ARN_OK);
  assert_int_equal(host_measure(&model, &config, &with, &error), ARN_OK);
  assert_int_equal(host_measure_without_scratch(&model, &config, &without), ARN_OK);
  assert_true(without.arena_bytes <= with.arena_bytes);
  assert_int_equal(without.static_bytes, with.static_bytes);
}

static void lines_are_broken_at_spaces(void **state) {
  (void)state;
  char text[400] = "", line[512];
  for (int i = 0; i < 60; i++) strcat(text, i % 7 ? "word " : "longer-word ");
  FILE *f = tmpfile();
  assert_non_null(f);
  host_wrap(f, 6, text);
  rewind(f);
  int lines = 0;
  while (fgets(line, sizeof line, f)) {
    assert_true(strlen(line) <= 101 && strncmp(line, "      ", 6) == 0);
    lines++;
  }
  assert_true(lines >= 4);
  fclose(f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(remedies_are_carried_out, open_model, close_model),
      cmocka_unit_test_setup_teardown(two_regions_are_weighed, open_model, close_model),
      cmocka_unit_test_setup_teardown(causes_are_planned_without, open_model, close_model),
      cmocka_unit_test_setup_teardown(exactly_enough_fits, open_model, close_model),
      cmocka_unit_test_setup_teardown(records_lead_back, open_model, close_model),
      cmocka_unit_test_setup_teardown(scratch_is_left_out, open_model, close_model),
      cmocka_unit_test(lines_are_broken_at_spaces)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
