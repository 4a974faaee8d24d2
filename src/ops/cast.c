// CAST: the value stays, the type changes.
#include "../kernels/cast.h"
#include "unary.h"

#define INTEGERS                                                                   \
  (ARN_TYPE_BIT(ARN_BOOL) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |     \
   ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_UINT16) | ARN_TYPE_BIT(ARN_INT32) |  \
   ARN_TYPE_BIT(ARN_UINT32) | ARN_TYPE_BIT(ARN_INT64) | ARN_TYPE_BIT(ARN_UINT64))

typedef struct cast {
  uint32_t row_count;
  uint8_t in_type, out_type;
  uint8_t in_bytes, out_bytes;
} cast;

static arn_status prepare_cast(arn_prepare *p, void *state) {
  cast *s = state;
  arn_tensor in, out;
  ARN__TRY(arn__unary_prepare(p, &in, &out, &s->row_count));
  const uint32_t types = INTEGERS | ARN_TYPE_BIT(ARN_FLOAT32);
  if (!(types >> out.type & 1)) return arn_refuse(p, ARN_WHAT_TYPE, &out);
  s->in_type = in.type;
  s->out_type = out.type;
  s->in_bytes = (uint8_t)arn_type_bytes((arn_type)in.type);
  s->out_bytes = (uint8_t)arn_type_bytes((arn_type)out.type);
  return ARN_OK;
}

static arn__unary_fn kernel_of(const cast *s) {
  const bool wide_out = s->out_type == ARN_INT64 || s->out_type == ARN_UINT64;
  const bool unsigned_or_wide =
      s->in_type == ARN_UINT32 || s->in_type == ARN_INT64 || s->in_type == ARN_UINT64;
  if (s->in_type == ARN_FLOAT32 || s->in_type == ARN_FLOAT16) return arn__cast_from_float;
  if (wide_out || (s->out_type == ARN_FLOAT32 && unsigned_or_wide)) return arn__cast_wide;
  return arn__cast_small;
}

static arn_status eval_cast(const arn_eval *e, const void *state) {
  const cast *s = state;
  const arn__cast_types types = {(arn_type)s->in_type, (arn_type)s->out_type};
  const arn__unary_job job = {kernel_of(s), &types, s->row_count, s->in_bytes, s->out_bytes};
  arn__unary_run(e, &job);
  return ARN_OK;
}

const arn_op arn_op_cast = {
    .name = "CAST",
    .code = 53,
    .state_bytes = sizeof(cast),
    .types = INTEGERS | ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_FLOAT16),
    .prepare = prepare_cast,
    .rows = arn__unary_rows,
    .eval = eval_cast,
};
