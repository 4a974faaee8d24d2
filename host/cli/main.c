// arenite COMMAND ...: see `arenite --help`.
#include <stdio.h>
#include <string.h>

#include "host/cli/command.h"
#include "host/cli/commands.def"
#include "host/cli/gate.h"
#include "host/search/pack.h"

static const cli_command commands[] = {
#define COMMAND(name, run, summary) {name, summary, run},
    CLI_COMMANDS(COMMAND)
#undef COMMAND
};

#define COMMAND_COUNT (sizeof commands / sizeof commands[0])

static int help(FILE *out, int code) {
  fprintf(out,
          "arenite %s: TFLite models in one arena: what is in it, how small it can be.\n"
          "Usage: arenite COMMAND [OPTIONS] MODEL.tflite\n\nCommands:\n", ARN_VERSION);
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    fprintf(out, "  %-10s %s\n", commands[i].name, commands[i].summary);
  }
  fprintf(out,
          "\n`arenite COMMAND --help` says more. Every command that plans an arena is a gate for "
          "CI with\n"
          "--max-arena BYTES, and --max-growth PERCENT --baseline FILE-OR-BYTES: exit code 1 "
          "above it.\n"
          "Exit codes: 0 ok, 1 a check failed, 2 usage, 3 bad model, 4 unsupported, 5 arena too "
          "small,\n"
          "6 I/O, 70 internal.\nExample: arenite plan person_detect.tflite\n");
  return code;
}

static int run(const cli_command *command, int argc, char **argv) {
  cli_gate gate;
  int code = cli_gate_take(&gate, &argc, argv);
  if (code == EXIT_OK) code = command->run(argc, argv);
  if (code == EXIT_OK) code = cli_gate_judge(&gate, argv[argc - 1]);
  if (fflush(stdout) != 0) return cli_fail(EXIT_IO, "the output can't be written");
  return code;
}

int main(int argc, char **argv) {
  if (argc < 2) return help(stderr, EXIT_USAGE);
  if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) return help(stdout, EXIT_OK);
  if (strcmp(argv[1], "--version") == 0) {
    printf("arenite %s\n", ARN_VERSION);
    return EXIT_OK;
  }
  for (size_t i = 0; i < COMMAND_COUNT; i++) {
    if (strcmp(argv[1], commands[i].name) != 0) continue;
    return run(&commands[i], argc - 1, argv + 1);
  }
  return cli_fail(EXIT_USAGE, "\"%s\" is no command; `arenite --help` lists them", argv[1]);
}
