// main() of a bare machine: hands the command line to the conformance runner.
#include <stdio.h>
#include <stdlib.h>

#include "ports/libc/files.h"

#define MAX_WORDS 32

int conformance_main(int argc, char **argv);
int main(void);

int main(void) {
  char *words[MAX_WORDS + 1] = {NULL};
  const int count = port_arguments(words, MAX_WORDS);
  exit(conformance_main(count, words));
}
