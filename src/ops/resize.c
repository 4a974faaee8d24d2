// RESIZE_BILINEAR, RESIZE_NEAREST_NEIGHBOR.
//
// Rows: an output row reads one or two input rows. An image of one row ([1,1,W,C]) has its columns
// for rows; where that holds for input and output, the two axes change places. Where it holds for
// one of them only, the node runs whole.
#include "../graph/rows.h"
#include "../kernels/resize.h"
#include "arenite/op.h"
#include "movement.h"
#include "quantised.h"

// Fields of ResizeBilinearOptions, ResizeNearestNeighborOptions.
enum { BILINEAR_ALIGN_CORNERS = 2, BILINEAR_HALF_PIXEL = 3 };
enum { NEAREST_ALIGN_CORNERS = 0, NEAREST_HALF_PIXEL = 1 };

enum { MAX_SIZE = 1 << 20 };
enum { SCALED = 4 };  // the output's scale is not the input's

typedef struct resize_state {
  arn__resize_axis y, x;  // y: along the rows
  uint32_t channels;
  uint32_t batches;
  uint8_t type;
  uint8_t element_bytes;
  uint8_t flags;          // ARN__RESIZE_..., SCALED
  uint8_t by_rows;        // else one step computes all
  arn__resize_scale scale;  // only if SCALED
} resize_state;

#define QUANTISED_TYPES \
  (ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) | ARN_TYPE_BIT(ARN_INT16))
#define SAME_SCALE_BYTES ((uint32_t)offsetof(resize_state, scale))

// ---- prepare ------------------------------------------------------------------------------------

static arn_status check_size(const arn_prepare *p, const arn_tensor *out) {
  arn_tensor t;
  int32_t size[2];
  const arn_status status = arn_prepare_input(p, 1, &t);
  if (status != ARN_OK) return status;
  if (t.type != ARN_INT32) return arn_refuse(p, ARN_WHAT_TYPE, &t);
  if (t.rank != 1 || t.count != 2) return arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
  const void *data = arn_tensor_data(p->model, &t);
  if (data == NULL) return arn_refuse(p, ARN_WHAT_TENSOR_CONSTANT, &t);
  memcpy(size, data, sizeof size);
  if (size[0] != out->dims[1] || size[1] != out->dims[2]) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  }
  return ARN_OK;
}

static arn_status check_shapes(const arn_prepare *p, const arn_tensor *in, const arn_tensor *out) {
  if (in->rank != 4) return arn_refuse_model(p, ARN_WHAT_RANK, in);
  if (out->rank != 4) return arn_refuse_model(p, ARN_WHAT_RANK, out);
  for (uint32_t i = 0; i < 4; i++) {
    const bool resized = i == 1 || i == 2;
    if (!resized && in->dims[i] != out->dims[i]) {
      return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
    }
    if (in->dims[i] > MAX_SIZE || out->dims[i] > MAX_SIZE) {
      return arn_refuse(p, ARN_WHAT_LIMIT, out);
    }
    if (in->dims[i] == 0 && out->dims[i] != 0) return arn_refuse_model(p, ARN_WHAT_SHAPE, in);
  }
  return check_size(p, out);
}

static arn_status check_types(const arn_prepare *p, const arn_tensor *in, const arn_tensor *out) {
  if (!(p->op->types & ARN_TYPE_BIT(in->type))) return arn_refuse(p, ARN_WHAT_TYPE, in);
  if (in->type != out->type) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, out);
  return ARN_OK;
}

static bool same_scale(const arn_prepare *p, const arn_tensor *in, const arn_tensor *out) {
  return arn_tensor_scale(p->model, in, 0) == arn_tensor_scale(p->model, out, 0) &&
         arn_tensor_zero(p->model, in, 0) == arn_tensor_zero(p->model, out, 0);
}

// A ratio of 2^14 and above would leave nothing but saturated values.
static arn_status set_scale(const arn_prepare *p, arn__resize_scale *s, const arn_tensor *in,
                            const arn_tensor *out) {
  float in_scale, out_scale;
  ARN__TRY(arn__quantised_read(p, in, &in_scale, &s->in_zero));
  ARN__TRY(arn__quantised_read(p, out, &out_scale, &s->out_zero));
  const double ratio = (double)in_scale / (double)out_scale;
  if (ratio >= (double)(1 << ARN__RESIZE_FRACTION_BITS)) return arn_refuse(p, ARN_WHAT_SCALE, out);
  s->multiplier = arn__requant_of(ratio / (double)(1 << ARN__RESIZE_FRACTION_BITS));
  s->range = arn__quantised_range(in->type);
  return ARN_OK;
}

static arn_status choose_scale(arn_prepare *p, resize_state *s) {
  arn_tensor in, out;
  ARN__TRY(arn_prepare_input(p, 0, &in));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  if (same_scale(p, &in, &out)) {
    p->state_bytes = SAME_SCALE_BYTES;
    return ARN_OK;
  }
  if (!(QUANTISED_TYPES & ARN_TYPE_BIT(in.type))) return arn_refuse(p, ARN_WHAT_QUANTISATION, &out);
  s->flags |= SCALED;
  return set_scale(p, &s->scale, &in, &out);
}

static void set_rows(arn_prepare *p, resize_state *s, const arn_tensor *in,
                     const arn_tensor *out) {
  const int32_t in_axis = arn__rows_of(in).axis, out_axis = arn__rows_of(out).axis;
  if (s->batches != 1 || (in_axis != out_axis && in_axis >= 0 && out_axis >= 0)) return;
  if (in_axis == 2 || out_axis == 2) {
    const arn__resize_axis y = s->y;
    s->y = s->x;
    s->x = y;
  }
  s->by_rows = 1;
  p->work = ARN_ROWS;
  p->rows = arn__rows_of(out).rows;
}

static void set_step(arn__resize_axis *a, uint32_t flags, bool real) {
  const bool aligned = (flags & ARN__RESIZE_ALIGN_CORNERS) && a->out > 1;
  const uint32_t in = a->in - aligned, out = a->out - aligned;
  if (a->in == 0 || a->out == 0) return;
  if (real) {
    a->step.real = (float)in / (float)out;
  } else {
    a->step.fixed = (int32_t)((1024 * in + out / 2) / out);
  }
}

// `align_id`, `half_id`: fields of the options; `real`: steps are floats.
static arn_status prepare_resize(arn_prepare *p, resize_state *s, uint32_t align_id,
                                 uint32_t half_id) {
  arn_tensor in, out;
  memset(s, 0, sizeof *s);
  arn_status status = arn_prepare_counts(p, 2, 2, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, 0, &in);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &out);
  if (status == ARN_OK) status = check_types(p, &in, &out);
  if (status == ARN_OK) status = check_shapes(p, &in, &out);
  if (status != ARN_OK) return status;
  s->y = (arn__resize_axis){.in = (uint32_t)in.dims[1], .out = (uint32_t)out.dims[1]};
  s->x = (arn__resize_axis){.in = (uint32_t)in.dims[2], .out = (uint32_t)out.dims[2]};
  s->batches = (uint32_t)in.dims[0];
  s->channels = (uint32_t)in.dims[3];
  s->type = in.type;
  s->element_bytes = (uint8_t)arn_type_bytes((arn_type)in.type);
  if (arn_option_u8(p, align_id, 0)) s->flags |= ARN__RESIZE_ALIGN_CORNERS;
  if (arn_option_u8(p, half_id, 0)) s->flags |= ARN__RESIZE_HALF_PIXEL;
  set_rows(p, s, &in, &out);
  return ARN_OK;
}

static arn_status prepare_bilinear(arn_prepare *p, void *state) {
  resize_state *s = state;
  const arn_status status = prepare_resize(p, s, BILINEAR_ALIGN_CORNERS, BILINEAR_HALF_PIXEL);
  if (status != ARN_OK) return status;
  if (s->flags == (ARN__RESIZE_ALIGN_CORNERS | ARN__RESIZE_HALF_PIXEL)) {
    return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  }
  set_step(&s->y, s->flags, s->type == ARN_FLOAT32);
  set_step(&s->x, s->flags, s->type == ARN_FLOAT32);
  return choose_scale(p, s);
}

static arn_status prepare_nearest(arn_prepare *p, void *state) {
  resize_state *s = state;
  const arn_status status = prepare_resize(p, s, NEAREST_ALIGN_CORNERS, NEAREST_HALF_PIXEL);
  if (status != ARN_OK) return status;
  set_step(&s->y, s->flags, true);
  set_step(&s->x, s->flags, true);
  return choose_scale(p, s);
}

// ---- rows ---------------------------------------------------------------------------------------

static arn__resize_point point(const resize_state *s, uint32_t row) {
  if (s->type != ARN_FLOAT32) return arn__resize_between(&s->y, s->flags, row);
  const arn__resize_point_f32 at = arn__resize_between_f32(&s->y, s->flags, row);
  return (arn__resize_point){at.low, at.high, 0};
}

static void rows_bilinear(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const resize_state *s = state;
  *in = (arn_span){0, 1};
  if (input != 0 || out.count == 0 || s->y.out == 0) return;
  const uint32_t first = point(s, out.first).low;
  const uint32_t last = point(s, out.first + out.count - 1).high;
  *in = (arn_span){first, last - first + 1};
}

static void rows_nearest(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const resize_state *s = state;
  *in = (arn_span){0, 1};
  if (input != 0 || out.count == 0 || s->y.out == 0) return;
  const uint32_t first = arn__resize_nearest(&s->y, s->flags, out.first);
  const uint32_t last = arn__resize_nearest(&s->y, s->flags, out.first + out.count - 1);
  *in = (arn_span){first, last - first + 1};
}

// ---- eval ---------------------------------------------------------------------------------------

typedef struct job {
  const resize_state *state;
  arn_rows in, out;
  arn__resize_row row;
} job;

// Returns how many output rows are to be computed.
static uint32_t job_open(job *j, const arn_eval *e, const resize_state *s, uint32_t channels) {
  const uint32_t pixel_bytes = s->channels * s->element_bytes;
  j->state = s;
  j->in = arn_eval_input(e, 0, s->x.in * pixel_bytes);
  j->out = arn_eval_output(e, 0, s->x.out * pixel_bytes);
  j->row = (arn__resize_row){s->x, s->flags, channels};
  if (s->y.out == 0) return 0;
  return s->by_rows ? e->span.count : s->batches * s->y.out;
}

// Output row `row` of the tensor, counted over all batches; `base` is the batch's first input row.
static void bilinear_row(const job *j, uint32_t row, uint32_t base) {
  const resize_state *s = j->state;
  void *out = arn_row(&j->out, row);
  const uint32_t y = row % s->y.out;
  const arn__resize_point at = point(s, y);
  const void *top = arn_row(&j->in, base + at.low), *bottom = arn_row(&j->in, base + at.high);
  if (s->flags & SCALED) {
    const arn__resize_scaled how = {&j->row, &s->scale, s->element_bytes, s->type != ARN_UINT8};
    arn__resize_bilinear_scaled(out, top, bottom, at.share, &how);
    return;
  }
  switch (s->type) {
    case ARN_INT8: arn__resize_bilinear_s8(out, top, bottom, at.share, &j->row); break;
    case ARN_UINT8: arn__resize_bilinear_u8(out, top, bottom, at.share, &j->row); break;
    case ARN_INT16: arn__resize_bilinear_s16(out, top, bottom, at.share, &j->row); break;
    default: {
      const float share = arn__resize_between_f32(&s->y, s->flags, y).share;
      arn__resize_bilinear_f32(out, top, bottom, share, &j->row);
      break;
    }
  }
}

static arn_status eval_bilinear(const arn_eval *e, const void *state) {
  const resize_state *s = state;
  job j;
  const uint32_t rows = job_open(&j, e, s, s->channels);
  const uint32_t first = s->by_rows ? e->span.first : 0;
  for (uint32_t r = first; r < first + rows; r++) bilinear_row(&j, r, r / s->y.out * s->y.in);
  return ARN_OK;
}

static arn_status eval_nearest(const arn_eval *e, const void *state) {
  const resize_state *s = state;
  job j;
  const uint32_t rows = job_open(&j, e, s, s->channels * s->element_bytes);
  const arn__resize_scaled how = {&j.row, &s->scale, s->element_bytes, s->type != ARN_UINT8};
  const uint32_t first = s->by_rows ? e->span.first : 0;
  for (uint32_t r = first; r < first + rows; r++) {
    const uint32_t near = arn__resize_nearest(&s->y, s->flags, r % s->y.out);
    const uint8_t *in = arn_row(&j.in, r / s->y.out * s->y.in + near);
    arn__resize_nearest_row(arn_row(&j.out, r), in, &j.row);
    if (s->flags & SCALED) {
      arn__resize_rescale(arn_row(&j.out, r), s->x.out * s->channels, &how);
    }
  }
  return ARN_OK;
}

const arn_op arn_op_resize_bilinear = {
    .name = "RESIZE_BILINEAR",
    .code = 23,
    .state_bytes = sizeof(resize_state),
    .types = QUANTISED_TYPES | ARN_TYPE_BIT(ARN_FLOAT32),
    .prepare = prepare_bilinear,
    .rows = rows_bilinear,
    .eval = eval_bilinear,
};

const arn_op arn_op_resize_nearest_neighbor = {
    .name = "RESIZE_NEAREST_NEIGHBOR",
    .code = 97,
    .state_bytes = sizeof(resize_state),
    .types = QUANTISED_TYPES | ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT32) |
             ARN_TYPE_BIT(ARN_INT64) | ARN_TYPE_BIT(ARN_BOOL),
    .prepare = prepare_nearest,
    .rows = rows_nearest,
    .eval = eval_nearest,
};
