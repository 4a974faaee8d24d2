#include "dense_sparse.h"

#include "../graph/sparse.h"

typedef struct decoder {
  arn__dense_decoder base;
  arn__sparse weights;
  void *scratch;
} decoder;

arn_status arn__dense_sparse_prepare(arn_prepare *p, const arn_tensor *w, const arn__dense *d,
                                     uint32_t *sparse_at) {
  if (w->type == ARN_INT4 || w->rank != 2 || !arn__sparse_check(p->model, p->subgraph, w)) {
    return arn_refuse(p, ARN_WHAT_SPARSITY, w);
  }
  const uint32_t decoded = d->channels < ARN__DENSE_DECODED ? d->channels : ARN__DENSE_DECODED;
  *sparse_at = arn__sparse_at(p->model, p->subgraph, w);
  p->scratch_bytes = decoded * d->depth * arn_type_bytes((arn_type)w->type);
  return ARN_OK;
}

static void decode(const arn__dense_decoder *self, uint32_t first, uint32_t count) {
  const decoder *d = (const decoder *)(const void *)self;
  arn__sparse_rows(&d->weights, first, count, d->scratch);
}

void arn__dense_sparse_run(const arn_eval *e, const arn__dense_run *run,
                           const arn__dense_vectors *v, uint32_t sparse_at, bool folds) {
  decoder d;
  arn__dense_run decoded = *run;
  d.base.decode = decode;
  d.scratch = e->scratch;
  arn__sparse_open(&d.weights, e->model, sparse_at, run->w.base);
  decoded.w.base = e->scratch;
  decoded.decoder = &d.base;
  if (folds) arn__dense_fold(&decoded, v, e->span, e->fold);
  else arn__dense_rows(&decoded, v, e->span);
}
