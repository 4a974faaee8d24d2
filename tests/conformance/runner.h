// The conformance runner: cases from packs and model directories, each under every planner.
#ifndef ARENITE_TESTS_CONFORMANCE_RUNNER_H
#define ARENITE_TESTS_CONFORMANCE_RUNNER_H

#include "host/check/compare.h"
#include "host/check/engine.h"

typedef struct runner {
  unsigned passed, failed, skipped, accepted;
  const char *only;        // substring of the case names to run, or NULL
  bool quick;              // the default planner only
  bool verbose;
  bool rows;               // run nodes again by scattered rows (see host/check/rows_check.h)
  bool optimised;          // optimised files instead, streamed and not, dead rows overwritten
  bool plans;              // print the plan of every model instead
  // > 0: climb the size ladder instead; every size where the need is below this
  uint32_t ladder;
  unsigned row_nodes, whole_nodes, stateful_nodes;
  unsigned unplanned;      // variants whose rows could not be planned
  unsigned long sizes_tried, totals_unknown;
} runner;

// One way to run a case.
typedef struct variant {
  const char *name;
  host_options options;
  bool optimised, streamed;   // the file is optimised first; all inputs and outputs go by rows
  bool typed;                 // with operators for one type each, where they take the model
} variant;

// Returns the number of variants; `list` gets the array.
unsigned runner_variants(const runner *r, const variant **list);

bool runner_wants(const runner *r, const char *name);

// Prints a failure: case, variant, and printf-style words. Returns false.
bool runner_complain(const char *name, const char *how, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// Compares an output tensor; complains and returns false where it differs.
bool runner_check_output(const char *name, const char *how, const char *tensor,
                         const arn_tensor_view *got, const void *want, size_t want_bytes,
                         host_tolerance tolerance);

// Checks every node of an engine that was opened with ARN_KEEP_ALL and invoked. Complains and
// returns false where a node gives other bytes by rows.
bool runner_check_rows(runner *r, const char *name, const host_engine *engine);

// Has the plan of a started engine checked. Complains and returns false where it is not sound.
bool runner_check_plan(const char *name, const char *how, const host_engine *engine);

// Climbs the size ladder with a model. Complains and returns false where a size goes wrong.
bool runner_climb(runner *r, const char *name, const void *bytes, size_t size);

// Prints where everything lies; the same text on every machine. Returns false where it does not
// start.
bool runner_print_plan(const char *name, const void *bytes, size_t size);

void runner_count(runner *r, const char *name, bool passed);

// Runs a pack file (format of opcases) / a model directory. Return false where it can't be read.
bool runner_run_pack(runner *r, const char *path);
bool runner_run_models(runner *r, const char *directory);

#endif
