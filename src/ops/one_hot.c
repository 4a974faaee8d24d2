// ONE_HOT: a new axis, along which the element that the index names is `on` and all others are
// `off`. An index outside names none.
#include "movement.h"

// Output [outer][depth][inner], indices [outer][inner].
typedef struct one_hot_state {
  uint32_t depth, inner;
  uint32_t row_count;   // elements of a row of the output
  uint8_t element;
  uint8_t index_type, depth_type;
  uint8_t late;         // the depth comes at run time
} one_hot_state;

// Checks the output's shape: the indices' with the depth put in at `axis`.
static bool fits(const arn_tensor *indices, const arn_tensor *out, uint32_t axis) {
  if (out->rank != indices->rank + 1) return false;
  for (uint32_t i = 0; i < indices->rank; i++) {
    if (out->dims[i < axis ? i : i + 1] != indices->dims[i]) return false;
  }
  return true;
}

static arn_status read_depth(const arn_prepare *p, one_hot_state *s) {
  arn__index depth;
  ARN__TRY(arn__movement_index(p, 1, &depth));
  if (depth.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, NULL);
  s->depth_type = depth.type;
  s->late = depth.data == NULL;
  if (s->late || arn__index_at(depth.data, depth.type, 0) == (int32_t)s->depth) return ARN_OK;
  return arn_refuse_model(p, ARN_WHAT_SHAPE, NULL);
}

// The values of `on` and `off`: scalars of the output's type.
static arn_status check_values(const arn_prepare *p, const arn_tensor *out) {
  arn_tensor value;
  for (uint32_t i = 2; i < 4; i++) {
    ARN__TRY(arn_prepare_input(p, i, &value));
    if (value.type != out->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &value);
    if (value.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &value);
  }
  return ARN_OK;
}

static arn_status one_hot_prepare(arn_prepare *p, void *state) {
  one_hot_state *s = state;
  arn_tensor indices, out;
  uint32_t axis;
  ARN__TRY(arn_prepare_counts(p, 4, 4, 1));
  ARN__TRY(arn_prepare_input(p, 0, &indices));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  if (!(p->op->types >> indices.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &indices);
  if (!(ARN__MOVEMENT_TYPES >> out.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &out);
  ARN__TRY(check_values(p, &out));
  ARN__TRY(arn__movement_axis(p, arn_option_i32(p, 0, 0), out.rank, &axis));
  if (!fits(&indices, &out, axis)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  s->depth = (uint32_t)out.dims[axis];
  s->inner = arn__movement_product(&out, axis + 1, out.rank);
  ARN__TRY(read_depth(p, s));
  arn__movement_by_rows(p, &out);
  if (!(indices.flags & ARN_TENSOR_CONST) && arn__rows_of(&indices).rows > 1) {
    p->work = ARN_WHOLE;
    p->rows = 1;
  }
  s->row_count = out.count / p->rows;
  s->element = (uint8_t)arn_type_bytes((arn_type)out.type);
  s->index_type = indices.type;
  return ARN_OK;
}

static void one_hot_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  (void)input;
  (void)out;
  *in = (arn_span){0, 1};
}

static void make_row(const arn_eval *e, const one_hot_state *s, uint32_t row, uint8_t *target) {
  const void *indices = arn_eval_in(e, 0);
  const uint32_t first = row * s->row_count, end = first + s->row_count;
  const uint32_t group = s->depth * s->inner;
  arn__move_fill(target, arn_eval_in(e, 3), s->element, s->row_count);
  for (uint32_t outer = first / group; outer * group < end; outer++) {
    for (uint32_t i = 0; i < s->inner; i++) {
      const int32_t index = arn__index_at(indices, s->index_type, outer * s->inner + i);
      if (index < 0 || (uint32_t)index >= s->depth) continue;
      const uint32_t at = outer * group + (uint32_t)index * s->inner + i;
      if (at < first || at >= end) continue;
      memcpy(target + (at - first) * s->element, arn_eval_in(e, 2), s->element);
    }
  }
}

static arn_status one_hot_eval(const arn_eval *e, const void *state) {
  const one_hot_state *s = state;
  const arn_rows out = arn_eval_output(e, 0, s->row_count * s->element);
  if (s->late && arn__index_at(arn_eval_in(e, 1), s->depth_type, 0) != (int32_t)s->depth) {
    return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, s->depth, 0);
  }
  if (s->row_count == 0) return ARN_OK;
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    make_row(e, s, r, arn_row(&out, r));
  }
  return ARN_OK;
}

const arn_op arn_op_one_hot = {"ONE_HOT", 85, sizeof(one_hot_state),
                               ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64), 0, NULL,
                               one_hot_prepare, one_hot_rows, one_hot_eval};
