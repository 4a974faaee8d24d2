// Times every model of a directory against the reference column of its index (tflm_ms): one core,
// the median of several invocations after one warm-up. Prints a table and geometric means; writes
// CSV where a second argument names a file. Never asserted: times on a shared machine are rough.
//   build/bench/models ../shared/models [out.csv]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "host/check/engine.h"

#define LEAST_SECONDS 0.15
#define MAX_RUNS 2000
#define MIN_RUNS 5

static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static int by_value(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return x < y ? -1 : x > y;
}

// Median milliseconds of an invocation; negative where the model does not run.
static double time_model(const void *bytes, size_t size) {
  static double times[MAX_RUNS];
  const host_options options = {.fill = HOST_FILL_ZERO};
  host_engine e;
  arn_error error;
  int runs = 0;
  if (host_engine_open(&e, bytes, size, &options, &error) != ARN_OK) return -1.0;
  double total = 0.0;
  for (int i = 0; i <= MAX_RUNS && (total < LEAST_SECONDS || runs < MIN_RUNS); i++) {
    for (uint32_t k = 0; arn_input(&e.nn, k).data; k++) {
      const arn_tensor_view t = arn_input(&e.nn, k);
      host_generate_input(&t, (uint32_t)i, k);
    }
    const double start = now();
    if (arn_invoke(&e.nn, &error) < 0) break;
    const double spent = now() - start;
    if (i == 0) continue;  // warm-up
    if (runs == MAX_RUNS) break;
    times[runs++] = spent;
    total += spent;
  }
  host_engine_close(&e);
  if (runs == 0) return -1.0;
  qsort(times, (size_t)runs, sizeof times[0], by_value);
  return 1e3 * times[runs / 2];
}

// A geometric mean in the making.
struct mean {
  const char *name;
  double sum;
  int count;
};

static const char *column(char *line, int index) {
  char *at = line;
  while (index-- > 0 && at) at = strchr(at, '\t') ? strchr(at, '\t') + 1 : NULL;
  return at;
}

static int find(const char *header, const char *name) {
  int index = 0;
  const size_t length = strlen(name);
  for (const char *at = header; at; at = strchr(at, '\t') ? strchr(at, '\t') + 1 : NULL, index++) {
    if (strncmp(at, name, length) == 0 && (at[length] == '\t' || at[length] == '\n')) return index;
  }
  return -1;
}

static void add(struct mean *m, double ratio) {
  m->sum += log(ratio);
  m->count++;
}

static void bench(const char *directory, char *line, const int columns[3], FILE *csv,
                  struct mean means[2]) {
  char path[4096], name[256], type[64];
  size_t size;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(line, "\t"), line);
  const char *dtype = column(line, columns[0]), *ms = column(line, columns[1]);
  if (dtype == NULL || ms == NULL) return;
  snprintf(type, sizeof type, "%.*s", (int)strcspn(dtype, "\t"), dtype);
  const double reference = strtod(ms, NULL);
  snprintf(path, sizeof path, "%s/%s.tflite", directory, name);
  void *bytes = host_read_file(path, &size);
  const double here = bytes ? time_model(bytes, size) : -1.0;
  free(bytes);
  if (here <= 0.0) return;
  printf("%-44s %-12s %10.4f %10.4f %8.1f\n", name, type, reference, here, reference / here);
  if (csv) fprintf(csv, "%s,%s,%.6g,%.6g,%.3f\n", name, type, reference, here, reference / here);
  if (reference <= 1.0) return;
  add(&means[strncmp(type, "float", 5) == 0], reference / here);
  fflush(stdout);
}

int main(int argc, char **argv) {
  char path[4096], line[16384];
  struct mean means[2] = {{"int8 and int16", 0.0, 0}, {"float", 0.0, 0}};
  if (argc < 2 || argc > 3) {
    fprintf(stderr, "Usage: models DIRECTORY [CSV]\n");
    return 2;
  }
  snprintf(path, sizeof path, "%s/index.tsv", argv[1]);
  FILE *index = fopen(path, "r");
  FILE *csv = argc == 3 ? fopen(argv[2], "w") : NULL;
  if (index == NULL || fgets(line, sizeof line, index) == NULL || (argc == 3 && csv == NULL)) {
    perror(argc == 3 && index ? argv[2] : path);
    return 6;
  }
  const int columns[3] = {find(line, "dtype"), find(line, "tflm_ms"), 0};
  if (csv) fprintf(csv, "model,dtype,reference_ms,here_ms,ratio\n");
  printf("%-44s %-12s %10s %10s %8s\n", "model", "type", "reference", "here (ms)", "ratio");
  while (fgets(line, sizeof line, index)) bench(argv[1], line, columns, csv, means);
  for (int i = 0; i < 2; i++) {
    if (means[i].count == 0) continue;
    printf("geometric mean over %d %s models above 1 ms: %.2f times\n", means[i].count,
           means[i].name,
           exp(means[i].sum / means[i].count));
  }
  fclose(index);
  if (csv) fclose(csv);
  return 0;
}
