// arenite explain: an arn_error as a device without printf reports it.
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/command.h"
#include "host/cli/diagnose.h"
#include "host/decide/names.h"
#include "host/decide/wrap.h"
#include "host/report/json.h"

static const char usage[] =
    "Usage: arenite explain \"CODE,NODE,TENSOR,NEED,HAVE\" [--json] [MODEL.tflite]\n"
    "Puts an error record of a device in words. A device without printf reports five numbers:\n"
    "  CODE    -1000 * error.status + error.what; or error.status alone, negative\n"
    "  NODE    error.node, -1 for none      TENSOR  error.tensor, -1 for none\n"
    "  NEED    error.need                   HAVE    error.have\n"
    "With the model, operators and tensors are named; and where the arena was too small, the\n"
    "size that the arena had is worked out from the record, and `arenite diagnose` is run for\n"
    "it. Records are of the default configuration of the same version of the engine.\n"
    "  --json  schema arenite.explain, version 1 (without the diagnosis)\n"
    "Example: arenite explain \"5052,3,12,48800,32768\" person_detect.tflite\n";

struct request {
  const char *record, *path;
  bool json;
};

static int parse(int argc, char **argv, struct request *q) {
  // A record may begin with a minus: options are taken by hand.
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--json") == 0) q->json = true;
    else if (strcmp(argv[i], "--help") == 0) return fputs(usage, stdout), -1;
    else if (strncmp(argv[i], "--", 2) == 0) return fputs(usage, stderr), EXIT_USAGE;
    else if (q->record == NULL) q->record = argv[i];
    else if (q->path == NULL) q->path = argv[i];
    else return fputs(usage, stderr), EXIT_USAGE;
  }
  if (q->record) return EXIT_OK;
  fputs(usage, stderr);
  return EXIT_USAGE;
}

// ---- the record --------------------------------------------------------------------------------

static bool read_numbers(const char *text, long long *numbers, int count) {
  for (int i = 0; i < count; i++) {
    char *end;
    while (*text == ' ') text++;
    const bool digit = (*text >= '0' && *text <= '9') || *text == '-';
    if (!digit) return false;
    numbers[i] = strtoll(text, &end, 10);
    while (*end == ' ') end++;
    if (*end != (i + 1 < count ? ',' : '\0')) return false;
    text = end + 1;
  }
  return true;
}

static bool read_code(long long code, arn_error *e) {
  const long long status = code < 0 ? code : -(code / 1000);
  const long long what = code < 0 ? 0 : code % 1000;
  e->status = (arn_status)status;
  e->what = (arn_what)what;
  if (status >= 0 || status < -1000) return false;
  if (strcmp(arn_status_name(e->status), "ARN_?") == 0) return false;
  return strcmp(arn_what_text(e->what), "unknown") != 0;
}

static bool read_record(const char *text, arn_error *e) {
  long long n[5];
  if (!read_numbers(text, n, 5) || !read_code(n[0], e)) return false;
  if (n[1] < -1 || n[1] > INT32_MAX || n[2] < -1 || n[2] > INT32_MAX) return false;
  if (n[3] < 0 || n[3] > UINT32_MAX || n[4] < 0 || n[4] > UINT32_MAX) return false;
  e->subgraph = n[1] >= 0 || n[2] >= 0 ? 0 : ARN_NOWHERE;
  e->node = (int32_t)n[1];
  e->tensor = (int32_t)n[2];
  e->need = (uint32_t)n[3];
  e->have = (uint32_t)n[4];
  return true;
}

// ---- in words ----------------------------------------------------------------------------------

static int print_json(const struct request *q, const cli_model *m, const arn_error *e,
                      uint32_t arena_bytes) {
  cJSON *json = host_json_new("arenite.explain", 1, q->path ? q->path : "");
  char text[512];
  arn_error_format(e, text, sizeof text);
  cJSON_AddStringToObject(json, "status", arn_status_name(e->status));
  cJSON_AddStringToObject(json, "sentence", text);
  if (e->node >= 0 && q->path) {
    cJSON_AddStringToObject(json, "op", host_name_of_node(&m->model, 0, (uint32_t)e->node).text);
  }
  if (e->tensor >= 0 && q->path) {
    cJSON_AddStringToObject(json, "tensor",
                            host_name_of_tensor(&m->model, 0, (uint32_t)e->tensor).text);
  }
  if (arena_bytes > 0) cJSON_AddNumberToObject(json, "arena_bytes", arena_bytes);
  return host_json_print(json) ? EXIT_OK : cli_fail(EXIT_INTERNAL, "out of host memory");
}

static void print_text(const struct request *q, const cli_model *m, const arn_error *e) {
  char text[512];
  arn_error_format(e, text, sizeof text);
  printf("%s\n", arn_status_name(e->status));
  host_wrap(stdout, 2, text);
  if (q->path == NULL) return;
  if (e->node >= 0) {
    printf("  node %d is %s\n", e->node, host_name_of_node(&m->model, 0, (uint32_t)e->node).text);
  }
  if (e->tensor >= 0) {
    printf("  tensor %d is \"%s\"\n", e->tensor,
           host_name_of_tensor(&m->model, 0, (uint32_t)e->tensor).text);
  }
}

static int explain(const struct request *q, const cli_model *m, const arn_error *e) {
  host_advice_case c = {.path = q->path, .bytes = m->bytes, .size = m->size, .budget_seconds = 2.0};
  const bool is_memory = e->status == ARN_ERR_NO_MEMORY && q->path != NULL;
  if (is_memory) c.arena_bytes = host_advice_arena_of(&c, e);
  if (q->json) return print_json(q, m, e, c.arena_bytes);
  print_text(q, m, e);
  if (!is_memory) return EXIT_OK;
  if (c.arena_bytes == 0) {
    return cli_fail(EXIT_CHECK, "%s: no arena of the default configuration fails like this: is the "
                    "record of this model and version?", q->path);
  }
  printf("  the arena had %u bytes\n\n", c.arena_bytes);
  const int code = cli_print_advice(m, &c, false);
  return code == EXIT_ARENA ? EXIT_OK : code;
}

int cli_explain(int argc, char **argv) {
  struct request q = {.record = NULL};
  arn_error error = {0};
  cli_model m = {0};
  int code = parse(argc, argv, &q);
  if (code != EXIT_OK) return code < 0 ? EXIT_OK : code;
  if (!read_record(q.record, &error)) {
    return cli_fail(EXIT_USAGE,
                    "\"%.60s\" is no record of five numbers; see `arenite explain --help`",
                    q.record);
  }
  if (q.path) code = cli_load(&m, q.path);
  if (code == EXIT_OK) code = explain(&q, &m, &error);
  if (m.bytes) cli_unload(&m);
  return code;
}
