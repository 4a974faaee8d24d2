// L2_NORMALIZATION: scales the vectors along the last axis to unit length.
#include "../graph/rows.h"
#include "../kernels/l2norm.h"
#include "arenite/op.h"
#include "quantised.h"

enum { OPTION_ACTIVATION = 0 };

typedef struct l2norm_state {
  uint32_t vectors;  // of a row
  uint32_t depth;
  int16_t zero;
  uint8_t type;
  uint8_t spare;
} l2norm_state;

// The output of a quantised node always has the scale 1/128: other ones were never computed.
static arn_status check_quantised(const arn_prepare *p, l2norm_state *s, const arn_tensor *in,
                                  const arn_tensor *out) {
  float scale;
  int32_t zero;
  arn_status status = arn__quantised_read(p, out, &scale, &zero);
  if (status != ARN_OK) return status;
  if (scale != 1.0f / 128.0f) return arn_refuse(p, ARN_WHAT_SCALE, out);
  if (zero != (out->type == ARN_UINT8 ? 128 : 0)) return arn_refuse(p, ARN_WHAT_ZERO_POINT, out);
  if (s->depth > INT32_MAX / (255 * 255)) return arn_refuse(p, ARN_WHAT_LIMIT, in);
  status = arn__quantised_read(p, in, &scale, &zero);
  s->zero = (int16_t)zero;
  return status;
}

static arn_status check(const arn_prepare *p, const arn_tensor *in, const arn_tensor *out) {
  if (!(p->op->types & ARN_TYPE_BIT(in->type))) return arn_refuse(p, ARN_WHAT_TYPE, in);
  if (in->type != out->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, out);
  if (in->rank == 0) return arn_refuse_model(p, ARN_WHAT_RANK, in);
  if (!arn__rows_same_shape(in, out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  if (arn_option_u8(p, OPTION_ACTIVATION, ARN__ACTIVATION_NONE) != ARN__ACTIVATION_NONE) {
    return arn_refuse(p, ARN_WHAT_ACTIVATION, NULL);
  }
  return ARN_OK;
}

static arn_status prepare_l2norm(arn_prepare *p, void *state) {
  l2norm_state *s = state;
  arn_tensor in, out;
  memset(s, 0, sizeof *s);
  arn_status status = arn_prepare_counts(p, 1, 1, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, 0, &in);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &out);
  if (status == ARN_OK) status = check(p, &in, &out);
  if (status != ARN_OK) return status;
  const arn__rows_shape rows = arn__rows_of(&in);
  s->type = in.type;
  s->depth = (uint32_t)in.dims[in.rank - 1];
  s->vectors = s->depth ? rows.row_count / s->depth : 0;
  p->work = ARN_ROWS;
  p->rows = rows.rows;
  p->in_place = 1;
  return in.type == ARN_FLOAT32 ? ARN_OK : check_quantised(p, s, &in, &out);
}

static void rows_same(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  (void)input;
  *in = out;
}

static arn_status eval_l2norm(const arn_eval *e, const void *state) {
  const l2norm_state *s = state;
  const arn__l2norm_shape shape = {s->vectors, s->depth, s->zero};
  const uint32_t bytes = s->vectors * s->depth * (s->type == ARN_FLOAT32 ? 4 : 1);
  const arn_rows in = arn_eval_input(e, 0, bytes), out = arn_eval_output(e, 0, bytes);
  for (uint32_t r = 0; r < e->span.count; r++) {
    const void *from = arn_row(&in, e->span.first + r);
    void *to = arn_row(&out, e->span.first + r);
    switch (s->type) {
      case ARN_INT8: arn__l2norm_s8(to, from, &shape); break;
      case ARN_UINT8: arn__l2norm_u8(to, from, &shape); break;
      default: arn__l2norm_f32(to, from, &shape); break;
    }
  }
  return ARN_OK;
}

const arn_op arn_op_l2_normalization = {
    .name = "L2_NORMALIZATION",
    .code = 11,
    .state_bytes = sizeof(l2norm_state),
    .types = ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8),
    .prepare = prepare_l2norm,
    .rows = rows_same,
    .eval = eval_l2norm,
};
