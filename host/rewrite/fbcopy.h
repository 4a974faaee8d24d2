// Copying tables of one FlatBuffer into another, guided by a description of their types.
//
// A FlatBuffer does not say what its fields are, so a copy needs the schema (schema.h). What the
// schema here does not know, because the file is newer, cannot be copied: such fields and union
// members are left out and counted in `dropped`, and the caller decides whether that is a loss.
//
// The source is untrusted: every read is checked, nesting is bounded, and the bytes written are
// bounded by a budget, because a small file can refer to one table many times over.
#ifndef ARENITE_HOST_REWRITE_FBCOPY_H
#define ARENITE_HOST_REWRITE_FBCOPY_H

#include <stdbool.h>

#include "host/rewrite/fbwrite.h"
#include "host/rewrite/schema.h"

// A change to be made on the way: field `field` of the table at `table_at` (`in_options`: of that
// table's union, an operator's options) gets another value. A scalar that is absent is added.
typedef struct arn_fbedit {
  uint32_t table_at, field;
  bool in_options;
  uint64_t value;          // of a scalar
  const int32_t *list;     // of a vector: its elements; of a vector of tables: the indices to keep
  uint32_t count;          // of the list
} arn_fbedit;

// A file being read, and what came of it. Zero it but for bytes, size and (if wanted) budget and
// edits.
typedef struct arn_fbsource {
  const uint8_t *bytes;  // borrowed
  uint32_t size;
  uint32_t budget;     // bytes that copies may still write; arn__fbcopy_open sets 4 * size + 4096
  uint32_t dropped;    // fields and union members that the schema does not know
  const char *error;   // first failure: the source is malformed, or the budget is spent
  const arn_fbedit *edits;  // borrowed; looked through for every field
  uint32_t edit_count;
} arn_fbsource;

// Where a value lies in the source: a table's field, or nothing (at == 0).
typedef struct arn_fbslot {
  uint32_t at;
  uint32_t bytes;  // room between it and the end of its table
} arn_fbslot;

// Opens a file and returns the position of its root table, 0 on failure. Borrows `bytes`.
uint32_t arn__fbcopy_open(arn_fbsource *source, const uint8_t *bytes, size_t size);

// Returns the number of fields that the table's vtable has room for; 0 if the table is malformed.
uint32_t arn__fbcopy_field_count(arn_fbsource *source, uint32_t table_at);

// Finds field `id` of a table; absent fields give {0, 0}.
arn_fbslot arn__fbcopy_field(arn_fbsource *source, uint32_t table_at, uint32_t id);

// Reads a scalar field of 1, 2, 4 or 8 bytes; `otherwise` where it is absent.
uint64_t arn__fbcopy_scalar(arn_fbsource *source, uint32_t table_at, uint32_t id, uint32_t bytes,
                            uint64_t otherwise);

// Follows a reference field to the table, vector or string it points to; 0 where it is absent.
uint32_t arn__fbcopy_follow(arn_fbsource *source, uint32_t table_at, uint32_t id);

// Returns the count of a vector whose elements have `element_bytes` bytes, all inside the file; 0
// on failure. The elements begin at vector_at + 4.
uint32_t arn__fbcopy_count(arn_fbsource *source, uint32_t vector_at, uint32_t element_bytes);

// Follows element `index` of a vector of references. Needs: index < its count.
uint32_t arn__fbcopy_element(arn_fbsource *source, uint32_t vector_at, uint32_t index);

// Copies a table with all that hangs from it and returns its position in `file`; 0 on failure, with
// the reason in source->error or file->error. O(bytes written).
uint32_t arn__fbcopy_table(arn_fbwrite *file, arn_fbsource *source, uint32_t table_at,
                           const arn_fbtype *type);

#endif
