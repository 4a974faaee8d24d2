// arenite fit: which microcontrollers a model fits, what is left there, and how long it might take.
#include <ctype.h>
#include <errno.h>
#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/cli/command.h"
#include "host/decide/tables.h"
#include "host/report/json.h"

static const char usage[] =
    "Usage: arenite fit [--board FILE] [--part TEXT] [--all] [--planner P] [--json] MODEL.tflite\n"
    "Goes through a table of microcontrollers (boards/boards.csv, with its sources): where the\n"
    "arena would lie (a+b: no region of RAM holds it; its dynamic region lies in a and the rest\n"
    "in b, see config.dynamic), what is left of RAM beside arena and stack, what is left of flash\n"
    "beside the model and the engine, and an ESTIMATE of the time: multiply-accumulates, times\n"
    "instructions measured in an emulator for each, at one instruction a cycle. Real parts wait\n"
    "for flash and RAM; a part with its own accelerator is not considered. The smallest part\n"
    "comes first.\n"
    "  --board FILE  parts of one's own instead, in the form of boards/boards.csv\n"
    "  --part TEXT   only parts whose name, vendor or core contains TEXT\n"
    "  --all         list also what it does not fit, and why\n"
    "  --planner P   auto, greedy, lifetime, colour, id, offline, rows\n"
    "  --json        schema arenite.fit, version 1: all parts\n"
    "Exit code 1 where it fits none.\n"
    "Example: arenite fit --part cortex-m4 --planner rows person_detect.tflite\n";

struct request {
  cli_options common;
  const char *board_file, *part;
  bool all;
};

// What a model needs.
struct need {
  arn_usage usage;
  uint64_t file_bytes, macs;
  const host_facts *facts;
};

// A board for a model.
struct verdict {
  const host_board *board;
  const host_speed *speed;  // NULL: nothing measured comes close
  host_board_place place;   // of the arena
  int64_t ram_left, flash_left;
  double milliseconds;      // 0: no estimate
  bool fits, own_speed;
};

static int parse(int argc, char **argv, struct request *q) {
  static const struct option options[] = {
      {"board", required_argument, 0, 'b'}, {"part", required_argument, 0, 'm'},
      {"all", no_argument, 0, 'a'},         {"planner", required_argument, 0, 'p'},
      {"json", no_argument, 0, 'j'},        {"help", no_argument, 0, 'h'},
      {0, 0, 0, 0}};
  int c;
  optind = 1;
  while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
    switch (c) {
      case 'b': q->board_file = optarg; break;
      case 'm': q->part = optarg; break;
      case 'a': q->all = true; break;
      case 'j': q->common.json = true; break;
      case 'h': fputs(usage, stdout); return -1;
      case 'p':
        if (cli_parse_planner(optarg, &q->common.planner)) break;
        return cli_fail(EXIT_USAGE, "\"%s\" is no planner; see `arenite fit --help`", optarg);
      default: return EXIT_USAGE;
    }
  }
  if (argc - optind != 1) {
    fputs(usage, stderr);
    return EXIT_USAGE;
  }
  q->common.path = argv[optind];
  return EXIT_OK;
}

static int read_boards(const struct request *q, host_boards *boards) {
  size_t size;
  uint32_t line = 0;
  if (q->board_file == NULL) {
    const char *wrong = host_table_boards(boards);
    return wrong ? cli_fail(EXIT_INTERNAL, "boards/boards.csv: %s", wrong) : EXIT_OK;
  }
  char *text = host_read_file(q->board_file, &size);
  if (text == NULL) {
    return cli_fail(EXIT_IO, "%s: can't be read: %s", q->board_file, strerror(errno));
  }
  const char *wrong = host_boards_parse(text, size, boards, &line);
  free(text);
  return wrong ? cli_fail(EXIT_IO, "%s:%u: %s", q->board_file, line, wrong) : EXIT_OK;
}

// ---- judging -----------------------------------------------------------------------------------

static bool contains(const char *text, const char *part) {
  const size_t length = strlen(part);
  for (; *text != '\0'; text++) {
    size_t i = 0;
    while (i < length && tolower((unsigned char)text[i]) == tolower((unsigned char)part[i])) i++;
    if (i == length) return true;
  }
  return length == 0;
}

static bool is_wanted(const struct request *q, const host_board *b) {
  return q->part == NULL || contains(b->name, q->part) || contains(b->vendor, q->part) ||
         contains(b->core, q->part);
}

// The engine's code and stack where no measurement comes close: the largest of all that were
// measured.
static void size_of_engine(const host_speeds *speeds, const host_speed *own, uint32_t *text,
                           uint32_t *stack) {
  *text = own ? own->text_bytes : 0;
  *stack = own ? own->stack_bytes : 0;
  for (uint32_t i = 0; i < speeds->count && !own; i++) {
    if (speeds->list[i].text_bytes > *text) *text = speeds->list[i].text_bytes;
    if (speeds->list[i].stack_bytes > *stack) *stack = speeds->list[i].stack_bytes;
  }
}

static int64_t arena_at(const arn_usage *u, host_board_place place) {
  return place.dynamic == place.fixed ? (int64_t)u->arena_bytes
                                      : (int64_t)u->static_bytes + u->dynamic_block_bytes;
}

static struct verdict judge(const struct need *need, const host_speeds *speeds,
                            const host_board *b) {
  struct verdict v = {.board = b, .place = host_board_place_for(b, &need->usage)};
  uint32_t text, stack;
  v.speed = host_speed_for(speeds, b->core, &v.own_speed);
  size_of_engine(speeds, v.speed, &text, &stack);
  v.ram_left = (int64_t)host_board_ram(b) - arena_at(&need->usage, v.place) - stack;
  v.flash_left = (int64_t)b->flash_bytes - (int64_t)need->file_bytes - text;
  v.fits = v.place.dynamic >= 0 && v.ram_left >= 0 && v.flash_left >= 0;
  if (v.speed) {
    v.milliseconds = host_speed_instructions(v.speed, need->facts) / (b->mhz * 1000.0);
  }
  return v;
}

static int by_size(const void *a, const void *b) {
  const struct verdict *x = a, *y = b;
  const uint64_t ram_x = host_board_ram(x->board), ram_y = host_board_ram(y->board);
  if (x->fits != y->fits) return x->fits ? -1 : 1;
  if (ram_x != ram_y) return ram_x < ram_y ? -1 : 1;
  if (x->board->flash_bytes != y->board->flash_bytes) {
    return x->board->flash_bytes < y->board->flash_bytes ? -1 : 1;
  }
  return strcmp(x->board->name, y->board->name);
}

static const char *why_not(const struct verdict *v, char *text, size_t size) {
  uint32_t largest = 0;
  for (uint32_t i = 0; i < v->board->region_count; i++) {
    if (v->board->regions[i].bytes > largest) largest = v->board->regions[i].bytes;
  }
  if (v->place.dynamic < 0) {
    snprintf(text, size, "no regions hold the arena (largest %u KB)", largest / 1024);
  } else if (v->ram_left < 0) {
    snprintf(text, size, "RAM lacks %lld bytes", (long long)-v->ram_left);
  } else {
    snprintf(text, size, "flash lacks %lld bytes", (long long)-v->flash_left);
  }
  return text;
}

// ---- printing ----------------------------------------------------------------------------------

static void put_time(char *text, size_t size, const struct verdict *v) {
  if (v->milliseconds <= 0.0) snprintf(text, size, "-");
  else snprintf(text, size, v->milliseconds < 100.0 ? "%.3g ms%s" : "%.0f ms%s", v->milliseconds,
                v->own_speed ? "" : "*");
}

static void put_place(char *text, size_t size, const struct verdict *v) {
  const host_region *regions = v->board->regions;
  const host_board_place p = v->place;
  if (p.dynamic == p.fixed) snprintf(text, size, "%s", regions[p.dynamic].name);
  else snprintf(text, size, "%s+%s", regions[p.dynamic].name, regions[p.fixed].name);
}

static void print_board(const struct verdict *v) {
  char time[32], why[80], where[40];
  const host_board *b = v->board;
  put_time(time, sizeof time, v);
  if (!v->fits) {
    printf("%-20.20s %-13.13s %5.4g MHz  no: %s\n", b->name, b->core, b->mhz,
           why_not(v, why, sizeof why));
    return;
  }
  put_place(where, sizeof where, v);
  printf("%-20.20s %-13.13s %5.4g MHz  %-13.13s %7.1f KB %9.1f KB%c %12s\n", b->name, b->core,
         b->mhz, where, (double)v->ram_left / 1024.0, (double)v->flash_left / 1024.0,
         b->external_flash ? 'x' : ' ', time);
}

static void print_text(const struct request *q, const struct need *need, const struct verdict *list,
                       uint32_t count) {
  uint32_t fits = 0;
  for (uint32_t i = 0; i < count; i++) fits += list[i].fits;
  printf(
      "%s\n  arena %u bytes, file %llu bytes, %llu multiply-accumulates: fits %u of %u parts\n\n",
      q->common.path, need->usage.arena_bytes, (unsigned long long)need->file_bytes,
      (unsigned long long)need->macs, fits, count);
  printf("%-20s %-13s %9s  %-13s %10s %13s %12s\n", "part", "core", "speed", "arena in", "RAM left",
         "flash left", "estimate");
  for (uint32_t i = 0; i < count; i++) {
    if (list[i].fits || q->all) print_board(&list[i]);
  }
  printf("\nRAM left: all regions, less arena and the engine's stack. Flash left: less file and\n"
         "engine. x: flash is not in the part. The time is an ESTIMATE: one instruction a cycle,\n"
         "instructions counted in an emulator for int8 networks; *: counted on the nearest core;\n"
         "-: nothing measured comes close, or the network is not of 8 bits.\n");
  if (!q->all && fits < count) {
    printf("--all lists the %u parts that it does not fit.\n", count - fits);
  }
}

static cJSON *board_as_json(const struct verdict *v) {
  const host_board *b = v->board;
  cJSON *item = cJSON_CreateObject();
  char why[80];
  cJSON_AddStringToObject(item, "part", b->name);
  cJSON_AddStringToObject(item, "vendor", b->vendor);
  cJSON_AddStringToObject(item, "core", b->core);
  cJSON_AddNumberToObject(item, "mhz", b->mhz);
  cJSON_AddStringToObject(item, "source", b->source);
  cJSON_AddNumberToObject(item, "flash_bytes", (double)b->flash_bytes);
  cJSON_AddBoolToObject(item, "external_flash", b->external_flash);
  cJSON *regions = cJSON_AddObjectToObject(item, "ram");
  for (uint32_t i = 0; i < b->region_count; i++) {
    cJSON_AddNumberToObject(regions, b->regions[i].name, b->regions[i].bytes);
  }
  cJSON_AddBoolToObject(item, "fits", v->fits);
  if (!v->fits) cJSON_AddStringToObject(item, "why", why_not(v, why, sizeof why));
  if (v->place.dynamic >= 0) {
    cJSON_AddStringToObject(item, "region", b->regions[v->place.dynamic].name);
    cJSON_AddStringToObject(item, "static_region", b->regions[v->place.fixed].name);
  }
  cJSON_AddNumberToObject(item, "ram_left_bytes", (double)v->ram_left);
  cJSON_AddNumberToObject(item, "flash_left_bytes", (double)v->flash_left);
  if (v->milliseconds > 0.0) {
    cJSON_AddNumberToObject(item, "estimated_milliseconds", v->milliseconds);
    cJSON_AddStringToObject(item, "measured_on", v->speed->target);
  }
  return item;
}

static int print_json(const struct request *q, const struct need *need, const struct verdict *list,
                      uint32_t count) {
  cJSON *json = host_json_new("arenite.fit", 1, q->common.path);
  cJSON_AddNumberToObject(json, "arena_bytes", need->usage.arena_bytes);
  cJSON_AddNumberToObject(json, "static_bytes", need->usage.static_bytes);
  cJSON_AddNumberToObject(json, "dynamic_block_bytes", need->usage.dynamic_block_bytes);
  cJSON_AddNumberToObject(json, "file_bytes", (double)need->file_bytes);
  cJSON_AddNumberToObject(json, "macs", (double)need->macs);
  cJSON *parts = cJSON_AddArrayToObject(json, "parts");
  for (uint32_t i = 0; i < count; i++) cJSON_AddItemToArray(parts, board_as_json(&list[i]));
  return host_json_print(json) ? EXIT_OK : cli_fail(EXIT_INTERNAL, "out of host memory");
}

// ---- all of it ---------------------------------------------------------------------------------

static int fit(const struct request *q, const struct need *need, const host_boards *boards) {
  host_speeds speeds;
  const char *wrong = host_table_speeds(&speeds);
  if (wrong) return cli_fail(EXIT_INTERNAL, "boards/speed.csv: %s", wrong);
  struct verdict *list = calloc(boards->count, sizeof *list);
  uint32_t count = 0, fits = 0;
  if (list == NULL) return cli_fail(EXIT_INTERNAL, "out of host memory");
  for (uint32_t i = 0; i < boards->count; i++) {
    if (is_wanted(q, &boards->list[i])) list[count++] = judge(need, &speeds, &boards->list[i]);
  }
  if (count == 0) {
    free(list);
    return cli_fail(EXIT_USAGE, "\"%s\" is in no part's name, vendor or core; `arenite fit --all` "
                    "lists the parts", q->part ? q->part : "");
  }
  qsort(list, count, sizeof *list, by_size);
  int code = EXIT_OK;
  if (q->common.json) code = print_json(q, need, list, count);
  else print_text(q, need, list, count);
  for (uint32_t i = 0; i < count; i++) fits += list[i].fits;
  free(list);
  if (code != EXIT_OK || fits > 0) return code;
  return cli_fail(EXIT_CHECK, "%s: fits none of %u parts; `arenite diagnose` says what can be done",
                  q->common.path, count);
}

static int run(const struct request *q, const cli_model *m, const host_boards *boards) {
  host_engine e;
  host_facts f;
  int code = cli_start(m, &q->common, NULL, &e);
  if (code != EXIT_OK) return code;
  if (!host_facts_gather(&f, &e.nn)) {
    code = cli_fail(EXIT_INTERNAL, "out of host memory");
  } else {
    const struct need need = {e.usage, m->size, f.macs, &f};
    code = fit(q, &need, boards);
    host_facts_free(&f);
  }
  host_engine_close(&e);
  return code;
}

int cli_fit(int argc, char **argv) {
  struct request q = {.board_file = NULL};
  host_boards boards = {0};
  cli_model m;
  int code = parse(argc, argv, &q);
  if (code != EXIT_OK) return code < 0 ? EXIT_OK : code;
  code = read_boards(&q, &boards);
  if (code != EXIT_OK) return code;
  code = cli_load(&m, q.common.path);
  if (code == EXIT_OK) {
    code = run(&q, &m, &boards);
    cli_unload(&m);
  }
  host_boards_free(&boards);
  return code;
}
