// Packing: a place for every item in time and bytes.
//
//   bytes                    An item is alive over steps [lower, upper) and needs `size` bytes
//     |  +-------+           in one piece, at an offset that never changes. Two items alive at the
//     |  |   C   |+-----+    same step must not share a byte. Which offsets keep all tops within a
//     |  +--+----+|  D  |    capacity?
//     |  | A|  B  +-----+
//     |  |  |     |     |    More than rectangles: a rigid group has one offset and a shape that
//     +----------------- >   changes over time (pieces); items may be fixed, aligned, confined to
//                   steps    some of several regions, and bound in pairs.
//
// Plain rectangles in one region go to an exact branch and bound (pack_sky.h); everything else to a
// placing heuristic and a slower exact search (pack_pairs.c). README.md in this folder argues why
// both are exact. Every answer SOLVED has passed arn_pack_check, which shares no code with the
// search.
//
// Conventions: steps and bytes are uint32_t. The caller owns every array; nothing is kept. The
// functions allocate with malloc and free all of it before they return.
#ifndef ARENITE_HOST_SEARCH_PACK_H
#define ARENITE_HOST_SEARCH_PACK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define ARN_PACK_MAX_BYTES (UINT32_C(1) << 30)   // largest capacity, size, offset and distance
#define ARN_PACK_MAX_REGIONS 8u
#define ARN_PACK_FREE UINT32_MAX                 // arn_pack_item.fixed: anywhere

// Bytes [offset + low, offset + high) are the item's during steps [lower, upper).
// Needs: lower < upper, low < high <= ARN_PACK_MAX_BYTES.
typedef struct arn_pack_piece {
  uint32_t lower, upper;
  uint32_t low, high;
} arn_pack_piece;

// Something to place. A rectangle leaves `pieces` NULL; a group leaves lower, upper and size 0.
typedef struct arn_pack_item {
  uint32_t lower, upper, size;      // Needs: lower < upper, size > 0
  const arn_pack_piece *pieces;     // borrowed; pieces of one item never overlap each other
  uint32_t piece_count;
  uint32_t alignment;               // of the offset; 0: 1. Any number, not only powers of two
  uint32_t fixed;                   // ARN_PACK_FREE or the offset it must have
  uint32_t regions;                 // bit r: region r is allowed; 0: region 0 only
} arn_pack_item;

// Replaces "`upper` and `lower` share no byte" for one pair of items in the same region by
//   offset[upper] >= offset[lower] + distance,  or  `upper` ends at or below offset[lower].
// With a distance under lower's size the two may overlap (an output that trails its input); with
// one above it there is room between them. Holds whether or not the two live at the same time.
typedef struct arn_pack_rule {
  uint32_t upper, lower;            // indices of items
  int32_t distance;                 // bytes, magnitude <= ARN_PACK_MAX_BYTES
} arn_pack_rule;

typedef struct arn_pack_problem {
  const arn_pack_item *items;
  uint32_t count;
  const arn_pack_rule *rules;
  uint32_t rule_count;
  uint32_t region_count;            // 0: 1
  const uint32_t *capacities;       // [region_count] bytes, entry 0 unread; NULL for one region
} arn_pack_problem;

typedef enum arn_pack_verdict {
  ARN_PACK_SOLVED,                  // minimize: and proved smallest
  ARN_PACK_INFEASIBLE,              // proved
  ARN_PACK_BUDGET,                  // ran out; minimize: see result.found
  ARN_PACK_INVALID,                 // the problem breaks a Needs; result.item says where
  ARN_PACK_NO_MEMORY,
} arn_pack_verdict;

// Told at every improvement and a few times a second: proved lower bound, best height (0: none
// yet).
typedef void arn_pack_progress(void *context, uint32_t bound, uint32_t height, double seconds);

typedef struct arn_pack_options {
  uint32_t capacity;                // bytes of region 0; minimize: no result above it (0: any)
  double budget_seconds;            // CPU time of this thread; 0: 10 s
  uint64_t budget_nodes;            // 0: no limit. With it, and time to spare, runs repeat exactly
  uint64_t seed;
  arn_pack_progress *progress;      // NULL: silent
  void *context;
} arn_pack_options;

typedef struct arn_pack_result {
  uint32_t *offsets;                // in: [count], caller's. Written where something was found
  uint8_t *regions;                 // in: [count] or NULL
  bool found;                       // offsets hold a placement
  uint32_t height;                  // its highest byte used in region 0, + 1
  uint32_t bound;                   // no placement has a smaller height (proved)
  uint32_t item;                    // of ARN_PACK_INVALID: the item or rule at fault
  const char *reason;               // of ARN_PACK_INVALID: a clause; else NULL
  uint64_t nodes;                   // places tried by the searches
  double seconds;                   // CPU time used
} arn_pack_result;

// Finds a placement within options->capacity or proves that there is none.
// Needs: result->offsets set; 0 < capacity <= ARN_PACK_MAX_BYTES.
// Deterministic for equal problem, seed and budget_nodes as long as the time suffices.
arn_pack_verdict arn_pack_solve(const arn_pack_problem *problem, const arn_pack_options *options,
                                arn_pack_result *result);

// Finds the smallest capacity of region 0. SOLVED: height == bound, proved. BUDGET: the minimum
// lies in [bound, height] if something was found. INFEASIBLE: none under options->capacity (or
// fixed places collide).
arn_pack_verdict arn_pack_minimize(const arn_pack_problem *problem, const arn_pack_options *options,
                                   arn_pack_result *result);

// The largest sum of live bytes at any step, of items that can only be in region 0, or the highest
// top that one item alone forces. O(pieces log pieces). Returns 0 for an invalid problem or without
// memory.
uint32_t arn_pack_bound(const arn_pack_problem *problem);

// ---- the independent judge (pack_check.c) ----

typedef enum arn_pack_fault {
  ARN_PACK_OK,
  ARN_PACK_OVERLAP,                 // first, second: items that share a byte at a step
  ARN_PACK_OVER_CAPACITY,           // first: an item whose top is above its region's capacity
  ARN_PACK_MISALIGNED,
  ARN_PACK_MOVED,                   // a fixed item is elsewhere
  ARN_PACK_WRONG_REGION,
  ARN_PACK_BROKEN_RULE,             // first: the index of the rule
  ARN_PACK_UNCHECKED,               // no memory
} arn_pack_fault;

typedef struct arn_pack_report {
  uint32_t first, second;
} arn_pack_report;

// Judges a placement by a sweep over time. regions NULL: all in region 0. report may be NULL.
arn_pack_fault arn_pack_check(const arn_pack_problem *problem, uint32_t capacity,
                              const uint32_t *offsets, const uint8_t *regions,
                              arn_pack_report *report);

// The fault as a clause ("two items overlap").
const char *arn_pack_fault_text(arn_pack_fault fault);

// arenite pack F.csv ...: the command. Returns an exit code.
int arn_pack_main(int argc, char **argv);

#endif
