#include "host/cli/gate.h"

#include <stdlib.h>
#include <string.h>

#include "host/decide/compare.h"

// What the command of this run planned.
static struct {
  uint32_t first, last, count;
} noted;

void cli_gate_note(uint32_t arena_bytes) {
  if (noted.count++ == 0) noted.first = arena_bytes;
  noted.last = arena_bytes;
}

static bool parse_percent(const char *text, double *percent) {
  char *end;
  if (text[0] < '0' || text[0] > '9') return false;
  *percent = strtod(text, &end);
  if (*end == '%') end++;
  return *end == '\0' && *percent <= 1e6;
}

// The value of option `name` where argv[i] is it ("--name V" or "--name=V"); *used counts
// arguments.
static const char *value_of(const char *name, int i, int argc, char **argv, int *used) {
  const size_t length = strlen(name);
  if (strncmp(argv[i], name, length) != 0) return NULL;
  if (argv[i][length] == '=') {
    *used = 1;
    return argv[i] + length + 1;
  }
  if (argv[i][length] != '\0') return NULL;
  *used = i + 1 < argc ? 2 : 1;
  return i + 1 < argc ? argv[i + 1] : "";
}

static int take(cli_gate *g, int i, int argc, char **argv, int *used) {
  const char *value;
  *used = 0;
  if ((value = value_of("--max-arena", i, argc, argv, used)) != NULL) {
    g->has_arena = cli_parse_bytes(value, &g->max_arena);
    if (!g->has_arena) return cli_fail(EXIT_USAGE, "\"%s\" is no number of bytes", value);
  } else if ((value = value_of("--max-growth", i, argc, argv, used)) != NULL) {
    g->has_growth = parse_percent(value, &g->max_growth);
    if (!g->has_growth) return cli_fail(EXIT_USAGE, "\"%s\" is no percentage, such as 2%%", value);
  } else if ((value = value_of("--baseline", i, argc, argv, used)) != NULL) {
    g->baseline = value;
  }
  return EXIT_OK;
}

int cli_gate_take(cli_gate *g, int *argc, char **argv) {
  int kept = 0, used;
  memset(g, 0, sizeof *g);
  for (int i = 0; i < *argc; i += used) {
    const int code = take(g, i, *argc, argv, &used);
    if (code != EXIT_OK) return code;
    if (used > 0) continue;
    argv[kept++] = argv[i];
    used = 1;
  }
  argv[kept] = NULL;
  *argc = kept;
  if (g->baseline && !g->has_growth) {
    return cli_fail(EXIT_USAGE, "--baseline is what --max-growth counts from: give both");
  }
  return EXIT_OK;
}

static int measure(const char *path) {
  cli_model m;
  arn_usage usage;
  arn_error error = {0};
  const arn_config config = {.ops = &arn_ops_all};
  int code = cli_load(&m, path);
  if (code != EXIT_OK) return code;
  if (host_measure(&m.model, &config, &usage, &error) != ARN_OK) code = cli_complain(&m, &error);
  else cli_gate_note(usage.arena_bytes);
  cli_unload(&m);
  return code;
}

// The arena's bytes by a plan in a file; 0: it is none.
static uint32_t bytes_in_file(const char *path) {
  size_t size;
  char *text = host_read_file(path, &size);
  cJSON *plan = text ? cJSON_ParseWithLength(text, size) : NULL;
  const uint32_t bytes = host_plan_is_known(plan) ? host_plan_u32(plan, "arena_bytes") : 0;
  cJSON_Delete(plan);
  free(text);
  return bytes;
}

static int judge_growth(const cli_gate *g) {
  uint32_t from = noted.first;
  if (g->baseline == NULL && noted.count < 2) {
    return cli_fail(EXIT_USAGE,
                    "--max-growth needs something to count from: give --baseline with the "
                    "output of `arenite plan --json`, or a number of bytes");
  }
  if (g->baseline && !cli_parse_bytes(g->baseline, &from)) from = bytes_in_file(g->baseline);
  if (from == 0) {
    return cli_fail(EXIT_IO, "%s: is no output of `arenite plan --json`", g->baseline);
  }
  const double growth = 100.0 * ((double)noted.last - from) / from;
  if (growth <= g->max_growth) return EXIT_OK;
  return cli_fail(EXIT_CHECK, "the arena grew by %.2f %%, from %u to %u bytes; allowed are %.2f %%",
                  growth, from, noted.last, g->max_growth);
}

int cli_gate_judge(const cli_gate *g, const char *path) {
  int code = EXIT_OK;
  if (!g->has_arena && !g->has_growth) return code;
  if (noted.count == 0) code = measure(path);
  if (code != EXIT_OK) return code;
  if (g->has_arena && noted.last > g->max_arena) {
    return cli_fail(EXIT_CHECK, "the arena needs %u bytes; allowed are %u (%u too many)",
                    noted.last, g->max_arena, noted.last - g->max_arena);
  }
  return g->has_growth ? judge_growth(g) : EXIT_OK;
}
