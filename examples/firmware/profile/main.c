// Firmware that shows what it does: starts the model that is linked in, runs it once on the input
// that `arenite run` generates, and prints memory, ticks for each operator, and the result.
#include "arenite/arenite.h"
#include "bench/device/inputs.h"
#include "ports/port.h"

#define MAX_NODES 96u
#define SHOWN_VALUES 16u

#define ARN_OP(record) &arn_op_##record,
static const arn_op *const list[] = {
#include "model_ops.h"
};
#undef ARN_OP
static const arn_op_list ops = {list, sizeof list / sizeof list[0], MODEL_PLANS};

extern const uint8_t port_model[], port_model_end[];

static uint8_t arena[ARENA_BYTES] __attribute__((section(".arena"), aligned(16)));
static arn_model model;
static arn_interpreter nn;

typedef struct profile {
  uint32_t begun;
  uint32_t ticks[MAX_NODES], steps[MAX_NODES];
  const char *name[MAX_NODES];
} profile;

static profile seen;

static bool before(void *context, const arn_interpreter *engine, const arn_step *step) {
  (void)engine;
  (void)step;
  ((profile *)context)->begun = port_ticks();
  return true;
}

static void after(void *context, const arn_interpreter *engine, const arn_step *step) {
  profile *p = context;
  (void)engine;
  const uint32_t ticks = (port_ticks() - p->begun) & PORT_TICKS_MASK;
  if (step->subgraph != 0 || step->node >= MAX_NODES) return;
  p->ticks[step->node] += ticks;
  p->steps[step->node]++;
  p->name[step->node] = step->op->name;
}

static void say(const char *words, uint32_t value, const char *unit) {
  port_put(words);
  port_put_unsigned(value);
  port_put(unit);
}

static void put_profile(void) {
  uint32_t all = 0;
  for (uint32_t n = 0; n < MAX_NODES; n++) {
    if (seen.steps[n] == 0) continue;
    say("node ", n, "  ");
    port_put(seen.name[n]);
    say(": ", seen.ticks[n], " ticks");
    say(" in ", seen.steps[n], seen.steps[n] == 1 ? " step\n" : " steps\n");
    all += seen.ticks[n];
  }
  say("all: ", all, " ticks\n");
}

static void put_output(void) {
  const arn_tensor_view t = arn_output(&nn, 0);
  const int8_t *at = t.data;
  if (t.type != ARN_INT8) return;
  say("output 0 (INT8, ", t.bytes, " elements):");
  for (uint32_t i = 0; i < t.bytes && i < SHOWN_VALUES; i++) {
    port_put(at[i] < 0 ? " -" : " ");
    port_put_unsigned((uint32_t)(at[i] < 0 ? -at[i] : at[i]));
  }
  port_put(t.bytes > SHOWN_VALUES ? " ...\n" : "\n");
}

static int fail(const char *what, const arn_error *error) {
  port_put(what);
  say(" failed: status -", (uint32_t)-error->status, ", ");
  say("what ", (uint32_t)error->what, ", ");
  say("the arena must have ", error->total_need, " bytes\n");
  return 1;
}

static int run(void) {
  const arn_config config = {.ops = &ops, .hooks = {before, after, &seen}};
  const size_t bytes = (size_t)(port_model_end - port_model);
  arn_error error = {0};
  port_stack_paint();
  if (arn_model_open(&model, port_model, bytes, &error) != ARN_OK) return fail("open", &error);
  if (arn_start(&nn, &model, arena, sizeof arena, &config, &error) != ARN_OK) {
    return fail("start", &error);
  }
  bench_generate_inputs(&nn, 0);
  if (arn_invoke(&nn, &error) != ARN_OK) return fail("invoke", &error);
  const uint32_t stack = port_stack_used();
  say("arena: ", nn.usage.arena_bytes, " bytes of ");
  say("", sizeof arena, "\n");
  say("stack: ", stack, " bytes\n");
  return 0;
}

int main(void) {
  port_ticks_start();
  if (run() != 0) return 1;
  put_profile();
  put_output();
  return 0;
}
