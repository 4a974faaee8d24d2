// arenite diagnose: why a model does not fit, and what to do about it.
#include <getopt.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "host/cli/command.h"
#include "host/cli/diagnose.h"
#include "host/cli/gate.h"
#include "host/decide/names.h"
#include "host/decide/tables.h"
#include "host/report/json.h"

static const char usage[] =
    "Usage: arenite diagnose (--arena BYTES | --board NAME) [--planner P] [--align N]\n"
    "                        [--no-overlap] [--keep-all] [--copy-weights] [--budget S]\n"
    "                        [--region BYTES]... [--json] MODEL.tflite\n"
    "Says which allocation fails in an arena of that size, plans again without each of size,\n"
    "alignment, order, fragmentation, scratch and records to see which is to blame, and carries\n"
    "out what could be done: other planners and alignments, another order of operators, rows,\n"
    "streamed inputs, two regions of RAM, int8. What saves bytes is listed by how many, with its\n"
    "command.\n"
    "  --arena BYTES   the arena (64K, 1M are understood)\n"
    "  --board NAME    the largest RAM region of a part in the table of `arenite fit` (the\n"
    "                  beginning of its name will do)\n"
    "  --region BYTES  another region of RAM, where a part of the arena could lie; with --board,\n"
    "                  all others of the part are known\n"
    "  --planner, --align, --no-overlap, --keep-all, --copy-weights\n"
    "                  how the device is configured, if not by default\n"
    "  --budget S      seconds for each search by rows, about (2)\n"
    "  --json          schema arenite.diagnose, version 1\n"
    "Exit code 5 where it does not fit.\n"
    "Example: arenite diagnose --board stm32f411 person_detect.tflite\n";

struct request {
  const char *path, *board;
  host_advice_case c;
  host_region others[HOST_BOARD_REGIONS];
  bool json;
};

static bool add_region(struct request *q, const char *name, uint32_t bytes) {
  if (q->c.other_count == HOST_BOARD_REGIONS) return false;
  host_region *r = &q->others[q->c.other_count++];
  snprintf(r->name, sizeof r->name, "%s", name);
  r->bytes = bytes;
  return true;
}

static bool copy_all(void *context, uint32_t subgraph, const arn_tensor *tensor) {
  (void)context;
  (void)subgraph;
  (void)tensor;
  return true;
}

static bool take(void *request, int option) {
  struct request *q = request;
  uint32_t number = 0;
  arn_config *config = &q->c.config;
  switch (option) {
    case 'a': return cli_parse_bytes(optarg, &q->c.arena_bytes) && q->c.arena_bytes > 0;
    case 'r': return cli_parse_bytes(optarg, &number) && add_region(q, "the other one", number);
    case 'b': q->board = optarg; return true;
    case 'p':
      return cli_parse_planner(optarg, &config->planner) && config->planner <= ARN_PLANNER_OFFLINE;
    case 'g':
      if (!cli_parse_number(optarg, 4, 64, &number) || (number & (number - 1)) != 0) return false;
      config->alignment = (uint16_t)number;
      return true;
    case 'n': config->flags |= ARN_NO_OVERLAP; return true;
    case 'k': config->flags |= ARN_KEEP_ALL; return true;
    case 'w': config->copy_weights = copy_all; return true;
    case 's':
      if (!cli_parse_number(optarg, 1, 86400, &number)) return false;
      q->c.budget_seconds = number;
      return true;
    default: q->json = true; return true;
  }
}

static int parse(int argc, char **argv, struct request *q) {
  static const struct option options[] = {
      {"arena", required_argument, 0, 'a'},   {"board", required_argument, 0, 'b'},
      {"planner", required_argument, 0, 'p'}, {"align", required_argument, 0, 'g'},
      {"no-overlap", no_argument, 0, 'n'},    {"keep-all", no_argument, 0, 'k'},
      {"region", required_argument, 0, 'r'},
      {"copy-weights", no_argument, 0, 'w'},  {"budget", required_argument, 0, 's'},
      {"json", no_argument, 0, 'j'},          {"help", no_argument, 0, 'h'},
      {0, 0, 0, 0}};
  const cli_parser parser = {"diagnose", usage, options, take};
  const int code = cli_parse_options(argc, argv, &parser, q);
  if (code != EXIT_OK) return code;
  if (argc - optind != 1 || (q->c.arena_bytes == 0) == (q->board == NULL)) {
    fputs(usage, stderr);
    return EXIT_USAGE;
  }
  q->path = argv[optind];
  return EXIT_OK;
}

static int use_board(struct request *q) {
  host_boards boards;
  const char *wrong = host_table_boards(&boards);
  if (wrong) return cli_fail(EXIT_INTERNAL, "boards/boards.csv: %s", wrong);
  const host_board *board = host_board_find(&boards, q->board);
  int code = EXIT_OK;
  if (board == NULL) {
    code = cli_fail(EXIT_USAGE,
                    "\"%s\" is no part of the table, or several; `arenite fit --all` lists it",
                    q->board);
  } else {
    const host_region *region = &board->regions[0];
    for (uint32_t i = 1; i < board->region_count; i++) {
      if (board->regions[i].bytes > region->bytes) region = &board->regions[i];
    }
    q->c.arena_bytes = region->bytes;
    for (uint32_t i = 0; i < board->region_count; i++) {
      const host_region *other = &board->regions[i];
      if (other != region) (void)add_region(q, other->name, other->bytes);
    }
    if (!q->json) printf("%s: %s, %u bytes\n", board->name, region->name, region->bytes);
  }
  host_boards_free(&boards);
  return code;
}

// ---- printing ----------------------------------------------------------------------------------

static void add_failing(cJSON *json, const arn_model *m, const arn_error *e) {
  if (e->status == ARN_OK) return;
  cJSON *item = cJSON_AddObjectToObject(json, "failing");
  const uint32_t subgraph = e->subgraph >= 0 ? (uint32_t)e->subgraph : 0;
  cJSON_AddStringToObject(item, "purpose", host_advice_purpose(e->what));
  cJSON_AddStringToObject(item, "reason", arn_what_text(e->what));
  cJSON_AddNumberToObject(item, "need", e->need);
  cJSON_AddNumberToObject(item, "have", e->have);
  if (e->node >= 0) {
    cJSON_AddNumberToObject(item, "node", e->node);
    cJSON_AddStringToObject(item, "op", host_name_of_node(m, subgraph, (uint32_t)e->node).text);
  }
  if (e->tensor >= 0) {
    cJSON_AddNumberToObject(item, "tensor", e->tensor);
    cJSON_AddStringToObject(item, "name",
                            host_name_of_tensor(m, subgraph, (uint32_t)e->tensor).text);
  }
}

static int print_json(const host_advice_case *c, const arn_model *m, const host_advice *a) {
  cJSON *json = host_json_new("arenite.diagnose", 1, c->path);
  cJSON_AddNumberToObject(json, "arena_bytes", a->arena_bytes);
  cJSON_AddNumberToObject(json, "need_bytes", a->need_bytes);
  cJSON_AddBoolToObject(json, "fits", a->fits);
  add_failing(json, m, &a->failing);
  cJSON *causes = cJSON_AddArrayToObject(json, "causes");
  for (uint32_t i = 0; i < a->cause_count; i++) {
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "without", a->causes[i].name);
    cJSON_AddNumberToObject(item, "arena_bytes", a->causes[i].arena_without);
    cJSON_AddStringToObject(item, "text", a->causes[i].text);
    cJSON_AddItemToArray(causes, item);
  }
  cJSON *remedies = cJSON_AddArrayToObject(json, "remedies");
  for (uint32_t i = 0; i < a->remedy_count; i++) {
    const host_remedy *r = &a->remedies[i];
    cJSON *item = cJSON_CreateObject();
    cJSON_AddStringToObject(item, "remedy", r->name);
    cJSON_AddNumberToObject(item, "arena_bytes", r->arena_bytes);
    cJSON_AddNumberToObject(item, "saved_bytes", a->need_bytes - r->arena_bytes);
    cJSON_AddBoolToObject(item, "fits", r->fits);
    cJSON_AddStringToObject(item, "text", r->text);
    cJSON_AddStringToObject(item, "command", r->command);
    cJSON_AddItemToArray(remedies, item);
  }
  return host_json_print(json) ? EXIT_OK : cli_fail(EXIT_INTERNAL, "out of host memory");
}

static void show_progress(const char *what) { fprintf(stderr, "\r%-40s\r%s ...", "", what); }

int cli_print_advice(const cli_model *m, const host_advice_case *given, bool json) {
  host_advice a;
  arn_error error = {0};
  host_advice_case c = *given;
  if (isatty(STDERR_FILENO)) c.progress = show_progress;
  const arn_status status = host_advise(&c, &a, &error);
  if (c.progress) fprintf(stderr, "\r%-40s\r", "");
  if (status != ARN_OK) return cli_complain(m, &error);
  cli_gate_note(a.need_bytes);
  if (!json) host_advice_print(stdout, &c, &a);
  const int code = json ? print_json(&c, &m->model, &a) : EXIT_OK;
  return code != EXIT_OK ? code : a.fits ? EXIT_OK : EXIT_ARENA;
}

int cli_diagnose(int argc, char **argv) {
  struct request q = {.c.budget_seconds = 2.0};
  cli_model m;
  int code = parse(argc, argv, &q);
  if (code != EXIT_OK) return code < 0 ? EXIT_OK : code;
  if (q.board) code = use_board(&q);
  if (code == EXIT_OK) code = cli_load(&m, q.path);
  if (code != EXIT_OK) return code;
  q.c.path = q.path;
  q.c.others = q.others;
  q.c.bytes = m.bytes;
  q.c.size = m.size;
  code = cli_print_advice(&m, &q.c, q.json);
  cli_unload(&m);
  return code;
}
