// Dense layers over sparse weights: rows of weights are decoded into scratch, a few at a time.
#ifndef ARENITE_SRC_OPS_DENSE_SPARSE_H
#define ARENITE_SRC_OPS_DENSE_SPARSE_H

#include "dense.h"

// Checks the description of the weights, sets where it is (for the state), and asks for scratch.
ARN_MUST_CHECK arn_status arn__dense_sparse_prepare(arn_prepare *p, const arn_tensor *w,
                                                    const arn__dense *d, uint32_t *sparse_at);

// arn__dense_fold() or arn__dense_rows() of the step's span, with run.w still at the sparse data.
// Stack: 250 bytes more.
void arn__dense_sparse_run(const arn_eval *e, const arn__dense_run *run,
                           const arn__dense_vectors *v, uint32_t sparse_at, bool folds);

#endif
