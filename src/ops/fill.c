// FILL: one value, everywhere. RANGE: start, start + delta, ... up to limit. Their shapes are those
// of the output tensor; what is only known at run time must agree.
#include <math.h>

#include "movement.h"

// ---- FILL ---------------------------------------------------------------------------------------

typedef struct fill_state {
  uint32_t row_bytes;
  uint8_t element;   // bytes
  uint8_t late;      // the shape comes at run time
  uint8_t type;      // of the shape
  uint8_t rank;
  int32_t dims[ARN_MAX_RANK];  // only if late
} fill_state;

static bool has_shape(const fill_state *s, const void *shape) {
  for (uint32_t i = 0; i < s->rank; i++) {
    if (arn__index_at(shape, s->type, i) != s->dims[i]) return false;
  }
  return true;
}

static arn_status fill_prepare(arn_prepare *p, void *state) {
  fill_state *s = state;
  arn_tensor value, out;
  arn__index shape;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_index(p, 0, &shape));
  ARN__TRY(arn_prepare_input(p, 1, &value));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  if (!(ARN__MOVEMENT_TYPES >> value.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &value);
  if (value.type != out.type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &out);
  if (value.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &value);
  if (shape.count != out.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  s->type = shape.type;
  s->rank = out.rank;
  memcpy(s->dims, out.dims, sizeof s->dims);
  s->late = shape.data == NULL && shape.count > 0;
  if (!s->late && !has_shape(s, shape.data)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  arn__movement_by_rows(p, &out);
  s->element = (uint8_t)arn_type_bytes((arn_type)out.type);
  s->row_bytes = out.bytes / p->rows;
  p->state_bytes = (uint32_t)offsetof(fill_state, dims) + (s->late ? 4u * out.rank : 0);
  return ARN_OK;
}

static void fill_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  (void)input;
  (void)out;
  *in = (arn_span){0, 1};
}

static arn_status fill_eval(const arn_eval *e, const void *state) {
  const fill_state *s = state;
  if (s->late && !has_shape(s, arn_eval_in(e, 0))) {
    return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
  }
  const void *value = arn_eval_in(e, 1);
  const arn_rows out = arn_eval_output(e, 0, s->row_bytes);
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    arn__move_fill(arn_row(&out, r), value, s->element, s->row_bytes / s->element);
  }
  return ARN_OK;
}

const arn_op arn_op_fill = {"FILL", 94, sizeof(fill_state),
                            ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64), 0, NULL,
                            fill_prepare, fill_rows, fill_eval};

// ---- RANGE --------------------------------------------------------------------------------------

typedef struct range_state {
  uint32_t count;
  uint32_t type;
} range_state;

static arn_status range_prepare(arn_prepare *p, void *state) {
  range_state *s = state;
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 3, 3, 1));
  for (uint32_t i = 0; i < 3; i++) {
    ARN__TRY(arn__movement_pair(p, i, &in, &out));
    if (in.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &in);
  }
  if (out.rank != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  *s = (range_state){out.count, out.type};
  return ARN_OK;
}

// Steps of `delta` from `start` up to, not including, `limit`; UINT64_MAX where they never get
// there.
static uint64_t count_steps(int64_t start, int64_t limit, int64_t delta) {
  const bool up = delta > 0;
  if (delta == 0 || (up ? limit < start : limit > start)) return UINT64_MAX;
  const uint64_t difference = (uint64_t)limit - (uint64_t)start;
  const uint64_t distance = up ? difference : 0u - difference;
  const uint64_t step = up ? (uint64_t)delta : 0u - (uint64_t)delta;
  return distance / step + (distance % step > 0);
}

static int64_t read_integer(const arn_eval *e, uint32_t i, uint32_t type) {
  int32_t narrow;
  int64_t wide;
  memcpy(&narrow, arn_eval_in(e, i), sizeof narrow);
  if (type == ARN_INT32) return narrow;
  memcpy(&wide, arn_eval_in(e, i), sizeof wide);
  return wide;
}

static bool range_of_integers(const arn_eval *e, const range_state *s) {
  uint8_t *out = arn_eval_out(e, 0);
  const int64_t start = read_integer(e, 0, s->type), delta = read_integer(e, 2, s->type);
  const size_t element = s->type == ARN_INT32 ? 4 : 8;
  if (count_steps(start, read_integer(e, 1, s->type), delta) != s->count) return false;
  uint64_t value = (uint64_t)start;
  for (uint32_t i = 0; i < s->count && element == 4; i++) {
    const uint32_t word = (uint32_t)value + i * (uint32_t)delta;
    memcpy(out + 4 * i, &word, sizeof word);
  }
  for (uint32_t i = 0; i < s->count && element == 8; i++, value += (uint64_t)delta) {
    memcpy(out + 8 * i, &value, sizeof value);
  }
  return true;
}

// Sums and products of whole numbers below this are exact.
#define SMALL 8388608.0f

static bool is_small_integer(float x) { return fabsf(x) < SMALL && floorf(x) == x; }

// The reference adds up, too: rounding is part of the result. Where nothing is rounded, elements
// need not wait for each other.
static bool range_of_floats(const arn_eval *e, const range_state *s) {
  float start, limit, delta;
  uint8_t *out = arn_eval_out(e, 0);
  memcpy(&start, arn_eval_in(e, 0), sizeof start);
  memcpy(&limit, arn_eval_in(e, 1), sizeof limit);
  memcpy(&delta, arn_eval_in(e, 2), sizeof delta);
  const bool arrives = (start <= limit && delta > 0) || (start >= limit && delta < 0);
  if (!arrives || ceilf(fabsf((limit - start) / delta)) != (float)s->count) return false;
  const bool is_exact = is_small_integer(start) && is_small_integer(delta) &&
                        fabsf(start + (float)s->count * delta) < SMALL;
  for (uint32_t i = 0; i < s->count && is_exact; i++) {
    const float value = start + (float)(int32_t)i * delta;
    memcpy(out + 4 * i, &value, sizeof value);
  }
  for (uint32_t i = 0; i < s->count && !is_exact; i++, start += delta) {
    memcpy(out + 4 * i, &start, sizeof start);
  }
  return true;
}

static arn_status range_eval(const arn_eval *e, const void *state) {
  const range_state *s = state;
  const bool fits = s->type == ARN_FLOAT32 ? range_of_floats(e, s) : range_of_integers(e, s);
  return fits ? ARN_OK : arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
}

const arn_op arn_op_range = {"RANGE", 96, sizeof(range_state),
                             ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT32) |
                                 ARN_TYPE_BIT(ARN_INT64),
                             0, NULL, range_prepare, NULL, range_eval};
