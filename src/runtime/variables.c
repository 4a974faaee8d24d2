// Resource variables: who they are, how large, and where.
//
// A variable is known by the container and name that its VAR_HANDLE nodes give. Handles have no
// value at run time: the place of a RESOURCE tensor is the place of the variable itself.
#include <string.h>

#include "../graph/graph.h"
#include "../graph/place.h"
#include "../model/flatbuffer.h"
#include "../model/glance.h"
#include "calls.h"
#include "control.h"

// A node of a subgraph.
typedef struct site {
  uint32_t subgraph, node;
} site;

#define FIELD_CONTAINER 0
#define FIELD_NAME 1

static bool same_string(const arn_model *m, uint32_t options_a, uint32_t options_b, uint32_t id) {
  uint32_t a, a_count, b, b_count;
  a = b = a_count = b_count = 0;
  if (options_a && !arn__fb_check_vector(m, options_a, id, 1, &a, &a_count)) return false;
  if (options_b && !arn__fb_check_vector(m, options_b, id, 1, &b, &b_count)) return false;
  return a_count == b_count && (a_count == 0 || memcmp(m->bytes + a, m->bytes + b, a_count) == 0);
}

static bool same_variable(const arn_model *m, const arn_node *a, const arn_node *b) {
  return same_string(m, a->options_at, b->options_at, FIELD_NAME) &&
         same_string(m, a->options_at, b->options_at, FIELD_CONTAINER);
}

// The first VAR_HANDLE node of the whole model that names the same variable as `handle`.
static site first_of(const arn_model *m, const arn_node *handle, site otherwise) {
  arn_subgraph g;
  arn_node node;
  for (uint32_t s = 0; s <= otherwise.subgraph; s++) {
    if (arn_model_subgraph(m, s, &g) != ARN_OK) break;
    for (uint32_t n = 0; n < g.node_count; n++) {
      arn_model_node(m, &g, n, &node);
      if (node.code != ARN__CODE_VAR_HANDLE || !same_variable(m, &node, handle)) continue;
      return (site){s, n};
    }
  }
  return otherwise;
}

// Finds a call of `subgraph` and the caller's tensor behind its input number `input`. IF passes its
// inputs from 1 on, WHILE all.
static bool find_caller(const arn_model *m, uint32_t *subgraph, uint32_t input, int32_t *tensor) {
  for (uint32_t s = 0; s < m->subgraph_count; s++) {
    arn_subgraph g;
    arn_node node;
    int32_t callees[2];
    if (arn_model_subgraph(m, s, &g) != ARN_OK) return false;
    for (uint32_t n = 0; n < g.node_count; n++) {
      arn_model_node(m, &g, n, &node);
      const uint32_t count = arn__calls_of(m, &node, callees);
      for (uint32_t i = 0; i < count; i++) {
        if (callees[i] != (int32_t)*subgraph) continue;
        const uint32_t slot = input + (node.code == ARN__CODE_IF);
        if (slot >= node.input_count) return false;
        *subgraph = s;
        *tensor = arn_model_index(m, node.inputs_at, slot);
        return *tensor >= 0;
      }
    }
  }
  return false;
}

// Finds the VAR_HANDLE node behind RESOURCE tensor `tensor` of `subgraph`, through calls. Returns
// false where there is none. Of several nodes for one variable, the first is returned.
static bool variable_of(const arn_model *m, uint32_t subgraph, int32_t tensor, site *first) {
  for (uint32_t hop = 0; hop <= ARN_MAX_CALL_DEPTH; hop++) {
    arn_subgraph g;
    arn_node node;
    if (arn_model_subgraph(m, subgraph, &g) != ARN_OK) return false;
    const int32_t producer = arn__graph_producer(m, &g, tensor);
    if (producer >= 0) {
      arn_model_node(m, &g, (uint32_t)producer, &node);
      if (node.code != ARN__CODE_VAR_HANDLE) return false;
      *first = first_of(m, &node, (site){subgraph, (uint32_t)producer});
      return true;
    }
    const int32_t input = arn_model_index_find(m, g.inputs_at, g.input_count, tensor);
    if (input < 0 || !find_caller(m, &subgraph, (uint32_t)input, &tensor)) return false;
  }
  return false;
}

static arn_status fail(arn_error *error, site at) {
  if (error) {
    *error = (arn_error){ARN_ERR_MODEL, ARN_WHAT_VARIABLE, (int32_t)at.subgraph, (int32_t)at.node,
                         ARN_NOWHERE, 0, 0, 0};
  }
  return ARN_ERR_MODEL;
}

// Takes the tensor that node `at` reads from or assigns to `variable` into account.
static arn_status unite(const arn_model *m, site variable, site at, arn_tensor *tensor,
                        arn_error *error) {
  arn_subgraph g;
  arn_node node;
  arn_tensor t;
  site found;
  if (arn_model_subgraph(m, at.subgraph, &g) != ARN_OK) return ARN_ERR_INTERNAL;
  arn_model_node(m, &g, at.node, &node);
  const bool reads = node.code == ARN__CODE_READ_VARIABLE && node.output_count > 0;
  const bool assigns = node.code == ARN__CODE_ASSIGN_VARIABLE && node.input_count > 1;
  if ((!reads && !assigns) || node.input_count == 0) return ARN_OK;
  const int32_t handle = arn_model_index(m, node.inputs_at, 0);
  if (handle < 0 || !variable_of(m, at.subgraph, handle, &found)) return ARN_OK;
  if (found.subgraph != variable.subgraph || found.node != variable.node) return ARN_OK;
  const int32_t value = reads ? arn_model_index(m, node.outputs_at, 0)
                              : arn_model_index(m, node.inputs_at, 1);
  if (value < 0) return fail(error, at);
  arn_model_tensor(m, &g, (uint32_t)value, &t);
  if (tensor->index >= 0 && (tensor->bytes != t.bytes || tensor->type != t.type)) {
    return fail(error, at);
  }
  if (assigns || tensor->index < 0) *tensor = t;  // what is assigned gives the zero point
  return ARN_OK;
}

// Computes the bytes of a variable from the nodes that read and assign it (0 where none does), and
// its zero point and type. Fails: VARIABLE where they disagree.
static arn_status variable_tensor(const arn_model *m, const uint8_t *depth, site variable,
                                  arn_tensor *tensor, arn_error *error) {
  memset(tensor, 0, sizeof *tensor);
  tensor->index = -1;
  for (uint32_t s = 0; s < m->subgraph_count; s++) {
    arn_subgraph g;
    if (depth[s] == 0 || arn_model_subgraph(m, s, &g) != ARN_OK) continue;
    for (uint32_t n = 0; n < g.node_count; n++) {
      const arn_status status = unite(m, variable, (site){s, n}, tensor, error);
      if (status != ARN_OK) return status;
    }
  }
  return ARN_OK;
}

// ---- while starting -----------------------------------------------------------------------------

static arn_status take_resource(arn__starter *s, site at, const arn_node *node) {
  site first;
  arn_tensor t;
  if (node->output_count != 1) {
    return arn__starter_fail(s, ARN_ERR_MODEL, ARN_WHAT_OUTPUT_COUNT, (int32_t)at.subgraph,
                             (int32_t)at.node);
  }
  const int32_t handle = arn_model_index(s->model, node->outputs_at, 0);
  if (!variable_of(s->model, at.subgraph, handle, &first)) return ARN_ERR_INTERNAL;
  if (first.subgraph != at.subgraph || first.node != at.node) return ARN_OK;
  TRY(variable_tensor(s->model, s->depth, at, &t, s->error));
  const uint32_t offset =
      arn__arena_take(&s->arena, t.bytes, arn__starter_alignment(&t), ARN__FOR_VARIABLES);
  arn__starter_set_place(s, at.subgraph, (uint32_t)handle, arn__place(ARN__PLACE_STATIC, offset));
  return ARN_OK;
}

static arn_status take(arn__starter *s, uint32_t subgraph) {
  arn_subgraph g;
  arn_node node;
  if (arn_model_subgraph(s->model, subgraph, &g) != ARN_OK) return ARN_ERR_INTERNAL;
  for (uint32_t n = 0; n < g.node_count; n++) {
    if (arn__model_code(s->model, &g, n) != ARN__CODE_VAR_HANDLE) continue;
    arn_model_node(s->model, &g, n, &node);
    TRY(take_resource(s, (site){subgraph, n}, &node));
  }
  return ARN_OK;
}

// Every other RESOURCE tensor gets the place of the variable that it stands for.
static arn_status share_resource(arn__starter *s, uint32_t subgraph, const arn_tensor *t) {
  site first;
  arn_subgraph g;
  arn_node node;
  if (!variable_of(s->model, subgraph, t->index, &first)) {
    arn__starter_fail(s, ARN_ERR_MODEL, ARN_WHAT_VARIABLE, (int32_t)subgraph, ARN_NOWHERE);
    s->error->tensor = t->index;
    return ARN_ERR_MODEL;
  }
  if (!arn__starter_writes(s) || !arn__starter_reads(s, first.subgraph)) return ARN_OK;
  TRY(arn_model_subgraph(s->model, first.subgraph, &g));
  arn_model_node(s->model, &g, first.node, &node);
  const int32_t handle = arn_model_index(s->model, node.outputs_at, 0);
  arn__places_of(s->nn, subgraph)[t->index] = arn__places_of(s->nn, first.subgraph)[handle];
  return ARN_OK;
}

static arn_status share(arn__starter *s, uint32_t subgraph) {
  arn_subgraph g;
  if (arn_model_subgraph(s->model, subgraph, &g) != ARN_OK) return ARN_ERR_INTERNAL;
  for (uint32_t i = 0; i < g.tensor_count; i++) {
    arn_tensor t;
    if (arn__model_type(s->model, &g, i) != ARN_RESOURCE) continue;
    arn_model_tensor(s->model, &g, i, &t);
    TRY(share_resource(s, subgraph, &t));
  }
  return ARN_OK;
}

// ---- while running ------------------------------------------------------------------------------

static arn_status kind(const arn_interpreter *nn, uint32_t subgraph, uint32_t tensor,
                       arn_tensor *t) {
  uint8_t depth[ARN_MAX_SUBGRAPHS];
  site first;
  TRY(arn__depths(nn->model, nn->config.ops, depth, NULL));
  if (!variable_of(nn->model, subgraph, (int32_t)tensor, &first)) return ARN_ERR_ARGUMENT;
  return variable_tensor(nn->model, depth, first, t, NULL);
}

const arn__variables arn__resource_variables = {take, share, kind};
