// A packing problem, checked and made compact: what the engines read. Private to
// host/search/pack_*.
#ifndef ARENITE_HOST_SEARCH_PACK_MODEL_H
#define ARENITE_HOST_SEARCH_PACK_MODEL_H

#include "host/search/pack.h"

// A piece in sections. Sections are the intervals between neighbouring distinct steps of the
// problem: within one, the set of live items does not change.
typedef struct pack_box {
  uint32_t item;
  uint32_t first, end;         // sections [first, end)
  uint32_t low, high;          // bytes above the item's offset
} pack_box;

typedef struct pack_model {
  const arn_pack_problem *problem;
  uint32_t count, section_count, box_count;
  pack_box *boxes;             // [box_count] by item
  uint32_t *first_box;         // [count + 1]
  uint32_t *top;               // [count] highest `high` of the item
  uint64_t *load;              // [section_count] bytes of items that only region 0 allows
  uint32_t bound;
  bool is_plain;               // rectangles, free, one region, no rules: pack_sky.h applies
} pack_model;

// One attempt of an engine: a bounded piece of work on one question, "does it fit in `capacity`?".
enum { PACK_FAIL, PACK_DONE, PACK_LIMIT };

typedef struct pack_attempt {
  uint32_t capacity;           // bytes of region 0
  uint64_t node_limit;
  double deadline;             // pack_cpu_seconds() when to give up
  uint64_t random;             // chooses orders and noise
  uint32_t turn;               // how many attempts before this one
  const uint32_t *guide;       // offsets of an earlier placement to stay near; NULL: none
  uint32_t *offsets;           // out
  uint8_t *regions;            // out
  uint64_t nodes;              // out: added to
} pack_attempt;

// Checks the problem and compiles it. INVALID fills item and reason of the result.
// Returns SOLVED where the model is ready (close it); nothing needs closing otherwise.
arn_pack_verdict arn__pack_model_open(pack_model *model, const arn_pack_problem *problem,
                                      arn_pack_result *result);
void arn__pack_model_close(pack_model *model);

double arn__pack_cpu_seconds(void);

// A well-mixed function of x (splitmix64's finisher).
static inline uint64_t pack_mix(uint64_t x) {
  x ^= x >> 30;
  x *= UINT64_C(0xbf58476d1ce4e5b9);
  x ^= x >> 27;
  x *= UINT64_C(0x94d049bb133111eb);
  return x ^ (x >> 31);
}

// The next of a stream of random numbers.
static inline uint64_t pack_random(uint64_t *state) {
  *state += UINT64_C(0x9e3779b97f4a7c15);
  return pack_mix(*state);
}

// Uniform in [-0.5, 0.5).
static inline double pack_noise(uint64_t *state) {
  return (double)(pack_random(state) >> 11) / 9007199254740992.0 - 0.5;
}

static inline uint32_t pack_alignment(const arn_pack_item *item) {
  return item->alignment ? item->alignment : 1u;
}

static inline uint32_t pack_allowed(const arn_pack_item *item) {
  return item->regions ? item->regions : 1u;
}

#endif
