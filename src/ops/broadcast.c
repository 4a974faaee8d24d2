// BROADCAST_TO: a tensor repeated to a larger shape. BROADCAST_ARGS: the shape that two shapes
// broadcast to.
#include "nest.h"

// ---- BROADCAST_TO -------------------------------------------------------------------------------

typedef struct broadcast_to_state {
  uint8_t late;  // the shape comes at run time
  uint8_t type, rank, spare;
  arn__nest nest;
  int32_t dims[ARN_MAX_RANK];  // only if late: what it must be
} broadcast_to_state;

static bool has_dims(const broadcast_to_state *s, const int32_t *dims, const void *data) {
  for (uint32_t i = 0; i < s->rank; i++) {
    if (arn__index_at(data, s->type, i) != dims[i]) return false;
  }
  return true;
}

static arn_status build_nest(arn_prepare *p, arn__nest *nest, const arn_tensor *in,
                             const arn_tensor *out) {
  if (in->rank > out->rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  arn__nest_plan plan = arn__nest_begin(nest, in, out);
  int32_t stride = (int32_t)plan.inner_bytes;
  for (int32_t k = 0; k < out->rank; k++) {
    const int32_t from = k < in->rank ? in->dims[in->rank - 1 - k] : 1;
    const int32_t to = out->dims[out->rank - 1 - k];
    if (from != to && from != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
    arn__nest_wrap(&plan, (uint32_t)to, from == to ? stride : 0);
    stride *= from;
  }
  return arn__nest_finish(p, &plan, out);
}

static arn_status broadcast_to_prepare(arn_prepare *p, void *state) {
  broadcast_to_state *s = state;
  arn_tensor in, out;
  arn__index shape;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__movement_index(p, 1, &shape));
  if (shape.count != out.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  s->type = shape.type;
  s->rank = out.rank;
  s->late = shape.data == NULL && shape.count > 0;
  memcpy(s->dims, out.dims, sizeof s->dims);
  if (!s->late && !has_dims(s, out.dims, shape.data)) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  ARN__TRY(build_nest(p, &s->nest, &in, &out));
  p->state_bytes = s->late ? (uint32_t)sizeof *s
                           : (uint32_t)offsetof(broadcast_to_state, nest) +
                                 arn__nest_bytes(&s->nest);
  return ARN_OK;
}

static void broadcast_to_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  arn__nest_rows(&((const broadcast_to_state *)state)->nest, input, out, in);
}

static arn_status broadcast_to_eval(const arn_eval *e, const void *state) {
  const broadcast_to_state *s = state;
  if (s->late && !has_dims(s, s->dims, arn_eval_in(e, 1))) {
    return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
  }
  return arn__nest_eval(e, &s->nest);
}

// ---- BROADCAST_ARGS -----------------------------------------------------------------------------

typedef struct args_state {
  uint8_t type;
  uint8_t count[2];  // of the shapes given
  uint8_t spare;
} args_state;

static arn_status args_prepare(arn_prepare *p, void *state) {
  args_state *s = state;
  arn_tensor in[2], out;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in[0], &out));
  ARN__TRY(arn_prepare_input(p, 1, &in[1]));
  if (in[1].type != in[0].type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &in[1]);
  const arn_tensor *const tensors[] = {&in[0], &in[1], &out};
  for (uint32_t i = 0; i < 3; i++) {
    if (tensors[i]->rank != 1) return arn_refuse_model(p, ARN_WHAT_RANK, tensors[i]);
    if (tensors[i]->count > UINT8_MAX) return arn_refuse(p, ARN_WHAT_LIMIT, tensors[i]);
  }
  const uint32_t most = in[0].count > in[1].count ? in[0].count : in[1].count;
  if (out.count != most) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  *s = (args_state){out.type, {(uint8_t)in[0].count, (uint8_t)in[1].count}, 0};
  return ARN_OK;
}

// Reads the dimension `k` places from the right: 1 beyond the left end.
static int64_t read_dim(const args_state *s, const void *shape, uint32_t i, uint32_t k) {
  if (k >= s->count[i]) return 1;
  const uint32_t at = s->count[i] - 1u - k;
  return s->type == ARN_INT32 ? ((const int32_t *)shape)[at] : ((const arn__s64 *)shape)[at];
}

static arn_status args_eval(const arn_eval *e, const void *state) {
  const args_state *s = state;
  const uint32_t rank = s->count[0] > s->count[1] ? s->count[0] : s->count[1];
  const void *const shapes[] = {arn_eval_in(e, 0), arn_eval_in(e, 1)};
  void *out = arn_eval_out(e, 0);
  for (uint32_t k = 0; k < rank; k++) {
    const int64_t a = read_dim(s, shapes[0], 0, k), b = read_dim(s, shapes[1], 1, k);
    if (a != b && a != 1 && b != 1) return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
    const int64_t dim = a == 1 ? b : a;
    if (s->type == ARN_INT32) {
      ((int32_t *)out)[rank - 1 - k] = (int32_t)dim;
    } else {
      ((arn__s64 *)out)[rank - 1 - k] = dim;
    }
  }
  return ARN_OK;
}

const arn_op arn_op_broadcast_to = {"BROADCAST_TO", 130, sizeof(broadcast_to_state),
                                    ARN__MOVEMENT_TYPES, 0, NULL, broadcast_to_prepare,
                                    broadcast_to_rows, broadcast_to_eval};
const arn_op arn_op_broadcast_args = {"BROADCAST_ARGS", 145, sizeof(args_state),
                                      ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64), 0, NULL,
                                      args_prepare, NULL, args_eval};
