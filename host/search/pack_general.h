// Everything that is not plain rectangles in one region: conflicts as forbidden differences of
// offsets, a placing heuristic over them (pack_place.c) and an exact search (pack_pairs.c).
#ifndef ARENITE_HOST_SEARCH_PACK_GENERAL_H
#define ARENITE_HOST_SEARCH_PACK_GENERAL_H

#include "host/search/pack_model.h"

// offset[a] - offset[b] must not lie strictly between low and high, if both are in the same region.
// Each pair of boxes alive together gives such a gap; gaps of a pair that touch are one.
typedef struct pack_gap {
  uint32_t a, b;
  int64_t low, high;
} pack_gap;

// All gaps, sorted by (a, b, low), a < b; and for every item the indices of its gaps.
typedef struct pack_conflicts {
  pack_gap *gaps;
  uint32_t gap_count;
  uint32_t *first;             // [items + 1] into `of`
  uint32_t *of;                // [2 * gap_count]
} pack_conflicts;

// Fails (false): no memory, or more than 2^24 pairs of boxes.
bool arn__conflict_open(pack_conflicts *c, const pack_model *model);
void arn__conflict_close(pack_conflicts *c);

typedef struct pack_general {
  const pack_model *model;
  pack_conflicts conflicts;
  uint32_t *order;             // [items] in which the heuristic places
  double *urgency;             // [items] how often an item found no room
  uint8_t *is_ruled;           // [items] appears in a rule
} pack_general;

bool arn__general_open(pack_general *g, const pack_model *model);
void arn__general_close(pack_general *g);

// Places in some order, first fit; repairs the order where an item finds no room. Never PACK_FAIL.
int arn__general_place(pack_general *g, pack_attempt *attempt);

// Decides pair by pair who is above. Complete: PACK_FAIL is a proof.
int arn__general_decide(pack_general *g, pack_attempt *attempt);

// One of the two, by turns.
int arn__general_attempt(pack_general *g, pack_attempt *attempt);

static inline uint32_t pack_region_count(const pack_model *m) {
  return m->problem->region_count ? m->problem->region_count : 1u;
}

static inline uint32_t pack_capacity(const pack_model *m, const pack_attempt *a, uint32_t region) {
  return region ? m->problem->capacities[region] : a->capacity;
}

#endif
