#include "conv_parts.h"

enum { INPUT = ARN__CONV_INPUT, FILTER = ARN__CONV_FILTER, BIAS = ARN__CONV_BIAS };

typedef arn__conv_run run;

static bool is_float(const arn__conv_state *s) { return s->kind >= ARN__CONV_F32; }

static uint32_t element_bytes(const arn__conv_state *s) {
  if (is_float(s)) return 4;
  return s->kind == ARN__CONV_S16 ? 2 : 1;
}

// ---- what all rows and blocks share -------------------------------------------------------------

static void set_conv(run *r) {
  const arn__conv_state *s = r->s;
  const uint32_t taps = (uint32_t)s->kernel_height * s->kernel_width;
  r->conv = (arn__conv){
      .in_width = s->in_width, .in_channels = s->in_channels, .out_channels = s->out_channels,
      .group = s->group, .kernel_width = s->kernel_width, .stride = s->stride_along,
      .dilation = s->dilation_along, .pad = s->pad_left, .filter_type = s->filter_type,
      .wide_bias = s->bias_type == ARN_INT64};
  r->conv.filter_step = taps * s->group;
  r->conv.filter_count = taps * s->out_channels * (r->kinds->depthwise ? 1u : s->group);
  if (is_float(s)) {
    r->kinds->real->begin(r);
    return;
  }
  r->conv.in_zero = s->with.integer.in_zero;
  r->conv.out_zero = s->with.integer.out_zero;
  r->conv.filter_zero = s->with.integer.filter_zero;
  r->conv.clamp = (arn__clamp){s->with.integer.low, s->with.integer.high};
  // With an int32 bias, the reference's CONV_2D sums and rounds 32 bits.
  r->conv.wide_sums = r->conv.wide_bias || r->kinds->depthwise;
}

static void set_tensors(run *r) {
  const arn__conv_state *s = r->s;
  const uint32_t bytes = element_bytes(s);
  const uint32_t out_pixel = s->out_channels * bytes;
  const bool by_pixels = s->flags & ARN__CONV_BY_PIXELS;
  r->in = arn_eval_input(r->e, INPUT, (uint32_t)s->in_width * s->in_channels * bytes);
  r->out = arn_eval_output(r->e, 0, by_pixels ? out_pixel : s->out_width * out_pixel);
  r->filter = arn_eval_in(r->e, FILTER);
  r->bias = arn_eval_in(r->e, BIAS);
}

// ---- a block of channels ------------------------------------------------------------------------

static void set_requant(run *r, uint32_t first, uint32_t count) {
  const arn__conv_scale *scale = &r->s->with.integer.scale;
  // Kernels finish whole vectors of channels, and keep those that there are.
  for (uint32_t c = count; c < ARN__CONV_CHANNELS && c % ARN__CONV_LANES != 0; c++) {
    r->data.requant[c] = (arn__requant){0, 0};
  }
  if (!(r->s->flags & ARN__CONV_BY_CHANNEL)) {
    for (uint32_t c = 0; c < count; c++) r->data.requant[c] = scale->one;
    return;
  }
  const bool regular = r->s->flags & ARN__CONV_REGULAR;
  const arn__requant_source source = {
      .scales_at = scale->channels.scales_at,
      .step = regular ? ARN__REQUANT_REGULAR : ARN__REQUANT_ANY,
      .in_scale = scale->channels.in_scale,
      .out_scale = scale->channels.out_scale, .ratio_high = scale->channels.ratio_high,
      .ratio_low = scale->channels.ratio_low, .ratio_exponent = scale->channels.ratio_exponent,
      .one = {0, 0}};
  arn__requant_fill(&source, r->e->model->bytes, first, count, r->data.requant);
}

static void set_filter(run *r, arn__conv_block *b) {
  b->filter = r->filter;
  b->filter_at = r->kinds->depthwise ? b->first : b->first * r->conv.filter_step;
  if (!(r->s->flags & ARN__CONV_SPARSE)) return;
  b->filter = r->e->scratch;
  if (r->kinds->depthwise) return;
  r->kinds->sparse->decode(r, b->first, b->count);
  b->filter_at = 0;
  r->conv.filter_count = b->count * r->conv.filter_step;
}

static arn__conv_block make_block(run *r, uint32_t first, uint32_t count) {
  arn__conv_block b = {.first = first, .count = count, .in_first = 0, .filter = NULL,
                       .filter_at = 0, .bias = NULL, .requant = NULL, .scale = NULL};
  if (r->group_out < r->s->out_channels) b.in_first = first / r->group_out * r->s->group;
  set_filter(r, &b);
  if (is_float(r->s)) {
    r->kinds->real->block(r, &b);
  } else {
    set_requant(r, first, count);
    b.requant = r->data.requant;
    if (r->bias) b.bias = (const uint8_t *)r->bias + first * (r->conv.wide_bias ? 8u : 4u);
  }
  return b;
}

// ---- rows ---------------------------------------------------------------------------------------

// Sets the input rows of image row `y` of a batch whose first input row is `top`.
static void set_window(const run *r, int32_t y, uint32_t top, arn__conv_row *row) {
  const arn__conv_state *s = r->s;
  const int32_t step = s->dilation_down, height = s->in_height;
  const int32_t origin = y * s->stride_down - s->pad_top;
  const int32_t skipped = origin < 0 ? (step - 1 - origin) / step : 0;
  const int32_t first = origin + skipped * step;
  const int32_t most = s->kernel_height - skipped;
  int32_t count = most;
  if (first + (most - 1) * step >= height) {
    count = first < height ? (height - 1 - first) / step + 1 : 0;
  }
  row->kernel_row = (uint32_t)skipped;
  row->first = top + (uint32_t)first;
  row->step = (uint32_t)step;
  row->count = count > 0 ? (uint32_t)count : 0;
}

// All output rows of a step are pixels that share their input rows.
static void compute_pixels(const run *r, const arn__conv_block *b) {
  const arn_span span = r->e->span;
  arn__conv_row row = {.input = r->in};
  set_window(r, 0, 0, &row);
  row.columns = r->out.table ? 1 : span.count;
  for (uint32_t i = 0; i < span.count; i += row.columns) {
    row.column = span.first + i;
    row.out = arn_row(&r->out, row.column);
    r->kernel(&r->conv, &row, b);
  }
}

// An image one pixel wide, all in one piece, is as well a row of pixels: its windows then share a
// call.
static bool is_line(const run *r) {
  const arn__conv_state *s = r->s;
  return s->in_width == 1 && s->out_width == 1 && s->kernel_width == 1 &&
         !(s->flags & ARN__CONV_WHOLE) && r->in.table == NULL && r->out.table == NULL &&
         r->e->span.count > 1;
}

static void set_line(run *r) {
  const arn__conv_state *s = r->s;
  r->conv.in_width = s->in_height;
  r->conv.kernel_width = s->kernel_height;
  r->conv.stride = s->stride_down;
  r->conv.dilation = s->dilation_down;
  r->conv.pad = s->pad_top;
}

static void compute_line(const run *r, const arn__conv_block *b) {
  const arn__conv_row row = {.input = r->in, .first = 0, .step = 1, .count = 1, .kernel_row = 0,
                             .column = r->e->span.first, .columns = r->e->span.count,
                             .out = arn_row(&r->out, r->e->span.first)};
  r->kernel(&r->conv, &row, b);
}

// Rows whose windows are single pixels, all in one piece, are as well one long row.
static bool is_flat(const run *r) {
  const arn__conv_state *s = r->s;
  return s->kernel_height == 1 && s->kernel_width == 1 && s->stride_down == 1 &&
         s->stride_along == 1 && s->pad_top == 0 && s->pad_left == 0 &&
         s->in_height == s->out_height && s->in_width == s->out_width &&
         !(s->flags & ARN__CONV_BY_PIXELS) && r->in.table == NULL && r->out.table == NULL;
}

static arn_span rows_of(const run *r) {
  const arn__conv_state *s = r->s;
  if (!(s->flags & ARN__CONV_WHOLE)) return r->e->span;
  return (arn_span){0, (uint32_t)s->batch * s->out_height};
}

static void compute_flat(const run *r, const arn__conv_block *b) {
  const arn_span rows = rows_of(r);
  const arn__conv_row row = {.input = r->in, .first = rows.first, .step = 1, .count = 1,
                             .kernel_row = 0, .column = 0,
                             .columns = rows.count * r->s->out_width,
                             .out = arn_row(&r->out, rows.first)};
  r->kernel(&r->conv, &row, b);
}

static void compute_rows(const run *r, const arn__conv_block *b) {
  const arn__conv_state *s = r->s;
  const bool whole = s->flags & ARN__CONV_WHOLE;
  const arn_span rows = rows_of(r);
  arn__conv_row row;  // set_window() sets the others
  row.input = r->in;
  row.column = 0;
  row.columns = s->out_width;
  uint32_t top = 0, y = rows.first;
  for (uint32_t i = 0; i < rows.count; i++, y++) {
    if (whole && y == s->out_height) {
      y = 0;
      top += s->in_height;
    }
    set_window(r, (int32_t)y, top, &row);
    row.out = arn_row(&r->out, rows.first + i);
    r->kernel(&r->conv, &row, b);
  }
}

// Channels that a block from `first` on may have: those of one group.
static uint32_t block_count(const run *r, uint32_t first) {
  uint32_t left = r->s->out_channels - first, most = ARN__CONV_CHANNELS;
  if (r->kinds->depthwise) most = ARN__DEPTHWISE_CHANNELS;
  else if (r->s->flags & ARN__CONV_SPARSE) most = ARN__CONV_SPARSE_CHANNELS;
  if (r->group_out < r->s->out_channels) left = r->group_out - first % r->group_out;
  return left < most ? left : most;
}

static void set_groups(run *r) {
  const arn__conv_state *s = r->s;
  r->group_out = s->out_channels;
  if (!r->kinds->depthwise && s->group < s->in_channels) {
    r->group_out = (uint32_t)s->out_channels / ((uint32_t)s->in_channels / s->group);
  }
}

arn_status arn__conv_eval(const arn_eval *e, const void *state) {
  const arn__conv_state *s = state;
  const arn__conv_kinds *kinds = e->op->kinds;
  run r;
  r.e = e;
  r.s = s;
  r.kinds = kinds;
  r.kernel = kinds->rows[s->kind];
  set_groups(&r);
  set_conv(&r);
  set_tensors(&r);
  const bool line = is_line(&r), flat = is_flat(&r);
  if (line) set_line(&r);
  if (flat) r.conv.in_width *= (int32_t)rows_of(&r).count;
  if (kinds->depthwise && (s->flags & ARN__CONV_SPARSE)) kinds->sparse->decode(&r, 0, 1);
  for (uint32_t c = 0, count; c < s->out_channels; c += count) {
    count = block_count(&r, c);
    const arn__conv_block b = make_block(&r, c, count);
    if (line) compute_line(&r, &b);
    else if (flat) compute_flat(&r, &b);
    else if (s->flags & ARN__CONV_BY_PIXELS) compute_pixels(&r, &b);
    else compute_rows(&r, &b);
  }
  return ARN_OK;
}
