// Lines of comma-separated fields: no quotes, '#' starts a comment line, blank lines are skipped.
#ifndef ARENITE_HOST_DECIDE_CSV_H
#define ARENITE_HOST_DECIDE_CSV_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct host_field {
  const char *at;
  size_t length;
} host_field;

// Where a reader is; `line` counts from 1.
typedef struct host_csv {
  const char *at, *end;
  uint32_t line;
} host_csv;

// Reads the next line that is neither blank nor a comment into `fields`; returns how many it has
// (more than `room`: only `room` are filled), 0 at the end.
uint32_t host_csv_next(host_csv *csv, host_field *fields, uint32_t room);

// Copies a field that fits, printable and not empty.
bool host_field_text(host_field field, char *to, size_t size);

// Reads a number in [least, most].
bool host_field_number(host_field field, double least, double most, double *number);

#endif
