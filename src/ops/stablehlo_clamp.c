// STABLEHLO_CLAMP: values no less than input 0 and no more than input 2, each of the shape of the
// values or a single element. Where they contradict each other, input 2 wins.
#include "../graph/rows.h"
#include "../kernels/clamp.h"
#include "binary.h"
#include "stablehlo.h"

enum { LEAST = 0, VALUE = 1, MOST = 2, INPUTS = 3 };

static arn_status clamp_prepare(arn_prepare *p, void *state) {
  arn__broadcast *b = state;
  arn_tensor in[INPUTS], out;
  ARN__TRY(arn_prepare_counts(p, INPUTS, INPUTS, 1));
  ARN__TRY(arn__movement_pair(p, VALUE, &in[VALUE], &out));
  if (!arn__rows_same_shape(&in[VALUE], &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  ARN__TRY(arn__shlo_same_scale(p, &in[VALUE], &out));
  for (uint32_t i = LEAST; i <= MOST; i += MOST) {
    ARN__TRY(arn_prepare_input(p, i, &in[i]));
    if (in[i].type != out.type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &in[i]);
    ARN__TRY(arn__shlo_same_scale(p, &out, &in[i]));
    if (in[i].rank != 0 && !arn__rows_same_shape(&in[i], &out)) {
      return arn_refuse_model(p, ARN_WHAT_SHAPE, &in[i]);
    }
  }
  arn__broadcast_prepare(p, b, in, INPUTS, &out);
  b->type = out.type;
  return ARN_OK;
}

static arn_status run(const arn_eval *e, const arn__broadcast *b, arn__elementwise_kernel *kernel) {
  arn__elementwise job = arn__binary_job(b->type, kernel, NULL);
  job.inputs = INPUTS;
  return arn__broadcast_run(e, b, &job);
}

static arn_status clamp_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  switch (b->type) {
    case ARN_INT8: return run(e, b, arn__clamp_each_s8);
    case ARN_UINT8: return run(e, b, arn__clamp_each_u8);
    case ARN_INT16: return run(e, b, arn__clamp_each_s16);
    case ARN_INT32: return run(e, b, arn__clamp_each_s32);
    case ARN_INT64: return run(e, b, arn__clamp_each_s64);
    default: return run(e, b, arn__clamp_each_f32);
  }
}

#define TYPES                                                                              \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |          \
   ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64))

const arn_op arn_op_stablehlo_clamp = {
    .name = "STABLEHLO_CLAMP",
    .code = 168,
    .state_bytes = sizeof(arn__broadcast),
    .types = TYPES,
    .prepare = clamp_prepare,
    .rows = arn__broadcast_rows,
    .eval = clamp_eval,
};
