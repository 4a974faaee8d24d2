#include "inputs.h"

#include <string.h>

static uint64_t next_random(uint64_t *state) {
  *state += UINT64_C(0x9E3779B97F4A7C15);
  uint64_t z = *state;
  z = (z ^ (z >> 30)) * UINT64_C(0xBF58476D1CE4E5B9);
  z = (z ^ (z >> 27)) * UINT64_C(0x94D049BB133111EB);
  return z ^ (z >> 31);
}

static uint64_t element_of(arn_type type, uint64_t draw) {
  float real;
  uint32_t bits;
  switch (type) {
    case ARN_FLOAT32:
      real = (float)((int32_t)(draw >> 40) - 8388608) * (1.0f / 8388608.0f);
      memcpy(&bits, &real, sizeof bits);
      return bits;
    case ARN_BOOL: return draw & 1;
    case ARN_INT32:
    case ARN_INT64:
    case ARN_UINT64: return draw & 7;
    case ARN_UINT32: return draw & 0xFFFFF;
    default: return draw;
  }
}

static void generate(const arn_tensor_view *t, uint64_t state) {
  const uint32_t bytes = arn_type_bytes(t->type);
  uint8_t *at = t->data;
  for (uint32_t i = 0; at && bytes && i < t->bytes / bytes; i++) {
    const uint64_t value = element_of(t->type, next_random(&state));
    memcpy(at + bytes * i, &value, bytes < sizeof value ? bytes : sizeof value);
  }
}

void bench_generate_inputs(const arn_interpreter *nn, uint32_t invocation) {
  arn_subgraph g;
  if (arn_model_subgraph(nn->model, 0, &g) != ARN_OK) return;
  for (uint32_t i = 0; i < g.input_count; i++) {
    const arn_tensor_view t = arn_input(nn, i);
    generate(&t, 1000u * (uint64_t)invocation + i);
  }
}
