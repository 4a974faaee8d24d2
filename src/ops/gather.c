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

// A step's tensors.
typedef struct picking {
  const pick_state *s;
  const arn_eval *e;
  const void *indices;
  arn_rows in, out;
} picking;

static picking start(const arn_eval *e, const pick_state *s) {
  return (picking){s, e, arn_eval_in(e, 1), arn_eval_input(e, 0, s->in_row_bytes),
                   arn_eval_output(e, 0, s->out_row_bytes)};
}

static arn_status bad_index(const picking *p, int32_t index, uint32_t length) {
  return arn_eval_fail(p->e, ARN_WHAT_DATA_INDEX, length, (uint32_t)index);
}

// Copies the part of a run that lies in [at, end) of the output. `run_at` and `from` are the bytes
// where the run starts in output and input. Returns where it ends.
static uint32_t copy_part(const picking *p, uint32_t at, uint32_t end, uint32_t run_at,
                          uint32_t from) {
  const uint32_t run_end = run_at + p->s->run;
  const uint32_t stop = run_end < end ? run_end : end;
  if (p->in.table == NULL && p->out.table == NULL) {
    arn__move_run(p->out.base + at, p->in.base + from + (at - run_at), stop - at);
  } else {
    arn__movement_copy(&p->out, at, &p->in, from + (at - run_at), stop - at);
  }
  return stop;
}

static arn_status gather_eval(const arn_eval *e, const void *state) {
  const pick_state *s = state;
  const picking p = start(e, s);
  const uint32_t picks = s->numbers[PICKS], length = s->numbers[LENGTH];
  uint32_t at = e->span.first * s->out_row_bytes;
  const uint32_t end = at + e->span.count * s->out_row_bytes;
  if (at == end) return ARN_OK;
  uint32_t pick = at / s->run % picks, line = at / s->run / picks;
  uint32_t run_at = at - at % s->run;
  for (; at < end; line++, pick = 0) {
    const uint32_t first = line / s->numbers[OUTER] * picks;
    for (; pick < picks && at < end; pick++, run_at += s->run) {
      const int32_t index = arn__index_at(p.indices, s->index_type, first + pick);
      if (index < 0 || (uint32_t)index >= length) return bad_index(&p, index, length);
      at = copy_part(&p, at, end, run_at, (line * length + (uint32_t)index) * s->run);
    }
  }
  return ARN_OK;
}

static arn_status gather_nd_eval(const arn_eval *e, const void *state) {
  const pick_state *s = state;
  const picking p = start(e, s);
  uint32_t at = e->span.first * s->out_row_bytes;
  const uint32_t end = at + e->span.count * s->out_row_bytes;
  for (uint32_t k = at < end ? at / s->run : 0; at < end; k++) {
    uint32_t from = 0;
    for (uint32_t i = 0; i < s->tuple; i++) {
      const int32_t index = arn__index_at(p.indices, s->index_type, k * s->tuple + i);
      if (index < 0 || (uint32_t)index >= s->numbers[i]) return bad_index(&p, index, s->numbers[i]);
      from = from * s->numbers[i] + (uint32_t)index;
    }
    at = copy_part(&p, at, end, k * s->run, from * s->run);
  }
  return ARN_OK;
}

const arn_op arn_op_gather = {"GATHER", 36, sizeof(pick_state), ARN__MOVEMENT_TYPES, 0,
                              gather_prepare, pick_rows, gather_eval};
const arn_op arn_op_gather_nd = {"GATHER_ND", 107, sizeof(pick_state), ARN__MOVEMENT_TYPES, 0,
                                 gather_nd_prepare, pick_rows, gather_nd_eval};
