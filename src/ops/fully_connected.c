// FULLY_CONNECTED: see dense.h for arithmetic and types, docs/ops/matrix.md for the rest.
//
// Rows. Where input and output have the same rows ([1,T,K] -> [1,T,N]) a row is computed from a
// row. A single vector, such as a flattened [1,H,W,C], folds: a step takes the rows it is given, of
// any partition of the vector into equal pieces (row_bytes of the input's arn_rows is their
// length), into one sum a channel. Everything else runs whole.
#include "../graph/rows.h"
#include "arenite/ops.h"
#include "dense_sparse.h"

enum { INPUT = 0, WEIGHTS = 1, BIAS = 2, INPUTS = 3 };
enum { OPTION_ACTIVATION = 0, OPTION_WEIGHTS_FORMAT = 1 };

#define FOLDS UINT32_MAX

typedef struct fully_connected {
  uint32_t in_row_bytes;
  uint32_t vectors;    // of a row, or FOLDS
  arn__dense dense;
  uint32_t sparse_at;  // where the weights are sparse: see arn__sparse_at()
} fully_connected;

// What a record links (arn_op.kinds).
typedef struct kinds {
  const arn__dense_kind *dense;
  // NULL: sparse weights are refused
  arn_status (*prepare_sparse)(arn_prepare *p, const arn_tensor *w, const arn__dense *d,
                               uint32_t *sparse_at);
  void (*run_sparse)(const arn_eval *e, const arn__dense_run *run, const arn__dense_vectors *v,
                     uint32_t sparse_at, bool folds);
} kinds;

// Sets depth and channels, and checks that all shapes agree.
static arn_status check_shapes(const arn_prepare *p, const arn__dense_tensors *t, arn__dense *d) {
  const arn_tensor *w = t->w;
  if (w->rank < 2) return arn_refuse(p, ARN_WHAT_RANK, w);
  d->channels = (uint32_t)w->dims[w->rank - 2];
  d->depth = (uint32_t)w->dims[w->rank - 1];
  if (d->depth == 0 || (uint64_t)d->channels * d->depth != w->count) {
    return arn_refuse(p, ARN_WHAT_SHAPE, w);
  }
  if (t->in->count % d->depth != 0) return arn_refuse(p, ARN_WHAT_SHAPE, t->in);
  const uint64_t results = (uint64_t)(t->in->count / d->depth) * d->channels;
  const arn_tensor *out = t->out;
  if (out->rank == 0 || (uint32_t)out->dims[out->rank - 1] != d->channels ||
      out->count != results) {
    return arn_refuse(p, ARN_WHAT_SHAPE, out);
  }
  return ARN_OK;
}

// Chooses how the node may be cut.
static void set_rows(arn_prepare *p, const arn__dense_tensors *t, fully_connected *s) {
  const arn__dense *d = &s->dense;
  const arn__rows_shape in = arn__rows_of(t->in), out = arn__rows_of(t->out);
  const bool w_whole = t->w->rank == 2 || (t->w->flags & ARN_TENSOR_CONST);
  const uint32_t es = arn_type_bytes((arn_type)d->type);
  if (t->in->count == d->depth && w_whole) {
    p->work = ARN_FOLD;
    p->rows = in.rows;
    p->fold_bytes = d->channels * arn__dense_sum_bytes(d);
    s->vectors = FOLDS;
    s->in_row_bytes = in.row_count * es;
    return;
  }
  if (in.rows > 1 && in.rows == out.rows && in.row_count % d->depth == 0 && w_whole) {
    p->work = ARN_ROWS;
    p->rows = in.rows;
    s->vectors = in.row_count / d->depth;
    s->in_row_bytes = in.row_count * es;
    return;
  }
  s->vectors = t->in->count / d->depth;
  s->in_row_bytes = t->in->bytes;
}

static arn_status prepare(arn_prepare *p, void *state) {
  fully_connected *s = state;
  arn_tensor in, w, bias, out;
  const kinds *k = p->op->kinds;
  arn__dense_tensors t = {k->dense, &in, &w, &out, NULL, 0,
                          arn_option_u8(p, OPTION_ACTIVATION, 0), false,
                          k->prepare_sparse != NULL};
  arn_status status = arn_prepare_counts(p, 2, INPUTS, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, INPUT, &in);
  if (status == ARN_OK) status = arn_prepare_input(p, WEIGHTS, &w);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &out);
  if (status == ARN_OK && arn_prepare_has_input(p, BIAS)) {
    status = arn_prepare_input(p, BIAS, &bias);
    t.bias = &bias;
  }
  if (status != ARN_OK) return status;
  if (arn_option_u8(p, OPTION_WEIGHTS_FORMAT, 0) != 0) return arn_refuse(p, ARN_WHAT_OPTION, &w);
  t.channel_axis = w.rank - 2;
  status = check_shapes(p, &t, &s->dense);
  if (status == ARN_OK) status = arn__dense_prepare(p, &t, &s->dense);
  if (status != ARN_OK) return status;
  set_rows(p, &t, s);
  p->state_bytes = (uint32_t)offsetof(fully_connected, dense) + arn__dense_state_bytes(&s->dense);
  if (!s->dense.is_sparse) return ARN_OK;
  p->state_bytes = sizeof *s;
  return k->prepare_sparse(p, &w, &s->dense, &s->sparse_at);
}

static void rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  *in = input == INPUT ? out : (arn_span){0, 1};
}

static arn_status eval(const arn_eval *e, const void *state) {
  const fully_connected *s = state;
  const arn__dense *d = &s->dense;
  const uint32_t vectors = s->vectors == FOLDS ? 1 : s->vectors;
  const uint32_t out_row_bytes = vectors * d->channels * arn_type_bytes((arn_type)d->type);
  const kinds *k = e->op->kinds;
  arn__dense_run run = {k->dense, d, e->model->bytes, arn_eval_input(e, WEIGHTS, 0),
                        arn_eval_in(e, BIAS), 1, false, NULL};
  const arn__dense_vectors v = {arn_eval_input(e, INPUT, s->in_row_bytes),
                                arn_eval_output(e, 0, out_row_bytes), d->depth, vectors};
  arn__dense_set_whole(&run.w);
  const bool folds = s->vectors == FOLDS;
  if (d->is_sparse) k->run_sparse(e, &run, &v, s->sparse_at, folds);
  else if (folds) arn__dense_fold(&run, &v, e->span, e->fold);
  else arn__dense_rows(&run, &v, e->span);
  return ARN_OK;
}

static const kinds all_types = {&arn__dense_any, arn__dense_sparse_prepare, arn__dense_sparse_run};
static const kinds int8_only = {&arn__dense_int8, NULL, NULL};

#define RECORD(types_, folds_, kinds_)                                                   \
  {                                                                                      \
    .name = "FULLY_CONNECTED", .code = 9, .state_bytes = sizeof(fully_connected),        \
    .types = (types_), .folds = (folds_), .kinds = (kinds_), .prepare = prepare,         \
    .rows = rows, .eval = eval,                                                          \
  }

const arn_op arn_op_fully_connected =
    RECORD(ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |
               ARN_TYPE_BIT(ARN_INT16),
           1u << WEIGHTS | 1u << BIAS | ARN_FOLDS_SPARSE, &all_types);
const arn_op arn_op_fully_connected_int8 = RECORD(ARN_TYPE_BIT(ARN_INT8), 0, &int8_only);
