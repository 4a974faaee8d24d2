#include "host/report/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/report/bound.h"
#include "host/report/row_facts.h"
#include "host/report/utf8.h"
#include "src/graph/rows.h"

static void copy_name(const arn_model *m, uint32_t at, char *to, size_t size) {
  uint32_t length;
  const char *text = arn_model_string(m, at, &length);
  if (length >= size) length = (uint32_t)size - 1;
  memcpy(to, text, length);
  to[length] = '\0';
  host_utf8_clean(to);
}

static void op_name(const arn_model *m, const arn_node *node, char *to, size_t size) {
  if (node->code == ARN_CODE_CUSTOM) {
    copy_name(m, node->name_at, to, size);
  } else {
    snprintf(to, size, "%s", arn_code_name(node->code));
  }
}

// ---- tensors ------------------------------------------------------------------------------------

static host_role role_of(const host_facts *f, const host_tensor_fact *t) {
  const arn_model *m = f->nn->model;
  if (t->tensor.flags & ARN_TENSOR_CONST) return HOST_CONSTANT;
  if (t->tensor.flags & ARN_TENSOR_VARIABLE || t->tensor.type == ARN_RESOURCE) return HOST_VARIABLE;
  const arn_subgraph *g = &f->subgraph;
  const int32_t index = (int32_t)t->index;
  if (arn_model_index_find(m, g->inputs_at, g->input_count, index) >= 0) return HOST_INPUT;
  if (arn_model_index_find(m, g->outputs_at, g->output_count, index) >= 0) return HOST_OUTPUT;
  return t->place.region == ARN_REGION_NONE ? HOST_UNUSED : HOST_INTERMEDIATE;
}

static void gather_tensor(host_facts *f, uint32_t i) {
  host_tensor_fact *t = &f->tensors[i];
  const arn_model *m = f->nn->model;
  t->index = i;
  arn_model_tensor(m, &f->subgraph, i, &t->tensor);
  copy_name(m, t->tensor.name_at, t->name, sizeof t->name);
  t->place = arn_place_of_tensor(f->nn, 0, i);
  t->first = t->last = t->producer = t->owner = -1;
  t->rows = arn__rows_of(&t->tensor).rows;
  t->role = role_of(f, t);
  if (t->role == HOST_CONSTANT) f->weight_bytes += t->tensor.data_bytes;
}

static void touch(host_tensor_fact *t, int32_t step) {
  if (t->place.region != ARN_REGION_DYNAMIC) return;
  if (t->first < 0 || step < t->first) t->first = step;
  if (step > t->last) t->last = step;
}

static void touch_node(host_facts *f, uint32_t n) {
  arn_node node;
  const arn_model *m = f->nn->model;
  arn_model_node(m, &f->subgraph, n, &node);
  if (f->steps[n].memory.skipped) return;
  for (uint32_t i = 0; i < node.input_count; i++) {
    const int32_t tensor = arn_model_index(m, node.inputs_at, i);
    if (tensor >= 0) touch(&f->tensors[tensor], (int32_t)n);
  }
  for (uint32_t i = 0; i < node.output_count; i++) {
    host_tensor_fact *t = &f->tensors[arn_model_index(m, node.outputs_at, i)];
    t->producer = (int32_t)n;
    touch(t, (int32_t)n);
  }
}

static void gather_lives(host_facts *f) {
  const arn_model *m = f->nn->model;
  const int32_t end = f->step_count > 0 ? (int32_t)f->step_count - 1 : 0;
  for (uint32_t i = 0; i < f->subgraph.input_count; i++) {
    touch(&f->tensors[arn_model_index(m, f->subgraph.inputs_at, i)], 0);
  }
  for (uint32_t n = 0; n < f->step_count; n++) touch_node(f, n);
  for (uint32_t i = 0; i < f->subgraph.output_count; i++) {
    touch(&f->tensors[arn_model_index(m, f->subgraph.outputs_at, i)], end);
  }
}

static bool is_view_of(const host_tensor_fact *t, const host_tensor_fact *of) {
  return of->place.region == ARN_REGION_DYNAMIC && t->place.offset >= of->place.offset &&
         t->place.offset + t->tensor.bytes <= of->place.offset + of->tensor.bytes;
}

static void find_owner(host_facts *f, uint32_t n) {
  arn_node node;
  const arn_model *m = f->nn->model;
  arn_model_node(m, &f->subgraph, n, &node);
  for (uint32_t o = 0; o < node.output_count; o++) {
    host_tensor_fact *out = &f->tensors[arn_model_index(m, node.outputs_at, o)];
    if (out->place.region != ARN_REGION_DYNAMIC) continue;
    out->owner = (int32_t)out->index;
    const uint32_t view = f->steps[n].memory.view_input;
    const int32_t tensor = view ? arn_model_index(m, node.inputs_at, view - 1) : -1;
    if (tensor < 0 || !is_view_of(out, &f->tensors[tensor])) continue;
    if (f->tensors[tensor].owner >= 0) out->owner = f->tensors[tensor].owner;
  }
}

static void gather_owners(host_facts *f) {
  for (uint32_t i = 0; i < f->tensor_count; i++) {
    host_tensor_fact *t = &f->tensors[i];
    if (t->role == HOST_INPUT && t->place.region == ARN_REGION_DYNAMIC) t->owner = (int32_t)i;
  }
  for (uint32_t n = 0; n < f->step_count; n++) find_owner(f, n);
  for (uint32_t i = 0; i < f->tensor_count; i++) {  // an owner lives as long as its views
    const host_tensor_fact *t = &f->tensors[i];
    if (t->owner < 0 || t->owner == (int32_t)i || t->first < 0) continue;
    touch(&f->tensors[t->owner], t->first);
    touch(&f->tensors[t->owner], t->last);
  }
}

// ---- steps --------------------------------------------------------------------------------------

static int by_offset(const void *a, const void *b) {
  const host_block *x = a, *y = b;
  if (x->offset != y->offset) return x->offset < y->offset ? -1 : 1;
  return x->bytes < y->bytes ? -1 : x->bytes > y->bytes;
}

host_block *host_facts_blocks(const host_facts *f) {
  const uint32_t most = f->by_row_plan ? f->group_count : f->tensor_count;
  return calloc(most + 2u, sizeof(host_block));
}

static uint32_t live_tensors(const host_facts *f, uint32_t step, host_block *blocks) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->tensor_count; i++) {
    const host_tensor_fact *t = &f->tensors[i];
    if (t->owner != (int32_t)i || t->first < 0 || t->tensor.bytes == 0) continue;
    if ((int32_t)step < t->first || (int32_t)step > t->last) continue;
    blocks[count++] = (host_block){t->place.offset, t->tensor.bytes, (int32_t)i};
  }
  return count;
}

static uint32_t live_groups(const host_facts *f, uint32_t step, host_block *blocks) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < f->group_count; k++) {
    const host_group_fact *g = &f->groups[k];
    if ((int32_t)step < g->first || (int32_t)step > g->last) continue;
    blocks[count++] = (host_block){g->offset, g->bytes, g->tensor};
  }
  return count;
}

uint32_t host_facts_live(const host_facts *f, uint32_t step, host_block *blocks) {
  uint32_t count = f->by_row_plan ? live_groups(f, step, blocks) : live_tensors(f, step, blocks);
  const arn_node_memory *memory = step < f->step_count ? &f->steps[step].memory : NULL;
  if (memory && memory->scratch_bytes > 0) {
    blocks[count++] = (host_block){memory->scratch_offset, memory->scratch_bytes, -1};
  }
  qsort(blocks, count, sizeof *blocks, by_offset);
  return count;
}

// Bytes covered by sorted blocks, overlaps counted once; scratch and gaps apart.
struct cover {
  uint32_t bytes, scratch, padding, holes, end;
};

static struct cover cover_of(const host_block *blocks, uint32_t count, uint32_t alignment) {
  struct cover c = {0, 0, 0, 0, 0};
  for (uint32_t i = 0; i < count; i++) {
    const host_block *b = &blocks[i];
    const uint32_t end = b->offset + b->bytes;
    if (b->offset > c.end) {
      const uint32_t gap = b->offset - c.end;
      if (gap < alignment) c.padding += gap;
      if (gap >= alignment) c.holes += gap;
      c.end = b->offset;
    }
    const uint32_t fresh = end > c.end ? end - c.end : 0;
    if (b->tensor < 0) c.scratch += fresh;
    if (b->tensor >= 0) c.bytes += fresh;
    if (end > c.end) c.end = end;
  }
  return c;
}

static void gather_step(host_facts *f, uint32_t n, host_block *blocks) {
  host_step_fact *s = &f->steps[n];
  const uint32_t count = host_facts_live(f, n, blocks);
  const struct cover c = cover_of(blocks, count, 1);
  s->live_bytes = c.bytes + c.scratch;
  s->high_water = c.end;
  s->bound_bytes = f->by_row_plan ? s->live_bytes : host_bound_of_step(f, n);
  if (s->bound_bytes > f->bound_bytes) f->bound_bytes = s->bound_bytes;
  if (s->live_bytes > f->steps[f->peak_step].live_bytes) f->peak_step = n;
}

static void break_down(host_facts *f, host_block *blocks) {
  const arn_usage *u = &f->usage;
  host_breakdown *b = &f->breakdown;
  *b = (host_breakdown){.alignment_padding = u->static_padding,
                        .engine_records = u->engine_records,
                        .op_data = u->op_data,
                        .variables = u->variables,
                        .weights_copied = u->weights_copied,
                        .init_temporary = u->init_temporary};
  if (u->init_temporary > 0 || u->dynamic_bytes == 0) return;
  const uint32_t count = host_facts_live(f, f->peak_step, blocks);
  const struct cover c = cover_of(blocks, count, f->nn->config.alignment);
  b->tensor_data = c.bytes;
  b->scratch = c.scratch;
  b->alignment_padding += c.padding + (u->peak_offset - u->static_bytes);
  b->unused = c.holes + (u->dynamic_bytes - c.end);
}

static void gather_nodes(host_facts *f) {
  for (uint32_t n = 0; n < f->step_count; n++) {
    arn_node node;
    arn_model_node(f->nn->model, &f->subgraph, n, &node);
    f->steps[n].node = n;
    f->steps[n].memory = arn_memory_of_node(f->nn, 0, n);
    f->steps[n].rows = f->steps[n].memory.rows;
    f->steps[n].macs = host_macs(f->nn->model, &f->subgraph, &node);
    f->macs += f->steps[n].macs;
    op_name(f->nn->model, &node, f->steps[n].op, sizeof f->steps[n].op);
  }
}

// What happens when, for nodes run whole in the file's order.
static bool gather_times(host_facts *f) {
  gather_lives(f);
  gather_owners(f);
  return true;
}

// The steps of the row plan take the place of the nodes.
static bool gather_row_times(host_facts *f) {
  host_step_fact *nodes = f->steps;
  f->by_row_plan = true;
  f->steps = NULL;
  const bool ok = host_row_facts_gather(f, nodes);
  free(nodes);
  return ok;
}

static bool gather_all(host_facts *f) {
  if (f->tensors == NULL || f->steps == NULL) return false;
  gather_nodes(f);
  for (uint32_t i = 0; i < f->tensor_count; i++) gather_tensor(f, i);
  if (!(f->nn->row_plan_at ? gather_row_times(f) : gather_times(f))) return false;
  host_block *blocks = host_facts_blocks(f);
  for (uint32_t n = 0; n < f->step_count && blocks; n++) gather_step(f, n, blocks);
  if (blocks) break_down(f, blocks);
  const bool there = blocks != NULL;
  free(blocks);
  return there;
}

bool host_facts_gather(host_facts *f, const arn_interpreter *nn) {
  memset(f, 0, sizeof *f);
  f->nn = nn;
  f->usage = arn_used(nn);
  if (arn_model_subgraph(nn->model, 0, &f->subgraph) != ARN_OK) return false;
  f->tensor_count = f->subgraph.tensor_count;
  f->step_count = f->subgraph.node_count;
  f->tensors = calloc(f->tensor_count + 1u, sizeof *f->tensors);
  f->steps = calloc(f->step_count + 1u, sizeof *f->steps);
  const bool ok = gather_all(f);
  if (!ok) host_facts_free(f);
  return ok;
}

void host_facts_free(host_facts *f) {
  free(f->tensors);
  free(f->steps);
  free(f->groups);
  f->tensors = NULL;
  f->steps = NULL;
  f->groups = NULL;
}
