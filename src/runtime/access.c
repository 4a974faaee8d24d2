// Tensors by index, by name and by signature; what is where; resets.
#include <string.h>

#include "../graph/place.h"
#include "../model/flatbuffer.h"
#include "../model/schema.h"
#include "plans.h"

static uint8_t *address(const arn_interpreter *nn, uint32_t subgraph, uint32_t place) {
  const uint32_t offset = arn__place_offset(place);
  if (place == ARN__PLACE_NONE) return NULL;
  switch (arn__place_kind(place)) {
    case ARN__PLACE_STATIC: return nn->arena + offset;
    case ARN__PLACE_FILE: return (uint8_t *)(uintptr_t)(nn->model->bytes + offset);
    case ARN__PLACE_DYNAMIC: return subgraph == 0 ? nn->dynamic + offset : NULL;
    default: return NULL;
  }
}

static bool has_tensor(const arn_interpreter *nn, uint32_t subgraph, uint32_t tensor,
                       arn_subgraph *g) {
  return arn__is_ready(nn) && arn_model_subgraph(nn->model, subgraph, g) == ARN_OK &&
         tensor < g->tensor_count && arn__record_of_subgraph(nn, subgraph)->places_at > 0;
}

arn_tensor_view arn_tensor_at(const arn_interpreter *nn, uint32_t subgraph, uint32_t tensor) {
  arn_tensor_view view;
  arn_subgraph g;
  arn_tensor t;
  memset(&view, 0, sizeof view);
  if (!has_tensor(nn, subgraph, tensor, &g)) return view;
  arn_model_tensor(nn->model, &g, tensor, &t);
  view.data = address(nn, subgraph, arn__places_of(nn, subgraph)[tensor]);
  view.bytes = t.bytes;
  view.type = (arn_type)t.type;
  view.rank = t.rank;
  memcpy(view.dims, t.dims, sizeof t.dims[0] * t.rank);
  view.scale = arn_tensor_scale(nn->model, &t, 0);
  view.zero_point = (int32_t)arn_tensor_zero(nn->model, &t, 0);
  return view;
}

static arn_tensor_view nothing(void) {
  arn_tensor_view view;
  memset(&view, 0, sizeof view);
  return view;
}

// Input or output `i`. Rows of streamed ones are nobody's to touch but through the callbacks.
static arn_tensor_view port(const arn_interpreter *nn, uint32_t i, bool is_input) {
  arn_subgraph g;
  if (!arn__is_ready(nn) || arn_model_subgraph(nn->model, 0, &g) != ARN_OK) return nothing();
  if (i >= (is_input ? g.input_count : g.output_count)) return nothing();
  const uint32_t vector_at = is_input ? g.inputs_at : g.outputs_at;
  const uint32_t tensor = (uint32_t)arn_model_index(nn->model, vector_at, i);
  arn_tensor_view view = arn_tensor_at(nn, 0, tensor);
  if (nn->row_plan_at && nn->config.ops->plans->streams(nn, i, is_input)) view.data = NULL;
  return view;
}

arn_tensor_view arn_input(const arn_interpreter *nn, uint32_t i) { return port(nn, i, true); }

arn_tensor_view arn_output(const arn_interpreter *nn, uint32_t i) { return port(nn, i, false); }

arn_tensor_view arn_tensor_by_name(const arn_interpreter *nn, const char *name) {
  arn_subgraph g;
  if (!arn__is_ready(nn) || name == NULL || arn_model_subgraph(nn->model, 0, &g) != ARN_OK) {
    return nothing();
  }
  for (uint32_t i = 0; i < g.tensor_count; i++) {
    const uint32_t table = arn__fb_element(nn->model, g.tensors_at, i);
    if (arn_model_string_is(nn->model, arn__fb_follow(nn->model, table, ARN__TENSOR_NAME), name)) {
      return arn_tensor_at(nn, 0, i);
    }
  }
  return nothing();
}

static arn_tensor_view find_in_map(const arn_interpreter *nn, uint32_t signature, uint32_t field,
                                   const char *name) {
  const arn_model *m = nn->model;
  uint32_t first, count;
  arn__fb_vector(m, signature, field, &first, &count);
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t map = arn__fb_element(m, first, i);
    if (!arn_model_string_is(m, arn__fb_follow(m, map, ARN__TENSOR_MAP_NAME), name)) continue;
    return arn_tensor_at(nn, arn__fb_field_u32(m, signature, ARN__SIGNATURE_SUBGRAPH, 0),
                         arn__fb_field_u32(m, map, ARN__TENSOR_MAP_INDEX, 0));
  }
  return nothing();
}

static arn_tensor_view find_in_signature(const arn_interpreter *nn, const char *signature,
                                         uint32_t field, const char *name) {
  if (!arn__is_ready(nn) || name == NULL) return nothing();
  const arn_model *m = nn->model;
  for (uint32_t i = 0; i < m->signature_count; i++) {
    const uint32_t table = arn__fb_element(m, m->signatures_at, i);
    if (signature == NULL || arn_model_string_is(m, arn__fb_follow(m, table, ARN__SIGNATURE_KEY),
                                                 signature)) {
      return find_in_map(nn, table, field, name);
    }
  }
  return nothing();
}

arn_tensor_view arn_signature_input(const arn_interpreter *nn, const char *signature,
                                    const char *name) {
  return find_in_signature(nn, signature, ARN__SIGNATURE_INPUTS, name);
}

arn_tensor_view arn_signature_output(const arn_interpreter *nn, const char *signature,
                                     const char *name) {
  return find_in_signature(nn, signature, ARN__SIGNATURE_OUTPUTS, name);
}

arn_usage arn_used(const arn_interpreter *nn) {
  arn_usage usage;
  memset(&usage, 0, sizeof usage);
  if (arn__is_ready(nn)) usage = nn->usage;
  return usage;
}

uint32_t arn_dynamic_bytes(const arn_interpreter *nn, uint32_t subgraph) {
  if (!arn__is_ready(nn) || subgraph >= nn->model->subgraph_count) return 0;
  return arn__record_of_subgraph(nn, subgraph)->dynamic_bytes;
}

arn_placement arn_place_of_tensor(const arn_interpreter *nn, uint32_t subgraph, uint32_t tensor) {
  static const arn_region regions[] = {ARN_REGION_DYNAMIC, ARN_REGION_STATIC, ARN_REGION_FILE,
                                       ARN_REGION_ROWS};
  arn_subgraph g;
  arn_placement placement = {ARN_REGION_NONE, 0};
  if (!has_tensor(nn, subgraph, tensor, &g)) return placement;
  const uint32_t place = arn__places_of(nn, subgraph)[tensor];
  if (place == ARN__PLACE_NONE) return placement;
  placement.region = regions[arn__place_kind(place)];
  placement.offset = arn__place_offset(place);
  return placement;
}
