// The exact search for plain rectangles: a skyline that rises. README.md has the argument.
//
//   floor[s]  what section s is filled up to: every item still to be placed lies above it
//   top[s]    the top of the highest item placed in s (floor - top is waste that was decided on)
//
// A valley is a run of equal floors between higher ones. In any solution where no item can slide
// down, a section of a valley either has an item standing exactly on the floor, wholly inside the
// valley, or it stays empty for a while. The search picks one section and tries those items, then
// the waste.
#ifndef ARENITE_HOST_SEARCH_PACK_SKY_H
#define ARENITE_HOST_SEARCH_PACK_SKY_H

#include "host/search/pack_model.h"

#define SKY_LEVELS 16u               // of the range tables: up to 2^16 sections

typedef struct sky_item {
  int32_t first, end;                // sections [first, end)
  int32_t size, alignment, last;     // in units; last: the highest offset that fits
  uint64_t key;                      // for memo
} sky_item;

// A part of the problem that depends on nothing outside: sections [first, end) and the items
// order[base .. base + count), all inside.
typedef struct sky_part {
  int32_t first, end;
  int32_t base, count;
} sky_part;

// Sections on whose state a failure depends, as a hull [from, to).
typedef struct sky_hull {
  int32_t from, to;
} sky_hull;

typedef struct sky_section {
  int32_t floor, top;
  sky_hull why;                      // what the floor depends on
} sky_section;

typedef struct sky_change {
  int32_t section;
  sky_section old;
} sky_change;

typedef struct sky_memo {
  uint64_t key, check;
  sky_hull why;
} sky_memo;

typedef struct sky {
  const pack_model *model;
  int32_t count, section_count, capacity, unit;
  bool is_aligned;                   // some alignment is above a unit
  sky_item *items;
  sky_section *sections;
  int32_t *rest;                     // [sections] bytes still to be placed there
  int32_t *cross;                    // [sections] unplaced items alive in s - 1 and s
  int32_t *order, *place;            // unplaced items by part; where an item is in order
  int32_t *rank;                     // the order in which candidates are tried
  int32_t *low;                      // lowest offset of each unplaced item, after inference
  int32_t *offset;                   // found
  double *weight;                    // [sections] how often failures involved them
  int32_t *table;                    // [SKY_LEVELS + 1][sections + 1] range maxima or minima
  int32_t *valley, *valley_end;      // [sections] scratch; valley: its first section or -1
  int32_t *delta;                    // [sections + 1]
  sky_change *trail;
  size_t trail_count, trail_room;
  int32_t *stack;                    // candidates and parts of the nodes on the path
  size_t stack_count, stack_room;
  sky_memo *memo;
  size_t memo_mask;
  uint64_t salt;                     // of the memo's keys: changes with the capacity
  sky_hull failure;                  // why the last search failed
  uint64_t nodes, node_limit;
  uint32_t choice;                   // how sections are chosen, 0 .. 3
  double deadline;
  bool no_memory;
} sky;

// Needs: model->is_plain. Fails (false) where there is no memory or the problem is too large for
// it.
bool arn__sky_open(sky *s, const pack_model *model);
void arn__sky_close(sky *s);

// One attempt: PACK_DONE (offsets found), PACK_FAIL (proved: there is no placement) or PACK_LIMIT.
int arn__sky_attempt(sky *s, pack_attempt *attempt);

// ---- between pack_sky.c and pack_sky_infer.c ----

// Raises floors to a fixed point and finds low[] of the part's items. Returns false, with
// s->failure set, where the part cannot be completed or only by a placement in which some item
// could slide down.
bool arn__sky_infer(sky *s, const sky_part *part);

// Searches the whole problem from the state that the attempt has set up.
int arn__sky_search_all(sky *s);

// Sets a section, remembering what it was.
void arn__sky_set(sky *s, int32_t section, sky_section value);
void arn__sky_undo(sky *s, size_t mark);

// The hull with everything that the floors inside it depend on.
sky_hull arn__sky_close_hull(const sky *s, sky_hull hull);

static inline sky_hull sky_join(sky_hull a, sky_hull b) {
  return (sky_hull){a.from < b.from ? a.from : b.from, a.to > b.to ? a.to : b.to};
}

static inline int32_t sky_align(int32_t offset, int32_t alignment) {
  if (alignment == 1) return offset;
  return (offset + alignment - 1) / alignment * alignment;
}

#endif
