#include "rowplan.h"

#include <string.h>

#include "../graph/place.h"
#include "../model/flatbuffer.h"

static arn_status refuse(arn_error *error, arn_what what) {
  if (error) *error = (arn_error){ARN_ERR_PLAN, what, 0, ARN_NOWHERE, ARN_NOWHERE, 0, 0, 0};
  return ARN_ERR_PLAN;
}

// FNV-1a over 32-bit words.
static uint32_t mix(uint32_t hash, uint32_t word) { return (hash ^ word) * 16777619u; }

static uint32_t mix_node(const arn_model *m, const arn_subgraph *g, uint32_t n, uint32_t hash) {
  arn_node node;
  arn_model_node(m, g, n, &node);
  hash = mix(mix(hash, (uint32_t)node.code), node.input_count << 16 ^ node.output_count);
  for (uint32_t i = 0; i < node.input_count; i++) {
    hash = mix(hash, (uint32_t)arn_model_index(m, node.inputs_at, i));
  }
  for (uint32_t i = 0; i < node.output_count; i++) {
    hash = mix(hash, (uint32_t)arn_model_index(m, node.outputs_at, i));
  }
  return hash;
}

uint32_t arn__row_plan_fingerprint(const arn_model *m) {
  arn_subgraph g;
  uint32_t hash = 2166136261u;
  if (arn_model_subgraph(m, 0, &g) != ARN_OK) return 0;
  hash = mix(mix(hash, g.tensor_count), g.node_count);
  for (uint32_t n = 0; n < g.node_count; n++) hash = mix_node(m, &g, n, hash);
  for (uint32_t i = 0; i < g.tensor_count; i++) {
    arn_tensor t;
    arn_model_tensor(m, &g, i, &t);
    hash = mix(hash, (uint32_t)t.type << 24 ^ (uint32_t)t.flags << 16 ^ t.rank);
    for (uint32_t k = 0; k < t.rank; k++) hash = mix(hash, (uint32_t)t.dims[k]);
  }
  return hash;
}

static uint32_t word(const arn__row_plan *p, uint32_t i) {
  return arn__fb_u32(p->model, p->at + 4 * i);
}

static void read_header(arn__row_plan *p) {
  p->dynamic_bytes = word(p, 4);
  p->alignment = word(p, 5);
  p->tensor_count = word(p, 6);
  p->node_count = word(p, 7);
  p->row_words = word(p, 8);
  p->step_bytes = word(p, 9);
  p->proof_bytes = word(p, 10);
  p->step_count = word(p, 11);
  p->streamed_inputs = word(p, 12);
  p->streamed_outputs = word(p, 13);
}

// Sets the positions of the parts. Says whether they lie inside `bytes`.
static bool lay_out(arn__row_plan *p, uint32_t bytes) {
  const uint32_t limit = bytes;
  if (p->row_words > limit / 4 || p->step_bytes > limit || p->proof_bytes > limit) return false;
  const uint64_t words = ARN__PLAN_HEADER_WORDS + (uint64_t)p->tensor_count +
                         2 * (uint64_t)p->node_count + p->row_words;
  const uint64_t steps = 4 * words, proof = steps + ((p->step_bytes + 3) & ~3u);
  if (proof + p->proof_bytes > limit) return false;
  p->places_at = p->at + 4 * ARN__PLAN_HEADER_WORDS;
  p->nodes_at = p->places_at + 4 * p->tensor_count;
  p->rows_at = p->nodes_at + 8 * p->node_count;
  p->steps_at = p->at + (uint32_t)steps;
  p->proof_at = p->at + (uint32_t)proof;
  return true;
}

arn_status arn__row_plan_open(arn__row_plan *p, const arn_model *m, bool *found, arn_error *error) {
  uint32_t bytes;
  arn_subgraph g;
  memset(p, 0, sizeof *p);
  const uint8_t *data = arn_model_metadata(m, ARN__PLAN_NAME, &bytes);
  *found = data != NULL;
  if (data == NULL) return ARN_OK;
  if (bytes < 4 * ARN__PLAN_HEADER_WORDS) return refuse(error, ARN_WHAT_PLAN_COUNT);
  p->model = m;
  p->at = (uint32_t)(data - m->bytes);
  if ((uintptr_t)data % 4 != 0) return refuse(error, ARN_WHAT_PLAN_OFFSET);
  if (word(p, 0) != ARN__PLAN_MAGIC || word(p, 1) != ARN__PLAN_VERSION) {
    return refuse(error, ARN_WHAT_PLAN_VERSION);
  }
  if (word(p, 2) != ARN__PLAN_ENGINE) return refuse(error, ARN_WHAT_PLAN_ENGINE);
  if (word(p, 3) != arn__row_plan_fingerprint(m)) return refuse(error, ARN_WHAT_PLAN_MODEL);
  read_header(p);
  if (arn_model_subgraph(m, 0, &g) != ARN_OK || p->tensor_count != g.tensor_count ||
      p->node_count != g.node_count || !lay_out(p, bytes)) {
    return refuse(error, ARN_WHAT_PLAN_COUNT);
  }
  if (p->dynamic_bytes >= ARN__PLACE_LIMIT) return refuse(error, ARN_WHAT_PLAN_OFFSET);
  return ARN_OK;
}

void arn__row_plan_reopen(arn__row_plan *p, const arn_model *m, uint32_t at) {
  memset(p, 0, sizeof *p);
  p->model = m;
  p->at = at;
  read_header(p);
  (void)lay_out(p, UINT32_MAX);
}

const uint32_t *arn__row_tables(const arn__row_plan *p) {
  return (const uint32_t *)(const void *)(p->model->bytes + p->rows_at);
}

uint32_t arn__row_plan_place(const arn__row_plan *p, uint32_t tensor) {
  return arn__fb_u32(p->model, p->places_at + 4 * tensor);
}

uint32_t arn__row_plan_scratch(const arn__row_plan *p, uint32_t node) {
  return arn__fb_u32(p->model, p->nodes_at + 8 * node);
}

uint32_t arn__row_plan_fold(const arn__row_plan *p, uint32_t node) {
  return arn__fb_u32(p->model, p->nodes_at + 8 * node + 4);
}

// A number in 7-bit groups, low ones first; the top bit of a byte says that more follow.
bool arn__row_plan_number(const arn__row_plan *p, uint32_t *cursor, uint32_t end,
                          uint32_t *number) {
  uint32_t value = 0;
  for (uint32_t shift = 0; shift < 28 && *cursor < end; shift += 7) {
    const uint8_t byte = p->model->bytes[(*cursor)++];
    value |= (uint32_t)(byte & 0x7F) << shift;
    *number = value;
    if (!(byte & 0x80)) return true;
  }
  return false;
}

bool arn__row_plan_next(const arn__row_plan *p, uint32_t *cursor, arn__row_step *step) {
  const uint32_t end = p->steps_at + p->step_bytes;
  step->port = 0;
  if (!arn__row_plan_number(p, cursor, end, &step->node)) return false;
  if (step->node >= p->node_count && !arn__row_plan_number(p, cursor, end, &step->port)) {
    return false;
  }
  return arn__row_plan_number(p, cursor, end, &step->first) &&
         arn__row_plan_number(p, cursor, end, &step->count);
}
