#include "movement.h"

#define MAX_ROWS 65535u

arn_status arn__movement_pair(const arn_prepare *p, uint32_t input, arn_tensor *in,
                              arn_tensor *out) {
  ARN__TRY(arn_prepare_input(p, input, in));
  ARN__TRY(arn_prepare_output(p, 0, out));
  if (!(p->op->types >> in->type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, in);
  if (in->type != out->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, out);
  return ARN_OK;
}

arn_status arn__movement_index(const arn_prepare *p, uint32_t i, arn__index *index) {
  arn_tensor t;
  ARN__TRY(arn_prepare_input(p, i, &t));
  if (t.type != ARN_INT32 && t.type != ARN_INT64) return arn_refuse(p, ARN_WHAT_TYPE, &t);
  if (t.rank > 2) return arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
  *index = (arn__index){arn_tensor_data(p->model, &t), t.type, t.count};
  return ARN_OK;
}

int32_t arn__index_at(const void *data, uint32_t type, uint32_t i) {
  const uint8_t *bytes = data;
  if (type == ARN_INT32) {
    int32_t value;
    memcpy(&value, bytes + 4u * i, sizeof value);
    return value;
  }
  int64_t value;
  memcpy(&value, bytes + 8u * i, sizeof value);
  if (value > INT32_MAX) return INT32_MAX;
  return value < INT32_MIN ? INT32_MIN : (int32_t)value;
}

arn_status arn__movement_axis(const arn_prepare *p, int32_t value, uint32_t rank, uint32_t *axis) {
  if (value < 0) value += (int32_t)rank;
  if (value < 0 || value >= (int32_t)rank) return arn_refuse_model(p, ARN_WHAT_AXIS, NULL);
  *axis = (uint32_t)value;
  return ARN_OK;
}

arn_status arn__movement_axis_input(const arn_prepare *p, uint32_t i, uint32_t rank,
                                    uint32_t *axis) {
  arn__index index = {0};
  ARN__TRY(arn__movement_index(p, i, &index));
  if (index.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, NULL);
  if (index.data == NULL) return arn_refuse(p, ARN_WHAT_TENSOR_CONSTANT, NULL);
  return arn__movement_axis(p, arn__index_at(index.data, index.type, 0), rank, axis);
}

uint32_t arn__movement_product(const arn_tensor *t, uint32_t from, uint32_t to) {
  uint32_t product = 1;
  for (uint32_t i = from; i < to; i++) product *= (uint32_t)t->dims[i];
  return product;
}

uint32_t arn__movement_rows(const arn_tensor *out) {
  const uint32_t rows = arn__rows_of(out).rows;
  return rows <= MAX_ROWS ? rows : 1;
}

void arn__movement_by_rows(arn_prepare *p, const arn_tensor *out) {
  p->rows = arn__movement_rows(out);
  p->work = p->rows == arn__rows_of(out).rows ? ARN_ROWS : ARN_WHOLE;
}

// Bytes from `at` to the end of its row.
static uint32_t left_in_row(const arn_rows *rows, uint32_t at) {
  return rows->table ? rows->row_bytes - at % rows->row_bytes : UINT32_MAX;
}

void arn__movement_copy(const arn_rows *target, uint32_t to, const arn_rows *source, uint32_t from,
                        uint32_t count) {
  while (count > 0) {
    uint8_t *into = arn__movement_at(target, to);
    const uint8_t *bytes = arn__movement_at(source, from);
    uint32_t n = left_in_row(target, to);
    const uint32_t there = left_in_row(source, from);
    n = n < there ? n : there;
    n = n < count ? n : count;
    if (into != bytes) memcpy(into, bytes, n);
    to += n;
    from += n;
    count -= n;
  }
}
