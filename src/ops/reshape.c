// RESHAPE, SQUEEZE, EXPAND_DIMS: the same bytes under another shape. All are views: nothing moves
// where the plan could put output and input in the same place.
#include "movement.h"

// int4 is packed, two elements a byte, in the same order whatever the shape.
#define TYPES (ARN__MOVEMENT_TYPES | ARN_TYPE_BIT(ARN_INT4))

// What eval checks of a shape or an axis that is only known at run time.
enum { CHECK_NOTHING = 0, CHECK_SHAPE = 1, CHECK_AXIS = 2 };

typedef struct reshape_state {
  uint32_t in_row_bytes, out_row_bytes;
  uint8_t check;   // CHECK_...; of CHECK_NOTHING the state ends after this word
  uint8_t type;    // of the shape or axis
  uint8_t rank;    // of the output
  uint8_t spare;
  uint32_t axes;   // CHECK_AXIS: bit a says that a new axis at a gives the output's shape
  int32_t dims[ARN_MAX_RANK];  // CHECK_SHAPE: the output's
} reshape_state;

static arn_status prepare_view(arn_prepare *p, reshape_state *state, const arn_tensor *in,
                               const arn_tensor *out) {
  if (in->count != out->count) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  arn__movement_by_rows(p, out);
  if (in->type == ARN_INT4) {  // a row may end in the middle of a byte
    p->work = ARN_WHOLE;
    p->rows = 1;
  }
  state->in_row_bytes = arn__rows_bytes(in);
  state->out_row_bytes = out->bytes / p->rows;
  if (state->check == CHECK_NOTHING) p->state_bytes = (uint32_t)offsetof(reshape_state, axes);
  arn_prepare_view(p, 0, 0, 0);
  return ARN_OK;
}

static void reshape_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const reshape_state *s = state;
  if (arn__movement_is_index(input, in)) return;
  *in = arn__movement_span(out.first * s->out_row_bytes,
                           (out.first + out.count) * s->out_row_bytes, s->in_row_bytes);
}

// One dimension may be -1, whatever is left: the counts agree, so it need not be looked at where
// all others match.
static bool has_shape(const reshape_state *s, const void *shape) {
  uint32_t stretched = 0;
  for (uint32_t i = 0; i < s->rank; i++) {
    const int32_t value = arn__index_at(shape, s->type, i);
    if (value == -1) stretched++;
    else if (value != s->dims[i]) return false;
  }
  return stretched <= 1;
}

static bool has_axis(const reshape_state *s, const void *axis) {
  int32_t value = arn__index_at(axis, s->type, 0);
  if (value < 0) value += s->rank;
  return value >= 0 && value < s->rank && (s->axes >> value & 1u);
}

static arn_status reshape_eval(const arn_eval *e, const void *state) {
  const reshape_state *s = state;
  if (s->check == CHECK_SHAPE && !has_shape(s, arn_eval_in(e, 1))) {
    return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
  }
  if (s->check == CHECK_AXIS && !has_axis(s, arn_eval_in(e, 1))) {
    return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
  }
  const arn_rows in = arn_eval_input(e, 0, s->in_row_bytes);
  const arn_rows out = arn_eval_output(e, 0, s->out_row_bytes);
  const uint32_t at = e->span.first * s->out_row_bytes;
  arn__movement_copy(&out, at, &in, at, e->span.count * s->out_row_bytes);
  return ARN_OK;
}

// ---- RESHAPE ------------------------------------------------------------------------------------

// A constant shape is not looked at: the output tensor has its own, and files exist where the two
// disagree in ways that do not matter to the bytes.
static arn_status prepare_shape_input(const arn_prepare *p, reshape_state *state,
                                      const arn_tensor *out) {
  arn__index shape;
  ARN__TRY(arn__movement_index(p, 1, &shape));
  if (shape.data != NULL || shape.count == 0) return ARN_OK;
  if (shape.count != out->rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  state->check = CHECK_SHAPE;
  state->type = shape.type;
  state->rank = out->rank;
  memcpy(state->dims, out->dims, sizeof state->dims);
  return ARN_OK;
}

static arn_status reshape_prepare(arn_prepare *p, void *state) {
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 1, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  if (arn_prepare_has_input(p, 1)) ARN__TRY(prepare_shape_input(p, state, &out));
  return prepare_view(p, state, &in, &out);
}

const arn_op arn_op_reshape = {"RESHAPE", 22, sizeof(reshape_state), TYPES, 0, NULL,
                               reshape_prepare, reshape_rows, reshape_eval};

// ---- SQUEEZE ------------------------------------------------------------------------------------

// The dimensions named in the options (field 0) must be 1.
static arn_status check_squeezed(const arn_prepare *p, const arn_tensor *in) {
  uint32_t count, axis;
  const uint32_t at = arn_option_vector(p, 0, 4, &count);
  for (uint32_t i = 0; i < count; i++) {
    ARN__TRY(arn__movement_axis(p, arn_model_index(p->model, at, i), in->rank, &axis));
    if (in->dims[axis] != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, in);
  }
  return ARN_OK;
}

static arn_status squeeze_prepare(arn_prepare *p, void *state) {
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(check_squeezed(p, &in));
  return prepare_view(p, state, &in, &out);
}

const arn_op arn_op_squeeze = {"SQUEEZE", 43, sizeof(reshape_state), TYPES, 0, NULL,
                               squeeze_prepare, reshape_rows, reshape_eval};

// ---- EXPAND_DIMS --------------------------------------------------------------------------------

// Says whether a new axis at `axis` makes the shape of `in` that of `out`.
static bool expands_at(const arn_tensor *in, const arn_tensor *out, uint32_t axis) {
  if (out->dims[axis] != 1) return false;
  for (uint32_t i = 0; i < in->rank; i++) {
    if (out->dims[i < axis ? i : i + 1] != in->dims[i]) return false;
  }
  return true;
}

static arn_status expand_dims_prepare(arn_prepare *p, void *state) {
  reshape_state *s = state;
  arn_tensor in, out;
  arn__index index;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__movement_index(p, 1, &index));
  if (index.count != 1 || out.rank != in.rank + 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  if (index.data == NULL) s->check = CHECK_AXIS;
  s->type = index.type;
  s->rank = out.rank;
  for (uint32_t i = 0; i < out.rank; i++) s->axes |= (uint32_t)expands_at(&in, &out, i) << i;
  if (index.data != NULL && !has_axis(s, index.data)) {
    return arn_refuse_model(p, ARN_WHAT_AXIS, &out);
  }
  return prepare_view(p, state, &in, &out);
}

const arn_op arn_op_expand_dims = {"EXPAND_DIMS", 70, sizeof(reshape_state), TYPES, 0, NULL,
                                   expand_dims_prepare, reshape_rows, reshape_eval};
