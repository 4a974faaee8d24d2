// DENSIFY: a sparse constant as a dense tensor. Where all readers of the output take the sparse
// constant itself (arn_op.folds), the engine never runs this.
#include "../graph/parts.h"
#include "../graph/rows.h"
#include "../graph/sparse.h"
#include "arenite/op.h"
#include "movement.h"

typedef struct densify {
  uint32_t at;  // of the constant's description
} densify;

static arn_status prepare_densify(arn_prepare *p, void *state) {
  densify *s = state;
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  if (!arn__rows_same_shape(&in, &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  if (!(in.flags & ARN_TENSOR_CONST)) return arn_refuse(p, ARN_WHAT_TENSOR_CONSTANT, &in);
  if (!(in.flags & ARN_TENSOR_SPARSE) || !arn__sparse_check(p->model, p->subgraph, &in)) {
    return arn_refuse_model(p, ARN_WHAT_SPARSITY, &in);
  }
  s->at = arn__sparse_at(p->model, p->subgraph, &in);
  p->work = ARN_WHOLE;
  return ARN_OK;
}

static arn_status eval_densify(const arn_eval *e, const void *state) {
  const densify *s = state;
  arn__sparse sparse;
  arn__sparse_open(&sparse, e->model, s->at, arn_eval_in(e, 0));
  arn__sparse_rows(&sparse, 0, sparse.rows, arn_eval_out(e, 0));
  return ARN_OK;
}

const arn_op arn_op_densify = {
    .name = "DENSIFY",
    .code = 124,
    .state_bytes = sizeof(densify),
    .types = ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_FLOAT16) | ARN_TYPE_BIT(ARN_INT8) |
             ARN_TYPE_BIT(ARN_UINT8) | ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_INT32),
    .kinds = &arn__folded_constants,
    .prepare = prepare_densify,
    .eval = eval_densify,
};
