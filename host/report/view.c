#include "host/report/view.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/report/utf8.h"
#include "host/report/view_walk.h"

#define MOST_ITEMS 1000000     // tensors, steps, blocks
#define MOST_LIVES 64000000.0  // blocks x steps

static const struct {
  const char *field, *name;
} parts[HOST_VIEW_PARTS] = {{"tensor_data", "tensor data at the peak"},
                            {"scratch", "scratch at the peak"},
                            {"alignment_padding", "alignment padding"},
                            {"unused", "holes of the packing"},
                            {"engine_records", "engine records"},
                            {"op_data", "prepared operator data"},
                            {"variables", "variables"},
                            {"weights_copied", "weights copied"},
                            {"init_temporary", "planning, while starting"}};

const char *host_view_part_field(uint32_t part) { return parts[part].field; }

const char *host_view_part_name(uint32_t part) { return parts[part].name; }

// The first thing that is wrong stops everything: `what` is kept, and all further reads give 0.
struct reader {
  host_view *view;
  const char *what;
};

static void complain(struct reader *r, const char *what) {
  if (r->what == NULL) r->what = what;
}

static double number_in(struct reader *r, const cJSON *object, const char *name, double least,
                        double most) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  if (!cJSON_IsNumber(item)) {
    complain(r, "a number is missing");
    return 0;
  }
  const double value = item->valuedouble;
  if (!(value >= least && value <= most) || value != floor(value)) {
    complain(r, "a number is out of range");
    return 0;
  }
  return value;
}

static uint32_t count_in(struct reader *r, const cJSON *object, const char *name) {
  return (uint32_t)number_in(r, object, name, 0, UINT32_MAX);
}

static int32_t index_in(struct reader *r, const cJSON *object, const char *name) {
  return (int32_t)number_in(r, object, name, -1, MOST_ITEMS);
}

static void text_in(struct reader *r, const cJSON *object, const char *name, char *to,
                    size_t size) {
  const cJSON *item = cJSON_GetObjectItemCaseSensitive(object, name);
  if (!cJSON_IsString(item)) complain(r, "a text is missing");
  snprintf(to, size, "%s", cJSON_IsString(item) ? item->valuestring : "");
  host_utf8_clean(to);
}

static const cJSON *list_in(struct reader *r, const cJSON *object, const char *name) {
  const cJSON *list = cJSON_GetObjectItemCaseSensitive(object, name);
  if (!cJSON_IsArray(list)) complain(r, "a list is missing");
  return cJSON_IsArray(list) ? list : NULL;
}

// Returns zeroed room for the items of a list, and their number.
static void *room_for(struct reader *r, const cJSON *list, size_t size, uint32_t *count) {
  const int items = list ? cJSON_GetArraySize(list) : 0;
  if (items > MOST_ITEMS) complain(r, "a list is too long");
  *count = r->what == NULL && items <= MOST_ITEMS ? (uint32_t)items : 0;
  void *room = calloc(*count + 1u, size);
  if (room == NULL) complain(r, "out of host memory");
  if (room == NULL) *count = 0;
  return room;
}

// ---- tensors and blocks -------------------------------------------------------------------------

static void read_shape(struct reader *r, const cJSON *item, host_view_tensor *t) {
  size_t used = 0;
  const cJSON *dim;
  cJSON_ArrayForEach(dim, list_in(r, item, "shape")) {
    const double value = cJSON_IsNumber(dim) ? dim->valuedouble : -1;
    if (!(value >= INT32_MIN && value <= INT32_MAX)) complain(r, "a shape is no shape");
    if (r->what != NULL || used >= sizeof t->shape) break;
    used +=
        (size_t)snprintf(t->shape + used, sizeof t->shape - used, used ? "x%d" : "%d", (int)value);
  }
  if (used == 0) snprintf(t->shape, sizeof t->shape, "scalar");
}

static host_kind kind_of(const char *role) {
  if (strcmp(role, "input") == 0) return HOST_KIND_INPUT;
  if (strcmp(role, "output") == 0) return HOST_KIND_OUTPUT;
  return HOST_KIND_INTERMEDIATE;
}

static void add_block(struct reader *r, host_view_block block, uint32_t offset, uint32_t bytes) {
  host_view *v = r->view;
  const uint64_t low = (uint64_t)v->base + offset, high = low + bytes;
  if (high > UINT32_MAX) complain(r, "a block ends behind 4 GiB");
  const bool exists = block.first <= block.last && block.last < v->step_count;
  if (!exists) complain(r, "a life has no such step");
  if (v->block_count >= MOST_ITEMS) complain(r, "there are too many blocks");
  if (r->what != NULL || bytes == 0) return;
  if ((v->block_count & (v->block_count + 1)) == 0) {  // room is a power of two
    void *more = realloc(v->blocks, (2u * v->block_count + 2u) * sizeof *v->blocks);
    if (more == NULL) {
      complain(r, "out of host memory");
      return;
    }
    v->blocks = more;
  }
  block.low = (uint32_t)low;
  block.high = (uint32_t)high;
  v->blocks[v->block_count++] = block;
}

static void read_groups(struct reader *r, const cJSON *item, host_view_block block) {
  const cJSON *group;
  cJSON_ArrayForEach(group, list_in(r, item, "row_groups")) {
    block.first = count_in(r, group, "first_step");
    block.last = count_in(r, group, "last_step");
    block.first_row = count_in(r, group, "first_row");
    block.rows = count_in(r, group, "rows");
    add_block(r, block, count_in(r, group, "offset"), count_in(r, group, "bytes"));
    if (r->what != NULL) return;
  }
}

static void read_variable(struct reader *r, const host_view_tensor *t, uint32_t offset,
                          int32_t index) {
  host_view *v = r->view;
  const uint32_t base = v->base;
  const host_view_block block = {
      .tensor = index, .kind = HOST_KIND_VARIABLE, .last = v->step_count ? v->step_count - 1 : 0};
  v->base = 0;  // static offsets count from the arena's start
  if (v->step_count > 0) add_block(r, block, offset, t->bytes);
  v->base = base;
}

static void read_tensor(struct reader *r, const cJSON *item, int32_t index) {
  host_view_tensor *t = &r->view->tensors[index];
  char region[16];
  text_in(r, item, "name", t->name, sizeof t->name);
  text_in(r, item, "type", t->type, sizeof t->type);
  text_in(r, item, "role", t->role, sizeof t->role);
  text_in(r, item, "region", region, sizeof region);
  read_shape(r, item, t);
  t->producer = index_in(r, item, "producer");
  t->owner = index_in(r, item, "owner");
  const int32_t first = index_in(r, item, "first_step"), last = index_in(r, item, "last_step");
  t->bytes = count_in(r, item, "bytes");
  const uint32_t offset = count_in(r, item, "offset");
  if (strcmp(region, "static") == 0) read_variable(r, t, offset, index);
  if (t->owner >= 0 && t->owner != index) return;  // a view
  const host_view_block block = {
      .tensor = index, .kind = kind_of(t->role), .first = (uint32_t)first, .last = (uint32_t)last};
  const bool placed = strcmp(region, "dynamic") == 0 || strcmp(region, "rows") == 0;
  if (cJSON_HasObjectItem(item, "row_groups")) read_groups(r, item, block);
  else if (placed && first >= 0) add_block(r, block, offset, t->bytes);
}

static void read_tensors(struct reader *r, const cJSON *plan) {
  host_view *v = r->view;
  const cJSON *list = list_in(r, plan, "tensors"), *item;
  int32_t index = 0;
  v->tensors = room_for(r, list, sizeof *v->tensors, &v->tensor_count);
  cJSON_ArrayForEach(item, list) {
    if (r->what != NULL) return;
    read_tensor(r, item, index++);
  }
}

// ---- steps --------------------------------------------------------------------------------------

static void read_step(struct reader *r, const cJSON *item, uint32_t n) {
  host_view_step *s = &r->view->steps[n];
  const cJSON *us = cJSON_GetObjectItemCaseSensitive(item, "microseconds");
  text_in(r, item, "op", s->op, sizeof s->op);
  s->node = index_in(r, item, "node");
  s->live_bytes = count_in(r, item, "live_bytes");
  s->high_water = count_in(r, item, "high_water");
  s->bound_bytes = count_in(r, item, "bound_bytes");
  s->scratch_bytes = count_in(r, item, "scratch_bytes");
  s->macs = number_in(r, item, "macs", 0, 9e15);
  s->microseconds =
      cJSON_IsNumber(us) && us->valuedouble >= 0 && us->valuedouble < 1e12 ? us->valuedouble : -1;
  const host_view_block block = {.tensor = -1, .kind = HOST_KIND_SCRATCH, .first = n, .last = n};
  add_block(r, block, count_in(r, item, "scratch_offset"), s->scratch_bytes);
}

static void read_steps(struct reader *r, const cJSON *plan) {
  host_view *v = r->view;
  const cJSON *list = list_in(r, plan, "steps"), *item;
  uint32_t n = 0;
  v->steps = room_for(r, list, sizeof *v->steps, &v->step_count);
  cJSON_ArrayForEach(item, list) {
    if (r->what != NULL) return;
    read_step(r, item, n++);
  }
}

// Accumulators of nodes that fold rows, alive from the node's first step to its last.
static void read_accumulators(struct reader *r, const cJSON *plan) {
  const cJSON *item;
  if (!cJSON_HasObjectItem(plan, "accumulators")) return;
  cJSON_ArrayForEach(item, list_in(r, plan, "accumulators")) {
    const host_view_block block = {.tensor = -1,
                                   .kind = HOST_KIND_SCRATCH,
                                   .first = count_in(r, item, "first_step"),
                                   .last = count_in(r, item, "last_step")};
    add_block(r, block, count_in(r, item, "offset"), count_in(r, item, "bytes"));
    if (r->what != NULL) return;
  }
}

static void read_totals(struct reader *r, const cJSON *plan) {
  host_view *v = r->view;
  const cJSON *breakdown = cJSON_GetObjectItemCaseSensitive(plan, "breakdown");
  text_in(r, plan, "model", v->model, sizeof v->model);
  text_in(r, plan, "engine", v->engine, sizeof v->engine);
  text_in(r, plan, "planner", v->planner, sizeof v->planner);
  snprintf(v->label, sizeof v->label, "%s", v->planner);
  if (cJSON_HasObjectItem(plan, "label")) text_in(r, plan, "label", v->label, sizeof v->label);
  v->arena_bytes = count_in(r, plan, "arena_bytes");
  v->static_bytes = count_in(r, plan, "static_bytes");
  v->dynamic_bytes = count_in(r, plan, "dynamic_peak_bytes");
  v->base = count_in(r, plan, "peak_offset");
  v->bound_bytes = count_in(r, plan, "lower_bound_bytes");
  v->alignment = (uint32_t)number_in(r, plan, "alignment", 1, 4096);
  v->peak_step = count_in(r, plan, "peak_step");
  v->macs = number_in(r, plan, "macs", 0, 9e15);
  v->weight_bytes = number_in(r, plan, "weight_bytes", 0, 9e15);
  for (uint32_t i = 0; i < HOST_VIEW_PARTS; i++) {
    v->breakdown[i] = count_in(r, breakdown, parts[i].field);
  }
}

// ---- all of it ----------------------------------------------------------------------------------

static int by_first_step(const void *a, const void *b) {
  const host_view_block *x = a, *y = b;
  if (x->first != y->first) return x->first < y->first ? -1 : 1;
  if (x->low != y->low) return x->low < y->low ? -1 : 1;
  return x->tensor < y->tensor ? -1 : x->tensor > y->tensor;
}

static void check_whole(struct reader *r) {
  const host_view *v = r->view;
  double lives = 0;
  for (uint32_t i = 0; i < v->block_count; i++) {
    lives += v->blocks[i].last - v->blocks[i].first + 1.0;
  }
  if (lives > MOST_LIVES) complain(r, "it is too large to draw");
  if (v->peak_step >= v->step_count && v->step_count > 0) complain(r, "the peak is at no step");
  for (uint32_t i = 0; i < v->tensor_count; i++) {
    const host_view_tensor *t = &v->tensors[i];
    if (t->owner >= (int32_t)v->tensor_count) complain(r, "an owner is no tensor");
  }
}

bool host_view_open(host_view *v, const cJSON *plan, const char **what) {
  struct reader r = {v, NULL};
  memset(v, 0, sizeof *v);
  read_totals(&r, plan);
  if (r.what == NULL) {
    const cJSON *steps = list_in(&r, plan, "steps");
    v->step_count = steps ? (uint32_t)cJSON_GetArraySize(steps) : 0;
  }
  if (r.what == NULL) read_steps(&r, plan);
  if (r.what == NULL) read_accumulators(&r, plan);
  if (r.what == NULL) read_tensors(&r, plan);
  if (r.what == NULL) check_whole(&r);
  if (r.what == NULL) {
    if (v->block_count > 0) qsort(v->blocks, v->block_count, sizeof *v->blocks, by_first_step);
    if (!host_view_find_gaps(v) || !host_view_choose_tints(v)) complain(&r, "out of host memory");
  }
  if (r.what == NULL) return true;
  *what = r.what;
  host_view_close(v);
  return false;
}

void host_view_close(host_view *v) {
  free(v->tensors);
  free(v->steps);
  free(v->blocks);
  free(v->gaps);
  memset(v, 0, sizeof *v);
}

const char *host_view_label(const host_view *v, const host_view_block *b, char *text) {
  const size_t size = HOST_VIEW_NAME + 32u;
  if (b->tensor < 0) {
    snprintf(text, size, "scratch");
    return text;
  }
  char name[HOST_VIEW_NAME];
  snprintf(name, sizeof name, "%s", v->tensors[b->tensor].name);
  name[strcspn(name, ";")] = '\0';
  const char *from = name, *slash = strrchr(name, '/');
  for (const char *at = name; slash != NULL && at < slash; at++) {
    if (*at == '/') from = at + 1;  // the last two parts of a path
  }
  if (b->rows == 1) {
    snprintf(text, size, "%s row %u", from, b->first_row);
  } else if (b->rows > 1) {
    snprintf(text, size, "%s rows %u-%u", from, b->first_row, b->first_row + b->rows - 1);
  } else {
    snprintf(text, size, "%s", *from ? from : "(no name)");
  }
  return text;
}
