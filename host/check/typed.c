#include "host/check/typed.h"

#include "host/check/engine.h"
#include "src/graph/graph.h"
#include "src/plan/rowplan.h"

static const arn_op *const typed_records[] = {
#define ARN_OP(record) &arn_op_##record,
#include "arenite/typed_ops.def"
#undef ARN_OP
};

#define TYPED_COUNT (sizeof typed_records / sizeof typed_records[0])

// Marks the operators of a subgraph. Returns the first node that has none, or -1.
static int32_t mark(const arn_model *m, uint32_t subgraph, bool *needed) {
  arn_subgraph g;
  arn_node node;
  if (arn_model_subgraph(m, subgraph, &g) != ARN_OK) return -1;
  for (uint32_t n = 0; n < g.node_count; n++) {
    arn_model_node(m, &g, n, &node);
    const int32_t found = arn__graph_find_op(m, &arn_ops_all, &node);
    if (found < 0) return (int32_t)n;
    needed[found] = true;
  }
  return -1;
}

static bool starts(const arn_model *model, const arn_op_list *ops) {
  const arn_config config = {.ops = ops};
  arn_usage usage;
  return host_measure(model, &config, &usage, NULL) == ARN_OK;
}

// Puts a record of one type where the one for all types is, if the model starts with it.
static void narrow(const arn_model *model, host_typed_ops *typed, uint32_t i) {
  const arn_op *all = typed->ops[i];
  for (size_t k = 0; k < TYPED_COUNT; k++) {
    if (typed_records[k]->code != all->code) continue;
    typed->ops[i] = typed_records[k];
    if (starts(model, &typed->list)) return;
    typed->ops[i] = all;
  }
}

bool host_typed_ops_choose(const arn_model *model, host_typed_ops *typed, arn_error *missing) {
  bool needed[HOST_TYPED_MOST] = {false};
  for (uint32_t s = 0; s < model->subgraph_count; s++) {
    const int32_t node = mark(model, s, needed);
    if (node < 0) continue;
    if (missing) {
      *missing = (arn_error){ARN_ERR_NO_OP, ARN_WHAT_OP_NOT_SUPPORTED, (int32_t)s, node,
                             ARN_NOWHERE, 0, 0, 0};
    }
    return false;
  }
  typed->list = (arn_op_list){typed->ops, 0, &arn_file_plans};
  for (uint32_t i = 0; i < arn_ops_all.count; i++) {
    if (needed[i]) typed->ops[typed->list.count++] = arn_ops_all.ops[i];
  }
  for (uint32_t i = 0; i < typed->list.count; i++) narrow(model, typed, i);
  return true;
}

const char *host_typed_op_name(const arn_op *op) {
  static const struct {
    const arn_op *op;
    const char *name;
  } names[] = {
#define ARN_OP(record) {&arn_op_##record, #record},
#include "arenite/ops.def"
#include "arenite/typed_ops.def"
#undef ARN_OP
  };
  for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
    if (names[i].op == op) return names[i].name;
  }
  return NULL;
}

bool host_typed_needs_plans(const arn_model *model) {
  uint32_t bytes;
  return arn_model_metadata(model, ARN__PLAN_NAME, &bytes) != NULL;
}
