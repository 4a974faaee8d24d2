#include "host/decide/boards.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "host/decide/csv.h"

#define COLUMNS 8u
#define MAX_KB (1u << 20)

enum { NAME, VENDOR, CORE, MHZ, FLASH_KB, FLASH, RAM, SOURCE };

static bool is(host_field field, const char *text) {
  return field.length == strlen(text) && memcmp(field.at, text, field.length) == 0;
}

// ---- reading -----------------------------------------------------------------------------------

static bool read_region(host_field field, host_region *region) {
  double kb;
  const char *equals = memchr(field.at, '=', field.length);
  if (equals == NULL) return false;
  const size_t length = (size_t)(equals - field.at);
  const host_field name = {field.at, length};
  const host_field size = {equals + 1, field.length - length - 1};
  if (!host_field_text(name, region->name, sizeof region->name)) return false;
  if (!host_field_number(size, 1, MAX_KB, &kb)) return false;
  region->bytes = (uint32_t)(kb * 1024.0);
  return true;
}

// "dtcm=128;axi=512"
static bool read_regions(host_field field, host_board *board) {
  const char *at = field.at, *end = field.at + field.length;
  for (;;) {
    const char *stop = memchr(at, ';', (size_t)(end - at));
    const host_field one = {at, (size_t)((stop ? stop : end) - at)};
    if (board->region_count == HOST_BOARD_REGIONS) return false;
    if (!read_region(one, &board->regions[board->region_count++])) return false;
    if (stop == NULL) return true;
    at = stop + 1;
  }
}

static const char *read_board(const host_field *f, uint32_t count, host_board *board) {
  double kb;
  memset(board, 0, sizeof *board);
  if (count != COLUMNS) return "a line has not eight fields";
  if (!host_field_text(f[NAME], board->name, sizeof board->name)) {
    return "a name is missing or too long";
  }
  if (!host_field_text(f[VENDOR], board->vendor, sizeof board->vendor)) {
    return "a vendor is missing";
  }
  if (!host_field_text(f[CORE], board->core, sizeof board->core)) return "a core is missing";
  if (!host_field_text(f[SOURCE], board->source, sizeof board->source)) {
    return "a source is missing";
  }
  if (!host_field_number(f[MHZ], 0.1, 10000, &board->mhz)) return "a frequency is no number";
  if (!host_field_number(f[FLASH_KB], 0, MAX_KB, &kb)) return "a size of flash is no number";
  board->flash_bytes = (uint64_t)(kb * 1024.0);
  board->external_flash = is(f[FLASH], "external");
  if (!board->external_flash && !is(f[FLASH], "internal")) return "flash is internal or external";
  return read_regions(f[RAM], board) ? NULL : "RAM is not of the form NAME=KB;NAME=KB";
}

static bool is_header(const host_field *f) {
  return is(f[NAME], "name") && is(f[VENDOR], "vendor");
}

static bool grow(host_boards *boards, uint32_t *room) {
  if (boards->count < *room) return true;
  *room = *room ? 2 * *room : 128;
  host_board *list = realloc(boards->list, *room * sizeof *list);
  if (list) boards->list = list;
  return list != NULL;
}

const char *host_boards_parse(const char *text, size_t size, host_boards *boards, uint32_t *line) {
  host_csv csv = {text, text + size, 0};
  host_field fields[COLUMNS];
  uint32_t room = 0, count;
  const char *wrong = NULL;
  memset(boards, 0, sizeof *boards);
  while (!wrong && (count = host_csv_next(&csv, fields, COLUMNS)) > 0) {
    if (count == COLUMNS && is_header(fields)) continue;
    if (!grow(boards, &room)) wrong = "out of host memory";
    else wrong = read_board(fields, count, &boards->list[boards->count++]);
  }
  *line = csv.line;
  if (!wrong && boards->count == 0) wrong = "there is no board in it";
  if (wrong) host_boards_free(boards);
  return wrong;
}

void host_boards_free(host_boards *boards) {
  free(boards->list);
  memset(boards, 0, sizeof *boards);
}

// ---- asking ------------------------------------------------------------------------------------

const host_board *host_board_find(const host_boards *boards, const char *name) {
  const host_board *found = NULL;
  const size_t length = strlen(name);
  for (uint32_t i = 0; i < boards->count; i++) {
    const host_board *board = &boards->list[i];
    if (strcasecmp(board->name, name) == 0) return board;
  }
  for (uint32_t i = 0; i < boards->count && length > 0; i++) {
    const host_board *board = &boards->list[i];
    if (strncasecmp(board->name, name, length) != 0) continue;
    if (found) return NULL;
    found = board;
  }
  return found;
}

uint64_t host_board_ram(const host_board *board) {
  uint64_t sum = 0;
  for (uint32_t i = 0; i < board->region_count; i++) sum += board->regions[i].bytes;
  return sum;
}

int host_board_region_for(const host_board *board, uint32_t bytes) {
  for (uint32_t i = 0; i < board->region_count; i++) {
    if (board->regions[i].bytes >= bytes) return (int)i;
  }
  return -1;
}

host_board_place host_board_place_for(const host_board *b, const arn_usage *u) {
  const int whole = host_board_region_for(b, u->arena_bytes);
  if (whole >= 0) return (host_board_place){whole, whole};
  for (int d = 0; d < (int)b->region_count; d++) {
    if (b->regions[d].bytes < u->dynamic_block_bytes) continue;
    for (int f = 0; f < (int)b->region_count; f++) {
      if (f != d && b->regions[f].bytes >= u->static_bytes) return (host_board_place){d, f};
    }
  }
  return (host_board_place){-1, -1};
}

// ---- speed -------------------------------------------------------------------------------------

#define SPEED_COLUMNS 8u

static bool read_speed(const host_field *f, uint32_t count, host_speed *s) {
  double *const numbers[] = {&s->conv, &s->depthwise, &s->dense, &s->svdf, &s->other};
  double text, stack;
  if (count != SPEED_COLUMNS || !host_field_text(f[0], s->target, sizeof s->target)) return false;
  for (uint32_t i = 0; i < 5; i++) {
    if (!host_field_number(f[1 + i], 0, 1e6, numbers[i])) return false;
  }
  if (!host_field_number(f[6], 0, 1e9, &text) || !host_field_number(f[7], 0, 1e9, &stack)) {
    return false;
  }
  s->text_bytes = (uint32_t)text;
  s->stack_bytes = (uint32_t)stack;
  return true;
}

const char *host_speeds_parse(const char *text, size_t size, host_speeds *speeds, uint32_t *line) {
  host_csv csv = {text, text + size, 0};
  host_field fields[SPEED_COLUMNS];
  uint32_t count;
  const uint32_t room = sizeof speeds->list / sizeof speeds->list[0];
  speeds->count = 0;
  while ((count = host_csv_next(&csv, fields, SPEED_COLUMNS)) > 0) {
    *line = csv.line;
    if (is(fields[0], "target")) continue;
    if (speeds->count == room) return "there are too many targets";
    if (!read_speed(fields, count, &speeds->list[speeds->count++])) {
      return "a line has not its eight fields";
    }
  }
  return NULL;
}

static const host_speed *find_target(const host_speeds *speeds, const char *target) {
  for (uint32_t i = 0; i < speeds->count; i++) {
    if (strcmp(speeds->list[i].target, target) == 0) return &speeds->list[i];
  }
  return NULL;
}

// Cores by instruction set: what runs the same kernels, with about as many instructions.
const host_speed *host_speed_for(const host_speeds *speeds, const char *core, bool *own) {
  static const char *const near[][3] = {
      {"cortex-m0plus", "m0plus", "own"}, {"cortex-m0", "m0plus", ""}, {"cortex-m23", "m0plus", ""},
      {"cortex-m3", "m3", "own"},         {"cortex-m4", "m4", "own"},  {"cortex-m4f", "m4", "own"},
      {"cortex-m33", "m4", ""},           {"cortex-m7", "m7", "own"},  {"cortex-m55", "m55", "own"},
      {"cortex-m85", "m55", ""},          {"rv32imc", "rv32", "own"},  {"rv32imac", "rv32", "own"},
      {"xtensa-lx6", "rv32", ""},         {"xtensa-lx7", "rv32", ""}};
  for (size_t i = 0; i < sizeof near / sizeof near[0]; i++) {
    if (strcmp(core, near[i][0]) != 0) continue;
    *own = near[i][2][0] != '\0';
    return find_target(speeds, near[i][1]);
  }
  *own = false;
  return NULL;
}

static double instructions_of(const host_speed *s, const host_facts *f,
                              const host_step_fact *step) {
  const double macs = (double)step->macs;
  uint64_t elements = 0;
  if (step->memory.skipped) return 0.0;
  if (strcmp(step->op, "CONV_2D") == 0 || strcmp(step->op, "TRANSPOSE_CONV") == 0) {
    return macs * s->conv;
  }
  if (strcmp(step->op, "DEPTHWISE_CONV_2D") == 0) return macs * s->depthwise;
  if (strcmp(step->op, "SVDF") == 0) return macs * s->svdf;
  if (macs > 0.0) return macs * s->dense;
  for (uint32_t i = 0; i < f->tensor_count; i++) {
    if (f->tensors[i].producer == (int32_t)step->node) elements += f->tensors[i].tensor.count;
  }
  return (double)elements * s->other;
}

double host_speed_instructions(const host_speed *speed, const host_facts *f) {
  double sum = 0.0, bytes = 0.0, small = 0.0;
  for (uint32_t i = 0; i < f->tensor_count; i++) {
    const host_tensor_fact *t = &f->tensors[i];
    if (t->producer < 0) continue;
    bytes += t->tensor.bytes;
    if (t->tensor.type == ARN_INT8 || t->tensor.type == ARN_UINT8) small += t->tensor.bytes;
  }
  if (2.0 * small < bytes) return 0.0;
  for (uint32_t n = 0; n < f->step_count; n++) sum += instructions_of(speed, f, &f->steps[n]);
  return sum;
}
