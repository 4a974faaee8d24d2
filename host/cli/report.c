// arenite report: plans as a page, a picture, a table or a trace. Models are planned first;
// everything is then drawn from the JSON of the plans.
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/cli/command.h"
#include "host/report/document.h"
#include "host/report/json.h"
#include "host/report/pictures.h"

static const char usage[] =
    "Usage: arenite report [-o FILE] [--format F] [--planner P,P...] [--budget S] [--align N]\n"
    "                      [--keep-all] [--no-overlap] MODEL.tflite | PLAN.json | - ...\n"
    "Draws where everything lies in the arena, and the memory curve above it. Several models,\n"
    "planners or stored plans (at most 8) are laid over each other. PLAN.json is what\n"
    "`arenite plan --json`, `arenite profile --json` or this command wrote; - reads it from\n"
    "stdin.\n"
    "  -o FILE        where to; the end of the name gives the format. Without it: to the terminal\n"
    "  --format F     html (a page that needs nothing else), svg, term, md, json (docs/schema),\n"
    "                 trace (.trace.json, for Perfetto), massif, csv (for `arenite pack`);\n"
    "                 massif and csv take one plan\n"
    "  --planner P    planners, separated by commas, as in `arenite plan`\n"
    "  --budget S     seconds for the planner rows; default 10\n"
    "  --align N, --keep-all, --no-overlap   as in `arenite plan`\n"
    "  --json         the same as --format json\n"
    "Example: arenite report --planner auto,id -o report.html person_detect.tflite\n";

typedef enum report_format {
  NONE,
  HTML,
  SVG,
  TERM,
  MARKDOWN,
  JSON,
  TRACE,
  MASSIF,
  CSV
} report_format;

static const struct {
  const char *name;
  const char *ending;
  report_format format;
} formats[] = {{"html", ".html", HTML},       {"html", ".htm", HTML},
               {"svg", ".svg", SVG},          {"term", ".txt", TERM},
               {"md", ".md", MARKDOWN},       {"trace", ".trace.json", TRACE},
               {"chrome", ".trace", TRACE},   {"json", ".json", JSON},
               {"massif", ".massif", MASSIF}, {"markdown", ".markdown", MARKDOWN},
               {"csv", ".csv", CSV}};

#define FORMAT_COUNT (sizeof formats / sizeof formats[0])

struct wish {
  cli_options plan;
  const char *output, *planners;
  report_format format;
};

static report_format format_of_name(const char *name) {
  for (size_t i = 0; i < FORMAT_COUNT; i++) {
    if (strcmp(formats[i].name, name) == 0) return formats[i].format;
  }
  return NONE;
}

static report_format format_of_file(const char *path) {
  const size_t length = strlen(path);
  for (size_t i = 0; i < FORMAT_COUNT; i++) {
    const size_t end = strlen(formats[i].ending);
    const char *const rest = path + (length > end ? length - end : 0);
    if (length > end && strcmp(rest, formats[i].ending) == 0) return formats[i].format;
  }
  return NONE;
}

// ---- arguments ----------------------------------------------------------------------------------

static int bad(const char *what, const char *value) {
  return cli_fail(EXIT_USAGE, "\"%s\" is no valid %s; see `arenite report --help`", value, what);
}

static int set_option(struct wish *w, int option) {
  uint32_t *align = &w->plan.alignment;
  switch (option) {
    case 'o': w->output = optarg; return EXIT_OK;
    case 'p': w->planners = optarg; return EXIT_OK;
    case 'k': w->plan.flags |= ARN_KEEP_ALL; return EXIT_OK;
    case 'n': w->plan.flags |= ARN_NO_OVERLAP; return EXIT_OK;
    case 'j': w->format = JSON; return EXIT_OK;
    case 'b':
      if (cli_parse_number(optarg, 1, 3600, &w->plan.budget_seconds)) return EXIT_OK;
      return bad("number of seconds", optarg);
    case 'h': fputs(usage, stdout); return -1;
    case 'f':
      w->format = format_of_name(optarg);
      return w->format == NONE ? bad("format", optarg) : EXIT_OK;
    case 'a':
      if (cli_parse_number(optarg, 4, 64, align) && (*align & (*align - 1)) == 0) return EXIT_OK;
      return bad("alignment", optarg);
    default: return EXIT_USAGE;
  }
}

static int parse(int argc, char **argv, struct wish *w) {
  static const struct option options[] = {{"output", required_argument, 0, 'o'},
                                          {"format", required_argument, 0, 'f'},
                                          {"planner", required_argument, 0, 'p'},
                                          {"budget", required_argument, 0, 'b'},
                                          {"align", required_argument, 0, 'a'},
                                          {"keep-all", no_argument, 0, 'k'},
                                          {"no-overlap", no_argument, 0, 'n'},
                                          {"json", no_argument, 0, 'j'},
                                          {"help", no_argument, 0, 'h'},
                                          {0, 0, 0, 0}};
  int c;
  optind = 1;
  while ((c = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
    const int code = set_option(w, c);
    if (code != EXIT_OK) return code;
  }
  if (optind == argc) {
    fputs(usage, stderr);
    return EXIT_USAGE;
  }
  if (w->format == NONE) w->format = w->output ? format_of_file(w->output) : TERM;
  return w->format == NONE ? bad("ending for a format: give --format", w->output) : EXIT_OK;
}

// ---- gathering ----------------------------------------------------------------------------------

static int too_many(const char *path) {
  return cli_fail(EXIT_USAGE, "%s: these are more than %u plans", path, HOST_DOCUMENT_PLANS);
}

static int add_engine(host_document *d, const cli_model *m, const host_engine *e,
                      const char *planner) {
  host_facts facts;
  if (!host_facts_gather(&facts, &e->nn)) return cli_fail(EXIT_INTERNAL, "out of host memory");
  cJSON *plan = host_json_new("arenite.plan", 1, m->path);
  host_json_add_plan(plan, &facts);
  host_facts_free(&facts);
  cJSON *name = cJSON_GetObjectItemCaseSensitive(plan, "planner");
  if (name != NULL) cJSON_SetValuestring(name, planner);  // as the user said it
  return host_document_add(d, plan) ? EXIT_OK : too_many(m->path);
}

static int add_planner(host_document *d, const struct wish *w, const cli_model *m,
                       const char *name) {
  host_engine e;
  cli_options o = w->plan;
  o.path = m->path;
  if (!cli_parse_planner(name, &o.planner)) return bad("planner", name);
  const int code = cli_start(m, &o, NULL, &e);
  if (code != EXIT_OK) return code;
  const int added = add_engine(d, m, &e, name);
  host_engine_close(&e);
  return added;
}

static int add_model(host_document *d, const struct wish *w, const char *path) {
  cli_model m;
  char names[256], *rest = names;
  snprintf(names, sizeof names, "%s", w->planners ? w->planners : "auto");
  int code = cli_load(&m, path);
  if (code != EXIT_OK) return code;
  for (const char *name; code == EXIT_OK && (name = strsep(&rest, ",")) != NULL;) {
    code = add_planner(d, w, &m, name);
  }
  cli_unload(&m);
  return code;
}

// Reads a stream to its end. Returns malloc'ed bytes, or NULL.
static char *read_stream(FILE *file, size_t *size) {
  size_t room = 1u << 16;
  char *bytes = malloc(room);
  *size = 0;
  while (bytes != NULL && *size <= HOST_DOCUMENT_BYTES) {
    const size_t got = fread(bytes + *size, 1, room - *size, file);
    *size += got;
    if (got == 0) return bytes;
    if (*size < room) continue;
    room *= 2;
    char *more = realloc(bytes, room);
    if (more == NULL) free(bytes);
    bytes = more;
  }
  return bytes;
}

static int add_json(host_document *d, const char *path, const char *text, size_t size) {
  const char *what;
  if (host_document_parse(d, text, size, &what)) return EXIT_OK;
  return cli_fail(EXIT_MODEL, "%s: %s; give what `arenite plan --json` writes", path, what);
}

static bool is_json(const char *bytes, size_t size) {
  size_t at = 0;
  while (at < size && strchr(" \t\r\n", bytes[at]) != NULL && bytes[at] != '\0') at++;
  return at < size && bytes[at] == '{';
}

static int add_path(host_document *d, const struct wish *w, const char *path) {
  const bool from_stdin = strcmp(path, "-") == 0;
  size_t size = 0;
  errno = 0;
  char *bytes = from_stdin ? read_stream(stdin, &size) : host_read_file(path, &size);
  if (bytes == NULL) {
    return cli_fail(EXIT_IO, "%s: can't be read: %s", path, strerror(errno ? errno : ENOMEM));
  }
  const bool json = from_stdin || is_json(bytes, size);
  const int code = json ? add_json(d, from_stdin ? "stdin" : path, bytes, size) : EXIT_OK;
  free(bytes);
  return json ? code : add_model(d, w, path);
}

// ---- writing ------------------------------------------------------------------------------------

static bool wants_colour(const struct wish *w) {
  const char *const term = getenv("TERM");
  return w->output == NULL && isatty(STDOUT_FILENO) && getenv("NO_COLOR") == NULL && term &&
         strcmp(term, "dumb") != 0;
}

static int write_text(const host_document *d, report_format format, FILE *out) {
  char *text = host_document_print(d, format == JSON);
  if (text == NULL) return cli_fail(EXIT_INTERNAL, "out of host memory");
  if (format == HTML) host_html_write(out, text);
  else fprintf(out, "%s\n", text);
  free(text);
  return EXIT_OK;
}

struct views {
  host_view plans[HOST_DOCUMENT_PLANS];
  uint32_t count;
  bool colour;
};

static int write_views(const struct views *v, report_format format, FILE *out) {
  const host_view *views = v->plans;
  const uint32_t count = v->count;
  if ((format == MASSIF || format == CSV) && count > 1) {
    return cli_fail(EXIT_USAGE, "this format takes one plan, here are %u", count);
  }
  if (format == SVG) host_svg_write(out, views, count);
  if (format == TERM) host_term_write(out, views, count, v->colour);
  if (format == MARKDOWN) host_markdown_write(out, views, count);
  if (format == TRACE) host_trace_write(out, views, count);
  if (format == MASSIF) host_massif_write(out, views);
  if (format == CSV) host_csv_write(out, views);
  return EXIT_OK;
}

// Views are opened for every format: so nothing is written that can't be drawn.
static int write_all(const host_document *d, report_format format, bool colour, FILE *out) {
  struct views v = {.colour = colour};
  const char *what;
  if (!host_document_views(d, v.plans, &v.count, &what)) {
    return cli_fail(EXIT_MODEL, "the plan can't be drawn: %s", what);
  }
  const int code =
      format == HTML || format == JSON ? write_text(d, format, out) : write_views(&v, format, out);
  while (v.count > 0) host_view_close(&v.plans[--v.count]);
  return code;
}

static int write_bytes(const char *path, const char *bytes, size_t size) {
  FILE *out = path ? fopen(path, "wb") : stdout;
  if (out == NULL) return cli_fail(EXIT_IO, "%s: can't be written: %s", path, strerror(errno));
  bool ok = fwrite(bytes, 1, size, out) == size && fflush(out) == 0;
  if (path && fclose(out) != 0) ok = false;
  return ok ? EXIT_OK : cli_fail(EXIT_IO, "%s: can't be written", path ? path : "stdout");
}

// Into memory first: where something fails, no file is begun.
static int write_file(const host_document *d, const struct wish *w) {
  char *bytes = NULL;
  size_t size = 0;
  FILE *memory = open_memstream(&bytes, &size);
  if (memory == NULL) return cli_fail(EXIT_INTERNAL, "out of host memory");
  int code = write_all(d, w->format, wants_colour(w), memory);
  if (fclose(memory) != 0 && code == EXIT_OK) code = cli_fail(EXIT_INTERNAL, "out of host memory");
  if (code == EXIT_OK) code = write_bytes(w->output, bytes, size);
  free(bytes);
  return code;
}

int cli_report(int argc, char **argv) {
  struct wish w = {{0}, NULL, NULL, NONE};
  host_document d;
  int code = parse(argc, argv, &w);
  if (code != EXIT_OK) return code < 0 ? EXIT_OK : code;
  if (!host_document_open(&d)) code = cli_fail(EXIT_INTERNAL, "out of host memory");
  for (int i = optind; i < argc && code == EXIT_OK; i++) code = add_path(&d, &w, argv[i]);
  if (code == EXIT_OK) {
    host_document_label(&d);
    code = write_file(&d, &w);
  }
  host_document_close(&d);
  return code;
}
