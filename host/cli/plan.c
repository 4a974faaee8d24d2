// arenite plan: what the arena holds.
#include <getopt.h>
#include <stdio.h>

#include "host/cli/ladder.h"
#include "host/report/json.h"
#include "host/report/text.h"

static const char usage[] =
    "Usage: arenite plan [--planner P] [--align N] [--arena BYTES] [--dynamic BYTES]\n"
    "                    [--keep-all] [--no-overlap] [--budget S] [--stream-input N]...\n"
    "                    [--stream-output N]... [--ladder] [--json] MODEL.tflite\n"
    "Plans the arena of a model and explains it: the exact size, the peak and everything alive "
    "there,\n"
    "the memory formula, a map (addresses down, steps across) and the curve of live bytes.\n"
    "  --planner P    auto (the row plan that the file carries; else the best of the next four),\n"
    "                 greedy, lifetime, colour, id, offline (the file's own "
    "OfflineMemoryAllocation),\n"
    "                 or rows (searched here, as `arenite optimize` does)\n"
    "  --align N      alignment of the arena and of tensors: 4, 8, 16 (default), 32, 64\n"
    "  --arena BYTES  check against an arena of this size (64K, 1M are understood); exit code 5 "
    "if it\n"
    "                 is too small\n"
    "  --dynamic BYTES  likewise, the dynamic region in a block of its own of this size, as\n"
    "                 config.dynamic gives it; --arena is then for the static region alone\n"
    "  --keep-all     no reuse of memory: every tensor can be read after a run\n"
    "  --no-overlap   outputs never share memory with the inputs of their operator\n"
    "  --budget S     seconds to search rows (10)\n"
    "  --stream-input N, --stream-output N\n"
    "                 rows of input (output) N come (go) through a callback; it is never whole "
    "in the\n"
    "                 arena; implies --planner rows\n"
    "  --ladder       also what file order, best order, in place, rows and streamed inputs each "
    "need, and\n"
    "                 what bounds them (searches rows twice)\n"
    "  --json         schema arenite.plan, version 1 (docs/schema)\n"
    "Example: arenite plan --arena 64K person_detect.tflite\n";

static int bad(const char *what, const char *value) {
  return cli_fail(EXIT_USAGE, "\"%s\" is no valid %s; see `arenite plan --help`", value, what);
}

static bool is_alignment(uint32_t a) {
  return a == 4 || a == 8 || a == 16 || a == 32 || a == 64;
}

static int parse(int argc, char **argv, cli_options *o, bool *ladder) {
  static const struct option options[] = {
      {"planner", required_argument, 0, 'p'}, {"align", required_argument, 0, 'a'},
      {"arena", required_argument, 0, 'b'},   {"keep-all", no_argument, 0, 'k'},
      {"no-overlap", no_argument, 0, 'n'},    {"json", no_argument, 0, 'j'},
      {"budget", required_argument, 0, 's'},  {"stream-input", required_argument, 0, 'i'},
      {"stream-output", required_argument, 0, 'o'}, {"ladder", no_argument, 0, 'l'},
      {"dynamic", required_argument, 0, 'd'}, {"help", no_argument, 0, 'h'},
      {0, 0, 0, 0}};
  int c;
  optind = 1;
  while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
    switch (c) {
      case 'p':
        if (!cli_parse_planner(optarg, &o->planner)) return bad("planner", optarg);
        break;
      case 'a':
        if (!cli_parse_number(optarg, 4, 64, &o->alignment) || !is_alignment(o->alignment)) {
          return bad("alignment", optarg);
        }
        break;
      case 'b':
        if (!cli_parse_bytes(optarg, &o->arena_bytes) || o->arena_bytes == 0) {
          return bad("number of bytes", optarg);
        }
        break;
      case 'd':
        if (!cli_parse_bytes(optarg, &o->dynamic_bytes) || o->dynamic_bytes == 0) {
          return bad("number of bytes", optarg);
        }
        break;
      case 's':
        if (!cli_parse_number(optarg, 1, 86400, &o->budget_seconds)) return bad("budget", optarg);
        break;
      case 'i':
        if (!cli_parse_stream(optarg, o, true)) return bad("input", optarg);
        break;
      case 'o':
        if (!cli_parse_stream(optarg, o, false)) return bad("output", optarg);
        break;
      case 'l': *ladder = true; break;
      case 'k': o->flags |= ARN_KEEP_ALL; break;
      case 'n': o->flags |= ARN_NO_OVERLAP; break;
      case 'j': o->json = true; break;
      case 'h': fputs(usage, stdout); return -1;
      default: return EXIT_USAGE;
    }
  }
  if (argc - optind != 1) {
    fputs(usage, stderr);
    return EXIT_USAGE;
  }
  o->path = argv[optind];
  return EXIT_OK;
}

static void print_text(const char *path, const host_facts *f) {
  printf("%s\n", path);
  host_text_profile(stdout, f);
  printf("\nMemory formula, at the peak\n");
  host_text_formula(stdout, f);
  printf("\nArena map\n");
  host_text_map(stdout, f);
  printf("\nLive bytes\n");
  host_text_curve(stdout, f);
}

static int report(const cli_options *o, const host_engine *e, const cli_ladder *ladder) {
  host_facts f;
  if (!host_facts_gather(&f, &e->nn)) return cli_fail(EXIT_INTERNAL, "out of host memory");
  int code = EXIT_OK;
  if (o->json) {
    cJSON *json = host_json_new("arenite.plan", 1, o->path);
    host_json_add_plan(json, &f);
    if (ladder) cli_ladder_add(json, ladder);
    if (!host_json_print(json)) code = cli_fail(EXIT_INTERNAL, "out of host memory");
  } else {
    print_text(o->path, &f);
    if (ladder) cli_ladder_print(ladder);
  }
  host_facts_free(&f);
  return code;
}

static void print_fit(const cli_options *o, const arn_usage *u) {
  const uint32_t need = o->dynamic_bytes ? u->static_bytes : u->arena_bytes;
  if (o->arena_bytes) {
    printf("fits in %u bytes, %u to spare\n", o->arena_bytes, o->arena_bytes - need);
  }
  if (o->dynamic_bytes) {
    printf("the dynamic region fits in %u bytes, %u to spare\n", o->dynamic_bytes,
           o->dynamic_bytes - u->dynamic_block_bytes);
  }
}

int cli_plan(int argc, char **argv) {
  cli_options o = {0};
  cli_model m;
  host_engine e;
  cli_ladder ladder;
  bool climbs = false;
  int code = parse(argc, argv, &o, &climbs);
  if (code != EXIT_OK) return code < 0 ? EXIT_OK : code;
  code = cli_load(&m, o.path);
  if (code != EXIT_OK) return code;
  code = cli_start(&m, &o, NULL, &e);
  if (code == EXIT_OK && !o.json) print_fit(&o, &e.usage);
  if (code == EXIT_OK) {
    if (climbs) code = cli_ladder_climb(&m, &o, &ladder);
    if (code == EXIT_OK) code = report(&o, &e, climbs ? &ladder : NULL);
    host_engine_close(&e);
  }
  cli_unload(&m);
  return code;
}
