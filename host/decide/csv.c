#include "host/decide/csv.h"

#include <stdlib.h>
#include <string.h>

static uint32_t split(const char *at, const char *end, host_field *fields, uint32_t room) {
  uint32_t count = 0;
  for (;;) {
    const char *comma = memchr(at, ',', (size_t)(end - at));
    const char *stop = comma ? comma : end;
    if (count < room) fields[count] = (host_field){at, (size_t)(stop - at)};
    count++;
    if (comma == NULL) return count;
    at = comma + 1;
  }
}

uint32_t host_csv_next(host_csv *csv, host_field *fields, uint32_t room) {
  while (csv->at < csv->end) {
    const char *start = csv->at;
    const char *newline = memchr(start, '\n', (size_t)(csv->end - start));
    const char *stop = newline ? newline : csv->end;
    csv->at = newline ? newline + 1 : csv->end;
    csv->line++;
    if (stop > start && stop[-1] == '\r') stop--;
    if (stop > start && *start != '#') return split(start, stop, fields, room);
  }
  return 0;
}

bool host_field_text(host_field field, char *to, size_t size) {
  if (field.length == 0 || field.length >= size) return false;
  for (size_t i = 0; i < field.length; i++) {
    if (field.at[i] < ' ' || field.at[i] > '~') return false;
  }
  memcpy(to, field.at, field.length);
  to[field.length] = '\0';
  return true;
}

bool host_field_number(host_field field, double least, double most, double *number) {
  char text[32], *end;
  if (!host_field_text(field, text, sizeof text) || text[0] < '0' || text[0] > '9') return false;
  *number = strtod(text, &end);
  return *end == '\0' && *number >= least && *number <= most;
}
