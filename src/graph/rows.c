#include "rows.h"

#include <string.h>

arn__rows_shape arn__rows_of(const arn_tensor *t) {
  arn__rows_shape shape = {1, t->count, -1};
  if (t->rank < 3 || t->dims[0] != 1 || t->count == 0) return shape;
  for (int32_t axis = 1; axis < t->rank - 1; axis++) {
    if (t->dims[axis] == 1) continue;
    shape.axis = axis;
    shape.rows = (uint32_t)t->dims[axis];
    shape.row_count = t->count / shape.rows;
    break;
  }
  return shape;
}

uint32_t arn__rows_bytes(const arn_tensor *t) {
  return arn__rows_of(t).row_count * arn_type_bytes((arn_type)t->type);
}

bool arn__rows_same_shape(const arn_tensor *a, const arn_tensor *b) {
  if (a->rank != b->rank) return false;
  for (uint32_t i = 0; i < a->rank; i++) {
    if (a->dims[i] != b->dims[i]) return false;
  }
  return true;
}
