// SPACE_TO_BATCH_ND and BATCH_TO_SPACE_ND, of one or two dimensions of space: pixels dealt out to
// batches, every so many pixels to the same one, and collected again. Block shape and paddings
// (crops) may come at run time, as converters compute them for dilated convolutions.
//
// Both tensors are taken as lines: [batch][height][width] of `unit` bytes. A line of batches comes
// from every block.x-th pixel of a line of space.
#include "movement.h"
#include "quantised.h"

typedef struct plane {
  uint32_t batches, height, width;
} plane;

typedef struct batch_state {
  plane space, batch;   // the two tensors
  uint32_t unit;        // bytes of a pixel
  uint32_t in_rows, out_rows;
  int32_t zero;         // what stands for 0, of 1, 2 or 4 bytes; of wider ones it is 0
  uint8_t element;
  uint8_t block_type, pads_type;
  uint8_t spatial;      // dimensions of space: 1 (then height is 1) or 2
} batch_state;

// The block, and what is added in front (behind is what the shapes leave).
typedef struct layout {
  uint32_t block_y, block_x, top, left;
} layout;

// ---- block and paddings -------------------------------------------------------------------------

// Checks one dimension: space + before + after must be `size` blocks. Both inputs are hostile.
static bool dim_fits(int64_t block, int64_t before, int64_t after, int64_t space, int64_t batch) {
  if (block < 1 || before < 0 || after < 0) return false;
  return space + before + after == batch * block;
}

// Says whether the batches are those of space, times the block.
static bool has_batches(const batch_state *s, const void *block) {
  int64_t batches = s->space.batches;
  for (uint32_t i = 0; i < s->spatial; i++) {
    batches *= arn__index_at(block, s->block_type, i);
    if (batches < 0 || batches > s->batch.batches) return false;
  }
  return batches == s->batch.batches;
}

// Reads block shape and paddings (of BATCH_TO_SPACE_ND: crops, which are the paddings of the way
// back); false where they do not fit the shapes.
static bool read_layout(const batch_state *s, const void *block, const void *pads, layout *l) {
  int32_t size[2] = {1, 1}, before[2] = {0, 0}, after[2] = {0, 0};
  const uint32_t first = 2u - s->spatial;
  for (uint32_t i = 0; i < s->spatial; i++) {
    size[first + i] = arn__index_at(block, s->block_type, i);
    before[first + i] = arn__index_at(pads, s->pads_type, 2 * i);
    after[first + i] = arn__index_at(pads, s->pads_type, 2 * i + 1);
  }
  if (!dim_fits(size[0], before[0], after[0], s->space.height, s->batch.height)) return false;
  if (!dim_fits(size[1], before[1], after[1], s->space.width, s->batch.width)) return false;
  *l = (layout){(uint32_t)size[0], (uint32_t)size[1], (uint32_t)before[0], (uint32_t)before[1]};
  return has_batches(s, block);
}

// ---- prepare ------------------------------------------------------------------------------------

static uint32_t lines_of(const plane *of) { return of->batches * of->height; }

static plane plane_of(const arn_tensor *t, uint32_t spatial) {
  const uint32_t height = spatial == 2 ? (uint32_t)t->dims[1] : 1;
  return (plane){(uint32_t)t->dims[0], height, (uint32_t)t->dims[spatial]};
}

// Returns the rows of a tensor if they are lines; 1 if it has one row; 0 if it has other rows.
static uint32_t line_rows(const arn_tensor *t, uint32_t spatial) {
  const arn__rows_shape shape = arn__rows_of(t);
  if (shape.rows == 1) return 1;
  return spatial == 2 && shape.axis == 1 && arn__movement_rows(t) > 1 ? shape.rows : 0;
}

static void choose_rows(arn_prepare *p, batch_state *s, const arn_tensor *in,
                        const arn_tensor *out) {
  s->in_rows = line_rows(in, s->spatial);
  s->out_rows = line_rows(out, s->spatial);
  const bool by_rows = s->in_rows > 0 && s->out_rows > 0;
  if (!by_rows) s->in_rows = s->out_rows = 1;
  p->work = by_rows ? ARN_ROWS : ARN_WHOLE;
  p->rows = s->out_rows;
}

static arn_status read_zero(const arn_prepare *p, const arn_tensor *out, int32_t *zero) {
  const arn__clamp range = arn__quantised_range(out->type);
  const int64_t value = arn_tensor_zero(p->model, out, 0);
  if (out->zero_count == 0 || arn_type_bytes((arn_type)out->type) > 2) return ARN_OK;
  if (value < range.low || value > range.high) return arn_refuse_model(p, ARN_WHAT_ZERO_POINT, out);
  *zero = (int32_t)value;
  return ARN_OK;
}

// The dimensions behind space must agree.
static bool same_pixels(const arn_tensor *a, const arn_tensor *b, uint32_t spatial) {
  if (a->rank != b->rank) return false;
  for (uint32_t i = spatial + 1; i < a->rank; i++) {
    if (a->dims[i] != b->dims[i]) return false;
  }
  return true;
}

static arn_status prepare_batches(arn_prepare *p, batch_state *s, bool to_batch) {
  arn_tensor in, out;
  arn__index block, pads;
  layout l;
  ARN__TRY(arn_prepare_counts(p, 3, 3, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__movement_index(p, 1, &block));
  ARN__TRY(arn__movement_index(p, 2, &pads));
  if (block.count < 1 || block.count > 2) return arn_refuse(p, ARN_WHAT_RANK, &in);
  if (pads.count != 2 * block.count || in.rank <= block.count ||
      !same_pixels(&in, &out, block.count)) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  s->spatial = (uint8_t)block.count;
  s->space = plane_of(to_batch ? &in : &out, s->spatial);
  s->batch = plane_of(to_batch ? &out : &in, s->spatial);
  s->element = (uint8_t)arn_type_bytes((arn_type)in.type);
  s->unit = s->element * arn__movement_product(&in, s->spatial + 1u, in.rank);
  s->block_type = block.type;
  s->pads_type = pads.type;
  choose_rows(p, s, &in, &out);
  // The block alone says how many batches there are: in files converted for images of any size, the
  // shapes are mere placeholders.
  if (block.data != NULL && !has_batches(s, block.data)) {
    return pads.data != NULL ? arn_refuse_model(p, ARN_WHAT_SHAPE, &out)
                             : arn_refuse(p, ARN_WHAT_DIMENSION, &out);
  }
  const bool known = block.data != NULL && pads.data != NULL;
  if (known && !read_layout(s, block.data, pads.data, &l)) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  return read_zero(p, &out, &s->zero);
}

// ---- eval ---------------------------------------------------------------------------------------

// What a step works on: lines of the output.
typedef struct deal {
  const batch_state *s;
  layout l;
  const plane *in_plane;
  arn_rows in;
  uint32_t in_line_bytes;
} deal;

static const uint8_t *in_line(const deal *d, uint32_t batch, uint32_t y) {
  return arn__movement_at(&d->in, (batch * d->in_plane->height + y) * d->in_line_bytes);
}

static void fill(const deal *d, uint8_t *target, uint32_t pixels) {
  static const uint8_t zeros[16] = {0};
  const batch_state *s = d->s;
  const void *value = s->element <= 4 ? (const void *)&s->zero : zeros;
  arn__move_fill(target, value, s->element, pixels * (s->unit / s->element));
}

static void copy_pixels(const batch_state *s, uint8_t *target, uint32_t target_step,
                        const uint8_t *source, uint32_t source_step, uint32_t count) {
  const arn__block block = {
      s->unit, 1, {{count, (int32_t)(source_step * s->unit), (int32_t)(target_step * s->unit)}}};
  if (count > 0) arn__move_block(target, source, &block);
}

// Smallest n >= 0 with n * step >= distance.
static uint32_t steps_to(int64_t distance, uint32_t step) {
  return distance <= 0 ? 0 : (uint32_t)((distance + step - 1) / step);
}

// Line `y` of batch entry `b` of SPACE_TO_BATCH_ND.
static void deal_line(const deal *d, uint8_t *target, uint32_t b, uint32_t y) {
  const batch_state *s = d->s;
  const uint32_t phase = b / s->space.batches;
  const uint32_t from_y = y * d->l.block_y + phase / d->l.block_x;
  const int64_t shift = (int64_t)d->l.left - phase % d->l.block_x;  // x of pixel 0 is -shift
  if (from_y < d->l.top || from_y - d->l.top >= s->space.height) {
    fill(d, target, s->batch.width);
    return;
  }
  const uint8_t *line = in_line(d, b % s->space.batches, from_y - d->l.top);
  uint32_t first = steps_to(shift, d->l.block_x);
  uint32_t end = steps_to((int64_t)s->space.width + shift, d->l.block_x);
  end = end < s->batch.width ? end : s->batch.width;
  first = first < end ? first : end;
  const int64_t x = (int64_t)first * d->l.block_x - shift;
  fill(d, target, first);
  if (first < end) {
    copy_pixels(s, target + first * s->unit, 1, line + (uint32_t)x * s->unit, d->l.block_x,
                end - first);
  }
  fill(d, target + end * s->unit, s->batch.width - end);
}

// Line `y` of batch entry `b` of BATCH_TO_SPACE_ND.
static void collect_line(const deal *d, uint8_t *target, uint32_t b, uint32_t y) {
  const batch_state *s = d->s;
  const uint32_t step = d->l.block_x, from_y = y + d->l.top;
  for (uint32_t x = 0; x < step && x < s->space.width; x++) {
    const uint32_t from_x = x + d->l.left;
    const uint32_t phase = from_y % d->l.block_y * step + from_x % step;
    const uint8_t *line = in_line(d, phase * s->space.batches + b, from_y / d->l.block_y);
    copy_pixels(s, target + x * s->unit, step, line + from_x / step * s->unit, 1,
                steps_to((int64_t)s->space.width - x, step));
  }
}

static arn_status eval_batches(const arn_eval *e, const batch_state *s, bool to_batch) {
  const plane *out = to_batch ? &s->batch : &s->space;
  deal d = {.s = s, .in_plane = to_batch ? &s->space : &s->batch};
  if (!read_layout(s, arn_eval_in(e, 1), arn_eval_in(e, 2), &d.l)) {
    return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
  }
  const uint32_t line_bytes = out->width * s->unit;
  if (lines_of(out) == 0 || line_bytes == 0) return ARN_OK;
  d.in_line_bytes = d.in_plane->width * s->unit;
  d.in = arn_eval_input(e, 0, d.in_line_bytes * lines_of(d.in_plane) / s->in_rows);
  const arn_rows rows = arn_eval_output(e, 0, line_bytes * lines_of(out) / s->out_rows);
  const bool by_lines = s->out_rows > 1;
  const uint32_t first = by_lines ? e->span.first : 0;
  const uint32_t end = by_lines ? first + e->span.count : lines_of(out);
  for (uint32_t i = first; i < end; i++) {
    uint8_t *target = arn__movement_at(&rows, i * line_bytes);
    if (to_batch) {
      deal_line(&d, target, i / out->height, i % out->height);
    } else {
      collect_line(&d, target, i / out->height, i % out->height);
    }
  }
  return ARN_OK;
}

// Block and paddings may come at run time: any row may be read.
static void batch_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  (void)out;
  *in = (arn_span){0, input == 0 ? ((const batch_state *)state)->in_rows : 1};
}

static arn_status space_to_batch_prepare(arn_prepare *p, void *state) {
  return prepare_batches(p, state, true);
}

static arn_status space_to_batch_eval(const arn_eval *e, const void *state) {
  return eval_batches(e, state, true);
}

static arn_status batch_to_space_prepare(arn_prepare *p, void *state) {
  return prepare_batches(p, state, false);
}

static arn_status batch_to_space_eval(const arn_eval *e, const void *state) {
  return eval_batches(e, state, false);
}

const arn_op arn_op_space_to_batch_nd = {"SPACE_TO_BATCH_ND", 38, sizeof(batch_state),
                                         ARN__MOVEMENT_TYPES, 0, NULL, space_to_batch_prepare,
                                         batch_rows, space_to_batch_eval};
const arn_op arn_op_batch_to_space_nd = {"BATCH_TO_SPACE_ND", 37, sizeof(batch_state),
                                         ARN__MOVEMENT_TYPES, 0, NULL, batch_to_space_prepare,
                                         batch_rows, batch_to_space_eval};
