// The plan that a file may carry in its "OfflineMemoryAllocation" metadata, as TFLite Micro reads
// it: int32 words {version 1, subgraph, count, then for each tensor an offset, or -1 for
// "wherever"}. count is the number of tensors of that subgraph; a list for all subgraphs together,
// one after the other, is taken too.
#include "../model/flatbuffer.h"
#include "plans.h"

#define PLAN_WORDS 3u
#define VERSION 1u

static uint32_t tensors_before(const arn_model *m, uint32_t subgraph) {
  uint32_t sum = 0;
  arn_subgraph g;
  for (uint32_t i = 0; i < subgraph && arn_model_subgraph(m, i, &g) == ARN_OK; i++) {
    sum += g.tensor_count;
  }
  return sum;
}

static arn_status refuse(arn__starter *s, arn_what what, uint32_t subgraph, int32_t tensor) {
  arn__starter_fail(s, ARN_ERR_PLAN, what, (int32_t)subgraph, ARN_NOWHERE);
  s->error->tensor = tensor;
  return ARN_ERR_PLAN;
}

static arn_status set_offset(arn__starter *s, arn__buffer *b, uint32_t subgraph, int32_t offset) {
  b->offset = ARN__UNPLACED;
  if (offset == -1) return ARN_OK;
  if (offset < 0 || (uint32_t)offset > ARN__FIT_ORIGIN - b->bytes || offset % 4 != 0) {
    return refuse(s, ARN_WHAT_PLAN_OFFSET, subgraph, b->tensor);
  }
  b->offset = ARN__FIT_ORIGIN + (uint32_t)offset;
  return ARN_OK;
}

static arn_status check_overlaps(arn__starter *s, const arn__planning *p, uint32_t subgraph) {
  for (uint32_t a = 0; a < p->buffers.count; a++) {
    const arn__buffer *mine = arn__buffer_at(&p->buffers, a);
    if (!arn__buffer_is_placed_kind(mine) || mine->offset == ARN__UNPLACED) continue;
    for (uint32_t b = 0; b < a; b++) {
      if (arn__fit_conflicts(p, a, b)) {
        return refuse(s, ARN_WHAT_PLAN_OVERLAP, subgraph, mine->tensor);
      }
    }
  }
  return ARN_OK;
}

static arn_status place(arn__starter *s, arn__planning *p, uint32_t subgraph) {
  const arn_model *m = s->model;
  arn_subgraph g;
  uint32_t bytes;
  const void *found = arn_model_metadata(m, "OfflineMemoryAllocation", &bytes);
  if (found == NULL) return ARN_OK;
  if (arn_model_subgraph(m, subgraph, &g) != ARN_OK) return ARN_ERR_INTERNAL;
  const uint32_t at = (uint32_t)((const uint8_t *)found - m->bytes);
  if (bytes < PLAN_WORDS * 4) return refuse(s, ARN_WHAT_PLAN_COUNT, subgraph, ARN_NOWHERE);
  if (arn__fb_u32(m, at) != VERSION) {
    return refuse(s, ARN_WHAT_PLAN_VERSION, subgraph, ARN_NOWHERE);
  }
  const uint32_t count = arn__fb_u32(m, at + 8);
  const uint32_t all = tensors_before(m, m->subgraph_count);
  const bool for_all = count == all && m->subgraph_count > 1;
  if (!for_all && arn__fb_u32(m, at + 4) != subgraph) return ARN_OK;
  if ((!for_all && count != g.tensor_count) || count != bytes / 4 - PLAN_WORDS) {
    return refuse(s, ARN_WHAT_PLAN_COUNT, subgraph, ARN_NOWHERE);
  }
  const uint32_t first = at + 4 * (PLAN_WORDS + (for_all ? tensors_before(m, subgraph) : 0));
  for (uint32_t i = 0; i < p->buffers.count; i++) {
    arn__buffer *b = arn__buffer_at(&p->buffers, i);
    if (b->kind != ARN__BUFFER_TENSOR) continue;
    const int32_t offset = arn_model_index(m, first, b->tensor);
    const arn_status status = set_offset(s, b, subgraph, offset);
    if (status != ARN_OK) return status;
  }
  return check_overlaps(s, p, subgraph);
}

arn_status arn__plans_place(arn__starter *s, arn__planning *p, uint32_t subgraph) {
  const arn_status status = place(s, p, subgraph);
  if (status == ARN_OK) s->dynamic[subgraph] = arn__plan_rest(p);
  return status;
}
