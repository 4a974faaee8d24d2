// Optimised files of real networks whose plan was damaged: refused, or the same bytes.
// (test_row_plan.c does it byte by byte to a small network.)
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/check/engine.h"
#include "host/rewrite/optimize.h"

#define ROUNDS 250u
#define SPARE_ARENA 4096u
#define MAX_OUTPUT 4096u

static const char *const models[] = {
    "examples/kws/kws.tflite",
    "examples/mnist/mnist.tflite",
    "../shared/models/person_detect.tflite",
    "../shared/models/hey_luna_h.tflite",
    "../shared/models/hey_jarvis_v0.1_h.tflite",
};

struct subject {
  uint8_t *bytes;         // of the optimised file
  size_t size;
  uint8_t *plan;
  uint32_t plan_bytes;
  arn_usage usage;
  uint8_t wanted[MAX_OUTPUT];
  uint32_t wanted_bytes;
};

static uint64_t random_state = 1;

static uint32_t draw(uint32_t below) {
  random_state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = random_state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return (uint32_t)((z ^ (z >> 31)) % below);
}

static bool exists(const char *path) {
  FILE *f = fopen(path, "rb");
  if (f) fclose(f);
  return f != NULL;
}

// Opens in an arena somewhat larger than the sound plan needs, and runs once.
static arn_status run(const struct subject *s, uint8_t *output, uint32_t *bytes, arn_error *error) {
  const host_options options = {.fill = HOST_FILL_RANDOM,
                                .arena_bytes = s->usage.arena_bytes + SPARE_ARENA};
  host_engine e;
  arn_subgraph g;
  arn_status status = host_engine_open(&e, s->bytes, s->size, &options, error);
  if (status != ARN_OK) return status;
  assert_int_equal(arn_model_subgraph(&e.model, 0, &g), ARN_OK);
  for (uint32_t i = 0; i < g.input_count; i++) {
    const arn_tensor_view t = host_engine_input(&e, i);
    host_generate_input(&t, 0, i);
  }
  status = host_engine_invoke(&e, error);
  const arn_tensor_view t = host_engine_output(&e, 0);
  *bytes = t.bytes < MAX_OUTPUT ? t.bytes : MAX_OUTPUT;
  memcpy(output, t.data, *bytes);
  assert_true(host_engine_is_intact(&e));
  host_engine_close(&e);
  return status;
}

static void optimise(struct subject *s, const char *path, host_stream_wish streams) {
  const host_search_options search = {.budget_seconds = 0.1, .stream = streams, .keep_rows = true};
  arn_optimized r;
  arn_error error = {0};
  arn_model model;
  const char *why = NULL;
  size_t size;
  void *file = host_read_file(path, &size);
  assert_non_null(file);
  const arn_status status = arn_optimize(file, size, &search, &r, &error, &why);
  free(file);
  if (status != ARN_OK) fail_msg("%s: %s", path, why ? why : arn_what_text(error.what));
  s->usage = r.usage;
  s->size = r.size;
  s->bytes = aligned_alloc(64, (r.size / 64 + 1) * 64);
  assert_non_null(s->bytes);
  memcpy(s->bytes, r.bytes, r.size);
  free(r.bytes);
  assert_int_equal(arn_model_open(&model, s->bytes, s->size, &error), ARN_OK);
  const uint8_t *plan = arn_model_metadata(&model, "arenite.plan", &s->plan_bytes);
  assert_non_null(plan);
  s->plan = s->bytes + (plan - s->bytes);
  assert_int_equal(run(s, s->wanted, &s->wanted_bytes, &error), ARN_OK);
}

// A byte flipped or set to an extreme; a word so; a stretch moved over another.
static void damage(struct subject *s) {
  static const uint32_t extremes[] = {0,          1,          0x7FFFFFFF, 0x80000000,
                                      0xFFFFFFFF, 0x3FFFFFFC, 0xC0000000};
  const uint32_t at = draw(s->plan_bytes - 4), other = draw(s->plan_bytes - 4);
  uint32_t word;
  switch (draw(6)) {
    case 0: s->plan[at] ^= (uint8_t)(1u << draw(8)); break;
    case 1: s->plan[at] = (uint8_t)(draw(2) ? 0xFF : 0); break;
    case 2: s->plan[draw(64)] ^= (uint8_t)(1u << draw(8)); break;
    case 3: memcpy(s->plan + (at & ~3u), &extremes[draw(7)], 4); break;
    case 4:
      memcpy(&word, s->plan + (at & ~3u), 4);
      word += draw(2) ? 4u : 0u - 4u;
      memcpy(s->plan + (at & ~3u), &word, 4);
      break;
    default: memmove(s->plan + at, s->plan + other, 1 + draw(4)); break;
  }
}

// Returns whether the damaged plan was refused.
static bool is_refused(const struct subject *s, const char *path) {
  static uint8_t got[MAX_OUTPUT];
  uint32_t bytes = 0;
  arn_error error = {0};
  const arn_status status = run(s, got, &bytes, &error);
  if (status == ARN_OK) {
    assert_int_equal(bytes, s->wanted_bytes);
    assert_memory_equal(got, s->wanted, bytes);
    return false;
  }
  if (status == ARN_ERR_NO_MEMORY) {
    assert_true(error.total_need > s->usage.arena_bytes + SPARE_ARENA);
  } else if (status != ARN_ERR_PLAN) {
    fail_msg("%s: %s (%s)", path, arn_status_name(status), arn_what_text(error.what));
  }
  return true;
}

static void damaged_plans_are_refused_or_right(const char *path, uint32_t ports) {
  const host_stream_wish streams = {ports, ports};
  struct subject s;
  uint32_t refused = 0;
  memset(&s, 0, sizeof s);
  optimise(&s, path, streams);
  uint8_t *sound = malloc(s.plan_bytes);
  assert_non_null(sound);
  memcpy(sound, s.plan, s.plan_bytes);
  for (uint32_t i = 0; i < ROUNDS; i++) {
    for (uint32_t k = 0; k < 1 + i % 3; k++) damage(&s);
    refused += is_refused(&s, path);
    memcpy(s.plan, sound, s.plan_bytes);
  }
  assert_false(is_refused(&s, path));
  assert_true(refused > ROUNDS / 4);
  free(sound);
  free(s.bytes);
}

static void whole_inputs(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sizeof models / sizeof models[0]; i++) {
    if (exists(models[i])) damaged_plans_are_refused_or_right(models[i], 0);
    else print_message("skipped: %s is not here\n", models[i]);
  }
}

static void streamed_inputs_and_outputs(void **state) {
  (void)state;
  for (uint32_t i = 0; i < sizeof models / sizeof models[0]; i++) {
    if (exists(models[i])) damaged_plans_are_refused_or_right(models[i], UINT32_MAX);
    else print_message("skipped: %s is not here\n", models[i]);
  }
}

// Without callbacks, what needs them does not start, and says so.
static void a_start_without_callbacks_is_refused(void **state) {
  (void)state;
  static uint8_t arena[1u << 16] __attribute__((aligned(64)));
  struct subject s;
  arn_model model;
  arn_interpreter nn;
  arn_error error = {0};
  const arn_config config = {.ops = &arn_ops_all};
  memset(&s, 0, sizeof s);
  optimise(&s, models[0], (host_stream_wish){1, 0});
  assert_int_equal(arn_model_open(&model, s.bytes, s.size, &error), ARN_OK);
  assert_int_equal(arn_start(&nn, &model, arena, sizeof arena, &config, &error), ARN_ERR_ARGUMENT);
  assert_int_equal(error.what, ARN_WHAT_STREAM);
  assert_int_equal(arn_invoke(&nn, &error), ARN_ERR_NOT_READY);
  free(s.bytes);
}

static bool two_rows(void *context, uint32_t input, uint32_t row, void *to, uint32_t bytes) {
  (void)input;
  memset(to, 0, bytes);
  ++*(uint32_t *)context;
  return row < 2;
}

// A callback that gives up ends the invocation at once; the next one starts afresh.
static void a_callback_may_abort(void **state) {
  (void)state;
  struct subject s;
  host_engine e;
  arn_error error = {0};
  uint32_t calls = 0;
  host_options options = {.fill = HOST_FILL_A5};
  options.config.stream = (arn_stream){.fetch = two_rows, .context = &calls};
  memset(&s, 0, sizeof s);
  optimise(&s, models[0], (host_stream_wish){1, 0});
  assert_int_equal(host_engine_open(&e, s.bytes, s.size, &options, &error), ARN_OK);
  assert_null(arn_input(&e.nn, 0).data);
  for (uint32_t i = 1; i <= 2; i++) {
    assert_int_equal(arn_invoke(&e.nn, &error), ARN_ERR_ABORTED);
    assert_int_equal(error.what, ARN_WHAT_HOOK);
    assert_int_equal(calls, 3 * i);
  }
  host_engine_close(&e);
  free(s.bytes);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(whole_inputs),
      cmocka_unit_test(streamed_inputs_and_outputs),
      cmocka_unit_test(a_start_without_callbacks_is_refused),
      cmocka_unit_test(a_callback_may_abort),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
