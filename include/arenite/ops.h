// All operators, by name. An application that lists a few links only those:
//
//   static const arn_op *const ops[] = {&arn_op_conv_2d, &arn_op_softmax};
//   static const arn_op_list my_ops = {ops, 2};
#ifndef ARENITE_OPS_H
#define ARENITE_OPS_H

#include "arenite/op.h"

#ifdef __cplusplus
extern "C" {
#endif

#define ARN_OP(record) extern const arn_op arn_op_##record;
#include "arenite/ops.def"
#undef ARN_OP

// Every operator of this library (links all of them).
extern const arn_op_list arn_ops_all;

#ifdef __cplusplus
}
#endif
#endif
