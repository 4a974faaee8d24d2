// Markdown for an issue or a review.
#include <stdlib.h>
#include <string.h>

#include "host/report/pictures.h"

#define MOST_BLOCKS 12u  // of the list at the peak

// As code: names mention nobody, link nowhere, and end no cell.
static void put_code(FILE *out, const char *text) {
  fputc('`', out);
  for (; *text; text++) {
    if (*text == '|') fputs("\\|", out);
    else fputc(*text == '`' ? '\'' : *text, out);
  }
  fputc('`', out);
}

static void put_totals(FILE *out, const host_view *views, uint32_t count) {
  fputs("| plan | arena | static | dynamic | lower bound | peak |\n|---|--:|--:|--:|--:|---|\n",
        out);
  for (uint32_t i = 0; i < count; i++) {
    const host_view *v = &views[i];
    fputs("| ", out);
    put_code(out, v->label);
    fprintf(out, " | **%u** | %u | %u | %u | ", v->arena_bytes, v->static_bytes, v->dynamic_bytes,
            v->bound_bytes);
    if (v->step_count > 0) {
      fprintf(out, "%u bytes at step %u, ", v->steps[v->peak_step].live_bytes, v->peak_step);
      put_code(out, v->steps[v->peak_step].op);
    }
    fputs(" |\n", out);
  }
}

struct peak {
  FILE *out;
  const host_view *view;
};

static void put_block(FILE *out, const host_view *v, const host_view_block *b) {
  char label[HOST_VIEW_NAME + 32];
  fprintf(out, "| %u | 0x%x | ", b->high - b->low, b->low);
  put_code(out, host_view_label(v, b, label));
  if (b->tensor >= 0) {
    const host_view_tensor *t = &v->tensors[b->tensor];
    fprintf(out, " | %s ", t->shape);
    put_code(out, t->type);
    fputs(" | ", out);
    put_code(out, t->role);
  } else {
    fputs(" | | ", out);
  }
  fprintf(out, " | %u-%u |\n", b->first, b->last);
}

static void put_peak(void *context, uint32_t step, const uint32_t *live, uint32_t count) {
  const struct peak *p = context;
  const host_view *v = p->view;
  if (step != v->peak_step) return;
  fputs(
      "\n| bytes | address | alive at the peak | shape, type | role | steps |\n"
      "|--:|--:|---|---|---|---|\n",
      p->out);
  for (uint32_t i = count; i-- > 0 && count - i <= MOST_BLOCKS;) {
    put_block(p->out, v, &v->blocks[live[i]]);
  }
  if (count > MOST_BLOCKS) fprintf(p->out, "\nand %u more below\n", count - MOST_BLOCKS);
}

static void put_formula(FILE *out, const host_view *v) {
  fputs("\n| bytes | of the arena |\n|--:|---|\n", out);
  for (uint32_t i = 0; i < HOST_VIEW_PARTS; i++) {
    if (v->breakdown[i] > 0) fprintf(out, "| %u | %s |\n", v->breakdown[i], host_view_part_name(i));
  }
  fprintf(out, "| **%u** | **all of it** |\n", v->arena_bytes);
}

static void put_steps(FILE *out, const host_view *v) {
  fprintf(
      out,
      "\n<details><summary>%u steps</summary>\n\n| step | operator | live | high water | MACs |\n"
      "|--:|---|--:|--:|--:|\n",
      v->step_count);
  for (uint32_t n = 0; n < v->step_count; n++) {
    const host_view_step *s = &v->steps[n];
    fprintf(out, "| %u | ", n);
    put_code(out, s->op);
    fprintf(out, " | %u | %u | %.0f |\n", s->live_bytes, s->high_water, s->macs);
  }
  fputs("\n</details>\n", out);
}

void host_markdown_write(FILE *out, const host_view *views, uint32_t count) {
  fputs("### Arena of ", out);
  put_code(out, views[0].model);
  fputs("\n\n", out);
  put_totals(out, views, count);
  for (uint32_t i = 0; i < count; i++) {
    struct peak p = {out, &views[i]};
    if (count > 1) {
      fputs("\n#### ", out);
      put_code(out, views[i].label);
      fputs("\n", out);
    }
    if (!host_view_walk(&views[i], put_peak, &p)) fputs("\nout of host memory\n", out);
    put_formula(out, &views[i]);
    put_steps(out, &views[i]);
  }
}
