// Runs a fuzz target over the files named: TARGET FILE...
#include <stdio.h>
#include <stdlib.h>

#include "host/check/engine.h"
#include "tests/fuzz/target.h"

int main(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    size_t size;
    uint8_t *bytes = host_read_file(argv[i], &size);
    if (bytes == NULL) {
      perror(argv[i]);
      return 6;
    }
    LLVMFuzzerTestOneInput(bytes, size);
    free(bytes);
  }
  printf("%d passed, 0 failed\n", argc - 1);
  return argc > 1 ? 0 : 1;
}
