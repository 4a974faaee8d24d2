#include "host/search/pack_csv.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

enum { ID, LOWER, UPPER, SIZE, ALIGNMENT, OFFSET, COLUMNS };

static const char *const names[COLUMNS] = {"id", "lower", "upper", "size", "alignment", "offset"};

struct parser {
  pack_csv *csv;
  pack_csv_error *error;
  int column[COLUMNS];         // of the file, in the order of its header
  int columns;
  uint32_t line;
};

__attribute__((format(printf, 2, 3))) static bool fail(struct parser *p, const char *format, ...) {
  va_list args;
  p->error->line = p->line;
  va_start(args, format);
  vsnprintf(p->error->what, sizeof p->error->what, format, args);
  va_end(args);
  return false;
}

// ---- fields ----

// Cuts the next field off *rest; NULL where there is none. Blanks around it go.
static char *next_field(char **rest) {
  char *field = *rest;
  if (field == NULL) return NULL;
  char *comma = strchr(field, ',');
  *rest = comma ? comma + 1 : NULL;
  if (comma) *comma = '\0';
  while (*field == ' ' || *field == '\t') field++;
  char *end = field + strlen(field);
  while (end > field && (end[-1] == ' ' || end[-1] == '\t')) *--end = '\0';
  return field;
}

static bool parse_number(struct parser *p, const char *name, const char *text, uint32_t *number) {
  uint64_t value = 0;
  if (*text == '\0') return fail(p, "there is no %s", name);
  for (const char *c = text; *c; c++) {
    if (*c < '0' || *c > '9') return fail(p, "\"%.40s\" is no valid %s", text, name);
    value = 10 * value + (uint64_t)(*c - '0');
    if (value > UINT32_MAX) return fail(p, "%s %.40s is above 4294967295", name, text);
  }
  *number = (uint32_t)value;
  return true;
}

// ---- rows ----

static bool parse_header(struct parser *p, char *line) {
  bool seen[COLUMNS] = {false};
  for (char *field; (field = next_field(&line)) != NULL;) {
    int column = 0;
    while (column < COLUMNS && strcmp(field, names[column]) != 0) column++;
    if (column == COLUMNS) {
      return fail(p, "the header names \"%.40s\"; known are id, lower, upper, size, alignment and "
                  "offset", field);
    }
    if (seen[column]) return fail(p, "the header names %s twice", field);
    seen[column] = true;
    p->column[p->columns++] = column;
  }
  for (int column = ID; column <= SIZE; column++) {
    if (!seen[column]) return fail(p, "the header does not name %s", names[column]);
  }
  p->csv->has_offsets = seen[OFFSET];
  p->csv->has_alignments = seen[ALIGNMENT];
  return true;
}

static bool grow(pack_csv *csv) {
  if (csv->count < csv->room) return true;
  const uint32_t room = csv->room ? 2u * csv->room : 256u;
  const char **ids = realloc(csv->ids, room * sizeof *ids);
  if (ids) csv->ids = ids;
  uint32_t *lines = realloc(csv->lines, room * sizeof *lines);
  if (lines) csv->lines = lines;
  arn_pack_item *items = realloc(csv->items, room * sizeof *items);
  if (items) csv->items = items;
  uint32_t *offsets = realloc(csv->offsets, room * sizeof *offsets);
  if (offsets) csv->offsets = offsets;
  if (!ids || !lines || !items || !offsets) return false;
  csv->room = room;
  return true;
}

static bool check_item(struct parser *p, const char *id, const arn_pack_item *item) {
  if (*id == '\0') return fail(p, "there is no id");
  if (strlen(id) > PACK_CSV_MAX_ID) return fail(p, "an id is longer than 255 characters");
  if (item->lower >= item->upper) return fail(p, "lower is not below upper");
  if (item->size == 0) return fail(p, "size is 0");
  if (item->size > ARN_PACK_MAX_BYTES) return fail(p, "size is above 1 GiB");
  if (item->alignment > ARN_PACK_MAX_BYTES) return fail(p, "alignment is above 1 GiB");
  return true;
}

static bool parse_row(struct parser *p, char *line) {
  pack_csv *csv = p->csv;
  arn_pack_item item = {.fixed = ARN_PACK_FREE};
  uint32_t offset = 0, *const numbers[COLUMNS] = {NULL,       &item.lower,     &item.upper,
                                                  &item.size, &item.alignment, &offset};
  const char *id = "";
  for (int i = 0; i < p->columns; i++) {
    const char *field = next_field(&line);
    if (field == NULL) return fail(p, "there are fewer fields than in the header");
    const int column = p->column[i];
    if (column == ID) {
      id = field;
    } else if (!parse_number(p, names[column], field, numbers[column])) {
      return false;
    }
  }
  if (line) return fail(p, "there are more fields than in the header");
  if (!check_item(p, id, &item)) return false;
  if (!grow(csv)) return fail(p, "there is no memory for more buffers");
  csv->ids[csv->count] = id;
  csv->lines[csv->count] = p->line;
  csv->items[csv->count] = item;
  csv->offsets[csv->count++] = offset;
  return true;
}

struct named {
  const char *id;
  uint32_t line;
};

static int by_id(const void *a, const void *b) {
  const struct named *x = a, *y = b;
  const int order = strcmp(x->id, y->id);
  return order ? order : (x->line > y->line) - (x->line < y->line);
}

static bool check_ids(struct parser *p) {
  const pack_csv *csv = p->csv;
  struct named *list = calloc(csv->count + 1u, sizeof *list);
  bool unique = true;
  if (list == NULL) return fail(p, "there is no memory to compare the ids");
  for (uint32_t i = 0; i < csv->count; i++) list[i] = (struct named){csv->ids[i], csv->lines[i]};
  qsort(list, csv->count, sizeof *list, by_id);
  for (uint32_t i = 1; i < csv->count && unique; i++) {
    if (strcmp(list[i].id, list[i - 1].id) != 0) continue;
    p->line = list[i].line;
    unique = fail(p, "id \"%.40s\" is used before, in line %u", list[i].id,
                  (unsigned)list[i - 1].line);
  }
  free(list);
  return unique;
}

// ---- files ----

static bool parse_lines(struct parser *p, size_t size) {
  char *line = p->csv->text, *const end = line + size;
  while (line < end) {
    char *stop = memchr(line, '\n', (size_t)(end - line));
    if (stop == NULL) stop = end;
    *stop = '\0';
    if (stop > line && stop[-1] == '\r') stop[-1] = '\0';
    p->line++;
    if (memchr(line, '\0', (size_t)(stop - line) - (stop > line && stop[-1] == '\0'))) {
      return fail(p, "there is a NUL byte");
    }
    if (strchr(line, '"')) return fail(p, "there is a quote; quoted fields are not understood");
    if (*line && !(p->columns ? parse_row(p, line) : parse_header(p, line))) return false;
    line = stop + 1;
  }
  p->line = 0;
  if (p->columns == 0) return fail(p, "there is no header row");
  if (p->csv->count == 0) return fail(p, "there are no buffers");
  return check_ids(p);
}

bool arn__csv_parse(pack_csv *csv, const char *text, size_t size, pack_csv_error *error) {
  struct parser p = {.csv = csv, .error = error};
  memset(csv, 0, sizeof *csv);
  bool done = false;
  if (size > PACK_CSV_MAX_BYTES) return fail(&p, "it is larger than 64 MiB");
  csv->text = malloc(size + 1);
  if (csv->text == NULL) return fail(&p, "there is no memory for it");
  memcpy(csv->text, text, size);
  done = parse_lines(&p, size);
  if (!done) arn__csv_free(csv);
  return done;
}

static char *read_all(FILE *file, size_t *size) {
  size_t room = 65536;
  char *text = malloc(room);
  *size = 0;
  while (text) {
    *size += fread(text + *size, 1, room - *size, file);
    if (*size < room || room > PACK_CSV_MAX_BYTES) return text;
    char *more = realloc(text, 2 * room);
    if (more == NULL) free(text);
    text = more;
    room *= 2;
  }
  return NULL;
}

bool arn__csv_read(pack_csv *csv, FILE *file, pack_csv_error *error) {
  struct parser p = {.csv = csv, .error = error};
  size_t size;
  memset(csv, 0, sizeof *csv);
  char *text = read_all(file, &size);
  if (text == NULL) return fail(&p, "there is no memory for it");
  const bool done = ferror(file) ? fail(&p, "reading it failed")
                                 : arn__csv_parse(csv, text, size, error);
  free(text);
  return done;
}

void arn__csv_free(pack_csv *csv) {
  free(csv->text);
  free(csv->ids);
  free(csv->lines);
  free(csv->items);
  free(csv->offsets);
  memset(csv, 0, sizeof *csv);
}

bool arn__csv_write(const pack_csv *csv, const uint32_t *offsets, FILE *file) {
  fprintf(file, "id,lower,upper,size,%soffset\n", csv->has_alignments ? "alignment," : "");
  for (uint32_t i = 0; i < csv->count; i++) {
    const arn_pack_item *x = &csv->items[i];
    fprintf(file, "%s,%u,%u,%u,", csv->ids[i], x->lower, x->upper, x->size);
    if (csv->has_alignments) fprintf(file, "%u,", x->alignment);
    fprintf(file, "%u\n", offsets[i]);
  }
  return !ferror(file);
}
