// SPLIT, SPLIT_V, UNPACK: the outputs are pieces of the input along an axis. Along the outermost
// axis they are views of it.
#include "pieces.h"

// How an operator of the family gets its axis.
typedef struct split_kind {
  uint32_t input;      // the one that is split
  bool drops_axis;
} split_kind;

static arn_status prepare_split(arn_prepare *p, arn__pieces *s, const arn_tensor *in,
                                uint32_t axis, split_kind kind) {
  const arn__pieces_of of = {in, axis, false, kind.drops_axis};
  ARN__TRY(arn__pieces_prepare(p, s, &of));
  uint32_t offset = 0;
  for (uint32_t i = 0; i < s->count && s->row_chunks == 0; i++) {
    arn_prepare_view(p, i, kind.input, offset);
    offset += arn__pieces_bytes(s, i);
  }
  return ARN_OK;
}

// Reads the input that is split, and checks that there are `outputs` outputs (0: the file does not
// say), at least one.
static arn_status read_whole(const arn_prepare *p, uint32_t input, int32_t outputs,
                             arn_tensor *in) {
  arn_tensor out;
  const int32_t have = (int32_t)p->node->output_count;
  if ((outputs != 0 && outputs != have) || have < 1 || have > UINT16_MAX) {
    return arn_refuse_model(p, ARN_WHAT_OUTPUT_COUNT, NULL);
  }
  return arn__movement_pair(p, input, in, &out);
}

// One row of the input, made of `row_chunks` chunks: gives output `i` what it has of each of them.
static void split_row(const arn__pieces *s, uint32_t i, const uint8_t *source, uint8_t *target) {
  const uint32_t bytes = arn__pieces_bytes(s, i);
  const arn__block block = {
      bytes, 1, {{s->row_chunks, (int32_t)s->chunk_bytes, (int32_t)bytes}}};
  if (bytes > 0) arn__move_block(target, source, &block);
}

static void split_by_rows(const arn_eval *e, const arn__pieces *s, const arn_rows *in) {
  uint32_t offset = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const uint32_t bytes = arn__pieces_bytes(s, i);
    const arn_rows out = arn_eval_output(e, i, s->row_chunks * bytes);
    for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
      split_row(s, i, arn_row(in, r) + offset, arn_row(&out, r));
    }
    offset += bytes;
  }
}

// One chunk: each output is a range of the input. A single output is all of it, and runs by rows.
static void split_ranges(const arn_eval *e, const arn__pieces *s, const arn_rows *in) {
  uint32_t offset = 0;
  for (uint32_t i = 0; i < s->count; i++) {
    const bool single = s->count == 1;
    const uint32_t bytes = single ? e->span.count * s->whole_row_bytes : arn__pieces_bytes(s, i);
    const uint32_t from = single ? e->span.first * s->whole_row_bytes : 0;
    const arn_rows out = arn_eval_output(e, i, s->whole_row_bytes);
    arn__movement_copy(&out, from, in, offset + from, bytes);
    offset += bytes;
  }
}

static arn_status eval_split(const arn_eval *e, const arn__pieces *s, uint32_t input) {
  const arn_rows in = arn_eval_input(e, input, s->whole_row_bytes);
  if (s->row_chunks > 0) {
    split_by_rows(e, s, &in);
  } else {
    split_ranges(e, s, &in);
  }
  return ARN_OK;
}

// ---- SPLIT --------------------------------------------------------------------------------------

static arn_status split_prepare(arn_prepare *p, void *state) {
  const split_kind kind = {1, false};
  arn_tensor in;
  uint32_t axis;
  ARN__TRY(arn_prepare_counts(p, 2, 2, p->node->output_count));
  ARN__TRY(read_whole(p, kind.input, arn_option_i32(p, 0, 0), &in));
  ARN__TRY(arn__movement_axis_input(p, 0, in.rank, &axis));
  ARN__TRY(prepare_split(p, state, &in, axis, kind));
  const arn__pieces *s = state;  // all outputs are alike
  return s->entries == 1 ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, &in);
}

static void split_rows_of_1(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  *in = input == 1 ? out : (arn_span){0, 1};
}

static arn_status split_eval(const arn_eval *e, const void *state) {
  return eval_split(e, state, 1);
}

const arn_op arn_op_split = {"SPLIT", 49, sizeof(arn__pieces),
                             ARN__MOVEMENT_TYPES, 0, NULL,
                             split_prepare, split_rows_of_1, split_eval};

// ---- SPLIT_V ------------------------------------------------------------------------------------

typedef struct split_v_state {
  uint8_t late;   // the sizes come at run time
  uint8_t type;   // of the sizes
  uint16_t spare;
  arn__pieces pieces;
} split_v_state;

// The outputs' shapes say the same: one size may be -1, whatever is left.
static bool sizes_fit(const split_v_state *s, const void *sizes) {
  uint32_t stretched = 0;
  for (uint32_t i = 0; i < s->pieces.count; i++) {
    const int32_t size = arn__index_at(sizes, s->type, i);
    const int64_t bytes = (int64_t)size * s->pieces.unit_bytes;
    if (size == -1) stretched++;
    else if (bytes != arn__pieces_bytes(&s->pieces, i)) return false;
  }
  return stretched <= 1;
}

static arn_status split_v_prepare(arn_prepare *p, void *state) {
  const split_kind kind = {0, false};
  split_v_state *s = state;
  arn_tensor in;
  arn__index sizes;
  uint32_t axis;
  ARN__TRY(arn_prepare_counts(p, 3, 3, p->node->output_count));
  ARN__TRY(read_whole(p, kind.input, arn_option_i32(p, 0, 0), &in));
  ARN__TRY(arn__movement_axis_input(p, 2, in.rank, &axis));
  ARN__TRY(arn__movement_index(p, 1, &sizes));
  if (sizes.count != p->node->output_count) return arn_refuse_model(p, ARN_WHAT_SHAPE, &in);
  ARN__TRY(prepare_split(p, &s->pieces, &in, axis, kind));
  s->late = sizes.data == NULL;
  s->type = sizes.type;
  p->state_bytes += (uint32_t)offsetof(split_v_state, pieces);
  if (s->late || sizes_fit(s, sizes.data)) return ARN_OK;
  return arn_refuse_model(p, ARN_WHAT_SHAPE, &in);
}

static void split_rows_of_0(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)state;
  *in = input == 0 ? out : (arn_span){0, 1};
}

static arn_status split_v_eval(const arn_eval *e, const void *state) {
  const split_v_state *s = state;
  if (s->late && !sizes_fit(s, arn_eval_in(e, 1))) {
    return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
  }
  return eval_split(e, &s->pieces, 0);
}

const arn_op arn_op_split_v = {"SPLIT_V", 102, sizeof(split_v_state), ARN__MOVEMENT_TYPES, 0, NULL,
                               split_v_prepare, split_rows_of_0, split_v_eval};

// ---- UNPACK -------------------------------------------------------------------------------------

static arn_status unpack_prepare(arn_prepare *p, void *state) {
  const split_kind kind = {0, true};
  arn_tensor in;
  uint32_t axis;
  ARN__TRY(arn_prepare_counts(p, 1, 1, p->node->output_count));
  ARN__TRY(read_whole(p, kind.input, arn_option_i32(p, 0, 0), &in));
  ARN__TRY(arn__movement_axis(p, arn_option_i32(p, 1, 0), in.rank, &axis));
  return prepare_split(p, state, &in, axis, kind);
}

static arn_status unpack_eval(const arn_eval *e, const void *state) {
  return eval_split(e, state, 0);
}

const arn_op arn_op_unpack = {"UNPACK", 88, sizeof(arn__pieces), ARN__MOVEMENT_TYPES, 0, NULL,
                              unpack_prepare, split_rows_of_0, unpack_eval};
