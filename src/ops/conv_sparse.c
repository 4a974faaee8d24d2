// Sparse filters of CONV_2D and DEPTHWISE_CONV_2D: decoded into scratch, a few channels at a time.
#include "../graph/sparse.h"
#include "conv_parts.h"

static arn_status prepare(arn_prepare *p, const arn__conv_tensors *t, arn__conv_state *s) {
  const uint32_t bytes = arn_type_bytes((arn_type)t->filter.type);
  if (t->filter.type == ARN_INT4 || !arn__sparse_check(p->model, p->subgraph, &t->filter)) {
    return arn_refuse(p, ARN_WHAT_SPARSITY, &t->filter);
  }
  const uint32_t channels = t->depthwise ? 1 : (uint32_t)t->filter.dims[0];
  const uint32_t most = ARN__CONV_SPARSE_CHANNELS, decoded = channels < most ? channels : most;
  s->flags |= ARN__CONV_SPARSE;
  s->sparse_at = arn__sparse_at(p->model, p->subgraph, &t->filter);
  p->scratch_bytes = t->filter.count / channels * decoded * bytes;
  return ARN_OK;
}

// Decodes channels of a sparse filter; DEPTHWISE_CONV_2D's filter is a single row of its format.
static void decode(const arn__conv_run *r, uint32_t first, uint32_t count) {
  arn__sparse sparse;
  arn__sparse_open(&sparse, r->e->model, r->s->sparse_at, r->filter);
  arn__sparse_rows(&sparse, first, count, r->e->scratch);
}

const arn__conv_sparse arn__conv_sparse_filters = {prepare, decode};
