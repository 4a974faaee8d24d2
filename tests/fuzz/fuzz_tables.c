// Tables in text: boards, speeds, checksums; and plans that are compared. Each is refused with a
// reason, or can be asked.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/decide/boards.h"
#include "host/decide/compare.h"
#include "host/decide/layers.h"
#include "tests/fuzz/target.h"

static void require(bool holds, const char *what) {
  if (holds) return;
  fprintf(stderr, "%s\n", what);
  abort();
}

static void ask_boards(const char *text, size_t size) {
  host_boards boards;
  uint32_t line = 0;
  const char *wrong = host_boards_parse(text, size, &boards, &line);
  if (wrong) {
    require(boards.list == NULL && wrong[0] != '\0', "refused without a reason, or with a table");
    return;
  }
  require(boards.count > 0 && line > 0, "a table without a board");
  for (uint32_t i = 0; i < boards.count; i++) {
    const host_board *board = &boards.list[i];
    const int region = host_board_region_for(board, 1);
    require(region == 0 && host_board_ram(board) > 0, "a board without RAM");
    require(host_board_find(&boards, board->name) != NULL, "a board that is not found");
  }
  host_boards_free(&boards);
}

static void ask_speeds(const char *text, size_t size) {
  host_speeds speeds;
  uint32_t line = 0;
  bool own;
  if (host_speeds_parse(text, size, &speeds, &line)) return;
  (void)host_speed_for(&speeds, "cortex-m4f", &own);
}

static void ask_reference(const char *text) {
  host_reference reference;
  uint32_t line = 0;
  if (host_reference_parse(text, &reference, &line)) return;
  for (uint32_t i = 0; i < reference.count; i++) {
    const host_reference_line *l = &reference.lines[i];
    require(host_reference_find(&reference, l->invocation, l->subgraph, l->tensor) != NULL,
            "a line that is not found");
  }
  host_reference_free(&reference);
}

static void ask_plan(const char *text, size_t size) {
  host_comparison c;
  cJSON *plan = cJSON_ParseWithLength(text, size);
  if (plan && host_compare_plans(&c, plan, plan)) {
    require(c.change_count == 0, "a plan that differs from itself");
    host_comparison_free(&c);
  }
  (void)host_plan_is_known(plan);
  cJSON_Delete(plan);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  char *text = malloc(size + 1);
  if (text == NULL) return 0;
  if (size > 0) memcpy(text, bytes, size);
  text[size] = '\0';
  ask_boards(text, size);
  ask_speeds(text, size);
  ask_reference(text);
  ask_plan(text, size);
  free(text);
  return 0;
}
