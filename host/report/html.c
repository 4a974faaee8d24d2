// The page: host/report/web/report.html with "@@name@@" replaced by the asset of that name, and
// "@@data@@" by the JSON.
#include <string.h>

#include "host/report/pictures.h"
#include "host/report/web_assets.h"

// In JSON '<' stands in strings only. Escaped, nothing in the data can end the script element.
static void put_json(FILE *out, const char *json) {
  while (*json != '\0') {
    const size_t plain = strcspn(json, "<");
    fwrite(json, 1, plain, out);
    json += plain;
    if (*json == '\0') break;
    fputs("\\u003c", out);
    json++;
  }
}

static const host_web_asset *find_asset(const char *name, size_t length) {
  for (const host_web_asset *asset = host_web_assets; asset->name != NULL; asset++) {
    if (strlen(asset->name) == length && memcmp(asset->name, name, length) == 0) return asset;
  }
  return NULL;
}

static void put_named(FILE *out, const char *name, size_t length, const char *json) {
  const host_web_asset *asset = find_asset(name, length);
  if (asset != NULL) {
    fwrite(asset->bytes, 1, asset->size, out);
  } else if (length == 4 && memcmp(name, "data", 4) == 0) {
    put_json(out, json);
  }
}

void host_html_write(FILE *out, const char *json) {
  const host_web_asset *page = find_asset("report.html", strlen("report.html"));
  const char *at = (const char *)page->bytes;  // a NUL lies behind the last byte
  for (;;) {
    const char *mark = strstr(at, "@@"), *end = mark ? strstr(mark + 2, "@@") : NULL;
    if (end == NULL) break;
    fwrite(at, 1, (size_t)(mark - at), out);
    put_named(out, mark + 2, (size_t)(end - mark - 2), json);
    at = end + 2;
  }
  fputs(at, out);
}
