// Runs the model that is linked in, in an arena of exactly the bytes that it needs, for the
// counter:
//
//   1 open, start 2     3 an invocation 4 (three of them)     5 a step 6 (in a fourth, with hooks)
//
// The console gets "key value" lines: sizes, stack, names of steps, and a checksum of each output.
#include <string.h>

#include "arenite/arenite.h"
#include "bench/device/inputs.h"
#include "mark.h"
#include "ports/port.h"

#define ARENA_BYTES (384u * 1024u)
#define INVOCATIONS 3u

#define ARN_OP(record) &arn_op_##record,
static const arn_op *const list[] = {
#include "model_ops.h"
};
#undef ARN_OP
static const arn_op_list ops = {list, sizeof list / sizeof list[0], MODEL_PLANS};

extern const uint8_t port_model[], port_model_end[];

static uint8_t arena[ARENA_BYTES] __attribute__((aligned(64), section(".arena")));
static arn_model model;
static arn_interpreter nn;

static void say(const char *key, uint32_t value) {
  port_put(key);
  port_put(" ");
  port_put_unsigned(value);
  port_put("\n");
}

static int fail(const char *what, const arn_error *error) {
  port_put(what);
  port_put(" failed\n");
  say("status -", (uint32_t)-error->status);
  say("what", (uint32_t)error->what);
  return 1;
}

static uint32_t checksum(void) {
  arn_subgraph g;
  uint32_t hash = 2166136261u;
  if (arn_model_subgraph(&model, 0, &g) != ARN_OK) return 0;
  for (uint32_t o = 0; o < g.output_count; o++) {
    const arn_tensor_view t = arn_output(&nn, o);
    const uint8_t *at = t.data;
    for (uint32_t i = 0; i < t.bytes; i++) hash = (hash ^ at[i]) * 16777619u;
  }
  return hash;
}

// ---- steps --------------------------------------------------------------------------------------

static bool before(void *context, const arn_interpreter *engine, const arn_step *step) {
  (void)context;
  (void)engine;
  port_put("step ");
  port_put_unsigned(step->node);
  port_put(" ");
  port_put(step->op->name);
  port_put("\n");
  MARK(5);
  return true;
}

static void after(void *context, const arn_interpreter *engine, const arn_step *step) {
  (void)context;
  (void)engine;
  (void)step;
  MARK(6);
}

// ---- high water ---------------------------------------------------------------------------------

// Starts and runs once in an arena full of one value. Returns the bytes up to the last one that
// changed.
static uint32_t touched(const arn_config *config, uint32_t bytes, uint8_t fill) {
  memset(arena, fill, sizeof arena);
  if (arn_start(&nn, &model, arena, bytes, config, NULL) != ARN_OK) return 0;
  bench_generate_inputs(&nn, 0);
  if (arn_invoke(&nn, NULL) < 0) return 0;
  uint32_t end = sizeof arena;
  while (end > 0 && arena[end - 1] == fill) end--;
  return end;
}

// A byte that happens to get the value that it was filled with is seen by the other fill.
static uint32_t high_water(const arn_config *config, uint32_t bytes) {
  const uint32_t a = touched(config, bytes, 0xA5), b = touched(config, bytes, 0x5A);
  return a > b ? a : b;
}

// ---- the whole ----------------------------------------------------------------------------------

static int start(const arn_config *config, uint32_t bytes, arn_error *error) {
  arn_status status;
  port_stack_paint();
  MARK(1);
  status = arn_model_open(&model, port_model, (size_t)(port_model_end - port_model), error);
  MARK(7);
  if (status == ARN_OK) status = arn_start(&nn, &model, arena, bytes, config, error);
  MARK(2);
  if (status != ARN_OK) return fail("start", error);
  say("stack_start", port_stack_used());
  return 0;
}

static int invoke(uint32_t invocation, arn_error *error) {
  bench_generate_inputs(&nn, invocation);
  port_stack_paint();
  MARK(3);
  const arn_status status = arn_invoke(&nn, error);
  MARK(4);
  if (status < 0) return fail("invoke", error);
  say("stack_invoke", port_stack_used());
  say("checksum", checksum());
  return 0;
}

int main(void) {
  arn_config config = {.ops = &ops};
  arn_error error = {0};
  if (arn_model_open(&model, port_model, (size_t)(port_model_end - port_model), &error) != ARN_OK ||
      arn_start(&nn, &model, arena, sizeof arena, &config, &error) != ARN_OK) {
    return fail("start", &error);
  }
  const arn_usage usage = arn_used(&nn);
  say("arena", usage.arena_bytes);
  if (start(&config, usage.arena_bytes, &error)) return 1;
  for (uint32_t i = 0; i < INVOCATIONS; i++) {
    if (invoke(i, &error)) return 1;
  }
  say("high_water", high_water(&config, usage.arena_bytes));
  config.hooks = (arn_hooks){before, after, NULL};
  if (arn_start(&nn, &model, arena, usage.arena_bytes, &config, &error) != ARN_OK) {
    return fail("start", &error);
  }
  return invoke(0, &error);
}
