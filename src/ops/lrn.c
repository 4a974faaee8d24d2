// LOCAL_RESPONSE_NORMALIZATION: divides each value by a power of the energy of its neighbours along
// the last axis.
#include "../graph/rows.h"
#include "../kernels/lrn.h"
#include "arenite/op.h"

// Fields of LocalResponseNormalizationOptions.
enum { OPTION_RADIUS = 0, OPTION_BIAS = 1, OPTION_ALPHA = 2, OPTION_BETA = 3 };

typedef struct lrn_state {
  uint32_t vectors;  // of a row
  uint32_t depth;
  uint32_t radius;
  float bias, alpha, beta;
} lrn_state;

static arn_status check(const arn_prepare *p, const arn_tensor *in, const arn_tensor *out) {
  if (in->type != ARN_FLOAT32) return arn_refuse(p, ARN_WHAT_TYPE, in);
  if (in->type != out->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, out);
  if (in->rank == 0) return arn_refuse_model(p, ARN_WHAT_RANK, in);
  if (!arn__rows_same_shape(in, out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  if (arn_option_i32(p, OPTION_RADIUS, 0) < 0) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  return ARN_OK;
}

static arn_status prepare_lrn(arn_prepare *p, void *state) {
  lrn_state *s = state;
  arn_tensor in, out;
  memset(s, 0, sizeof *s);
  arn_status status = arn_prepare_counts(p, 1, 1, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, 0, &in);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &out);
  if (status == ARN_OK) status = check(p, &in, &out);
  if (status != ARN_OK) return status;
  const arn__rows_shape rows = arn__rows_of(&in);
  s->depth = (uint32_t)in.dims[in.rank - 1];
  s->vectors = s->depth ? rows.row_count / s->depth : 0;
  s->radius = (uint32_t)arn_option_i32(p, OPTION_RADIUS, 0);
  s->bias = arn_option_f32(p, OPTION_BIAS, 0.0f);
  s->alpha = arn_option_f32(p, OPTION_ALPHA, 0.0f);
  s->beta = arn_option_f32(p, OPTION_BETA, 0.0f);
  p->work = ARN_ROWS;
  p->rows = rows.rows;
  return ARN_OK;
}

static void rows_same(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  (void)input;
  *in = out;
}

static arn_status eval_lrn(const arn_eval *e, const void *state) {
  const lrn_state *s = state;
  const arn__lrn_shape shape = {s->vectors, s->depth, s->radius, s->bias, s->alpha, s->beta};
  const uint32_t bytes = 4 * s->vectors * s->depth;
  const arn_rows in = arn_eval_input(e, 0, bytes), out = arn_eval_output(e, 0, bytes);
  for (uint32_t r = 0; r < e->span.count; r++) {
    const uint32_t row = e->span.first + r;
    arn__lrn_f32((float *)(void *)arn_row(&out, row), (const float *)(void *)arn_row(&in, row),
                 &shape);
  }
  return ARN_OK;
}

const arn_op arn_op_local_response_normalization = {
    .name = "LOCAL_RESPONSE_NORMALIZATION",
    .code = 13,
    .state_bytes = sizeof(lrn_state),
    .types = ARN_TYPE_BIT(ARN_FLOAT32),
    .prepare = prepare_lrn,
    .rows = rows_same,
    .eval = eval_lrn,
};
