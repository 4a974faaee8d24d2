// The static region of an arena: a cursor that only advances, and what was taken for which purpose.
//
// Taking never fails: past the end of the arena, or once something did not fit, the cursor goes on
// counting, so that a start which fails still learns what it would have needed in all. Whoever
// takes must ask arn__arena_has() before writing.
//
//   0            used          limit        bytes
//   | static ...  |   free      | temporary  |
//
// Temporary bytes and the dynamic region may have a block of their own.
#ifndef ARENITE_SRC_ARENA_ARENA_H
#define ARENITE_SRC_ARENA_ARENA_H

#include "arenite/interpreter.h"

typedef enum arn__purpose {
  ARN__FOR_RECORDS,
  ARN__FOR_OP_DATA,
  ARN__FOR_VARIABLES,
  ARN__FOR_WEIGHTS,
} arn__purpose;

typedef struct arn__arena {
  uint8_t *base;         // aligned; NULL while measuring
  uint32_t bytes;        // from base
  uint32_t used;         // static bytes taken so far
  uint32_t temporary;    // bytes taken from the end
  uint32_t init_bytes;   // largest used + temporary seen
  uint32_t temporary_most;
  // Where temporary bytes and the dynamic region lie: this arena, or a block of their own.
  bool apart;
  uint8_t *block;        // aligned
  uint32_t block_bytes;
  arn_usage usage;       // static part
  arn_error failure;     // the first request that did not fit; status OK where none
} arn__arena;

// Opens an arena at `memory`. The bytes in front of the first aligned address are lost.
void arn__arena_open(arn__arena *arena, void *memory, size_t bytes, uint32_t alignment);

// Gives an open arena a block for temporary bytes and the dynamic region, likewise.
void arn__arena_open_block(arn__arena *arena, void *memory, size_t bytes, uint32_t alignment);

// Where in its block the dynamic region would start by now.
uint32_t arn__arena_dynamic_at(const arn__arena *arena, uint32_t alignment);

// Takes `bytes` at a multiple of `alignment` and returns their offset. O(1).
uint32_t arn__arena_take(arn__arena *arena, uint32_t bytes, uint32_t alignment,
                         arn__purpose purpose);

// The end of temporary memory, a multiple of 4 from the start of its block.
static inline uint8_t *arn__arena_end(const arn__arena *arena) {
  return arena->block + (arena->block_bytes & ~3u);
}

// Says whether everything taken so far lies inside the arena.
bool arn__arena_has(const arn__arena *arena);

// Takes `bytes` more from the end, below what was taken there before. Returns false, with nothing
// taken, where they do not fit; `arena->init_bytes` counts them all the same.
bool arn__arena_take_temporary(arn__arena *arena, uint32_t bytes);

// Gives all temporary bytes back.
void arn__arena_reset_temporary(arn__arena *arena);

// Notes the first request that did not fit.
void arn__arena_note_failure(arn__arena *arena, arn_what what, uint32_t need, uint32_t have);

#endif
