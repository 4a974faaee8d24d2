// Changing a .tflite file: metadata and buffers are added, fields edited, and everything else in it
// is carried over.
#ifndef ARENITE_HOST_REWRITE_METADATA_H
#define ARENITE_HOST_REWRITE_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/rewrite/fbcopy.h"

// A named block. An entry of the same name in the file is replaced.
typedef struct arn_metadata_entry {
  const char *name;
  const void *data;
  size_t bytes;
} arn_metadata_entry;

// What is to be changed; all borrowed. Buffers are appended behind those of the file, in their
// order.
typedef struct arn_file_changes {
  const arn_metadata_entry *entries;
  uint32_t entry_count;
  const arn_metadata_entry *buffers;  // names are not used
  uint32_t buffer_count;
  const arn_fbedit *edits;
  uint32_t edit_count;
} arn_file_changes;

// Writes the file in `source` anew with the changes, into memory that the caller frees.
// Fails: false, with *why a sentence (static storage): the source is malformed, holds something
// that cannot be carried over, or there is no memory.
bool arn_file_change(const void *source, size_t source_bytes, const arn_file_changes *changes,
                     uint8_t **bytes, size_t *size, const char **why);

// The same for metadata alone: adds `count` entries.
bool arn_metadata_add(const void *source, size_t source_bytes, const arn_metadata_entry *entries,
                      uint32_t count, uint8_t **bytes, size_t *size, const char **why);

#endif
