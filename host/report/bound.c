#include "host/report/bound.h"

#include <stdlib.h>
#include <string.h>

#include "host/check/trial.h"
#include "src/graph/rows.h"

#define MAX_ROWS_LOOKED_AT 100000u

// The node of a step, prepared again.
struct step_node {
  const host_facts *f;
  uint32_t n;
  host_trial t;
};

// Says whether the node's first output may share bytes with tensors that it reads last.
static bool may_overlap(const struct step_node *s) {
  const uint8_t flags = s->f->nn->config.flags;
  if (flags & (ARN_KEEP_ALL | ARN_NO_OVERLAP) || s->t.node.output_count == 0) return false;
  const bool rows = s->t.p.work == ARN_ROWS && s->t.p.rows > 1 && s->t.p.op->rows;
  return rows || s->t.p.in_place != 0;
}

// Bytes of a dying input that are needed from output row `row` on; all of it unless run by rows.
static uint32_t still_needed(const struct step_node *s, uint32_t slot, const arn_tensor *t,
                             uint32_t row) {
  if (!(s->t.p.work == ARN_ROWS && s->t.p.rows > 1 && s->t.p.op->rows)) return t->bytes;
  const uint32_t in_row = arn__rows_bytes(t), in_rows = arn__rows_of(t).rows;
  uint32_t first = in_rows;
  for (uint32_t r = row; r < s->t.p.rows && r < row + 64; r++) {
    arn_span in = {0, 0};
    s->t.p.op->rows(s->t.state, slot, (arn_span){r, 1}, &in);
    if (in.count > 0 && in.first < first) first = in.first;
  }
  return first < in_rows ? t->bytes - first * in_row : 0;
}

// The slot's tensor where it dies in this step and owns its bytes; else NULL.
static const host_tensor_fact *dying(const struct step_node *s, uint32_t slot) {
  const int32_t tensor = arn_model_index(s->f->nn->model, s->t.node.inputs_at, slot);
  if (tensor < 0) return NULL;
  const host_tensor_fact *t = &s->f->tensors[tensor];
  if (t->owner < 0) return NULL;
  const host_tensor_fact *owner = &s->f->tensors[t->owner];
  if (owner->last != (int32_t)s->n || owner->producer == (int32_t)s->n) return NULL;
  return owner->tensor.bytes == t->tensor.bytes ? owner : NULL;
}

// Needed of all dying inputs at `row`; an owner read through two slots is counted once.
static uint32_t dying_bytes(const struct step_node *s, uint32_t row, uint32_t in_place_bytes) {
  uint32_t sum = 0;
  for (uint32_t i = 0; i < s->t.node.input_count; i++) {
    const host_tensor_fact *owner = dying(s, i);
    bool seen = false;
    for (uint32_t k = 0; k < i && !seen; k++) seen = owner != NULL && dying(s, k) == owner;
    if (owner == NULL || seen) continue;
    arn_prepare p = s->t.p;
    arn_tensor t;
    if (arn_prepare_input(&p, i, &t) != ARN_OK) t = owner->tensor;
    uint32_t bytes = still_needed(s, i, &t, row);
    if (i < 32 && (s->t.p.in_place >> i & 1)) {
      bytes -= bytes < in_place_bytes ? bytes : in_place_bytes;
      in_place_bytes = 0;
    }
    sum += bytes;
  }
  return sum;
}

// Bytes alive across the step other than the node's first output and its dying inputs.
static uint32_t others(const struct step_node *s, const host_tensor_fact *out) {
  uint32_t sum = s->f->steps[s->n].memory.scratch_bytes;
  for (uint32_t i = 0; i < s->f->tensor_count; i++) {
    const host_tensor_fact *t = &s->f->tensors[i];
    if (t->owner != (int32_t)i || t == out || t->first < 0) continue;
    if (t->first > (int32_t)s->n || t->last < (int32_t)s->n) continue;
    bool dies = false;
    for (uint32_t k = 0; k < s->t.node.input_count && !dies; k++) dies = dying(s, k) == t;
    if (!dies) sum += t->tensor.bytes;
  }
  return sum;
}

// The sum of everything alive, where nothing may overlap.
static uint32_t plain_sum(const host_facts *f, uint32_t n) {
  uint32_t sum = f->steps[n].memory.scratch_bytes;
  for (uint32_t i = 0; i < f->tensor_count; i++) {
    const host_tensor_fact *t = &f->tensors[i];
    if (t->owner != (int32_t)i || t->first < 0) continue;
    if (t->first <= (int32_t)n && t->last >= (int32_t)n) sum += t->tensor.bytes;
  }
  return sum;
}

static uint32_t worst_row(const struct step_node *s, const host_tensor_fact *out) {
  const uint32_t rows = s->t.p.work == ARN_ROWS && s->t.p.rows > 1 ? s->t.p.rows : 1;
  const uint32_t row_bytes = out->tensor.bytes / rows;
  uint32_t worst = 0;
  for (uint32_t r = 0; r < rows && r < MAX_ROWS_LOOKED_AT; r++) {
    const uint32_t written = (r + 1) * row_bytes;
    const uint32_t sum = written + dying_bytes(s, r, s->t.p.in_place ? row_bytes : 0);
    if (sum > worst) worst = sum;
  }
  return worst;
}

uint32_t host_bound_of_step(const host_facts *f, uint32_t n) {
  struct step_node s = {.f = f, .n = n};
  const bool prepared = host_trial_prepare(&s.t, f->nn, 0, n);
  if (!prepared || s.t.memory.skipped || !may_overlap(&s)) return plain_sum(f, n);
  const int32_t tensor = arn_model_index(f->nn->model, s.t.node.outputs_at, 0);
  const host_tensor_fact *out = &f->tensors[tensor];
  if (out->owner != tensor) return plain_sum(f, n);
  return others(&s, out) + worst_row(&s, out);
}
