// How eval finds its tensors: a word of the places table becomes an address.
#include "arenite/op.h"
#include "place.h"

static arn_rows resolve(const arn_eval *e, uint32_t vector_at, uint32_t i, uint32_t row_bytes) {
  arn_rows rows = {NULL, NULL, row_bytes};
  const int32_t tensor = arn_model_index(e->model, vector_at, i);
  if (tensor < 0) return rows;
  const uint32_t place = e->places[tensor];
  if (place == ARN__PLACE_NONE) return rows;
  const uint32_t offset = arn__place_offset(place);
  switch (arn__place_kind(place)) {
    case ARN__PLACE_DYNAMIC: rows.base = e->dynamic + offset; break;
    case ARN__PLACE_STATIC: rows.base = e->arena + offset; break;
    case ARN__PLACE_FILE: rows.base = (uint8_t *)(uintptr_t)(e->model->bytes + offset); break;
    default:
      rows.base = e->dynamic;
      rows.row_bytes = e->tables[offset];
      rows.table = e->tables + offset + 1;
      break;
  }
  return rows;
}

arn_rows arn_eval_input(const arn_eval *e, uint32_t i, uint32_t row_bytes) {
  if (i >= e->input_count) return (arn_rows){NULL, NULL, row_bytes};
  return resolve(e, e->inputs_at, i, row_bytes);
}

arn_rows arn_eval_output(const arn_eval *e, uint32_t i, uint32_t row_bytes) {
  if (i >= e->output_count) return (arn_rows){NULL, NULL, row_bytes};
  return resolve(e, e->outputs_at, i, row_bytes);
}

const void *arn_eval_in(const arn_eval *e, uint32_t i) {
  const arn_rows rows = arn_eval_input(e, i, 0);
  return rows.base;
}

void *arn_eval_out(const arn_eval *e, uint32_t i) {
  const arn_rows rows = arn_eval_output(e, i, 0);
  return rows.base;
}

arn_status arn_eval_fail(const arn_eval *e, arn_what what, uint32_t need, uint32_t have) {
  if (e->error) {
    e->error->status = ARN_ERR_DATA;
    e->error->what = what;
    e->error->need = need;
    e->error->have = have;
  }
  return ARN_ERR_DATA;
}
