// STABLEHLO_TRANSPOSE, _BROADCAST_IN_DIM, _SLICE and _DYNAMIC_SLICE: strided copies whose shape is
// given by options.
#include "nest.h"
#include "stablehlo.h"

// ---- STABLEHLO_TRANSPOSE ------------------------------------------------------------------------

// Bytes of the input from one element to the next on an axis.
static int32_t stride_of(const arn_tensor *in, uint32_t axis) {
  return (int32_t)(arn__movement_product(in, axis + 1, in->rank) *
                   arn_type_bytes((arn_type)in->type));
}

static arn_status transpose_prepare(arn_prepare *p, void *state) {
  arn_tensor in, out;
  int32_t axes[ARN_MAX_RANK];
  uint32_t count;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__shlo_axes(p, 0, in.rank, axes, &count));
  if (count != in.rank || out.rank != in.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  arn__nest_plan plan = arn__nest_begin(state, &in, &out);
  for (uint32_t i = in.rank; i-- > 0;) {
    const int32_t dim = in.dims[axes[i]];
    if (out.dims[i] != dim) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
    arn__nest_wrap(&plan, (uint32_t)dim, stride_of(&in, (uint32_t)axes[i]));
  }
  return arn__nest_finish(p, &plan, &out);
}

// ---- STABLEHLO_BROADCAST_IN_DIM -----------------------------------------------------------------

// Dimension i of the input is dimension axes[i] of the output, repeated where it is 1.
static arn_status broadcast_prepare(arn_prepare *p, void *state) {
  arn_tensor in, out;
  int32_t axes[ARN_MAX_RANK], from[ARN_MAX_RANK] = {0};
  uint32_t count;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__shlo_axes(p, 0, out.rank, axes, &count));
  if (count != in.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &in);
  for (uint32_t i = 0; i < count; i++) {
    const bool same = in.dims[i] == out.dims[axes[i]];
    if (!same && in.dims[i] != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
    if (same) from[axes[i]] = stride_of(&in, i);
  }
  arn__nest_plan plan = arn__nest_begin(state, &in, &out);
  for (uint32_t i = out.rank; i-- > 0;) arn__nest_wrap(&plan, (uint32_t)out.dims[i], from[i]);
  return arn__nest_finish(p, &plan, &out);
}

// ---- STABLEHLO_SLICE ----------------------------------------------------------------------------

enum { SLICE_STARTS = 0, SLICE_LIMITS = 1, SLICE_STRIDES = 2 };

static arn_status slice_prepare(arn_prepare *p, void *state) {
  arn_tensor in, out;
  int32_t starts[ARN_MAX_RANK], limits[ARN_MAX_RANK], steps[ARN_MAX_RANK];
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__shlo_numbers(p, SLICE_STARTS, in.rank, 0, -1, starts));
  ARN__TRY(arn__shlo_numbers(p, SLICE_LIMITS, in.rank, 0, -1, limits));
  ARN__TRY(arn__shlo_numbers(p, SLICE_STRIDES, in.rank, 1, 1, steps));
  if (out.rank != in.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  arn__nest_plan plan = arn__nest_begin(state, &in, &out);
  for (uint32_t i = in.rank; i-- > 0;) {
    const int32_t stride = stride_of(&in, i);
    if (starts[i] > limits[i] || limits[i] > in.dims[i]) {
      return arn_refuse_model(p, ARN_WHAT_INDEX, &in);
    }
    const int32_t length = limits[i] - starts[i];
    const int32_t count = length / steps[i] + (length % steps[i] > 0);
    if (count != out.dims[i]) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
    if (count > 0) plan.nest->start += starts[i] * stride;
    arn__nest_wrap(&plan, (uint32_t)count, count > 1 ? steps[i] * stride : 0);
  }
  return arn__nest_finish(p, &plan, &out);
}

// ---- STABLEHLO_DYNAMIC_SLICE --------------------------------------------------------------------
// Where the block begins comes at run time, a scalar a dimension; a block that would reach out is
// pushed back inside. Any row of the input may be read.

typedef struct dynamic_slice {
  uint32_t in_rows;
  uint8_t rank, type;      // type: of the starts
  uint16_t spare;
  struct {
    int32_t most;          // the last place to begin at
    int32_t stride;        // bytes
  } dims[ARN_MAX_RANK];
  arn__nest nest;
} dynamic_slice;

// Reads input 1 + i, where the block begins on axis i.
static arn_status read_start(const arn_prepare *p, dynamic_slice *s, uint32_t i) {
  arn_tensor t;
  ARN__TRY(arn_prepare_input(p, 1 + i, &t));
  if (t.type != ARN_INT32 && t.type != ARN_INT64) return arn_refuse(p, ARN_WHAT_TYPE, &t);
  if (i > 0 && t.type != s->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &t);
  s->type = t.type;
  return t.count == 1 ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
}

static arn_status dynamic_slice_prepare(arn_prepare *p, void *state) {
  dynamic_slice *s = state;
  arn_tensor in, out;
  int32_t sizes[ARN_MAX_RANK];
  ARN__TRY(arn_prepare_counts(p, 1, 1 + ARN_MAX_RANK, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  if (p->node->input_count != 1u + in.rank) return arn_refuse_model(p, ARN_WHAT_INPUT_COUNT, NULL);
  ARN__TRY(arn__shlo_numbers(p, 0, in.rank, 0, -1, sizes));
  if (out.rank != in.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  arn__nest_plan plan = arn__nest_begin(&s->nest, &in, &out);
  for (uint32_t i = in.rank; i-- > 0;) {
    if (sizes[i] > in.dims[i]) return arn_refuse_model(p, ARN_WHAT_OPTION, &in);
    if (sizes[i] != out.dims[i]) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
    s->dims[i].most = in.dims[i] - sizes[i];
    s->dims[i].stride = stride_of(&in, i);
    arn__nest_wrap(&plan, (uint32_t)sizes[i], s->dims[i].stride);
  }
  for (uint32_t i = 0; i < in.rank; i++) ARN__TRY(read_start(p, s, i));
  s->rank = in.rank;
  s->in_rows = arn__rows_of(&in).rows;
  ARN__TRY(arn__nest_settle(p, &plan, &out));
  p->state_bytes = (uint32_t)offsetof(dynamic_slice, nest) + arn__nest_bytes(&s->nest);
  return ARN_OK;
}

static void dynamic_slice_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const dynamic_slice *s = state;
  (void)out;
  *in = (arn_span){0, input == 0 ? s->in_rows : 1};
}

static arn_status dynamic_slice_eval(const arn_eval *e, const void *state) {
  const dynamic_slice *s = state;
  arn__nest nest;
  memcpy(&nest, &s->nest, arn__nest_bytes(&s->nest));
  for (uint32_t i = 0; i < s->rank; i++) {
    const int32_t start = arn__index_at(arn_eval_in(e, 1 + i), s->type, 0);
    const int32_t low = start < 0 ? 0 : start, most = s->dims[i].most;
    nest.start += (low < most ? low : most) * s->dims[i].stride;
  }
  arn__nest_run(&nest, e, 0);
  return ARN_OK;
}

const arn_op arn_op_stablehlo_transpose = {
    .name = "STABLEHLO_TRANSPOSE",
    .code = 202,
    .state_bytes = sizeof(arn__nest),
    .types = ARN__MOVEMENT_TYPES,
    .prepare = transpose_prepare,
    .rows = arn__nest_rows,
    .eval = arn__nest_eval,
};
const arn_op arn_op_stablehlo_broadcast_in_dim = {
    .name = "STABLEHLO_BROADCAST_IN_DIM",
    .code = 170,
    .state_bytes = sizeof(arn__nest),
    .types = ARN__MOVEMENT_TYPES,
    .prepare = broadcast_prepare,
    .rows = arn__nest_rows,
    .eval = arn__nest_eval,
};
const arn_op arn_op_stablehlo_slice = {
    .name = "STABLEHLO_SLICE",
    .code = 172,
    .state_bytes = sizeof(arn__nest),
    .types = ARN__MOVEMENT_TYPES,
    .prepare = slice_prepare,
    .rows = arn__nest_rows,
    .eval = arn__nest_eval,
};
const arn_op arn_op_stablehlo_dynamic_slice = {
    .name = "STABLEHLO_DYNAMIC_SLICE",
    .code = 193,
    .state_bytes = sizeof(dynamic_slice),
    .types = ARN__MOVEMENT_TYPES,
    .prepare = dynamic_slice_prepare,
    .rows = dynamic_slice_rows,
    .eval = dynamic_slice_eval,
};
