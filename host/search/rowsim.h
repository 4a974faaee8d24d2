// Running a schedule on paper: which bytes are alive after each step.
#ifndef ARENITE_HOST_SEARCH_ROWSIM_H
#define ARENITE_HOST_SEARCH_ROWSIM_H

#include "host/search/rowgraph.h"

// node < node_count: rows [first, first + count) of it. node == node_count: rows of streamed input `port`
// arrive; node_count + 1: rows of streamed output `port` are handed over.
typedef struct host_row_step {
  uint32_t node, port, first, count;
  bool in_place;             // output 0's rows take the places of the dying input rows
} host_row_step;

typedef struct host_steps {
  host_row_step *list;
  uint32_t count, room;
} host_steps;

// The state between two steps.
typedef struct host_row_machine {
  const host_row_graph *graph;
  uint32_t *done;            // rows, by node
  uint32_t *born, *dead;     // bytes, by root
  uint64_t live;             // bytes alive between steps
  uint64_t peak;             // highest seen, inside steps
  uint64_t limit;            // a step above it stops the schedule; 0: none
  host_steps *steps;         // where steps are written; NULL: nowhere
  uint32_t batch;            // rows of a sink that are pulled at once
  bool over;                 // the limit was passed, or memory ran out
} host_row_machine;

bool host_machine_open(host_row_machine *machine, const host_row_graph *graph);
void host_machine_close(host_row_machine *machine);

// Puts the machine where nodes before `first` are complete and the others have not begun.
void host_machine_begin(host_row_machine *machine, uint32_t first);

// Runs one step; updates live and peak, and writes the step.
void host_machine_step(host_row_machine *machine, uint32_t node, uint32_t count);

// Returns the bytes that a step would have alive at once, and changes nothing.
uint64_t host_machine_try(const host_row_machine *machine, uint32_t node, uint32_t count);

// Repeats the arrival of rows of a streamed input.
void host_machine_port(host_row_machine *machine, const host_row_step *step);

// Runs nodes [first, last) depth first: rows of the last node, one batch at a time, each pulling what it
// needs; then the others to completion.
void host_machine_segment(host_row_machine *machine, uint32_t first, uint32_t last);

// Bytes that a root's prefix takes (rows and blocks are rounded up to granules of 4).
uint64_t host_root_bytes(const host_root *root, uint32_t born, uint32_t dead);

void host_steps_free(host_steps *steps);

#endif
