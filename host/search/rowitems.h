// What has to be placed: an item is a row, a block (a rigid root), the scratch of a node, or an
// accumulator, alive over an interval of steps. Rows computed in place share the item of the row
// they replace.
//
// A block has one address, but its bytes are born and die from the front: from a mark's step on it
// occupies [offset + low, offset + high), and so an output may follow its input closely.
#ifndef ARENITE_HOST_SEARCH_ROWITEMS_H
#define ARENITE_HOST_SEARCH_ROWITEMS_H

#include "host/search/rowsearch.h"

#define HOST_ROW_NOWHERE UINT32_MAX

typedef struct host_row_occupied {
  uint32_t step, low, high;
} host_row_occupied;

typedef struct host_row_item {
  uint32_t birth, death;      // steps, both included
  uint32_t bytes, offset;
  uint32_t group;             // root; for scratch and accumulators, behind the roots, the node
  uint32_t first_mark, mark_count;   // of blocks and scratch, in host_row_items.marks
} host_row_item;

typedef struct host_row_items {
  const host_row_graph *graph;
  const host_row_schedule *schedule;
  host_row_machine machine;
  host_row_item *items;
  uint32_t count, room;
  host_row_occupied *marks;
  uint32_t mark_count, mark_room;
  uint32_t **rows;            // by root: the item of each row (blocks: entry 0)
  uint32_t *folds, *scratch;  // by node
  bool failed;
} host_row_items;

// Makes the items of a schedule. Returns false where the host has no memory; close it in any case.
bool host_row_items_open(host_row_items *items, const host_row_graph *graph,
                         const host_row_schedule *schedule);
void host_row_items_close(host_row_items *items);

// What an item occupies at a step that it is alive in: the last mark at or before it.
host_row_occupied host_row_item_at(const host_row_items *items, const host_row_item *item,
                                   uint32_t step);

// Copies the offsets of all items into a layout, whose arrays are there.
bool host_row_items_layout(const host_row_items *items, host_row_layout *layout);

// The other way round: offsets[item] as in a layout of the same graph, whatever its schedule.
void host_row_items_offsets(const host_row_items *items, const host_row_layout *layout,
                            uint32_t *offsets);

#endif
