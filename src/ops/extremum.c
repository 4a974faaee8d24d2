// MAXIMUM and MINIMUM. Quantised tensors must share scale and zero point: then comparing the
// numbers compares what they stand for.
#include "../kernels/extremum.h"

#include "binary.h"

static bool is_quantised(uint32_t type) {
  return type == ARN_INT8 || type == ARN_UINT8 || type == ARN_INT16;
}

static arn_status check_same_scales(const arn_prepare *p, const arn__binary *t) {
  const arn_tensor *const others[] = {&t->in[1], &t->out};
  for (uint32_t i = 0; i < 2; i++) {
    const bool same = others[i]->scale_count == t->in[0].scale_count &&
                      arn_tensor_scale(p->model, others[i], 0) ==
                          arn_tensor_scale(p->model, &t->in[0], 0) &&
                      arn_tensor_zero(p->model, others[i], 0) ==
                          arn_tensor_zero(p->model, &t->in[0], 0);
    if (!same || others[i]->scale_count > 1) return arn_refuse(p, ARN_WHAT_QUANTISATION, others[i]);
  }
  return ARN_OK;
}

static arn_status extremum_prepare(arn_prepare *p, void *state) {
  arn__binary t;
  ARN__TRY(arn__binary_open(p, state, &t, ARN__BINARY_SAME));
  return is_quantised(t.out.type) ? check_same_scales(p, &t) : ARN_OK;
}

static arn_status run(const arn_eval *e, const arn__broadcast *b, arn__elementwise_kernel *kernel) {
  const arn__elementwise job = arn__binary_job(b->type, kernel, NULL);
  return arn__broadcast_run(e, b, &job);
}

static arn_status maximum_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  switch (b->type) {
    case ARN_INT8: return run(e, b, arn__extremum_max_s8);
    case ARN_UINT8: return run(e, b, arn__extremum_max_u8);
    case ARN_INT16: return run(e, b, arn__extremum_max_s16);
    case ARN_INT32: return run(e, b, arn__extremum_max_s32);
    case ARN_INT64: return run(e, b, arn__extremum_max_s64);
    default: return run(e, b, arn__extremum_max_f32);
  }
}

static arn_status minimum_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  switch (b->type) {
    case ARN_INT8: return run(e, b, arn__extremum_min_s8);
    case ARN_UINT8: return run(e, b, arn__extremum_min_u8);
    case ARN_INT16: return run(e, b, arn__extremum_min_s16);
    case ARN_INT32: return run(e, b, arn__extremum_min_s32);
    case ARN_INT64: return run(e, b, arn__extremum_min_s64);
    default: return run(e, b, arn__extremum_min_f32);
  }
}

#define TYPES                                                                              \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |          \
   ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64))

const arn_op arn_op_maximum = {"MAXIMUM", 55, sizeof(arn__broadcast), TYPES, 0, NULL,
                               extremum_prepare, arn__broadcast_rows, maximum_eval};
const arn_op arn_op_minimum = {"MINIMUM", 57, sizeof(arn__broadcast), TYPES, 0, NULL,
                               extremum_prepare, arn__broadcast_rows, minimum_eval};
