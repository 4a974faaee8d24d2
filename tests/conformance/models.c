// A directory of models: index.tsv names them, golden/ holds the outputs that are wanted.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/conformance/session.h"

#define MAX_PATH 4096

// A model of the directory.
struct model_case {
  const char *directory, *name;
  uint32_t invocations;
  const char *expect;    // "run", "refuse", "either" for models without goldens; else NULL
  void *bytes;
  size_t size;
};

// ---- index.tsv ----------------------------------------------------------------------------------

// Returns field `column` of a tab-separated line, cut out in place of a copy of the line.
static const char *field(const char *line, int column, char *copy, size_t size) {
  while (column-- > 0) {
    line = strchr(line, '\t');
    if (line == NULL) return NULL;
    line++;
  }
  const size_t length = strcspn(line, "\t\r\n");
  if (length >= size) return NULL;
  memcpy(copy, line, length);
  copy[length] = '\0';
  return copy;
}

static int find_column(const char *header, const char *name) {
  char text[128];
  for (int column = 0;; column++) {
    const char *found = field(header, column, text, sizeof text);
    if (found == NULL && strchr(header, '\t') == NULL) return -1;
    if (found == NULL) return -1;
    if (strcmp(found, name) == 0) return column;
  }
}

// ---- one model ----------------------------------------------------------------------------------

static void *read_golden(const struct model_case *c, uint32_t invocation, uint32_t output,
                         size_t *bytes) {
  char path[MAX_PATH];
  snprintf(path, sizeof path, "%s/golden/%s.out%u_%u.bin", c->directory, c->name, invocation,
           output);
  return host_read_file(path, bytes);
}

static bool check_output(const struct model_case *c, const char *how, const host_engine *e,
                         uint32_t invocation, uint32_t output) {
  size_t bytes;
  char label[64];
  void *want = read_golden(c, invocation, output, &bytes);
  if (want == NULL) return runner_complain(c->name, how, "no golden output %u", output);
  const arn_tensor_view t = host_engine_output(e, output);
  host_tolerance tolerance = {.exact = true};
  if (t.type == ARN_FLOAT32) tolerance = host_model_tolerance(want, bytes / sizeof(float));
  snprintf(label, sizeof label, "invocation %u, output %u", invocation, output);
  const bool ok = runner_check_output(c->name, how, label, &t, want, bytes, tolerance);
  free(want);
  return ok;
}

static bool invoke(const struct model_case *c, const char *how, host_engine *e,
                   uint32_t invocation, arn_status *status) {
  arn_subgraph g;
  arn_error error;
  if (arn_model_subgraph(&e->model, 0, &g) != ARN_OK) return false;
  for (uint32_t i = 0; i < g.input_count; i++) {
    const arn_tensor_view t = host_engine_input(e, i);
    host_generate_input(&t, invocation, i);
  }
  *status = host_engine_invoke(e, &error);
  if (*status == ARN_ERR_DATA && c->expect) {
    printf("note %s [%s]: runs, but refuses its generated data (%s)\n", c->name, how,
           arn_what_text(error.what));
    return true;
  }
  if (*status != ARN_OK) {
    char text[256];
    arn_error_format(&error, text, sizeof text);
    return runner_complain(c->name, how, "invocation %u: %s", invocation, text);
  }
  bool ok = true;
  for (uint32_t i = 0; i < g.output_count && ok && c->expect == NULL; i++) {
    ok = check_output(c, how, e, invocation, i);
  }
  return ok;
}

// ---- the CRC of every tensor, in a plan that keeps all ------------------------------------------

static uint32_t crc32_of(const uint8_t *p, size_t n) {
  uint32_t crc = 0xFFFFFFFFu;
  while (n-- > 0) {
    crc ^= *p++;
    for (int k = 0; k < 8; k++) crc = crc >> 1 ^ (crc & 1 ? 0xEDB88320u : 0);
  }
  return ~crc;
}

// Checks the lines of golden/NAME.tensors.tsv for one invocation (columns: invocation, subgraph,
// tensor, crc32; found by name in its header).
struct tensors_file {
  FILE *file;
  int invocation, subgraph, tensor, crc;
};

static struct tensors_file open_tensors(const struct model_case *c) {
  struct tensors_file t = {NULL, -1, -1, -1, -1};
  char path[MAX_PATH], header[1024];
  snprintf(path, sizeof path, "%s/golden/%s.tensors.tsv", c->directory, c->name);
  t.file = fopen(path, "r");
  if (t.file == NULL) return t;
  if (fgets(header, sizeof header, t.file)) {
    t.invocation = find_column(header, "invocation");
    t.tensor = find_column(header, "tensor");
    t.subgraph = find_column(header, "subgraph");
    t.crc = find_column(header, "crc32");
  }
  return t;
}

static bool check_tensor_line(const struct model_case *c, const struct tensors_file *f,
                              const char *line, const host_engine *e) {
  char subgraph[32], index[32], crc[32];
  if (!field(line, f->subgraph, subgraph, sizeof subgraph) ||
      !field(line, f->tensor, index, sizeof index) || !field(line, f->crc, crc, sizeof crc)) {
    return runner_complain(c->name, "tensors", "a line of the tensors file is broken");
  }
  const uint32_t tensor = (uint32_t)strtoul(index, NULL, 10);
  // called subgraphs have no memory of their own
  if (strtoul(subgraph, NULL, 10) != 0) return true;
  const arn_tensor_view t = arn_tensor_at(&e->nn, 0, tensor);
  if (t.type == ARN_FLOAT32 || t.type == ARN_RESOURCE || t.data == NULL) return true;
  const uint32_t want = (uint32_t)strtoul(crc, NULL, 16), got = crc32_of(t.data, t.bytes);
  if (got == want) return true;
  return runner_complain(c->name, "tensors", "tensor %u has CRC %08x, want %08x", tensor, got,
                         want);
}

static bool check_tensors(const struct model_case *c) {
  struct tensors_file f = open_tensors(c);
  const host_options options = {.config = {.flags = ARN_KEEP_ALL}, .fill = HOST_FILL_A5};
  host_engine e;
  arn_error error;
  arn_status status;
  char line[4096], number[32];
  bool ok = true;
  long done = -1;
  if (f.file == NULL) return true;
  if (f.tensor < 0 || f.crc < 0 || f.invocation < 0 || f.subgraph < 0) {
    fclose(f.file);
    return runner_complain(c->name, "tensors", "the tensors file has another header");
  }
  if (host_engine_open(&e, c->bytes, c->size, &options, &error) != ARN_OK) {
    fclose(f.file);
    return runner_complain(c->name, "tensors", "does not start");
  }
  while (ok && fgets(line, sizeof line, f.file)) {
    if (!field(line, f.invocation, number, sizeof number)) break;
    while (done < strtol(number, NULL, 10) && ok) {
      ok = invoke(c, "tensors", &e, (uint32_t)++done, &status);
    }
    ok = ok && check_tensor_line(c, &f, line, &e);
  }
  host_engine_close(&e);
  fclose(f.file);
  return ok;
}

// ---- all variants -------------------------------------------------------------------------------

static bool run_variant(runner *r, const struct model_case *c, const variant *v) {
  session s;
  if (!session_open(&s, r, c->name, c->bytes, c->size, v)) return false;
  if (s.unplanned) return true;
  bool ok = true;
  for (uint32_t i = 0; i < c->invocations && ok; i++) {
    session_begin(&s);
    arn_status status;
    ok = invoke(c, v->name, &s.engine, i, &status) &&
         session_is_sound(&s, c->name, v->name, status);
  }
  if (ok && r->rows) ok = runner_check_rows(r, c->name, &s.engine);
  session_close(&s);
  return ok;
}

static bool run_all(runner *r, const struct model_case *c) {
  const variant *list;
  const unsigned count = runner_variants(r, &list);
  for (unsigned i = 0; i < count; i++) {
    if (!run_variant(r, c, &list[i])) return false;
  }
  return c->expect != NULL || r->rows || r->optimised || check_tensors(c);
}

static bool is_refused(const struct model_case *c) {
  const host_options options = {.fill = HOST_FILL_ZERO};
  host_engine e;
  arn_error error;
  if (host_engine_open(&e, c->bytes, c->size, &options, &error) != ARN_OK) return true;
  host_engine_close(&e);
  return false;
}

static void run_model(runner *r, struct model_case *c) {
  char path[MAX_PATH];
  snprintf(path, sizeof path, "%s/%s.tflite", c->directory, c->name);
  c->bytes = host_read_file(path, &c->size);
  if (c->bytes == NULL) {
    runner_count(r, c->name, runner_complain(c->name, "read", "%s can't be read", path));
    return;
  }
  if (r->plans) {
    runner_count(r, c->name, runner_print_plan(c->name, c->bytes, c->size));
  } else if (r->ladder > 0 && c->expect == NULL) {
    runner_count(r, c->name, runner_climb(r, c->name, c->bytes, c->size));
  } else if (c->expect && strcmp(c->expect, "run") != 0 && r->optimised) {
    r->skipped++;
  } else if (c->expect && strcmp(c->expect, "run") != 0) {
    const bool refused = is_refused(c);
    const bool must = strcmp(c->expect, "refuse") == 0;
    if (must && !refused) runner_complain(c->name, "refuse", "must be refused before running");
    runner_count(r, c->name, refused || !must);
  } else {
    runner_count(r, c->name, run_all(r, c));
  }
  free(c->bytes);
}

bool runner_run_models(runner *r, const char *directory) {
  char path[MAX_PATH], line[16384], name[512], number[32], expect[32];
  snprintf(path, sizeof path, "%s/index.tsv", directory);
  FILE *f = fopen(path, "r");
  if (f == NULL || fgets(line, sizeof line, f) == NULL) {
    perror(path);
    if (f) fclose(f);
    return false;
  }
  const int name_column = find_column(line, "name");
  const int invocations_column = find_column(line, "invocations");
  const int expect_column = find_column(line, "expect");
  while (fgets(line, sizeof line, f)) {
    struct model_case c = {.directory = directory, .invocations = 1};
    c.name = field(line, name_column < 0 ? 0 : name_column, name, sizeof name);
    if (c.name == NULL || !runner_wants(r, c.name)) continue;
    if (invocations_column >= 0 && field(line, invocations_column, number, sizeof number)) {
      c.invocations = (uint32_t)strtoul(number, NULL, 10);
    }
    if (expect_column >= 0) c.expect = field(line, expect_column, expect, sizeof expect);
    run_model(r, &c);
  }
  fclose(f);
  return true;
}
