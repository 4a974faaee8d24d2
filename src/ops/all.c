// The list of all operators, in an object of its own: whoever names fewer links fewer.
#include "arenite/ops.h"

#define ARN_OP(record) &arn_op_##record,
static const arn_op *const all[] = {
#include "arenite/ops.def"
};
#undef ARN_OP

const arn_op_list arn_ops_all = {all, sizeof all / sizeof all[0], &arn_file_plans};
