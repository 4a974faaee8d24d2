// Plans in JSON: a file is refused with a reason, or it is drawn in every form without an end.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/report/document.h"
#include "host/report/pictures.h"
#include "tests/fuzz/target.h"

#define MOST_STEPS 4096u  // of a plan that is drawn here: larger ones are slow with sanitizers

static void require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static void draw(const host_document *d, const host_view *views, uint32_t count) {
  char *text = NULL, *json = host_document_print(d, false);
  size_t size = 0;
  FILE *out = open_memstream(&text, &size);
  require(out != NULL && json != NULL, "no memory");
  host_html_write(out, json);
  host_svg_write(out, views, count);
  host_term_write(out, views, count, true);
  host_trace_write(out, views, count);
  host_massif_write(out, &views[0]);
  host_markdown_write(out, views, count);
  host_csv_write(out, &views[0]);
  require(fclose(out) == 0 && size > 0, "nothing is drawn");
  free(text);
  free(json);
}

static void open_and_draw(const host_document *d) {
  host_view views[HOST_DOCUMENT_PLANS];
  uint32_t count;
  const char *what = "";
  if (!host_document_views(d, views, &count, &what)) {
    require(what[0] != '\0', "refused without a reason");
    return;
  }
  bool small = true;
  for (uint32_t i = 0; i < count; i++) small = small && views[i].step_count < MOST_STEPS;
  if (small) draw(d, views, count);
  while (count > 0) host_view_close(&views[--count]);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  host_document d;
  const char *what = "";
  require(host_document_open(&d), "no memory");
  if (host_document_parse(&d, (const char *)bytes, size, &what)) {
    host_document_label(&d);
    open_and_draw(&d);
  } else {
    require(what[0] != '\0', "refused without a reason");
  }
  host_document_close(&d);
  return 0;
}
