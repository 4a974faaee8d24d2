// CONV_2D. See conv_common.h.
#include "arenite/ops.h"
#include "conv_common.h"

static arn_status prepare(arn_prepare *p, void *state) {
  return arn__conv_prepare(p, state, false);
}

static arn_status eval(const arn_eval *e, const void *state) {
  static arn__conv_kernel *const kernels[ARN__CONV_KINDS] = {
      [ARN__CONV_S8] = arn__conv_row_s8,   [ARN__CONV_S8_S4] = arn__conv_row_s8_s4,
      [ARN__CONV_U8] = arn__conv_row_u8,   [ARN__CONV_S16] = arn__conv_row_s16,
      [ARN__CONV_F32] = arn__conv_row_f32, [ARN__CONV_F32_ANY] = arn__conv_row_f32_any};
  const arn__conv_state *s = state;
  return arn__conv_eval(e, s, kernels[s->kind], false);
}

const arn_op arn_op_conv_2d = {
    .name = "CONV_2D",
    .code = 3,
    .state_bytes = sizeof(arn__conv_state),
    .types = ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |
             ARN_TYPE_BIT(ARN_INT16),
    .folds = 1u << 1 | 1u << 2 | ARN_FOLDS_SPARSE,
    .prepare = prepare,
    .rows = arn__conv_rows,
    .eval = eval,
};
