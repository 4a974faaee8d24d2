// Packing problems: a file is refused with a reason, or what is read survives being written and
// read again.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/search/pack_csv.h"
#include "tests/fuzz/target.h"

static void require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static void read_again(const pack_csv *csv) {
  char *text = NULL;
  size_t size = 0;
  FILE *file = open_memstream(&text, &size);
  pack_csv again;
  pack_csv_error error;
  require(file && arn__csv_write(csv, csv->offsets, file) && fclose(file) == 0, "not written");
  require(arn__csv_parse(&again, text, size, &error), "what was written cannot be read");
  require(again.count == csv->count, "another count");
  require(csv->count == 0 ||
              memcmp(again.offsets, csv->offsets, csv->count * sizeof *csv->offsets) == 0,
          "other offsets");
  arn__csv_free(&again);
  free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  pack_csv csv;
  pack_csv_error error = {0};
  if (arn__csv_parse(&csv, (const char *)bytes, size, &error)) {
    read_again(&csv);
    arn__csv_free(&csv);
  } else {
    require(error.what[0] != '\0', "refused without a reason");
  }
  return 0;
}
