#include "host/rewrite/same.h"

#include <stdlib.h>
#include <string.h>

#include "host/check/engine.h"

#define MAX_PORTS 32u

// The original, and what the other delivers by rows.
struct pair {
  host_engine a, b;
  void *input_copies[MAX_PORTS];     // of a's inputs: its memory is reused while it runs
  uint8_t *delivered[MAX_PORTS];
  uint32_t delivered_bytes[MAX_PORTS];
};

static bool fetch(void *context, uint32_t input, uint32_t row, void *to, uint32_t bytes) {
  const struct pair *p = context;
  if (input >= MAX_PORTS || p->input_copies[input] == NULL) return false;
  memcpy(to, (const uint8_t *)p->input_copies[input] + (size_t)row * bytes, bytes);
  return true;
}

static bool deliver(void *context, uint32_t output, uint32_t row, const void *from,
                    uint32_t bytes) {
  struct pair *p = context;
  const arn_tensor_view t = arn_output(&p->a.nn, output);
  if (output >= MAX_PORTS || (uint64_t)(row + 1) * bytes > t.bytes) return false;
  if (p->delivered[output] == NULL) p->delivered[output] = calloc(t.bytes + 1u, 1);
  if (p->delivered[output] == NULL) return false;
  memcpy(p->delivered[output] + (size_t)row * bytes, from, bytes);
  p->delivered_bytes[output] += bytes;
  return true;
}

// Positions in one file mean nothing in the other: the engine's own model says what its inputs are.
static bool is_input_contiguous(const arn_interpreter *nn, uint32_t i) {
  arn_subgraph g;
  if (arn_model_subgraph(nn->model, 0, &g) != ARN_OK) return false;
  const int32_t tensor = arn_model_index(nn->model, g.inputs_at, i);
  return arn_place_of_tensor(nn, 0, (uint32_t)tensor).region != ARN_REGION_ROWS;
}

static bool write_inputs(struct pair *p, const arn_subgraph *g, uint32_t v) {
  for (uint32_t i = 0; i < g->input_count; i++) {
    const arn_tensor_view a = arn_input(&p->a.nn, i);
    host_generate_input(&a, v, i);
    if (i < MAX_PORTS) {
      free(p->input_copies[i]);
      p->input_copies[i] = malloc(a.bytes + 1u);
      if (p->input_copies[i] == NULL) return false;
      if (a.bytes > 0) memcpy(p->input_copies[i], a.data, a.bytes);
    }
  }
  for (uint32_t i = 0; i < g->input_count; i++) {
    const arn_tensor_view b = arn_input(&p->b.nn, i);
    if (b.data && i < MAX_PORTS && is_input_contiguous(&p->b.nn, i)) {
      memcpy(b.data, p->input_copies[i], b.bytes);
    }
  }
  return true;
}

static bool outputs_equal(struct pair *p, const arn_subgraph *g) {
  for (uint32_t i = 0; i < g->output_count; i++) {
    const arn_tensor_view a = arn_output(&p->a.nn, i), b = arn_output(&p->b.nn, i);
    const void *got = b.data;
    if (i < MAX_PORTS && p->delivered[i]) got = p->delivered[i];
    if (a.bytes != b.bytes || (a.bytes > 0 && (got == NULL || memcmp(a.data, got, a.bytes) != 0))) {
      return false;
    }
  }
  return true;
}

static bool run(struct pair *p, uint32_t invocations) {
  arn_subgraph g;
  arn_error error;
  if (arn_model_subgraph(&p->a.model, 0, &g) != ARN_OK) return false;
  for (uint32_t v = 0; v < invocations; v++) {
    if (!write_inputs(p, &g, v)) return false;
    const arn_status a = arn_invoke(&p->a.nn, &error), b = arn_invoke(&p->b.nn, &error);
    if (a != b || (a >= 0 && !outputs_equal(p, &g))) return false;
  }
  return host_engine_is_intact(&p->a) && host_engine_is_intact(&p->b);
}

bool arn_run_the_same(const void *a, size_t a_bytes, const void *b, size_t b_bytes,
                      uint32_t invocations) {
  struct pair *p = calloc(1, sizeof *p);
  void *copy = aligned_alloc(64, (b_bytes / 64 + 1) * 64);
  arn_error error;
  bool same = false;
  if (p && copy) {
    memcpy(copy, b, b_bytes);
    host_options first = {.config = {.flags = ARN_IGNORE_PLAN}, .fill = HOST_FILL_ZERO};
    host_options second = {.fill = HOST_FILL_RANDOM};
    second.config.stream = (arn_stream){fetch, deliver, p};
    if (host_engine_open(&p->a, a, a_bytes, &first, &error) == ARN_OK) {
      if (host_engine_open(&p->b, copy, b_bytes, &second, &error) == ARN_OK) {
        same = run(p, invocations);
        host_engine_close(&p->b);
      }
      host_engine_close(&p->a);
    }
    for (uint32_t i = 0; i < MAX_PORTS; i++) {
      free(p->input_copies[i]);
      free(p->delivered[i]);
    }
  }
  free(copy);
  free(p);
  return same;
}
