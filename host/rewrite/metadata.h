// Adding metadata to a .tflite file: everything else in it is carried over.
#ifndef ARENITE_HOST_REWRITE_METADATA_H
#define ARENITE_HOST_REWRITE_METADATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

// A named block. An entry of the same name in the file is replaced.
typedef struct arn_metadata_entry {
  const char *name;
  const void *data;
  size_t bytes;
} arn_metadata_entry;

// Writes the file in `source` anew with `count` entries added, into memory that the caller frees.
// Fails: false, with *why a sentence (static storage): the source is malformed, holds something that
// cannot be carried over, or there is no memory.
bool arn_metadata_add(const void *source, size_t source_bytes, const arn_metadata_entry *entries,
                      uint32_t count, uint8_t **bytes, size_t *size, const char **why);

#endif
