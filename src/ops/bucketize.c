// BUCKETIZE: for each value, how many of the boundaries (an option, in ascending order) are not
// above it. Integers are compared as floats, as in TFLite. A NaN is above all.
#include "../kernels/kernel.h"
#include "movement.h"

enum { OPTION_BOUNDARIES = 0 };

typedef struct bucketize_state {
  uint32_t row_count;
  uint32_t boundaries_at, boundary_count;
  uint32_t type;
} bucketize_state;

static float boundary(const uint8_t *boundaries, uint32_t i) {
  float value;
  memcpy(&value, boundaries + 4 * i, sizeof value);
  return value;
}

static arn_status prepare_boundaries(const arn_prepare *p, bucketize_state *s) {
  s->boundaries_at = arn_option_vector(p, OPTION_BOUNDARIES, 4, &s->boundary_count);
  const uint8_t *boundaries = p->model->bytes + s->boundaries_at;
  for (uint32_t i = 1; i < s->boundary_count; i++) {
    const bool ascending = boundary(boundaries, i - 1) <= boundary(boundaries, i);
    if (!ascending) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  }
  return ARN_OK;
}

static arn_status prepare_bucketize(arn_prepare *p, void *state) {
  bucketize_state *s = state;
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn_prepare_input(p, 0, &in));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  if (!(p->op->types >> in.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &in);
  if (out.type != ARN_INT32) return arn_refuse_model(p, ARN_WHAT_TYPE, &out);
  if (!arn__rows_same_shape(&in, &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  ARN__TRY(prepare_boundaries(p, s));
  arn__movement_by_rows(p, &out);
  p->in_place = 1;
  s->row_count = out.count / p->rows;
  s->type = in.type;
  return ARN_OK;
}

static void bucketize_span(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  (void)input;
  *in = out;
}

static float value_at(const uint8_t *row, uint32_t type, uint32_t i) {
  if (type == ARN_FLOAT32) return boundary(row, i);
  if (type == ARN_INT32) {
    int32_t value;
    memcpy(&value, row + 4 * i, sizeof value);
    return (float)value;
  }
  int64_t value;
  memcpy(&value, row + 8 * i, sizeof value);
  return (float)value;
}

// The first boundary above `value`, by halving; without branches, of which none could be foreseen.
static uint32_t bucket_of(const uint8_t *boundaries, uint32_t count, float value) {
  uint32_t first = 0;
  while (count > 0) {
    const uint32_t half = (count + 1) / 2;  // boundaries before and with the one that is looked at
    first += value < boundary(boundaries, first + half - 1) ? 0 : half;
    count -= half;
  }
  return first;
}

// A few boundaries are compared with one after the other, for many values side by side.
#define FEW 16u
#define MANY 64u

ARN__KERNEL static void count_boundaries(const float *x, uint32_t n, const uint8_t *boundaries,
                                         uint32_t count, int32_t *buckets) {
  for (uint32_t i = 0; i < n; i++) buckets[i] = 0;
  for (uint32_t k = 0; k < count; k++) {
    const float bound = boundary(boundaries, k);
    for (uint32_t i = 0; i < n; i++) buckets[i] += !(x[i] < bound);
  }
}

static void bucketize_piece(const bucketize_state *s, const uint8_t *boundaries, const uint8_t *in,
                            uint32_t first, uint32_t n, int32_t *buckets) {
  float x[MANY];
  for (uint32_t i = 0; i < n; i++) x[i] = value_at(in, s->type, first + i);
  if (s->boundary_count <= FEW) {
    count_boundaries(x, n, boundaries, s->boundary_count, buckets);
  } else {
    for (uint32_t i = 0; i < n; i++) {
      buckets[i] = (int32_t)bucket_of(boundaries, s->boundary_count, x[i]);
    }
  }
}

static arn_status eval_bucketize(const arn_eval *e, const void *state) {
  const bucketize_state *s = state;
  const uint8_t *boundaries = e->model->bytes + s->boundaries_at;
  const arn_rows in = arn_eval_input(e, 0, s->row_count * arn_type_bytes((arn_type)s->type));
  const arn_rows out = arn_eval_output(e, 0, s->row_count * 4);
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    const uint8_t *row = arn_row(&in, r);
    uint8_t *to = arn_row(&out, r);
    for (uint32_t i = 0; i < s->row_count; i += MANY) {
      const uint32_t n = s->row_count - i < MANY ? s->row_count - i : MANY;
      int32_t buckets[MANY];
      bucketize_piece(s, boundaries, row, i, n, buckets);
      memcpy(to + 4 * i, buckets, 4 * n);
    }
  }
  return ARN_OK;
}

const arn_op arn_op_bucketize = {
    "BUCKETIZE", 147, sizeof(bucketize_state),
    ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64), 0, NULL,
    prepare_bucketize, bucketize_span, eval_bucketize};
