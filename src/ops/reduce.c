// MEAN, SUM, REDUCE_PROD, REDUCE_MAX, REDUCE_MIN, REDUCE_ALL, REDUCE_ANY: over any axes.
// STABLEHLO_REDUCE: one of these by its computation, from an initial value on.
//
// Neighbouring axes that are reduced together are one, and so are neighbouring kept ones; axes of
// one element are neither. What is left is a list of sizes that are reduced and kept in turn
// ("groups"): [1,7,7,64] over axes 1 and 2 is reduced 49, kept 64. The list of one row of the input
// is what eval works with:
//   the row axis is reduced  ARN_FOLD: every row goes into the same accumulators,
//   it is kept               ARN_ROWS: output row r comes from input row r,
//   there is none            one row.
// Outputs are computed in blocks that fit a small buffer on the stack; between the steps of a fold
// the accumulators are kept in the engine's memory instead.

#include <float.h>
#include <stddef.h>

#include "../graph/rows.h"
#include "arenite/op.h"
#include "quantised.h"
#include "reducer.h"
#include "stablehlo.h"

enum { FOLDS = 1, LAST_KEPT = 2 };

#define PLUS_INFINITY 0x7F800000u
#define MINUS_INFINITY 0xFF800000u

typedef struct reduce_state {
  arn__requant scale;    // MEAN and SUM of quantised values
  int16_t zero_in, zero_out;
  uint8_t type;
  uint8_t flags;
  uint8_t groups;
  uint8_t body;          // STABLEHLO_REDUCE: the computation
  uint32_t rows;         // FOLDS: rows of the input
  uint32_t out_row;      // elements of a row of the output
  uint32_t dims[ARN_MAX_RANK];  // the groups of an input row; only `groups` of them are kept
} reduce_state;

// ---- prepare ------------------------------------------------------------------------------------

// Reads the axes of input 1 as a mask over the axes of `t`.
static arn_status read_axes(const arn_prepare *p, const arn_tensor *t, uint32_t *mask) {
  arn_tensor axes;
  const arn_status status = arn_prepare_input(p, 1, &axes);
  *mask = 0;
  if (status != ARN_OK) return status;
  if (axes.type != ARN_INT32) return arn_refuse(p, ARN_WHAT_TYPE, &axes);
  if (axes.count == 0 || t->rank == 0) return ARN_OK;
  const uint8_t *data = arn_tensor_data(p->model, &axes);
  if (data == NULL) return arn_refuse(p, ARN_WHAT_TENSOR_CONSTANT, &axes);
  for (uint32_t i = 0; i < axes.count; i++) {
    int32_t axis;
    memcpy(&axis, data + 4 * i, sizeof axis);
    if (axis < -(int32_t)t->rank || axis >= t->rank) {
      return arn_refuse_model(p, ARN_WHAT_AXIS, &axes);
    }
    *mask |= 1u << (axis < 0 ? axis + t->rank : axis);
  }
  return ARN_OK;
}

// Lists the groups of the axes from `first` on.
static void list_groups(reduce_state *s, const arn_tensor *t, uint32_t mask, uint32_t first) {
  bool kept = false;
  s->groups = 0;
  for (uint32_t axis = first; axis < t->rank; axis++) {
    const bool keeps = !(mask >> axis & 1u);
    if (t->dims[axis] == 1) continue;
    if (s->groups > 0 && keeps == kept) {
      s->dims[s->groups - 1] *= (uint32_t)t->dims[axis];
    } else {
      s->dims[s->groups++] = (uint32_t)t->dims[axis];
    }
    kept = keeps;
  }
  if (kept || s->groups == 0) s->flags |= LAST_KEPT;
}

// Values folded into one output, over the whole tensor.
static uint32_t reduced_count(const arn_tensor *t, uint32_t mask) {
  uint32_t count = 1;
  for (uint32_t axis = 0; axis < t->rank; axis++) {
    if (mask >> axis & 1u) count *= (uint32_t)t->dims[axis];
  }
  return count;
}

static uint32_t kept_count(const arn_tensor *t, uint32_t mask) {
  return reduced_count(t, ~mask);
}

// Decides how the node may be cut, and lists the groups of a row.
static void set_rows(arn_prepare *p, reduce_state *s, const arn_tensor *in, const arn_tensor *out,
                     uint32_t mask) {
  const arn__rows_shape rows = arn__rows_of(in), out_rows = arn__rows_of(out);
  const bool folds = rows.axis >= 0 && (mask >> rows.axis & 1u);
  uint32_t first = 0;
  s->rows = 1;
  s->out_row = out_rows.row_count;
  if (folds) {
    p->work = ARN_FOLD;
    p->rows = s->rows = rows.rows;
    s->flags |= FOLDS;
    first = (uint32_t)rows.axis + 1;
  } else if (rows.axis >= 0 && rows.rows == out_rows.rows) {
    p->work = ARN_ROWS;
    p->rows = rows.rows;
    first = (uint32_t)rows.axis + 1;
  } else {
    p->work = ARN_WHOLE;
    p->rows = 1;
    s->out_row = out->count;
  }
  list_groups(s, in, mask, first);
}

typedef struct tensors {
  arn_tensor in, out;
  uint32_t mask;  // of the reduced axes of `in`
} tensors;

static arn_status read_tensors(const arn_prepare *p, tensors *t) {
  arn_status status = arn_prepare_counts(p, 2, 2, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, 0, &t->in);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &t->out);
  if (status == ARN_OK) status = read_axes(p, &t->in, &t->mask);
  if (status != ARN_OK) return status;
  if (!(p->op->types & ARN_TYPE_BIT(t->in.type))) return arn_refuse(p, ARN_WHAT_TYPE, &t->in);
  if (t->in.type != t->out.type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &t->out);
  if (t->out.count != kept_count(&t->in, t->mask)) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &t->out);
  }
  return ARN_OK;
}

static void set_shape(arn_prepare *p, reduce_state *s, const tensors *t, uint32_t acc_bytes) {
  memset(s, 0, sizeof *s);
  s->type = t->in.type;
  set_rows(p, s, &t->in, &t->out, t->mask);
  if (p->work == ARN_FOLD) p->fold_bytes = t->out.count * acc_bytes;
  p->state_bytes = (uint32_t)offsetof(reduce_state, dims) + 4u * s->groups;
}

static bool is_quantised(uint32_t type) {
  return type == ARN_INT8 || type == ARN_UINT8 || type == ARN_INT16;
}

// MEAN divides by the count within the multiplier, rounding towards zero as the reference does.
static arn__requant divide_scale(arn__requant scale, uint32_t count) {
  int32_t shift = 0;
  while (shift < 31 && count >> (shift + 1)) shift++;
  if (shift > 31 + scale.shift) shift = 31 + scale.shift;
  return (arn__requant){(int32_t)(((int64_t)scale.q << shift) / count), scale.shift - shift};
}

// Says whether sums of `count` values, and of their distances to the zero point, fit 32 bits.
static bool fits_sum(uint32_t type, int32_t zero, uint32_t count) {
  const arn__clamp range = arn__quantised_range(type);
  const int32_t span = range.high - range.low;
  const int32_t below = zero - range.low, above = range.high - zero;
  const int32_t most = type == ARN_UINT8 ? span : below > above ? below : above;
  return (uint64_t)most * count <= INT32_MAX;
}

static arn_status set_scale(arn_prepare *p, reduce_state *s, const tensors *t, bool mean) {
  float in_scale, out_scale;
  int32_t zero_in, zero_out;
  arn_status status = arn__quantised_read(p, &t->in, &in_scale, &zero_in);
  if (status == ARN_OK) status = arn__quantised_read(p, &t->out, &out_scale, &zero_out);
  if (status != ARN_OK) return status;
  const uint32_t count = reduced_count(&t->in, t->mask);
  if (!fits_sum(t->in.type, zero_in, count)) return arn_refuse(p, ARN_WHAT_LIMIT, &t->in);
  s->scale = arn__requant_ratio(in_scale, 1.0f, out_scale, 0);
  if (mean && count > 0) s->scale = divide_scale(s->scale, count);
  s->zero_in = (int16_t)zero_in;
  s->zero_out = (int16_t)zero_out;
  return ARN_OK;
}

static arn_status prepare_sums(arn_prepare *p, void *state, bool mean) {
  tensors t;
  const arn_status status = read_tensors(p, &t);
  if (status != ARN_OK) return status;
  const bool wide = t.in.type == ARN_INT32 || t.in.type == ARN_INT64;
  set_shape(p, state, &t, wide ? 8 : 4);
  return is_quantised(t.in.type) ? set_scale(p, state, &t, mean) : ARN_OK;
}

static arn_status prepare_mean(arn_prepare *p, void *state) {
  return prepare_sums(p, state, true);
}

static arn_status prepare_sum(arn_prepare *p, void *state) {
  return prepare_sums(p, state, false);
}

// Values are passed on as they are: scales and zero points, where there are any, must be the same.
static arn_status prepare_values(arn_prepare *p, void *state) {
  tensors t;
  const arn_status status = read_tensors(p, &t);
  if (status != ARN_OK) return status;
  const arn_model *m = p->model;
  if (is_quantised(t.in.type) &&
      (arn_tensor_scale(m, &t.in, 0) != arn_tensor_scale(m, &t.out, 0) ||
       arn_tensor_zero(m, &t.in, 0) != arn_tensor_zero(m, &t.out, 0))) {
    return arn_refuse(p, ARN_WHAT_QUANTISATION, &t.out);
  }
  set_shape(p, state, &t, arn_type_bytes((arn_type)t.in.type));
  return ARN_OK;
}

static void rows_same(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  *in = input == 0 ? out : (arn_span){0, 1};
}

// ---- eval ---------------------------------------------------------------------------------------

// Two groups of one kind outside of those that the kernel walks: index = far * near_count + near.
typedef struct levels {
  uint32_t near_count, near_stride, count, far_stride;
} levels;

// The groups of a row, from the inside: run (reduced), inner (kept), rows (reduced), outer (kept),
// and then up to two of each kind. Absent groups are 1.
typedef struct walk {
  arn__reduce_box box;
  levels kept, reduced;
  uint32_t outputs;  // that a row has
  uint32_t values;   // folded into each of them, by one row
} walk;

// Takes groups from the inside, and in the end those rows that are walked over as one more reduced
// group.
typedef struct groups {
  const reduce_state *state;
  uint32_t left, rows;
} groups;

static uint32_t take_kept(groups *g) {
  return g->left > 0 ? g->state->dims[--g->left] : 1;
}

static uint32_t take_reduced(groups *g) {
  const uint32_t rows = g->left <= 1 ? g->rows : 1;
  if (g->left <= 1) g->rows = 1;
  return g->left > 0 ? g->state->dims[--g->left] * rows : rows;
}

// `rows`: input rows that follow each other in memory, and are folded together.
static void walk_open(walk *w, const reduce_state *s, uint32_t rows) {
  groups g = {s, s->groups, rows};
  arn__reduce_box *box = &w->box;
  box->run = s->flags & LAST_KEPT ? 1 : take_reduced(&g);
  box->inner = take_kept(&g);
  box->rows = take_reduced(&g);
  box->outer = take_kept(&g);
  box->row_stride = box->run * box->inner;
  box->outer_stride = box->row_stride * box->rows;
  const uint32_t reduced_near = take_reduced(&g), kept_near = take_kept(&g);
  const uint32_t reduced_far = take_reduced(&g), kept_far = take_kept(&g);
  const uint32_t stride = box->outer_stride * box->outer;
  const uint32_t far_stride = stride * reduced_near * kept_near;
  w->reduced = (levels){reduced_near, stride, reduced_near * reduced_far, far_stride};
  w->kept = (levels){kept_near, stride * reduced_near, kept_near * kept_far,
                     far_stride * reduced_far};
  w->outputs = box->inner * box->outer * w->kept.count;
  w->values = box->run * box->rows * w->reduced.count;
}

static uint32_t level_offset(const levels *l, uint32_t i) {
  return i % l->near_count * l->near_stride + i / l->near_count * l->far_stride;
}

// What one eval works on.
typedef struct job {
  const arn__reducer *how;
  const reduce_state *state;
  walk walk;
  arn_rows in, out;
  arn__reduce_finish finish;
  uint8_t *fold;    // accumulators kept between steps, or NULL
  bool begins, ends;
} job;

// Writes finished outputs [first, first + count), across the rows of the output.
static void store(const job *j, uint32_t first, uint32_t count, const uint8_t *acc) {
  while (count > 0) {
    const uint32_t row = first / j->state->out_row, at = first % j->state->out_row;
    const uint32_t room = j->state->out_row - at;
    const uint32_t now = count < room ? count : room;
    j->how->store(arn_row(&j->out, row) + at * j->how->out_bytes, acc, now, &j->finish);
    acc += now * j->how->acc_bytes;
    first += now;
    count -= now;
  }
}

// A part of a row's outputs: `box` of it, at element `offset` of the row.
typedef struct block {
  arn__reduce_box box;
  uint32_t offset;
  uint32_t first;  // output that it starts with, in the row
} block;

// Folds input rows into one block of outputs; `base` is the output that the row starts with.
static void run_block(const job *j, const block *b, arn_span rows, uint32_t base) {
  arn__reducer_block local;
  const arn__reducer *how = j->how;
  const uint32_t count = b->box.inner * b->box.outer;
  uint8_t *acc = j->fold ? j->fold + b->first * how->acc_bytes : (uint8_t *)&local;
  if (j->begins) arn__reducer_clear(how, acc, count);
  for (uint32_t r = 0; r < rows.count; r++) {
    const uint8_t *row = arn_row(&j->in, rows.first + r) + b->offset * how->in_bytes;
    for (uint32_t i = 0; i < j->walk.reduced.count; i++) {
      how->fold(acc, row + level_offset(&j->walk.reduced, i) * how->in_bytes, &b->box);
    }
  }
  if (j->ends) store(j, base + b->first, count, acc);
}

// Runs the blocks of the outer x inner outputs at `b`: whole inner rows where several fit a block,
// parts of one otherwise.
static void run_blocks(const job *j, block *b, arn_span rows, uint32_t base) {
  const arn__reduce_box *box = &j->walk.box;
  const uint32_t most = ARN__REDUCER_BLOCK_BYTES / j->how->acc_bytes;
  const uint32_t start = b->offset, inner_most = box->inner < most ? box->inner : most;
  const uint32_t outer_most = most / inner_most;
  for (uint32_t o = 0; o < box->outer; o += b->box.outer) {
    b->box.outer = box->outer - o < outer_most ? box->outer - o : outer_most;
    for (uint32_t i = 0; i < box->inner; i += b->box.inner) {
      b->box.inner = box->inner - i < inner_most ? box->inner - i : inner_most;
      b->offset = start + o * box->outer_stride + i * box->run;
      run_block(j, b, rows, base);
      b->first += b->box.inner * b->box.outer;
    }
  }
}

static void run_rows(const job *j, arn_span rows, uint32_t base) {
  block b = {j->walk.box, 0, 0};
  if (j->walk.outputs == 0) return;
  for (uint32_t i = 0; i < j->walk.kept.count; i++) {
    b.offset = level_offset(&j->walk.kept, i);
    run_blocks(j, &b, rows, base);
  }
}

static void job_open(job *j, const arn_eval *e, const reduce_state *s, const arn__reducer *list) {
  const arn__clamp range = arn__quantised_range(s->type);
  j->how = arn__reducer_find(list, s->type);
  j->state = s;
  walk_open(&j->walk, s, 1);
  const uint32_t in_row = j->walk.outputs * j->walk.values;
  j->in = arn_eval_input(e, 0, in_row * j->how->in_bytes);
  j->out = arn_eval_output(e, 0, s->out_row * j->how->out_bytes);
  const uint32_t count = j->walk.values * s->rows;
  j->finish = (arn__reduce_finish){.count = count > 0 ? (int32_t)count : 1,
                                   .bias = -s->zero_in * (int32_t)count,
                                   .scale = s->scale,
                                   .zero = s->zero_out,
                                   .clamp = range,
                                   .low = -FLT_MAX,
                                   .high = FLT_MAX};
  j->fold = e->fold;
  j->begins = !(s->flags & FOLDS) || e->span.first == 0;
  j->ends = !(s->flags & FOLDS) || e->span.first + e->span.count == s->rows;
}

static arn_status run(const arn_eval *e, const void *state, const arn__reducer *list) {
  const reduce_state *s = state;
  job j;
  job_open(&j, e, s, list);
  if (s->flags & FOLDS) {
    arn_span rows = e->span;
    if (j.in.table == NULL) {
      walk_open(&j.walk, s, rows.count);
      rows.count = 1;
    }
    run_rows(&j, rows, 0);
  } else {
    for (uint32_t r = 0; r < e->span.count; r++) {
      const uint32_t row = e->span.first + r;
      run_rows(&j, (arn_span){row, 1}, row * j.walk.outputs);
    }
  }
  return ARN_OK;
}

#define QUANTISED_SUMS                                                                           \
  {arn__reduce_add_s8, arn__reduce_requantise_8, 0, ARN_INT8, 1, 4, 1},                          \
  {arn__reduce_add_u8, arn__reduce_requantise_8, 0, ARN_UINT8, 1, 4, 1},                         \
  {arn__reduce_add_s16, arn__reduce_requantise_16, 0, ARN_INT16, 2, 4, 2}

static arn_status eval_mean(const arn_eval *e, const void *state) {
  static const arn__reducer list[] = {
      QUANTISED_SUMS,
      {arn__reduce_add_f32, arn__reduce_average_f32, 0, ARN_FLOAT32, 4, 4, 4},
      {arn__reduce_add_s32, arn__reduce_average_s32, 0, ARN_INT32, 4, 8, 4},
      {arn__reduce_add_s64, arn__reduce_average_s64, 0, ARN_INT64, 8, 8, 8},
  };
  return run(e, state, list);
}

static arn_status eval_sum(const arn_eval *e, const void *state) {
  static const arn__reducer list[] = {
      QUANTISED_SUMS,
      {arn__reduce_add_f32, arn__reduce_copy_32, 0, ARN_FLOAT32, 4, 4, 4},
      {arn__reduce_add_s32, arn__reduce_low_32, 0, ARN_INT32, 4, 8, 4},
      {arn__reduce_add_s64, arn__reduce_copy_64, 0, ARN_INT64, 8, 8, 8},
  };
  return run(e, state, list);
}

static arn_status eval_prod(const arn_eval *e, const void *state) {
  static const arn__reducer list[] = {
      {arn__reduce_multiply_f32, arn__reduce_copy_32, 0x3F800000, ARN_FLOAT32, 4, 4, 4},
      {arn__reduce_multiply_s32, arn__reduce_copy_32, 1, ARN_INT32, 4, 4, 4},
      {arn__reduce_multiply_s64, arn__reduce_copy_64, 1, ARN_INT64, 8, 8, 8},
  };
  return run(e, state, list);
}

static arn_status eval_max(const arn_eval *e, const void *state) {
  static const arn__reducer list[] = {
      {arn__reduce_max_s8, arn__reduce_copy_8, 0x80, ARN_INT8, 1, 1, 1},
      {arn__reduce_max_u8, arn__reduce_copy_8, 0, ARN_UINT8, 1, 1, 1},
      {arn__reduce_max_s16, arn__reduce_copy_16, 0x8000, ARN_INT16, 2, 2, 2},
      {arn__reduce_max_f32, arn__reduce_copy_32, MINUS_INFINITY, ARN_FLOAT32, 4, 4, 4},
      {arn__reduce_max_s32, arn__reduce_copy_32, 0x80000000, ARN_INT32, 4, 4, 4},
      {arn__reduce_max_s64, arn__reduce_copy_64, UINT64_C(1) << 63, ARN_INT64, 8, 8, 8},
  };
  return run(e, state, list);
}

static arn_status eval_min(const arn_eval *e, const void *state) {
  static const arn__reducer list[] = {
      {arn__reduce_min_s8, arn__reduce_copy_8, 0x7F, ARN_INT8, 1, 1, 1},
      {arn__reduce_min_u8, arn__reduce_copy_8, 0xFF, ARN_UINT8, 1, 1, 1},
      {arn__reduce_min_s16, arn__reduce_copy_16, 0x7FFF, ARN_INT16, 2, 2, 2},
      {arn__reduce_min_f32, arn__reduce_copy_32, PLUS_INFINITY, ARN_FLOAT32, 4, 4, 4},
      {arn__reduce_min_s32, arn__reduce_copy_32, 0x7FFFFFFF, ARN_INT32, 4, 4, 4},
      {arn__reduce_min_s64, arn__reduce_copy_64, INT64_MAX, ARN_INT64, 8, 8, 8},
  };
  return run(e, state, list);
}

// A byte of a bool is false where it is 0: all are true where the smallest is not 0.
static arn_status eval_all(const arn_eval *e, const void *state) {
  static const arn__reducer list[] = {
      {arn__reduce_min_u8, arn__reduce_truth_8, 0xFF, ARN_BOOL, 1, 1, 1},
  };
  return run(e, state, list);
}

static arn_status eval_any(const arn_eval *e, const void *state) {
  static const arn__reducer list[] = {
      {arn__reduce_max_u8, arn__reduce_truth_8, 0, ARN_BOOL, 1, 1, 1},
  };
  return run(e, state, list);
}

// ---- STABLEHLO_REDUCE ---------------------------------------------------------------------------

enum { OPTION_AXES = 0, OPTION_BODY = 1 };

// The output has the axes that are left.
static bool has_kept_axes(const tensors *t) {
  uint32_t kept = 0;
  for (uint32_t i = 0; i < t->in.rank; i++) {
    if (t->mask >> i & 1u) continue;
    if (kept >= t->out.rank || t->out.dims[kept] != t->in.dims[i]) return false;
    kept++;
  }
  return kept == t->out.rank;
}

static arn_status check_initial(const arn_prepare *p, const tensors *t, arn__shlo_body body) {
  arn_tensor initial;
  ARN__TRY(arn_prepare_input(p, 1, &initial));
  if (initial.type != t->in.type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &initial);
  if (initial.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &initial);
  ARN__TRY(arn__shlo_check_scales(p, body, &t->in, &initial));
  return arn__shlo_check_scales(p, body, &t->in, &t->out);
}

static arn_status stablehlo_prepare(arn_prepare *p, void *state) {
  reduce_state *s = state;
  tensors t = {.mask = 0};
  int32_t axes[ARN_MAX_RANK];
  uint32_t count;
  arn__shlo_body body;
  arn__reducer how;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &t.in, &t.out));
  ARN__TRY(arn__shlo_axes(p, OPTION_AXES, t.in.rank, axes, &count));
  for (uint32_t i = 0; i < count; i++) t.mask |= 1u << axes[i];
  if (!has_kept_axes(&t)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &t.out);
  ARN__TRY(arn__shlo_read_body(p, arn__shlo_i32(p, OPTION_BODY, 0), t.in.type, &body));
  if (!arn__shlo_reducer(body, t.in.type, &how)) return arn_refuse(p, ARN_WHAT_OPTION, NULL);
  ARN__TRY(check_initial(p, &t, body));
  set_shape(p, s, &t, how.acc_bytes);
  s->body = (uint8_t)body;
  return ARN_OK;
}

static arn_status stablehlo_eval(const arn_eval *e, const void *state) {
  const reduce_state *s = state;
  arn__reducer how;
  (void)arn__shlo_reducer((arn__shlo_body)s->body, s->type, &how);
  how.identity = arn__shlo_initial(arn_eval_in(e, 1), &how);
  return run(e, state, &how);
}

#define NUMBERS                                                                            \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64))
#define ALL_NUMBERS                                                                        \
  (NUMBERS | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) | ARN_TYPE_BIT(ARN_INT16))
#define RECORD(record, text, number, type_bits, prepare_it, eval_it) \
  const arn_op record = {                                            \
      .name = text,                                                  \
      .code = number,                                                \
      .state_bytes = sizeof(reduce_state),                           \
      .types = type_bits,                                            \
      .prepare = prepare_it,                                         \
      .rows = rows_same,                                             \
      .eval = eval_it,                                               \
  }

RECORD(arn_op_mean, "MEAN", 40, ALL_NUMBERS, prepare_mean, eval_mean);
RECORD(arn_op_sum, "SUM", 74, ALL_NUMBERS, prepare_sum, eval_sum);
RECORD(arn_op_reduce_prod, "REDUCE_PROD", 81, NUMBERS, prepare_values, eval_prod);
RECORD(arn_op_reduce_max, "REDUCE_MAX", 82, ALL_NUMBERS, prepare_values, eval_max);
RECORD(arn_op_reduce_min, "REDUCE_MIN", 89, ALL_NUMBERS, prepare_values, eval_min);
RECORD(arn_op_reduce_any, "REDUCE_ANY", 91, ARN_TYPE_BIT(ARN_BOOL), prepare_values, eval_any);
RECORD(arn_op_reduce_all, "REDUCE_ALL", 140, ARN_TYPE_BIT(ARN_BOOL), prepare_values, eval_all);
RECORD(arn_op_stablehlo_reduce, "STABLEHLO_REDUCE", 174, ALL_NUMBERS | ARN_TYPE_BIT(ARN_BOOL),
       stablehlo_prepare, stablehlo_eval);
