// POW and ATAN2, on numbers that are not quantised.
#include "../kernels/power.h"

#include "binary.h"

static arn_status power_prepare(arn_prepare *p, void *state) {
  arn__binary t;
  ARN__TRY(arn__binary_open(p, state, &t, ARN__BINARY_SAME));
  return t.out.type == ARN_FLOAT32 ? ARN_OK : arn__binary_unquantised(p, &t);
}

static arn_status pow_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  arn__elementwise_kernel *kernel = b->type == ARN_INT32 ? arn__power_s32 : arn__power_f32;
  const arn__elementwise job = arn__binary_job(b->type, kernel, NULL);
  return arn__broadcast_run(e, b, &job);
}

static arn_status atan2_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  const arn__elementwise job = arn__binary_job(b->type, arn__power_atan2_f32, NULL);
  return arn__broadcast_run(e, b, &job);
}

const arn_op arn_op_pow = {"POW", 78, sizeof(arn__broadcast),
                           ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT32), 0, NULL,
                           power_prepare, arn__broadcast_rows, pow_eval};
const arn_op arn_op_atan2 = {"ATAN2", 156, sizeof(arn__broadcast), ARN_TYPE_BIT(ARN_FLOAT32), 0,
                             NULL, power_prepare, arn__broadcast_rows, atan2_eval};
