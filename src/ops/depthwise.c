// DEPTHWISE_CONV_2D. See conv_common.h.
#include "../kernels/depthwise.h"
#include "arenite/ops.h"
#include "conv_common.h"

static const arn__conv_kinds all_types = {
    .depthwise = true,
    .rows = {[ARN__CONV_S8] = arn__depthwise_row_s8,
             [ARN__CONV_S8_S4] = arn__depthwise_row_s8_s4,
             [ARN__CONV_U8] = arn__depthwise_row_u8,
             [ARN__CONV_S16] = arn__depthwise_row_s16,
             [ARN__CONV_F32] = arn__depthwise_row_f32,
             [ARN__CONV_F32_ANY] = arn__depthwise_row_f32_any},
    .real = &arn__conv_real_nodes,
    .sparse = &arn__conv_sparse_filters,
};

static const arn__conv_kinds int8_only = {
    .depthwise = true,
    .rows = {[ARN__CONV_S8] = arn__depthwise_row_s8},
};

static const arn__conv_kinds int16_only = {
    .depthwise = true,
    .rows = {[ARN__CONV_S16] = arn__depthwise_row_s16},
};

static const arn__conv_kinds float32_only = {
    .depthwise = true,
    .rows = {[ARN__CONV_F32] = arn__depthwise_row_f32},
    .real = &arn__conv_real_nodes,
};

#define RECORD(types_, folds_, kinds_)                                                 \
  {                                                                                    \
    .name = "DEPTHWISE_CONV_2D", .code = 4, .state_bytes = sizeof(arn__conv_state),             \
    .types = (types_), .folds = (folds_), .kinds = (kinds_),                           \
    .prepare = arn__conv_prepare, .rows = arn__conv_rows, .eval = arn__conv_eval,      \
  }

const arn_op arn_op_depthwise_conv_2d = RECORD(
    ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |
        ARN_TYPE_BIT(ARN_INT16),
    1u << 1 | 1u << 2 | ARN_FOLDS_SPARSE, &all_types);
const arn_op arn_op_depthwise_conv_2d_int8 = RECORD(ARN_TYPE_BIT(ARN_INT8), 0, &int8_only);
const arn_op arn_op_depthwise_conv_2d_int16 = RECORD(ARN_TYPE_BIT(ARN_INT16), 0, &int16_only);
const arn_op arn_op_depthwise_conv_2d_float32 = RECORD(ARN_TYPE_BIT(ARN_FLOAT32), 0, &float32_only);
