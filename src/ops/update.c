// DYNAMIC_UPDATE_SLICE, STABLEHLO_DYNAMIC_UPDATE_SLICE: the first input, with a block of it
// replaced by the second. Where the block goes is known at run time, from one vector, or
// (StableHLO) a scalar a dimension; it is pushed back inside where it would reach out. In place,
// only the block is written.
#include "movement.h"

typedef struct update_state {
  uint32_t row_bytes, update_row_bytes;
  uint32_t run;      // bytes that are contiguous in both
  uint32_t bytes;    // of the update
  uint8_t type;      // of the start indices
  uint8_t element;
  uint8_t rank;
  uint8_t outer;     // dimensions around a run
  struct {
    uint32_t operand, update;
  } dims[ARN_MAX_RANK];
} update_state;

// Counts the dimensions around a run: trailing ones that are replaced whole belong to it, and the
// next.
static void choose_run(update_state *s) {
  s->run = s->element;
  s->outer = s->rank;
  while (s->outer > 0) {
    const uint32_t i = --s->outer;
    s->run *= s->dims[i].update;
    if (s->dims[i].update != s->dims[i].operand) break;
  }
}

// Says whether start i is input 2 + i, not number i of input 2. (Of one dimension both are.)
static bool are_apart(uint32_t input_count) { return input_count != 3; }

// Where the block starts: `rank` numbers.
static arn_status check_starts(const arn_prepare *p, update_state *s, uint32_t rank) {
  const bool apart = are_apart(p->node->input_count);
  for (uint32_t i = 0; i < (apart ? rank : 1); i++) {
    arn__index starts = {0};
    ARN__TRY(arn__movement_index(p, 2 + i, &starts));
    if (i > 0 && starts.type != s->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, NULL);
    if (starts.count != (apart ? 1 : rank)) return arn_refuse_model(p, ARN_WHAT_SHAPE, NULL);
    s->type = starts.type;
  }
  return ARN_OK;
}

static arn_status check_shapes(const arn_prepare *p, update_state *s, const arn_tensor *operand,
                               const arn_tensor *update) {
  if (update->type != operand->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, update);
  if (update->rank != operand->rank) return arn_refuse_model(p, ARN_WHAT_SHAPE, update);
  ARN__TRY(check_starts(p, s, operand->rank));
  for (uint32_t i = 0; i < operand->rank; i++) {
    if (update->dims[i] > operand->dims[i]) return arn_refuse_model(p, ARN_WHAT_SHAPE, update);
    s->dims[i].operand = (uint32_t)operand->dims[i];
    s->dims[i].update = (uint32_t)update->dims[i];
  }
  s->rank = operand->rank;
  return ARN_OK;
}

static arn_status prepare(arn_prepare *p, update_state *s) {
  arn_tensor operand, update, out;
  ARN__TRY(arn__movement_pair(p, 0, &operand, &out));
  ARN__TRY(arn_prepare_input(p, 1, &update));
  if (!arn__rows_same_shape(&operand, &out)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  ARN__TRY(check_shapes(p, s, &operand, &update));
  arn__movement_by_rows(p, &out);
  p->in_place = 1;
  s->element = (uint8_t)arn_type_bytes((arn_type)out.type);
  s->row_bytes = out.bytes / p->rows;
  s->update_row_bytes = arn__rows_bytes(&update);
  s->bytes = update.bytes;
  choose_run(s);
  p->state_bytes = (uint32_t)(offsetof(update_state, dims) + s->rank * sizeof s->dims[0]);
  return ARN_OK;
}

static arn_status update_prepare(arn_prepare *p, void *state) {
  ARN__TRY(arn_prepare_counts(p, 3, 3, 1));
  return prepare(p, state);
}

static arn_status stablehlo_prepare(arn_prepare *p, void *state) {
  arn_tensor operand;
  ARN__TRY(arn_prepare_counts(p, 2, 2 + ARN_MAX_RANK, 1));
  ARN__TRY(arn_prepare_input(p, 0, &operand));
  if (p->node->input_count != 2u + operand.rank) {
    return arn_refuse_model(p, ARN_WHAT_INPUT_COUNT, NULL);
  }
  return prepare(p, state);
}

static void update_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const update_state *s = state;
  *in = out;
  if (input == 1) *in = arn__movement_span(0, s->bytes, s->update_row_bytes);
  if (input >= 2) *in = (arn_span){0, 1};
}

// Returns the byte of the output where the block starts.
static uint32_t block_start(const arn_eval *e, const update_state *s) {
  const bool apart = are_apart(e->input_count);
  uint32_t at = 0;
  for (uint32_t i = 0; i < s->rank; i++) {
    const int32_t most = (int32_t)(s->dims[i].operand - s->dims[i].update);
    const void *starts = arn_eval_in(e, apart ? 2 + i : 2);
    int32_t start = arn__index_at(starts, s->type, apart ? 0 : i);
    start = start < 0 ? 0 : start;
    at = at * s->dims[i].operand + (uint32_t)(start < most ? start : most);
  }
  return at * s->element;
}

// Returns the distance in the output from the block's start to its run `k`.
static uint32_t run_offset(const update_state *s, uint32_t k) {
  uint32_t offset = 0, stride = s->element;
  for (uint32_t i = s->rank; i-- > 0;) {
    if (i < s->outer) {
      offset += k % s->dims[i].update * stride;
      k /= s->dims[i].update;
    }
    stride *= s->dims[i].operand;
  }
  return offset;
}

static void copy_operand(const arn_eval *e, const update_state *s, const arn_rows *out) {
  const arn_rows operand = arn_eval_input(e, 0, s->row_bytes);
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count && s->row_bytes > 0; r++) {
    const uint8_t *source = arn_row(&operand, r);
    if (source != arn_row(out, r)) memcpy(arn_row(out, r), source, s->row_bytes);
  }
}

static arn_status update_eval(const arn_eval *e, const void *state) {
  const update_state *s = state;
  const arn_rows out = arn_eval_output(e, 0, s->row_bytes);
  const arn_rows update = arn_eval_input(e, 1, s->update_row_bytes);
  const uint32_t start = block_start(e, s);
  const uint32_t low = e->span.first * s->row_bytes;
  const uint32_t high = low + e->span.count * s->row_bytes;
  copy_operand(e, s, &out);
  for (uint32_t k = 0; k * s->run < s->bytes; k++) {
    const uint32_t run_at = start + run_offset(s, k);
    const uint32_t from = run_at > low ? run_at : low;
    const uint32_t to = run_at + s->run < high ? run_at + s->run : high;
    if (from >= to) continue;
    arn__movement_copy(&out, from, &update, k * s->run + (from - run_at), to - from);
  }
  return ARN_OK;
}

const arn_op arn_op_dynamic_update_slice = {"DYNAMIC_UPDATE_SLICE", 151, sizeof(update_state),
                                            ARN__MOVEMENT_TYPES, 0, NULL,
                                            update_prepare, update_rows, update_eval};
const arn_op arn_op_stablehlo_dynamic_update_slice = {
    .name = "STABLEHLO_DYNAMIC_UPDATE_SLICE",
    .code = 194,
    .state_bytes = sizeof(update_state),
    .types = ARN__MOVEMENT_TYPES,
    .prepare = stablehlo_prepare,
    .rows = update_rows,
    .eval = update_eval,
};
