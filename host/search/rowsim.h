// Running a schedule on paper: which bytes are alive after each step.
#ifndef ARENITE_HOST_SEARCH_ROWSIM_H
#define ARENITE_HOST_SEARCH_ROWSIM_H

#include "host/search/rowgraph.h"

// Searches end by the work that they did, not by a clock: so a plan depends on the model, the
// options, the budget and the seed, and neither on the machine nor on what else runs there. A unit
// takes 8 to 16 ns on a processor of 2023: a second of a budget is rarely more than one there.
#define HOST_WORK_A_SECOND 60000000u

// node < node_count: rows [first, first + count) of it. node == node_count: rows of streamed input
// `port` arrive; node_count + 1: rows of streamed output `port` are handed over.
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
  bool over;                 // the limit was passed, or memory ran out
  uint64_t work;             // done since the machine was opened, in units (HOST_WORK_A_SECOND)
  bool *early;               // by node: unread rows are born before the last step that reads any
} host_row_machine;

bool host_machine_open(host_row_machine *machine, const host_row_graph *graph);
void host_machine_close(host_row_machine *machine);

// Puts the machine where nodes before `first` are complete and the others have not begun.
void host_machine_begin(host_row_machine *machine, uint32_t first);

// Rows of a node that are made before it counts as done: all, or those that somebody reads.
uint32_t host_machine_wanted(const host_row_machine *machine, uint32_t node);

// Where the bytes of a use end that must be there for a row of its node.
uint32_t host_machine_until(const host_row_machine *machine, const host_use *use, uint32_t row);

// Runs one step; updates live and peak, and writes the step.
void host_machine_step(host_row_machine *machine, uint32_t node, uint32_t count);

// Returns the bytes that a step would have alive at once, and changes nothing.
uint64_t host_machine_try(const host_row_machine *machine, uint32_t node, uint32_t count);

// Repeats the arrival of rows of a streamed input.
void host_machine_port(host_row_machine *machine, const host_row_step *step);

// Has the next `count` rows of a node computed, and before them whatever they need: depth first,
// row by row (host_machine_pull), or in as few steps as there are nodes (host_machine_pull_batch).
void host_machine_pull(host_row_machine *machine, uint32_t node, uint32_t count);
void host_machine_pull_batch(host_row_machine *machine, uint32_t node, uint32_t count);

// Runs nodes [first, last) depth first: the last node row by row, each pulling what it needs; then
// the others, as far as their rows are wanted.
void host_machine_segment(host_row_machine *machine, uint32_t first, uint32_t last);

// Runs the rows of nodes [first, last) that nobody wanted.
void host_machine_finish(host_row_machine *machine, uint32_t first, uint32_t last);

// A state to come back to.
typedef struct host_row_mark {
  uint32_t *words;           // done, born, dead
  uint64_t live, peak;
  uint32_t steps;
} host_row_mark;

bool host_mark_open(host_row_mark *mark, const host_row_graph *graph);
void host_mark_close(host_row_mark *mark);
void host_mark_set(host_row_mark *mark, const host_row_machine *machine);
void host_mark_return(const host_row_mark *mark, host_row_machine *machine);

// Bytes that a root's prefix takes (rows and blocks are rounded up to granules of 4).
uint64_t host_root_bytes(const host_root *root, uint32_t born, uint32_t dead);

void host_steps_free(host_steps *steps);

#endif
