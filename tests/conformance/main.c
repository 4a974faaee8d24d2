// conformance PATH...: model directories (index.tsv, golden/), operator packs, or folders of packs.
#include <dirent.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "host/check/ladder.h"
#include "host/check/plan_check.h"
#include "host/check/rows_check.h"
#include "tests/conformance/runner.h"

#define VARIANT(label, which, how) \
  { .name = label, .options = {.config = {.planner = which}, .fill = how} }

static const variant variants[] = {
    VARIANT("auto/00", ARN_PLANNER_AUTO, HOST_FILL_ZERO),
    VARIANT("auto/a5", ARN_PLANNER_AUTO, HOST_FILL_A5),
    VARIANT("auto/random", ARN_PLANNER_AUTO, HOST_FILL_RANDOM),
    VARIANT("greedy", ARN_PLANNER_GREEDY, HOST_FILL_A5),
    VARIANT("lifetime", ARN_PLANNER_LIFETIME, HOST_FILL_RANDOM),
    VARIANT("colour", ARN_PLANNER_COLOUR, HOST_FILL_A5),
    VARIANT("id", ARN_PLANNER_ID, HOST_FILL_RANDOM),
    VARIANT("offline", ARN_PLANNER_OFFLINE, HOST_FILL_A5),
    {.name = "align 4",
     .options = {.config = {.alignment = 4}, .fill = HOST_FILL_RANDOM, .misalignment = 4}},
    {.name = "two blocks",
     .options = {.apart = true, .fill = HOST_FILL_RANDOM, .misalignment = 4}},
    {.name = "keep-all",
     .options = {.config = {.flags = ARN_KEEP_ALL}, .fill = HOST_FILL_RANDOM}},
    {.name = "no-overlap",
     .options = {.config = {.flags = ARN_NO_OVERLAP}, .fill = HOST_FILL_A5}},
    {.name = "typed", .options = {.fill = HOST_FILL_RANDOM}, .typed = true},
};

static const variant rows_variant = {
    .name = "rows", .options = {.config = {.flags = ARN_KEEP_ALL}, .fill = HOST_FILL_RANDOM}};

static const variant optimised_variants[] = {
    {.name = "optimised", .options = {.fill = HOST_FILL_RANDOM}, .optimised = true},
    {.name = "optimised, two blocks",
     .options = {.apart = true, .fill = HOST_FILL_A5}, .optimised = true},
    {.name = "optimised, streamed",
     .options = {.fill = HOST_FILL_A5}, .optimised = true, .streamed = true},
};

unsigned runner_variants(const runner *r, const variant **list) {
  *list = r->optimised ? optimised_variants : r->rows ? &rows_variant : variants;
  if (r->optimised) return sizeof optimised_variants / sizeof optimised_variants[0];
  if (r->rows) return 1;
  return r->quick ? 1 : sizeof variants / sizeof variants[0];
}

bool runner_wants(const runner *r, const char *name) {
  return r->only == NULL || strstr(name, r->only) != NULL;
}

bool runner_complain(const char *name, const char *how, const char *format, ...) {
  va_list arguments;
  printf("FAIL %s [%s]: ", name, how);
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  printf("\n");
  return false;
}

bool runner_check_output(const char *name, const char *how, const char *tensor,
                         const arn_tensor_view *got, const void *want, size_t want_bytes,
                         host_tolerance tolerance) {
  host_difference d;
  if (got->bytes != want_bytes || (got->data == NULL && want_bytes > 0)) {
    return runner_complain(name, how, "%s has %u bytes, %zu wanted", tensor, got->bytes,
                           want_bytes);
  }
  if (host_compare(got->data, want, want_bytes, tolerance, &d)) return true;
  return runner_complain(name, how, "%s differs in %zu %s, first at %zu: got %.9g, want %.9g",
                         tensor, d.count, tolerance.exact ? "bytes" : "elements", d.index, d.got,
                         d.want);
}

bool runner_check_rows(runner *r, const char *name, const host_engine *engine) {
  arn_subgraph g;
  if (arn_model_subgraph(&engine->model, 0, &g) != ARN_OK) return false;
  for (uint32_t n = 0; n < g.node_count; n++) {
    const host_rows_result result = host_rows_check(engine, n, n + 1);
    if (result == HOST_ROWS_WHOLE) r->whole_nodes++;
    else if (result == HOST_ROWS_STATEFUL) r->stateful_nodes++;
    else if (result == HOST_ROWS_SAME) r->row_nodes++;
    else return runner_complain(name, "rows", "node %u: %s", n, host_rows_text(result));
  }
  return true;
}

bool runner_check_plan(const char *name, const char *how, const host_engine *engine) {
  const host_plan_clash clash = host_plan_check(engine);
  if (clash.what == NULL) return true;
  return runner_complain(name, how, "the plan is not sound: %s (subgraph %u, node %u, tensors "
                                    "%d, %d)",
                         clash.what, clash.subgraph, clash.node, clash.a, clash.b);
}

bool runner_climb(runner *r, const char *name, const void *bytes, size_t size) {
  host_ladder ladder;
  if (!host_ladder_climb(bytes, size, r->ladder, &ladder)) {
    return runner_complain(name, "ladder", "does not start");
  }
  r->sizes_tried += ladder.sizes_tried;
  r->totals_unknown += ladder.totals_unknown;
  if (ladder.wrong == NULL) return true;
  return runner_complain(name, "ladder", "%s (at %u bytes, %u above an aligned address)",
                         ladder.wrong, ladder.at_bytes, ladder.misalignment);
}

static void print_subgraph(const arn_interpreter *nn, uint32_t s) {
  arn_subgraph g;
  if (arn_model_subgraph(nn->model, s, &g) != ARN_OK) return;
  printf(" subgraph %u %u:", s, arn_dynamic_bytes(nn, s));
  for (uint32_t i = 0; i < g.tensor_count; i++) {
    const arn_placement place = arn_place_of_tensor(nn, s, i);
    printf(" %u@%u", place.region, place.offset);
  }
  for (uint32_t n = 0; n < g.node_count; n++) {
    const arn_node_memory m = arn_memory_of_node(nn, s, n);
    printf(" [%u %u %u %u%s]", m.state_offset, m.state_bytes, m.scratch_offset, m.scratch_bytes,
           m.by_rows ? " by rows" : "");
  }
  printf("\n");
}

bool runner_print_plan(const char *name, const void *bytes, size_t size) {
  const host_options options = {.fill = HOST_FILL_ZERO};
  host_engine e;
  arn_error error = {0};
  if (host_engine_open(&e, bytes, size, &options, &error) != ARN_OK) {
    printf("%s: %s, %s, need %u\n", name, arn_status_name(error.status), arn_what_text(error.what),
           error.total_need);
    return false;
  }
  printf("%s: arena %u static %u dynamic %u records %u op data %u variables %u start %u\n", name,
         e.usage.arena_bytes, e.usage.static_bytes, e.usage.dynamic_bytes, e.usage.engine_records,
         e.usage.op_data, e.usage.variables, e.usage.init_temporary);
  for (uint32_t s = 0; s < e.model.subgraph_count; s++) print_subgraph(&e.nn, s);
  host_engine_close(&e);
  return true;
}

void runner_count(runner *r, const char *name, bool passed) {
  if (passed) {
    r->passed++;
    if (r->verbose) printf("ok   %s\n", name);
  } else {
    r->failed++;
  }
}

static int is_pack(const struct dirent *entry) {
  const size_t length = strlen(entry->d_name);
  return length > 5 && strcmp(entry->d_name + length - 5, ".pack") == 0;
}

static bool run_folder(runner *r, const char *path) {
  struct dirent **entries;
  bool ok = true;
  const int count = scandir(path, &entries, is_pack, alphasort);
  if (count <= 0) {
    fprintf(stderr, "%s: neither a model directory (index.tsv) nor a folder of packs\n", path);
    return false;
  }
  for (int i = 0; i < count; i++) {
    char file[4096];
    snprintf(file, sizeof file, "%s/%s", path, entries[i]->d_name);
    ok = runner_run_pack(r, file) && ok;
    free(entries[i]);
  }
  free(entries);
  return ok;
}

static bool run_path(runner *r, const char *path) {
  struct stat info;
  char index[4096];
  if (stat(path, &info) != 0) {
    perror(path);
    return false;
  }
  if (!S_ISDIR(info.st_mode)) return runner_run_pack(r, path);
  snprintf(index, sizeof index, "%s/index.tsv", path);
  if (stat(index, &info) == 0) return runner_run_models(r, path);
  return run_folder(r, path);
}

static const char usage[] =
    "Usage: conformance [--quick] [--rows] [--optimised] [--ladder N] [--plans]\n"
    "                   [--verbose] [--only TEXT] PATH...\n"
    "Checks every case of model directories and operator packs under every planner.\n"
    "  --quick      the default planner only\n"
    "  --rows       run each row-capable node again in random spans of scattered rows, all else "
    "poisoned\n"
    "  --optimised  plan each model by rows, and run the file that comes out, streamed and not, "
    "with each\n"
    "               row overwritten as soon as it is dead\n"
    "  --ladder N   start each model in every arena size below its need, where that is at most N "
    "bytes\n"
    "               (larger ones: a spread), and at every base address\n"
    "  --plans      print every plan instead: the same text on every machine\n"
    "  --only TEXT  only cases whose name holds TEXT\n"
    "Exit code: 0 all passed, 1 a case failed, 2 usage, 6 a path can't be read.\n"
    "Example: build/conformance ../shared/models ../shared/opcases/public\n";

int main(int argc, char **argv) {
  runner r = {0};
  bool readable = true;
  int paths = 0;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "--quick") == 0) {
      r.quick = true;
    } else if (strcmp(argv[i], "--rows") == 0) {
      r.rows = true;
    } else if (strcmp(argv[i], "--optimised") == 0) {
      r.optimised = true;
    } else if (strcmp(argv[i], "--ladder") == 0 && i + 1 < argc) {
      r.ladder = (uint32_t)strtoul(argv[++i], NULL, 10);
    } else if (strcmp(argv[i], "--plans") == 0) {
      r.plans = true;
    } else if (strcmp(argv[i], "--verbose") == 0) {
      r.verbose = true;
    } else if (strcmp(argv[i], "--only") == 0 && i + 1 < argc) {
      r.only = argv[++i];
    } else if (argv[i][0] == '-') {
      fputs(usage, strcmp(argv[i], "--help") == 0 ? stdout : stderr);
      return strcmp(argv[i], "--help") == 0 ? 0 : 2;
    } else {
      readable = run_path(&r, argv[i]) && readable;
      paths++;
    }
  }
  if (paths == 0) {
    fputs(usage, stderr);
    return 2;
  }
  if (r.accepted > 0) {
    printf("%u mutated cases were accepted (see docs/operators.md)\n", r.accepted);
  }
  if (r.rows) {
    printf("%u nodes the same by rows; %u run whole, %u keep state\n", r.row_nodes, r.whole_nodes,
           r.stateful_nodes);
  }
  if (r.unplanned > 0) printf("%u variants whose rows can't be planned\n", r.unplanned);
  if (r.ladder > 0) {
    printf("%lu starts tried; %lu failures could not state the whole need\n", r.sizes_tried,
           r.totals_unknown);
  }
  printf("%u passed, %u failed, %u skipped\n", r.passed, r.failed, r.skipped);
  if (r.failed > 0) return 1;
  return readable ? 0 : 6;
}
