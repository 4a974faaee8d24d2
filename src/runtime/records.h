// What an interpreter keeps in the static region: 32-bit words and smaller, no pointers, so that a
// 64-bit host and a 32-bit device need the same bytes.
//
//   subgraph records | per subgraph: node records, places | call frames | variables, weights |
//   per node: (where asked for) persistent data and a word with its size, then prepared data
#ifndef ARENITE_SRC_RUNTIME_RECORDS_H
#define ARENITE_SRC_RUNTIME_RECORDS_H

#include "arenite/interpreter.h"

#define ARN__READY 0x41524E31u
#define ARN__MAX_OPS 512u
#define ARN__MAX_ROWS ((1u << 20) - 1u)

typedef struct arn__subgraph_record {
  uint32_t nodes_at;       // of its node records
  uint32_t places_at;      // one word a tensor, see graph/place.h
  uint32_t dynamic_bytes;  // of its dynamic region
} arn__subgraph_record;

enum {
  ARN__NODE_SKIP = 1,        // nothing to do: its output is a constant that readers take in place
  ARN__NODE_BY_ROWS = 2,     // its output overlaps an input: must run a row at a time
  ARN__NODE_PERSISTENT = 4,  // persistent data and their size lie in front of the prepared data
};

typedef struct arn__node_record {
  uint32_t state_at;    // offset in the arena
  uint32_t scratch_at;  // offset in the dynamic region; UINT32_MAX: none
  uint32_t op : 9;      // index in the operator list
  uint32_t flags : 3;
  uint32_t rows : 20;   // that a whole run covers
} arn__node_record;

// One level of a chain of subgraph calls.
typedef struct arn__frame {
  uint32_t dynamic_at;  // offset of this subgraph's dynamic region in the main subgraph's
  uint16_t subgraph;
  uint16_t node;        // that runs now
  uint32_t phase;       // of a control-flow node
} arn__frame;

static inline arn__subgraph_record *arn__record_of_subgraph(const arn_interpreter *nn,
                                                            uint32_t subgraph) {
  uint8_t *at = nn->arena + nn->subgraphs_at;
  return (arn__subgraph_record *)(void *)at + subgraph;
}

static inline arn__node_record *arn__record_of_node(const arn_interpreter *nn, uint32_t subgraph,
                                                    uint32_t node) {
  uint8_t *at = nn->arena + arn__record_of_subgraph(nn, subgraph)->nodes_at;
  return (arn__node_record *)(void *)at + node;
}

// Returns a node's persistent data and their size; NULL where it has none.
static inline uint8_t *arn__persistent_of(const arn_interpreter *nn, const arn__node_record *record,
                                          uint32_t *bytes) {
  if (!(record->flags & ARN__NODE_PERSISTENT)) return NULL;
  uint8_t *state = nn->arena + record->state_at;
  *bytes = *(const uint32_t *)(const void *)(state - 4);
  return state - 4 - ((*bytes + 3u) & ~3u);
}

static inline uint32_t *arn__places_of(const arn_interpreter *nn, uint32_t subgraph) {
  uint8_t *at = nn->arena + arn__record_of_subgraph(nn, subgraph)->places_at;
  return (uint32_t *)(void *)at;
}

static inline arn__frame *arn__frame_of(const arn_interpreter *nn, uint32_t depth) {
  uint8_t *at = nn->arena + nn->frames_at;
  return (arn__frame *)(void *)at + depth;
}

// Says whether the interpreter was started.
static inline bool arn__is_ready(const arn_interpreter *nn) {
  return nn != NULL && nn->ready == ARN__READY;
}

#endif
