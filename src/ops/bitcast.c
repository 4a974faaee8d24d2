// BITCAST: the same bytes as elements of another type. Elements that become wider take a whole last
// dimension each; those that become narrower get a last dimension more. A view where the plan could
// make it one.
#include "movement.h"

typedef struct bitcast_state {
  uint32_t in_row_bytes, out_row_bytes;
} bitcast_state;

// Says whether the shape of the narrower elements is that of the wider ones, and then how many
// there are to one.
static bool splits_into(const arn_tensor *wide, const arn_tensor *narrow, uint32_t ratio) {
  if (ratio == 1) return arn__rows_same_shape(wide, narrow);
  if (narrow->rank != wide->rank + 1) return false;
  for (uint32_t i = 0; i < wide->rank; i++) {
    if (narrow->dims[i] != wide->dims[i]) return false;
  }
  return (uint32_t)narrow->dims[wide->rank] == ratio;
}

static arn_status prepare_bitcast(arn_prepare *p, void *state) {
  bitcast_state *s = state;
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn_prepare_input(p, 0, &in));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  if (!(p->op->types >> in.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &in);
  if (!(p->op->types >> out.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &out);
  const uint32_t from = arn_type_bytes((arn_type)in.type), to = arn_type_bytes((arn_type)out.type);
  const bool fits = from > to ? splits_into(&in, &out, from / to)
                              : splits_into(&out, &in, to / from);
  if (!fits) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  arn__movement_by_rows(p, &out);
  s->in_row_bytes = arn__rows_bytes(&in);
  s->out_row_bytes = out.bytes / p->rows;
  arn_prepare_view(p, 0, 0, 0);
  return ARN_OK;
}

static void bitcast_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const bitcast_state *s = state;
  (void)input;
  *in = arn__movement_span(out.first * s->out_row_bytes,
                           (out.first + out.count) * s->out_row_bytes, s->in_row_bytes);
}

static arn_status eval_bitcast(const arn_eval *e, const void *state) {
  const bitcast_state *s = state;
  const arn_rows in = arn_eval_input(e, 0, s->in_row_bytes);
  const arn_rows out = arn_eval_output(e, 0, s->out_row_bytes);
  const uint32_t at = e->span.first * s->out_row_bytes;
  arn__movement_copy(&out, at, &in, at, e->span.count * s->out_row_bytes);
  return ARN_OK;
}

const arn_op arn_op_bitcast = {"BITCAST", 159, sizeof(bitcast_state), ARN__MOVEMENT_TYPES, 0, NULL,
                               prepare_bitcast, bitcast_rows, eval_bitcast};
