#include "proof.h"

#include <string.h>

#include "../graph/graph.h"
#include "../graph/place.h"
#include "../graph/rows.h"
#include "../model/flatbuffer.h"

#define TRY(call)                          \
  do {                                     \
    const arn_status status_ = (call);     \
    if (status_ != ARN_OK) return status_; \
  } while (0)

static arn_status refuse(const arn__proof *p, arn_what what, uint32_t node, int32_t tensor) {
  *p->error = (arn_error){ARN_ERR_PLAN, what, 0, (int32_t)node, tensor, 0, 0, 0};
  return ARN_ERR_PLAN;
}

// ---- granules -----------------------------------------------------------------------------------

uint32_t arn__proof_granule_bytes(const arn__row_plan *plan) {
  return (plan->dynamic_bytes / ARN__PLAN_GRANULE + 32) / 32 * 4;
}

static uint32_t granules_of(uint32_t bytes) {
  return (bytes + ARN__PLAN_GRANULE - 1) / ARN__PLAN_GRANULE;
}

// The bits of one word that belong to granules [from, to).
static uint32_t mask_of(uint32_t word, uint32_t from, uint32_t to) {
  const uint32_t low = word * 32, a = from > low ? from - low : 0;
  const uint32_t b = to < low + 32 ? to - low : 32;
  const uint32_t below_b = b == 32 ? UINT32_MAX : (1u << b) - 1;
  return below_b & ~((1u << a) - 1);
}

static bool all_free(const arn__proof *p, uint32_t from, uint32_t to) {
  for (uint32_t w = from / 32; w * 32 < to; w++) {
    if (p->granules[w] & mask_of(w, from, to)) return false;
  }
  return true;
}

static void set(const arn__proof *p, uint32_t from, uint32_t to) {
  for (uint32_t w = from / 32; w * 32 < to; w++) p->granules[w] |= mask_of(w, from, to);
}

static void clear(const arn__proof *p, uint32_t from, uint32_t to) {
  for (uint32_t w = from / 32; w * 32 < to; w++) p->granules[w] &= ~mask_of(w, from, to);
}

static bool inside(const arn__proof *p, uint32_t offset, uint32_t bytes) {
  const uint32_t end = granules_of(p->plan->dynamic_bytes) * ARN__PLAN_GRANULE;
  return offset % ARN__PLAN_GRANULE == 0 && offset <= end && bytes <= end - offset;
}

// ---- where the bytes of a tensor lie ------------------------------------------------------------

static uint32_t table_word(const arn__proof *p, uint32_t i) {
  return arn__fb_u32(p->plan->model, p->plan->rows_at + 4 * i);
}

static bool is_scattered(uint32_t place) { return arn__place_kind(place) == ARN__PLACE_ROWS; }

// Granules [from, to) of bytes [first, first + count) of a contiguous tensor at `offset`, when they
// are born: a granule that an earlier byte of the tensor took already is not taken again.
static void contiguous_range(uint32_t offset, uint32_t first, uint32_t last, uint32_t *from,
                             uint32_t *to) {
  *from = granules_of(offset + first);
  *to = granules_of(offset + last);
  if (first == 0) *from = offset / ARN__PLAN_GRANULE;
}

// What happens to granules: taken when bytes are born, given back when they die.
enum change { TAKE, GIVE };

static arn_status change_range(const arn__proof *p, uint32_t from, uint32_t to,
                               enum change change) {
  if (change == GIVE) {
    clear(p, from, to);
    return ARN_OK;
  }
  if (!all_free(p, from, to)) return ARN_ERR_PLAN;
  set(p, from, to);
  return ARN_OK;
}

// Bytes [first, last) of the tensor `t` are born or die. Scattered ones go by whole rows.
static arn_status change_bytes(const arn__proof *p, uint32_t t, uint32_t first, uint32_t last,
                               enum change change) {
  const uint32_t place = arn__row_plan_place(p->plan, t);
  uint32_t from, to;
  if (!is_scattered(place)) {
    contiguous_range(arn__place_offset(place), first, last, &from, &to);
    // Dying bytes give back only granules in which nothing is alive: the last one may be shared
    // with the bytes that follow.
    if (change == GIVE && last < p->tensors[t].bytes) {
      to = (arn__place_offset(place) + last) / ARN__PLAN_GRANULE;
    }
    if (change == GIVE) from = (arn__place_offset(place) + first) / ARN__PLAN_GRANULE;
    return from < to ? change_range(p, from, to, change) : ARN_OK;
  }
  const uint32_t index = arn__place_offset(place), row_bytes = table_word(p, index);
  if (first % row_bytes != 0 || last % row_bytes != 0) return ARN_ERR_PLAN;
  for (uint32_t row = first / row_bytes; row < last / row_bytes; row++) {
    const uint32_t at = table_word(p, index + 1 + row) / ARN__PLAN_GRANULE;
    TRY(change_range(p, at, at + granules_of(row_bytes), change));
  }
  return ARN_OK;
}

// ---- tensors and their places -------------------------------------------------------------------

void arn__proof_note_tensor(arn__proof *p, uint32_t index) {
  arn_tensor t;
  arn__graph_read(p->plan->model, p->subgraph, index, &t);
  const bool mine = !(t.flags & (ARN_TENSOR_CONST | ARN_TENSOR_VARIABLE)) && t.type != ARN_RESOURCE;
  const bool placed = arn__row_plan_place(p->plan, index) != ARN__PLACE_NONE;
  p->tensors[index] = (arn__proof_tensor){t.bytes, arn__rows_bytes(&t), 0, 0, (uint16_t)index,
                                          mine && placed && t.unknown_dims == 0};
}

static arn_status check_table(const arn__proof *p, uint32_t t, uint32_t index) {
  const uint32_t words = p->plan->row_words;
  if (index >= words) return refuse(p, ARN_WHAT_PLAN_OFFSET, 0, (int32_t)t);
  const uint32_t row_bytes = table_word(p, index);
  const uint32_t bytes = p->tensors[t].bytes;
  if (row_bytes == 0 || bytes % row_bytes != 0 || bytes / row_bytes > words - index - 1) {
    return refuse(p, ARN_WHAT_PLAN_OFFSET, 0, (int32_t)t);
  }
  for (uint32_t i = 0; i < bytes / row_bytes; i++) {
    if (!inside(p, table_word(p, index + 1 + i), row_bytes)) {
      return refuse(p, ARN_WHAT_PLAN_OFFSET, 0, (int32_t)t);
    }
  }
  return ARN_OK;
}

static arn_status check_places(const arn__proof *p) {
  for (uint32_t t = 0; t < p->plan->tensor_count; t++) {
    const uint32_t place = arn__row_plan_place(p->plan, t);
    const uint32_t offset = arn__place_offset(place);
    if (!p->tensors[t].dynamic || p->tensors[t].root != t) continue;
    if (is_scattered(place)) {
      TRY(check_table(p, t, offset));
    } else if (arn__place_kind(place) != ARN__PLACE_DYNAMIC ||
               !inside(p, offset, p->tensors[t].bytes)) {
      return refuse(p, ARN_WHAT_PLAN_OFFSET, 0, (int32_t)t);
    }
  }
  return ARN_OK;
}

// An operator reaches a tensor either as one block, or by its own rows.
static bool may_access(const arn__proof *p, uint32_t t, bool by_rows, bool any_rows) {
  const uint32_t place = arn__row_plan_place(p->plan, t);
  if (!is_scattered(place)) return true;
  if (any_rows) return true;
  return by_rows && table_word(p, arn__place_offset(place)) == p->tensors[t].row_bytes;
}

static arn_status check_node_access(const arn__proof *p, uint32_t n) {
  const arn__proof_node *node = &p->nodes[n];
  const arn_model *m = p->plan->model;
  for (uint32_t i = 0; i < node->input_count; i++) {
    const int32_t t = arn_model_index(m, node->inputs_at, i);
    if (t < 0 || !p->tensors[t].dynamic) continue;
    const bool fold = node->work == ARN_FOLD && i == 0;
    if (!may_access(p, (uint32_t)t, node->work == ARN_ROWS, fold)) {
      return refuse(p, ARN_WHAT_PLAN_OFFSET, n, t);
    }
  }
  for (uint32_t i = 0; i < node->output_count; i++) {
    const int32_t t = arn_model_index(m, node->outputs_at, i);
    if (p->tensors[t].dynamic && !may_access(p, (uint32_t)t, node->work == ARN_ROWS, false)) {
      return refuse(p, ARN_WHAT_PLAN_OFFSET, n, t);
    }
  }
  return ARN_OK;
}

// ---- inputs and outputs of the model ------------------------------------------------------------

static arn_status begin_inputs(const arn__proof *p) {
  for (uint32_t i = 0; i < p->subgraph->input_count; i++) {
    const int32_t t = arn_model_index(p->plan->model, p->subgraph->inputs_at, i);
    arn__proof_tensor *tensor = &p->tensors[t];
    const bool streamed = i < 32 && (p->plan->streamed_inputs >> i & 1);
    if (!tensor->dynamic || streamed || tensor->born > 0) continue;
    if (tensor->root != t || is_scattered(arn__row_plan_place(p->plan, (uint32_t)t))) {
      return refuse(p, ARN_WHAT_PLAN_OFFSET, 0, t);
    }
    if (change_bytes(p, (uint32_t)t, 0, tensor->bytes, TAKE) != ARN_OK) {
      return refuse(p, ARN_WHAT_PLAN_OVERLAP, 0, t);
    }
    tensor->born = tensor->bytes;
  }
  return ARN_OK;
}

// Streamed outputs are marked: their bytes die when they are handed over, and only then.
static arn_status begin_outputs(const arn__proof *p) {
  for (uint32_t i = 0; i < p->subgraph->output_count && i < 32; i++) {
    const int32_t t = arn_model_index(p->plan->model, p->subgraph->outputs_at, i);
    arn__proof_tensor *tensor = &p->tensors[t];
    if (!(p->plan->streamed_outputs >> i & 1) || !tensor->dynamic) continue;
    if (tensor->root != t || tensor->dynamic == ARN__PROOF_HANDED_OVER) {
      return refuse(p, ARN_WHAT_PLAN_STEP, 0, t);
    }
    tensor->dynamic = ARN__PROOF_HANDED_OVER;
  }
  return ARN_OK;
}

static arn_status end_outputs(const arn__proof *p) {
  for (uint32_t i = 0; i < p->subgraph->output_count; i++) {
    const int32_t t = arn_model_index(p->plan->model, p->subgraph->outputs_at, i);
    const bool streamed = i < 32 && (p->plan->streamed_outputs >> i & 1);
    if (!p->tensors[t].dynamic) continue;
    const arn__proof_tensor *root = &p->tensors[p->tensors[t].root];
    if (streamed) {
      if (root->dead != root->bytes) return refuse(p, ARN_WHAT_PLAN_STEP, 0, t);
    } else if (is_scattered(arn__row_plan_place(p->plan, (uint32_t)t)) ||
               root->born != root->bytes || root->dead > 0) {
      return refuse(p, ARN_WHAT_PLAN_STEP, 0, t);
    }
  }
  for (uint32_t n = 0; n < p->plan->node_count; n++) {
    if (!p->nodes[n].skip && p->nodes[n].done != p->nodes[n].rows) {
      return refuse(p, ARN_WHAT_PLAN_STEP, n, ARN_NOWHERE);
    }
  }
  return ARN_OK;
}

// ---- one step -----------------------------------------------------------------------------------

static bool is_alive(const arn__proof *p, uint32_t t, uint32_t first, uint32_t last) {
  const arn__proof_tensor *root = &p->tensors[p->tensors[t].root];
  return first >= root->dead && last <= root->born && first <= last;
}

// Where reading begins in bytes [first, last): none of the first `advanced` bytes are read.
static uint32_t later(uint32_t first, uint32_t last, uint64_t advanced) {
  if (advanced <= first) return first;
  return advanced < last ? (uint32_t)advanced : last;
}

static arn_status check_reads(const arn__proof *p, uint32_t n, arn_span span) {
  const arn__proof_node *node = &p->nodes[n];
  for (uint32_t i = 0; i < node->input_count; i++) {
    const int32_t t = arn_model_index(p->plan->model, node->inputs_at, i);
    if (t < 0 || !p->tensors[t].dynamic) continue;
    const arn__proof_tensor *tensor = &p->tensors[t];
    uint32_t first = 0, last = tensor->bytes;
    if (node->work == ARN_ROWS) {
      arn_span in = {0, 0};
      p->ops->ops[node->op]->rows(p->arena + node->state_at, i, span, &in);
      if (in.count == 0) continue;
      first = in.first * tensor->row_bytes;
      last = (in.first + in.count) * tensor->row_bytes;
      if (i == 0) first = later(first, last, (uint64_t)span.first * node->advance);
    } else if (node->work == ARN_FOLD && i == 0) {
      const uint32_t row_bytes = tensor->bytes / node->rows;
      first = span.first * row_bytes;
      last = (span.first + span.count) * row_bytes;
    }
    if (!is_alive(p, (uint32_t)t, first, last)) return refuse(p, ARN_WHAT_PLAN_STEP, n, t);
  }
  return ARN_OK;
}

// Granules pass from tensor to tensor whole: contiguous rows that share one pass in a single step.
static bool passes_whole(const arn__proof *p, int32_t t, arn_span span) {
  const arn__proof_tensor *tensor = &p->tensors[t];
  return is_scattered(arn__row_plan_place(p->plan, (uint32_t)t)) ||
         tensor->row_bytes % ARN__PLAN_GRANULE == 0 ||
         (uint64_t)span.count * tensor->row_bytes == tensor->bytes;
}

// In place, output row r lies on input row r, which is the next to die.
static arn_status check_in_place(const arn__proof *p, uint32_t n, arn_span span, uint32_t slot) {
  const arn__proof_node *node = &p->nodes[n];
  const arn_model *m = p->plan->model;
  if (slot >= node->input_count || slot >= 32 || !(node->in_place >> slot & 1) ||
      node->work != ARN_ROWS) {
    return refuse(p, ARN_WHAT_PLAN_STEP, n, ARN_NOWHERE);
  }
  const int32_t in = arn_model_index(m, node->inputs_at, slot);
  const int32_t out = arn_model_index(m, node->outputs_at, 0);
  if (in < 0 || !p->tensors[in].dynamic || !p->tensors[out].dynamic) {
    return refuse(p, ARN_WHAT_PLAN_STEP, n, in);
  }
  const arn__proof_tensor *a = &p->tensors[in], *b = &p->tensors[out];
  const uint32_t in_place = arn__row_plan_place(p->plan, (uint32_t)in);
  const uint32_t out_place = arn__row_plan_place(p->plan, (uint32_t)out);
  const uint32_t root_dead = p->tensors[a->root].dead;
  if (b->row_bytes > a->row_bytes || root_dead != span.first * a->row_bytes ||
      !passes_whole(p, in, span) || !passes_whole(p, out, span)) {
    return refuse(p, ARN_WHAT_PLAN_STEP, n, in);
  }
  for (uint32_t r = span.first; r < span.first + span.count; r++) {
    const uint32_t x = is_scattered(in_place) ? table_word(p, arn__place_offset(in_place) + 1 + r)
                                              : in_place + r * a->row_bytes;
    const uint32_t y = is_scattered(out_place) ? table_word(p, arn__place_offset(out_place) + 1 + r)
                                               : out_place + r * b->row_bytes;
    if (x != y) return refuse(p, ARN_WHAT_PLAN_OVERLAP, n, out);
  }
  return ARN_OK;
}

static arn_status bear(const arn__proof *p, uint32_t n, uint32_t t, arn_span span, bool in_place) {
  arn__proof_tensor *tensor = &p->tensors[t];
  const bool whole = p->nodes[n].work != ARN_ROWS;
  const uint32_t first = whole ? 0 : span.first * tensor->row_bytes;
  const uint32_t last = whole ? tensor->bytes : (span.first + span.count) * tensor->row_bytes;
  if (tensor->root != t || tensor->born != first || last > tensor->bytes) {
    return refuse(p, ARN_WHAT_PLAN_STEP, n, (int32_t)t);
  }
  if (!in_place && change_bytes(p, t, first, last, TAKE) != ARN_OK) {
    return refuse(p, ARN_WHAT_PLAN_OVERLAP, n, (int32_t)t);
  }
  tensor->born = last;
  return ARN_OK;
}

static arn_status check_writes(const arn__proof *p, uint32_t n, arn_span span, uint32_t in_place) {
  const arn__proof_node *node = &p->nodes[n];
  if (node->work == ARN_FOLD && span.first + span.count < node->rows) return ARN_OK;
  for (uint32_t i = 0; i < node->output_count; i++) {
    const int32_t t = arn_model_index(p->plan->model, node->outputs_at, i);
    if (!p->tensors[t].dynamic) continue;
    TRY(bear(p, n, (uint32_t)t, span, i == 0 && in_place > 0));
  }
  return ARN_OK;
}

static arn_status number(arn__proof *p, uint32_t n, uint32_t *value) {
  const uint32_t end = p->plan->proof_at + p->plan->proof_bytes;
  return arn__row_plan_number(p->plan, &p->cursor, end, value)
             ? ARN_OK : refuse(p, ARN_WHAT_PLAN_STEP, n, ARN_NOWHERE);
}

// Lets `bytes` more of a tensor die; `kept` where the granules have passed to an output.
static arn_status die(const arn__proof *p, uint32_t n, uint32_t t, uint32_t bytes, bool kept) {
  arn__proof_tensor *root = &p->tensors[p->tensors[t].root];
  if (bytes > root->born - root->dead) return refuse(p, ARN_WHAT_PLAN_STEP, n, (int32_t)t);
  if (bytes > 0 && !kept &&
      change_bytes(p, p->tensors[t].root, root->dead, root->dead + bytes, GIVE) != ARN_OK) {
    return refuse(p, ARN_WHAT_PLAN_STEP, n, (int32_t)t);
  }
  root->dead += bytes;
  return ARN_OK;
}

static bool named_before(const arn__proof *p, const arn__proof_node *node, uint32_t slot,
                         uint16_t root) {
  for (uint32_t i = 0; i < slot; i++) {
    const int32_t t = arn_model_index(p->plan->model, node->inputs_at, i);
    if (t >= 0 && p->tensors[t].dynamic && p->tensors[t].root == root) return true;
  }
  return false;
}

static arn_status check_deaths(arn__proof *p, uint32_t n, arn_span span, uint32_t in_place) {
  const arn__proof_node *node = &p->nodes[n];
  for (uint32_t i = 0; i < node->input_count; i++) {
    const int32_t t = arn_model_index(p->plan->model, node->inputs_at, i);
    uint32_t bytes;
    if (t < 0 || !p->tensors[t].dynamic) continue;
    if (named_before(p, node, i, p->tensors[t].root)) continue;
    TRY(number(p, n, &bytes));
    const bool kept = in_place == i + 1;
    if (bytes > 0 && p->tensors[p->tensors[t].root].dynamic == ARN__PROOF_HANDED_OVER) {
      return refuse(p, ARN_WHAT_PLAN_STEP, n, t);
    }
    if (kept && bytes != span.count * p->tensors[t].row_bytes) {
      return refuse(p, ARN_WHAT_PLAN_STEP, n, t);
    }
    TRY(die(p, n, (uint32_t)t, bytes, kept));
  }
  return ARN_OK;
}

static arn_status check_scratch(const arn__proof *p, uint32_t n, arn_span span) {
  const arn__proof_node *node = &p->nodes[n];
  const uint32_t scratch = arn__row_plan_scratch(p->plan, n);
  const uint32_t fold = arn__row_plan_fold(p->plan, n);
  const bool in_parts = node->work == ARN_FOLD && span.count < node->rows && node->fold_bytes > 0;
  if (in_parts && span.first == 0) {
    if (!inside(p, fold, node->fold_bytes) ||
        change_range(p, fold / 4, fold / 4 + granules_of(node->fold_bytes), TAKE) != ARN_OK) {
      return refuse(p, ARN_WHAT_PLAN_OVERLAP, n, ARN_NOWHERE);
    }
  }
  if (node->scratch_bytes > 0 &&
      (!inside(p, scratch, node->scratch_bytes) ||
       !all_free(p, scratch / 4, scratch / 4 + granules_of(node->scratch_bytes)))) {
    return refuse(p, ARN_WHAT_PLAN_OVERLAP, n, ARN_NOWHERE);
  }
  return ARN_OK;
}

static void end_fold(const arn__proof *p, uint32_t n, arn_span span) {
  const arn__proof_node *node = &p->nodes[n];
  const uint32_t fold = arn__row_plan_fold(p->plan, n);
  if (node->work != ARN_FOLD || node->fold_bytes == 0 || span.count == node->rows) return;
  if (span.first + span.count == node->rows) {
    clear(p, fold / 4, fold / 4 + granules_of(node->fold_bytes));
  }
}

// Nodes that touch variables keep their place in the file's order.
static arn_status check_barrier(const arn__proof *p, uint32_t n) {
  for (uint32_t k = 0; k < p->plan->node_count; k++) {
    const arn__proof_node *node = &p->nodes[k];
    if (k == n || node->skip) continue;
    if (node->done != (k < n ? node->rows : 0)) {
      return refuse(p, ARN_WHAT_PLAN_STEP, n, ARN_NOWHERE);
    }
  }
  return ARN_OK;
}

static arn_status check_node_step(arn__proof *p, const arn__row_step *step) {
  arn__proof_node *node = &p->nodes[step->node];
  const arn_span span = {step->first, step->count};
  uint32_t in_place;
  if (node->skip || span.count == 0 || span.first != node->done ||
      span.count > node->rows - node->done) {
    return refuse(p, ARN_WHAT_PLAN_STEP, step->node, ARN_NOWHERE);
  }
  if (node->barrier) TRY(check_barrier(p, step->node));
  TRY(number(p, step->node, &in_place));
  TRY(check_reads(p, step->node, span));
  if (in_place > 0) TRY(check_in_place(p, step->node, span, in_place - 1));
  TRY(check_writes(p, step->node, span, in_place));
  TRY(check_scratch(p, step->node, span));
  TRY(check_deaths(p, step->node, span, in_place));
  end_fold(p, step->node, span);
  node->done += span.count;
  return ARN_OK;
}

static arn_status check_port_step(arn__proof *p, const arn__row_step *step) {
  const arn_subgraph *g = p->subgraph;
  const bool arrives = step->node == p->plan->node_count;
  const uint32_t count = arrives ? g->input_count : g->output_count;
  const uint32_t streamed = arrives ? p->plan->streamed_inputs : p->plan->streamed_outputs;
  if (step->port >= count || step->port >= 32 || !(streamed >> step->port & 1) ||
      step->node > p->plan->node_count + 1) {
    return refuse(p, ARN_WHAT_PLAN_STEP, step->node, ARN_NOWHERE);
  }
  const uint32_t at = arrives ? g->inputs_at : g->outputs_at;
  const uint32_t t = (uint32_t)arn_model_index(p->plan->model, at, step->port);
  arn__proof_tensor *tensor = &p->tensors[t];
  const uint64_t first = (uint64_t)step->first * tensor->row_bytes;
  const uint64_t last = first + (uint64_t)step->count * tensor->row_bytes;
  uint32_t bytes;
  if (!tensor->dynamic || last > tensor->bytes || !may_access(p, t, true, false)) {
    return refuse(p, ARN_WHAT_PLAN_STEP, step->node, (int32_t)t);
  }
  if (arrives) {
    if (tensor->root != t || tensor->born != first ||
        change_bytes(p, t, (uint32_t)first, (uint32_t)last, TAKE) != ARN_OK) {
      return refuse(p, ARN_WHAT_PLAN_OVERLAP, step->node, (int32_t)t);
    }
    tensor->born = (uint32_t)last;
    return ARN_OK;
  }
  TRY(number(p, step->node, &bytes));
  if (first != tensor->dead || bytes != last - first) {  // in order, each row once
    return refuse(p, ARN_WHAT_PLAN_STEP, step->node, (int32_t)t);
  }
  return die(p, step->node, t, bytes, false);
}

arn_status arn__proof_run(arn__proof *p) {
  uint32_t cursor = p->plan->steps_at, steps = 0;
  const uint32_t end = p->plan->steps_at + p->plan->step_bytes;
  arn__row_step step;
  p->cursor = p->plan->proof_at;
  TRY(check_places(p));
  for (uint32_t n = 0; n < p->plan->node_count; n++) {
    if (!p->nodes[n].skip) TRY(check_node_access(p, n));
  }
  TRY(begin_inputs(p));
  TRY(begin_outputs(p));
  while (cursor < end) {
    if (!arn__row_plan_next(p->plan, &cursor, &step)) {
      return refuse(p, ARN_WHAT_PLAN_STEP, 0, ARN_NOWHERE);
    }
    if (step.node < p->plan->node_count) TRY(check_node_step(p, &step));
    else TRY(check_port_step(p, &step));
    steps++;
  }
  if (steps != p->plan->step_count) return refuse(p, ARN_WHAT_PLAN_COUNT, 0, ARN_NOWHERE);
  return end_outputs(p);
}
