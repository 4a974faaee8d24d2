// The ladder of a plan: what each way of planning makes of the same model, and what holds it up.
#ifndef ARENITE_HOST_CLI_LADDER_H
#define ARENITE_HOST_CLI_LADDER_H

#include <cjson/cJSON.h>

#include "host/cli/command.h"

#define CLI_RUNGS 5u

typedef struct cli_rung {
  const char *name;
  uint32_t bytes;          // of the dynamic region
  uint32_t arena_bytes;    // the whole arena; 0: this rung is not run
  uint32_t steps;
  char bound[160];         // what holds it up
  char cost[96];           // what it costs, next to the rung before
} cli_rung;

typedef struct cli_ladder {
  cli_rung rungs[CLI_RUNGS];
  uint32_t count;
} cli_ladder;

// Plans a model in every way, at most options->budget_seconds for each search. Returns an exit
// code; the reason has been printed.
int cli_ladder_climb(const cli_model *model, const cli_options *options, cli_ladder *ladder);

void cli_ladder_print(const cli_ladder *ladder);
void cli_ladder_add(cJSON *object, const cli_ladder *ladder);

#endif
