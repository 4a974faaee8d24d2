// TILE: the input, repeated along each dimension. Multiples that are only known at run time must
// come to the output's shape.
#include "nest.h"

typedef struct tile_state {
  uint8_t late;  // the multiples come at run time
  uint8_t type, rank, spare;
  arn__nest nest;
  int32_t multiples[ARN_MAX_RANK];  // only if late: what they must be
} tile_state;

// The multiples that the shapes say.
static arn_status derive_multiples(const arn_prepare *p, const arn_tensor *in,
                                   const arn_tensor *out, int32_t *multiples) {
  if (in->rank != out->rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  for (uint32_t i = 0; i < in->rank; i++) {
    const int32_t from = in->dims[i], to = out->dims[i];
    if (from == 0 ? to != 0 : to % from != 0) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
    multiples[i] = from == 0 ? 1 : to / from;
  }
  return ARN_OK;
}

// An empty dimension may be repeated as often as one likes.
static bool has_multiples(const tile_state *s, const arn_tensor *in, const void *data) {
  for (uint32_t i = 0; i < s->rank; i++) {
    const bool any = in && in->dims[i] == 0;
    if (!any && arn__index_at(data, s->type, i) != s->multiples[i]) return false;
  }
  return true;
}

static arn_status tile_prepare(arn_prepare *p, void *state) {
  tile_state *s = state;
  arn_tensor in, out;
  arn__index index;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__movement_index(p, 1, &index));
  if (index.count != in.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &in);
  ARN__TRY(derive_multiples(p, &in, &out, s->multiples));
  s->type = index.type;
  s->rank = in.rank;
  s->late = index.data == NULL && index.count > 0;
  if (!s->late && !has_multiples(s, &in, index.data)) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  arn__nest_plan plan = arn__nest_begin(&s->nest, &in, &out);
  int32_t stride = (int32_t)plan.inner_bytes;
  for (uint32_t i = in.rank; i-- > 0;) {
    arn__nest_wrap(&plan, (uint32_t)in.dims[i], stride);
    arn__nest_wrap(&plan, (uint32_t)s->multiples[i], 0);
    stride *= in.dims[i];
  }
  ARN__TRY(arn__nest_finish(p, &plan, &out));
  p->state_bytes = s->late ? (uint32_t)sizeof *s
                           : (uint32_t)offsetof(tile_state, nest) + arn__nest_bytes(&s->nest);
  return ARN_OK;
}

static void tile_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  arn__nest_rows(&((const tile_state *)state)->nest, input, out, in);
}

static arn_status tile_eval(const arn_eval *e, const void *state) {
  const tile_state *s = state;
  if (s->late && !has_multiples(s, NULL, arn_eval_in(e, 1))) {
    return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
  }
  return arn__nest_eval(e, &s->nest);
}

const arn_op arn_op_tile = {"TILE", 69, sizeof(tile_state), ARN__MOVEMENT_TYPES, 0, NULL,
                            tile_prepare, tile_rows, tile_eval};
