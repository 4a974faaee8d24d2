// SELECT and SELECT_V2: element by element one of two inputs. Data movement: any type of 1, 2, 4 or
// 8 bytes, whatever its elements mean.
#include "../kernels/select.h"

#include "binary.h"

// Reads the condition, both inputs, and the output.
static arn_status read_tensors(arn_prepare *p, arn_tensor *in, arn_tensor *out) {
  ARN__TRY(arn_prepare_counts(p, 3, 3, 1));
  ARN__TRY(arn_prepare_input(p, 0, &in[0]));
  ARN__TRY(arn_prepare_input(p, 1, &in[1]));
  ARN__TRY(arn_prepare_input(p, 2, &in[2]));
  ARN__TRY(arn_prepare_output(p, 0, out));
  if (in[0].type != ARN_BOOL) return arn_refuse(p, ARN_WHAT_TYPE, &in[0]);
  if (in[2].type != in[1].type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &in[2]);
  if (out->type != in[1].type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, out);
  const uint32_t bytes = arn_type_bytes((arn_type)out->type);
  if (out->type == ARN_INT4 || bytes == 0 || bytes > 8) return arn_refuse(p, ARN_WHAT_TYPE, out);
  return ARN_OK;
}

// Quantised numbers are copied as they are, which needs one scale for all.
static arn_status check_scales(const arn_prepare *p, const arn_tensor *in, const arn_tensor *out) {
  for (uint32_t i = 1; i <= 2; i++) {
    if (out->scale_count == 0 || in[i].scale_count == 0) continue;
    const bool same =
        arn_tensor_scale(p->model, &in[i], 0) == arn_tensor_scale(p->model, out, 0) &&
        arn_tensor_zero(p->model, &in[i], 0) == arn_tensor_zero(p->model, out, 0);
    if (!same) return arn_refuse(p, ARN_WHAT_QUANTISATION, &in[i]);
  }
  return ARN_OK;
}

static arn_status prepare_tensors(arn_prepare *p, arn__broadcast *b, const arn_tensor *in,
                                  const arn_tensor *out) {
  ARN__TRY(check_scales(p, in, out));
  ARN__TRY(arn__broadcast_check(p, in, 3, out));
  arn__broadcast_prepare(p, b, in, 3, out);
  b->type = out->type;
  return ARN_OK;
}

static arn_status select_v2_prepare(arn_prepare *p, void *state) {
  arn_tensor in[3], out;
  ARN__TRY(read_tensors(p, in, &out));
  return prepare_tensors(p, state, in, &out);
}

// The first version: inputs have the shape of the output; a condition of rank 1 chooses along the
// first dimension, not the last.
static arn_status select_prepare(arn_prepare *p, void *state) {
  arn_tensor in[3], out;
  ARN__TRY(read_tensors(p, in, &out));
  if (!arn__rows_same_shape(&in[1], &in[2])) return arn_refuse_model(p, ARN_WHAT_SHAPE, &in[2]);
  if (!arn__rows_same_shape(&in[0], &in[1])) {
    const bool first = in[0].rank == 1 && in[1].rank > 0 && in[0].dims[0] == in[1].dims[0];
    if (in[0].rank > 0 && !first) return arn_refuse_model(p, ARN_WHAT_SHAPE, &in[0]);
    for (int32_t i = 1; first && i < in[1].rank; i++) in[0].dims[i] = 1;
    if (first) in[0].rank = in[1].rank;
  }
  return prepare_tensors(p, state, in, &out);
}

static arn_status select_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  const uint8_t bytes = (uint8_t)arn_type_bytes((arn_type)b->type);
  arn__elementwise_kernel *const kernel = bytes == 1   ? arn__select_8
                                          : bytes == 2 ? arn__select_16
                                          : bytes == 4 ? arn__select_32
                                                       : arn__select_64;
  const arn__elementwise job = {kernel, NULL, ARN_WHAT_DATA_VALUE, 3, bytes, {1, bytes, bytes}};
  return arn__broadcast_run(e, b, &job);
}

// Of input 0, the condition.
#define TYPES ARN_TYPE_BIT(ARN_BOOL)

const arn_op arn_op_select = {"SELECT", 64, sizeof(arn__broadcast), TYPES, 0, NULL,
                              select_prepare, arn__broadcast_rows, select_eval};
const arn_op arn_op_select_v2 = {"SELECT_V2", 123, sizeof(arn__broadcast), TYPES, 0, NULL,
                                 select_v2_prepare, arn__broadcast_rows, select_eval};
