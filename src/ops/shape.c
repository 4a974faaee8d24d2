// SHAPE and RANK: what the file says of the input, as a tensor. The input itself is not read.
#include "movement.h"

typedef struct shape_state {
  uint8_t wide;    // int64 values
  uint8_t count;   // of values
  uint16_t spare;
  int32_t value[ARN_MAX_RANK];
} shape_state;

static arn_status read_tensors(arn_prepare *p, shape_state *s, arn_tensor *in, arn_tensor *out) {
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn_prepare_input(p, 0, in));
  ARN__TRY(arn_prepare_output(p, 0, out));
  if (out->type != ARN_INT32 && out->type != ARN_INT64) return arn_refuse(p, ARN_WHAT_TYPE, out);
  s->wide = out->type == ARN_INT64;
  p->work = ARN_ROWS;
  p->rows = 1;
  return ARN_OK;
}

static arn_status shape_prepare(arn_prepare *p, void *state) {
  shape_state *s = state;
  arn_tensor in, out;
  ARN__TRY(read_tensors(p, s, &in, &out));
  if (arn__rows_of(&out).rows != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  // Files exist whose output has room for the first dimensions only.
  if (out.count > in.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  s->count = (uint8_t)out.count;
  memcpy(s->value, in.dims, sizeof s->value);
  p->state_bytes = (uint32_t)offsetof(shape_state, value) + 4u * s->count;
  return ARN_OK;
}

static arn_status rank_prepare(arn_prepare *p, void *state) {
  shape_state *s = state;
  arn_tensor in, out;
  ARN__TRY(read_tensors(p, s, &in, &out));
  if (out.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  s->count = 1;
  s->value[0] = in.rank;
  p->state_bytes = (uint32_t)offsetof(shape_state, value) + 4u;
  return ARN_OK;
}

static void shape_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  (void)input;
  (void)out;
  *in = (arn_span){0, 0};
}

static arn_status shape_eval(const arn_eval *e, const void *state) {
  const shape_state *s = state;
  uint8_t *out = arn_eval_out(e, 0);
  for (uint32_t i = 0; i < s->count; i++) {
    const int64_t value = s->value[i];
    memcpy(out, &value, s->wide ? 8 : 4);
    out += s->wide ? 8 : 4;
  }
  return ARN_OK;
}

const arn_op arn_op_shape = {"SHAPE", 77, sizeof(shape_state),
                             ARN__MOVEMENT_TYPES | ARN_TYPE_BIT(ARN_INT4), 0, NULL, shape_prepare,
                             shape_rows, shape_eval};
const arn_op arn_op_rank = {"RANK", 110, sizeof(shape_state),
                            ARN__MOVEMENT_TYPES | ARN_TYPE_BIT(ARN_INT4), 0, NULL, rank_prepare,
                            shape_rows, shape_eval};
