// What all commands share: exit codes, loading a model, errors as one sentence, planner options.
#ifndef ARENITE_HOST_CLI_COMMAND_H
#define ARENITE_HOST_CLI_COMMAND_H

#include "arenite/arenite.h"
#include "host/check/engine.h"
#include "host/search/rowgraph.h"

enum {
  EXIT_OK = 0,
  EXIT_CHECK = 1,        // a check failed: measured is not planned, a gate
  EXIT_USAGE = 2,
  EXIT_MODEL = 3,        // the file is broken
  EXIT_UNSUPPORTED = 4,  // valid, but not something that runs here
  EXIT_ARENA = 5,        // the arena is too small
  EXIT_IO = 6,
  EXIT_INTERNAL = 70,
};

// A command: `name` in argv[0], its own arguments behind.
typedef struct cli_command {
  const char *name, *summary;
  int (*run)(int argc, char **argv);
} cli_command;

int cli_inspect(int argc, char **argv);
int cli_plan(int argc, char **argv);
int cli_run(int argc, char **argv);
int cli_profile(int argc, char **argv);
int cli_report(int argc, char **argv);
int cli_optimize(int argc, char **argv);
int cli_trace(int argc, char **argv);
int cli_compare(int argc, char **argv);
int cli_fit(int argc, char **argv);
int cli_diagnose(int argc, char **argv);
int cli_explain(int argc, char **argv);

// A model file in memory.
typedef struct cli_model {
  const char *path;
  void *bytes;
  size_t size;
  arn_model model;
} cli_model;

// Reads and opens a model. Returns an exit code; the reason has been printed.
int cli_load(cli_model *m, const char *path);
void cli_unload(cli_model *m);

// Prints `error` as one sentence that names the file, the node, the tensor and the next step;
// returns the exit code for it.
int cli_complain(const cli_model *m, const arn_error *error);

// The tool registers every operator there is: one that is not registered does not exist here.
void cli_say_not_supported(arn_error *error);

// Prints a sentence to stderr and returns `code`.
int cli_fail(int code, const char *format, ...) __attribute__((format(printf, 2, 3)));

// Parses a number of bytes ("65536", "64K", "1M", "0x10000"). Returns false where it is none, or
// above 1 GiB.
bool cli_parse_bytes(const char *text, uint32_t *bytes);

// Parses a decimal number in [least, most].
bool cli_parse_number(const char *text, uint32_t least, uint32_t most, uint32_t *number);

struct option;  // of getopt.h

// How a command takes its options. `take` gets the request and an option's short name, its argument
// in optarg, and says whether that is one; "help" is 'h' and is not handed to it.
typedef struct cli_parser {
  const char *name, *usage;
  const struct option *options;
  bool (*take)(void *request, int option);
} cli_parser;

// Takes all options; optind is then that of the first other argument. Returns EXIT_OK; -1 where
// help was asked for and printed; EXIT_USAGE, the reason on stderr.
int cli_parse_options(int argc, char **argv, const cli_parser *parser, void *request);

// The planner "rows": not one of the engine's; the model is optimised in memory before it starts.
#define CLI_PLANNER_ROWS 100u

// Parses a planner's name: an arn_planner, or CLI_PLANNER_ROWS.
bool cli_parse_planner(const char *text, uint8_t *planner);

// Options that several commands take.
typedef struct cli_options {
  const char *path;
  bool json;
  uint8_t planner, flags;
  uint32_t alignment, arena_bytes;
  uint32_t dynamic_bytes;     // of a block of its own for the dynamic region; 0: none
  uint32_t budget_seconds;    // of CLI_PLANNER_ROWS; 0: 10
  host_stream_wish stream;    // likewise
  bool wish_only;             // what can't be streamed is no error
} cli_options;

// Parses "--stream-input N" / "--stream-output N": sets bit N, and the planner to CLI_PLANNER_ROWS.
bool cli_parse_stream(const char *text, cli_options *options, bool is_input);

// Says whether a started engine streams all that was wished for: EXIT_OK, or why not, printed.
int cli_check_streams(const cli_model *m, host_stream_wish wish, const host_engine *engine);

// Starts an engine as the options say. Returns an exit code; the reason has been printed.
int cli_start(const cli_model *m, const cli_options *options, const arn_hooks *hooks,
              host_engine *engine);

#endif
