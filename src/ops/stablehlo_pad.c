// STABLEHLO_PAD: elements further apart, and a value between and around them. Negative padding cuts
// off: what was put between elements is cut off as well.
#include "stablehlo.h"

enum { LOW = 0, HIGH = 1, INTERIOR = 2 };

// Elements that are copied along an axis: `count` from the input's `first` on go to the output's
// `to` on, `step` apart.
typedef struct pad_axis {
  uint32_t first, count, to, step;
} pad_axis;

// A prefix of this, as long as the loops of its block, is the prepared state.
typedef struct pad_state {
  uint32_t in_row_bytes, out_row_bytes;
  uint32_t element;       // bytes
  pad_axis lead;          // of the rows
  uint32_t source, target;  // bytes of an input row, and of an output row, before the block
  arn__block block;       // what is copied of a row; a run of 0: nothing
} pad_state;

// ---- prepare ------------------------------------------------------------------------------------

// Works out what is copied of `in` elements; false where the output is not `out` long.
static bool read_axis(const int32_t *padding, int32_t in, int32_t out, pad_axis *a) {
  const int64_t step = (int64_t)padding[INTERIOR] + 1, low = padding[LOW];
  const int64_t reach = in > 0 ? (in - 1) * step + 1 : 0;
  const int64_t length = low + reach + padding[HIGH];
  const int64_t first = low < 0 ? (step - 1 - low) / step : 0;
  int64_t end = out > low ? (out - low + step - 1) / step : 0;
  if (end > in) end = in;
  *a = (pad_axis){0, 0, 0, 1};
  if (first < end) {
    *a = (pad_axis){(uint32_t)first, (uint32_t)(end - first), (uint32_t)(low + first * step),
                    end - first > 1 ? (uint32_t)step : 1};
  }
  return out == (length > 0 ? length : 0);
}

// Says whether input and output have the same rows, and each row of the input is one of the output
// or cut off: nothing is padded in front of the row axis.
static bool same_rows(const arn_tensor *in, const arn_tensor *out, const pad_axis *axes) {
  const int32_t axis = arn__rows_of(out).axis;
  if (axis < 0 || arn__rows_of(in).axis != axis) return false;
  for (int32_t i = 0; i < axis; i++) {
    if (axes[i].count != 1) return false;
  }
  return true;
}

// Adds an axis to the block of a row: to its run where both tensors go on without a gap.
static void add_axis(pad_state *s, pad_axis a, uint32_t in_stride, uint32_t out_stride) {
  arn__block *b = &s->block;
  s->source += a.first * in_stride;
  s->target += a.to * out_stride;
  if (b->loops == 0 && a.step == 1 && b->run == in_stride && b->run == out_stride) {
    b->run *= a.count;
  } else if (a.count == 0) {
    b->run = 0;
  } else if (a.count > 1) {
    b->loop[b->loops++] =
        (arn__block_loop){a.count, (int32_t)in_stride, (int32_t)(out_stride * a.step)};
  }
}

static void build(arn_prepare *p, pad_state *s, const arn_tensor *in, const arn_tensor *out,
                  const pad_axis *axes) {
  uint32_t in_stride = s->element, out_stride = s->element, inner = 0;
  s->lead = (pad_axis){0, 1, 0, 1};
  s->in_row_bytes = in->bytes;
  s->out_row_bytes = out->bytes;
  s->block = (arn__block){.run = s->element};
  if (same_rows(in, out, axes)) {
    arn__movement_by_rows(p, out);
    inner = p->work == ARN_ROWS ? (uint32_t)arn__rows_of(out).axis + 1 : 0;
  }
  for (uint32_t i = in->rank; i-- > inner;) {
    add_axis(s, axes[i], in_stride, out_stride);
    in_stride *= (uint32_t)in->dims[i];
    out_stride *= (uint32_t)out->dims[i];
  }
  if (inner == 0) return;
  s->lead = axes[inner - 1];
  s->in_row_bytes = in_stride;
  s->out_row_bytes = out_stride;
}

static arn_status pad_prepare(arn_prepare *p, void *state) {
  pad_state *s = state;
  arn_tensor in, out, value;
  int32_t padding[3][ARN_MAX_RANK];
  pad_axis axes[ARN_MAX_RANK];
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn_prepare_input(p, 1, &value));
  if (value.type != in.type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &value);
  if (value.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &value);
  if (out.rank != in.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  ARN__TRY(arn__shlo_same_scale(p, &in, &value));
  for (uint32_t i = 0; i < 3; i++) {
    const int32_t least = i == INTERIOR ? 0 : INT32_MIN + 1;
    ARN__TRY(arn__shlo_numbers(p, i, in.rank, least, 0, padding[i]));
  }
  for (uint32_t i = 0; i < in.rank; i++) {
    const int32_t of_axis[] = {padding[LOW][i], padding[HIGH][i], padding[INTERIOR][i]};
    if (!read_axis(of_axis, in.dims[i], out.dims[i], &axes[i])) {
      return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
    }
  }
  s->element = arn_type_bytes((arn_type)in.type);
  build(p, s, &in, &out, axes);
  p->state_bytes = (uint32_t)(offsetof(pad_state, block.loop) +
                              s->block.loops * sizeof s->block.loop[0]);
  return ARN_OK;
}

// ---- rows and eval ------------------------------------------------------------------------------

// The first of the copied rows whose place is `row` or behind.
static uint32_t next_copied(pad_axis a, uint32_t row) {
  if (row <= a.to) return 0;
  const uint32_t next = (row - a.to + a.step - 1) / a.step;
  return next < a.count ? next : a.count;
}

static void pad_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const pad_state *s = state;
  if (arn__movement_is_index(input, in)) return;
  const uint32_t from = next_copied(s->lead, out.first);
  const uint32_t to = next_copied(s->lead, out.first + out.count);
  *in = (arn_span){s->lead.first + from, s->block.run > 0 ? to - from : 0};
}

static void copy_row(const pad_state *s, const arn_rows *in, uint32_t row, uint8_t *target) {
  if (row < s->lead.to || s->block.run == 0) return;
  const uint32_t i = (row - s->lead.to) / s->lead.step;
  if (i >= s->lead.count || (row - s->lead.to) % s->lead.step != 0) return;
  arn__move_block(target + s->target, arn_row(in, s->lead.first + i) + s->source, &s->block);
}

static arn_status pad_eval(const arn_eval *e, const void *state) {
  const pad_state *s = state;
  const void *value = arn_eval_in(e, 1);
  const arn_rows in = arn_eval_input(e, 0, s->in_row_bytes);
  const arn_rows out = arn_eval_output(e, 0, s->out_row_bytes);
  if (s->out_row_bytes == 0) return ARN_OK;
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    uint8_t *target = arn_row(&out, r);
    arn__move_fill(target, value, s->element, s->out_row_bytes / s->element);
    copy_row(s, &in, r, target);
  }
  return ARN_OK;
}

const arn_op arn_op_stablehlo_pad = {
    .name = "STABLEHLO_PAD",
    .code = 195,
    .state_bytes = sizeof(pad_state),
    .types = ARN__MOVEMENT_TYPES,
    .prepare = pad_prepare,
    .rows = pad_rows,
    .eval = pad_eval,
};
