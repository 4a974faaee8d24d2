// The shortest list of operators for a model: records of one type (arenite/typed_ops.def) where
// they take all nodes of an operator.
#ifndef ARENITE_HOST_CHECK_TYPED_H
#define ARENITE_HOST_CHECK_TYPED_H

#include "arenite/arenite.h"

#define HOST_TYPED_MOST 512u

// A list that an application with this model would write. Must not move.
typedef struct host_typed_ops {
  const arn_op *ops[HOST_TYPED_MOST];
  arn_op_list list;
} host_typed_ops;

// Fills the list with the records that the model needs, in the order of arn_ops_all. Returns false,
// with *missing set where it is not NULL, at the first node that no operator here is for. Cost: a
// measurement for each record of one type that might do.
bool host_typed_ops_choose(const arn_model *model, host_typed_ops *typed, arn_error *missing);

// Returns the name of a built-in record, as ops.def and typed_ops.def have it ("conv_2d_int8"), or
// NULL.
const char *host_typed_op_name(const arn_op *op);

// Says whether the file has a row plan, for which the list needs `plans`.
bool host_typed_needs_plans(const arn_model *model);

#endif
