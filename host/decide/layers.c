#include "host/decide/layers.h"

#include <stdlib.h>
#include <string.h>

static bool grow(host_layers *l) {
  if (l->count < l->room) return true;
  const uint32_t room = l->room ? 2 * l->room : 256;
  host_layer *list = realloc(l->list, room * sizeof *list);
  if (list == NULL) return false;
  l->list = list;
  l->room = room;
  return true;
}

static void add(host_layers *l, const arn_trace_entry *entry) {
  if (!grow(l)) {
    l->over = true;
    return;
  }
  l->list[l->count++] = (host_layer){l->invocation, l->main_node, *entry};
  if (entry->subgraph > 0 || entry->tensor >= l->tensor_count) return;
  l->alive_crc[entry->tensor] = entry->crc;
  l->alive_bytes[entry->tensor] = entry->bytes;
}

static void emit(void *context, const arn_trace_entry *entry) { add(context, entry); }

bool host_layers_open(host_layers *l, const arn_model *model) {
  arn_subgraph g;
  memset(l, 0, sizeof *l);
  if (arn_model_subgraph(model, 0, &g) != ARN_OK) return false;
  l->tensor_count = g.tensor_count;
  l->alive_crc = calloc(g.tensor_count + 1u, sizeof *l->alive_crc);
  l->alive_bytes = calloc(g.tensor_count + 1u, sizeof *l->alive_bytes);
  l->trace = (arn_trace){.open = l->open,
                         .room = sizeof l->open / sizeof l->open[0],
                         .emit = emit,
                         .context = l};
  if (l->alive_crc && l->alive_bytes) return true;
  host_layers_close(l);
  return false;
}

void host_layers_close(host_layers *l) {
  free(l->list);
  free(l->alive_crc);
  free(l->alive_bytes);
  memset(l, 0, sizeof *l);
}

// ---- hooks --------------------------------------------------------------------------------------

static bool before(void *context, const arn_interpreter *nn, const arn_step *step) {
  host_layers *l = context;
  if (step->subgraph == 0) l->main_node = (int32_t)step->node;
  return arn_trace_hooks(&l->trace).before(&l->trace, nn, step);
}

static bool has_changed(const host_layers *l, const arn_interpreter *nn, uint32_t tensor,
                        uint32_t node) {
  arn_tensor_view view;
  arn_error error;
  if (l->alive_bytes[tensor] == 0) return false;
  if (arn_place_of_tensor(nn, 0, tensor).region != ARN_REGION_DYNAMIC) return false;
  if (arn_tensor_read(nn, tensor, (int32_t)node, &view, &error) != ARN_OK) return false;
  return arn_trace_crc(0, view.data, view.bytes) != l->alive_crc[tensor];
}

static void look_at_the_living(host_layers *l, const arn_interpreter *nn, uint32_t node) {
  for (uint32_t i = 0; i < l->tensor_count && !l->change.seen; i++) {
    if (has_changed(l, nn, i, node)) l->change = (host_layer_change){true, l->invocation, node, i};
  }
}

static void after(void *context, const arn_interpreter *nn, const arn_step *step) {
  host_layers *l = context;
  const uint32_t count = l->count;
  arn_trace_hooks(&l->trace).after(&l->trace, nn, step);
  const bool complete = step->subgraph == 0 && l->count > count && l->trace.open_count == 0;
  if (complete && nn->row_plan_at == 0) look_at_the_living(l, nn, step->node);
}

arn_hooks host_layers_hooks(host_layers *l) {
  return (arn_hooks){.before = before, .after = after, .context = l};
}

// ---- an invocation ------------------------------------------------------------------------------

static void add_tensor(host_layers *l, const host_engine *e, uint32_t tensor) {
  const arn_tensor_view view = arn_tensor_at(&e->nn, 0, tensor);
  arn_trace_entry entry = {.tensor = tensor, .type = view.type};
  if (view.data == NULL) return;
  arn_trace_add(&entry, view.data, view.bytes);
  add(l, &entry);
}

static void add_inputs(host_layers *l, const host_engine *e, const arn_subgraph *g) {
  l->main_node = HOST_LAYER_INPUT;
  for (uint32_t i = 0; i < g->input_count; i++) {
    add_tensor(l, e, (uint32_t)arn_model_index(&e->model, g->inputs_at, i));
  }
}

static void add_variables(host_layers *l, const host_engine *e, const arn_subgraph *g) {
  l->main_node = HOST_LAYER_VARIABLE;
  for (uint32_t i = 0; i < g->tensor_count; i++) {
    arn_tensor t;
    arn_model_tensor(&e->model, g, i, &t);
    if (t.flags & ARN_TENSOR_VARIABLE) add_tensor(l, e, i);
  }
}

static const arn_trace_entry *find(const host_layers *l, uint32_t from, uint32_t tensor) {
  for (uint32_t i = from; i < l->count; i++) {
    const arn_trace_entry *e = &l->list[i].entry;
    if (e->subgraph == 0 && e->tensor == tensor) return e;
  }
  return NULL;
}

// The input that lies where tensor `out` lies; -1: none.
static int32_t same_place(const host_engine *e, const arn_node *node, uint32_t out) {
  const arn_placement place = arn_place_of_tensor(&e->nn, 0, out);
  for (uint32_t i = 0; i < node->input_count; i++) {
    const int32_t in = arn_model_index(&e->model, node->inputs_at, i);
    if (in < 0) continue;
    const arn_placement other = arn_place_of_tensor(&e->nn, 0, (uint32_t)in);
    if (other.region == place.region && other.offset == place.offset) return in;
  }
  return -1;
}

// A view without a step: its bytes are its source's, where it is all of them.
static void add_view(host_layers *l, const host_engine *e, const arn_node *node, uint32_t from) {
  if (node->output_count != 1) return;
  if (!arn_memory_of_node(&e->nn, 0, (uint32_t)l->main_node).skipped) return;
  const uint32_t out = (uint32_t)arn_model_index(&e->model, node->outputs_at, 0);
  const int32_t in = same_place(e, node, out);
  if (in < 0 || find(l, from, out)) return;
  const arn_tensor_view view = arn_tensor_at(&e->nn, 0, out);
  const arn_trace_entry *source = find(l, from, (uint32_t)in);
  if (source == NULL || source->bytes != view.bytes || source->type != view.type) return;
  arn_trace_entry entry = *source;
  entry.tensor = out;
  entry.node = (uint32_t)l->main_node;
  add(l, &entry);
}

static void add_views(host_layers *l, const host_engine *e, const arn_subgraph *g, uint32_t from) {
  for (uint32_t n = 0; n < g->node_count; n++) {
    arn_node node;
    arn_model_node(&e->model, g, n, &node);
    l->main_node = (int32_t)n;
    add_view(l, e, &node, from);
  }
}

// Sorts by node of the main subgraph, keeping the order within one (an insertion sort: nearly
// sorted).
static void sort(host_layer *list, uint32_t count) {
  for (uint32_t i = 1; i < count; i++) {
    const host_layer layer = list[i];
    uint32_t k = i;
    for (; k > 0 && list[k - 1].main_node > layer.main_node; k--) list[k] = list[k - 1];
    list[k] = layer;
  }
}

arn_status host_layers_run(host_layers *l, host_engine *e, uint32_t invocation, arn_error *error) {
  arn_subgraph g;
  const uint32_t from = l->count;
  if (arn_model_subgraph(&e->model, 0, &g) != ARN_OK) return ARN_ERR_INTERNAL;
  l->invocation = invocation;
  memset(l->alive_bytes, 0, l->tensor_count * sizeof *l->alive_bytes);
  add_inputs(l, e, &g);
  const arn_status status = arn_invoke(&e->nn, error);
  if (status < 0) return status;
  if (e->nn.row_plan_at) add_views(l, e, &g, from);
  add_variables(l, e, &g);
  sort(l->list + from, l->count - from);
  return status;
}
