#include "host/decide/tables.h"

#include <string.h>

#include "host/report/web_assets.h"

static const host_web_asset *find(const char *name) {
  const host_web_asset *a = host_web_assets;
  while (a->name && strcmp(a->name, name) != 0) a++;
  return a->name ? a : NULL;
}

const char *host_table_boards(host_boards *boards) {
  uint32_t line;
  const host_web_asset *a = find("boards.csv");
  if (a == NULL) return "the program was built without boards/boards.csv";
  return host_boards_parse((const char *)a->bytes, a->size, boards, &line);
}

const char *host_table_speeds(host_speeds *speeds) {
  uint32_t line;
  const host_web_asset *a = find("speed.csv");
  if (a == NULL) return "the program was built without boards/speed.csv";
  return host_speeds_parse((const char *)a->bytes, a->size, speeds, &line);
}
