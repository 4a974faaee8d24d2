#include "stablehlo.h"

#include "../model/flatbuffer.h"

// ---- options ------------------------------------------------------------------------------------

int32_t arn__shlo_i64(const arn_prepare *p, uint32_t id, int32_t otherwise) {
  const uint32_t options = p->node->options2_at;
  const uint32_t at = options ? arn__fb_field(p->model, options, id, 4) : 0;
  if (at == 0 || !arn__fb_inside(p->model, at, 8)) return otherwise;
  return arn__index_at(p->model->bytes + at, ARN_INT64, 0);
}

int32_t arn__shlo_i32(const arn_prepare *p, uint32_t id, int32_t otherwise) {
  const uint32_t options = p->node->options2_at;
  return options ? arn__fb_field_i32(p->model, options, id, otherwise) : otherwise;
}

// Finds a list of at most `most` 64-bit numbers; *at is 0 where it is absent.
static arn_status find_list(const arn_prepare *p, uint32_t id, uint32_t most, uint32_t *at,
                            uint32_t *count) {
  const uint32_t options = p->node->options2_at;
  *at = *count = 0;
  if (options == 0) return ARN_OK;
  if (!arn__fb_check_vector(p->model, options, id, 8, at, count) || *count > most) {
    return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  }
  return ARN_OK;
}

arn_status arn__shlo_list(const arn_prepare *p, uint32_t id, int32_t *values, uint32_t *count) {
  uint32_t at;
  ARN__TRY(find_list(p, id, ARN_MAX_RANK, &at, count));
  for (uint32_t i = 0; i < *count; i++) {
    values[i] = arn__index_at(p->model->bytes + at, ARN_INT64, i);
  }
  return ARN_OK;
}

arn_status arn__shlo_numbers(const arn_prepare *p, uint32_t id, uint32_t count, int32_t low,
                             int32_t otherwise, int32_t *values) {
  uint32_t at, found;
  ARN__TRY(find_list(p, id, 2 * ARN_MAX_RANK, &at, &found));
  if (found != count && found > 0) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  for (uint32_t i = 0; i < count; i++) {
    const int32_t value =
        found > 0 ? arn__index_at(p->model->bytes + at, ARN_INT64, i) : otherwise;
    if (value < low || value == INT32_MAX) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
    values[i] = value;
  }
  return ARN_OK;
}

arn_status arn__shlo_axes(const arn_prepare *p, uint32_t id, uint32_t rank, int32_t *axes,
                          uint32_t *count) {
  uint32_t seen = 0;
  ARN__TRY(arn__shlo_list(p, id, axes, count));
  for (uint32_t i = 0; i < *count; i++) {
    if (axes[i] < 0 || axes[i] >= (int32_t)rank || (seen >> axes[i] & 1u)) {
      return arn_refuse_model(p, ARN_WHAT_AXIS, NULL);
    }
    seen |= 1u << axes[i];
  }
  return ARN_OK;
}

arn_status arn__shlo_same_scale(const arn_prepare *p, const arn_tensor *a, const arn_tensor *b) {
  const arn_model *m = p->model;
  if (a->scale_count == 0 && b->scale_count == 0) return ARN_OK;
  if (a->scale_count == 1 && b->scale_count == 1 &&
      arn_tensor_scale(m, a, 0) == arn_tensor_scale(m, b, 0) &&
      arn_tensor_zero(m, a, 0) == arn_tensor_zero(m, b, 0)) {
    return ARN_OK;
  }
  return arn_refuse(p, ARN_WHAT_QUANTISATION, b);
}

// ---- computations -------------------------------------------------------------------------------

static arn__shlo_body body_of(int32_t code, bool is_bool) {
  switch (code) {
    case 0:    // ADD
    case 163:  // STABLEHLO_ADD
      return is_bool ? ARN__SHLO_NONE : ARN__SHLO_ADD;
    case 18:   // MUL
    case 165:  // STABLEHLO_MULTIPLY
      return is_bool ? ARN__SHLO_NONE : ARN__SHLO_MULTIPLY;
    case 57:   // MINIMUM
    case 181:  // STABLEHLO_MINIMUM
      return is_bool ? ARN__SHLO_ALL : ARN__SHLO_MINIMUM;
    case 55:   // MAXIMUM
    case 166:  // STABLEHLO_MAXIMUM
      return is_bool ? ARN__SHLO_ANY : ARN__SHLO_MAXIMUM;
    case 86:   // LOGICAL_AND
    case 176:  // STABLEHLO_AND
      return is_bool ? ARN__SHLO_ALL : ARN__SHLO_NONE;
    case 84:   // LOGICAL_OR
    case 183:  // STABLEHLO_OR
      return is_bool ? ARN__SHLO_ANY : ARN__SHLO_NONE;
    default: return ARN__SHLO_NONE;
  }
}

// What the only node computes from both inputs of its subgraph; NONE where it is something else.
static arn__shlo_body read_node(const arn_prepare *p, const arn_subgraph *g, bool is_bool) {
  arn_node node;
  arn_model_node(p->model, g, 0, &node);
  if (node.input_count != 2 || node.output_count != 1) return ARN__SHLO_NONE;
  const int32_t a = arn_model_index(p->model, g->inputs_at, 0);
  const int32_t b = arn_model_index(p->model, g->inputs_at, 1);
  const int32_t x = arn_model_index(p->model, node.inputs_at, 0);
  const int32_t y = arn_model_index(p->model, node.inputs_at, 1);
  if (a == b || !((x == a && y == b) || (x == b && y == a))) return ARN__SHLO_NONE;
  if (arn_model_index(p->model, node.outputs_at, 0) !=
      arn_model_index(p->model, g->outputs_at, 0)) {
    return ARN__SHLO_NONE;
  }
  const bool plain = node.code == 0 || node.code == 18;  // these may have a fused activation
  if (plain && node.options_at && arn__fb_field_u8(p->model, node.options_at, 0, 0) != 0) {
    return ARN__SHLO_NONE;
  }
  return body_of(node.code, is_bool);
}

arn_status arn__shlo_read_body(const arn_prepare *p, int32_t index, uint32_t type,
                               arn__shlo_body *body) {
  arn_subgraph g;
  *body = ARN__SHLO_NONE;
  if (index < 0 || arn_model_subgraph(p->model, (uint32_t)index, &g) != ARN_OK) {
    return arn_refuse_model(p, ARN_WHAT_SUBGRAPH_INDEX, NULL);
  }
  if (g.input_count != 2 || g.output_count != 1) return arn_refuse(p, ARN_WHAT_OPTION, NULL);
  for (uint32_t i = 0; i < 2; i++) {
    arn_tensor t;
    arn_model_tensor(p->model, &g, (uint32_t)arn_model_index(p->model, g.inputs_at, i), &t);
    if (t.type != type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, NULL);
  }
  const bool gives_second = arn_model_index(p->model, g.outputs_at, 0) ==
                            arn_model_index(p->model, g.inputs_at, 1);
  if (g.node_count == 0 && gives_second) *body = ARN__SHLO_UPDATE;
  if (g.node_count == 1) *body = read_node(p, &g, type == ARN_BOOL);
  return *body == ARN__SHLO_NONE ? arn_refuse(p, ARN_WHAT_OPTION, NULL) : ARN_OK;
}

// ---- index tensors ------------------------------------------------------------------------------

arn_status arn__shlo_read_indices(const arn_prepare *p, int32_t vector_dim,
                                  arn__shlo_indices *x) {
  arn_tensor t;
  uint32_t stride = 1;
  ARN__TRY(arn_prepare_input(p, 1, &t));
  if (t.type != ARN_INT32 && t.type != ARN_INT64) return arn_refuse(p, ARN_WHAT_TYPE, &t);
  if (vector_dim < 0 || vector_dim > t.rank) return arn_refuse_model(p, ARN_WHAT_OPTION, &t);
  const int32_t components = vector_dim < t.rank ? t.dims[vector_dim] : 1;
  if (components > ARN_MAX_RANK) return arn_refuse_model(p, ARN_WHAT_OPTION, &t);
  *x = (arn__shlo_indices){.type = t.type, .components = (uint8_t)components};
  x->rank = (uint8_t)(vector_dim < t.rank ? t.rank - 1 : t.rank);
  x->is_flat = (t.flags & ARN_TENSOR_CONST) || arn__rows_of(&t).rows == 1;
  uint32_t k = x->rank;
  for (int32_t i = t.rank; i-- > 0; stride *= (uint32_t)t.dims[i]) {
    if (i == vector_dim) {
      x->component_stride = stride;
    } else {
      x->dims[--k] = t.dims[i];
      x->strides[k] = stride;
    }
  }
  return ARN_OK;
}
