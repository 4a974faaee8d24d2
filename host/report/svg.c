// The pictures as SVG, for documents: light, self-contained, a title on every block.
#include <string.h>

#include "host/report/pictures.h"
#include "host/report/utf8.h"

#define WIDTH 1000.0
#define LEFT 76.0
#define RIGHT 14.0
#define PLOT (WIDTH - LEFT - RIGHT)
#define CURVE_HEIGHT 110.0
#define MAP_HEIGHT 280.0
#define HEAD 46.0           // title, caption
#define BETWEEN 26.0        // curve and map
#define NAMES_HEIGHT 150.0  // operators below the map, where there is room for them
#define TICKS_HEIGHT 22.0
#define LEGEND_HEIGHT 30.0
#define MOST_NAMES 64u  // steps with names

static const char style[] =
    "<style>text{font:11px system-ui,-apple-system,'Segoe UI','Liberation Sans',"
    "sans-serif;fill:#5a6675}.h{font-size:15px;font-weight:600;fill:#17202b}"
    ".l{fill:#0d1b2a;font-size:10px}.a{fill:#b5480a}.b{fill:#0b7a55}.g{stroke:#e6ebf1}"
    ".e{text-anchor:end}.m{text-anchor:middle}.k0t0{fill:#93c4ea}.k0t1{fill:#b4d8f3}"
    ".k0t2{fill:#74b0df}.k1t0{fill:#8fd6b8}.k1t1{fill:#b0e5cf}.k1t2{fill:#72c7a4}"
    ".k2t0{fill:#f6c766}.k2t1{fill:#fad993}.k2t2{fill:#eeb443}.k3t0{fill:#e4aecd}"
    ".k3t1{fill:#efc9df}.k3t2{fill:#d995bd}.k4t0{fill:#c0b2e6}.k4t1{fill:#d2c8ee}"
    ".k4t2{fill:#ad9cdc}.r{stroke:#fff;stroke-width:.75}.s{fill:#c5ccd6}.p1{fill:url(#in)}"
    ".p2{fill:url(#out)}.p3{fill:url(#scr)}.p4{fill:url(#var)}.pad{fill:url(#pad)}"
    ".d{stroke:#0d1b2a;fill:none}.o{fill:none;stroke-width:2}</style>\n";

static const char patterns[] =
    "<defs><pattern id=\"in\" width=\"8\" height=\"8\" patternUnits=\"userSpaceOnUse\"><path "
    "d=\"M0 8L8 0M-2 2L2 -2M6 10L10 6\" stroke=\"#fff\" stroke-opacity=\".7\" "
    "stroke-width=\"1.5\"/></pattern><pattern id=\"out\" width=\"8\" height=\"8\" "
    "patternUnits=\"userSpaceOnUse\"><path d=\"M1 1h2v2h-2zM5 5h2v2h-2z\" fill=\"#fff\" "
    "fill-opacity=\".7\"/></pattern><pattern id=\"scr\" width=\"8\" height=\"8\" "
    "patternUnits=\"userSpaceOnUse\"><path d=\"M0 8L8 0M0 0L8 8\" stroke=\"#fff\" "
    "stroke-opacity=\".7\" stroke-width=\"1.5\"/></pattern><pattern id=\"var\" width=\"8\" "
    "height=\"8\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 3h8v1.6h-8z\" fill=\"#fff\" "
    "fill-opacity=\".7\"/></pattern><pattern id=\"pad\" width=\"8\" height=\"8\" "
    "patternUnits=\"userSpaceOnUse\"><path d=\"M0 0h8v8h-8z\" fill=\"#e9edf2\"/><path d=\"M0 8L8 "
    "0M-2 2L2 -2M6 10L10 6\" stroke=\"#8d98a8\" stroke-width=\"1.5\"/></pattern></defs>\n";

static const char *const plan_colours[] = {"#1f6fb2", "#8a4fb0", "#b5780a", "#0b7a55",
                                           "#c2366b", "#0a7d8c", "#6d6a00", "#7a4a2b"};

// Where a picture lies on the sheet: addresses [0, most) over `height`, steps over the whole width.
struct frame {
  FILE *out;
  const host_view *view;
  double top, height, most;
};

static double x_of(const struct frame *f, double step) {
  return LEFT + PLOT * step / (f->view->step_count ? f->view->step_count : 1);
}

static double y_of(const struct frame *f, double address) {
  return f->top + f->height - f->height * address / f->most;
}

static void put_text(FILE *out, const char *text) {
  for (; *text; text++) {
    if (*text == '&') fputs("&amp;", out);
    else if (*text == '<') fputs("&lt;", out);
    else if (*text == '>') fputs("&gt;", out);
    else fputc(*text, out);
  }
}

// At most `most` characters of a text.
static void put_cut(FILE *out, const char *text, uint32_t most) {
  char part[HOST_VIEW_NAME + 64];
  snprintf(part, sizeof part, "%.*s", host_utf8_prefix(text, most), text);
  put_text(out, part);
}

// "41,312" into `text` (room for 16 bytes).
static const char *grouped(uint32_t number, char *text) {
  if (number < 1000) snprintf(text, 16, "%u", number);
  else if (number < 1000000) snprintf(text, 16, "%u,%03u", number / 1000, number % 1000);
  else snprintf(text, 16, "%u,%03u,%03u", number / 1000000, number / 1000 % 1000, number % 1000);
  return text;
}

static void put_axis(const struct frame *f) {
  uint32_t step = 1;
  while (f->most / step > 7) step *= 2;
  for (double at = 0; at <= f->most; at += step) {
    const double y = y_of(f, at);
    fprintf(f->out,
            "<path class=\"g\" d=\"M%.0f %.1fH%.0f\"/><text class=\"e\" x=\"%.0f\" y=\"%.1f\">",
            LEFT, y, LEFT + PLOT, LEFT - 7, y + 4);
    if (step >= 1024 && at > 0) fprintf(f->out, "%.0f KiB</text>\n", at / 1024);
    else fprintf(f->out, at > 0 ? "%.0f B</text>\n" : "%.0f</text>\n", at);
  }
}

// The arena, or the lower bound: that of the dynamic region on top of what never moves.
static void put_level(const struct frame *f, uint32_t bytes, bool bound) {
  char number[16], part[16];
  const host_view *v = f->view;
  const double y = y_of(f, bytes);
  fprintf(f->out, "<path d=\"M%.0f %.1fH%.0f\" stroke=\"%s\" stroke-width=\"1.5\"%s/>", LEFT, y,
          LEFT + PLOT, bound ? "#0b7a55" : "#b5480a", bound ? " stroke-dasharray=\"6 4\"" : "");
  if (bound) {
    const bool right = v->peak_step < v->step_count / 2;   // away from the peak
    fprintf(f->out,
            "<text class=\"b%s\" x=\"%.0f\" y=\"%.1f\">lower bound %s + %s B</text>\n",
            right ? " e" : "", right ? LEFT + PLOT - 4 : LEFT + 4, y + 12, grouped(v->base, part),
            grouped(v->bound_bytes, number));
  } else {
    fprintf(f->out, "<text class=\"a e\" x=\"%.0f\" y=\"%.1f\">arena %s B</text>\n",
            LEFT + PLOT - 3, y - 4, grouped(bytes, number));
  }
}

// ---- curve --------------------------------------------------------------------------------------

static void put_stairs(const struct frame *f, bool high_water) {
  for (uint32_t n = 0; n < f->view->step_count; n++) {
    const host_view_step *s = &f->view->steps[n];
    const double bytes = (double)f->view->base + (high_water ? s->high_water : s->live_bytes);
    fprintf(f->out, "%c%.1f %.1fH%.1f", n ? 'L' : 'M', x_of(f, n), y_of(f, bytes),
            x_of(f, n + 1.0));
  }
}

static void put_curve(const struct frame *f, const host_view *views, uint32_t count) {
  FILE *out = f->out;
  const double floor = y_of(f, f->view->base);
  put_axis(f);
  fprintf(out, "<path fill=\"#93c4ea\" fill-opacity=\".6\" d=\"");
  put_stairs(f, false);
  fprintf(
      out,
      "V%.1fH%.0fZ\"/>\n<rect class=\"s\" x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.1f\"/>",
      floor, LEFT, LEFT, floor, PLOT, y_of(f, 0) - floor);
  fputs("<path class=\"d\" stroke-opacity=\".7\" stroke-dasharray=\"2 2\" d=\"", out);
  put_stairs(f, true);
  fputs("\"/>\n", out);
  for (uint32_t i = 0; i < count; i++) {
    const bool own = &views[i] == f->view;
    struct frame other = *f;
    other.view = &views[i];
    fprintf(out, "<path class=\"o\" stroke=\"%s\"%s d=\"", plan_colours[i % 8],
            own ? "" : " stroke-dasharray=\"7 3\"");
    put_stairs(&other, false);
    fputs("\"/>\n", out);
  }
  put_level(f, f->view->base + f->view->bound_bytes, true);
  put_level(f, f->view->arena_bytes, false);
}

// ---- map ----------------------------------------------------------------------------------------

static void put_title(FILE *out, const host_view *v, const host_view_block *b) {
  fputs("<title>", out);
  if (b->tensor < 0) {
    fprintf(out, "scratch");
  } else {
    const host_view_tensor *t = &v->tensors[b->tensor];
    fprintf(out, "#%d ", b->tensor);
    put_text(out, t->name);
    fprintf(out, ", %s ", t->shape);
    put_text(out, t->type);
  }
  if (b->rows > 0) fprintf(out, ", rows %u to %u", b->first_row, b->first_row + b->rows - 1);
  fprintf(out, ", %u B at 0x%x, steps %u to %u</title>", b->high - b->low, b->low, b->first,
          b->last);
}

static void put_label(const struct frame *f, const host_view_block *b) {
  char label[HOST_VIEW_NAME + 32], text[HOST_VIEW_NAME + 64], number[16];
  const double x = x_of(f, b->first), width = x_of(f, b->last + 1.0) - x;
  const double y = y_of(f, b->high), height = y_of(f, b->low) - y;
  if (height < 12 || width < 24) return;
  host_view_label(f->view, b, label);
  if (width < 60 && b->tensor >= 0) snprintf(label, sizeof label, "#%d", b->tensor);
  snprintf(text, sizeof text, width < 150 ? "%s" : "%s, %s B", label,
           grouped(b->high - b->low, number));
  fprintf(f->out, "<text class=\"l\" x=\"%.1f\" y=\"%.1f\">", x + 4, y + height / 2 + 3.5);
  put_cut(f->out, text, (uint32_t)((width - 8) / 5.4));
  fputs("</text>\n", f->out);
}

static void put_block(const struct frame *f, const host_view_block *b) {
  const double x = x_of(f, b->first), width = x_of(f, b->last + 1.0) - x;
  const double y = y_of(f, b->high), height = y_of(f, b->low) - y;
  char box[128];
  snprintf(box, sizeof box, "x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"", x, y,
           width > 0.2 ? width : 0.2, height > 0.2 ? height : 0.2);
  fprintf(f->out, "<g><rect class=\"k%ut%u%s\" rx=\"%d\" %s/>", (uint32_t)b->kind, b->tint,
          width > 4 && height > 3 ? " r" : "", width > 12 && height > 8 ? 2 : 0, box);
  if (b->kind != HOST_KIND_INTERMEDIATE && width > 5 && height > 5) {
    fprintf(f->out, "<rect class=\"p%u\" %s/>", (uint32_t)b->kind, box);
  }
  put_title(f->out, f->view, b);
  fputs("</g>\n", f->out);
}

// Which of two blocks that share bytes was there first: an input, where they begin together.
static const host_view_block *older_of(const host_view_block *a, const host_view_block *b) {
  if (a->first != b->first) return a->first < b->first ? a : b;
  return a->kind == HOST_KIND_INPUT ? a : b->kind == HOST_KIND_INPUT ? b : NULL;
}

// A block that begins over one that is still read: the older one stays above the diagonal.
static void put_shared(void *context, uint32_t step, const uint32_t *live, uint32_t count) {
  const struct frame *f = context;
  for (uint32_t i = 0; i < count; i++) {
    for (uint32_t k = i + 1; k < count; k++) {
      const host_view_block *a = &f->view->blocks[live[i]], *b = &f->view->blocks[live[k]];
      if (b->low >= a->high) break;
      const host_view_block *const older = older_of(a, b);
      if (older == NULL || (older == a ? b : a)->first != step) continue;
      const double top = y_of(f, a->high < b->high ? a->high : b->high), bottom = y_of(f, b->low);
      const double x = x_of(f, step), end = x_of(f, step + 1.0);
      if (bottom - top < 2 || end - x < 2) continue;
      const host_view_block *const newer = older == a ? b : a;
      fprintf(f->out,
              "<path class=\"k%ut%u\" d=\"M%.1f %.1fV%.1fH%.1fZ\"/>",
              (uint32_t)older->kind, older->tint, x, bottom, top, end);
      if (older->kind != HOST_KIND_INTERMEDIATE) {
        fprintf(f->out, "<path class=\"p%u\" d=\"M%.1f %.1fV%.1fH%.1fZ\"/>",
                (uint32_t)older->kind, x, bottom, top, end);
      }
      fprintf(f->out,
              "<path class=\"k%ut%u\" "
              "d=\"M%.1f %.1fH%.1fV%.1fZ\"/><path class=\"d\" stroke-opacity=\".6\" "
              "d=\"M%.1f %.1fL%.1f %.1f\"/>\n",
              (uint32_t)newer->kind, newer->tint, x, bottom, end, top, x, bottom, end, top);
    }
  }
}

static void put_map(struct frame *f) {
  FILE *out = f->out;
  const host_view *v = f->view;
  put_axis(f);
  fprintf(out,
          "<rect class=\"s\" x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.2f\"><title>static "
          "region, %u B</title></rect>\n",
          LEFT, y_of(f, v->static_bytes), PLOT, y_of(f, 0) - y_of(f, v->static_bytes),
          v->static_bytes);
  for (uint32_t i = 0; i < v->gap_count; i++) {
    const host_view_gap *g = &v->gaps[i];
    const double height = f->height * (g->high - g->low) / f->most;
    fprintf(out,
            "<rect class=\"pad\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"><title>"
            "padding, %u B</title></rect>\n",
            x_of(f, g->first), y_of(f, g->high), x_of(f, g->last + 1.0) - x_of(f, g->first),
            height > 0.4 ? height : 0.4, g->high - g->low);
  }
  for (uint32_t i = 0; i < v->block_count; i++) put_block(f, &v->blocks[i]);
  if (!host_view_walk(v, put_shared, f)) fputs("<!-- out of host memory -->\n", out);
  for (uint32_t i = 0; i < v->block_count; i++) put_label(f, &v->blocks[i]);
  put_level(f, v->arena_bytes, false);
}

static void put_steps(const struct frame *f) {
  const host_view *v = f->view;
  const double y = f->top + f->height + 14;
  const uint32_t every = v->step_count / 20 + 1;
  for (uint32_t n = 0; n < v->step_count; n++) {
    const double x = x_of(f, n + 0.5);
    const char *const peak = n == v->peak_step ? " a" : "";
    if (v->step_count <= 32 || n % every == 0) {
      fprintf(f->out, "<text class=\"m%s\" x=\"%.1f\" y=\"%.1f\">%u</text>\n", peak, x, y, n);
    }
    if (v->step_count > MOST_NAMES) continue;
    fprintf(f->out, "<text class=\"e%s\" transform=\"translate(%.1f %.1f) rotate(-90)\">", peak,
            x + 4, y + 6);
    put_cut(f->out, v->steps[n].op, 18);
    fputs("</text>\n", f->out);
  }
}

static void put_peak(const struct frame *f, double bottom) {
  const double x = x_of(f, f->view->peak_step), end = x_of(f, f->view->peak_step + 1.0);
  if (f->view->step_count == 0) return;
  fprintf(f->out,
          "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\" fill=\"none\" "
          "stroke=\"#b5480a\" stroke-width=\"1.5\"><title>the peak</title></rect>\n",
          x, f->top, end - x, bottom - f->top);
}

// ---- sheet --------------------------------------------------------------------------------------

static double height_of(const host_view *v) {
  return HEAD + CURVE_HEIGHT + BETWEEN + MAP_HEIGHT +
         (v->step_count <= MOST_NAMES ? NAMES_HEIGHT : TICKS_HEIGHT);
}

// Whether one of the pictures has a kind of block (below 5), the static region (5), or padding (6).
static bool has_kind(const host_view *views, uint32_t count, uint32_t kind) {
  bool found = kind == 5;
  for (uint32_t i = 0; i < count && !found; i++) {
    const host_view *v = &views[i];
    found = kind == 6 && v->gap_count > 0;
    for (uint32_t b = 0; b < v->block_count && !found; b++) {
      found = (uint32_t)v->blocks[b].kind == kind;
    }
  }
  return found;
}

static void put_legend(FILE *out, double y, const host_view *views, uint32_t count) {
  static const char *const names[] = {"intermediate", "input", "output", "scratch", "variable"};
  double x = LEFT;
  for (uint32_t kind = 0; kind < 7; kind++) {
    if (!has_kind(views, count, kind)) continue;
    const char *const name = kind < 5 ? names[kind] : kind == 5 ? "static region" : "padding";
    const char *const frame = "width=\"20\" height=\"13\"";
    fprintf(out, "<rect class=\"");
    if (kind < 5) fprintf(out, "k%ut0", kind);
    else fputs(kind == 5 ? "s" : "pad", out);
    fprintf(out, "\" x=\"%.0f\" y=\"%.0f\" %s/>", x, y, frame);
    if (kind > 0 && kind < 5) {
      fprintf(out, "<rect class=\"p%u\" x=\"%.0f\" y=\"%.0f\" %s/>", kind, x, y, frame);
    }
    fprintf(out, "<text x=\"%.0f\" y=\"%.0f\">%s</text>\n", x + 26, y + 10.5, name);
    x += 48 + 6.2 * (double)strlen(name);
  }
}

static double most_bytes(const host_view *views, uint32_t count) {
  double most = 16;
  for (uint32_t i = 0; i < count; i++) {
    const host_view *v = &views[i];
    const double dynamic = (double)v->base + v->dynamic_bytes;
    most = v->arena_bytes > most ? v->arena_bytes : most;
    most = dynamic > most ? dynamic : most;
  }
  return most * 1.06;
}

void host_svg_write(FILE *out, const host_view *views, uint32_t count) {
  double height = LEGEND_HEIGHT, top = 0;
  char number[16];
  for (uint32_t i = 0; i < count; i++) height += height_of(&views[i]);
  fprintf(out,
          "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
          "viewBox=\"0 0 %.0f %.0f\" role=\"img\">\n<title>Arena plan</title>\n",
          WIDTH, height, WIDTH, height);
  fprintf(out, "%s%s<rect width=\"100%%\" height=\"100%%\" fill=\"#fff\"/>\n", style, patterns);
  for (uint32_t i = 0; i < count; i++) {
    struct frame f = {out, &views[i], top + HEAD, CURVE_HEIGHT, most_bytes(views, count)};
    fprintf(out, "<text class=\"h\" x=\"%.0f\" y=\"%.0f\">", LEFT, top + 20);
    put_cut(out, views[i].model, 60);
    fputs(", ", out);
    put_cut(out, views[i].label, 40);
    fprintf(out, ": %s B</text>\n<text x=\"%.0f\" y=\"%.0f\">bytes alive</text>\n",
            grouped(views[i].arena_bytes, number), LEFT, top + 38);
    put_curve(&f, views, count);
    put_peak(&f, f.top + f.height);
    f.top += CURVE_HEIGHT + BETWEEN;
    f.height = MAP_HEIGHT;
    fprintf(out, "<text x=\"%.0f\" y=\"%.0f\">arena: addresses and steps</text>\n", LEFT,
            f.top - 6);
    put_map(&f);
    put_peak(&f, f.top + f.height);
    put_steps(&f);
    top += height_of(&views[i]);
  }
  put_legend(out, top + 6, views, count);
  fputs("</svg>\n", out);
}
