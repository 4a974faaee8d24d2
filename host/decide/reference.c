// Reading checksums that another engine, machine or kernel variant printed.
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "host/decide/layers.h"

#define MAX_COLUMNS 32

enum { INVOCATION, SUBGRAPH, TENSOR, CRC, FIELDS };

// Where the columns that matter are; -1: not known.
struct columns {
  int at[FIELDS];
};

static bool is_word(const char *word, size_t length, const char *name) {
  return strlen(name) == length && memcmp(word, name, length) == 0;
}

static int field_of(const char *word, size_t length) {
  static const char *const names[][2] = {
      {"invocation", "inv"}, {"subgraph", "sub"}, {"tensor", "tensor"}, {"crc32", "crc32"}};
  for (int f = 0; f < FIELDS; f++) {
    if (is_word(word, length, names[f][0]) || is_word(word, length, names[f][1])) return f;
  }
  return -1;
}

// The next word of a line, or NULL at its end.
static const char *next_word(const char **at, size_t *length) {
  const char *p = *at;
  while (*p == ' ' || *p == '\t' || *p == '\r') p++;
  const char *word = p;
  while (*p != '\0' && !isspace((unsigned char)*p)) p++;
  *at = p;
  *length = (size_t)(p - word);
  return p > word ? word : NULL;
}

static bool read_header(const char *line, struct columns *c) {
  size_t length;
  int found = 0;
  const char *word;
  memset(c->at, -1, sizeof c->at);
  for (int i = 0; i < MAX_COLUMNS && (word = next_word(&line, &length)); i++) {
    const int field = field_of(word, length);
    if (field >= 0 && c->at[field] < 0) c->at[field] = i, found++;
  }
  return found == FIELDS;
}

static bool read_number(const char *word, size_t length, int base, uint32_t *number) {
  char *end;
  if (!isxdigit((unsigned char)*word)) return false;
  const unsigned long long value = strtoull(word, &end, base);
  if (end != word + length || value > UINT32_MAX) return false;
  *number = (uint32_t)value;
  return true;
}

static bool read_line(const char *line, const struct columns *c, host_reference_line *to) {
  uint32_t *const fields[FIELDS] = {&to->invocation, &to->subgraph, &to->tensor, &to->crc};
  size_t length;
  int found = 0;
  const char *word;
  for (int i = 0; i < MAX_COLUMNS && (word = next_word(&line, &length)); i++) {
    for (int f = 0; f < FIELDS; f++) {
      if (c->at[f] != i) continue;
      if (!read_number(word, length, f == CRC ? 16 : 10, fields[f])) return false;
      found++;
    }
  }
  return found == FIELDS;
}

static const char *line_after(const char *line) {
  const char *end = strchr(line, '\n');
  return end ? end + 1 : line + strlen(line);
}

static uint32_t count_lines(const char *text) {
  uint32_t count = 1;
  for (; *text != '\0'; text++) count += *text == '\n';
  return count;
}

static bool is_blank(const char *line) {
  size_t length;
  return next_word(&line, &length) == NULL;
}

const char *host_reference_parse(const char *text, host_reference *r, uint32_t *number) {
  struct columns columns;
  memset(r, 0, sizeof *r);
  for (*number = 1; !read_header(text, &columns); ++*number) {
    if (*text == '\0') return "no line names the columns invocation, subgraph, tensor, crc32";
    text = line_after(text);
  }
  r->lines = calloc(count_lines(text), sizeof *r->lines);
  if (r->lines == NULL) return "out of host memory";
  for (text = line_after(text), ++*number; *text != '\0' && !is_blank(text); ++*number) {
    if (!read_line(text, &columns, &r->lines[r->count])) {
      host_reference_free(r);
      return "a line has not the numbers that its columns want";
    }
    r->count++;
    text = line_after(text);
  }
  return NULL;
}

void host_reference_free(host_reference *r) {
  free(r->lines);
  memset(r, 0, sizeof *r);
}

const host_reference_line *host_reference_find(const host_reference *r, uint32_t invocation,
                                               uint32_t subgraph, uint32_t tensor) {
  for (uint32_t i = r->count; i-- > 0;) {
    const host_reference_line *l = &r->lines[i];
    if (l->tensor == tensor && l->subgraph == subgraph && l->invocation == invocation) return l;
  }
  return NULL;
}
