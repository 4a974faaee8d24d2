// All operators, by name. An application that lists a few links only those:
//
//   static const arn_op *const ops[] = {&arn_op_conv_2d, &arn_op_softmax};
//   static const arn_op_list my_ops = {ops, 2};
//
// These take all types that an operator is made for, and link the kernels for all of them. Those of
// typed_ops.def take one type (input, weights and output; no sparse weights) and link a fraction:
// arn_op_conv_2d_int8 instead of arn_op_conv_2d. A node of another type is refused. List one record
// an operator.
#ifndef ARENITE_OPS_H
#define ARENITE_OPS_H

#include "arenite/op.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ARN_OP(record) extern const arn_op arn_op_##record;
#include "arenite/ops.def"
#include "arenite/typed_ops.def"
#undef ARN_OP

// Every operator of this library (links all of them).
extern const arn_op_list arn_ops_all;

#ifdef __cplusplus
}
#endif
#endif
