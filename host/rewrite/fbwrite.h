// Writing FlatBuffers, front to back.
//
// Other writers build the file from its end, so that every offset is known when it is written. This
// one starts at the front: a table is written with empty references, what it refers to is written
// later, and then the two are linked. Offsets in a FlatBuffer point forward only, so the one rule
// is: parents before children. What it buys: descriptions first, bulk data last, in the order of
// the calls, and the same calls always give the same bytes.
//
//   at 0          root offset, file identifier
//   at 8          vtable, table, vector, string ... in the order written, padded to their alignment
//
// Positions ("..._at") are offsets from the start of the file; 0 is never a valid one and means
// "not written". The first failure (memory, size, wrong use) is kept in `error`; every later call
// does nothing and returns 0, so that a caller may check once, at the end.
#ifndef ARENITE_HOST_REWRITE_FBWRITE_H
#define ARENITE_HOST_REWRITE_FBWRITE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
  ARN_FBWRITE_MAX_FIELDS = 32,       // fields of one table
  ARN_FBWRITE_MAX_BYTES = 0x7FFFFFFF // a FlatBuffer is smaller than 2 GiB
};

// A file being written. Zero it before arn__fbwrite_begin.
typedef struct arn_fbwrite {
  uint8_t *bytes;  // owned
  uint32_t size, capacity;
  uint32_t *vtables;  // owned: positions of the vtables so far, shared by tables of one layout
  uint32_t vtable_count, vtable_capacity;
  const char *error;  // first failure, NULL while all is well
} arn_fbwrite;

// The fields of one table, collected before it is written. Zero it, then add fields in any order.
typedef struct arn_fbtable {
  struct arn_fbfield {
    uint64_t bits;  // little-endian value
    uint16_t id;    // field number of the schema
    uint8_t bytes;  // 1, 2, 4 or 8
  } fields[ARN_FBWRITE_MAX_FIELDS];
  uint32_t count;  // may exceed the array: the write then fails
} arn_fbtable;

// A vector of scalars to be written. Borrows `data`, which must not lie in the file being written.
typedef struct arn_fbvector {
  const void *data;
  uint32_t count;
  uint32_t element_bytes;  // 1, 2, 4 or 8
  uint32_t alignment;      // of the first element, a power of two; 0: natural, at least 4
} arn_fbvector;

// Starts a file with a four-character identifier. Needs: *file zeroed. Fails: returns false.
bool arn__fbwrite_begin(arn_fbwrite *file, const char identifier[4]);

// Frees what the file owns and zeroes it. A zeroed file is allowed.
void arn__fbwrite_release(arn_fbwrite *file);

// Keeps `reason` as the file's error unless there is one already. Returns 0, for `return
// fail(...)`.
uint32_t arn__fbwrite_fail(arn_fbwrite *file, const char *reason);

// Adds a scalar of `bytes` bytes, or an empty reference, to a table that is not yet written.
void arn__fbwrite_add(arn_fbtable *table, uint16_t id, uint8_t bytes, uint64_t bits);
void arn__fbwrite_add_f32(arn_fbtable *table, uint16_t id, float value);
void arn__fbwrite_add_ref(arn_fbtable *table, uint16_t id);

// Writes a table; equal layouts share a vtable. Returns its position. O(fields * (fields +
// vtables)).
// Fails: two fields of one number, too many fields, no memory.
uint32_t arn__fbwrite_table(arn_fbwrite *file, const arn_fbtable *table);

// Writes a vector of scalars, a string, or a vector of `count` empty references.
uint32_t arn__fbwrite_vector(arn_fbwrite *file, const arn_fbvector *vector);
uint32_t arn__fbwrite_string(arn_fbwrite *file, const char *text, uint32_t length);
uint32_t arn__fbwrite_refs(arn_fbwrite *file, uint32_t count);

// Points the root at a table, field `id` of a table at a target, or element `index` of a vector of
// references at a target. Fails: the target was written before the parent, or no such reference.
void arn__fbwrite_link_root(arn_fbwrite *file, uint32_t target_at);
void arn__fbwrite_link(arn_fbwrite *file, uint32_t table_at, uint16_t id, uint32_t target_at);
void arn__fbwrite_link_at(arn_fbwrite *file, uint32_t refs_at, uint32_t index, uint32_t target_at);

// Pads the end of the file with zeros to a multiple of `alignment` (a power of two).
void arn__fbwrite_pad(arn_fbwrite *file, uint32_t alignment);

#endif
