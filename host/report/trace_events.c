// Trace events: one process a plan; operators in thread 1, blocks of memory in lanes from thread 10
// on.
#include <stdlib.h>

#include "host/report/pictures.h"

#define STEP_MICROSECONDS 1000.0  // of a step that was not measured
#define FIRST_LANE 10u
#define MOST_LANES 4096u

struct trace {
  FILE *out;
  const host_view *view;
  uint32_t pid;
  double *starts;  // of each step, and the end
  bool comma;
};

static void put_string(FILE *out, const char *text) {
  fputc('"', out);
  for (; *text; text++) {
    if (*text == '"' || *text == '\\') fputc('\\', out);
    fputc(*text, out);
  }
  fputc('"', out);
}

static void begin(struct trace *t, const char *phase, const char *name) {
  fprintf(t->out, "%s\n{\"ph\":\"%s\",\"pid\":%u,\"name\":", t->comma ? "," : "", phase, t->pid);
  put_string(t->out, name);
  t->comma = true;
}

static void put_name(struct trace *t, const char *what, uint32_t tid, const char *name) {
  begin(t, "M", what);
  fprintf(t->out, ",\"tid\":%u,\"args\":{\"name\":", tid);
  put_string(t->out, name);
  fputs("}}", t->out);
}

static void put_step(struct trace *t, uint32_t n) {
  const host_view_step *s = &t->view->steps[n];
  begin(t, "X", s->op);
  fprintf(t->out,
          ",\"cat\":\"operator\",\"tid\":1,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"step\":%u,"
          "\"node\":%d,\"macs\":%.0f,\"live_bytes\":%u,\"high_water\":%u,\"scratch_bytes\":%u}}",
          t->starts[n], t->starts[n + 1] - t->starts[n], n, s->node, s->macs, s->live_bytes,
          s->high_water, s->scratch_bytes);
  begin(t, "C", "dynamic region, bytes");
  fprintf(t->out, ",\"ts\":%.3f,\"args\":{\"live\":%u}}", t->starts[n], s->live_bytes);
  begin(t, "C", "high water, bytes");
  fprintf(t->out, ",\"ts\":%.3f,\"args\":{\"high water\":%u}}", t->starts[n], s->high_water);
}

// A block goes into the first lane that is free again.
static uint32_t lane_of(uint32_t *free_from, uint32_t lanes, const host_view_block *b) {
  for (uint32_t lane = 0; lane < lanes; lane++) {
    if (free_from[lane] <= b->first) {
      free_from[lane] = b->last + 1;
      return lane;
    }
  }
  return lanes;
}

static void put_block(struct trace *t, const host_view_block *b, uint32_t lane) {
  const host_view *v = t->view;
  char label[HOST_VIEW_NAME + 32];
  begin(t, "X", host_view_label(v, b, label));
  fprintf(t->out,
          ",\"cat\":\"memory\",\"tid\":%u,\"ts\":%.3f,\"dur\":%.3f,\"args\":{\"bytes\":%u,"
          "\"address\":%u,\"first_step\":%u,\"last_step\":%u",
          FIRST_LANE + lane, t->starts[b->first], t->starts[b->last + 1] - t->starts[b->first],
          b->high - b->low, b->low, b->first, b->last);
  if (b->tensor >= 0) {
    fprintf(t->out, ",\"tensor\":%d,\"shape\":\"%s\",\"type\":", b->tensor,
            v->tensors[b->tensor].shape);
    put_string(t->out, v->tensors[b->tensor].type);
  }
  fputs("}}", t->out);
}

static void put_blocks(struct trace *t) {
  static const uint32_t lanes = MOST_LANES;
  uint32_t *free_from = calloc(lanes, sizeof *free_from), used = 0;
  char name[32];
  for (uint32_t i = 0; free_from != NULL && i < t->view->block_count; i++) {
    const uint32_t lane = lane_of(free_from, lanes, &t->view->blocks[i]);
    if (lane < lanes) put_block(t, &t->view->blocks[i], lane);
    if (lane < lanes && lane >= used) used = lane + 1;
  }
  for (uint32_t lane = 0; lane < used; lane++) {
    snprintf(name, sizeof name, "memory %u", lane);
    put_name(t, "thread_name", FIRST_LANE + lane, name);
  }
  free(free_from);
}

static void put_view(struct trace *t) {
  const host_view *v = t->view;
  char name[2 * HOST_VIEW_NAME + 8];
  t->starts = calloc(v->step_count + 1u, sizeof *t->starts);
  if (t->starts == NULL) return;
  for (uint32_t n = 0; n < v->step_count; n++) {
    const double us = v->steps[n].microseconds;
    t->starts[n + 1] = t->starts[n] + (us >= 0 ? us : STEP_MICROSECONDS);
  }
  snprintf(name, sizeof name, "%s, %s", v->model, v->label);
  put_name(t, "process_name", 0, name);
  put_name(t, "thread_name", 1, "operators");
  for (uint32_t n = 0; n < v->step_count; n++) put_step(t, n);
  put_blocks(t);
  free(t->starts);
}

void host_trace_write(FILE *out, const host_view *views, uint32_t count) {
  struct trace t = {out, views, 0, NULL, false};
  fputs("{\"displayTimeUnit\":\"ms\",\"otherData\":{\"engine\":", out);
  put_string(out, views[0].engine);
  fputs("},\"traceEvents\":[", out);
  for (uint32_t i = 0; i < count; i++) {
    t.view = &views[i];
    t.pid = i + 1;
    put_view(&t);
  }
  fputs("\n]}\n", out);
}
