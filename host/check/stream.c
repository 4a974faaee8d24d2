#include "host/check/stream.h"

#include <stdlib.h>
#include <string.h>

#include "src/graph/rows.h"

#define POISON 0x5C

static bool allocate(const arn_model *m, const arn_subgraph *g, uint32_t at, uint32_t count,
                     uint8_t **list, uint32_t *bytes) {
  for (uint32_t i = 0; i < count && i < HOST_MAX_PORTS; i++) {
    arn_tensor t;
    arn_model_tensor(m, g, (uint32_t)arn_model_index(m, at, i), &t);
    bytes[i] = t.unknown_dims == 0 ? t.bytes : 0;
    list[i] = calloc((size_t)bytes[i] + 1, 1);
    if (list[i] == NULL) return false;
  }
  return true;
}

host_stream *host_stream_new(const arn_model *m) {
  arn_subgraph g;
  host_stream *s = calloc(1, sizeof *s);
  if (s == NULL || arn_model_subgraph(m, 0, &g) != ARN_OK ||
      !allocate(m, &g, g.inputs_at, g.input_count, s->inputs, s->input_bytes) ||
      !allocate(m, &g, g.outputs_at, g.output_count, s->outputs, s->output_bytes)) {
    host_stream_free(s);
    return NULL;
  }
  s->in_order = true;
  return s;
}

void host_stream_free(host_stream *s) {
  for (uint32_t i = 0; s && i < HOST_MAX_PORTS; i++) {
    free(s->inputs[i]);
    free(s->outputs[i]);
  }
  free(s);
}

// Says whether row `row` of a port is the next one, and lies inside the tensor.
static bool is_next(host_stream *s, const uint32_t *rows, const uint32_t *limits, uint32_t port,
                    uint32_t row, uint32_t bytes) {
  if (port >= HOST_MAX_PORTS || ((uint64_t)row + 1) * bytes > limits[port]) return false;
  if (rows[port] != row) s->in_order = false;
  return true;
}

static bool fetch(void *context, uint32_t input, uint32_t row, void *to, uint32_t bytes) {
  host_stream *s = context;
  if (!is_next(s, s->fetched, s->input_bytes, input, row, bytes)) return false;
  memcpy(to, s->inputs[input] + (size_t)row * bytes, bytes);
  s->fetched[input]++;
  return true;
}

static bool deliver(void *context, uint32_t output, uint32_t row, const void *from,
                    uint32_t bytes) {
  host_stream *s = context;
  if (!is_next(s, s->delivered, s->output_bytes, output, row, bytes)) return false;
  memcpy(s->outputs[output] + (size_t)row * bytes, from, bytes);
  s->delivered[output]++;
  if (s->poison) memset((void *)(uintptr_t)from, POISON, bytes);
  return true;
}

arn_stream host_stream_callbacks(host_stream *s) { return (arn_stream){fetch, deliver, s}; }

void host_stream_begin(host_stream *s) {
  memset(s->fetched, 0, sizeof s->fetched);
  memset(s->delivered, 0, sizeof s->delivered);
  for (uint32_t i = 0; i < HOST_MAX_PORTS; i++) {
    if (s->outputs[i]) memset(s->outputs[i], POISON, s->output_bytes[i]);
  }
  s->in_order = true;
}

bool host_stream_is_complete(const host_stream *s, const arn_interpreter *nn) {
  arn_subgraph g;
  if (!s->in_order || arn_model_subgraph(nn->model, 0, &g) != ARN_OK) return false;
  for (uint32_t i = 0; i < g.output_count && i < HOST_MAX_PORTS; i++) {
    const arn_tensor_view view = arn_output(nn, i);
    arn_tensor t;
    arn_model_tensor(nn->model, &g, (uint32_t)arn_model_index(nn->model, g.outputs_at, i), &t);
    const bool streamed = view.data == NULL && view.bytes > 0;
    if (streamed && s->delivered[i] != arn__rows_of(&t).rows) return false;
  }
  return true;
}

void host_stream_fill_view(const host_stream *s, arn_tensor_view *view, uint32_t port,
                           bool is_input) {
  if (view->data != NULL || port >= HOST_MAX_PORTS) return;
  if (view->bytes != (is_input ? s->input_bytes : s->output_bytes)[port]) return;
  view->data = is_input ? s->inputs[port] : s->outputs[port];
}
