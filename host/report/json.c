#include "host/report/json.h"

#include <stdio.h>
#include <stdlib.h>

#include "host/report/utf8.h"

cJSON *host_json_new(const char *schema, int version, const char *model) {
  cJSON *object = cJSON_CreateObject();
  cJSON_AddStringToObject(object, "schema", schema);
  cJSON_AddNumberToObject(object, "version", version);
  cJSON_AddStringToObject(object, "model", model);
  cJSON_AddStringToObject(object, "engine", ARN_VERSION);
  return object;
}

static void add_number(cJSON *object, const char *name, double value) {
  cJSON_AddNumberToObject(object, name, value);
}

cJSON *host_json_tensor(const arn_model *model, const arn_tensor *t, const char *name) {
  cJSON *object = cJSON_CreateObject();
  cJSON *shape = cJSON_AddArrayToObject(object, "shape");
  for (uint32_t i = 0; i < t->rank; i++) {
    cJSON_AddItemToArray(shape, cJSON_CreateNumber(t->dims[i]));
  }
  add_number(object, "index", t->index);
  cJSON_AddStringToObject(object, "name", name);
  cJSON_AddStringToObject(object, "type", arn_type_name((arn_type)t->type));
  add_number(object, "bytes", t->flags & ARN_TENSOR_CONST ? t->data_bytes : t->bytes);
  if (t->scale_count > 0) {
    add_number(object, "scale", (double)arn_tensor_scale(model, t, 0));
    add_number(object, "zero_point", (double)arn_tensor_zero(model, t, 0));
    add_number(object, "channels_quantised", t->scale_count);
  }
  return object;
}

static const char *role_name(host_role role) {
  static const char *const names[] = {"intermediate", "input", "output", "constant", "variable",
                                      "unused"};
  return names[role];
}

static const char *region_name(arn_region region) {
  static const char *const names[] = {"none", "dynamic", "static", "file", "rows"};
  return names[region];
}

static void add_groups(cJSON *object, const host_facts *f, const host_tensor_fact *t) {
  cJSON *list = cJSON_AddArrayToObject(object, "row_groups");
  for (uint32_t k = t->first_group; k < t->first_group + t->group_count; k++) {
    const host_group_fact *g = &f->groups[k];
    cJSON *item = cJSON_CreateObject();
    add_number(item, "first_row", g->first_row);
    add_number(item, "rows", g->rows);
    add_number(item, "offset", g->offset);
    add_number(item, "bytes", g->bytes);
    add_number(item, "first_step", g->first);
    add_number(item, "last_step", g->last);
    cJSON_AddItemToArray(list, item);
  }
}

static void add_tensors(cJSON *object, const host_facts *f) {
  cJSON *list = cJSON_AddArrayToObject(object, "tensors");
  for (uint32_t i = 0; i < f->tensor_count; i++) {
    const host_tensor_fact *t = &f->tensors[i];
    cJSON *item = host_json_tensor(f->nn->model, &t->tensor, t->name);
    cJSON_AddStringToObject(item, "role", role_name(t->role));
    cJSON_AddStringToObject(item, "region", region_name(t->place.region));
    add_number(item, "offset", t->place.offset);
    add_number(item, "first_step", t->first);
    add_number(item, "last_step", t->last);
    add_number(item, "producer", t->producer);
    add_number(item, "owner", t->owner);
    add_number(item, "rows", t->rows);
    if (t->group_count > 1) add_groups(item, f, t);
    cJSON_AddItemToArray(list, item);
  }
}

static void add_live(cJSON *item, const host_facts *f, uint32_t step, host_block *blocks) {
  cJSON *live = cJSON_AddArrayToObject(item, "live");
  const uint32_t count = host_facts_live(f, step, blocks);
  for (uint32_t i = 0; i < count; i++) {
    bool seen = blocks[i].tensor < 0;
    for (uint32_t k = 0; k < i && !seen; k++) seen = blocks[k].tensor == blocks[i].tensor;
    if (!seen) cJSON_AddItemToArray(live, cJSON_CreateNumber(blocks[i].tensor));
  }
}

static void add_steps(cJSON *object, const host_facts *f) {
  cJSON *list = cJSON_AddArrayToObject(object, "steps");
  host_block *blocks = host_facts_blocks(f);
  for (uint32_t n = 0; n < f->step_count && blocks; n++) {
    const host_step_fact *s = &f->steps[n];
    cJSON *item = cJSON_CreateObject();
    add_number(item, "step", n);
    add_number(item, "node", s->node == UINT32_MAX ? -1.0 : s->node);
    cJSON_AddStringToObject(item, "op", s->op);
    add_number(item, "first_row", s->first_row);
    add_number(item, "rows", s->rows);
    cJSON_AddBoolToObject(item, "by_rows", s->memory.by_rows);
    cJSON_AddBoolToObject(item, "in_place", s->in_place);
    cJSON_AddBoolToObject(item, "skipped", s->memory.skipped);
    add_number(item, "macs", (double)s->macs);
    add_number(item, "live_bytes", s->live_bytes);
    add_number(item, "high_water", s->high_water);
    add_number(item, "bound_bytes", s->bound_bytes);
    add_number(item, "scratch_bytes", s->memory.scratch_bytes);
    add_number(item, "scratch_offset", s->memory.scratch_bytes ? s->memory.scratch_offset : 0);
    add_number(item, "state_bytes", s->memory.state_bytes);
    add_live(item, f, n, blocks);
    cJSON_AddItemToArray(list, item);
  }
  free(blocks);
}

static void add_breakdown(cJSON *object, const host_breakdown *b) {
  cJSON *item = cJSON_AddObjectToObject(object, "breakdown");
  add_number(item, "tensor_data", b->tensor_data);
  add_number(item, "alignment_padding", b->alignment_padding);
  add_number(item, "engine_records", b->engine_records);
  add_number(item, "op_data", b->op_data);
  add_number(item, "scratch", b->scratch);
  add_number(item, "variables", b->variables);
  add_number(item, "weights_copied", b->weights_copied);
  add_number(item, "init_temporary", b->init_temporary);
  add_number(item, "unused", b->unused);
}

void host_json_add_plan(cJSON *object, const host_facts *f) {
  const arn_usage *u = &f->usage;
  static const char *const planners[] = {"auto", "greedy", "lifetime", "colour", "id", "offline"};
  const char *planner = f->by_row_plan ? "rows" : planners[f->nn->config.planner];
  cJSON_AddStringToObject(object, "planner", planner);
  add_number(object, "alignment", f->nn->config.alignment);
  add_number(object, "arena_bytes", u->arena_bytes);
  add_number(object, "static_bytes", u->static_bytes);
  add_number(object, "dynamic_peak_bytes", u->dynamic_bytes);
  add_number(object, "dynamic_block_bytes", u->dynamic_block_bytes);
  add_number(object, "peak_offset", u->peak_offset);
  add_number(object, "peak_step", f->peak_step);
  add_number(object, "lower_bound_bytes", f->bound_bytes);
  add_number(object, "macs", (double)f->macs);
  add_number(object, "weight_bytes", (double)f->weight_bytes);
  add_breakdown(object, &f->breakdown);
  add_tensors(object, f);
  host_json_add_nodes(object, f);
  host_json_add_accumulators(object, f);
  add_steps(object, f);
}

bool host_json_print(cJSON *object) {
  char *text = cJSON_Print(object);
  cJSON_Delete(object);
  if (text == NULL) return false;
  host_utf8_repair(text);
  puts(text);
  free(text);
  return true;
}
