// A node of a started model, prepared again: what its operator says about rows, views, scratch.
#ifndef ARENITE_HOST_CHECK_TRIAL_H
#define ARENITE_HOST_CHECK_TRIAL_H

#include "arenite/interpreter.h"

typedef struct host_trial {
  arn_subgraph g;
  arn_node node;
  arn_node_memory memory;  // what the running engine has of it
  arn_prepare p;           // points into this struct: a trial must not be copied
  uint32_t state[ARN_STATE_MAX_BYTES / 4];
  arn_error error;
} host_trial;

// Prepares node `n` of a subgraph. Borrows `nn`. Returns false where the node has no operator or
// refuses; g, node and memory are set even then.
bool host_trial_prepare(host_trial *trial, const arn_interpreter *nn, uint32_t subgraph,
                        uint32_t n);

#endif
