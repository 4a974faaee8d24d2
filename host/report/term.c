// The pictures for a terminal: 100 columns, Unicode blocks. In the map each character stands for
// the block that covers most of its piece of memory; without colours, shades tell blocks apart.
#include <string.h>

#include "host/report/pictures.h"
#include "host/report/utf8.h"

#define COLUMNS 85u  // of the pictures; the addresses before them take 14
#define MAP_LINES 18u
#define CURVE_LINES 8u
#define EMPTY 255u  // in a cell: nothing; else 4 * kind + tint
#define STATIC_CELL 250u
#define LABEL_MIN 3u
#define LISTED 10u  // blocks at the peak

struct cell {
  uint8_t what;
  uint32_t block;  // where what < STATIC_CELL
  char label;      // a character of the block's number, or 0
};

struct picture {
  const host_view *view;
  struct cell cells[MAP_LINES][COLUMNS];
  uint32_t columns, most;
};

static uint32_t step_of(const struct picture *p, uint32_t column) {
  return (uint32_t)((uint64_t)column * p->view->step_count / p->columns);
}

static uint32_t address_of(const struct picture *p, uint32_t line) {
  return (uint32_t)((uint64_t)p->most * line / MAP_LINES);
}

static uint32_t common(uint32_t low, uint32_t high, uint32_t from, uint32_t to) {
  const uint32_t a = low > from ? low : from, b = high < to ? high : to;
  return b > a ? b - a : 0;
}

// ---- filling ------------------------------------------------------------------------------------

static void fill_cell(const struct picture *p, struct cell *cell, uint32_t line,
                      const uint32_t *live, uint32_t count) {
  const host_view *v = p->view;
  const uint32_t from = address_of(p, line), to = address_of(p, line + 1);
  uint32_t best = common(0, v->static_bytes, from, to);
  *cell = (struct cell){best ? STATIC_CELL : EMPTY, 0, 0};
  for (uint32_t i = 0; i < count; i++) {
    const host_view_block *b = &v->blocks[live[i]];
    const uint32_t bytes = common(b->low, b->high, from, to);
    if (bytes == 0 || bytes < best) continue;
    best = bytes;
    *cell = (struct cell){(uint8_t)(4 * (uint32_t)b->kind + b->tint), live[i], 0};
  }
}

static void fill(void *context, uint32_t step, const uint32_t *live, uint32_t count) {
  struct picture *p = context;
  for (uint32_t column = 0; column < p->columns; column++) {
    if (step_of(p, column) != step) continue;
    for (uint32_t line = 0; line < MAP_LINES; line++) {
      fill_cell(p, &p->cells[line][column], line, live, count);
    }
  }
}

// Row groups of one tensor are numbered together.
static bool same_tensor(const struct picture *p, const struct cell *a, const struct cell *b) {
  if (a->what >= STATIC_CELL || b->what >= STATIC_CELL) return false;
  const int32_t tensor = p->view->blocks[a->block].tensor;
  return a->block == b->block || (tensor >= 0 && tensor == p->view->blocks[b->block].tensor);
}

// Writes "#12" over the middle of the first run of cells of a block that is wide enough.
static void put_number(struct picture *p, uint32_t line, uint32_t column, uint32_t width) {
  char text[16];
  const host_view_block *b = &p->view->blocks[p->cells[line][column].block];
  snprintf(text, sizeof text, b->tensor < 0 ? "*" : "#%d", b->tensor);
  const uint32_t length = (uint32_t)strlen(text);
  if (width < length + 1 || width < LABEL_MIN) return;
  const uint32_t at = column + (width - length) / 2;
  for (uint32_t i = 0; i < length; i++) p->cells[line][at + i].label = text[i];
}

// A block is numbered once: in its middle line where that starts at its left edge.
static void number_blocks(struct picture *p) {
  for (uint32_t line = 0; line < MAP_LINES; line++) {
    for (uint32_t c = 0; c < p->columns; c++) {
      const struct cell *cell = &p->cells[line][c];
      if (cell->what >= STATIC_CELL) continue;
      uint32_t width = 1, below = 0, above = 0;
      while (c + width < p->columns && same_tensor(p, cell, &p->cells[line][c + width])) width++;
      while (below < line && same_tensor(p, cell, &p->cells[line - below - 1][c])) below++;
      while (line + above < MAP_LINES - 1 && same_tensor(p, cell, &p->cells[line + above + 1][c])) {
        above++;
      }
      if (below == above || below == above + 1) put_number(p, line, c, width);
      c += width - 1;
    }
  }
}

// ---- printing -----------------------------------------------------------------------------------

static const char *glyph_of(uint8_t what) {
  static const char *const shades[] = {"\u2593", "\u2592", "\u2588"};
  if (what == EMPTY) return " ";
  if (what == STATIC_CELL) return "\u2591";
  return shades[what % 4 < 3 ? what % 4 : 0];
}

// Numbers of the 256-colour palette: backgrounds of blocks.
static uint32_t colour_of(uint8_t what) {
  static const uint8_t colours[5][3] = {
      {68, 110, 32}, {72, 108, 29}, {178, 221, 136}, {175, 218, 132}, {140, 146, 98}};
  if (what == STATIC_CELL) return 245;
  return colours[what / 4 < 5 ? what / 4 : 0][what % 4 < 3 ? what % 4 : 0];
}

static void put_cell(FILE *out, const struct cell *cell, bool colour) {
  if (colour && cell->what != EMPTY) {
    fprintf(out, "\033[48;5;%um\033[38;5;16m%c\033[0m", colour_of(cell->what),
            cell->label ? cell->label : ' ');
  } else if (cell->label) {
    fputc(cell->label, out);
  } else {
    fputs(glyph_of(cell->what), out);
  }
}

static void put_map(FILE *out, struct picture *p, bool colour) {
  for (uint32_t line = MAP_LINES; line-- > 0;) {
    fprintf(out, "  0x%08x \u2502", address_of(p, line));
    for (uint32_t c = 0; c < p->columns; c++) put_cell(out, &p->cells[line][c], colour);
    fputs("\u2502\n", out);
  }
}

// Eighths of a character.
static const char *eighth(uint32_t eighths) {
  static const char *const bars[] = {" ",      "\u2581", "\u2582", "\u2583", "\u2584",
                                     "\u2585", "\u2586", "\u2587", "\u2588"};
  return bars[eighths > 8 ? 8 : eighths];
}

// The most live bytes of the steps that a column stands for.
static uint32_t most_live(const struct picture *p, uint32_t column) {
  const uint32_t from = step_of(p, column);
  uint32_t to = column + 1 < p->columns ? step_of(p, column + 1) : p->view->step_count, most = 0;
  if (to <= from) to = from + 1;
  for (uint32_t n = from; n < to && n < p->view->step_count; n++) {
    if (p->view->steps[n].live_bytes > most) most = p->view->steps[n].live_bytes;
  }
  return most;
}

static void put_curve_line(FILE *out, const struct picture *p, uint32_t line, bool colour) {
  const host_view *v = p->view;
  const uint64_t full = 8u * CURVE_LINES;
  const uint64_t bound = ((uint64_t)v->base + v->bound_bytes) * full / p->most;
  fprintf(out, "  %10u \u2502", (uint32_t)((uint64_t)p->most * line / CURVE_LINES));
  if (colour) fputs("\033[38;5;68m", out);
  for (uint32_t c = 0; c < p->columns; c++) {
    const uint64_t eighths = ((uint64_t)v->base + most_live(p, c)) * full / p->most;
    const uint64_t here = eighths > 8u * line ? eighths - 8u * line : 0;
    const bool is_bound = here == 0 && bound / 8 == line;
    fputs(is_bound ? "\u2504" : eighth((uint32_t)(here > 8 ? 8 : here)), out);
  }
  if (colour) fputs("\033[0m", out);
  fputs("\u2502\n", out);
}

static void put_peak_mark(FILE *out, const struct picture *p) {
  uint32_t column = 0;
  while (column + 1 < p->columns && step_of(p, column + 1) <= p->view->peak_step) column++;
  fprintf(out, "%*s\u25b2\n", (int)(14 + column), "");
}

static void put_legend(FILE *out, bool colour) {
  static const char *const names[] = {"intermediate", "input", "output", "scratch", "variable"};
  fputs("  ", out);
  for (uint8_t kind = 0; kind < 5 && colour; kind++) {
    const struct cell cell = {(uint8_t)(4 * kind), 0, ' '};
    put_cell(out, &cell, true);
    put_cell(out, &cell, true);
    fprintf(out, " %s  ", names[kind]);
  }
  if (!colour) fputs("\u2588\u2593\u2592 tensors by number, * scratch, \u2591 static region", out);
  fputs(colour ? "\033[48;5;245m  \033[0m static region\n" : ", blank: free\n", out);
}

struct listing {
  FILE *out;
  const host_view *view;
};

// One line: a block, or `groups` row groups of one tensor, `bytes` together.
static void list_block(const struct listing *l, const host_view_block *b, uint32_t groups,
                       uint32_t bytes) {
  const host_view *v = l->view;
  char label[HOST_VIEW_NAME + 32], number[16] = "*", more[48] = "";
  const char *const shape = b->tensor < 0 ? "" : v->tensors[b->tensor].shape;
  const char *const type = b->tensor < 0 ? "" : v->tensors[b->tensor].type;
  if (b->tensor >= 0) snprintf(number, sizeof number, "#%d", b->tensor);
  if (groups > 1) snprintf(more, sizeof more, " and %u more of its groups", groups - 1);
  host_view_label(v, b, label);
  fprintf(l->out, "  %-5s 0x%06x %9u  %-15.15s %-8.8s %.*s%s\n", number, b->low, bytes, shape, type,
          host_utf8_prefix(label, groups > 1 ? 22 : 48), label, more);
}

// What is alive at the peak, from the top down.
static void list_peak(void *context, uint32_t step, const uint32_t *live, uint32_t count) {
  const struct listing *l = context;
  const host_view_block *blocks = l->view->blocks;
  uint32_t lines = 0, left = 0;
  if (step != l->view->peak_step) return;
  for (uint32_t i = count, groups; i > 0; i -= groups) {
    const host_view_block *first = &blocks[live[i - 1]];
    uint32_t bytes = first->high - first->low;
    for (groups = 1; groups < i; groups++) {
      const host_view_block *next = &blocks[live[i - 1 - groups]];
      if (first->rows == 0 || next->tensor != first->tensor) break;
      bytes += next->high - next->low;
    }
    if (lines++ < LISTED) list_block(l, first, groups, bytes);
    else left++;
  }
  if (left > 0) fprintf(l->out, "  and %u more below\n", left);
}

static void put_view(FILE *out, const host_view *v, uint32_t most, bool colour) {
  struct picture p;
  memset(&p, 0, sizeof p);
  p.view = v;
  p.most = most;
  p.columns = v->step_count < COLUMNS ? v->step_count : COLUMNS;
  if (p.columns > 0) p.columns = COLUMNS / p.columns * p.columns;  // whole columns a step
  fprintf(out, "%.*s, %.*s\n", host_utf8_prefix(v->model, 64), v->model,
          host_utf8_prefix(v->label, 32), v->label);
  fprintf(out, "  arena %u bytes: static %u, dynamic %u from 0x%x on (lower bound %u)\n",
          v->arena_bytes, v->static_bytes, v->dynamic_bytes, v->base, v->bound_bytes);
  if (v->step_count == 0) return;
  fprintf(out,
          "  peak %u bytes at step %u, %s\n\n  bytes alive, from the arena's start; "
          "\u2504 lower bound\n",
          v->steps[v->peak_step].live_bytes, v->peak_step, v->steps[v->peak_step].op);
  for (uint32_t line = CURVE_LINES; line-- > 0;) put_curve_line(out, &p, line, colour);
  put_peak_mark(out, &p);
  if (!host_view_walk(v, fill, &p)) return;
  number_blocks(&p);
  fprintf(out, "  arena: addresses up, steps 0 to %u across\n", v->step_count - 1);
  put_map(out, &p, colour);
  put_legend(out, colour);
  struct listing l = {out, v};
  fprintf(out, "\n  alive at the peak\n");
  if (!host_view_walk(v, list_peak, &l)) fputs("  out of host memory\n", out);
}

void host_term_write(FILE *out, const host_view *views, uint32_t count, bool colour) {
  uint32_t most = 1;
  for (uint32_t i = 0; i < count; i++) {
    if (views[i].arena_bytes > most) most = views[i].arena_bytes;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (i > 0) fputc('\n', out);
    put_view(out, &views[i], most, colour);
  }
}
