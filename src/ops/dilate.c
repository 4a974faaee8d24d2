// DILATE: elements further apart, and one value between them.
#include "movement.h"

enum { DATA = 0, DILATIONS = 1, BETWEEN = 2, INPUTS = 3 };

// Neighbouring elements of the innermost axes that stay together are moved as one.
typedef struct dilate {
  uint32_t run_bytes;
  uint32_t out_count;
  uint8_t element;
  uint8_t rank;             // of what follows
  uint8_t spare[2];
  int32_t dims[ARN_MAX_RANK];   // of the input
  int32_t steps[ARN_MAX_RANK];  // bytes in the output from an element to the next on an axis
} dilate;

// Output dimension of `dim` elements, `apart` positions apart; -1 where it does not fit.
static int64_t dilated(int32_t dim, int32_t apart) {
  if (apart < 1) return -1;
  return dim == 0 ? 0 : (int64_t)(dim - 1) * apart + 1;
}

static arn_status set_axes(const arn_prepare *p, dilate *s, const arn_tensor *in,
                           const arn_tensor *out, const arn__index *dilations) {
  uint32_t step = s->element;
  bool together = true;
  s->run_bytes = s->element;
  s->rank = in->rank;
  for (uint32_t i = in->rank; i-- > 0;) {
    const int32_t apart = arn__index_at(dilations->data, dilations->type, i);
    if (dilated(in->dims[i], apart) != out->dims[i]) {
      return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
    }
    together = together && apart == 1;
    if (together) {
      s->run_bytes *= (uint32_t)in->dims[i];
      s->rank--;
    } else {
      s->dims[i] = in->dims[i];
      s->steps[i] = in->dims[i] > 1 ? (int32_t)(step * (uint32_t)apart) : 0;
    }
    step *= (uint32_t)out->dims[i];
  }
  return ARN_OK;
}

static arn_status prepare(arn_prepare *p, void *state) {
  dilate *s = state;
  arn_tensor in, out, between;
  arn__index dilations;
  ARN__TRY(arn_prepare_counts(p, INPUTS, INPUTS, 1));
  ARN__TRY(arn__movement_pair(p, DATA, &in, &out));
  ARN__TRY(arn__movement_index(p, DILATIONS, &dilations));
  ARN__TRY(arn_prepare_input(p, BETWEEN, &between));
  if (dilations.data == NULL) return arn_refuse(p, ARN_WHAT_TENSOR_CONSTANT, NULL);
  if (between.type != in.type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &between);
  if (between.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &between);
  if (dilations.count != in.rank || out.rank != in.rank) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  s->element = (uint8_t)arn_type_bytes((arn_type)in.type);
  s->out_count = out.count;
  return set_axes(p, s, &in, &out, &dilations);
}

static arn_status eval(const arn_eval *e, const void *state) {
  const dilate *s = state;
  const uint8_t *in = arn_eval_in(e, DATA);
  uint8_t *out = arn_eval_out(e, 0);
  uint32_t at[ARN_MAX_RANK] = {0};
  if (s->out_count == 0) return ARN_OK;
  arn__move_fill(out, arn_eval_in(e, BETWEEN), s->element, s->out_count);
  for (;;) {
    uint32_t to = 0;
    for (uint32_t i = 0; i < s->rank; i++) to += at[i] * (uint32_t)s->steps[i];
    memcpy(out + to, in, s->run_bytes);
    in += s->run_bytes;
    uint32_t axis = s->rank;
    while (axis > 0 && ++at[axis - 1] == (uint32_t)s->dims[axis - 1]) at[--axis] = 0;
    if (axis == 0) return ARN_OK;
  }
}

const arn_op arn_op_dilate = {
    .name = "DILATE",
    .code = 203,
    .state_bytes = sizeof(dilate),
    .types = ARN__MOVEMENT_TYPES,
    .prepare = prepare,
    .eval = eval,
};
