// The main subgraph of a model as something that can be changed: nodes go, read other tensors,
// write other tensors, get other options; tensors become constants. Written back, all else is
// carried over.
#ifndef ARENITE_HOST_REWRITE_GRAPH_H
#define ARENITE_HOST_REWRITE_GRAPH_H

#include <stdbool.h>

#include "arenite/model.h"

#define REWRITE_NO_CHANGE (-1)

typedef struct rewrite_node {
  arn_node node;
  uint32_t table_at;       // of the operator in the file
  int32_t *inputs, *outputs;   // tensors, as changed
  bool gone, inputs_changed, outputs_changed;
  int32_t option, value;   // a field of its options and what it shall be; REWRITE_NO_CHANGE: none
} rewrite_node;

typedef struct rewrite_tensor {
  uint32_t table_at;
  void *data;              // what it holds from now on (owned); NULL: as in the file
  uint32_t bytes;
  bool constant;
  bool reshaped;           // the file leaves its shape open, and it was found
  int32_t dims[ARN_MAX_RANK];
  uint32_t rank;
} rewrite_tensor;

typedef struct rewrite_graph {
  arn_model model;         // the file as it came; borrowed
  const void *bytes;
  size_t size;
  arn_subgraph subgraph;
  uint32_t subgraph_at;
  rewrite_node *nodes;
  const uint32_t *order;   // all nodes, as they are to be written; NULL: as they came (borrowed)
  rewrite_tensor *tensors;
} rewrite_graph;

// Opens the main subgraph of a file (16-byte aligned, borrowed). Fails: false; nothing is left to
// free.
bool rewrite_graph_open(rewrite_graph *g, const void *bytes, size_t size);
void rewrite_graph_free(rewrite_graph *g);

// Returns how many inputs of nodes read a tensor, an output of the model counting as one.
uint32_t rewrite_readers(const rewrite_graph *g, int32_t tensor);

// Returns the node that writes a tensor; NULL where none does any more.
rewrite_node *rewrite_writer(const rewrite_graph *g, int32_t tensor);

// Lets every node read `to` where it read `from`. Outputs of the model stay what they are.
void rewrite_read_instead(rewrite_graph *g, int32_t from, int32_t to);

bool rewrite_is_output(const rewrite_graph *g, int32_t tensor);

// Writes the file anew. The caller frees *bytes. Fails: false, *why a sentence (static storage).
bool rewrite_graph_write(const rewrite_graph *g, uint8_t **bytes, size_t *size, const char **why);

#endif
