// Resetting one variable.
#include <string.h>

#include "calls.h"
#include "records.h"
#include "variables.h"

static arn_status bytes_of_resource(const arn_interpreter *nn, uint32_t tensor, uint32_t *bytes) {
  uint8_t depth[ARN_MAX_SUBGRAPHS];
  arn__site site;
  arn_tensor t;
  if (arn__calls_depths(nn->model, depth, NULL) != ARN_OK) return ARN_ERR_INTERNAL;
  if (!arn__variable_of(nn->model, 0, (int32_t)tensor, &site)) return ARN_ERR_ARGUMENT;
  const arn_status status = arn__variable_tensor(nn->model, depth, site, &t, NULL);
  *bytes = t.bytes;
  return status;
}

arn_status arn_reset_variable(arn_interpreter *nn, uint32_t tensor) {
  arn_subgraph g;
  arn_tensor t;
  if (!arn__is_ready(nn)) return ARN_ERR_NOT_READY;
  if (arn_model_subgraph(nn->model, 0, &g) != ARN_OK || tensor >= g.tensor_count) {
    return ARN_ERR_ARGUMENT;
  }
  arn_model_tensor(nn->model, &g, tensor, &t);
  const arn_tensor_view view = arn_tensor_at(nn, 0, tensor);
  int value = 0;
  uint32_t bytes = t.bytes;
  if (t.type == ARN_RESOURCE) {
    const arn_status status = bytes_of_resource(nn, tensor, &bytes);
    if (status != ARN_OK) return status;
  } else if (!(t.flags & ARN_TENSOR_VARIABLE)) {
    return ARN_ERR_ARGUMENT;
  }
  if (t.type == ARN_INT8) value = view.zero_point;
  if (view.data) memset(view.data, value, bytes);
  return ARN_OK;
}
