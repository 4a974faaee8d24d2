#include "dense.h"

#include "../kernels/dense.h"
#include "../kernels/settle.h"

static uint32_t element_bytes(const arn__dense *d) { return arn_type_bytes((arn_type)d->type); }

// ---- prepare -----------------------------------------------------------------------------------

uint32_t arn__dense_state_bytes(const arn__dense *d) {
  const uint32_t common = offsetof(arn__dense, scale);
  if (d->type == ARN_FLOAT32) return common + (uint32_t)sizeof d->scale.real;
  return common + (uint32_t)(d->scaling == ARN__DENSE_PER_CHANNEL ? sizeof d->scale.source
                                                                   : sizeof d->scale.one);
}

static bool sums_are_64(const arn__dense *d) { return d->type == ARN_INT16; }

uint32_t arn__dense_sum_bytes(const arn__dense *d) { return sums_are_64(d) ? 8u : 4u; }

// Which types go together; see the table in dense.h.
bool arn__dense_takes(uint32_t type, uint32_t w) {
  switch (type) {
    case ARN_INT8: return w == ARN_INT8 || w == ARN_INT4;
    case ARN_UINT8: return w == ARN_UINT8;
    case ARN_INT16: return w == ARN_INT8 || w == ARN_INT4 || w == ARN_INT16;
    default:
      return w == ARN_FLOAT32 || w == ARN_FLOAT16 || w == ARN_INT8 || w == ARN_UINT8 ||
             w == ARN_INT16 || w == ARN_INT4;
  }
}

static bool bias_fits(uint32_t type, uint32_t w, uint32_t bias) {
  switch (type) {
    case ARN_INT8:
    case ARN_UINT8: return bias == ARN_INT32;
    case ARN_INT16:
      return w != ARN_INT16 && (bias == ARN_INT64 || bias == ARN_INT32 || bias == ARN_INT16);
    default:
      return bias == ARN_FLOAT32 || bias == ARN_FLOAT16 || bias == ARN_INT8 ||
             bias == ARN_INT16 || bias == ARN_INT32;
  }
}

static arn_status check_types(const arn_prepare *p, const arn__dense_tensors *t) {
  const uint32_t type = t->in->type;
  if (!(t->kind->types & ARN_TYPE_BIT(type))) return arn_refuse(p, ARN_WHAT_TYPE, t->in);
  if (!(t->kind->w_types & ARN_TYPE_BIT(t->w->type))) return arn_refuse(p, ARN_WHAT_TYPE, t->w);
  if (t->out->type != type) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, t->out);
  if (!arn__dense_takes(type, t->w->type)) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, t->w);
  if ((t->w->flags & ARN_TENSOR_SPARSE) && !t->takes_sparse) {
    return arn_refuse(p, ARN_WHAT_SPARSITY, t->w);
  }
  if (t->bias && !bias_fits(type, t->w->type, t->bias->type)) {
    return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, t->bias);
  }
  return ARN_OK;
}

arn_status arn__dense_check_channels(const arn_prepare *p, const arn__dense_tensors *t,
                                     const arn__dense *d) {
  if (t->w->scale_count != d->channels || t->w->quantised_axis != t->channel_axis) {
    return arn_refuse(p, ARN_WHAT_QUANTISATION, t->w);
  }
  for (uint32_t i = 0; i < t->w->zero_count; i++) {
    if (arn_tensor_zero(p->model, t->w, i) != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, t->w);
  }
  return ARN_OK;
}

// The bias is added to sums of in_scale * w_scale: it must be scaled alike, as the reference asks,
// to 2 % of an output step.
static arn_status check_bias_scale(const arn_prepare *p, const arn_tensor *bias, float in, float w,
                                   float out_scale) {
  if (bias == NULL || bias->scale_count != 1) return ARN_OK;
  const float scale = arn_tensor_scale(p->model, bias, 0);
  if (in * w == scale && scale <= 1024.0f * out_scale) return ARN_OK;  // 2^-24 of it is little
  const double difference = (double)in * (double)w - (double)scale;
  const double steps = (difference < 0 ? -difference : difference) / (double)out_scale;
  return steps <= 0.02 ? ARN_OK : arn_refuse(p, ARN_WHAT_SCALE, bias);
}

static arn_status scale_per_tensor(const arn_prepare *p, const arn__dense_tensors *t, float in,
                                   float out, arn__dense *d) {
  float w;
  int32_t zero;
  const arn_status status = arn__quantised_read(p, t->w, &w, &zero);
  if (status != ARN_OK) return status;
  d->w_zero = (int16_t)zero;
  d->scaling = ARN__DENSE_PER_TENSOR;
  d->scale.one = t->like_convolution ? arn__requant_ratio(in, w, out, 0)
                                     : arn__requant_ratio(in * w, 1.0f, out, 0);
  return t->like_convolution ? ARN_OK : check_bias_scale(p, t->bias, in, w, out);
}

static arn_status scale_per_channel(const arn_prepare *p, const arn__dense_tensors *t, float in,
                                    float out, arn__dense *d) {
  const arn_status status = arn__dense_check_channels(p, t, d);
  if (status != ARN_OK) return status;
  d->scaling = ARN__DENSE_PER_CHANNEL;
  if (!arn__requant_source_init(&d->scale.source, p->model->bytes, t->w->scales_at,
                                t->w->scale_count, in, out)) {
    return arn_refuse_model(p, ARN_WHAT_SCALE, t->w);
  }
  return ARN_OK;
}

arn_status arn__dense_prepare_quantised(const arn_prepare *p, const arn__dense_tensors *t,
                                        arn__dense *d) {
  float in_scale, out_scale;
  int32_t in_zero, out_zero;
  arn_status status = arn__quantised_read(p, t->in, &in_scale, &in_zero);
  if (status == ARN_OK) status = arn__quantised_read(p, t->out, &out_scale, &out_zero);
  if (status == ARN_OK) {
    status = arn__quantised_clamp(p, t->activation, t->out, out_scale, out_zero, &d->clamp.s32);
  }
  if (status != ARN_OK) return status;
  d->in_zero = (int16_t)in_zero;
  d->out_zero = (int16_t)out_zero;
  d->clamp.s32.low -= out_zero;
  d->clamp.s32.high -= out_zero;
  status = t->w->scale_count > 1 ? scale_per_channel(p, t, in_scale, out_scale, d)
                                 : scale_per_tensor(p, t, in_scale, out_scale, d);
  if (status != ARN_OK || d->type != ARN_INT16) return status;
  if (in_zero != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, t->in);
  if (out_zero != 0) return arn_refuse(p, ARN_WHAT_ZERO_POINT, t->out);
  return d->w_zero == 0 ? ARN_OK : arn_refuse(p, ARN_WHAT_ZERO_POINT, t->w);
}

arn_status arn__dense_prepare(const arn_prepare *p, const arn__dense_tensors *t, arn__dense *d) {
  const arn_status status = check_types(p, t);
  if (status != ARN_OK) return status;
  if (t->bias && t->bias->count != d->channels) return arn_refuse(p, ARN_WHAT_SHAPE, t->bias);
  d->in_zero = d->w_zero = d->out_zero = 0;
  d->type = d->out_type = t->in->type;
  d->w_type = t->w->type;
  d->bias_type = t->bias ? t->bias->type : ARN__DENSE_NO_BIAS;
  d->scaling = ARN__DENSE_UNSCALED;
  d->is_sparse = (t->w->flags & ARN_TENSOR_SPARSE) != 0;
  memset(&d->scale, 0, sizeof d->scale);
  return t->kind->prepare(p, t, d);
}

// ---- layers ------------------------------------------------------------------------------------

void arn__dense_set_whole(arn_rows *rows) {
  if (rows->base == NULL) return;
  rows->base = arn_row(rows, 0);
  rows->table = NULL;
}

void arn__dense_begin(const arn__dense_run *run, uint32_t first, arn__dense_block *block) {
  const arn__dense *d = run->d;
  const uint32_t left = d->channels - first;
  const uint32_t most = run->decoder ? ARN__DENSE_DECODED : ARN__DENSE_BLOCK;
  block->channels = (arn_span){first, left < most ? left : most};
  if (run->decoder) run->decoder->decode(run->decoder, first, block->channels.count);
  if (d->type == ARN_FLOAT32) return;
  if (d->scaling == ARN__DENSE_PER_TENSOR) {
    block->multipliers[0] = d->scale.one;
  } else {
    arn__requant_fill(&d->scale.source, run->file, first, block->channels.count,
                      block->multipliers);
  }
}

void arn__dense_clear(const arn__dense_run *run, arn__dense_block *block) {
  memset(&block->sums, 0, block->channels.count * arn__dense_sum_bytes(run->d));
}

// Computes a block of channels of all vectors of a row.
static void compute_row(const arn__dense_run *run, const arn__dense_vectors *v, uint32_t row,
                        arn__dense_block *block) {
  const arn__dense *d = run->d;
  const uint32_t es = element_bytes(d);
  const uint8_t *x = arn_row(&v->in, row);
  uint8_t *out = arn_row(&v->out, row) + block->channels.first * es;
  for (uint32_t i = 0; i < v->per_row; i++) {
    arn__dense_clear(run, block);
    arn__dense_add(run, block, (arn_span){0, d->depth}, x);
    arn__dense_finish(run, block, out);
    x += v->in_vector * es;
    out += d->channels * es;
  }
}

void arn__dense_rows(const arn__dense_run *run, const arn__dense_vectors *v, arn_span rows) {
  arn__dense_block block;
  for (uint32_t c = 0; c < run->d->channels; c += block.channels.count) {
    arn__dense_begin(run, c, &block);
    for (uint32_t i = 0; i < rows.count; i++) compute_row(run, v, rows.first + i, &block);
  }
}

void arn__dense_fold(const arn__dense_run *run, const arn__dense_vectors *v, arn_span rows,
                     void *sums) {
  const arn__dense *d = run->d;
  const uint32_t es = element_bytes(d), length = v->in.row_bytes / es;
  const bool last = (rows.first + rows.count) * length == d->depth;
  arn__dense_block block;
  if (run->kind->whole && rows.first == 0 && last && run->kind->whole(run, v, rows.count)) return;
  for (uint32_t c = 0; c < d->channels; c += block.channels.count) {
    arn__dense_begin(run, c, &block);
    arn__dense_clear(run, &block);
    uint8_t *kept = sums ? (uint8_t *)sums + c * arn__dense_sum_bytes(d) : NULL;
    const uint32_t kept_bytes = block.channels.count * arn__dense_sum_bytes(d);
    if (rows.first > 0) memcpy(&block.sums, kept, kept_bytes);
    for (uint32_t r = rows.first; r < rows.first + rows.count; r++) {
      arn__dense_add(run, &block, (arn_span){r * length, length}, arn_row(&v->in, r));
    }
    if (last) arn__dense_finish(run, &block, arn_row(&v->out, 0) + c * es);
    else memcpy(kept, &block.sums, kept_bytes);
  }
}

// ---- int8 ---------------------------------------------------------------------------------------

void arn__dense_subtract_zero(const arn__dense_run *run, arn__dense_block *block, int32_t sum) {
  const uint32_t off = (uint32_t)sum * (uint32_t)(int32_t)run->d->w_zero;
  int32_t *sums = block->sums.s32;
  for (uint32_t c = 0; c < block->channels.count; c++) {
    sums[c] = (int32_t)((uint32_t)sums[c] - off);
  }
}

static void add_int8(const arn__dense_run *run, arn__dense_block *block, arn_span depth,
                     const uint8_t *x) {
  const arn__dense *d = run->d;
  const arn_span channels = block->channels;
  const uint32_t at = channels.first * d->depth + depth.first;
  const arn__dot call = {depth.count, channels.count, d->depth, 1, d->in_zero,
                         (d->channels - channels.first - channels.count + 1) * d->depth -
                             depth.first - depth.count};
  arn__dot_rows_s8(block->sums.s32, (const int8_t *)x, (const int8_t *)run->w.base + at, &call);
  if (d->w_zero == 0) return;
  arn__dense_subtract_zero(run, block, arn__dot_sum_s8((const int8_t *)x, &call));
}

static arn__settle settle_of(const arn__dense_run *run, const arn__dense_block *block) {
  return (arn__settle){block->multipliers, run->d->scaling == ARN__DENSE_PER_CHANNEL,
                       block->channels.count, run->d->clamp.s32, run->d->out_zero};
}

static const int32_t *bias_of(const arn__dense_run *run, const arn__dense_block *block) {
  if (run->d->bias_type != ARN_INT32) return NULL;
  return (const int32_t *)run->bias + block->channels.first;
}

static void finish_int8(const arn__dense_run *run, arn__dense_block *block, uint8_t *out) {
  const arn__settle settle = settle_of(run, block);
  arn__settle_s8((int8_t *)out, block->sums.s32, bias_of(run, block), &settle);
}

static void finish_wide(const arn__dense_run *run, arn__dense_block *block, uint8_t *out) {
  const arn__settle settle = settle_of(run, block);
  if (run->d->out_type != ARN_INT16) {
    finish_int8(run, block, out);
    return;
  }
  arn__settle_s16((int16_t *)(void *)out, block->sums.s32, bias_of(run, block), &settle);
}

bool arn__dense_whole_int8(const arn__dense_run *run, const arn__dense_vectors *v,
                           uint32_t rows) {
  const arn__dense *d = run->d;
  if (d->type != ARN_INT8 || d->w_type != ARN_INT8 || d->out_type != ARN_INT8) return false;
  if (run->decoder || run->w.table || d->w_zero != 0 || (rows > 1 && v->in.table)) return false;
  if (d->scaling != ARN__DENSE_PER_TENSOR) return false;
  const arn__dense_layer layer = {d->depth, d->channels, d->in_zero, d->out_zero,
                                  d->bias_type == ARN_INT32 ? run->bias : NULL, d->scale.one,
                                  d->clamp.s32};
  return arn__dense_s8((int8_t *)arn_row(&v->out, 0), (const int8_t *)arn_row(&v->in, 0),
                       (const int8_t *)run->w.base, &layer);
}

const arn__dense_kind arn__dense_int8 = {ARN_TYPE_BIT(ARN_INT8), ARN_TYPE_BIT(ARN_INT8),
                                         arn__dense_prepare_quantised, add_int8, finish_int8,
                                         arn__dense_whole_int8};

const arn__dense_kind arn__dense_int8_wide = {ARN_TYPE_BIT(ARN_INT8), ARN_TYPE_BIT(ARN_INT8),
                                              arn__dense_prepare_quantised, add_int8, finish_wide,
                                              NULL};
