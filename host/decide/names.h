// Names of tensors and operators from a file that may be hostile: printable ASCII, cut to the room
// there is.
#ifndef ARENITE_HOST_DECIDE_NAMES_H
#define ARENITE_HOST_DECIDE_NAMES_H

#include "arenite/model.h"

#define HOST_NAME_BYTES 64

typedef struct host_name {
  char text[HOST_NAME_BYTES];
} host_name;

// Returns the name of a tensor; "?" where there is no such tensor.
host_name host_name_of_tensor(const arn_model *model, uint32_t subgraph, uint32_t tensor);

// Returns the operator of a node ("CONV_2D", or a custom operator's name); "?" where there is none.
host_name host_name_of_node(const arn_model *model, uint32_t subgraph, uint32_t node);

// Returns `length` bytes at `text` likewise.
host_name host_name_from(const char *text, size_t length);

#endif
