#include "calls.h"

#include <string.h>

#include "../model/flatbuffer.h"
#include "../model/glance.h"
#include "arenite/config.h"

uint32_t arn__calls_of(const arn_model *m, const arn_node *node, int32_t callees[2]) {
  const bool second = node->code == ARN__CODE_STABLEHLO_WHILE;
  const uint32_t options = second ? node->options2_at : node->options_at;
  const bool two = node->code == ARN__CODE_IF || node->code == ARN__CODE_WHILE || second;
  if (!arn__calls_any(node->code)) return 0;
  if (node->code == ARN__CODE_COMPOSITE) {
    callees[0] = node->options2_at ? arn__fb_field_i32(m, node->options2_at, 1, 0) : 0;
    return 1;
  }
  callees[0] = options ? arn__fb_field_i32(m, options, 0, 0) : 0;
  callees[1] = options && two ? arn__fb_field_i32(m, options, 1, 0) : 0;
  return two ? 2 : 1;
}

static arn_status fail(arn_error *error, arn_status status, arn_what what, int32_t subgraph) {
  if (error) *error = (arn_error){status, what, subgraph, ARN_NOWHERE, ARN_NOWHERE, 0, 0, 0};
  return status;
}

// Raises depth[s] above what it calls; *changed tells. Called until nothing changes.
static arn_status raise(const arn_model *m, uint32_t s, uint8_t *depth, bool *changed,
                        arn_error *error) {
  arn_subgraph g;
  arn_node node;
  int32_t callees[2];
  if (arn_model_subgraph(m, s, &g) != ARN_OK) return ARN_ERR_INTERNAL;
  for (uint32_t n = 0; n < g.node_count; n++) {
    if (!arn__calls_any(arn__model_code(m, &g, n))) continue;
    arn_model_node(m, &g, n, &node);
    const uint32_t count = arn__calls_of(m, &node, callees);
    for (uint32_t i = 0; i < count; i++) {
      if (callees[i] < 0 || (uint32_t)callees[i] >= m->subgraph_count) {
        return fail(error, ARN_ERR_MODEL, ARN_WHAT_SUBGRAPH_INDEX, (int32_t)s);
      }
      uint8_t *callee = &depth[callees[i]];
      if (*callee == 0) {
        *callee = 1;
        *changed = true;
      }
      if (depth[s] > *callee) continue;
      depth[s] = (uint8_t)(*callee + 1);
      *changed = true;
      if (depth[s] > ARN_MAX_CALL_DEPTH) {
        return fail(error, ARN_ERR_MODEL, ARN_WHAT_SUBGRAPH_CYCLE, (int32_t)s);
      }
    }
  }
  return ARN_OK;
}

arn_status arn__calls_depths(const arn_model *m, uint8_t *depth, arn_error *error) {
  bool changed = true;  // a single subgraph may name itself
  while (changed) {
    changed = false;
    for (uint32_t s = 0; s < m->subgraph_count; s++) {
      if (depth[s] == 0) continue;
      const arn_status status = raise(m, s, depth, &changed, error);
      if (status != ARN_OK) return status;
    }
  }
  return ARN_OK;
}
