// Models: every file gets a status and a message. An input is the file.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/hostile.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  hostile_counts counts = {0};
  void *copy = NULL;
  if (posix_memalign(&copy, 16, size ? size : 1) != 0) return 0;
  if (size > 0) memcpy(copy, bytes, size);
  const char *wrong = hostile_try(&counts, copy, size);
  free(copy);
  if (wrong == NULL) return 0;
  fprintf(stderr, "%s\n", wrong);
  abort();
}
