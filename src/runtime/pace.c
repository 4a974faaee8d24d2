#include "pace.h"

#include "../graph/place.h"
#include "../graph/rows.h"

// Returns where a tensor begins in the dynamic region; UINT32_MAX: elsewhere.
static uint32_t offset_of(const arn_eval *e, int32_t tensor) {
  const uint32_t place = tensor < 0 ? ARN__PLACE_NONE : e->places[tensor];
  if (place == ARN__PLACE_NONE || arn__place_kind(place) != ARN__PLACE_DYNAMIC) return UINT32_MAX;
  return arn__place_offset(place);
}

arn__pace arn__pace_of(const arn_subgraph *g, const arn_eval *e, uint32_t rows) {
  arn__pace pace = {.rows = rows};
  arn_tensor t;
  const int32_t out = arn_model_index(e->model, e->outputs_at, 0);
  const uint32_t begin = offset_of(e, out);
  if (begin == UINT32_MAX) return pace;
  arn_model_tensor(e->model, g, (uint32_t)out, &t);
  const uint32_t end = begin + t.bytes;
  for (uint32_t i = 0; i < e->input_count; i++) {
    const int32_t in = arn_model_index(e->model, e->inputs_at, i);
    const uint32_t offset = offset_of(e, in);
    if (offset < begin || offset >= end) continue;
    if (pace.out_row > 0) return (arn__pace){.rows = rows};  // read through two slots
    pace.slot = i;
    pace.gap = offset - begin;
    pace.out_row = t.bytes / rows;
    arn_tensor input;
    arn_model_tensor(e->model, g, (uint32_t)in, &input);
    pace.in_row = arn__rows_bytes(&input);
  }
  return pace;
}

uint32_t arn__pace_next(const arn__pace *pace, const arn_op *op, const void *state, uint32_t row) {
  const uint32_t left = pace->rows - row;
  arn_span needed = {0, 0};
  if (pace->out_row == 0) return 1;
  op->rows(state, pace->slot, (arn_span){row, left}, &needed);
  if (needed.count == 0) return 1;
  const uint32_t free_rows = (pace->gap + needed.first * pace->in_row) / pace->out_row;
  const uint32_t count = free_rows > row ? free_rows - row : 1;
  return count < left ? count : left;
}
