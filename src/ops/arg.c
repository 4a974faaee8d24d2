// ARG_MAX, ARG_MIN: the position of the largest or smallest value along one axis.
//
// A row of the input is [outer][axis][inner]. Where the axis is that of the rows, the node folds:
// the best value so far and its position are kept for every output. Else rows are independent.
#include "../graph/rows.h"
#include "../kernels/arg.h"
#include "arenite/op.h"

enum { OPTION_OUTPUT_TYPE = 0 };

typedef struct arg_state {
  uint32_t outer, axis, inner;  // of a row of the input
  uint32_t rows;                // of the input, where it is folded; else 0
  uint32_t out_row;             // elements of a row of the output
  uint8_t type, out_type;
  uint8_t smallest;
  uint8_t spare;
} arg_state;

// ---- prepare ------------------------------------------------------------------------------------

static arn_status read_axis(const arn_prepare *p, const arn_tensor *in, uint32_t *axis) {
  arn_tensor t;
  const arn_status status = arn_prepare_input(p, 1, &t);
  if (status != ARN_OK) return status;
  if (t.type != ARN_INT32 && t.type != ARN_INT64) return arn_refuse(p, ARN_WHAT_TYPE, &t);
  if (t.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
  const void *data = arn_tensor_data(p->model, &t);
  if (data == NULL) return arn_refuse(p, ARN_WHAT_TENSOR_CONSTANT, &t);
  int32_t narrow = 0;
  int64_t value = 0;
  memcpy(t.type == ARN_INT32 ? (void *)&narrow : (void *)&value, data, t.bytes);
  if (t.type == ARN_INT32) value = narrow;
  if (value < -(int64_t)in->rank || value >= in->rank) {
    return arn_refuse_model(p, ARN_WHAT_AXIS, &t);
  }
  *axis = (uint32_t)(value < 0 ? value + in->rank : value);
  return ARN_OK;
}

static uint32_t product(const arn_tensor *t, uint32_t from, uint32_t to) {
  uint32_t count = 1;
  for (uint32_t i = from; i < to; i++) count *= (uint32_t)t->dims[i];
  return count;
}

// Decides how the node may be cut.
static void set_rows(arn_prepare *p, arg_state *s, const arn_tensor *in, const arn_tensor *out,
                     uint32_t axis) {
  const arn__rows_shape rows = arn__rows_of(in), out_rows = arn__rows_of(out);
  uint32_t first = 0;  // axis that an input row begins with
  s->out_row = out_rows.row_count;
  if (rows.axis == (int32_t)axis) {
    p->work = ARN_FOLD;
    p->rows = s->rows = rows.rows;
    p->fold_bytes = out->count * (4 + arn_type_bytes((arn_type)in->type));
    s->outer = s->axis = 1;
    s->inner = rows.row_count;
    return;
  }
  if (rows.axis >= 0 && rows.axis < (int32_t)axis && rows.rows == out_rows.rows) {
    p->work = ARN_ROWS;
    p->rows = rows.rows;
    first = (uint32_t)rows.axis + 1;
  } else {
    s->out_row = out->count;
  }
  s->outer = product(in, first, axis);
  s->axis = (uint32_t)in->dims[axis];
  s->inner = product(in, axis + 1, in->rank);
}

static arn_status check(const arn_prepare *p, const arn_tensor *in, const arn_tensor *out,
                        uint32_t axis) {
  if (!(p->op->types & ARN_TYPE_BIT(in->type))) return arn_refuse(p, ARN_WHAT_TYPE, in);
  if (out->type != ARN_INT32 && out->type != ARN_INT64) return arn_refuse(p, ARN_WHAT_TYPE, out);
  const int32_t wanted = arn_option_u8(p, OPTION_OUTPUT_TYPE, out->type);
  if (wanted != out->type && wanted != ARN_FLOAT32) {
    return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, out);
  }
  if (in->dims[axis] == 0) return arn_refuse_model(p, ARN_WHAT_DIMENSION, in);
  if (out->count != in->count / (uint32_t)in->dims[axis]) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  }
  return ARN_OK;
}

static arn_status prepare_arg(arn_prepare *p, arg_state *s) {
  arn_tensor in, out;
  uint32_t axis = 0;
  memset(s, 0, sizeof *s);
  arn_status status = arn_prepare_counts(p, 2, 2, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, 0, &in);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &out);
  if (status == ARN_OK) status = read_axis(p, &in, &axis);
  if (status == ARN_OK) status = check(p, &in, &out, axis);
  if (status != ARN_OK) return status;
  s->type = in.type;
  s->out_type = out.type;
  set_rows(p, s, &in, &out, axis);
  return ARN_OK;
}

static arn_status prepare_max(arn_prepare *p, void *state) { return prepare_arg(p, state); }

static arn_status prepare_min(arn_prepare *p, void *state) {
  arg_state *s = state;
  const arn_status status = prepare_arg(p, s);
  s->smallest = 1;
  return status;
}

static void rows_same(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  *in = input == 0 ? out : (arn_span){0, 1};
}

// ---- eval ---------------------------------------------------------------------------------------

enum { BLOCK = 32 };

typedef struct job {
  const arg_state *state;
  uint32_t axis;        // of what is walked over at once
  arn__arg_find *find;
  arn_rows in, out;
  uint32_t bytes;       // of an input element
  int32_t *index;       // of a fold, kept between steps; NULL: on the stack
  uint8_t *best;
  bool ends;
} job;

static arn__arg_find *find_kernel(uint32_t type) {
  switch (type) {
    case ARN_INT8: return arn__arg_find_s8;
    case ARN_INT16: return arn__arg_find_s16;
    case ARN_INT32: return arn__arg_find_s32;
    case ARN_FLOAT32: return arn__arg_find_f32;
    default: return arn__arg_find_u8;  // uint8, bool
  }
}

// Writes outputs [first, first + count), across the rows of the output.
static void store(const job *j, uint32_t first, uint32_t count, const int32_t *index) {
  const bool wide = j->state->out_type == ARN_INT64;
  while (count > 0) {
    const uint32_t row = first / j->state->out_row, at = first % j->state->out_row;
    const uint32_t room = j->state->out_row - at, now = count < room ? count : room;
    uint8_t *out = arn_row(&j->out, row) + at * (wide ? 8 : 4);
    if (!wide) memcpy(out, index, 4 * (size_t)now);
    for (uint32_t i = 0; wide && i < now; i++) ((arn__s64 *)(void *)out)[i] = index[i];
    index += now;
    first += now;
    count -= now;
  }
}

// Takes input rows into `outer` x `inner` outputs of a block, which starts with output `first` of
// the row. `base`: the output that the row starts with.
static void run_block(const job *j, arn__arg_box *box, arn_span rows, uint32_t first,
                      uint32_t base) {
  const arg_state *s = j->state;
  int32_t index_block[BLOCK];
  union {
    float f32[BLOCK];
    int32_t s32[BLOCK];
    int16_t s16[BLOCK];
    int8_t s8[BLOCK];
  } best_block;
  int32_t *index = j->index ? j->index + first : index_block;
  void *best = j->index ? (void *)(j->best + first * j->bytes) : (void *)&best_block;
  const uint32_t offset = first / s->inner * j->axis * s->inner + first % s->inner;
  for (uint32_t r = 0; r < rows.count; r++) {
    box->first = s->rows ? rows.first + r : 0;
    j->find(best, index, arn_row(&j->in, rows.first + r) + offset * j->bytes, box);
  }
  if (j->ends) store(j, base + first, box->outer * box->inner, index);
}

static void run_row(const job *j, arn_span rows, uint32_t base) {
  const arg_state *s = j->state;
  const uint32_t outputs = s->outer * s->inner;
  arn__arg_box box = {.rows = j->axis,
                      .row_stride = s->inner,
                      .outer_stride = j->axis * s->inner,
                      .smallest = s->smallest};
  uint32_t first = 0;
  while (first < outputs) {
    const uint32_t left = s->inner - first % s->inner;  // of the inner row
    box.inner = left < BLOCK ? left : BLOCK;
    box.outer = 1;
    if (box.inner == s->inner) {
      const uint32_t outer_left = s->outer - first / s->inner, most = BLOCK / s->inner;
      box.outer = outer_left < most ? outer_left : most;
    }
    run_block(j, &box, rows, first, base);
    first += box.outer * box.inner;
  }
}

static arn_status eval_arg(const arn_eval *e, const void *state) {
  const arg_state *s = state;
  const uint32_t outputs = s->outer * s->inner;
  const uint32_t bytes = arn_type_bytes((arn_type)s->type);
  job j = {.find = find_kernel(s->type), .bytes = bytes, .ends = true, .axis = s->axis};
  j.state = s;
  j.in = arn_eval_input(e, 0, outputs * s->axis * bytes);
  j.out = arn_eval_output(e, 0, s->out_row * (s->out_type == ARN_INT64 ? 8 : 4));
  if (s->rows == 0) {
    for (uint32_t r = 0; r < e->span.count; r++) {
      run_row(&j, (arn_span){e->span.first + r, 1}, (e->span.first + r) * outputs);
    }
    return ARN_OK;
  }
  j.index = e->fold;
  j.best = j.index ? (uint8_t *)(j.index + outputs) : NULL;
  j.ends = e->span.first + e->span.count == s->rows;
  arn_span rows = e->span;
  if (j.in.table == NULL) {  // rows that follow each other are walked over as one
    j.axis = rows.count;
    rows.count = 1;
  }
  run_row(&j, rows, 0);
  return ARN_OK;
}

#define ARG_TYPES                                                                        \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |        \
   ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_BOOL))

const arn_op arn_op_arg_max = {
    .name = "ARG_MAX",
    .code = 56,
    .state_bytes = sizeof(arg_state),
    .types = ARG_TYPES,
    .prepare = prepare_max,
    .rows = rows_same,
    .eval = eval_arg,
};

const arn_op arn_op_arg_min = {
    .name = "ARG_MIN",
    .code = 79,
    .state_bytes = sizeof(arg_state),
    .types = ARG_TYPES,
    .prepare = prepare_min,
    .rows = rows_same,
    .eval = eval_arg,
};
