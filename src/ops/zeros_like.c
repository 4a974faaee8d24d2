// ZEROS_LIKE: a tensor of zero bytes of the input's shape. The input itself is not read.
#include "unary.h"

typedef struct zeros_like {
  uint32_t row_bytes;
} zeros_like;

static arn_status prepare_zeros_like(arn_prepare *p, void *state) {
  zeros_like *s = state;
  arn_tensor in, out;
  uint32_t row_count;
  ARN__TRY(arn__unary_prepare_same(p, &in, &out, &row_count));
  s->row_bytes = row_count * arn_type_bytes((arn_type)in.type);
  return ARN_OK;
}

static arn_status eval_zeros_like(const arn_eval *e, const void *state) {
  const zeros_like *s = state;
  const arn_rows out = arn_eval_output(e, 0, s->row_bytes);
  for (uint32_t row = e->span.first; row < e->span.first + e->span.count; row++) {
    memset(arn_row(&out, row), 0, s->row_bytes);
  }
  return ARN_OK;
}

const arn_op arn_op_zeros_like = {
    .name = "ZEROS_LIKE",
    .code = 93,
    .state_bytes = sizeof(zeros_like),
    .types = ARN__MOVEMENT_TYPES,
    .prepare = prepare_zeros_like,
    .rows = arn__unary_rows,
    .eval = eval_zeros_like,
};
