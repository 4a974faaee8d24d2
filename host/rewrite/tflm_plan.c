#include "host/rewrite/tflm_plan.h"

#include <stdlib.h>
#include <string.h>

#include "src/plan/planner.h"

#define ALIGNMENT 16u

static bool is_planned(const arn_model *m, const arn_subgraph *g, uint32_t i) {
  arn_tensor t;
  arn_model_tensor(m, g, i, &t);
  return !(t.flags & (ARN_TENSOR_CONST | ARN_TENSOR_VARIABLE)) && t.type != ARN_RESOURCE &&
         t.unknown_dims == 0;
}

static void live(arn__buffer *b, int32_t *seen, uint32_t at) {
  if (!*seen) b->first = at & 0x1FFFu;
  *seen = 1;
  if (at > b->last || b->last == 0) b->last = at & 0x1FFFu;
}

// Lifetimes from first write to last read; inputs from the start, outputs to the end.
static void find_lives(const arn_model *m, const arn_subgraph *g, const arn__buffers *set,
                       int32_t *seen) {
  arn_node node;
  for (uint32_t i = 0; i < g->input_count; i++) {
    const int32_t t = arn_model_index(m, g->inputs_at, i);
    live(arn__buffer_at(set, (uint32_t)t), &seen[t], 0);
  }
  for (uint32_t n = 0; n < g->node_count; n++) {
    arn_model_node(m, g, n, &node);
    for (uint32_t i = 0; i < node.input_count + node.output_count; i++) {
      const bool in = i < node.input_count;
      const int32_t t = in ? arn_model_index(m, node.inputs_at, i)
                           : arn_model_index(m, node.outputs_at, i - node.input_count);
      if (t >= 0) live(arn__buffer_at(set, (uint32_t)t), &seen[t], n);
    }
  }
  for (uint32_t i = 0; i < g->output_count; i++) {
    const int32_t t = arn_model_index(m, g->outputs_at, i);
    live(arn__buffer_at(set, (uint32_t)t), &seen[t], g->node_count);
  }
}

int32_t *arn_tflm_plan(const arn_model *m, size_t *bytes) {
  arn_subgraph g;
  if (arn_model_subgraph(m, 0, &g) != ARN_OK || g.node_count > 8000) return NULL;
  const uint32_t count = g.tensor_count;
  arn__buffer *buffers = calloc(count + 1u, sizeof *buffers);
  int32_t *seen = calloc(count + 1u, sizeof *seen);
  int32_t *words = calloc(count + 3u, sizeof *words);
  if (buffers && seen && words) {
    arn__planning p = {.buffers = {buffers + count, count}, .alignment = ALIGNMENT};
    find_lives(m, &g, &p.buffers, seen);
    for (uint32_t i = 0; i < count; i++) {
      arn_tensor t;
      arn__buffer *b = arn__buffer_at(&p.buffers, i);
      arn_model_tensor(m, &g, i, &t);
      b->tensor = (uint16_t)i;
      b->link = ARN__LAG_NONE;
      b->bytes = is_planned(m, &g, i) && seen[i] ? t.bytes : 0;
    }
    arn__plan_best(&p);
    words[0] = 1;
    words[2] = (int32_t)count;
    for (uint32_t i = 0; i < count; i++) {
      const arn__buffer *b = arn__buffer_at(&p.buffers, i);
      words[3 + i] = b->bytes ? (int32_t)b->offset : -1;
    }
    *bytes = (count + 3u) * sizeof *words;
  } else {
    free(words);
    words = NULL;
  }
  free(buffers);
  free(seen);
  return words;
}
