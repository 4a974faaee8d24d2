// What rows cost in time: each optimised file run by its row plan and, in turns, as whole operators
// in the file's order (the plan ignored), in one process. The fastest of many invocations counts,
// in processor time: a shared machine disturbs the others. Never asserted.
//   build/bench/rows [--budget S] MODEL.tflite...
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/check/engine.h"
#include "host/rewrite/optimize.h"

#define LEAST_SECONDS 1.0
#define MIN_TURNS 12

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static double invoke(host_engine *e, uint32_t invocation) {
  arn_subgraph g;
  arn_error error;
  if (arn_model_subgraph(&e->model, 0, &g) != ARN_OK) return INFINITY;
  for (uint32_t i = 0; i < g.input_count; i++) {
    const arn_tensor_view t = host_engine_input(e, i);
    host_generate_input(&t, invocation, i);
  }
  const double start = now();
  return arn_invoke(&e->nn, &error) < 0 ? INFINITY : now() - start;
}

struct times {
  double rows, whole;   // seconds of the fastest invocation
  uint32_t row_bytes, whole_bytes, steps;
};

static void take_turns(host_engine *rows, host_engine *whole, struct times *t) {
  const double end = now() + LEAST_SECONDS;
  t->rows = t->whole = INFINITY;
  for (uint32_t i = 0; i < MIN_TURNS || now() < end; i++) {
    const double a = invoke(rows, i), b = invoke(whole, i);
    if (i == 0) continue;  // warm-up
    if (a < t->rows) t->rows = a;
    if (b < t->whole) t->whole = b;
  }
}

static bool time_file(const void *file, size_t size, struct times *t) {
  const host_options by_rows = {.fill = HOST_FILL_ZERO};
  const host_options in_whole = {.config = {.flags = ARN_IGNORE_PLAN}, .fill = HOST_FILL_ZERO};
  host_engine rows, whole;
  arn_error error;
  if (host_engine_open(&rows, file, size, &by_rows, &error) != ARN_OK) return false;
  if (host_engine_open(&whole, file, size, &in_whole, &error) != ARN_OK) {
    host_engine_close(&rows);
    return false;
  }
  t->row_bytes = rows.usage.dynamic_bytes;
  t->whole_bytes = whole.usage.dynamic_bytes;
  take_turns(&rows, &whole, t);
  host_engine_close(&rows);
  host_engine_close(&whole);
  return true;
}

static bool time_model(const char *path, double budget, struct times *t) {
  const host_search_options search = {.budget_seconds = budget};
  arn_optimized r;
  arn_error error;
  const char *why = NULL;
  size_t size;
  void *bytes = host_read_file(path, &size);
  if (bytes == NULL) return false;
  const arn_status status = arn_optimize(bytes, size, &search, &r, &error, &why);
  free(bytes);
  if (status != ARN_OK) return false;
  void *file = aligned_alloc(64, (r.size / 64 + 1) * 64);
  if (file) memcpy(file, r.bytes, r.size);
  t->steps = r.steps;
  const bool ok = file && time_file(file, r.size, t);
  free(r.bytes);
  free(file);
  return ok;
}

int main(int argc, char **argv) {
  double budget = 1.0, logs = 0.0;
  int first = 1, count = 0;
  if (argc > 2 && strcmp(argv[1], "--budget") == 0) {
    budget = atof(argv[2]);
    first = 3;
  }
  if (first >= argc) {
    fputs("Usage: rows [--budget S] MODEL.tflite...\n", stderr);
    return 2;
  }
  printf("%-36s %9s %9s %6s %10s %10s %7s\n", "model", "whole", "rows", "steps", "whole ms",
         "rows ms", "more");
  for (int i = first; i < argc; i++) {
    struct times t;
    const char *slash = strrchr(argv[i], '/');
    const char *name = slash ? slash + 1 : argv[i];
    if (!time_model(argv[i], budget, &t)) {
      printf("%-36.36s does not run\n", name);
      continue;
    }
    printf("%-36.36s %9u %9u %6u %10.4f %10.4f %+6.1f %%\n", name, t.whole_bytes, t.row_bytes,
           t.steps, 1e3 * t.whole, 1e3 * t.rows, 100.0 * (t.rows / t.whole - 1.0));
    logs += log(t.rows / t.whole);
    count++;
  }
  if (count > 0) printf("geometric mean: %+.1f %%\n", 100.0 * (exp(logs / count) - 1.0));
  return 0;
}
