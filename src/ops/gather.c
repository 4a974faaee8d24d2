// GATHER and GATHER_ND: runs of the input, picked by an index tensor. Every index is checked at
// every run. Any row of the input may be picked; the output may be cut into rows.
#include "movement.h"

// Both operators.
typedef struct pick_state {
  uint32_t in_row_bytes, out_row_bytes;
  uint32_t in_rows;
  uint32_t run;          // bytes of what one index, or tuple of indices, picks
  uint8_t index_type;
  uint8_t tuple;         // GATHER_ND: indices that pick one run
  uint16_t spare;
  uint32_t numbers[ARN_MAX_RANK];  // GATHER: see below; GATHER_ND: the input's first dimensions
} pick_state;

// GATHER: output [batch][outer][picks][run], input [batch][outer][length][run], indices
// [batch][picks].
enum { OUTER = 0, LENGTH = 1, PICKS = 2, GATHER_NUMBERS = 3 };

// ---- prepare ------------------------------------------------------------------------------------

// Reads the index tensor, of any rank. Where it may be scattered by rows, the node runs whole.
static arn_status prepare_picking(arn_prepare *p, pick_state *s, arn_tensor *in,
                                  arn_tensor *indices, arn_tensor *out) {
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, in, out));
  ARN__TRY(arn_prepare_input(p, 1, indices));
  if (indices->type != ARN_INT32 && indices->type != ARN_INT64) {
    return arn_refuse(p, ARN_WHAT_TYPE, indices);
  }
  arn__movement_by_rows(p, out);
  const bool flat = (indices->flags & ARN_TENSOR_CONST) || arn__rows_of(indices).rows == 1;
  if (!flat) {
    p->work = ARN_WHOLE;
    p->rows = 1;
  }
  s->index_type = indices->type;
  s->in_rows = arn__rows_of(in).rows;
  s->in_row_bytes = arn__rows_bytes(in);
  s->out_row_bytes = out->bytes / p->rows;
  return ARN_OK;
}

static arn_status gather_prepare(arn_prepare *p, void *state) {
  pick_state *s = state;
  arn_tensor in, indices, out;
  uint32_t axis;
  ARN__TRY(prepare_picking(p, s, &in, &indices, &out));
  ARN__TRY(arn__movement_axis(p, arn_option_i32(p, 0, 0), in.rank, &axis));
  int32_t batches = arn_option_i32(p, 1, 0);
  if (batches < 0) batches += indices.rank;
  if (batches < 0 || (uint32_t)batches > axis || batches > indices.rank) {
    return arn_refuse_model(p, ARN_WHAT_AXIS, &indices);
  }
  for (int32_t i = 0; i < batches; i++) {
    if (in.dims[i] != indices.dims[i]) return arn_refuse_model(p, ARN_WHAT_SHAPE, &indices);
  }
  s->run = arn__movement_product(&in, axis + 1, in.rank) * arn_type_bytes((arn_type)in.type);
  s->numbers[OUTER] = arn__movement_product(&in, (uint32_t)batches, axis);
  s->numbers[LENGTH] = (uint32_t)in.dims[axis];
  s->numbers[PICKS] = arn__movement_product(&indices, (uint32_t)batches, indices.rank);
  const uint64_t runs = (uint64_t)arn__movement_product(&in, 0, axis) * s->numbers[PICKS];
  if (s->run > 0 && runs * s->run != out.bytes) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  if (s->run == 0 && out.bytes > 0) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  p->state_bytes = (uint32_t)offsetof(pick_state, numbers) + 4u * GATHER_NUMBERS;
  return ARN_OK;
}

static arn_status gather_nd_prepare(arn_prepare *p, void *state) {
  pick_state *s = state;
  arn_tensor in, indices, out;
  ARN__TRY(prepare_picking(p, s, &in, &indices, &out));
  if (indices.rank < 1 || in.rank < 1) return arn_refuse_model(p, ARN_WHAT_RANK, &indices);
  const int32_t tuple = indices.dims[indices.rank - 1];
  if (tuple > in.rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, &indices);
  s->tuple = (uint8_t)tuple;
  s->run = arn__movement_product(&in, s->tuple, in.rank) * arn_type_bytes((arn_type)in.type);
  const uint64_t runs = arn__movement_product(&indices, 0, indices.rank - 1u);
  if (runs * s->run != out.bytes) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  for (uint32_t i = 0; i < s->tuple; i++) s->numbers[i] = (uint32_t)in.dims[i];
  p->state_bytes = (uint32_t)offsetof(pick_state, numbers) + 4u * s->tuple;
  return ARN_OK;
}

// ---- rows and eval ------------------------------------------------------------------------------

static void pick_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)out;
  *in = (arn_span){0, input == 0 ? ((const pick_state *)state)->in_rows : 1};
}

// A step's tensors, and the bytes of the output that it computes.
typedef struct picking {
  const pick_state *s;
  const arn_eval *e;
  const uint8_t *indices;
  uint32_t width;     // bytes of an index
  arn_rows in, out;
  uint32_t at, end;
} picking;

static picking start(const arn_eval *e, const pick_state *s) {
  return (picking){.s = s,
                   .e = e,
                   .indices = arn_eval_in(e, 1),
                   .width = s->index_type == ARN_INT32 ? 4 : 8,
                   .in = arn_eval_input(e, 0, s->in_row_bytes),
                   .out = arn_eval_output(e, 0, s->out_row_bytes),
                   .at = e->span.first * s->out_row_bytes,
                   .end = (e->span.first + e->span.count) * s->out_row_bytes};
}

static arn_status bad_index(const picking *p, uint32_t i, uint32_t length) {
  return arn_eval_fail(p->e, ARN_WHAT_DATA_INDEX, length,
                       (uint32_t)arn__index_at(p->indices, p->s->index_type, i));
}

static bool is_contiguous(const picking *p) {
  return p->in.table == NULL && p->out.table == NULL;
}

// Copies what is wanted of a run that starts at byte `run_at` of the output and comes from byte
// `from` of the input.
static void copy_part(picking *p, uint32_t run_at, uint32_t from) {
  const uint32_t run_end = run_at + p->s->run;
  const uint32_t stop = run_end < p->end ? run_end : p->end;
  const uint32_t skipped = p->at - run_at;
  if (is_contiguous(p)) {
    arn__move_run(p->out.base + p->at, p->in.base + from + skipped, stop - p->at);
  } else {
    arn__movement_copy(&p->out, p->at, &p->in, from + skipped, stop - p->at);
  }
  p->at = stop;
}

// ---- GATHER -------------------------------------------------------------------------------------

// A place in the output: run `pick` of [batch, outer] number `line`.
typedef struct place {
  uint32_t line, pick;
} place;

// Number of the first index of a line.
static uint32_t first_index(const pick_state *s, uint32_t line) {
  return line / s->numbers[OUTER] * s->numbers[PICKS];
}

// Whole runs of contiguous tensors.
static arn_status gather_runs(picking *p, place at) {
  const pick_state *s = p->s;
  const uint32_t length = s->numbers[LENGTH];
  for (; p->at < p->end; at.line++, at.pick = 0) {
    const uint32_t left = (p->end - p->at) / s->run, more = s->numbers[PICKS] - at.pick;
    const uint32_t first = first_index(s, at.line) + at.pick, count = left < more ? left : more;
    const arn__gather g = {p->indices + (size_t)first * p->width, p->width, count, length, s->run};
    const uint8_t *source = p->in.base + (size_t)at.line * length * s->run;
    const uint32_t done = arn__move_gather(p->out.base + p->at, source, &g);
    if (done < count) return bad_index(p, first + done, length);
    p->at += count * s->run;
  }
  return ARN_OK;
}

// Parts of runs, or scattered rows.
static arn_status gather_parts(picking *p, place at) {
  const pick_state *s = p->s;
  const uint32_t length = s->numbers[LENGTH];
  uint32_t run_at = p->at - p->at % s->run;
  for (; p->at < p->end; at.line++, at.pick = 0) {
    const uint32_t first = first_index(s, at.line);
    for (; at.pick < s->numbers[PICKS] && p->at < p->end; at.pick++, run_at += s->run) {
      const uint32_t index = arn__gather_index(p->indices, p->width, first + at.pick);
      if (index >= length) return bad_index(p, first + at.pick, length);
      copy_part(p, run_at, (at.line * length + index) * s->run);
    }
  }
  return ARN_OK;
}

static arn_status gather_eval(const arn_eval *e, const void *state) {
  const pick_state *s = state;
  picking p = start(e, s);
  if (p.at == p.end) return ARN_OK;
  const uint32_t run = p.at / s->run;
  const place at = {run / s->numbers[PICKS], run % s->numbers[PICKS]};
  const bool whole = p.at % s->run == 0 && p.end % s->run == 0;
  return whole && is_contiguous(&p) ? gather_runs(&p, at) : gather_parts(&p, at);
}

const arn_op arn_op_gather = {"GATHER", 36, sizeof(pick_state), ARN__MOVEMENT_TYPES, 0, NULL,
                              gather_prepare, pick_rows, gather_eval};

// ---- GATHER_ND ----------------------------------------------------------------------------------

// Finds the byte of the input that tuple `k` picks. Returns the number of a bad index in it, or
// `tuple` where all are good.
static uint32_t find_run(const picking *p, uint32_t k, uint32_t *from) {
  const pick_state *s = p->s;
  uint32_t at = 0;
  for (uint32_t i = 0; i < s->tuple; i++) {
    const uint32_t index = arn__gather_index(p->indices, p->width, k * s->tuple + i);
    if (index >= s->numbers[i]) return i;
    at = at * s->numbers[i] + index;
  }
  *from = at * s->run;
  return s->tuple;
}

static arn_status bad_tuple(const picking *p, uint32_t k) {
  uint32_t from;
  const uint32_t i = find_run(p, k, &from);
  return bad_index(p, k * p->s->tuple + i, p->s->numbers[i]);
}

// Whole runs of contiguous tensors.
static arn_status gather_nd_runs(const picking *p) {
  const pick_state *s = p->s;
  const uint32_t first = p->at / s->run, count = (p->end - p->at) / s->run;
  const arn__gather_nd g = {p->indices + (size_t)first * s->tuple * p->width,
                            p->width, count, s->tuple, s->numbers, s->run};
  const uint32_t done = arn__move_gather_nd(p->out.base + p->at, p->in.base, &g);
  return done == count ? ARN_OK : bad_tuple(p, first + done);
}

static arn_status gather_nd_eval(const arn_eval *e, const void *state) {
  const pick_state *s = state;
  picking p = start(e, s);
  uint32_t from = 0;
  if (p.at == p.end) return ARN_OK;
  if (is_contiguous(&p) && p.at % s->run == 0 && p.end % s->run == 0) return gather_nd_runs(&p);
  for (uint32_t k = p.at / s->run; p.at < p.end; k++) {
    if (find_run(&p, k, &from) < s->tuple) return bad_tuple(&p, k);
    copy_part(&p, k * s->run, from);
  }
  return ARN_OK;
}

const arn_op arn_op_gather_nd = {"GATHER_ND", 107, sizeof(pick_state), ARN__MOVEMENT_TYPES, 0, NULL,
                                 gather_nd_prepare, pick_rows, gather_nd_eval};
