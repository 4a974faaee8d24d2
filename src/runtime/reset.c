// Putting state back to its start: variable tensors and resource variables at zero (int8: at their
// zero point), operators' persistent data at zero.
#include <string.h>

#include "../graph/place.h"
#include "calls.h"
#include "control.h"

static void fill(const arn_interpreter *nn, uint32_t subgraph, uint32_t tensor,
                 const arn_tensor *kind) {
  const uint32_t place = arn__places_of(nn, subgraph)[tensor];
  if (place == ARN__PLACE_NONE || arn__place_kind(place) != ARN__PLACE_STATIC) return;
  const bool at_zero_point = kind->type == ARN_INT8;
  const int32_t value = at_zero_point ? (int32_t)arn_tensor_zero(nn->model, kind, 0) : 0;
  memset(nn->arena + arn__place_offset(place), value, kind->bytes);
}

static arn_status kind_of_resource(const arn_interpreter *nn, uint32_t subgraph, uint32_t tensor,
                                   arn_tensor *kind) {
  const arn__variables *variables = arn__graph_part(nn->config.ops, ARN__CODE_VAR_HANDLE);
  return variables ? variables->kind(nn, subgraph, tensor, kind) : ARN_ERR_ARGUMENT;
}

static void reset_persistent(const arn_interpreter *nn, uint32_t subgraph, uint32_t node) {
  uint32_t bytes;
  uint8_t *data = arn__persistent_of(nn, arn__record_of_node(nn, subgraph, node), &bytes);
  if (data) memset(data, 0, bytes);
}

static void reset_subgraph(const arn_interpreter *nn, uint32_t subgraph) {
  arn_subgraph g;
  if (arn_model_subgraph(nn->model, subgraph, &g) != ARN_OK) return;
  const bool has_variables = nn->variables_end > nn->variables_at;
  for (uint32_t i = 0; i < g.tensor_count && has_variables; i++) {
    arn_tensor t;
    arn_model_tensor(nn->model, &g, i, &t);
    if (t.flags & ARN_TENSOR_VARIABLE) {
      fill(nn, subgraph, i, &t);
    } else if (t.type == ARN_RESOURCE && kind_of_resource(nn, subgraph, i, &t) == ARN_OK) {
      fill(nn, subgraph, i, &t);
    }
  }
  for (uint32_t n = 0; n < g.node_count; n++) reset_persistent(nn, subgraph, n);
}

arn_status arn_reset(arn_interpreter *nn) {
  if (!arn__is_ready(nn)) return ARN_ERR_NOT_READY;
  memset(nn->arena + nn->variables_at, 0, nn->variables_end - nn->variables_at);
  for (uint32_t s = 0; s < nn->model->subgraph_count; s++) {
    if (arn__record_of_subgraph(nn, s)->places_at > 0) reset_subgraph(nn, s);
  }
  return ARN_OK;
}

arn_status arn_reset_variable(arn_interpreter *nn, uint32_t tensor) {
  arn_subgraph g;
  arn_tensor t;
  if (!arn__is_ready(nn)) return ARN_ERR_NOT_READY;
  if (arn_model_subgraph(nn->model, 0, &g) != ARN_OK || tensor >= g.tensor_count) {
    return ARN_ERR_ARGUMENT;
  }
  arn_model_tensor(nn->model, &g, tensor, &t);
  if (t.type == ARN_RESOURCE) {
    const arn_status status = kind_of_resource(nn, 0, tensor, &t);
    if (status != ARN_OK) return status;
  } else if (!(t.flags & ARN_TENSOR_VARIABLE)) {
    return ARN_ERR_ARGUMENT;
  }
  fill(nn, 0, tensor, &t);
  return ARN_OK;
}
