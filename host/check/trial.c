#include "host/check/trial.h"

#include <string.h>

bool host_trial_prepare(host_trial *t, const arn_interpreter *nn, uint32_t subgraph, uint32_t n) {
  memset(t, 0, sizeof *t);
  if (arn_model_subgraph(nn->model, subgraph, &t->g) != ARN_OK || n >= t->g.node_count) {
    return false;
  }
  arn_model_node(nn->model, &t->g, n, &t->node);
  t->memory = arn_memory_of_node(nn, subgraph, n);
  t->p = (arn_prepare){.model = nn->model,
                       .subgraph = &t->g,
                       .node = &t->node,
                       .op = t->memory.op,
                       .ops = nn->config.ops,
                       .subgraph_index = (int32_t)subgraph,
                       .node_index = (int32_t)n,
                       .error = &t->error};
  return t->memory.op && t->memory.op->prepare(&t->p, t->state) == ARN_OK;
}
