// Packing problems as CSV: a header row that names the columns id, lower, upper, size and maybe
// alignment and offset, in any order; then a buffer a row. Numbers are decimal. No quotes.
#ifndef ARENITE_HOST_SEARCH_PACK_CSV_H
#define ARENITE_HOST_SEARCH_PACK_CSV_H

#include <stdio.h>

#include "host/search/pack.h"

#define PACK_CSV_MAX_BYTES (UINT32_C(1) << 26)   // of a file
#define PACK_CSV_MAX_ID 255u                     // characters

typedef struct pack_csv {
  char *text;                  // the file; ids point into it
  const char **ids;            // [count]
  uint32_t *lines;             // [count] where each stands in the file
  arn_pack_item *items;        // [count] rectangles
  uint32_t *offsets;           // [count]; all 0 unless has_offsets
  uint32_t count, room;
  bool has_offsets, has_alignments;
} pack_csv;

// What is wrong, as a clause; line 0: the file as a whole.
typedef struct pack_csv_error {
  uint32_t line;
  char what[160];
} pack_csv_error;

// Reads a problem. Fails (false) with *error filled; nothing is left to free then.
bool arn__csv_read(pack_csv *csv, FILE *file, pack_csv_error *error);

// The same from memory. `text` need not end in a NUL; it is copied.
bool arn__csv_parse(pack_csv *csv, const char *text, size_t size, pack_csv_error *error);

void arn__csv_free(pack_csv *csv);

// Writes id,lower,upper,size[,alignment],offset. Returns false where the stream failed.
bool arn__csv_write(const pack_csv *csv, const uint32_t *offsets, FILE *file);

#endif
