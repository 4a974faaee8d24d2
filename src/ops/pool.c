// AVERAGE_POOL_2D, MAX_POOL_2D, L2_POOL_2D: a window slides over the rows and columns of an image.
//
// Rows: an output row reads the input rows under its window. Where the windows of all outputs cover
// the same rows (global pooling, and any other single output row) the node is a fold: input rows
// come one at a time into an accumulator per output. An image of one row ([1,1,W,C]) has its
// columns for rows, so the two axes change places.
//
// Outputs are computed in blocks of pixels whose accumulators fit a small buffer on the stack.
// Pixels whose window is not cut by the left or right border go to the kernel together.
#include "arenite/ops.h"
#include "quantised.h"
#include "reducer.h"

// Fields of Pool2DOptions.
enum {
  OPTION_PADDING = 0,
  OPTION_STRIDE_W = 1,
  OPTION_STRIDE_H = 2,
  OPTION_FILTER_W = 3,
  OPTION_FILTER_H = 4,
  OPTION_ACTIVATION = 5,
};
enum { PADDING_SAME = 0, PADDING_VALID = 1 };

// One of the two axes that the window slides along.
typedef struct axis {
  uint32_t size, out;       // of the input, of the output
  uint16_t filter, stride;
} axis;

typedef struct pool_state {
  axis y, x;         // y: along the rows
  uint16_t pad_y, pad_x;  // before the first element
  uint32_t channels;
  uint32_t batches;
  union {
    arn__clamp_f32 f32;
    struct {
      int16_t low, high;
    } s16;
  } clamp;
  uint8_t type;
  uint8_t by_rows;   // else one step computes all
  uint8_t folds;
  uint8_t spare;
} pool_state;

// Returns the elements that the window of output `i` covers.
static arn_span window(const axis *a, uint32_t pad, uint32_t i) {
  const uint32_t start = i * a->stride, end = start + a->filter - pad;
  const uint32_t first = start > pad ? start - pad : 0;
  return (arn_span){first, (end < a->size ? end : a->size) - first};
}

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

// ---- prepare ------------------------------------------------------------------------------------

// Elements that padding adds before the first one.
static uint32_t pad_before(const axis *a, int32_t padding) {
  if (padding != PADDING_SAME || a->size == 0) return 0;
  const uint32_t reach = (a->size - 1) / a->stride * a->stride + a->filter;
  return reach > a->size ? (reach - a->size) / 2 : 0;
}

// The output's size is the file's: beyond that of VALID padding, windows are cut at the far border,
// as the reference does. But each window must hold something.
static arn_status check_size(const arn_prepare *p, const axis *a, uint32_t pad,
                             const arn_tensor *out) {
  if (a->out == 0) return ARN_OK;
  const uint64_t last = (uint64_t)(a->out - 1) * a->stride;
  return last < (uint64_t)a->size + pad ? ARN_OK : arn_refuse_model(p, ARN_WHAT_SHAPE, out);
}

// Reads what is along dimension `dim` of both tensors.
static arn_status read_axis(const arn_prepare *p, const arn_tensor *in, const arn_tensor *out,
                            uint32_t dim, axis *a) {
  const bool high = dim == 1;
  const int32_t filter = arn_option_i32(p, high ? OPTION_FILTER_H : OPTION_FILTER_W, 0);
  const int32_t stride = arn_option_i32(p, high ? OPTION_STRIDE_H : OPTION_STRIDE_W, 0);
  if (filter < 1 || stride < 1) return arn_refuse_model(p, ARN_WHAT_STRIDE, NULL);
  if (filter > UINT16_MAX || stride > UINT16_MAX) return arn_refuse(p, ARN_WHAT_STRIDE, NULL);
  a->size = (uint32_t)in->dims[dim];
  a->out = (uint32_t)out->dims[dim];
  a->filter = (uint16_t)filter;
  a->stride = (uint16_t)stride;
  return ARN_OK;
}

static arn_status read_shapes(const arn_prepare *p, pool_state *s, const arn_tensor *in,
                              const arn_tensor *out) {
  const int32_t padding = arn_option_u8(p, OPTION_PADDING, PADDING_SAME);
  if (padding > PADDING_VALID) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  if (in->rank != 4) return arn_refuse_model(p, ARN_WHAT_RANK, in);
  if (out->rank != 4) return arn_refuse_model(p, ARN_WHAT_RANK, out);
  if (in->dims[0] != out->dims[0] || in->dims[3] != out->dims[3]) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  }
  s->batches = (uint32_t)in->dims[0];
  s->channels = (uint32_t)in->dims[3];
  arn_status status = read_axis(p, in, out, 1, &s->y);
  if (status == ARN_OK) status = read_axis(p, in, out, 2, &s->x);
  if (status != ARN_OK) return status;
  s->pad_y = (uint16_t)pad_before(&s->y, padding);
  s->pad_x = (uint16_t)pad_before(&s->x, padding);
  status = check_size(p, &s->y, s->pad_y, out);
  return status == ARN_OK ? check_size(p, &s->x, s->pad_x, out) : status;
}

// Decides how the node may be cut.
static void set_rows(arn_prepare *p, pool_state *s, uint32_t out_bytes) {
  if (s->batches != 1 || out_bytes == 0 || (s->y.size == 1 && s->y.out != 1)) return;
  s->by_rows = 1;
  if (s->y.size == 1) {
    const axis across = s->y;
    const uint16_t pad = s->pad_y;
    s->y = s->x;
    s->x = across;
    s->pad_y = s->pad_x;
    s->pad_x = pad;
  }
  p->rows = s->y.out;
  p->work = ARN_ROWS;
  if (p->rows > 1 || s->y.size == 1) return;
  p->rows = s->y.size;
  p->work = ARN_FOLD;
  p->fold_bytes = out_bytes;
  s->folds = 1;
}

// Values keep their scale. The reference allows scales to differ by 1e-6; we also want that to be
// little against the scales themselves.
static arn_status check_same_scale(const arn_prepare *p, const arn_tensor *in,
                                   const arn_tensor *out) {
  const float a = arn_tensor_scale(p->model, in, 0), b = arn_tensor_scale(p->model, out, 0);
  const float distance = a > b ? a - b : b - a;
  if (!(distance <= 1e-6f && distance * 256.0f <= a)) {
    return arn_refuse(p, ARN_WHAT_QUANTISATION, out);
  }
  if (arn_tensor_zero(p->model, in, 0) != arn_tensor_zero(p->model, out, 0)) {
    return arn_refuse(p, ARN_WHAT_ZERO_POINT, out);
  }
  return ARN_OK;
}

static arn_status set_clamp(const arn_prepare *p, pool_state *s, const arn_tensor *in,
                            const arn_tensor *out) {
  const int32_t activation = arn_option_u8(p, OPTION_ACTIVATION, ARN__ACTIVATION_NONE);
  if (in->type == ARN_FLOAT32) return arn__quantised_clamp_float(p, activation, &s->clamp.f32);
  arn__clamp clamp = arn__quantised_range(in->type);
  arn_status status = check_same_scale(p, in, out);
  if (status == ARN_OK && activation != ARN__ACTIVATION_NONE) {
    float scale;
    int32_t zero;
    status = arn__quantised_read(p, out, &scale, &zero);
    if (status == ARN_OK) {
      status = arn__quantised_clamp(p, activation, out, scale, zero, &clamp);
    }
  }
  s->clamp.s16.low = (int16_t)clamp.low;
  s->clamp.s16.high = (int16_t)clamp.high;
  return status;
}

static arn_status prepare_pool(arn_prepare *p, pool_state *s, uint32_t acc_bytes) {
  arn_tensor in, out;
  memset(s, 0, sizeof *s);
  arn_status status = arn_prepare_counts(p, 1, 1, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, 0, &in);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &out);
  if (status != ARN_OK) return status;
  if (!(p->op->types & ARN_TYPE_BIT(in.type))) return arn_refuse(p, ARN_WHAT_TYPE, &in);
  if (in.type != out.type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &out);
  s->type = in.type;
  status = read_shapes(p, s, &in, &out);
  if (status == ARN_OK) status = set_clamp(p, s, &in, &out);
  if (status != ARN_OK) return status;
  set_rows(p, s, out.count * (acc_bytes ? acc_bytes : arn_type_bytes((arn_type)in.type)));
  return ARN_OK;
}

static arn_status prepare_average(arn_prepare *p, void *state) {
  pool_state *s = state;
  const arn_status status = prepare_pool(p, s, 4);
  if (status != ARN_OK || s->type == ARN_FLOAT32) return status;
  // Sums must stay below 2^30.
  const uint64_t most = s->type == ARN_INT16 ? 1u << 15 : s->type == ARN_INT8 ? 1u << 7 : 1u << 8;
  const uint64_t area = (uint64_t)smaller(s->y.filter, s->y.size) *
                        smaller(s->x.filter, s->x.size);
  return area * most > 1u << 30 ? arn_refuse(p, ARN_WHAT_LIMIT, NULL) : ARN_OK;
}

static arn_status prepare_plain(arn_prepare *p, void *state) {
  return prepare_pool(p, state, 0);
}

static void rows_window(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const pool_state *s = state;
  (void)input;
  *in = (arn_span){0, 0};
  if (out.count == 0) return;
  const arn_span from = window(&s->y, s->pad_y, out.first);
  const arn_span to = window(&s->y, s->pad_y, out.first + out.count - 1);
  *in = (arn_span){from.first, to.first + to.count - from.first};
}

// ---- eval ---------------------------------------------------------------------------------------

// What one eval works on.
typedef struct job {
  const pool_state *state;
  const arn__reducer *how;
  arn_rows in, out;
  arn__reduce_finish finish;
  uint32_t inside_first, inside_end;  // output columns whose window lies inside the image
  uint32_t in_base, out_row, height;  // of the output row being computed
  uint8_t *fold;                      // accumulators kept between steps, or NULL
  bool begins, ends;
} job;

// Accumulators of `pixels` output pixels from column `x` on, `channels` each, of channels from
// `channel` on. More than one pixel only where all channels are there.
typedef struct block {
  uint32_t x, pixels, channel, channels;
} block;

// Returns how many of `pixels` pixels from column `x` on have a window of the same shape as the
// first.
static uint32_t alike(const job *j, uint32_t x, uint32_t pixels) {
  if (x < j->inside_first || x >= j->inside_end) return 1;
  return smaller(pixels, j->inside_end - x);
}

// Folds one input row into a block.
static void fold_row(const job *j, const block *b, const uint8_t *row, uint8_t *acc) {
  const pool_state *s = j->state;
  uint32_t now;
  for (uint32_t i = 0; i < b->pixels; i += now) {
    now = alike(j, b->x + i, b->pixels - i);
    const arn_span columns = window(&s->x, j->state->pad_x, b->x + i);
    const arn__reduce_box box = {.outer = now,
                                 .outer_stride = s->x.stride * s->channels,
                                 .rows = columns.count,
                                 .row_stride = s->channels,
                                 .inner = b->channels,
                                 .run = 1};
    j->how->fold(acc, row + (columns.first * s->channels + b->channel) * j->how->in_bytes, &box);
    acc += now * b->channels * j->how->acc_bytes;
  }
}

// Where output pixel `x` of the row goes. The single output row of a fold ([1,1,W,C]) has pixels
// for rows.
static uint8_t *out_at(const job *j, uint32_t x, uint32_t channel) {
  const uint32_t channels = j->state->channels, bytes = j->how->in_bytes;
  if (j->state->folds) return arn_row(&j->out, x) + channel * bytes;
  return arn_row(&j->out, j->out_row) + (x * channels + channel) * bytes;
}

static void store_block(job *j, const block *b, const uint8_t *acc) {
  uint32_t now;
  for (uint32_t i = 0; i < b->pixels; i += now) {
    now = j->state->folds ? 1 : alike(j, b->x + i, b->pixels - i);
    const uint32_t columns = window(&j->state->x, j->state->pad_x, b->x + i).count;
    j->finish.count = (int32_t)(j->height * columns);
    j->how->store(out_at(j, b->x + i, b->channel), acc, now * b->channels, &j->finish);
    acc += now * b->channels * j->how->acc_bytes;
  }
}

// Steps through the blocks of an output row: as many whole pixels as `most` accumulators hold, or
// parts of one pixel. Begin with a zeroed block.
static bool next_block(const job *j, block *b, uint32_t most) {
  const uint32_t channels = j->state->channels;
  b->channel += b->channels;
  if (b->channel == channels) {
    b->channel = 0;
    b->x += b->pixels;
  }
  if (channels == 0 || b->x >= j->state->x.out) return false;
  b->channels = smaller(channels - b->channel, most);
  b->pixels = channels > most ? 1 : smaller(j->state->x.out - b->x, most / channels);
  return true;
}

// Folds input rows (of the window of one output row) into the output row.
static void run_row(job *j, arn_span rows) {
  arn__reducer_block local;
  block b = {0, 0, 0, 0};
  while (next_block(j, &b, ARN__REDUCER_BLOCK_BYTES / j->how->acc_bytes)) {
    const uint32_t first = b.x * j->state->channels + b.channel;
    uint8_t *acc = j->fold ? j->fold + first * j->how->acc_bytes : (uint8_t *)&local;
    if (j->begins) arn__reducer_clear(j->how, acc, b.pixels * b.channels);
    for (uint32_t r = 0; r < rows.count; r++) {
      fold_row(j, &b, arn_row(&j->in, j->in_base + rows.first + r), acc);
    }
    if (j->ends) store_block(j, &b, acc);
  }
}

// Output row `row` of the tensor, counted over all batches.
static void run_rows(job *j, uint32_t row) {
  const axis *y = &j->state->y;
  const arn_span rows = window(y, j->state->pad_y, row % y->out);
  j->in_base = row / y->out * y->size;
  j->out_row = row;
  j->height = rows.count;
  run_row(j, rows);
}

static void run_fold(job *j, arn_span span) {
  const arn_span rows = window(&j->state->y, j->state->pad_y, 0);
  const uint32_t end = smaller(span.first + span.count, rows.first + rows.count);
  const uint32_t first = span.first > rows.first ? span.first : rows.first;
  j->height = rows.count;
  j->begins = span.first == 0;
  j->ends = span.first + span.count == j->state->y.size;
  run_row(j, (arn_span){first, end > first ? end - first : 0});
}

static void job_open(job *j, const arn_eval *e, const pool_state *s) {
  const arn__reducer *list = arn__reducer_find(e->op->kinds, s->type);
  const uint32_t pixel_bytes = s->channels * list->in_bytes, reach = s->x.size + s->pad_x;
  *j = (job){.state = s, .how = list, .begins = true, .ends = true};
  j->in = arn_eval_input(e, 0, s->x.size * pixel_bytes);
  j->out = arn_eval_output(e, 0, (s->folds ? 1 : s->x.out) * pixel_bytes);
  j->inside_first = (s->pad_x + s->x.stride - 1u) / s->x.stride;
  j->inside_end = reach < s->x.filter ? 0 : (reach - s->x.filter) / s->x.stride + 1;
  j->fold = e->fold;
  if (s->type == ARN_FLOAT32) {
    j->finish.low = s->clamp.f32.low;
    j->finish.high = s->clamp.f32.high;
  } else {
    j->finish.clamp = (arn__clamp){s->clamp.s16.low, s->clamp.s16.high};
  }
}

static arn_status eval(const arn_eval *e, const void *state) {
  const pool_state *s = state;
  job j;
  job_open(&j, e, s);
  if (s->folds) {
    run_fold(&j, e->span);
    return ARN_OK;
  }
  const arn_span rows = s->by_rows ? e->span : (arn_span){0, s->batches * s->y.out};
  for (uint32_t r = 0; r < rows.count; r++) run_rows(&j, rows.first + r);
  return ARN_OK;
}

// ---- records ------------------------------------------------------------------------------------

// `kinds` of a record: its list, one entry a type.
static const arn__reducer average[] = {
    {arn__reduce_add_u8, arn__reduce_average_8, 0, ARN_UINT8, 1, 4, 1},
    {arn__reduce_add_s16, arn__reduce_average_16, 0, ARN_INT16, 2, 4, 2},
    {arn__reduce_add_f32, arn__reduce_average_f32, 0, ARN_FLOAT32, 4, 4, 4},
    {arn__reduce_add_s8, arn__reduce_average_8, 0, ARN_INT8, 1, 4, 1},
};
static const arn__reducer average_int8[] = {
    {arn__reduce_add_s8, arn__reduce_average_8, 0, ARN_INT8, 1, 4, 1},
};
static const arn__reducer largest[] = {
    {arn__reduce_max_u8, arn__reduce_clamp_u8, 0, ARN_UINT8, 1, 1, 1},
    {arn__reduce_max_s16, arn__reduce_clamp_s16, 0x8000, ARN_INT16, 2, 2, 2},
    {arn__reduce_max_f32, arn__reduce_clamp_f32, 0xFF7FFFFF, ARN_FLOAT32, 4, 4, 4},
    {arn__reduce_max_s8, arn__reduce_clamp_s8, 0x80, ARN_INT8, 1, 1, 1},
};
static const arn__reducer largest_int8[] = {
    {arn__reduce_max_s8, arn__reduce_clamp_s8, 0x80, ARN_INT8, 1, 1, 1},
};
static const arn__reducer square[] = {
    {arn__reduce_square_f32, arn__reduce_root_f32, 0, ARN_FLOAT32, 4, 4, 4},
};

#define ALL_TYPES                                                                        \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |        \
   ARN_TYPE_BIT(ARN_INT16))

#define RECORD(name_, code_, types_, kinds_, prepare_)                                   \
  {                                                                                      \
    .name = (name_), .code = (code_), .state_bytes = sizeof(pool_state),                 \
    .types = (types_), .kinds = (kinds_), .prepare = (prepare_), .rows = rows_window,    \
    .eval = eval,                                                                        \
  }

const arn_op arn_op_average_pool_2d =
    RECORD("AVERAGE_POOL_2D", 1, ALL_TYPES, average, prepare_average);
const arn_op arn_op_average_pool_2d_int8 =
    RECORD("AVERAGE_POOL_2D", 1, ARN_TYPE_BIT(ARN_INT8), average_int8, prepare_average);
const arn_op arn_op_max_pool_2d = RECORD("MAX_POOL_2D", 17, ALL_TYPES, largest, prepare_plain);
const arn_op arn_op_max_pool_2d_int8 =
    RECORD("MAX_POOL_2D", 17, ARN_TYPE_BIT(ARN_INT8), largest_int8, prepare_plain);
const arn_op arn_op_l2_pool_2d =
    RECORD("L2_POOL_2D", 12, ARN_TYPE_BIT(ARN_FLOAT32), square, prepare_plain);
