// What operators ask of the graph while they prepare.
#include "../model/flatbuffer.h"
#include "../model/schema.h"
#include "arenite/op.h"
#include "graph.h"

static arn_status refuse(const arn_prepare *p, arn_status status, arn_what what, int32_t tensor) {
  if (p->error) {
    *p->error = (arn_error){status, what, p->subgraph_index, p->node_index, tensor, 0, 0, 0};
  }
  return status;
}

arn_status arn_refuse(const arn_prepare *p, arn_what what, const arn_tensor *tensor) {
  return refuse(p, ARN_ERR_UNSUPPORTED, what, tensor ? tensor->index : ARN_NOWHERE);
}

arn_status arn_refuse_model(const arn_prepare *p, arn_what what, const arn_tensor *tensor) {
  return refuse(p, ARN_ERR_MODEL, what, tensor ? tensor->index : ARN_NOWHERE);
}

static arn_status read_tensor(const arn_prepare *p, int32_t index, arn_tensor *t) {
  arn__graph_read(p->model, p->subgraph, (uint32_t)index, t);
  if (t->unknown_dims > 0) return arn_refuse(p, ARN_WHAT_DIMENSION, t);
  return ARN_OK;
}

bool arn_prepare_has_input(const arn_prepare *p, uint32_t i) {
  return i < p->node->input_count && arn_model_index(p->model, p->node->inputs_at, i) >= 0;
}

arn_status arn_prepare_input(const arn_prepare *p, uint32_t i, arn_tensor *t) {
  if (!arn_prepare_has_input(p, i)) return arn_refuse_model(p, ARN_WHAT_TENSOR_REQUIRED, NULL);
  int32_t index = arn_model_index(p->model, p->node->inputs_at, i);
  const int32_t source = arn__graph_folded_source(p, i);
  if (source >= 0) index = source;
  return read_tensor(p, index, t);
}

arn_status arn_prepare_output(const arn_prepare *p, uint32_t i, arn_tensor *t) {
  if (i >= p->node->output_count) return arn_refuse_model(p, ARN_WHAT_TENSOR_REQUIRED, NULL);
  return read_tensor(p, arn_model_index(p->model, p->node->outputs_at, i), t);
}

arn_status arn_prepare_counts(const arn_prepare *p, uint32_t least, uint32_t most,
                              uint32_t outputs) {
  if (p->node->input_count < least || p->node->input_count > most) {
    return arn_refuse_model(p, ARN_WHAT_INPUT_COUNT, NULL);
  }
  if (p->node->output_count != outputs) return arn_refuse_model(p, ARN_WHAT_OUTPUT_COUNT, NULL);
  return ARN_OK;
}

int32_t arn_option_i32(const arn_prepare *p, uint32_t id, int32_t otherwise) {
  if (p->node->options_at == 0) return otherwise;
  return arn__fb_field_i32(p->model, p->node->options_at, id, otherwise);
}

int32_t arn_option_u8(const arn_prepare *p, uint32_t id, uint8_t otherwise) {
  if (p->node->options_at == 0) return otherwise;
  return arn__fb_field_u8(p->model, p->node->options_at, id, otherwise);
}

int32_t arn_option_i8(const arn_prepare *p, uint32_t id, int8_t otherwise) {
  return (int8_t)arn_option_u8(p, id, (uint8_t)otherwise);
}

float arn_option_f32(const arn_prepare *p, uint32_t id, float otherwise) {
  uint32_t bits;
  memcpy(&bits, &otherwise, sizeof bits);
  if (p->node->options_at) bits = arn__fb_field_u32(p->model, p->node->options_at, id, bits);
  memcpy(&otherwise, &bits, sizeof bits);
  return otherwise;
}

uint32_t arn_option_vector(const arn_prepare *p, uint32_t id, uint32_t element_bytes,
                           uint32_t *count) {
  uint32_t first;
  *count = 0;
  if (p->node->options_at == 0) return 0;
  if (arn__fb_check_vector(p->model, p->node->options_at, id, element_bytes, &first, count)) {
    return first;
  }
  *count = 0;
  return 0;
}
