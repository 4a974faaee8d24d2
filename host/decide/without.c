#include "host/decide/without.h"

#include <stdlib.h>

#include "host/check/engine.h"
#include "host/search/pack.h"

#define MAX_OPS 512u

// ---- scratch -----------------------------------------------------------------------------------

// The operators, each with a prepare that takes its wish for scratch back. An operator's prepare
// has no context of its own, so the list is here.
static arn_op plain[MAX_OPS];
static const arn_op *plain_list[MAX_OPS];
static const arn_op_list *real;

static arn_status prepare_plain(arn_prepare *p, void *state) {
  const arn_op *own = p->op;
  p->op = real->ops[own - plain];
  const arn_status status = p->op->prepare(p, state);
  p->op = own;
  p->scratch_bytes = 0;
  return status;
}

arn_status host_measure_without_scratch(const arn_model *model, const arn_config *config,
                                        arn_usage *usage) {
  arn_error error;
  arn_config changed = *config;
  real = config->ops ? config->ops : &arn_ops_all;
  if (real->count > MAX_OPS) return ARN_ERR_UNSUPPORTED;
  for (uint32_t i = 0; i < real->count; i++) {
    plain[i] = *real->ops[i];
    plain[i].prepare = prepare_plain;
    plain_list[i] = &plain[i];
  }
  const arn_op_list list = {plain_list, real->count, real->plans};
  changed.ops = &list;
  return host_measure(model, &changed, usage, &error);
}

// ---- bytes instead of floats -------------------------------------------------------------------

static uint32_t in_bytes(const host_tensor_fact *t) {
  switch (t->tensor.type) {
    case ARN_FLOAT32: return t->tensor.bytes / 4;
    case ARN_FLOAT16:
    case ARN_INT16: return t->tensor.bytes / 2;
    default: return t->tensor.bytes;
  }
}

static uint32_t add_items(const host_facts *f, arn_pack_item *items, uint32_t alignment,
                          bool *smaller) {
  uint32_t count = 0;
  for (uint32_t i = 0; i < f->tensor_count; i++) {
    const host_tensor_fact *t = &f->tensors[i];
    if (t->owner != (int32_t)i || t->first < 0 || t->tensor.bytes == 0) continue;
    const uint32_t size = in_bytes(t);
    *smaller = *smaller || size < t->tensor.bytes;
    items[count++] = (arn_pack_item){.lower = (uint32_t)t->first, .upper = (uint32_t)t->last + 1u,
                                     .size = size ? size : 1u, .alignment = alignment,
                                     .fixed = ARN_PACK_FREE};
  }
  for (uint32_t n = 0; n < f->step_count; n++) {
    const uint32_t scratch = f->steps[n].memory.scratch_bytes;
    if (scratch == 0) continue;
    items[count++] = (arn_pack_item){.lower = n, .upper = n + 1u, .size = scratch,
                                     .alignment = alignment, .fixed = ARN_PACK_FREE};
  }
  return count;
}

uint32_t host_pack_in_bytes(const host_facts *f, uint32_t alignment) {
  const uint32_t room = f->tensor_count + f->step_count + 1u;
  arn_pack_item *items = calloc(room, sizeof *items);
  uint32_t *offsets = calloc(room, sizeof *offsets);
  bool smaller = false;
  uint32_t bytes = 0;
  if (items && offsets) {
    arn_pack_problem problem = {.items = items};
    const arn_pack_options options = {.budget_seconds = 1.0};
    arn_pack_result result = {.offsets = offsets};
    problem.count = add_items(f, items, alignment, &smaller);
    if (smaller) (void)arn_pack_minimize(&problem, &options, &result);
    if (smaller && result.found) bytes = result.height;
  }
  free(items);
  free(offsets);
  return bytes;
}
