// BATCH_MATMUL: out[b] = lhs[b] x rhs[b], each matrix transposed first where adj_x / adj_y say so,
// with batch dimensions that broadcast. A product is a dense layer (dense.h) over the lines of the
// left matrix: by rows of the right one where it is adjoint, by columns otherwise; nothing is
// transposed in memory.
//
// Rows. Where the output's rows are batches, a step computes whole products; where they are lines
// of the one product, lines. Operands then follow row for row, or are read whole.
//
// STABLEHLO_DOT_GENERAL: the same where its dimension numbers are those of a product of matrices:
// batch dimensions in front; then those that are summed over, neighbours in the same order in both
// operands, and the others, on either side of them.
#include "../graph/rows.h"
#include "arenite/ops.h"
#include "dense.h"
#include "stablehlo.h"

enum { LHS = 0, RHS = 1, OUT = 2 };
enum { OPTION_ADJ_X = 0, OPTION_ADJ_Y = 1 };

enum {
  ADJ_X = 1,
  ADJ_Y = 2,
  BY_LINES = 4,       // the output's rows are lines of one product; else (parts of) the batches
  LHS_FOLLOWS = 8,    // row for row with the output
  RHS_FOLLOWS = 16,
  RHS_SCATTERED = 32, // BY_LINES: rhs's rows are those of its matrix
};

#define MAX_GROUPS 4u

typedef struct batch_matmul {
  uint32_t lines;               // of the output of one product
  uint32_t dims[MAX_GROUPS];    // batch dimensions, merged where operands agree
  uint32_t per_row[3];          // matrices of a row of LHS, RHS, OUT
  uint8_t groups;
  uint8_t moves[2];             // bit g: group g advances LHS / RHS
  uint8_t flags;
  arn__dense dense;
} batch_matmul;

typedef struct operands {
  arn_tensor lhs, rhs, out;
} operands;

// Returns dimension `i` of `t` seen as having `rank` dimensions.
static uint32_t dim_of(const arn_tensor *t, uint32_t rank, uint32_t i) {
  const uint32_t missing = rank - t->rank;
  return i < missing ? 1 : (uint32_t)t->dims[i - missing];
}

// ---- prepare ------------------------------------------------------------------------------------

// Adds batch dimension `dim`, advanced by the operands of `moves`, to the groups.
static bool add_group(batch_matmul *s, uint32_t dim, uint32_t lhs, uint32_t rhs) {
  if (dim == 1) return true;
  const bool moves_lhs = lhs != 1, moves_rhs = rhs != 1;
  const uint32_t last = s->groups - 1u;
  if (s->groups > 0 && (s->moves[LHS] >> last & 1) == moves_lhs &&
      (s->moves[RHS] >> last & 1) == moves_rhs) {
    s->dims[last] *= dim;
    return true;
  }
  if (s->groups == MAX_GROUPS) return false;
  s->moves[LHS] = (uint8_t)(s->moves[LHS] | moves_lhs << s->groups);
  s->moves[RHS] = (uint8_t)(s->moves[RHS] | moves_rhs << s->groups);
  s->dims[s->groups++] = dim;
  return true;
}

static arn_status check_batches(const arn_prepare *p, const operands *t, batch_matmul *s) {
  const uint32_t rank = t->out.rank;
  for (uint32_t i = 0; i + 2 < rank; i++) {
    const uint32_t lhs = dim_of(&t->lhs, rank, i), rhs = dim_of(&t->rhs, rank, i);
    const uint32_t dim = lhs == 1 ? rhs : lhs;
    if ((rhs != dim && rhs != 1) || dim_of(&t->out, rank, i) != dim) {
      return arn_refuse(p, ARN_WHAT_SHAPE, &t->out);
    }
    if (!add_group(s, dim, lhs, rhs)) return arn_refuse(p, ARN_WHAT_RANK, &t->out);
  }
  return ARN_OK;
}

static arn_status check_shapes(const arn_prepare *p, const operands *t, batch_matmul *s) {
  const arn_tensor *lhs = &t->lhs, *rhs = &t->rhs, *out = &t->out;
  if (lhs->rank < 2) return arn_refuse(p, ARN_WHAT_RANK, lhs);
  if (rhs->rank < 2) return arn_refuse(p, ARN_WHAT_RANK, rhs);
  if (out->rank != (lhs->rank > rhs->rank ? lhs->rank : rhs->rank)) {
    return arn_refuse(p, ARN_WHAT_RANK, out);
  }
  const bool adj_x = s->flags & ADJ_X, adj_y = s->flags & ADJ_Y;
  s->lines = (uint32_t)lhs->dims[lhs->rank - (adj_x ? 1 : 2)];
  s->dense.depth = (uint32_t)lhs->dims[lhs->rank - (adj_x ? 2 : 1)];
  s->dense.channels = (uint32_t)rhs->dims[rhs->rank - (adj_y ? 2 : 1)];
  if ((uint32_t)rhs->dims[rhs->rank - (adj_y ? 1 : 2)] != s->dense.depth) {
    return arn_refuse(p, ARN_WHAT_SHAPE, rhs);
  }
  if ((uint32_t)out->dims[out->rank - 2] != s->lines ||
      (uint32_t)out->dims[out->rank - 1] != s->dense.channels) {
    return arn_refuse(p, ARN_WHAT_SHAPE, out);
  }
  return check_batches(p, t, s);
}

static bool is_whole(const arn_tensor *t) {
  return (t->flags & ARN_TENSOR_CONST) || arn__rows_of(t).rows == 1;
}

// Says whether an operand's rows are the output's rows.
static bool follows(const arn_tensor *t, const arn_tensor *out) {
  const arn__rows_shape a = arn__rows_of(t), b = arn__rows_of(out);
  return !(t->flags & ARN_TENSOR_CONST) && a.rows == b.rows &&
         t->rank - a.axis == out->rank - b.axis;
}

static uint32_t matrices_of(const arn_tensor *t) {
  uint32_t count = 1;
  for (uint32_t i = 0; i + 2 < t->rank; i++) count *= (uint32_t)t->dims[i];
  return count;
}

static bool cut_into_batches(const operands *t, uint32_t out_rows, batch_matmul *s) {
  const bool lhs = follows(&t->lhs, &t->out), rhs = follows(&t->rhs, &t->out);
  if (!(lhs || is_whole(&t->lhs)) || !(rhs || is_whole(&t->rhs))) return false;
  if (lhs) s->per_row[LHS] /= out_rows;
  if (rhs) s->per_row[RHS] /= out_rows;
  s->per_row[OUT] /= out_rows;
  s->flags = (uint8_t)(s->flags | (lhs ? LHS_FOLLOWS : 0) | (rhs ? RHS_FOLLOWS : 0));
  return true;
}

static bool cut_into_lines(const operands *t, batch_matmul *s) {
  const bool lhs = !(s->flags & ADJ_X) && follows(&t->lhs, &t->out);
  if (!lhs && !is_whole(&t->lhs)) return false;
  if (!is_whole(&t->rhs)) {
    const bool same_type = t->rhs.type == t->lhs.type;
    if (!same_type || arn__rows_of(&t->rhs).axis != t->rhs.rank - 2) return false;
    s->flags |= RHS_SCATTERED;
  }
  s->flags = (uint8_t)(s->flags | BY_LINES | (lhs ? LHS_FOLLOWS : 0));
  return true;
}

// The matrices of each tensor, of one step.
static void set_matrices(const operands *t, batch_matmul *s) {
  s->per_row[LHS] = matrices_of(&t->lhs);
  s->per_row[RHS] = matrices_of(&t->rhs);
  s->per_row[OUT] = matrices_of(&t->out);
  if (t->out.count == 0) s->per_row[OUT] = 0;  // nothing to do
}

static void set_rows(arn_prepare *p, const operands *t, batch_matmul *s) {
  const arn__rows_shape out = arn__rows_of(&t->out);
  if (out.rows == 1) return;
  const bool can = out.axis < t->out.rank - 2 ? cut_into_batches(t, out.rows, s)
                                              : cut_into_lines(t, s);
  if (!can) return;
  p->work = ARN_ROWS;
  p->rows = out.rows;
}

// A matrix of int4 must begin at a whole byte.
static bool is_split_byte(const arn_tensor *rhs) {
  const uint32_t matrices = matrices_of(rhs);
  return rhs->type == ARN_INT4 && matrices > 1 && rhs->count / matrices % 2 != 0;
}

static arn_status read_operands(const arn_prepare *p, operands *t) {
  arn_status status = arn_prepare_counts(p, 2, 2, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, LHS, &t->lhs);
  if (status == ARN_OK) status = arn_prepare_input(p, RHS, &t->rhs);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &t->out);
  if (status != ARN_OK) return status;
  return t->lhs.type == ARN_UINT8 ? arn_refuse(p, ARN_WHAT_TYPE, &t->lhs) : ARN_OK;
}

// Prepares the product that the flags say.
static arn_status prepare_product(const arn_prepare *p, batch_matmul *s, const operands *t) {
  const arn__dense_tensors tensors = {&arn__dense_any, &t->lhs, &t->rhs, &t->out, NULL,
                                      t->rhs.rank - (s->flags & ADJ_Y ? 2 : 1),
                                      ARN__ACTIVATION_NONE, false, false};
  arn_status status = check_shapes(p, t, s);
  if (status == ARN_OK && is_split_byte(&t->rhs)) status = arn_refuse(p, ARN_WHAT_SHAPE, &t->rhs);
  return status == ARN_OK ? arn__dense_prepare(p, &tensors, &s->dense) : status;
}

static arn_status prepare(arn_prepare *p, void *state) {
  batch_matmul *s = state;
  operands t;
  memset(s, 0, sizeof *s);
  arn_status status = read_operands(p, &t);
  if (status != ARN_OK) return status;
  if (arn_option_u8(p, OPTION_ADJ_X, 0)) s->flags |= ADJ_X;
  if (arn_option_u8(p, OPTION_ADJ_Y, 0)) s->flags |= ADJ_Y;
  status = prepare_product(p, s, &t);
  if (status != ARN_OK) return status;
  set_matrices(&t, s);
  set_rows(p, &t, s);
  p->state_bytes = (uint32_t)offsetof(batch_matmul, dense) + arn__dense_state_bytes(&s->dense);
  return ARN_OK;
}

// ---- STABLEHLO_DOT_GENERAL ----------------------------------------------------------------------

enum { LHS_BATCH = 0, RHS_BATCH = 1, LHS_SUMMED = 2, RHS_SUMMED = 3 };

// The dimensions of an operand: `batches` in front, then `summed` ones from `first` on, or around
// them those that are not.
typedef struct roles {
  uint32_t batches, first, summed;
} roles;

static arn_status read_roles(const arn_prepare *p, uint32_t id, const arn_tensor *t, roles *r) {
  int32_t axes[ARN_MAX_RANK];
  ARN__TRY(arn__shlo_axes(p, id, t->rank, axes, &r->batches));
  for (uint32_t i = 0; i < r->batches; i++) {
    if (axes[i] != (int32_t)i) return arn_refuse(p, ARN_WHAT_OPTION, t);
  }
  ARN__TRY(arn__shlo_axes(p, id + 2, t->rank, axes, &r->summed));
  r->first = r->summed > 0 ? (uint32_t)axes[0] : t->rank;
  for (uint32_t i = 1; i < r->summed; i++) {
    if (axes[i] != axes[0] + (int32_t)i) return arn_refuse(p, ARN_WHAT_OPTION, t);
  }
  const bool at_an_end = r->first == r->batches || r->first + r->summed == t->rank;
  return r->first >= r->batches && at_an_end ? ARN_OK : arn_refuse(p, ARN_WHAT_OPTION, t);
}

// Sees a tensor as matrices: dimensions from `batches` to `split`, and those from there on, are one
// each. Says whether it was anything else.
static bool see_as_matrices(arn_tensor *t, uint32_t batches, uint32_t split) {
  const uint32_t lines = arn__movement_product(t, batches, split);
  const uint32_t width = arn__movement_product(t, split, t->rank);
  const bool was_more = t->rank != batches + 2;
  t->dims[batches] = (int32_t)lines;
  t->dims[batches + 1] = (int32_t)width;
  t->rank = (uint8_t)(batches + 2);
  return was_more;
}

// Checks what belongs together: batches, what is summed over, and the dimensions of the output.
static bool dims_agree(const operands *t, const roles *l, const roles *r) {
  uint32_t next = 0;
  if (l->batches != r->batches || l->summed != r->summed) return false;
  if (t->out.rank != t->lhs.rank + t->rhs.rank - 2 * l->summed - l->batches) return false;
  for (uint32_t i = 0; i < l->summed; i++) {
    if (t->lhs.dims[l->first + i] != t->rhs.dims[r->first + i]) return false;
  }
  for (uint32_t i = 0; i < t->lhs.rank; i++) {
    if (i < l->batches && t->lhs.dims[i] != t->rhs.dims[i]) return false;
    if (i >= l->first && i < l->first + l->summed) continue;
    if (t->out.dims[next++] != t->lhs.dims[i]) return false;
  }
  for (uint32_t i = r->batches; i < t->rhs.rank; i++) {
    if (i >= r->first && i < r->first + r->summed) continue;
    if (t->out.dims[next++] != t->rhs.dims[i]) return false;
  }
  return true;
}

static arn_status stablehlo_prepare(arn_prepare *p, void *state) {
  batch_matmul *s = state;
  operands t;
  roles l, r;
  memset(s, 0, sizeof *s);
  ARN__TRY(read_operands(p, &t));
  ARN__TRY(read_roles(p, LHS_BATCH, &t.lhs, &l));
  ARN__TRY(read_roles(p, RHS_BATCH, &t.rhs, &r));
  if (!dims_agree(&t, &l, &r)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &t.out);
  if (l.batches + 2 > ARN_MAX_RANK) return arn_refuse(p, ARN_WHAT_RANK, &t.lhs);
  // Without other dimensions, a line of the left matrix and a column of the right one.
  const bool adj_x = l.first == l.batches && l.first + l.summed < t.lhs.rank && l.summed > 0;
  const bool adj_y = r.summed == 0 ? false : r.first != r.batches;
  const uint32_t out_split = t.lhs.rank - l.summed;
  s->flags = (uint8_t)((adj_x ? ADJ_X : 0) | (adj_y ? ADJ_Y : 0));
  bool reshaped = see_as_matrices(&t.out, l.batches, out_split);
  reshaped |= see_as_matrices(&t.lhs, l.batches, adj_x ? l.first + l.summed : l.first);
  reshaped |= see_as_matrices(&t.rhs, r.batches,
                              adj_y ? r.first : r.batches + r.summed);
  if (reshaped && t.rhs.scale_count > 1) return arn_refuse(p, ARN_WHAT_QUANTISATION, &t.rhs);
  ARN__TRY(prepare_product(p, s, &t));
  set_matrices(&t, s);
  if (!reshaped) set_rows(p, &t, s);  // else rows are not those of the matrices
  p->state_bytes = (uint32_t)offsetof(batch_matmul, dense) + arn__dense_state_bytes(&s->dense);
  return ARN_OK;
}

static void rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const batch_matmul *s = state;
  *in = (arn_span){0, 1};
  if (s->flags & (input == LHS ? LHS_FOLLOWS : RHS_FOLLOWS)) *in = out;
  else if (input == RHS && s->flags & RHS_SCATTERED) {
    in->count = s->flags & ADJ_Y ? s->dense.channels : s->dense.depth;
  }
}

// ---- eval ---------------------------------------------------------------------------------------

// Bytes of `count` elements of the weights' type.
static uint32_t w_bytes(const arn__dense *d, uint32_t count) {
  return d->w_type == ARN_INT4 ? count / 2 : count * arn_type_bytes((arn_type)d->w_type);
}

static arn__dense_run start_run(const arn_eval *e, const batch_matmul *s) {
  const arn__dense *d = &s->dense;
  const bool adj_x = s->flags & ADJ_X, adj_y = s->flags & ADJ_Y;
  arn__dense_run run = {&arn__dense_any, d, e->model->bytes,
                        arn_eval_input(e, RHS, w_bytes(d, adj_y ? d->depth : d->channels)), NULL,
                        adj_x ? s->lines : 1, !adj_y, NULL};
  if (!(s->flags & (RHS_FOLLOWS | RHS_SCATTERED))) arn__dense_set_whole(&run.w);
  return run;
}

// Bytes from a vector, a line of the left matrix, to the next.
static uint32_t line_bytes(const batch_matmul *s) {
  const uint32_t es = arn_type_bytes((arn_type)s->dense.type);
  return s->flags & ADJ_X ? es : s->dense.depth * es;
}

static arn__dense_vectors start_vectors(const arn_eval *e, const batch_matmul *s) {
  const arn__dense *d = &s->dense;
  const uint32_t out_bytes = d->channels * arn_type_bytes((arn_type)d->type);
  arn__dense_vectors v = {arn_eval_input(e, LHS, line_bytes(s)), arn_eval_output(e, 0, out_bytes),
                          0, 1};
  if (!(s->flags & LHS_FOLLOWS)) {
    arn__dense_set_whole(&v.in);
    v.in.row_bytes = line_bytes(s);
  }
  return v;
}

// Returns the index of the operand's matrix for product `batch`.
static uint32_t matrix_of(const batch_matmul *s, uint32_t operand, uint32_t batch) {
  uint32_t index = 0, scale = 1;
  for (uint32_t g = s->groups; g-- > 0;) {
    const uint32_t i = batch % s->dims[g];
    batch /= s->dims[g];
    if (!(s->moves[operand] >> g & 1)) continue;
    index += i * scale;
    scale *= s->dims[g];
  }
  return index;
}

// Returns the address of matrix `index`, `bytes` long.
static uint8_t *matrix_at(arn_rows rows_of, uint32_t per_row, uint32_t index, uint32_t bytes) {
  rows_of.row_bytes = per_row * bytes;
  return arn_row(&rows_of, index / per_row) + index % per_row * bytes;
}

static void multiply(const arn__dense_run *all_runs, const arn__dense_vectors *all,
                     const batch_matmul *s, uint32_t batch) {
  const arn__dense *d = &s->dense;
  const uint32_t es = arn_type_bytes((arn_type)d->type);
  arn__dense_run run = *all_runs;
  arn__dense_vectors v = *all;
  v.in.base = matrix_at(all->in, s->per_row[LHS], matrix_of(s, LHS, batch),
                        s->lines * d->depth * es);
  run.w.base = matrix_at(all_runs->w, s->per_row[RHS], matrix_of(s, RHS, batch),
                         w_bytes(d, d->depth * d->channels));
  v.out.base = matrix_at(all->out, s->per_row[OUT], batch, s->lines * d->channels * es);
  v.in.table = run.w.table = v.out.table = NULL;
  v.in.row_bytes = line_bytes(s);
  v.out.row_bytes = d->channels * es;
  arn__dense_rows(&run, &v, (arn_span){0, s->lines});
}

static arn_status eval(const arn_eval *e, const void *state) {
  const batch_matmul *s = state;
  const arn__dense_run run = start_run(e, s);
  const arn__dense_vectors v = start_vectors(e, s);
  if (s->flags & BY_LINES) {
    arn__dense_rows(&run, &v, e->span);
    return ARN_OK;
  }
  const uint32_t first = e->span.first * s->per_row[OUT];
  for (uint32_t b = 0; b < e->span.count * s->per_row[OUT]; b++) multiply(&run, &v, s, first + b);
  return ARN_OK;
}

const arn_op arn_op_batch_matmul = {
    .name = "BATCH_MATMUL",
    .code = 126,
    .state_bytes = sizeof(batch_matmul),
    .types = ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_INT16),
    .folds = 1u << RHS,
    .prepare = prepare,
    .rows = rows,
    .eval = eval,
};

const arn_op arn_op_stablehlo_dot_general = {
    .name = "STABLEHLO_DOT_GENERAL",
    .code = 197,
    .state_bytes = sizeof(batch_matmul),
    .types = ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_INT16),
    .folds = 1u << RHS,
    .prepare = stablehlo_prepare,
    .rows = rows,
    .eval = eval,
};
