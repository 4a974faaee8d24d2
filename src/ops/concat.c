// CONCATENATION, STABLEHLO_CONCATENATE and PACK: the inputs side by side along an axis. Along the
// outermost axis, inputs may be computed right inside the output, and nothing moves.
#include <float.h>

#include "pieces.h"
#include "quantised.h"
#include "stablehlo.h"

// An 8-bit input whose scale is not the output's: out = round(in * scale + offset) + zero.
typedef struct rescale {
  float scale, offset;
} rescale;

typedef struct concat_state {
  uint8_t rescales;  // 8-bit inputs have scales of their own: their `rescale`s follow the pieces
  uint8_t is_signed;
  int16_t zero;      // of the output
  arn__pieces pieces;
} concat_state;

// ---- scales -------------------------------------------------------------------------------------

static float bits_to_float(uint32_t bits) {
  float value;
  memcpy(&value, &bits, sizeof value);
  return value;
}

// A scale of 0: the bytes are taken as they are.
static rescale rescale_of(const concat_state *s, uint32_t i) {
  if (!s->rescales) return (rescale){0, 0};
  const uint32_t *word = &s->pieces.bytes[s->pieces.entries + 2u * i];
  return (rescale){bits_to_float(word[0]), bits_to_float(word[1])};
}

static arn_status read_rescale(const arn_prepare *p, uint32_t i, const arn_tensor *out,
                               rescale *r) {
  arn_tensor in;
  float in_scale, out_scale;
  int32_t in_zero, out_zero;
  *r = (rescale){0, 0};
  ARN__TRY(arn_prepare_input(p, i, &in));
  if (in.scale_count == 0 || out->scale_count == 0) return ARN_OK;
  ARN__TRY(arn__quantised_read(p, &in, &in_scale, &in_zero));
  ARN__TRY(arn__quantised_read(p, out, &out_scale, &out_zero));
  if (in_scale == out_scale && in_zero == out_zero) return ARN_OK;
  if (out->type == ARN_INT16) return arn_refuse(p, ARN_WHAT_SCALE, &in);
  r->scale = in_scale * (1.0f / out_scale);
  r->offset = -(float)in_zero * r->scale;
  if (!(r->scale > 0) || r->scale > FLT_MAX) return arn_refuse(p, ARN_WHAT_SCALE, &in);
  return ARN_OK;
}

// Writes the rescaling of every input behind the pieces.
static arn_status write_rescales(const arn_prepare *p, concat_state *s, const arn_tensor *out) {
  if (s->pieces.entries + 2u * s->pieces.count > ARN__PIECES_MAX) {
    return arn_refuse(p, ARN_WHAT_LIMIT, out);
  }
  s->rescales = 1;
  for (uint32_t i = 0; i < s->pieces.count; i++) {
    rescale r;
    ARN__TRY(read_rescale(p, i, out, &r));
    memcpy(&s->pieces.bytes[s->pieces.entries + 2u * i], &r, sizeof r);
  }
  return ARN_OK;
}

static arn_status prepare_scales(arn_prepare *p, concat_state *s, const arn_tensor *out) {
  const bool is_quantised =
      out->type == ARN_INT8 || out->type == ARN_UINT8 || out->type == ARN_INT16;
  bool differ = false;
  for (uint32_t i = 0; i < s->pieces.count && is_quantised; i++) {
    rescale r;
    ARN__TRY(read_rescale(p, i, out, &r));
    differ = differ || r.scale > 0;
  }
  if (!differ) return ARN_OK;
  s->is_signed = out->type == ARN_INT8;
  s->zero = (int16_t)arn_tensor_zero(p->model, out, 0);
  ARN__TRY(write_rescales(p, s, out));
  p->state_bytes += 8u * s->pieces.count;
  return ARN_OK;
}

// Rounds half away from zero; exact, where adding a half is not.
static int32_t round_to_int(float x) {
  if (x > 1e6f) return 1000000;
  if (!(x > -1e6f)) return -1000000;
  const int32_t whole = (int32_t)x;
  const float rest = x - (float)whole;
  return whole + (rest >= 0.5f) - (rest <= -0.5f);
}

static void copy_rescaled(const concat_state *s, rescale r, uint8_t *target,
                          const uint8_t *source, uint32_t count) {
  const int32_t low = s->is_signed ? -128 : 0, high = s->is_signed ? 127 : 255;
  for (uint32_t i = 0; i < count; i++) {
    const int32_t value = s->is_signed ? (int8_t)source[i] : source[i];
    int32_t scaled = round_to_int((float)value * r.scale + r.offset) + s->zero;
    scaled = scaled < low ? low : scaled;
    target[i] = (uint8_t)(scaled > high ? high : scaled);
  }
}

// ---- prepare ------------------------------------------------------------------------------------

// Says that inputs may be computed inside the output, each at its place.
static void offer_inside(arn_prepare *p, const concat_state *s) {
  uint32_t offset = 0;
  for (uint32_t i = 0; i < s->pieces.count && s->pieces.row_chunks == 0; i++) {
    if (rescale_of(s, i).scale == 0) arn_prepare_inside(p, i, offset);
    offset += arn__pieces_bytes(&s->pieces, i);
  }
}

static arn_status prepare_pieces(arn_prepare *p, concat_state *s, const arn__pieces_of *of) {
  ARN__TRY(arn__pieces_prepare(p, &s->pieces, of));
  p->state_bytes += (uint32_t)offsetof(concat_state, pieces);
  return ARN_OK;
}

static arn_status prepare_joined(arn_prepare *p, concat_state *s, int32_t axis) {
  arn_tensor in, out;
  arn__pieces_of of = {&out, 0, true, false};
  ARN__TRY(arn_prepare_counts(p, 1, UINT16_MAX, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__movement_axis(p, axis, out.rank, &of.axis));
  ARN__TRY(prepare_pieces(p, s, &of));
  ARN__TRY(prepare_scales(p, s, &out));
  offer_inside(p, s);
  return ARN_OK;
}

static arn_status concatenation_prepare(arn_prepare *p, void *state) {
  if (arn_option_u8(p, 1, 0) != 0) return arn_refuse(p, ARN_WHAT_ACTIVATION, NULL);
  return prepare_joined(p, state, arn_option_i32(p, 0, 0));
}

static arn_status stablehlo_prepare(arn_prepare *p, void *state) {
  const int32_t axis = arn__shlo_i64(p, 0, 0);
  if (axis < 0) return arn_refuse_model(p, ARN_WHAT_AXIS, NULL);
  return prepare_joined(p, state, axis);
}

static arn_status pack_prepare(arn_prepare *p, void *state) {
  concat_state *s = state;
  arn_tensor in, out;
  arn__pieces_of of = {&out, 0, true, true};
  ARN__TRY(arn_prepare_counts(p, 1, UINT16_MAX, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__movement_axis(p, arn_option_i32(p, 1, 0), out.rank, &of.axis));
  if (arn_option_i32(p, 0, (int32_t)p->node->input_count) != (int32_t)p->node->input_count) {
    return arn_refuse_model(p, ARN_WHAT_INPUT_COUNT, NULL);
  }
  ARN__TRY(prepare_pieces(p, s, &of));
  offer_inside(p, s);
  return ARN_OK;
}

// ---- rows and eval ------------------------------------------------------------------------------

// The bytes of the output.
typedef struct range {
  uint32_t from, to;
} range;

static range range_of_rows(const arn__pieces *s, arn_span rows) {
  return (range){rows.first * s->whole_row_bytes, (rows.first + rows.count) * s->whole_row_bytes};
}

// The part of `whole` that lies in [at, at + bytes).
static range part_of(range whole, uint32_t at, uint32_t bytes) {
  range part = {whole.from > at ? whole.from : at, whole.to < at + bytes ? whole.to : at + bytes};
  if (part.to < part.from) part.to = part.from;
  return part;
}

static void concat_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const arn__pieces *s = &((const concat_state *)state)->pieces;
  const uint32_t bytes = arn__pieces_bytes(s, input);
  range wanted;
  if (s->row_chunks > 0) {
    const uint32_t row = s->row_chunks * bytes;
    wanted = (range){out.first * row, (out.first + out.count) * row};
  } else {
    uint32_t at = 0;
    for (uint32_t i = 0; i < input; i++) at += arn__pieces_bytes(s, i);
    wanted = part_of(range_of_rows(s, out), at, bytes);
    wanted = (range){wanted.from - at, wanted.to - at};
  }
  *in = (arn_span){0, 0};
  if (wanted.from < wanted.to) {
    *in = arn__movement_span(wanted.from, wanted.to, arn__pieces_row_bytes(s, input));
  }
}

// One row of the output, made of `row_chunks` chunks: takes what input `i` has of each of them.
static void join_row(const concat_state *s, uint32_t i, const arn_rows *in, uint32_t row,
                     uint8_t *target) {
  const uint32_t bytes = arn__pieces_bytes(&s->pieces, i), chunks = s->pieces.row_chunks;
  const uint8_t *source = arn__movement_at(in, row * chunks * bytes);
  const rescale r = rescale_of(s, i);
  if (r.scale == 0) {
    const arn__block block = {
        bytes, 1, {{chunks, (int32_t)bytes, (int32_t)s->pieces.chunk_bytes}}};
    arn__move_block(target, source, &block);
    return;
  }
  for (uint32_t c = 0; c < chunks; c++) {
    copy_rescaled(s, r, target + c * s->pieces.chunk_bytes, source + c * bytes, bytes);
  }
}

static void join_rows(const arn_eval *e, const concat_state *s, const arn_rows *out) {
  uint32_t offset = 0;
  for (uint32_t i = 0; i < s->pieces.count; i++) {
    const uint32_t bytes = arn__pieces_bytes(&s->pieces, i);
    const arn_rows in = arn_eval_input(e, i, arn__pieces_row_bytes(&s->pieces, i));
    for (uint32_t r = 0; r < e->span.count && bytes > 0; r++) {
      join_row(s, i, &in, e->span.first + r, arn_row(out, e->span.first + r) + offset);
    }
    offset += bytes;
  }
}

static void copy_range(const concat_state *s, rescale r, const arn_rows *out, range part,
                       const arn_rows *in, uint32_t from) {
  if (r.scale == 0) {
    arn__movement_copy(out, part.from, in, from, part.to - part.from);
    return;
  }
  for (uint32_t i = part.from; i < part.to; i++) {
    copy_rescaled(s, r, arn__movement_at(out, i), arn__movement_at(in, from + i - part.from), 1);
  }
}

// One chunk over all rows: each input is a range of the output.
static void join_ranges(const arn_eval *e, const concat_state *s, const arn_rows *out) {
  const range rows = range_of_rows(&s->pieces, e->span);
  uint32_t at = 0;
  for (uint32_t i = 0; i < s->pieces.count; i++) {
    const uint32_t bytes = arn__pieces_bytes(&s->pieces, i);
    const arn_rows in = arn_eval_input(e, i, arn__pieces_row_bytes(&s->pieces, i));
    const range part = part_of(rows, at, bytes);
    if (part.from < part.to) copy_range(s, rescale_of(s, i), out, part, &in, part.from - at);
    at += bytes;
  }
}

static arn_status concat_eval(const arn_eval *e, const void *state) {
  const concat_state *s = state;
  const arn_rows out = arn_eval_output(e, 0, s->pieces.whole_row_bytes);
  if (s->pieces.row_chunks > 0) {
    join_rows(e, s, &out);
  } else {
    join_ranges(e, s, &out);
  }
  return ARN_OK;
}

const arn_op arn_op_concatenation = {"CONCATENATION", 2, sizeof(concat_state),
                                     ARN__MOVEMENT_TYPES, 0, NULL,
                                     concatenation_prepare, concat_rows, concat_eval};
const arn_op arn_op_stablehlo_concatenate = {
    .name = "STABLEHLO_CONCATENATE",
    .code = 169,
    .state_bytes = sizeof(concat_state),
    .types = ARN__MOVEMENT_TYPES,
    .prepare = stablehlo_prepare,
    .rows = concat_rows,
    .eval = concat_eval,
};
const arn_op arn_op_pack = {"PACK", 83, sizeof(concat_state), ARN__MOVEMENT_TYPES, 0, NULL,
                            pack_prepare, concat_rows, concat_eval};
