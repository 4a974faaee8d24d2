// What the pictures and tables need of a plan, read from its JSON (docs/schema): that may come from
// this program or from anywhere. Checked when opened: every number is in range, every step and
// index exists, and the whole is small enough to draw.
//
// Addresses count from the start of the arena. A block covers [low, high) over steps first to last,
// both included.
#ifndef ARENITE_HOST_REPORT_VIEW_H
#define ARENITE_HOST_REPORT_VIEW_H

#include <cjson/cJSON.h>
#include <stdbool.h>
#include <stdint.h>

#define HOST_VIEW_NAME 160u  // bytes of a name as it is shown, with the NUL

typedef enum host_kind {
  HOST_KIND_INTERMEDIATE,
  HOST_KIND_INPUT,
  HOST_KIND_OUTPUT,
  HOST_KIND_SCRATCH,
  HOST_KIND_VARIABLE
} host_kind;

typedef struct host_view_tensor {
  char name[HOST_VIEW_NAME];  // clean: one line of UTF-8
  char type[16], role[16], shape[48];
  uint32_t bytes;
  int32_t producer, owner;
} host_view_tensor;

typedef struct host_view_block {
  int32_t tensor;  // -1: scratch
  host_kind kind;
  uint32_t low, high, first, last;
  uint32_t first_row, rows;  // rows 0: the whole tensor
  uint32_t tint;             // 0, 1, 2: blocks that touch have different ones where possible
} host_view_block;

// A gap of less than the alignment below a live block.
typedef struct host_view_gap {
  uint32_t low, high, first, last;
} host_view_gap;

typedef struct host_view_step {
  char op[64];
  int32_t node;  // -1: of none, as where rows of an input arrive
  uint32_t live_bytes, high_water, bound_bytes, scratch_bytes;
  double macs, microseconds;  // microseconds -1: not measured
} host_view_step;

typedef struct host_view {
  char model[HOST_VIEW_NAME], label[HOST_VIEW_NAME], planner[32], engine[32];
  uint32_t arena_bytes, static_bytes, dynamic_bytes, base, bound_bytes, alignment, peak_step;
  uint32_t breakdown[9];  // in the order of host_view_part_name
  double macs, weight_bytes;
  host_view_tensor *tensors;
  host_view_step *steps;
  host_view_block *blocks;  // by first step
  host_view_gap *gaps;
  uint32_t tensor_count, step_count, block_count, gap_count;
} host_view;

#define HOST_VIEW_PARTS 9u
#define HOST_VIEW_INIT_PART 8u  // planning records

// Reads a plan or a profile. Borrows nothing of `plan`. Fails (false): *what is a clause that says
// why, and there is nothing to close.
bool host_view_open(host_view *view, const cJSON *plan, const char **what);
void host_view_close(host_view *view);

// Called for a step with what is alive there: indices of blocks by rising address, without
// variables.
typedef void host_view_visit(void *context, uint32_t step, const uint32_t *live, uint32_t count);

// Visits every step in order. Returns false where there is no memory. O(sum of all lives).
bool host_view_walk(const host_view *view, host_view_visit *visit, void *context);

// Names of the parts of `breakdown`: the field in the JSON, and in words.
const char *host_view_part_field(uint32_t part);
const char *host_view_part_name(uint32_t part);

// What to call a block: the last two parts of its tensor's name, its rows. Written to `text`, which
// has room for HOST_VIEW_NAME + 32 bytes.
const char *host_view_label(const host_view *view, const host_view_block *block, char *text);

#endif
