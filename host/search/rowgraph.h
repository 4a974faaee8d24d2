// What the row scheduler sees of a model: the main subgraph's nodes with the rows they can be cut
// into, and owners of bytes ("roots": tensors, views folded into what they view) with who reads
// which bytes when.
//
// A root's bytes are born and die from the front. need[r] of a use is the first byte that the node
// still needs when r of its rows are done; until[r] is the end of what row r reads.
#ifndef ARENITE_HOST_SEARCH_ROWGRAPH_H
#define ARENITE_HOST_SEARCH_ROWGRAPH_H

#include "arenite/arenite.h"

typedef struct host_use {
  uint32_t node, slot, root;
  uint32_t *need;    // [rows + 1]; need[rows] is UINT32_MAX
  uint32_t *until;   // [rows]
  uint32_t last_until;   // what until[rows - 1] is by the operator's word alone
} host_use;

typedef struct host_row_node {
  uint32_t index;            // in the subgraph
  bool barrier;              // touches variables: a segment of its own
  bool borrowed;             // folds by the rows of whatever made its input, not its own
  bool skip;                 // a view, or folded away: has no steps
  arn_work work;
  uint32_t rows;             // steps of one row that make the whole
  uint32_t wanted;           // rows that somebody reads; later ones read nothing, and can wait
  uint32_t in_place, scratch_bytes, fold_bytes;
  uint32_t first_use, use_count;       // in host_row_graph.uses
  uint32_t outputs[8], output_count;   // roots
  uint32_t output_row_bytes[8];        // bytes of each output that a step of one row adds
  uint32_t in_place_root;    // root that output 0 may lie on, row on row; UINT32_MAX: none
  uint32_t in_place_slot;
} host_row_node;

typedef struct host_root {
  uint32_t tensor;           // that owns the bytes
  uint32_t bytes;
  uint32_t row_bytes;        // of a scattered row; == bytes where rigid or a single row
  uint32_t read_end;         // bytes that are read, or given to the caller: [0, read_end)
  bool rigid;                // must be contiguous
  bool is_input, is_output;
  uint32_t input_port, output_port;
  int32_t producer;          // node, -1 for inputs
  bool streamed_in, streamed_out;
} host_root;

typedef struct host_row_graph {
  const arn_interpreter *nn;
  arn_subgraph subgraph;
  host_row_node *nodes;
  uint32_t node_count;
  host_root *roots;
  uint32_t root_count;
  int32_t *root_of;          // by tensor; -1: no dynamic memory
  host_use *uses;
  uint32_t use_count;
  uint32_t *readers;         // uses of each root: readers[reader_first[root] ...)
  uint32_t *reader_first;    // [root_count + 1]
} host_row_graph;

// Which inputs / outputs are streamed by rows (bit i), where their rows allow.
typedef struct host_stream_wish {
  uint32_t inputs, outputs;
} host_stream_wish;

// Builds the graph from a started interpreter, which must outlive it. Returns false where the host
// has no memory or the subgraph is beyond what this scheduler handles (an operator with more than 8
// outputs).
bool host_row_graph_build(host_row_graph *graph, const arn_interpreter *nn, host_stream_wish wish);
void host_row_graph_free(host_row_graph *graph);

#endif
