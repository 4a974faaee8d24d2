// QUANTIZE (also from one quantisation to another) and DEQUANTIZE.
#include "../kernels/quantize.h"

#include <stddef.h>

#include "../graph/parts.h"
#include "../kernels/widen.h"
#include "quantised.h"
#include "unary.h"

#define BIT ARN_TYPE_BIT

// ---- QUANTIZE
// ------------------------------------------------------------------------------------

typedef struct quantize {
  uint32_t row_count;
  uint8_t in_type, out_type;
  int8_t shift;
  uint8_t spare;
  int32_t out_zero;
  int32_t q;        // float32 input: the scale, as bits
  int32_t in_zero;  // absent then
} quantize;

static arn_status prepare_quantize(arn_prepare *p, void *state) {
  quantize *s = state;
  arn_tensor in, out;
  float in_scale, out_scale;
  int32_t zero;
  ARN__TRY(arn__unary_prepare(p, &in, &out, &s->row_count));
  const bool from_float = in.type == ARN_FLOAT32;
  const uint32_t types = BIT(ARN_INT8) | BIT(ARN_UINT8) | BIT(ARN_INT16) |
                         (from_float ? 0 : BIT(ARN_INT32));
  if (!(types >> out.type & 1)) return arn_refuse(p, ARN_WHAT_TYPE, &out);
  ARN__TRY(arn__quantised_read(p, &out, &out_scale, &s->out_zero));
  s->in_type = in.type;
  s->out_type = out.type;
  if (from_float) {
    p->state_bytes = (uint32_t)offsetof(quantize, in_zero);
    memcpy(&s->q, &out_scale, sizeof out_scale);
    return ARN_OK;
  }
  ARN__TRY(arn__quantised_read(p, &in, &in_scale, &zero));
  const arn__requant r = arn__requant_ratio(in_scale, 1.0f, out_scale, 0);
  s->in_zero = zero;
  s->q = r.q;
  s->shift = (int8_t)r.shift;
  return ARN_OK;
}

static void run_from_float(const arn_eval *e, const quantize *s, uint8_t out_bytes) {
  arn__quantize_real params = {0.0f, s->out_zero, arn__quantised_range(s->out_type),
                               (arn_type)s->out_type};
  memcpy(&params.scale, &s->q, sizeof params.scale);
  const arn__unary_job job = {arn__quantize_to, &params, s->row_count, 4, out_bytes};
  arn__unary_run(e, &job);
}

// Says whether the change is between the two readings of a byte, of one scale: images, mostly.
static bool is_flip(const quantize *s) {
  const int32_t move = s->out_zero - s->in_zero;
  return s->q == 1 << 30 && s->shift == 1 &&
         ((s->in_type == ARN_UINT8 && s->out_type == ARN_INT8 && move == -128) ||
          (s->in_type == ARN_INT8 && s->out_type == ARN_UINT8 && move == 128));
}

static arn_status eval_quantize(const arn_eval *e, const void *state) {
  const quantize *s = state;
  const uint8_t in_bytes = (uint8_t)arn_type_bytes((arn_type)s->in_type);
  const uint8_t out_bytes = (uint8_t)arn_type_bytes((arn_type)s->out_type);
  if (s->in_type == ARN_FLOAT32) {
    run_from_float(e, s, out_bytes);
    return ARN_OK;
  }
  const arn__quantize_change params = {{s->q, s->shift},
                                       s->in_zero,
                                       s->out_zero,
                                       arn__quantised_range(s->out_type),
                                       (arn_type)s->in_type,
                                       (arn_type)s->out_type};
  arn__unary_job job = {arn__quantize_again, &params, s->row_count, in_bytes, out_bytes};
  if (is_flip(s)) job.fn = arn__quantize_flip;
  if (in_bytes == 1 && out_bytes == 1 && !is_flip(s)) {
    arn__unary_run_8(e, &job, 0);
  } else {
    arn__unary_run(e, &job);
  }
  return ARN_OK;
}

// ---- DEQUANTIZE
// ----------------------------------------------------------------------------------

typedef struct dequantize {
  uint32_t row_count;
  uint8_t type;
  uint8_t per_channel;
  uint16_t channels;
  float scale;                     // float16: absent, and what follows
  int32_t zero;
  uint32_t scales_at, zeros_at;    // per channel only; zeros_at 0: all are `zero`
  uint32_t inner;                  // elements of a channel that follow each other
} dequantize;

static arn_status prepare_channels(const arn_prepare *p, dequantize *s, const arn_tensor *in) {
  const int32_t axis = in->quantised_axis;
  if (axis < 0 || axis >= in->rank || in->scale_count != (uint32_t)in->dims[axis] ||
      in->scale_count > UINT16_MAX) {
    return arn_refuse_model(p, ARN_WHAT_QUANTISATION, in);
  }
  if (in->zero_count > 1 && in->zero_count != in->scale_count) {
    return arn_refuse_model(p, ARN_WHAT_QUANTISATION, in);
  }
  const arn__clamp range = arn__quantised_range(in->type);
  for (uint32_t c = 0; c < in->scale_count; c++) {
    const int64_t zero = arn_tensor_zero(p->model, in, c);
    const float scale = arn_tensor_scale(p->model, in, c);
    if (!(scale - scale == 0.0f)) return arn_refuse_model(p, ARN_WHAT_SCALE, in);
    if (zero < range.low || zero > range.high) return arn_refuse_model(p, ARN_WHAT_ZERO_POINT, in);
  }
  s->per_channel = 1;
  s->channels = (uint16_t)in->scale_count;
  s->scales_at = in->scales_at;
  s->zeros_at = in->zero_count > 1 ? in->zeros_at : 0;
  s->zero = (int32_t)arn_tensor_zero(p->model, in, 0);
  s->inner = arn__movement_product(in, (uint32_t)axis + 1, in->rank);
  return ARN_OK;
}

static arn_status prepare_dequantize(arn_prepare *p, void *state) {
  dequantize *s = state;
  arn_tensor in, out;
  ARN__TRY(arn__unary_prepare(p, &in, &out, &s->row_count));
  if (out.type != ARN_FLOAT32) return arn_refuse(p, ARN_WHAT_TYPE, &out);
  if (in.flags & ARN_TENSOR_SPARSE) return arn_refuse(p, ARN_WHAT_SPARSITY, &in);
  s->type = in.type;
  p->state_bytes = (uint32_t)offsetof(dequantize, scale);
  if (in.type == ARN_FLOAT16) return ARN_OK;
  if (in.type == ARN_INT4) {  // two elements a byte: rows may begin inside one
    p->work = ARN_WHOLE;
    p->rows = 1;
    p->in_place = 0;
    s->row_count = out.count;
  }
  if (in.scale_count > 1) {
    p->state_bytes = sizeof *s;
    return prepare_channels(p, s, &in);
  }
  p->state_bytes = (uint32_t)offsetof(dequantize, scales_at);
  return arn__quantised_read(p, &in, &s->scale, &s->zero);
}

// int4 is widened a block at a time.
static void from_int4(const void *in, void *out, uint32_t first, uint32_t count,
                      const arn__quantize_real *params) {
  int8_t block[ARN__QUANTIZE_BLOCK];
  for (uint32_t at = 0; at < count; at += ARN__QUANTIZE_BLOCK) {
    const uint32_t n = count - at < ARN__QUANTIZE_BLOCK ? count - at : ARN__QUANTIZE_BLOCK;
    arn__widen_s4_s8(block, in, first + at, n);
    arn__quantize_from(block, (float *)out + at, n, params);
  }
}

// Elements [first, first + count) of a row, of one scale.
typedef struct piece {
  uint32_t first, count;
  float scale;
  int32_t zero;
} piece;

static void run_piece(const dequantize *s, const uint8_t *in, float *out, piece part) {
  arn__quantize_real params = {part.scale, part.zero, {0, 0}, (arn_type)s->type};
  if (s->type == ARN_INT4) {
    params.type = ARN_INT8;
    from_int4(in, out + part.first, part.first, part.count, &params);
    return;
  }
  const uint32_t bytes = arn_type_bytes((arn_type)s->type);
  arn__quantize_from(in + (size_t)part.first * bytes, out + part.first, part.count, &params);
}

static float scale_of(const arn_eval *e, const dequantize *s, uint32_t channel) {
  float scale;
  memcpy(&scale, e->model->bytes + s->scales_at + 4 * channel, sizeof scale);
  return scale;
}

static int32_t zero_of(const arn_eval *e, const dequantize *s, uint32_t channel) {
  int32_t zero;  // the lower half of 64 bits: prepare has seen that it is all
  if (s->zeros_at == 0) return s->zero;
  memcpy(&zero, e->model->bytes + s->zeros_at + 8 * channel, sizeof zero);
  return zero;
}

static void run_channels(const arn_eval *e, const dequantize *s, const uint8_t *in, float *out,
                         uint32_t row) {
  const uint32_t start = row * s->row_count;
  for (uint32_t i = 0; i < s->row_count;) {
    const uint32_t channel = (start + i) / s->inner % s->channels;
    const uint32_t left = s->inner - (start + i) % s->inner;
    const uint32_t n = left < s->row_count - i ? left : s->row_count - i;
    run_piece(s, in, out, (piece){i, n, scale_of(e, s, channel), zero_of(e, s, channel)});
    i += n;
  }
}

static void from_float16(const void *in, void *out, uint32_t count, const void *params) {
  (void)params;
  arn__widen_f16_f32(out, in, count);
}

static void run_pieces(const arn_eval *e, const dequantize *s) {
  const uint32_t bytes = s->type == ARN_INT4 ? 0 : arn_type_bytes((arn_type)s->type);
  const arn_rows in = arn_eval_input(e, 0, s->row_count * bytes);
  const arn_rows out = arn_eval_output(e, 0, s->row_count * 4);
  for (uint32_t row = e->span.first; row < e->span.first + e->span.count; row++) {
    float *to = (float *)(void *)arn_row(&out, row);
    if (s->per_channel) {
      run_channels(e, s, arn_row(&in, row), to, row);
    } else {
      run_piece(s, arn_row(&in, row), to, (piece){0, s->row_count, s->scale, s->zero});
    }
  }
}

static arn_status eval_dequantize(const arn_eval *e, const void *state) {
  const dequantize *s = state;
  arn__unary_job job = {from_float16, NULL, s->row_count, 2, 4};
  if (s->per_channel || s->type == ARN_INT4) {
    run_pieces(e, s);
  } else if (s->type == ARN_FLOAT16) {
    arn__unary_run(e, &job);
  } else {
    const arn__quantize_real params = {s->scale, s->zero, {0, 0}, (arn_type)s->type};
    const uint8_t bytes = (uint8_t)arn_type_bytes((arn_type)s->type);
    job = (arn__unary_job){arn__quantize_from, &params, s->row_count, bytes, 4};
    arn__unary_run(e, &job);
  }
  return ARN_OK;
}

const arn_op arn_op_quantize = {
    .name = "QUANTIZE",
    .code = 114,
    .state_bytes = sizeof(quantize),
    .types = BIT(ARN_FLOAT32) | BIT(ARN_INT8) | BIT(ARN_UINT8) | BIT(ARN_INT16) | BIT(ARN_INT32),
    .prepare = prepare_quantize,
    .rows = arn__unary_rows,
    .eval = eval_quantize,
};

const arn_op arn_op_dequantize = {
    .name = "DEQUANTIZE",
    .code = 6,
    .state_bytes = sizeof(dequantize),
    .types = BIT(ARN_FLOAT16) | BIT(ARN_INT8) | BIT(ARN_UINT8) | BIT(ARN_INT16) | BIT(ARN_INT32) |
             BIT(ARN_INT4),
    .kinds = &arn__folded_constants,
    .prepare = prepare_dequantize,
    .rows = arn__unary_rows,
    .eval = eval_dequantize,
};
