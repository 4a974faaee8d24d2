// What every step of an invocation computed: entries of arenite/trace.h in the file's order of
// nodes, whatever the plan, so that two traces can be compared line by line.
//
// Inputs come first, then what nodes wrote (nested subgraphs inside the node that called them),
// then the variables as the invocation left them. A view that a row plan has no step for gets its
// source's entry.
#ifndef ARENITE_HOST_DECIDE_LAYERS_H
#define ARENITE_HOST_DECIDE_LAYERS_H

#include "arenite/trace.h"
#include "host/check/engine.h"

#define HOST_LAYER_INPUT (-1)
#define HOST_LAYER_VARIABLE INT32_MAX

typedef struct host_layer {
  uint32_t invocation;
  int32_t main_node;         // of the main subgraph, HOST_LAYER_INPUT or HOST_LAYER_VARIABLE
  arn_trace_entry entry;
} host_layer;

// A tensor whose bytes changed although nobody wrote it: a broken plan or operator.
typedef struct host_layer_change {
  bool seen;
  uint32_t invocation, node, tensor;   // after which node
} host_layer_change;

typedef struct host_layers {
  host_layer *list;
  uint32_t count, room;
  arn_trace trace;
  arn_trace_entry open[64];
  uint32_t *alive_crc;       // by tensor of the main subgraph: as it was written
  uint32_t *alive_bytes;     // 0: not written yet
  uint32_t tensor_count;
  host_layer_change change;  // the first
  uint32_t invocation;
  int32_t main_node;
  bool over;                 // the host has no memory
} host_layers;

// Makes room for a model's layers. Returns false where the host has no memory.
bool host_layers_open(host_layers *layers, const arn_model *model);
void host_layers_close(host_layers *layers);

// The hooks to start the engine with. Borrows `layers`.
arn_hooks host_layers_hooks(host_layers *layers);

// Runs an invocation whose inputs have been written, and adds its layers. After every node, all
// tensors that are still alive are summed again (not under a row plan, which is proved when it is
// loaded).
arn_status host_layers_run(host_layers *layers, host_engine *engine, uint32_t invocation,
                           arn_error *error);

// A checksum from elsewhere.
typedef struct host_reference_line {
  uint32_t invocation, subgraph, tensor, crc;
} host_reference_line;

typedef struct host_reference {
  host_reference_line *lines;
  uint32_t count;
} host_reference;

// Reads lines of words under a line that names the columns: invocation (or inv), subgraph (or sub),
// tensor, crc32; others are ignored, and so is everything before that line. Returns NULL, or what
// is wrong; *line is where.
const char *host_reference_parse(const char *text, host_reference *reference, uint32_t *line);
void host_reference_free(host_reference *reference);

// Finds the last line for a tensor; NULL where there is none.
const host_reference_line *host_reference_find(const host_reference *reference, uint32_t invocation,
                                               uint32_t subgraph, uint32_t tensor);

#endif
