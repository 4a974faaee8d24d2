// What CONCATENATION, PACK, SPLIT, SPLIT_V and UNPACK share: one tensor is cut along an axis into
// pieces, which are the inputs (joining) or outputs (splitting) of the node.
//
// The whole is [chunks][chunk bytes]; in each chunk, the pieces' bytes follow each other. Where
// there is one chunk (nothing in front of the axis), each piece is a range of bytes of the whole: a
// view.
#ifndef ARENITE_SRC_OPS_PIECES_H
#define ARENITE_SRC_OPS_PIECES_H

#include "movement.h"

#define ARN__PIECES_MAX 54

// A prefix of this is the prepared state: as many entries as are used.
typedef struct arn__pieces {
  uint32_t whole_row_bytes;
  uint32_t chunk_bytes;     // of the whole
  uint32_t row_chunks;      // chunks of a row of the whole; 0: one chunk, over all rows
  uint16_t count;           // of pieces
  uint8_t entries;          // of `bytes`: 1 where all pieces are alike
  uint8_t spare;
  uint32_t unit_bytes;      // of a piece of length 1 on the axis, and the bytes of its rows
  uint32_t unit_row_bytes;
  uint32_t bytes[ARN__PIECES_MAX];  // of each piece, in a chunk
} arn__pieces;

// Which tensors of the node are the pieces.
typedef struct arn__pieces_of {
  const arn_tensor *whole;
  uint32_t axis;     // of the whole
  bool joins;        // pieces are the inputs; else the outputs
  bool drops_axis;   // pieces lack the axis (PACK, UNPACK)
} arn__pieces_of;

// Returns the bytes of piece `i` in a chunk.
static inline uint32_t arn__pieces_bytes(const arn__pieces *s, uint32_t i) {
  return s->bytes[s->entries > 1 ? i : 0];
}

// Returns the bytes of the state up to its last entry.
static inline uint32_t arn__pieces_state_bytes(const arn__pieces *s) {
  return (uint32_t)offsetof(arn__pieces, bytes) + 4u * s->entries;
}

// Returns the bytes of a row of piece `i`.
static inline uint32_t arn__pieces_row_bytes(const arn__pieces *s, uint32_t i) {
  const uint32_t bytes = arn__pieces_bytes(s, i);
  if (bytes == s->unit_bytes) return s->unit_row_bytes;
  return s->row_chunks > 0 ? s->row_chunks * bytes : s->whole_row_bytes;
}

// Fills the state for a whole that is cut into the node's other tensors, and checks their shapes
// and types. Sets work, rows and state_bytes: by rows where every piece's rows are what
// arn__pieces_row_bytes() says.
// Fails: TYPES_DIFFER, SHAPE, LIMIT (more unlike pieces than the state holds).
ARN_MUST_CHECK arn_status arn__pieces_prepare(arn_prepare *p, arn__pieces *s,
                                              const arn__pieces_of *of);

#endif
