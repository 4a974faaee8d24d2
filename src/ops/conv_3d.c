// CONV_3D and CONV_3D_TRANSPOSE: an output pixel is the sum, over the taps of the filter, of a
// dense layer (dense.h) over the channels of the input pixel that a tap meets. No scratch.
//
// Along an axis, output o meets with filter tap f the input i where
//   convolution:  o * stride + f * dilation = i + pad
//   transposed:   i * stride + f * dilation = o + pad
// Filters: [taps][in channels][out channels], so a layer by columns; transposed,
// [taps][out channels][in channels]: by rows.
//
// Rows. Where the output's rows are its planes (there are several), a step computes planes and
// reads those of the input that are within the filter's reach. Otherwise the node runs whole.
#include "../graph/rows.h"
#include "arenite/ops.h"
#include "dense.h"

enum { AXES = 3, BATCH = 0, PLANE = 1, CHANNEL = 4, RANK = 5 };
enum { PADDING_SAME = 0, PADDING_VALID = 1 };
enum { OPTION_PADDING = 0, OPTION_ACTIVATION = 4 };
static const uint8_t stride_options[AXES] = {1, 3, 2};    // of planes, lines, pixels
static const uint8_t dilation_options[AXES] = {5, 7, 6};

typedef struct axis {
  uint32_t in, out;
  uint16_t filter, stride, dilation, pad;
} axis;

typedef struct conv_3d {
  axis axes[AXES];       // planes, lines, pixels
  uint32_t depth;        // input channels
  uint32_t whole_planes; // where the node runs whole: planes of all batches; else 0
  uint8_t transposed;
  uint8_t in_planes;     // input rows are its planes
  uint8_t filter_at, in_at;  // inputs of the node
  arn__dense dense;      // a whole filter as a layer; transposed: a tap of it
} conv_3d;

typedef struct tensors {
  arn_tensor in, filter, bias, out;
  bool has_bias;
} tensors;

// ---- prepare ------------------------------------------------------------------------------------

static arn_status read_tensors(const arn_prepare *p, const conv_3d *s, tensors *t) {
  const uint32_t bias = s->transposed ? 3 : 2;
  arn_status status = arn_prepare_counts(p, bias, bias + 1, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, s->in_at, &t->in);
  if (status == ARN_OK) status = arn_prepare_input(p, s->filter_at, &t->filter);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &t->out);
  t->has_bias = arn_prepare_has_input(p, bias);
  if (status == ARN_OK && t->has_bias) status = arn_prepare_input(p, bias, &t->bias);
  return status;
}

static arn_status check_shapes(const arn_prepare *p, const conv_3d *s, const tensors *t) {
  if (t->in.type == ARN_UINT8) return arn_refuse(p, ARN_WHAT_TYPE, &t->in);
  if (t->in.rank != RANK) return arn_refuse(p, ARN_WHAT_RANK, &t->in);
  if (t->filter.rank != RANK) return arn_refuse(p, ARN_WHAT_RANK, &t->filter);
  if (t->out.rank != RANK) return arn_refuse(p, ARN_WHAT_RANK, &t->out);
  const int32_t in_channels = t->filter.dims[s->transposed ? 4 : 3];
  const int32_t out_channels = t->filter.dims[s->transposed ? 3 : 4];
  if (in_channels != t->in.dims[CHANNEL] || in_channels == 0 || out_channels == 0) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &t->filter);
  }
  if (t->filter.type == ARN_INT4 && s->transposed) {
    return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->filter);
  }
  if (t->out.dims[BATCH] != t->in.dims[BATCH] || t->out.dims[CHANNEL] != out_channels) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &t->out);
  }
  return ARN_OK;
}

// Of the two sides of an axis the longer one (of a convolution the input) settles the other.
static arn_status set_padding(const arn_prepare *p, const tensors *t, bool transposed, axis *a) {
  const int32_t padding = arn_option_u8(p, OPTION_PADDING, PADDING_SAME);
  const uint64_t from = transposed ? a->out : a->in, to = transposed ? a->in : a->out;
  const uint64_t reach = (uint64_t)(a->filter - 1u) * a->dilation + 1;
  if (padding > PADDING_VALID) return arn_refuse(p, ARN_WHAT_OPTION, &t->in);
  const uint64_t wanted = padding == PADDING_SAME ? (from + a->stride - 1) / a->stride
                          : from >= reach         ? (from - reach) / a->stride + 1
                                                  : 0;
  if (to != wanted) return arn_refuse(p, ARN_WHAT_SHAPE, &t->out);
  const uint64_t end = to == 0 ? 0 : (to - 1) * a->stride + reach;
  const uint64_t pad = padding == PADDING_SAME && end > from ? (end - from) / 2 : 0;
  if (pad > UINT16_MAX) return arn_refuse(p, ARN_WHAT_STRIDE, &t->filter);
  a->pad = (uint16_t)pad;
  return ARN_OK;
}

static arn_status set_axis(const arn_prepare *p, const tensors *t, uint32_t i, conv_3d *s) {
  axis *a = &s->axes[i];
  const int32_t filter = t->filter.dims[i];
  const int32_t stride = arn_option_i32(p, stride_options[i], 0);
  const int32_t dilation = arn_option_i32(p, dilation_options[i], 1);
  if (stride < 1 || stride > UINT16_MAX || dilation < 1 || dilation > UINT16_MAX || filter < 1 ||
      filter > UINT16_MAX) {
    return arn_refuse(p, ARN_WHAT_STRIDE, &t->filter);
  }
  *a = (axis){(uint32_t)t->in.dims[i + 1], (uint32_t)t->out.dims[i + 1], (uint16_t)filter,
              (uint16_t)stride, (uint16_t)dilation, 0};
  return set_padding(p, t, s->transposed, a);
}

static arn_status set_layer(const arn_prepare *p, const tensors *t, conv_3d *s) {
  const uint32_t taps = (uint32_t)s->axes[0].filter * s->axes[1].filter * s->axes[2].filter;
  const arn__dense_tensors layer = {&arn__dense_any, &t->in, &t->filter, &t->out,
                                    t->has_bias ? &t->bias : NULL,
                                    s->transposed ? 3 : 4,
                                    arn_option_u8(p, OPTION_ACTIVATION, 0), true, false};
  s->depth = (uint32_t)t->in.dims[CHANNEL];
  s->dense.channels = (uint32_t)t->out.dims[CHANNEL];
  s->dense.depth = s->transposed ? s->depth : taps * s->depth;
  return arn__dense_prepare(p, &layer, &s->dense);
}

static void set_rows(arn_prepare *p, const tensors *t, conv_3d *s) {
  const arn__rows_shape in = arn__rows_of(&t->in), out = arn__rows_of(&t->out);
  const bool in_fits = t->in.count > 0 && (in.rows == 1 || in.axis == PLANE);
  const bool w_whole = (t->filter.flags & ARN_TENSOR_CONST) || arn__rows_of(&t->filter).rows == 1;
  s->in_planes = in.rows > 1 && in.axis == PLANE;
  if (out.rows > 1 && out.axis == PLANE && in_fits && w_whole) {
    p->work = ARN_ROWS;
    p->rows = out.rows;
  } else {
    s->whole_planes = (uint32_t)t->out.dims[BATCH] * s->axes[0].out;
  }
}

static arn_status prepare_any(arn_prepare *p, conv_3d *s) {
  tensors t;
  arn_status status = read_tensors(p, s, &t);
  if (status == ARN_OK) status = check_shapes(p, s, &t);
  for (uint32_t i = 0; i < AXES && status == ARN_OK; i++) status = set_axis(p, &t, i, s);
  if (status == ARN_OK) status = set_layer(p, &t, s);
  if (status != ARN_OK) return status;
  set_rows(p, &t, s);
  if (t.out.count == 0) s->dense.channels = 0;  // nothing to do
  p->state_bytes = (uint32_t)offsetof(conv_3d, dense) + arn__dense_state_bytes(&s->dense);
  return ARN_OK;
}

static arn_status prepare(arn_prepare *p, void *state) {
  conv_3d *s = state;
  s->in_at = 0;
  s->filter_at = 1;
  return prepare_any(p, s);
}

static arn_status prepare_transposed(arn_prepare *p, void *state) {
  conv_3d *s = state;
  s->transposed = 1;
  s->filter_at = 1;
  s->in_at = 2;
  return prepare_any(p, s);
}

// Returns the input planes within reach of output planes; at least one.
static arn_span reach_of(const conv_3d *s, arn_span out) {
  const axis *a = &s->axes[0];
  const int64_t reach = (int64_t)(a->filter - 1) * a->dilation;
  const int64_t last = (int64_t)out.first + out.count - 1;
  int64_t low, high;
  if (s->transposed) {
    low = ((int64_t)out.first + a->pad - reach + a->stride - 1) / a->stride;
    high = (last + a->pad) / a->stride;
  } else {
    low = (int64_t)out.first * a->stride - a->pad;
    high = last * a->stride - a->pad + reach;
  }
  if (high >= (int64_t)a->in) high = (int64_t)a->in - 1;
  if (high < 0) high = 0;
  if (low > high) low = high;
  if (low < 0) low = 0;
  return (arn_span){(uint32_t)low, (uint32_t)(high - low) + 1};
}

static void rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const conv_3d *s = state;
  *in = input == s->in_at && s->in_planes ? reach_of(s, out) : (arn_span){0, 1};
}

// ---- eval ---------------------------------------------------------------------------------------

typedef struct work {
  const conv_3d *s;
  arn__dense_run run;
  arn_rows in, out;
} work;

// Returns the input that output `out` meets with filter tap `tap`, or UINT32_MAX.
static uint32_t meet(const axis *a, bool transposed, uint32_t out, uint32_t tap) {
  int64_t i;
  if (transposed) {
    const int64_t at = (int64_t)out + a->pad - (int64_t)tap * a->dilation;
    if (at < 0 || at % a->stride != 0) return UINT32_MAX;
    i = at / a->stride;
  } else {
    i = (int64_t)out * a->stride + (int64_t)tap * a->dilation - a->pad;
  }
  return i >= 0 && i < (int64_t)a->in ? (uint32_t)i : UINT32_MAX;
}

// Adds tap number `tap` over the input pixel at `x`.
static void add_tap(const work *w, arn__dense_block *block, uint32_t tap, const uint8_t *x) {
  const conv_3d *s = w->s;
  if (!s->transposed) {
    arn__dense_add(&w->run, block, (arn_span){tap * s->depth, s->depth}, x);
    return;
  }
  arn__dense_run run = w->run;
  const uint32_t at = tap * s->dense.channels * s->depth;
  run.w.base += at * arn_type_bytes((arn_type)s->dense.w_type);
  arn__dense_add(&run, block, (arn_span){0, s->depth}, x);
}

// Adds the taps of one line of the filter, numbered from `tap` on, over the input line at `line`.
static void add_line(const work *w, arn__dense_block *block, uint32_t out_x, uint32_t tap,
                     const uint8_t *line) {
  const conv_3d *s = w->s;
  const uint32_t pixel_bytes = s->depth * arn_type_bytes((arn_type)s->dense.type);
  for (uint32_t f = 0; f < s->axes[2].filter; f++) {
    const uint32_t x = meet(&s->axes[2], s->transposed, out_x, f);
    if (x != UINT32_MAX) add_tap(w, block, tap + f, line + x * pixel_bytes);
  }
}

// Adds all taps that reach output pixel (batch, at[0..2]).
static void add_taps(const work *w, arn__dense_block *block, uint32_t batch, const uint32_t *at) {
  const conv_3d *s = w->s;
  const axis *planes = &s->axes[0], *lines = &s->axes[1], *pixels = &s->axes[2];
  const uint32_t line_bytes = pixels->in * s->depth * arn_type_bytes((arn_type)s->dense.type);
  for (uint32_t fz = 0; fz < planes->filter; fz++) {
    const uint32_t z = meet(planes, s->transposed, at[0], fz);
    if (z == UINT32_MAX) continue;
    const uint8_t *plane = arn_row(&w->in, batch * planes->in + z);
    for (uint32_t fy = 0; fy < lines->filter; fy++) {
      const uint32_t y = meet(lines, s->transposed, at[1], fy);
      if (y == UINT32_MAX) continue;
      const uint32_t tap = (fz * lines->filter + fy) * pixels->filter;
      add_line(w, block, at[2], tap, plane + y * line_bytes);
    }
  }
}

static void compute_plane(const work *w, arn__dense_block *block, uint32_t row) {
  const conv_3d *s = w->s;
  const uint32_t es = arn_type_bytes((arn_type)s->dense.type);
  const uint32_t batch = row / s->axes[0].out;
  uint32_t at[AXES] = {row % s->axes[0].out, 0, 0};
  uint8_t *out = arn_row(&w->out, row) + block->channels.first * es;
  for (; at[1] < s->axes[1].out; at[1]++) {
    for (at[2] = 0; at[2] < s->axes[2].out; at[2]++) {
      arn__dense_clear(&w->run, block);
      add_taps(w, block, batch, at);
      arn__dense_finish(&w->run, block, out);
      out += s->dense.channels * es;
    }
  }
}

static arn_status eval(const arn_eval *e, const void *state) {
  const conv_3d *s = state;
  const arn__dense *d = &s->dense;
  const uint32_t es = arn_type_bytes((arn_type)d->type);
  const uint32_t in_plane = s->axes[1].in * s->axes[2].in * s->depth;
  const uint32_t out_plane = s->axes[1].out * s->axes[2].out * d->channels;
  work w = {s,
            {&arn__dense_any, d, e->model->bytes, arn_eval_input(e, s->filter_at, 0),
             arn_eval_in(e, s->transposed ? 3 : 2), 1, !s->transposed, NULL},
            arn_eval_input(e, s->in_at, in_plane * es),
            arn_eval_output(e, 0, out_plane * es)};
  const arn_span span = s->whole_planes ? (arn_span){0, s->whole_planes} : e->span;
  arn__dense_block block;
  arn__dense_set_whole(&w.run.w);
  for (uint32_t c = 0; c < d->channels; c += ARN__DENSE_BLOCK) {
    arn__dense_begin(&w.run, c, &block);
    for (uint32_t i = 0; i < span.count; i++) compute_plane(&w, &block, span.first + i);
  }
  return ARN_OK;
}

const arn_op arn_op_conv_3d = {
    .name = "CONV_3D",
    .code = 132,
    .state_bytes = sizeof(conv_3d),
    .types = ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_INT16),
    .folds = 1u << 1 | 1u << 2,
    .prepare = prepare,
    .rows = rows,
    .eval = eval,
};

const arn_op arn_op_conv_3d_transpose = {
    .name = "CONV_3D_TRANSPOSE",
    .code = 141,
    .state_bytes = sizeof(conv_3d),
    .types = ARN_TYPE_BIT(ARN_INT32),
    .folds = 1u << 1 | 1u << 3,
    .prepare = prepare_transposed,
    .rows = rows,
    .eval = eval,
};
