// arenite pack: places the buffers of a CSV file.
#include <cjson/cJSON.h>
#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "host/search/pack_csv.h"

enum { OK = 0, CHECK = 1, USAGE = 2, IO = 6, INTERNAL = 70, DONE = -1 };

#define DEFAULT_BUDGET 30.0          // seconds

static const char usage[] =
    "Usage: arenite pack F.csv --capacity N [-o OUT.csv] [--minimize] [--check]\n"
    "                    [--budget SECONDS] [--seed N] [--json]\n"
    "Gives every buffer of a CSV file (id,lower,upper,size[,alignment]; alive over [lower,\n"
    "upper)) an offset so that no two share a byte at the same time, or proves that there is "
    "none.\n"
    "  --capacity N      bytes that must suffice (64K, 1M are understood); --minimize can\n"
    "                    do without\n"
    "  -o OUT.csv        write the buffers with a column offset\n"
    "  --minimize        find the smallest capacity, and say what is proved about it\n"
    "  --check           judge the column offset of the file instead of searching\n"
    "  --budget SECONDS  CPU time at most; default 30\n"
    "  --seed N          another order of search; equal seeds repeat equal runs\n"
    "  --json            schema arenite.pack, version 1, on stdout\n"
    "Exit codes: 0 done, 1 no placement (proved, or none found in time) or a failed check,\n"
    "2 usage or a broken CSV file, 6 a file cannot be read or written, 70 internal.\n"
    "Example: arenite pack buffers.csv --capacity 1M -o placed.csv\n";

struct command {
  const char *path, *out;
  bool minimize, check, json;
  arn_pack_options options;
  pack_csv csv;
  arn_pack_problem problem;
  arn_pack_result result;
  arn_pack_verdict verdict;
};

__attribute__((format(printf, 2, 3))) static int complain(int code, const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("arenite pack: ", stderr);
  vfprintf(stderr, format, args);
  fputc('\n', stderr);
  va_end(args);
  return code;
}

// ---- arguments ----

static bool parse_decimal(const char *text, uint64_t most, uint64_t *number, const char **end) {
  uint64_t value = 0;
  const char *c = text;
  for (; *c >= '0' && *c <= '9'; c++) {
    const uint64_t digit = (uint64_t)(*c - '0');
    if (value > (most - digit) / 10u) return false;
    value = 10u * value + digit;
  }
  *number = value;
  *end = c;
  return c > text;
}

static bool parse_bytes(const char *text, uint32_t *bytes) {
  uint64_t value;
  const char *end;
  if (!parse_decimal(text, ARN_PACK_MAX_BYTES, &value, &end)) return false;
  if (*end == 'K' || *end == 'k') {
    value <<= 10;
    end++;
  } else if (*end == 'M' || *end == 'm') {
    value <<= 20;
    end++;
  }
  *bytes = (uint32_t)value;
  return *end == '\0' && value > 0 && value <= ARN_PACK_MAX_BYTES;
}

static bool parse_seconds(const char *text, double *seconds) {
  char *end;
  errno = 0;
  *seconds = strtod(text, &end);
  return end > text && *end == '\0' && errno == 0 && *seconds > 0 && *seconds <= 1e6;
}

static bool parse_seed(const char *text, uint64_t *seed) {
  const char *end;
  return parse_decimal(text, UINT64_MAX, seed, &end) && *end == '\0';
}

static int bad(const char *what, const char *value) {
  return complain(USAGE, "\"%.60s\" is no valid %s; see `arenite pack --help`", value, what);
}

static int parse_option(struct command *c, int option) {
  switch (option) {
    case 'c':
      if (!parse_bytes(optarg, &c->options.capacity)) return bad("capacity (1 to 1024M)", optarg);
      return DONE;
    case 'b':
      if (!parse_seconds(optarg, &c->options.budget_seconds)) return bad("budget", optarg);
      return DONE;
    case 's':
      if (!parse_seed(optarg, &c->options.seed)) return bad("seed", optarg);
      return DONE;
    case 'o': c->out = optarg; return DONE;
    case 'm': c->minimize = true; return DONE;
    case 'k': c->check = true; return DONE;
    case 'j': c->json = true; return DONE;
    case 'h': fputs(usage, stdout); return OK;
    default: return USAGE;           // getopt has said why
  }
}

static int parse(struct command *c, int argc, char **argv) {
  static const struct option options[] = {
      {"capacity", required_argument, 0, 'c'}, {"budget", required_argument, 0, 'b'},
      {"seed", required_argument, 0, 's'},     {"minimize", no_argument, 0, 'm'},
      {"check", no_argument, 0, 'k'},          {"json", no_argument, 0, 'j'},
      {"help", no_argument, 0, 'h'},           {0, 0, 0, 0}};
  int option;
  optind = 1;
  while ((option = getopt_long(argc, argv, "o:", options, NULL)) != -1) {
    const int code = parse_option(c, option);
    if (code != DONE) return code;
  }
  if (optind != argc - 1) {
    return complain(USAGE, "give one CSV file; see `arenite pack --help`");
  }
  c->path = argv[optind];
  if (c->check && (c->minimize || c->out)) {
    return complain(USAGE, "--check judges the file as it is: leave --minimize and -o away");
  }
  if (c->options.capacity == 0 && !c->minimize) {
    return complain(USAGE, "say how much must suffice with --capacity N, or ask with --minimize");
  }
  return DONE;
}

// ---- files ----

static int load(struct command *c) {
  pack_csv_error error = {0};
  FILE *file = fopen(c->path, "rb");
  if (file == NULL) return complain(IO, "cannot open %s: %s", c->path, strerror(errno));
  const bool done = arn__csv_read(&c->csv, file, &error);
  const bool broken = ferror(file);
  fclose(file);
  if (!done && broken) return complain(IO, "cannot read %s: is it a file?", c->path);
  if (!done && error.line) {
    return complain(USAGE, "%s, line %u: %s; correct the line and try again", c->path,
                    (unsigned)error.line, error.what);
  }
  if (!done) return complain(USAGE, "%s: %s; see `arenite pack --help`", c->path, error.what);
  c->problem = (arn_pack_problem){.items = c->csv.items, .count = c->csv.count};
  return DONE;
}

static int save(const struct command *c) {
  FILE *file = fopen(c->out, "wb");
  if (file == NULL) return complain(IO, "cannot write %s: %s", c->out, strerror(errno));
  const bool done = arn__csv_write(&c->csv, c->result.offsets, file);
  const bool closed = fclose(file) == 0;
  if (closed && done) return DONE;
  return complain(IO, "writing %s failed; is the disk full?", c->out);
}

// ---- reports ----

static const char *verdict_text(arn_pack_verdict verdict) {
  switch (verdict) {
    case ARN_PACK_SOLVED: return "solved";
    case ARN_PACK_INFEASIBLE: return "infeasible";
    case ARN_PACK_BUDGET: return "budget";
    case ARN_PACK_INVALID: return "invalid";
    default: return "no memory";
  }
}

static int print_json(const struct command *c) {
  cJSON *o = cJSON_CreateObject();
  cJSON_AddStringToObject(o, "schema", "arenite.pack");
  cJSON_AddNumberToObject(o, "version", 1);
  cJSON_AddStringToObject(o, "file", c->path);
  cJSON_AddNumberToObject(o, "items", c->csv.count);
  cJSON_AddBoolToObject(o, "minimize", c->minimize);
  cJSON_AddStringToObject(o, "verdict", verdict_text(c->verdict));
  if (c->options.capacity) cJSON_AddNumberToObject(o, "capacity", c->options.capacity);
  cJSON_AddNumberToObject(o, "bound", c->result.bound);
  if (c->result.found) cJSON_AddNumberToObject(o, "height", c->result.height);
  cJSON_AddNumberToObject(o, "nodes", (double)c->result.nodes);
  cJSON_AddNumberToObject(o, "seconds", c->result.seconds);
  if (c->result.found) {
    cJSON *offsets = cJSON_AddArrayToObject(o, "offsets");
    for (uint32_t i = 0; offsets && i < c->csv.count; i++) {
      cJSON_AddItemToArray(offsets, cJSON_CreateNumber(c->result.offsets[i]));
    }
  }
  char *text = cJSON_Print(o);
  cJSON_Delete(o);
  if (text == NULL) return complain(INTERNAL, "there is no memory for the report");
  puts(text);
  cJSON_free(text);
  return DONE;
}

static void print_minimum(const struct command *c) {
  const arn_pack_result *r = &c->result;
  if (c->verdict == ARN_PACK_SOLVED) {
    printf("minimum: %u bytes, proved", r->height);
  } else if (r->found) {
    printf("minimum: in [%u, %u] bytes, [proved bound, found]; a larger --budget may narrow it",
           r->bound, r->height);
  } else if (c->verdict == ARN_PACK_INFEASIBLE) {
    printf("no placement within %u bytes, proved: at least %u are needed", c->options.capacity,
           r->bound);
  } else {
    printf("minimum: at least %u bytes, proved; no placement found in time", r->bound);
  }
}

static void print_answer(const struct command *c) {
  const arn_pack_result *r = &c->result;
  if (c->verdict == ARN_PACK_SOLVED) {
    printf("fits: %u of %u bytes used", r->height, c->options.capacity);
  } else if (c->verdict == ARN_PACK_INFEASIBLE) {
    printf("does not fit in %u bytes, proved: at least %u are needed", c->options.capacity,
           r->bound);
  } else {
    printf("undecided: no placement within %u bytes found in time; a larger --budget may help",
           c->options.capacity);
  }
}

static void print_text(const struct command *c) {
  printf("%s: %u buffers, at most %u bytes alive at once\n", c->path, c->csv.count,
         arn_pack_bound(&c->problem));
  if (c->minimize) {
    print_minimum(c);
  } else {
    print_answer(c);
  }
  printf(" (%.2f s, %llu nodes)\n", c->result.seconds, (unsigned long long)c->result.nodes);
}

static void show_progress(void *context, uint32_t bound, uint32_t height, double seconds) {
  (void)context;
  fprintf(stderr, "\r%7.1f s  [%u, ", seconds, bound);
  if (height) {
    fprintf(stderr, "%u]    ", height);
  } else {
    fputs("?]    ", stderr);
  }
}

// ---- the command ----

static int check_offsets(const struct command *c) {
  arn_pack_report at;
  if (!c->csv.has_offsets) {
    return complain(USAGE, "%s has no column offset to check; leave --check away to search",
                    c->path);
  }
  const arn_pack_fault fault =
      arn_pack_check(&c->problem, c->options.capacity, c->csv.offsets, NULL, &at);
  if (fault == ARN_PACK_UNCHECKED) return complain(INTERNAL, "%s", arn_pack_fault_text(fault));
  const char *id = c->csv.ids[at.first];
  if (fault == ARN_PACK_OVERLAP) {
    return complain(CHECK, "%s: %s: %s and %s; run without --check to place them anew", c->path,
                    arn_pack_fault_text(fault), id, c->csv.ids[at.second]);
  }
  if (fault != ARN_PACK_OK) {
    return complain(CHECK, "%s: %s: %s; run without --check to place it anew", c->path,
                    arn_pack_fault_text(fault), id);
  }
  printf("%s: %u buffers, valid within %u bytes\n", c->path, c->csv.count, c->options.capacity);
  return OK;
}

static int search(struct command *c) {
  const bool shows = isatty(STDERR_FILENO);
  if (shows) c->options.progress = show_progress;
  c->result.offsets = calloc(c->csv.count + 1u, sizeof *c->result.offsets);
  if (c->result.offsets == NULL) return complain(INTERNAL, "there is no memory for the offsets");
  c->verdict = c->minimize ? arn_pack_minimize(&c->problem, &c->options, &c->result)
                           : arn_pack_solve(&c->problem, &c->options, &c->result);
  if (shows) fputs("\r                                                  \r", stderr);
  if (c->verdict == ARN_PACK_NO_MEMORY) {
    return complain(INTERNAL, "%s is too large: over 16,777,216 pairs of buffers live together, or "
                    "memory ran out; try a part of it", c->path);
  }
  if (c->verdict == ARN_PACK_INVALID) {
    return complain(USAGE, "%s, line %u: %s", c->path, c->csv.lines[c->result.item],
                    c->result.reason);
  }
  return DONE;
}

static int report(const struct command *c) {
  int code = DONE;
  if (c->out && c->result.found) code = save(c);
  if (code == DONE && c->json) code = print_json(c);
  if (code != DONE) return code;
  if (!c->json) print_text(c);
  return c->result.found ? OK : CHECK;
}

int arn_pack_main(int argc, char **argv) {
  struct command c = {.options = {.budget_seconds = DEFAULT_BUDGET}};
  int code = parse(&c, argc, argv);
  if (code != DONE) return code;
  code = load(&c);
  if (code == DONE && c.check) {
    code = check_offsets(&c);
  } else if (code == DONE) {
    code = search(&c);
    if (code == DONE) code = report(&c);
  }
  free(c.result.offsets);
  arn__csv_free(&c.csv);
  return code;
}
