// A place says where a tensor's bytes are, in one word, the same on every machine:
//
//   31 30  29                      0
//   kind   offset
//   0      dynamic: from the start of the subgraph's dynamic region
//   1      static:  from the aligned start of the arena
//   2      file:    from the start of the model file (constants)
//   3      rows:    index in the plan's row table: a word with the bytes of a row, then their
//                   offsets
//   all ones        no memory (absent, or a tensor nobody reads or writes)
#ifndef ARENITE_SRC_GRAPH_PLACE_H
#define ARENITE_SRC_GRAPH_PLACE_H

#include <stdint.h>

#define ARN__PLACE_NONE UINT32_MAX
#define ARN__PLACE_LIMIT (1u << 30)

enum { ARN__PLACE_DYNAMIC = 0, ARN__PLACE_STATIC = 1, ARN__PLACE_FILE = 2, ARN__PLACE_ROWS = 3 };

static inline uint32_t arn__place(uint32_t kind, uint32_t offset) {
  return kind << 30 | offset;
}

static inline uint32_t arn__place_kind(uint32_t place) { return place >> 30; }

static inline uint32_t arn__place_offset(uint32_t place) { return place & (ARN__PLACE_LIMIT - 1); }

#endif
