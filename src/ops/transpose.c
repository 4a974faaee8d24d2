// TRANSPOSE: output dimension i is input dimension perm[i].
#include "nest.h"

// Reads the permutation into `axes`; every dimension must be there once.
static arn_status read_permutation(const arn_prepare *p, const arn_tensor *in, uint8_t *axes) {
  arn__index perm;
  uint32_t seen = 0, axis;
  ARN__TRY(arn__movement_index(p, 1, &perm));
  if (perm.count != in->rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, in);
  if (perm.data == NULL && perm.count > 0) return arn_refuse(p, ARN_WHAT_TENSOR_CONSTANT, NULL);
  for (uint32_t i = 0; i < in->rank; i++) {
    ARN__TRY(arn__movement_axis(p, arn__index_at(perm.data, perm.type, i), in->rank, &axis));
    seen |= 1u << axis;
    axes[i] = (uint8_t)axis;
  }
  return seen + 1 == 1u << in->rank ? ARN_OK : arn_refuse_model(p, ARN_WHAT_AXIS, in);
}

static arn_status transpose_prepare(arn_prepare *p, void *state) {
  arn_tensor in, out;
  uint8_t axes[ARN_MAX_RANK];
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(read_permutation(p, &in, axes));
  if (out.rank != in.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  arn__nest_plan plan = arn__nest_begin(state, &in, &out);
  const uint32_t element = plan.inner_bytes;
  for (uint32_t i = in.rank; i-- > 0;) {
    const int32_t count = in.dims[axes[i]];
    const uint32_t stride = element * arn__movement_product(&in, axes[i] + 1u, in.rank);
    if (out.dims[i] != count) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
    arn__nest_wrap(&plan, (uint32_t)count, (int32_t)stride);
  }
  return arn__nest_finish(p, &plan, &out);
}

const arn_op arn_op_transpose = {"TRANSPOSE", 39, sizeof(arn__nest), ARN__MOVEMENT_TYPES, 0, NULL,
                                 transpose_prepare, arn__nest_rows, arn__nest_eval};
