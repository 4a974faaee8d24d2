// STABLEHLO_IOTA: 0, 1, 2, ... along one axis. Has no input.
#include "stablehlo.h"

// A row of the output is [outer][count][inner]; its elements are index `count` of that, or, where
// the axis is that of the rows, the number of the row.
typedef struct iota_state {
  uint32_t row_bytes;
  uint32_t outer, count, inner;
  uint8_t type, element;
  uint8_t by_row;
  uint8_t spare;
} iota_state;

static arn_status iota_prepare(arn_prepare *p, void *state) {
  iota_state *s = state;
  arn_tensor out;
  uint32_t axis;
  const int32_t given = arn__shlo_i64(p, 0, 0);
  ARN__TRY(arn_prepare_counts(p, 0, 0, 1));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  if (!(p->op->types >> out.type & 1u)) return arn_refuse(p, ARN_WHAT_TYPE, &out);
  if (given < 0) return arn_refuse_model(p, ARN_WHAT_AXIS, NULL);
  ARN__TRY(arn__movement_axis(p, given, out.rank, &axis));
  arn__movement_by_rows(p, &out);
  const int32_t row_axis = p->work == ARN_ROWS ? arn__rows_of(&out).axis : -1;
  const uint32_t first = (uint32_t)(row_axis + 1);
  s->row_bytes = out.bytes / p->rows;
  s->type = out.type;
  s->element = (uint8_t)arn_type_bytes((arn_type)out.type);
  s->by_row = (int32_t)axis == row_axis;
  if (axis < first) {  // a row has one value
    s->outer = s->count = 1;
    s->inner = s->row_bytes / s->element;
    return ARN_OK;
  }
  s->outer = arn__movement_product(&out, first, axis);
  s->count = (uint32_t)out.dims[axis];
  s->inner = arn__movement_product(&out, axis + 1, out.rank);
  return ARN_OK;
}

// The bytes of a number; integers wrap.
static uint64_t bytes_of(uint32_t type, uint32_t number) {
  const float real = (float)number;
  uint32_t bits;
  if (type != ARN_FLOAT32) return number;
  memcpy(&bits, &real, sizeof bits);
  return bits;
}

static void put(uint8_t *target, uint64_t bytes, uint32_t size) {
  switch (size) {
    case 1: memcpy(target, &bytes, 1); break;
    case 2: memcpy(target, &bytes, 2); break;
    case 4: memcpy(target, &bytes, 4); break;
    default: memcpy(target, &bytes, 8);
  }
}

// Writes `count` numbers from `first` on, each `inner` times.
static void count_up(const iota_state *s, uint8_t *target, uint32_t first) {
  const uint32_t run = s->inner * s->element;
  for (uint32_t i = 0; i < s->count; i++, target += run) {
    const uint64_t bytes = bytes_of(s->type, first + i);
    if (s->inner == 1) {
      put(target, bytes, run);
    } else {
      arn__move_fill(target, &bytes, s->element, s->inner);
    }
  }
}

static void write_row(const iota_state *s, uint8_t *row, uint32_t first) {
  const uint32_t period = s->count * s->inner * s->element;
  count_up(s, row, first);
  for (uint32_t i = 1; i < s->outer; i++) memcpy(row + i * period, row, period);
}

static void iota_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  (void)input;
  (void)out;
  *in = (arn_span){0, 0};
}

static arn_status iota_eval(const arn_eval *e, const void *state) {
  const iota_state *s = state;
  const arn_rows out = arn_eval_output(e, 0, s->row_bytes);
  const uint8_t *before = NULL;  // a row that was written
  if (s->row_bytes == 0) return ARN_OK;
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    uint8_t *row = arn_row(&out, r);
    if (before && !s->by_row) {
      memcpy(row, before, s->row_bytes);
    } else {
      write_row(s, row, s->by_row ? r : 0);
    }
    before = row;
  }
  return ARN_OK;
}

#define TYPES                                                                              \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |          \
   ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64) |           \
   ARN_TYPE_BIT(ARN_UINT32))

const arn_op arn_op_stablehlo_iota = {
    .name = "STABLEHLO_IOTA",
    .code = 196,
    .state_bytes = sizeof(iota_state),
    .types = TYPES,
    .prepare = iota_prepare,
    .rows = iota_rows,
    .eval = iota_eval,
};
