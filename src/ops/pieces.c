#include "pieces.h"

static arn_status read_piece(const arn_prepare *p, const arn__pieces_of *of, uint32_t i,
                             arn_tensor *piece) {
  ARN__TRY(of->joins ? arn_prepare_input(p, i, piece) : arn_prepare_output(p, i, piece));
  if (piece->type != of->whole->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, piece);
  return ARN_OK;
}

// Returns the length of a piece along the axis, or -1 where its other dimensions do not fit.
static int32_t length_of(const arn__pieces_of *of, const arn_tensor *piece) {
  const arn_tensor *whole = of->whole;
  const uint32_t dropped = of->drops_axis ? 1 : 0;
  if (piece->rank + dropped != whole->rank) return -1;
  for (uint32_t i = 0; i < piece->rank; i++) {
    const bool behind = of->drops_axis && i >= of->axis;
    if (!of->drops_axis && i == of->axis) continue;
    if (piece->dims[i] != whole->dims[behind ? i + 1 : i]) return -1;
  }
  return of->drops_axis ? 1 : piece->dims[of->axis];
}

// Notes the size of piece `i`; false where the state has no room.
static bool note_bytes(arn__pieces *s, uint32_t i, uint32_t bytes) {
  if (i == 0) {
    s->bytes[0] = bytes;
    s->entries = 1;
    return true;
  }
  if (s->entries == 1 && bytes == s->bytes[0]) return true;
  if (i >= ARN__PIECES_MAX) return false;
  if (s->entries == 1) {
    for (uint32_t k = 1; k < i; k++) s->bytes[k] = s->bytes[0];
  }
  s->bytes[i] = bytes;
  s->entries = (uint8_t)(i + 1);
  return true;
}

static void describe_whole(arn__pieces *s, const arn__pieces_of *of) {
  const arn_tensor *whole = of->whole;
  const uint32_t element = arn_type_bytes((arn_type)whole->type);
  const uint32_t rows = arn__movement_rows(whole);
  const uint32_t chunks = arn__movement_product(whole, 0, of->axis);
  s->unit_bytes = element * arn__movement_product(whole, of->axis + 1, whole->rank);
  s->chunk_bytes = s->unit_bytes * (uint32_t)whole->dims[of->axis];
  s->row_chunks = chunks > 1 ? chunks / rows : 0;
  s->whole_row_bytes = whole->bytes / rows;
  s->unit_row_bytes = s->whole_row_bytes;
}

// Says whether a step over rows of the whole finds its bytes of a piece in the rows of the piece.
static bool rows_fit(const arn__pieces *s, const arn__pieces_of *of, uint32_t i,
                     const arn_tensor *piece) {
  const uint32_t rows = arn__rows_of(piece).rows;
  const uint32_t whole_rows = arn__movement_rows(of->whole);
  if (rows > 1 && arn__rows_bytes(piece) != arn__pieces_row_bytes(s, i)) return false;
  if (s->row_chunks > 0 && rows > 1 && rows != whole_rows) return false;
  return of->joins || (rows == whole_rows && (s->row_chunks > 0 || s->count == 1));
}

static void whole_only(arn_prepare *p, arn__pieces *s, const arn_tensor *whole) {
  p->work = ARN_WHOLE;
  p->rows = 1;
  s->whole_row_bytes = whole->bytes;
  if (s->row_chunks > 0 && whole->bytes > 0) s->row_chunks = whole->bytes / s->chunk_bytes;
}

arn_status arn__pieces_prepare(arn_prepare *p, arn__pieces *s, const arn__pieces_of *of) {
  arn_tensor piece;
  int64_t left = of->whole->dims[of->axis];
  bool by_rows = arn__movement_rows(of->whole) == arn__rows_of(of->whole).rows;
  s->count = (uint16_t)(of->joins ? p->node->input_count : p->node->output_count);
  describe_whole(s, of);
  for (uint32_t i = 0; i < s->count; i++) {
    ARN__TRY(read_piece(p, of, i, &piece));
    const int32_t length = length_of(of, &piece);
    left -= length;
    if (length < 0 || left < 0) return arn_refuse_model(p, ARN_WHAT_SHAPE, &piece);
    if (!note_bytes(s, i, s->unit_bytes * (uint32_t)length)) {
      return arn_refuse(p, ARN_WHAT_LIMIT, &piece);
    }
    if (length == 1) s->unit_row_bytes = arn__rows_bytes(&piece);
    by_rows = by_rows && rows_fit(s, of, i, &piece);
  }
  if (left != 0) return arn_refuse_model(p, ARN_WHAT_SHAPE, of->whole);
  p->state_bytes = arn__pieces_state_bytes(s);
  arn__movement_by_rows(p, of->whole);
  if (!by_rows) whole_only(p, s, of->whole);
  return ARN_OK;
}
