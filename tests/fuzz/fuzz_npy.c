// Tensors in .npy files: read into a 2x3 int8 tensor, or refused with a sentence.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/io/npy.h"
#include "tests/fuzz/target.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  char path[] = "/tmp/arenite_fuzz_XXXXXX.npy";
  int8_t data[8] = {0, 0, 0, 0, 0, 0, 77, 77};
  const arn_tensor_view tensor = {.data = data, .bytes = 6, .type = ARN_INT8, .rank = 2,
                                  .dims = {2, 3}};
  const int handle = mkstemps(path, 4);
  if (handle < 0 || write(handle, bytes, size) != (ssize_t)size) abort();
  close(handle);
  const char *wrong = host_tensor_read(path, &tensor);
  unlink(path);
  if (data[6] != 77 || data[7] != 77 || (wrong && wrong[0] == '\0')) abort();
  return 0;
}
