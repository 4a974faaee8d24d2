// Gates: --max-arena BYTES and --max-growth PERCENT, understood by every command that plans an
// arena. They are taken off the command line before the command sees it, and judged when it has
// done its work.
#ifndef ARENITE_HOST_CLI_GATE_H
#define ARENITE_HOST_CLI_GATE_H

#include "host/cli/command.h"

typedef struct cli_gate {
  bool has_arena, has_growth;
  uint32_t max_arena;
  double max_growth;         // per cent
  const char *baseline;      // a file, or a number of bytes; NULL: the first plan of the command
} cli_gate;

// Takes the options of gates out of argv. Returns an exit code; the reason has been printed.
int cli_gate_take(cli_gate *gate, int *argc, char **argv);

// Commands say which arenas they planned. The last one is judged; without a baseline, growth counts
// from the first.
void cli_gate_note(uint32_t arena_bytes);

// Judges: 1 where a limit is passed, with a sentence on stderr. `path` is measured where the
// command planned nothing.
int cli_gate_judge(const cli_gate *gate, const char *path);

#endif
