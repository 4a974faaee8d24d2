// TRANSPOSE_CONV, by gathering: an output pixel is the sum, over the taps of the filter that reach
// it, of a dense layer (dense.h) over the channels of one input pixel. No scratch.
//
// Along an axis, output o takes filter tap f from input i where  o + pad = i * stride + f.
//
// Rows. The output's rows are lines or, where it is one line high, pixels; so are the input's. A
// step reads the input rows within the filter's reach along the output's row axis.
#include "../graph/rows.h"
#include "arenite/ops.h"
#include "dense.h"

enum { SHAPE = 0, FILTER = 1, INPUT = 2, BIAS = 3, INPUTS = 4 };
enum { OPTION_PADDING = 0, OPTION_STRIDE_W = 1, OPTION_STRIDE_H = 2, OPTION_ACTIVATION = 3 };
enum { PADDING_SAME = 0, PADDING_VALID = 1 };
enum { BATCH = 0, Y = 1, X = 2, CHANNEL = 3, RANK = 4 };

// One spatial axis.
typedef struct axis {
  uint32_t in, out;
  uint16_t filter, stride, pad;
  uint16_t is_in_rows;  // input rows run along it
} axis;

typedef struct transpose_conv {
  axis y, x;
  uint32_t whole_lines; // where the node runs whole: lines of all batches; else 0
  uint32_t depth;       // input channels
  uint32_t row_axis;    // of the output: Y or X
  arn__dense dense;     // its depth is a whole filter: taps times input channels
} transpose_conv;

typedef struct tensors {
  arn_tensor in, filter, bias, out;
} tensors;

// ---- prepare -----------------------------------------------------------------------------------

static arn_status check_shapes(const arn_prepare *p, const tensors *t) {
  if (t->in.rank != RANK) return arn_refuse(p, ARN_WHAT_RANK, &t->in);
  if (t->filter.rank != RANK) return arn_refuse(p, ARN_WHAT_RANK, &t->filter);
  if (t->out.rank != RANK) return arn_refuse(p, ARN_WHAT_RANK, &t->out);
  if (t->filter.dims[CHANNEL] != t->in.dims[CHANNEL]) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &t->filter);
  }
  if (t->out.dims[BATCH] != t->in.dims[BATCH] || t->out.dims[CHANNEL] != t->filter.dims[0]) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &t->out);
  }
  return ARN_OK;
}

// The padding that a convolution from the output to the input would have.
static uint32_t padding_of(const axis *a) {
  const uint32_t steps = (a->out + a->stride - 1u) / a->stride;
  if (steps == 0) return 0;
  const uint64_t reach = (uint64_t)(steps - 1) * a->stride + a->filter;
  return reach > a->out ? (uint32_t)(reach - a->out) / 2 : 0;
}

static arn_status set_axis(const arn_prepare *p, const tensors *t, uint32_t i, int32_t stride,
                           axis *a) {
  const int32_t filter = t->filter.dims[i];
  if (stride < 1 || stride > UINT16_MAX || filter < 1 || filter > UINT16_MAX) {
    return arn_refuse(p, ARN_WHAT_STRIDE, &t->filter);
  }
  a->in = (uint32_t)t->in.dims[i];
  a->out = (uint32_t)t->out.dims[i];
  a->filter = (uint16_t)filter;
  a->stride = (uint16_t)stride;
  const int32_t padding = arn_option_u8(p, OPTION_PADDING, PADDING_SAME);
  if (padding > PADDING_VALID) return arn_refuse(p, ARN_WHAT_OPTION, &t->in);
  a->pad = padding == PADDING_SAME ? (uint16_t)padding_of(a) : 0;
  a->is_in_rows = arn__rows_of(&t->in).axis == (int32_t)i;
  return ARN_OK;
}

static arn_status set_layer(const arn_prepare *p, const tensors *t, transpose_conv *s) {
  const arn__dense_tensors layer = {p->op->kinds, &t->in, &t->filter, &t->out,
                                    arn_prepare_has_input(p, BIAS) ? &t->bias : NULL, 0,
                                    arn_option_u8(p, OPTION_ACTIVATION, 0), true, false};
  s->depth = (uint32_t)t->in.dims[CHANNEL];
  s->dense.channels = (uint32_t)t->filter.dims[0];
  s->dense.depth = s->depth * s->y.filter * s->x.filter;
  if (s->dense.channels == 0 || s->depth == 0) return arn_refuse(p, ARN_WHAT_SHAPE, &t->filter);
  return arn__dense_prepare(p, &layer, &s->dense);
}

static arn_status read_tensors(const arn_prepare *p, tensors *t) {
  arn_status status = arn_prepare_counts(p, BIAS, INPUTS, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, INPUT, &t->in);
  if (status == ARN_OK) status = arn_prepare_input(p, FILTER, &t->filter);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &t->out);
  if (status == ARN_OK && arn_prepare_has_input(p, BIAS)) {
    status = arn_prepare_input(p, BIAS, &t->bias);
  }
  return status;
}

static arn_status prepare(arn_prepare *p, void *state) {
  transpose_conv *s = state;
  tensors t;
  const int32_t stride_y = arn_option_i32(p, OPTION_STRIDE_H, 0);
  const int32_t stride_x = arn_option_i32(p, OPTION_STRIDE_W, 0);
  arn_status status = read_tensors(p, &t);
  if (status == ARN_OK) status = check_shapes(p, &t);
  if (status == ARN_OK) status = set_axis(p, &t, Y, stride_y, &s->y);
  if (status == ARN_OK) status = set_axis(p, &t, X, stride_x, &s->x);
  if (status == ARN_OK) status = set_layer(p, &t, s);
  if (status != ARN_OK) return status;
  const arn__rows_shape rows = arn__rows_of(&t.out);
  const bool w_whole = (t.filter.flags & ARN_TENSOR_CONST) || arn__rows_of(&t.filter).rows == 1;
  s->row_axis = rows.axis == X ? X : Y;
  if (rows.rows > 1 && w_whole && t.in.count > 0) {
    p->work = ARN_ROWS;
    p->rows = rows.rows;
  } else {
    s->whole_lines = (uint32_t)t.out.dims[BATCH] * s->y.out;
    s->row_axis = Y;
  }
  if (t.out.count == 0) s->dense.channels = 0;  // nothing to do
  p->state_bytes = (uint32_t)offsetof(transpose_conv, dense) + arn__dense_state_bytes(&s->dense);
  return ARN_OK;
}

// Returns the inputs within reach of the outputs; at least one, where that lies outside.
static arn_span reach(const axis *a, arn_span out) {
  const uint32_t low = out.first + a->pad + 1;
  uint32_t first = low > a->filter ? (low - a->filter + a->stride - 1u) / a->stride : 0;
  uint32_t end = (out.first + out.count - 1 + a->pad) / a->stride + 1;
  if (end > a->in) end = a->in;
  if (first >= end) first = end - 1;
  return (arn_span){first, end - first};
}

static void rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const transpose_conv *s = state;
  *in = (arn_span){0, 1};
  if (input != INPUT) return;
  if (s->y.is_in_rows) *in = reach(&s->y, s->row_axis == Y ? out : (arn_span){0, 1});
  if (s->x.is_in_rows) *in = s->row_axis == X ? reach(&s->x, out) : (arn_span){0, s->x.in};
}

// ---- eval --------------------------------------------------------------------------------------

typedef struct pixel {
  uint32_t batch, y, x;
} pixel;

// A tap that reaches an output; the next one is a stride further, from the input before.
typedef struct taps {
  uint32_t filter, in;
} taps;

static taps first_tap(const axis *a, uint32_t out) {
  taps t = {(out + a->pad) % a->stride, (out + a->pad) / a->stride};
  if (t.in >= a->in) {
    t.filter += (t.in - (a->in - 1)) * a->stride;
    t.in = a->in - 1;
  }
  return t;
}

// Returns how many taps there are from `t` on.
static uint32_t tap_count(const axis *a, taps t) {
  if (a->in == 0 || t.filter >= a->filter) return 0;
  const uint32_t steps = (a->filter - 1u - t.filter) / a->stride;
  return (steps < t.in ? steps : t.in) + 1;
}

static const uint8_t *input_pixel(const transpose_conv *s, const arn_rows *in, pixel at) {
  const uint32_t bytes = s->depth * arn_type_bytes((arn_type)s->dense.type);
  if (s->y.is_in_rows) return arn_row(in, at.y) + at.x * bytes;
  if (s->x.is_in_rows) return arn_row(in, at.x);
  return arn_row(in, 0) + ((at.batch * s->y.in + at.y) * s->x.in + at.x) * bytes;
}

// What a step computes, and on what.
typedef struct work {
  const transpose_conv *s;
  arn__dense_run run;
  arn_rows in, out;
} work;

static void add_taps(const work *w, arn__dense_block *block, pixel out) {
  const transpose_conv *s = w->s;
  const taps first_y = first_tap(&s->y, out.y), first_x = first_tap(&s->x, out.x);
  const uint32_t count_y = tap_count(&s->y, first_y), count_x = tap_count(&s->x, first_x);
  for (uint32_t j = count_y; j-- > 0;) {
    const uint32_t filter_y = first_y.filter + j * s->y.stride;
    for (uint32_t i = count_x; i-- > 0;) {
      const uint32_t tap = filter_y * s->x.filter + first_x.filter + i * s->x.stride;
      const pixel in = {out.batch, first_y.in - j, first_x.in - i};
      arn__dense_add(&w->run, block, (arn_span){tap * s->depth, s->depth},
                     input_pixel(s, &w->in, in));
    }
  }
}

// Computes a block of channels of a line of `count` output pixels that lie side by side at `to`.
static void compute_line(const work *w, arn__dense_block *block, pixel at, uint32_t count,
                         uint8_t *to) {
  const arn__dense *d = w->run.d;
  const uint32_t es = arn_type_bytes((arn_type)d->type);
  to += block->channels.first * es;
  for (uint32_t i = 0; i < count; i++, at.x++) {
    arn__dense_clear(&w->run, block);
    add_taps(w, block, at);
    arn__dense_finish(&w->run, block, to);
    to += d->channels * es;
  }
}

static void compute_block(const work *w, arn__dense_block *block, arn_span span) {
  const transpose_conv *s = w->s;
  for (uint32_t row = span.first; row < span.first + span.count; row++) {
    uint8_t *to = arn_row(&w->out, row);
    if (s->row_axis == X) {
      compute_line(w, block, (pixel){0, 0, row}, 1, to);
    } else {
      compute_line(w, block, (pixel){row / s->y.out, row % s->y.out, 0}, s->x.out, to);
    }
  }
}

static arn_status eval(const arn_eval *e, const void *state) {
  const transpose_conv *s = state;
  const arn__dense *d = &s->dense;
  const uint32_t es = arn_type_bytes((arn_type)d->type);
  const uint32_t in_pixels = s->y.is_in_rows ? s->x.in : 1;
  const uint32_t out_pixels = s->row_axis == X ? 1 : s->x.out;
  work w = {s,
            {e->op->kinds, d, e->model->bytes, arn_eval_input(e, FILTER, 0),
             arn_eval_in(e, BIAS), 1, false, NULL},
            arn_eval_input(e, INPUT, in_pixels * s->depth * es),
            arn_eval_output(e, 0, out_pixels * d->channels * es)};
  const arn_span span = s->whole_lines ? (arn_span){0, s->whole_lines} : e->span;
  arn__dense_block block;
  arn__dense_set_whole(&w.run.w);
  for (uint32_t c = 0; c < d->channels; c += ARN__DENSE_BLOCK) {
    arn__dense_begin(&w.run, c, &block);
    compute_block(&w, &block, span);
  }
  return ARN_OK;
}

#define RECORD(folds_, kinds_)                                                           \
  {                                                                                      \
    .name = "TRANSPOSE_CONV", .code = 67, .state_bytes = sizeof(transpose_conv),         \
    .types = ARN_TYPE_BIT(ARN_INT32), .folds = (folds_), .kinds = (kinds_),              \
    .prepare = prepare, .rows = rows, .eval = eval,                                      \
  }

const arn_op arn_op_transpose_conv = RECORD(1u << FILTER | 1u << BIAS, &arn__dense_any);
const arn_op arn_op_transpose_conv_int8 = RECORD(0, &arn__dense_int8);
