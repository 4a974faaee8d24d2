// PAD, PADV2, MIRROR_PAD: the input with more around it, a constant or its own reflection.
//
// Dimensions that are not padded are merged: [1,H,W,C] with padded H and W is units of C elements,
// W of them with units before and after, H such lines with lines before and after. An output row
// outside the input reads nothing (PAD) or another row (MIRROR_PAD).
#include "movement.h"
#include "quantised.h"

#define SHORT_LINE 48u  // bytes

typedef struct pad_dim {
  uint32_t before, inside, after;
} pad_dim;

// A prefix of this, as long as its dimensions, is the prepared state.
typedef struct pad_state {
  uint32_t in_row_bytes, out_row_bytes;
  uint32_t unit;        // bytes that stay together
  int32_t zero;         // PAD: the value, of 1, 2 or 4 bytes; of wider ones it is 0
  uint8_t element;      // bytes
  uint8_t has_value;    // PAD, PADV2: input 2 is the value
  uint8_t mirror;       // MIRROR_PAD: 1 SYMMETRIC, 2 REFLECT (the edge is not repeated)
  uint8_t late;         // type of paddings that come at run time + 1: `dim` is {input, output, 0}
  uint16_t dims;
  uint16_t lead;        // 1: the outermost dimension is the output's rows
  pad_dim dim[ARN_MAX_RANK + 1];  // innermost first; 0 is a line
} pad_state;

static const pad_dim single = {0, 1, 0};

static uint32_t total(pad_dim d) { return d.before + d.inside + d.after; }

static bool is_padded(pad_dim d) { return d.before > 0 || d.after > 0; }

// ---- from paddings to units and dimensions ------------------------------------------------------

// Bytes of input and output under the dimensions so far.
typedef struct extent {
  uint32_t in, out;
} extent;

static extent extent_of(const pad_state *s, uint32_t dims) {
  extent e = {s->unit, s->unit};
  for (uint32_t i = 0; i < dims; i++) {
    e.in *= s->dim[i].inside;
    e.out *= total(s->dim[i]);
  }
  return e;
}

static void add_dim(pad_state *s, pad_dim d) {
  const extent under = extent_of(s, s->dims);
  const bool at_row_end = under.in == s->in_row_bytes || under.out == s->out_row_bytes;
  if (total(d) == 1 && d.inside == 1) return;
  if (at_row_end && s->dims == 0) s->dim[s->dims++] = single;  // a line stays inside a row
  if (!is_padded(d) && !at_row_end && s->dims == 0) {
    s->unit *= d.inside;
  } else if (!is_padded(d) && !at_row_end && !is_padded(s->dim[s->dims - 1])) {
    s->dim[s->dims - 1].inside *= d.inside;
  } else {
    s->dim[s->dims++] = d;
  }
}

// An empty input: the output is padding only.
static void pad_nothing(pad_state *s, uint32_t rows) {
  s->unit = s->element;
  s->dim[0] = (pad_dim){s->out_row_bytes / s->element, 0, 0};
  s->dim[1] = (pad_dim){rows, 0, 0};
  s->dims = (uint16_t)(rows > 1 ? 2 : 1);
}

// Reads dimension `i` of the input, and what is put around it; false where that is negative, or not
// what the output's shape says.
static bool read_dim(const void *paddings, uint32_t type, uint32_t i, int32_t in, int32_t out,
                     pad_dim *d) {
  const int32_t before = arn__index_at(paddings, type, 2 * i);
  const int32_t after = arn__index_at(paddings, type, 2 * i + 1);
  if (before < 0 || after < 0) return false;
  *d = (pad_dim){(uint32_t)before, (uint32_t)in, (uint32_t)after};
  return (int64_t)before + after + in == out;
}

// A reflection must be there to be seen.
static bool mirror_fits(const pad_state *s, pad_dim d) {
  const uint32_t most = s->mirror == 2 && d.inside > 0 ? d.inside - 1 : d.inside;
  return s->mirror == 0 || (d.before <= most && d.after <= most);
}

// The shapes of both tensors.
typedef struct shapes {
  const int32_t *in, *out;
  uint32_t rank, rows;
} shapes;

// Fills unit and dimensions; false where the paddings do not fit. Needs: row bytes, element,
// mirror.
static bool build(pad_state *s, const shapes *of, const void *paddings, uint32_t type) {
  bool empty = false;
  s->unit = s->element;
  s->dims = 0;
  for (uint32_t i = of->rank; i-- > 0;) {
    pad_dim d;
    if (!read_dim(paddings, type, i, of->in[i], of->out[i], &d) || !mirror_fits(s, d)) return false;
    empty = empty || d.inside == 0;
    if (!empty) add_dim(s, d);
  }
  if (empty) pad_nothing(s, of->rows);
  if (s->dims == 0) s->dim[s->dims++] = single;
  s->lead = of->rows > 1;
  return true;
}

// ---- prepare ------------------------------------------------------------------------------------

// The state where the paddings come at run time: eval builds the real one.
static arn_status prepare_late(arn_prepare *p, pad_state *s, const shapes *of, uint32_t type) {
  s->late = (uint8_t)(type + 1);
  s->dims = (uint16_t)of->rank;
  s->lead = of->rows > 1;
  for (uint32_t i = 0; i < of->rank; i++) {
    s->dim[i] = (pad_dim){(uint32_t)of->in[i], (uint32_t)of->out[i], 0};
  }
  return p->work == ARN_ROWS ? ARN_OK : arn_refuse(p, ARN_WHAT_LIMIT, NULL);
}

static arn_status prepare_dims(arn_prepare *p, pad_state *s, const arn_tensor *in,
                               const arn_tensor *out) {
  arn__index paddings;
  ARN__TRY(arn__movement_index(p, 1, &paddings));
  if (in->rank != out->rank || paddings.count != 2u * in->rank) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  }
  arn__movement_by_rows(p, out);
  s->element = (uint8_t)arn_type_bytes((arn_type)in->type);
  s->in_row_bytes = arn__rows_bytes(in);
  s->out_row_bytes = out->bytes / p->rows;
  const shapes of = {in->dims, out->dims, in->rank, p->rows};
  if (paddings.data == NULL && paddings.count > 0) {
    ARN__TRY(prepare_late(p, s, &of, paddings.type));
  } else if (!build(s, &of, paddings.data, paddings.type)) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  }
  p->state_bytes = (uint32_t)(offsetof(pad_state, dim) + s->dims * sizeof s->dim[0]);
  return ARN_OK;
}

// A quantised value must be quantised like the output.
static arn_status check_value(const arn_prepare *p, const arn_tensor *out) {
  arn_tensor value;
  float scale, out_scale;
  int32_t zero, out_zero;
  ARN__TRY(arn_prepare_input(p, 2, &value));
  if (value.type != out->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &value);
  if (value.count != 1) return arn_refuse_model(p, ARN_WHAT_SHAPE, &value);
  if (out->type != ARN_INT8 && out->type != ARN_UINT8) return ARN_OK;
  if (value.scale_count == 0 || out->scale_count == 0) return ARN_OK;
  ARN__TRY(arn__quantised_read(p, &value, &scale, &zero));
  ARN__TRY(arn__quantised_read(p, out, &out_scale, &out_zero));
  if (scale == out_scale && zero == out_zero) return ARN_OK;
  return arn_refuse(p, ARN_WHAT_QUANTISATION, &value);
}

// The value of PAD without one: what stands for 0.
static arn_status read_zero(const arn_prepare *p, const arn_tensor *out, int32_t *zero) {
  const arn__clamp range = arn__quantised_range(out->type);
  const int64_t value = arn_tensor_zero(p->model, out, 0);
  const bool quantised =
      out->type == ARN_INT8 || out->type == ARN_UINT8 || out->type == ARN_INT16;
  if (!quantised || out->zero_count == 0) return ARN_OK;
  if (value < range.low || value > range.high) return arn_refuse_model(p, ARN_WHAT_ZERO_POINT, out);
  *zero = (int32_t)value;
  return ARN_OK;
}

static arn_status pad_prepare(arn_prepare *p, void *state) {
  pad_state *s = state;
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 2, 3, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  s->has_value = arn_prepare_has_input(p, 2);
  ARN__TRY(s->has_value ? check_value(p, &out) : read_zero(p, &out, &s->zero));
  return prepare_dims(p, s, &in, &out);
}

static arn_status mirror_pad_prepare(arn_prepare *p, void *state) {
  pad_state *s = state;
  arn_tensor in, out;
  const int32_t mode = arn_option_i8(p, 0, 0);
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  if (mode != 0 && mode != 1) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  s->mirror = mode == 0 ? 2 : 1;
  return prepare_dims(p, s, &in, &out);
}

// ---- rows ---------------------------------------------------------------------------------------

// Which element of the input element `i` of the output mirrors.
static uint32_t mirrored(const pad_state *s, pad_dim d, uint32_t i) {
  const uint32_t edge = s->mirror == 2 ? 1 : 0;
  if (i < d.before) return d.before - 1 - i + edge;
  i -= d.before;
  return i < d.inside ? i : 2 * d.inside - 1 - edge - i;
}

static void mirror_span(const pad_state *s, pad_dim d, arn_span out, uint32_t *from,
                        uint32_t *to) {
  for (uint32_t i = 0; i < out.count; i++) {
    const uint32_t row = mirrored(s, d, out.first + i);
    if (i == 0 || row < *from) *from = row;
    if (i == 0 || row >= *to) *to = row + 1;
  }
}

static void pad_span(pad_dim d, arn_span out, uint32_t *from, uint32_t *to) {
  const uint32_t end = out.first + out.count, inside_end = d.before + d.inside;
  *from = (out.first > d.before ? out.first : d.before) - d.before;
  *to = end < inside_end ? end : inside_end;
  *to = *to > d.before ? *to - d.before : 0;
}

// Bytes of the input where the paddings are not known yet.
static uint32_t late_bytes(const pad_state *s) {
  uint32_t bytes = s->element;
  for (uint32_t i = 0; i < s->dims; i++) bytes *= s->dim[i].before;
  return bytes;
}

static void pad_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const pad_state *s = state;
  const uint32_t inner = s->dims - (uint32_t)s->lead;
  uint32_t from = 0, to = 1;
  if (arn__movement_is_index(input, in)) return;
  if (s->late) {
    *in = arn__movement_span(0, late_bytes(s), s->in_row_bytes);
    return;
  }
  if (s->lead && s->mirror) mirror_span(s, s->dim[inner], out, &from, &to);
  if (s->lead && !s->mirror) pad_span(s->dim[inner], out, &from, &to);
  const uint32_t bytes = extent_of(s, inner).in;
  *in = arn__movement_span(from * bytes, to * bytes, s->in_row_bytes);
}

// ---- eval ---------------------------------------------------------------------------------------

typedef struct padding {
  const pad_state *s;
  const void *value;
  arn_rows in;
} padding;

static void fill(const padding *p, uint8_t *target, uint32_t bytes) {
  arn__move_fill(target, p->value, p->s->element, bytes / p->s->element);
}

// One line of the innermost dimension, from byte `from` of the input.
static void pad_line(const padding *p, uint8_t *target, uint32_t from) {
  const pad_state *s = p->s;
  const pad_dim d = s->dim[0];
  const uint32_t before = d.before * s->unit, inside = d.inside * s->unit;
  fill(p, target, before);
  if (inside > 0) memcpy(target + before, arn__movement_at(&p->in, from), inside);
  fill(p, target + before + inside, d.after * s->unit);
}

static void mirror_line(const padding *p, uint8_t *target, uint32_t from) {
  const pad_state *s = p->s;
  const pad_dim d = s->dim[0];
  const uint32_t edge = s->mirror == 2 ? 1 : 0, unit = s->unit;
  if (d.inside == 0) return;
  const uint8_t *source = arn__movement_at(&p->in, from);
  arn__move_reverse(target, source + edge * unit, unit, d.before);
  target += d.before * unit;
  memcpy(target, source, d.inside * unit);
  arn__move_reverse(target + d.inside * unit, source + (d.inside - edge - d.after) * unit, unit,
                    d.after);
}

// Finds where line `line` of an output row comes from; false where it is padding. `from` is the
// row's own start.
static bool find_line(const pad_state *s, uint32_t line, uint32_t *from) {
  uint32_t bytes = s->dim[0].inside * s->unit;
  for (uint32_t i = 1; i + s->lead < s->dims; i++) {
    const pad_dim d = s->dim[i];
    uint32_t index = line % total(d);
    line /= total(d);
    if (s->mirror) index = mirrored(s, d, index) + d.before;
    if (index < d.before || index >= d.before + d.inside) return false;
    *from += (index - d.before) * bytes;
    bytes *= d.inside;
  }
  return true;
}

// Lines of a few bytes: the row is filled first, then what is inside is put in at once.
static void pad_row_of_short_lines(const padding *p, uint8_t *target, const uint8_t *source) {
  const pad_state *s = p->s;
  arn__block block = {s->dim[0].inside * s->unit, 0, {{0, 0, 0}}};
  uint32_t in = block.run, out = total(s->dim[0]) * s->unit;
  uint32_t first = s->dim[0].before * s->unit, count = block.run;
  for (uint32_t i = 1; i + s->lead < s->dims; i++) {
    const pad_dim d = s->dim[i];
    block.loop[block.loops++] = (arn__block_loop){d.inside, (int32_t)in, (int32_t)out};
    first += d.before * out;
    count *= d.inside;
    in *= d.inside;
    out *= total(d);
  }
  fill(p, target, s->out_row_bytes);
  if (count > 0) arn__move_block(target + first, source, &block);
}

static void pad_row(const padding *p, uint8_t *target, uint32_t from) {
  const pad_state *s = p->s;
  const uint32_t line_bytes = total(s->dim[0]) * s->unit;
  if (!s->mirror && line_bytes <= SHORT_LINE && p->in.table == NULL && s->dims > s->lead + 1u) {
    pad_row_of_short_lines(p, target, p->in.base + from);
    return;
  }
  const uint32_t lines = line_bytes > 0 ? s->out_row_bytes / line_bytes : 0;
  for (uint32_t i = 0; i < lines; i++, target += line_bytes) {
    uint32_t at = from;
    if (!find_line(s, i, &at)) {
      fill(p, target, line_bytes);
    } else if (s->mirror) {
      mirror_line(p, target, at);
    } else {
      pad_line(p, target, at);
    }
  }
}

static void pad_span_of_rows(const padding *p, const arn_eval *e) {
  const pad_state *s = p->s;
  const arn_rows out = arn_eval_output(e, 0, s->out_row_bytes);
  const uint32_t inner = s->dims - (uint32_t)s->lead;
  const uint32_t bytes = extent_of(s, inner).in;
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    uint32_t row = r;
    const pad_dim d = s->lead ? s->dim[inner] : single;
    if (s->mirror && s->lead) row = mirrored(s, d, r) + d.before;
    if (row < d.before || row >= d.before + d.inside) {
      fill(p, arn_row(&out, r), s->out_row_bytes);
    } else {
      pad_row(p, arn_row(&out, r), (row - d.before) * bytes);
    }
  }
}

// Builds the state that prepare could not.
static bool build_late(const pad_state *s, const void *paddings, pad_state *built) {
  int32_t in[ARN_MAX_RANK], out[ARN_MAX_RANK];
  uint32_t rows = 1;
  for (uint32_t i = 0; i < s->dims; i++) {
    in[i] = (int32_t)s->dim[i].before;
    out[i] = (int32_t)s->dim[i].inside;
    if (s->lead && i > 0 && rows == 1) rows = s->dim[i].inside;
  }
  *built = (pad_state){.in_row_bytes = s->in_row_bytes, .out_row_bytes = s->out_row_bytes,
                       .zero = s->zero, .element = s->element, .has_value = s->has_value,
                       .mirror = s->mirror};
  const shapes of = {in, out, s->dims, rows};
  return build(built, &of, paddings, s->late - 1u);
}

static arn_status pad_eval(const arn_eval *e, const void *state) {
  static const uint8_t zeros[16] = {0};
  const pad_state *s = state;
  pad_state built;
  if (s->late) {
    if (!build_late(s, arn_eval_in(e, 1), &built)) {
      return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
    }
    s = &built;
  }
  padding p = {s, s->element <= 4 ? (const void *)&s->zero : zeros,
               arn_eval_input(e, 0, s->in_row_bytes)};
  if (s->has_value) p.value = arn_eval_in(e, 2);
  pad_span_of_rows(&p, e);
  return ARN_OK;
}

const arn_op arn_op_pad = {"PAD", 34, sizeof(pad_state), ARN__MOVEMENT_TYPES, 0, NULL,
                           pad_prepare, pad_rows, pad_eval};
const arn_op arn_op_padv2 = {"PADV2", 60, sizeof(pad_state), ARN__MOVEMENT_TYPES, 0, NULL,
                             pad_prepare, pad_rows, pad_eval};
const arn_op arn_op_mirror_pad = {"MIRROR_PAD", 100, sizeof(pad_state), ARN__MOVEMENT_TYPES, 0,
                                  NULL, mirror_pad_prepare, pad_rows, pad_eval};
