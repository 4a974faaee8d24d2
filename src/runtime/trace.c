// Checksums and ranges of what steps write; reading tensors that are alive. An object of its own:
// linked only where used.
#include "arenite/trace.h"

#include <string.h>

#include "records.h"

uint32_t arn_trace_crc(uint32_t crc, const void *bytes, size_t count) {
  static const uint32_t nibbles[16] = {
      0x00000000u, 0x1DB71064u, 0x3B6E20C8u, 0x26D930ACu, 0x76DC4190u, 0x6B6B51F4u,
      0x4DB26158u, 0x5005713Cu, 0xEDB88320u, 0xF00F9344u, 0xD6D6A3E8u, 0xCB61B38Cu,
      0x9B64C2B0u, 0x86D3D2D4u, 0xA00AE278u, 0xBDBDF21Cu};
  const uint8_t *at = bytes;
  crc = ~crc;
  for (size_t i = 0; i < count; i++) {
    crc ^= at[i];
    crc = crc >> 4 ^ nibbles[crc & 15];
    crc = crc >> 4 ^ nibbles[crc & 15];
  }
  return ~crc;
}

// ---- ranges -------------------------------------------------------------------------------------

static void note_integer(arn_trace_entry *e, int64_t value) {
  if (!e->has_range || value < e->least.integer) e->least.integer = value;
  if (!e->has_range || value > e->most.integer) e->most.integer = value;
  e->has_range = true;
}

static void note_real(arn_trace_entry *e, float value) {
  if (value != value) {
    e->nan_count++;
    return;
  }
  if (!e->has_range || value < e->least.real) e->least.real = value;
  if (!e->has_range || value > e->most.real) e->most.real = value;
  e->has_range = true;
}

// Notes the element at `at`; returns its bytes, 0 where the type has no range here.
static uint32_t note_element(arn_trace_entry *e, const uint8_t *at) {
  union {
    int16_t s16;
    uint16_t u16;
    int32_t s32;
    uint32_t u32;
    int64_t s64;
    float f32;
  } v;
  switch (e->type) {
    case ARN_BOOL:
    case ARN_UINT8: return note_integer(e, *at), 1;
    case ARN_INT8: return note_integer(e, (int8_t)*at), 1;
    case ARN_INT16: return memcpy(&v, at, 2), note_integer(e, v.s16), 2;
    case ARN_UINT16: return memcpy(&v, at, 2), note_integer(e, v.u16), 2;
    case ARN_INT32: return memcpy(&v, at, 4), note_integer(e, v.s32), 4;
    case ARN_UINT32: return memcpy(&v, at, 4), note_integer(e, v.u32), 4;
    case ARN_INT64: return memcpy(&v, at, 8), note_integer(e, v.s64), 8;
    case ARN_FLOAT32: return memcpy(&v, at, 4), note_real(e, v.f32), 4;
    default: return 0;
  }
}

void arn_trace_add(arn_trace_entry *e, const void *bytes, uint32_t count) {
  e->crc = arn_trace_crc(e->crc, bytes, count);
  e->bytes += count;
  for (uint32_t i = 0; i < count;) {
    const uint32_t element = note_element(e, (const uint8_t *)bytes + i);
    if (element == 0) return;
    i += element;
  }
}

// ---- steps --------------------------------------------------------------------------------------

static arn_trace_entry *find_open(arn_trace *trace, uint32_t subgraph, const arn_tensor *t,
                                  uint32_t node) {
  for (uint32_t i = 0; i < trace->open_count; i++) {
    arn_trace_entry *e = &trace->open[i];
    if (e->tensor == (uint32_t)t->index && e->subgraph == subgraph) return e;
  }
  if (trace->open_count == trace->room) return NULL;
  arn_trace_entry *e = &trace->open[trace->open_count++];
  memset(e, 0, sizeof *e);
  e->subgraph = subgraph;
  e->node = node;
  e->tensor = (uint32_t)t->index;
  e->type = (arn_type)t->type;
  return e;
}

static void close_entry(arn_trace *trace, arn_trace_entry *e) {
  trace->emit(trace->context, e);
  *e = trace->open[--trace->open_count];
}

static void add_rows(arn_trace_entry *e, const arn_rows *rows, arn_span span) {
  for (uint32_t r = span.first; r < span.first + span.count; r++) {
    arn_trace_add(e, arn_row(rows, r), rows->row_bytes);
  }
}

// Which rows of an output of `bytes` a step has written, of `row_bytes` each. A folding node writes
// all of its output in its last step, and nothing before.
static arn_span written_by(const arn_step *step, uint32_t node_rows, const arn_rows *rows,
                           uint32_t bytes) {
  const bool last = step->span.first + step->span.count >= node_rows;
  const bool all = step->span.count >= node_rows || step->eval->fold;
  if (!all) return step->span;
  return (arn_span){0, last && rows->row_bytes ? bytes / rows->row_bytes : 0};
}

static void trace_output(arn_trace *trace, const arn_interpreter *nn, const arn_step *step,
                         uint32_t i) {
  arn_subgraph g;
  arn_tensor t;
  const uint32_t node_rows = arn__record_of_node(nn, step->subgraph, step->node)->rows;
  const bool all = step->span.count >= node_rows || step->eval->fold;
  const int32_t tensor = arn_model_index(nn->model, step->eval->outputs_at, i);
  if (tensor < 0 || arn_model_subgraph(nn->model, step->subgraph, &g) != ARN_OK) return;
  arn_model_tensor(nn->model, &g, (uint32_t)tensor, &t);
  const arn_rows rows = arn_eval_output(step->eval, i, all ? t.bytes : t.bytes / node_rows);
  if (rows.base == NULL || t.type == ARN_RESOURCE) return;  // a handle is no data
  const arn_span span = written_by(step, node_rows, &rows, t.bytes);
  if (span.count == 0 && t.bytes > 0) return;
  arn_trace_entry *e = find_open(trace, step->subgraph, &t, step->node);
  if (e == NULL) {
    trace->lost++;
    return;
  }
  add_rows(e, &rows, span);
  if (e->bytes >= t.bytes) close_entry(trace, e);
}

// What an invocation that failed left open must not go on in the next.
static bool before(void *context, const arn_interpreter *nn, const arn_step *step) {
  arn_trace *trace = context;
  const arn_eval *e = step->eval;
  if (step->span.first > 0 || e->fold) return true;
  for (uint32_t i = 0; i < trace->open_count;) {
    bool mine = false;
    for (uint32_t o = 0; o < e->output_count && !mine; o++) {
      mine = trace->open[i].subgraph == step->subgraph &&
             arn_model_index(nn->model, e->outputs_at, o) == (int32_t)trace->open[i].tensor;
    }
    if (mine) trace->open[i] = trace->open[--trace->open_count];
    else i++;
  }
  return true;
}

static void after(void *context, const arn_interpreter *nn, const arn_step *step) {
  const arn_call *call = step->eval->call;
  if (call && call->subgraph >= 0) return;  // it asks for a subgraph: its outputs are not there yet
  for (uint32_t i = 0; i < step->eval->output_count; i++) trace_output(context, nn, step, i);
}

arn_hooks arn_trace_hooks(arn_trace *trace) {
  return (arn_hooks){.before = before, .after = after, .context = trace};
}

// ---- reading ------------------------------------------------------------------------------------

static bool lists(const arn_model *m, uint32_t at, uint32_t count, uint32_t tensor) {
  for (uint32_t i = 0; i < count; i++) {
    if (arn_model_index(m, at, i) == (int32_t)tensor) return true;
  }
  return false;
}

// The nodes that write a tensor first and read it last, plus one; 0: none.
struct uses {
  uint32_t written, read;
};

static struct uses find_uses(const arn_model *m, const arn_subgraph *g, uint32_t tensor) {
  struct uses u = {0, 0};
  arn_node node;
  for (uint32_t n = 0; n < g->node_count; n++) {
    arn_model_node(m, g, n, &node);
    if (u.written == 0 && lists(m, node.outputs_at, node.output_count, tensor)) u.written = n + 1;
    if (lists(m, node.inputs_at, node.input_count, tensor)) u.read = n + 1;
  }
  return u;
}

static bool is_kept(const arn_interpreter *nn, const arn_tensor *t) {
  const arn_region region = arn_place_of_tensor(nn, 0, (uint32_t)t->index).region;
  return region == ARN_REGION_FILE || region == ARN_REGION_STATIC;
}

// Says whether the bytes are sure to be there: `done` nodes of the subgraph have run.
static bool is_alive(const arn_interpreter *nn, const arn_subgraph *g, const arn_tensor *t,
                     uint32_t done) {
  const arn_model *m = nn->model;
  const uint32_t tensor = (uint32_t)t->index;
  const struct uses u = find_uses(m, g, tensor);
  const bool is_input = lists(m, g->inputs_at, g->input_count, tensor);
  const bool is_output = lists(m, g->outputs_at, g->output_count, tensor);
  if (is_kept(nn, t)) return true;
  if (u.written > done || (u.written == 0 && !is_input)) return false;
  if (nn->config.flags & ARN_KEEP_ALL) return true;
  if (nn->row_plan_at) return is_output && done == g->node_count;  // rows die one by one
  return is_output || u.read > done || (done > 0 && u.written == done);
}

arn_status arn_tensor_read(const arn_interpreter *nn, uint32_t tensor, int32_t after_node,
                           arn_tensor_view *view, arn_error *error) {
  arn_subgraph g;
  arn_tensor t;
  arn_error ignored;
  if (error == NULL) error = &ignored;
  memset(view, 0, sizeof *view);
  *error = (arn_error){ARN_OK, ARN_WHAT_INDEX, 0, after_node, (int32_t)tensor, 0, 0, 0};
  if (!arn__is_ready(nn)) return error->status = ARN_ERR_NOT_READY;
  if (arn_model_subgraph(nn->model, 0, &g) != ARN_OK || tensor >= g.tensor_count ||
      after_node >= (int32_t)g.node_count) {
    return error->status = ARN_ERR_ARGUMENT;
  }
  const uint32_t done = after_node < 0 ? g.node_count : (uint32_t)after_node + 1u;
  arn_model_tensor(nn->model, &g, tensor, &t);
  if (is_alive(nn, &g, &t, done)) *view = arn_tensor_at(nn, 0, tensor);
  if (view->data) return error->status = ARN_OK;
  error->what = ARN_WHAT_TENSOR_DEAD;
  error->need = find_uses(nn->model, &g, tensor).read;
  return error->status = ARN_ERR_DATA;
}
