#include "host/report/text.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_COLUMNS 100
#define MAP_COLUMNS 70u
#define MAP_LINES 16u
#define CURVE_LINES 10u

const char *host_text_shape(const arn_tensor *t, char *text, size_t size) {
  size_t used = 0;
  snprintf(text, size, t->rank == 0 ? "scalar" : "");
  for (uint32_t i = 0; i < t->rank && used < size; i++) {
    used += (size_t)snprintf(text + used, size - used, i ? "x%d" : "%d", t->dims[i]);
  }
  return text;
}

// One line of at most TEXT_COLUMNS columns: what does not fit (the end of a long name) is cut off.
__attribute__((format(printf, 2, 3))) static void put_line(FILE *out, const char *format, ...) {
  char line[TEXT_COLUMNS + 1];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length > TEXT_COLUMNS) memcpy(line + TEXT_COLUMNS - 3, "...", 3);
  fprintf(out, "%s\n", line);
}

static const char *role_name(host_role role) {
  static const char *const names[] = {"intermediate", "input", "output", "constant", "variable",
                                      "unused"};
  return names[role];
}

// ---- profile ------------------------------------------------------------------------------------

static void put_block(FILE *out, const host_facts *f, const host_block *b, uint32_t alive) {
  char shape[64];
  const double share = alive ? 100.0 * b->bytes / alive : 0.0;
  if (b->tensor < 0) {
    fprintf(out, "    0x%06x %9u  %5.1f %%  scratch\n", b->offset, b->bytes, share);
    return;
  }
  const host_tensor_fact *t = &f->tensors[b->tensor];
  put_line(out, "    0x%06x %9u  %5.1f %%  %-7s %-14s %s, steps %d-%d, #%u %s", b->offset, b->bytes,
           share, arn_type_name((arn_type)t->tensor.type),
           host_text_shape(&t->tensor, shape, sizeof shape), role_name(t->role), t->first, t->last,
           t->index, t->name);
}

// Rows of one tensor become one line, at the lowest of them.
static uint32_t join_blocks(const host_facts *f, host_block *blocks, uint32_t count) {
  uint32_t joined = 0;
  for (uint32_t i = 0; i < count; i++) {
    uint32_t k = 0;
    while (k < joined && (blocks[i].tensor < 0 || blocks[k].tensor != blocks[i].tensor)) k++;
    if (k < joined && f->by_row_plan) blocks[k].bytes += blocks[i].bytes;
    else blocks[joined++] = blocks[i];
  }
  return joined;
}

static void put_peak(FILE *out, const host_facts *f) {
  host_block *blocks = host_facts_blocks(f);
  if (blocks == NULL || f->step_count == 0) {
    free(blocks);
    return;
  }
  const host_step_fact *s = &f->steps[f->peak_step];
  const uint32_t count = join_blocks(f, blocks, host_facts_live(f, f->peak_step, blocks));
  fprintf(out, "  peak at step %u (%s", f->peak_step, s->op);
  if (f->by_row_plan && s->node != UINT32_MAX) {
    fprintf(out, ", node %u, rows %u to %u", s->node, s->first_row, s->first_row + s->rows - 1);
  }
  fprintf(out, "): %u bytes alive%s:\n", s->live_bytes,
          s->memory.by_rows ? ", output over input by rows" : "");
  for (uint32_t i = 0; i < count; i++) put_block(out, f, &blocks[i], s->live_bytes);
  free(blocks);
}

static void put_largest(FILE *out, const host_facts *f) {
  bool *seen = calloc(f->tensor_count + 1u, sizeof *seen);
  char shape[64];
  if (seen == NULL) return;
  fprintf(out, "  largest tensors in the arena:\n");
  for (uint32_t k = 0; k < 5; k++) {
    const host_tensor_fact *best = NULL;
    for (uint32_t i = 0; i < f->tensor_count; i++) {
      const host_tensor_fact *t = &f->tensors[i];
      if (seen[i] || t->owner != (int32_t)i) continue;
      if (best == NULL || t->tensor.bytes > best->tensor.bytes) best = t;
    }
    if (best == NULL) break;
    seen[best->index] = true;
    put_line(out, "    %9u  %-7s %-14s #%u %s", best->tensor.bytes,
             arn_type_name((arn_type)best->tensor.type),
             host_text_shape(&best->tensor, shape, sizeof shape), best->index, best->name);
  }
  free(seen);
}

void host_text_profile(FILE *out, const host_facts *f) {
  const arn_usage *u = &f->usage;
  uint32_t scratch = 0;
  for (uint32_t n = 0; n < f->step_count; n++) {
    if (f->steps[n].memory.scratch_bytes > scratch) scratch = f->steps[n].memory.scratch_bytes;
  }
  fprintf(out, "  arena needed   %9u bytes\n", u->arena_bytes);
  fprintf(out, "  static region  %9u bytes\n", u->static_bytes);
  fprintf(out, "  dynamic peak   %9u bytes, from offset 0x%x\n", u->dynamic_bytes, u->peak_offset);
  fprintf(out, "  lower bound    %9u bytes for the dynamic region in this order%s; "
          "gap %d (%.1f %%)\n", f->bound_bytes, f->by_row_plan ? " of rows" : "",
          (int)(u->dynamic_bytes - f->bound_bytes),
          f->bound_bytes ? 100.0 * (double)((int64_t)u->dynamic_bytes - f->bound_bytes) /
                               f->bound_bytes : 0.0);
  fprintf(out, "  largest scratch%9u bytes\n", scratch);
  fprintf(out, "  in two blocks  %9u bytes for the arena, %u for config.dynamic\n", u->static_bytes,
          u->dynamic_block_bytes);
  put_peak(out, f);
  put_largest(out, f);
}

// ---- formula ------------------------------------------------------------------------------------

void host_text_formula(FILE *out, const host_facts *f) {
  const host_breakdown *b = &f->breakdown;
  const struct {
    const char *name;
    uint32_t bytes;
  } lines[] = {{"tensor data at the peak", b->tensor_data},
               {"scratch at the peak", b->scratch},
               {"alignment padding", b->alignment_padding},
               {"holes that the packing leaves", b->unused},
               {"engine records", b->engine_records},
               {"prepared operator data", b->op_data},
               {"variables", b->variables},
               {"weights copied", b->weights_copied},
               {"records of planning (only while starting)", b->init_temporary}};
  uint32_t sum = 0;
  for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
    sum += lines[i].bytes;
    if (lines[i].bytes > 0) fprintf(out, "  %9u  %s\n", lines[i].bytes, lines[i].name);
  }
  fprintf(out, "  ---------\n  %9u  = the arena, to the byte\n", sum);
}

// ---- map ----------------------------------------------------------------------------------------

static char letter_of(int32_t tensor) {
  static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  return tensor < 0 ? '*' : letters[(uint32_t)tensor % (sizeof letters - 1)];
}

static uint32_t columns_of(const host_facts *f) {
  return f->step_count < MAP_COLUMNS ? f->step_count : MAP_COLUMNS;
}

static uint32_t step_at(const host_facts *f, uint32_t column) {
  return (uint32_t)((uint64_t)column * f->step_count / columns_of(f));
}

static char cell(const host_block *blocks, uint32_t count, uint32_t from, uint32_t to) {
  const host_block *best = NULL;
  uint32_t most = 0;
  for (uint32_t i = 0; i < count; i++) {
    const uint32_t low = blocks[i].offset > from ? blocks[i].offset : from;
    const uint32_t end = blocks[i].offset + blocks[i].bytes;
    const uint32_t high = end < to ? end : to;
    if (high > low && high - low > most) {
      most = high - low;
      best = &blocks[i];
    }
  }
  return best ? letter_of(best->tensor) : '.';
}

void host_text_map(FILE *out, const host_facts *f) {
  host_block *blocks = host_facts_blocks(f);
  if (blocks == NULL || f->step_count == 0 || f->usage.dynamic_bytes == 0) {
    free(blocks);
    return;
  }
  const uint32_t columns = columns_of(f), bytes = f->usage.dynamic_bytes;
  const uint32_t lines = bytes < MAP_LINES ? bytes : MAP_LINES;
  for (uint32_t line = lines; line-- > 0;) {
    const uint32_t from = (uint32_t)((uint64_t)bytes * line / lines);
    const uint32_t to = (uint32_t)((uint64_t)bytes * (line + 1) / lines);
    fprintf(out, "  0x%06x |", f->usage.peak_offset + from);
    for (uint32_t c = 0; c < columns; c++) {
      const uint32_t count = host_facts_live(f, step_at(f, c), blocks);
      fputc(cell(blocks, count, from, to), out);
    }
    fprintf(out, "|\n");
  }
  fprintf(out, "  0x000000 |");
  for (uint32_t c = 0; c < columns; c++) fputc('#', out);
  fprintf(out, "| static region\n  steps 0 to %u; a letter a tensor, * scratch, . free, # static\n",
          f->step_count - 1);
  free(blocks);
}

// ---- curve --------------------------------------------------------------------------------------

void host_text_curve(FILE *out, const host_facts *f) {
  const uint32_t columns = columns_of(f), top = f->usage.dynamic_bytes;
  if (f->step_count == 0 || top == 0) return;
  const uint32_t bound_line = (uint32_t)((uint64_t)f->bound_bytes * CURVE_LINES / top);
  for (uint32_t line = CURVE_LINES + 1; line-- > 0;) {
    const uint32_t level = (uint32_t)((uint64_t)top * line / CURVE_LINES);
    fprintf(out, "  %9u |", level);
    for (uint32_t c = 0; c < columns; c++) {
      const host_step_fact *s = &f->steps[step_at(f, c)];
      const bool live = line > 0 && s->live_bytes >= level;
      fputc(live ? '#' : line == bound_line ? '-' : line == 0 ? '_' : ' ', out);
    }
    fprintf(out, "|%s\n", line == CURVE_LINES ? " dynamic region" : line == bound_line ? " lower "
                                                                                         "bound"
                                                                                      : "");
  }
}
