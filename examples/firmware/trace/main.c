// Firmware that says what every operator computed: a line of checksum for each tensor, in the form
// that `arenite trace --against FILE` holds against what the host computes.
#include "arenite/arenite.h"
#include "bench/device/inputs.h"
#include "ports/port.h"

#define INVOCATIONS 2u
#define OPEN 16u

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
static arn_trace_entry open[OPEN];

static void put_hex(uint32_t value) {
  char text[9];
  for (int i = 0; i < 8; i++) text[i] = "0123456789abcdef"[value >> (28 - 4 * i) & 15];
  text[8] = '\0';
  port_put(text);
}

// "invocation subgraph tensor bytes crc32"
static void put_entry(void *context, const arn_trace_entry *e) {
  const uint32_t numbers[] = {*(const uint32_t *)context, e->subgraph, e->tensor, e->bytes};
  for (int i = 0; i < 4; i++) {
    port_put_unsigned(numbers[i]);
    port_put(" ");
  }
  put_hex(e->crc);
  port_put("\n");
}

// The five numbers that `arenite explain` reads.
static int fail(const arn_error *error) {
  port_put("error ");
  port_put_unsigned((uint32_t)(-1000 * error->status) + (uint32_t)error->what);
  const int32_t places[] = {error->node, error->tensor};
  for (int i = 0; i < 2; i++) {
    port_put(places[i] < 0 ? ",-1" : ",");
    if (places[i] >= 0) port_put_unsigned((uint32_t)places[i]);
  }
  port_put(",");
  port_put_unsigned(error->need);
  port_put(",");
  port_put_unsigned(error->have);
  port_put("\n");
  return 1;
}

int main(void) {
  uint32_t invocation = 0;
  arn_error error = {0};
  arn_trace trace = {.open = open, .room = OPEN, .emit = put_entry, .context = &invocation};
  const arn_config config = {.ops = &ops, .hooks = arn_trace_hooks(&trace)};
  const size_t bytes = (size_t)(port_model_end - port_model);
  if (arn_model_open(&model, port_model, bytes, &error) != ARN_OK) return fail(&error);
  if (arn_start(&nn, &model, arena, sizeof arena, &config, &error) != ARN_OK) return fail(&error);
  port_put("invocation subgraph tensor bytes crc32\n");
  for (; invocation < INVOCATIONS; invocation++) {
    bench_generate_inputs(&nn, invocation);
    if (arn_invoke(&nn, &error) < 0) return fail(&error);
  }
  return trace.lost > 0;
}
