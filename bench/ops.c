// Times every operator beside the plain nested loop of its definition (bench/oracle, compiled -O2),
// both in turns, the least time of several rounds. First wants the same result from both: integers
// and moved values to the bit, floats within the case's tolerance. Times are never asserted.
//   build/bench/ops [--check] [--csv FILE] [PART OF A NAME]
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "bench/oracle/plain.h"
#include "host/check/engine.h"

enum { ROUNDS = 25, LEAST_BYTES = 100000 };

static const double round_seconds = 0.0015;
static const double heavy_goal = 5.0;

static const plain_case *const families[] = {
    plain_convolution, plain_matrix,   plain_recurrent, plain_image,  plain_reduction, plain_unary,
    plain_binary,      plain_movement, plain_index,     plain_signal, plain_selection,
    plain_stablehlo,   plain_engine};

typedef struct result {
  const char *name;
  char types[48], shape[96];
  uint32_t bytes;
  double plain, ours;  // seconds
} result;

typedef struct tally {
  bool check_only;
  const char *only;    // cases whose operator's name has this in it
  FILE *csv;
  uint32_t cases, wrong, slower, heavy, heavy_below, not_timed;
} tally;

// ---- one case -----------------------------------------------------------------------------------

// The time that this thread ran: others may be at work.
static double now(void) {
  struct timespec t;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

// Says whether floats agree; both NaN, or the same infinity, does too.
static bool is_near(float got, float want, double tolerance) {
  if (isnan(want) || isinf(want)) return isnan(want) ? isnan(got) : got == want;
  return fabs((double)got - (double)want) <= tolerance * (1.0 + fabs((double)want));
}

static int32_t level(const plain_tensor *t, uint32_t i) {
  return t->type == ARN_INT8 ? t->s8[i] : t->type == ARN_INT16 ? t->s16[i] : t->s32[i];
}

static bool within_steps(const plain_tensor *want, const void *data, int32_t steps) {
  const plain_tensor got = {.type = want->type, .data = (void *)(uintptr_t)data};
  for (uint32_t i = 0; i < want->count; i++) {
    const int32_t off = level(&got, i) - level(want, i);
    if (off > steps || off < -steps) return false;
  }
  return true;
}

static bool same_values(const plain_tensor *want, const void *data, double tolerance) {
  const float *got = data;
  const uint32_t count = want->bytes / (uint32_t)sizeof(float);
  const bool is_whole =
      want->type == ARN_INT8 || want->type == ARN_INT16 || want->type == ARN_INT32;
  if (is_whole && tolerance >= 1.0) {
    return within_steps(want, data, (int32_t)tolerance);
  }
  if (want->type != ARN_FLOAT32 && want->type != ARN_COMPLEX64) {
    return memcmp(want->data, data, want->bytes) == 0;
  }
  for (uint32_t i = 0; i < count; i++) {
    if (!is_near(got[i], want->f32[i], tolerance > 0.0 ? tolerance : 1e-5)) return false;
  }
  return true;
}

static void print_difference(const char *name, const plain_tensor *want, const uint8_t *got) {
  const uint32_t es = arn_type_bytes(want->type);
  for (uint32_t i = 0; i < want->count; i++) {
    if (memcmp(want->u8 + i * es, got + i * es, es) == 0) continue;
    float f[2] = {0, 0};
    int64_t v[2] = {0, 0};
    memcpy(&v[0], got + i * es, es < 8 ? es : 8);
    memcpy(&v[1], want->u8 + i * es, es < 8 ? es : 8);
    if (es == 4) memcpy(&f[0], got + i * es, 4), memcpy(&f[1], want->u8 + i * es, 4);
    printf("FAIL %s: element %u is %llx (%g), its definition gives %llx (%g)\n", name, (unsigned)i,
           (long long)v[0], (double)f[0], (long long)v[1], (double)f[1]);
    return;
  }
}

static bool check(const plain_case *c, const plain_node *n, const host_engine *engine) {
  bool good = host_engine_is_intact(engine);
  for (uint32_t i = 0; i < n->outputs; i++) {
    const arn_tensor_view view = arn_output(&engine->nn, i);
    if (view.bytes == n->out[i].bytes && same_values(&n->out[i], view.data, c->tolerance)) continue;
    print_difference(c->op->name, &n->out[i], view.data);
    good = false;
  }
  return good;
}

static void give_inputs(const plain_node *n, const host_engine *engine) {
  uint32_t given = 0;
  for (uint32_t i = 0; i < n->inputs; i++) {
    const plain_tensor *t = &n->in[i];
    if (!t->absent && !t->constant && !t->variable) {
      memcpy(arn_input(&engine->nn, given++).data, t->data, t->bytes);
    }
  }
}

static double time_plain(const plain_case *c, const plain_node *n, uint32_t times) {
  const double start = now();
  for (uint32_t i = 0; i < times; i++) {
    c->plain(n);
    __asm__ volatile("" ::: "memory");
  }
  return (now() - start) / times;
}

static double time_ours(host_engine *engine, uint32_t times) {
  arn_error error;
  const double start = now();
  for (uint32_t i = 0; i < times; i++) {
    if (arn_invoke(&engine->nn, &error) < 0) return 1e9;
  }
  return (now() - start) / times;
}

static uint32_t times_for(double seconds) {
  return seconds >= round_seconds ? 1 : (uint32_t)(round_seconds / (seconds + 1e-9)) + 1;
}

static void measure(const plain_case *c, const plain_node *n, host_engine *engine, result *r) {
  const uint32_t plain_times = times_for(time_plain(c, n, 1));
  const uint32_t our_times = times_for(time_ours(engine, 1));
  r->plain = r->ours = 1e9;
  for (uint32_t i = 0; i < ROUNDS; i++) {
    r->plain = fmin(r->plain, time_plain(c, n, plain_times));
    r->ours = fmin(r->ours, time_ours(engine, our_times));
  }
}

// ---- printing -----------------------------------------------------------------------------------

static size_t add_shape(char *to, size_t room, const plain_tensor *t) {
  size_t at = 0;
  for (uint32_t i = 0; i < t->rank && at < room; i++) {
    at += (size_t)snprintf(to + at, room - at, i == 0 ? "%d" : "x%d", (int)t->dims[i]);
  }
  return at < room ? at : room;
}

static bool has_weights(const plain_node *n) {
  const plain_tensor *w = &n->in[1];
  return n->inputs > 1 && w->constant && (w->scale > 0.0f || w->type == ARN_FLOAT16);
}

// Types: input 0, a constant of another type, the output where it is another. Shapes: input 0 and
// output 0.
static void describe(const plain_case *c, const plain_node *n, result *r) {
  const char *first = arn_type_name(n->inputs > 0 ? n->in[0].type : n->out[0].type);
  const char *second = has_weights(n) ? arn_type_name(n->in[1].type) : first;
  const char *third = arn_type_name(n->out[0].type);
  snprintf(r->types, sizeof r->types, "%s%s%s%s%s%s%s", first, second != first ? " by " : "",
           second != first ? second : "", third != first ? " to " : "", third != first ? third : "",
           *c->what ? ", " : "", c->what);
  size_t at = n->inputs > 0 ? add_shape(r->shape, 40, &n->in[0]) : 0;
  at += (size_t)snprintf(r->shape + at, 8, " > ");
  add_shape(r->shape + at, 40, &n->out[0]);
  r->name = c->op->name;
  for (uint32_t i = 0; i < n->inputs; i++) r->bytes += n->in[i].bytes;
  for (uint32_t i = 0; i < n->outputs; i++) r->bytes += n->out[i].bytes;
}

static void report(const plain_case *c, const result *r, tally *t) {
  const double ratio = r->plain / r->ours;
  const bool below = ratio < (c->heavy ? heavy_goal : 1.0);
  t->slower += ratio < 1.0;
  t->heavy += c->heavy;
  t->heavy_below += c->heavy && below;
  printf("%-24.24s %-25.25s %-27.27s %8.1f %7.1f %5.1f%s%s\n", r->name, r->types, r->shape,
         1e6 * r->plain, 1e6 * r->ours, ratio, c->heavy ? " h" : "", below ? " <" : "");
  fflush(stdout);
  if (t->csv == NULL) return;
  fprintf(t->csv, "%s,\"%s\",%s,%u,%s,%.2f,%.2f,%.2f\n", r->name, r->types, r->shape,
          (unsigned)r->bytes, c->heavy ? "heavy" : "", 1e6 * r->plain, 1e6 * r->ours, ratio);
}

// ---- all ----------------------------------------------------------------------------------------

static void run_case(const plain_case *c, tally *t) {
  plain_node n;
  result r = {0};
  host_engine engine;
  size_t size;
  arn_error error = {0};
  const host_options options = {.config = {.flags = ARN_KEEP_ALL}, .fill = HOST_FILL_RANDOM};
  plain_open(&n, c);
  describe(c, &n, &r);
  uint8_t *model = plain_model(&n, c, &size);
  t->cases++;
  if (r.bytes < LEAST_BYTES) {
    printf("FAIL %s %s: %u bytes are too few\n", r.name, r.types, (unsigned)r.bytes);
    t->wrong++;
  }
  if (host_engine_open(&engine, model, size, &options, &error) != ARN_OK) {
    char text[256];
    (void)arn_error_format(&error, text, sizeof text);
    printf("FAIL %s %s: %s\n", r.name, r.types, text);
    t->wrong++;
  } else {
    give_inputs(&n, &engine);
    const bool ran = arn_invoke(&engine.nn, &error) >= 0;
    c->plain(&n);
    if (!ran || !check(c, &n, &engine)) {
      printf("FAIL %s %s: not the result of its definition\n", r.name, r.types);
      t->wrong++;
    } else if (!t->check_only) {
      measure(c, &n, &engine, &r);
      report(c, &r, t);
    }
    host_engine_close(&engine);
  }
  free(model);
  plain_close(&n);
}

static void run_all(tally *t) {
  for (uint32_t f = 0; f < sizeof families / sizeof families[0]; f++) {
    for (const plain_case *c = families[f]; c->op; c++) {
      if (t->only && strstr(c->op->name, t->only) == NULL) continue;
      if (c->plain) {
        run_case(c, t);
      } else {
        printf("%-24.24s not timed: %s\n", c->op->name, c->what);
        t->not_timed++;
      }
    }
  }
}

static bool has_case(const arn_op *op) {
  for (uint32_t f = 0; f < sizeof families / sizeof families[0]; f++) {
    for (const plain_case *c = families[f]; c->op; c++) {
      if (c->op == op) return true;
    }
  }
  return false;
}

// Counts operators that no case is about.
static uint32_t count_missing(void) {
  uint32_t missing = 0;
  for (uint32_t i = 0; i < arn_ops_all.count; i++) {
    if (has_case(arn_ops_all.ops[i])) continue;
    printf("no case: %s\n", arn_ops_all.ops[i]->name);
    missing++;
  }
  return missing;
}

static bool read_arguments(int argc, char **argv, tally *t) {
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--check") == 0) {
      t->check_only = true;
    } else if (strcmp(argv[i], "--csv") == 0 && i + 1 < argc) {
      t->csv = fopen(argv[++i], "w");
      if (t->csv == NULL) return false;
      fprintf(t->csv, "op,types,shape,bytes,class,plain_us,here_us,ratio\n");
    } else if (argv[i][0] == '-') {
      return false;
    } else {
      t->only = argv[i];
    }
  }
  return true;
}

int main(int argc, char **argv) {
  tally t = {0};
  if (!read_arguments(argc, argv, &t)) {
    fprintf(stderr, "Usage: ops [--check] [--csv FILE] [PART OF A NAME]\n");
    return 2;
  }
  printf("%-24s %-25s %-27s %8s %7s %5s\n", "operator", "types", "shape", "plain us", "here us",
         "times");
  run_all(&t);
  const uint32_t missing = t.only ? 0 : count_missing();
  printf("%u cases, %u wrong, %u slower than their definition; %u of %u heavy ones (h) below %g "
         "times; %u operators not timed, %u without a case\n", (unsigned)t.cases, (unsigned)t.wrong,
         (unsigned)t.slower, (unsigned)t.heavy_below, (unsigned)t.heavy, heavy_goal,
         (unsigned)t.not_timed, (unsigned)missing);
  if (t.csv) fclose(t.csv);
  return t.wrong > 0;
}
