// Float nodes of CONV_2D and DEPTHWISE_CONV_2D: what they check, and what their blocks need.
#include <float.h>

#include "../kernels/widen.h"
#include "conv_parts.h"

typedef arn__conv_tensors tensors;
typedef arn__conv_run run;

// As for integers, any finite scale will do.
static arn_status check_filter_scales(const arn_prepare *p, const arn_tensor *f) {
  for (uint32_t i = 0; i < f->scale_count; i++) {
    const float scale = arn_tensor_scale(p->model, f, i);
    if (!(scale >= -FLT_MAX && scale <= FLT_MAX)) return arn_refuse_model(p, ARN_WHAT_SCALE, f);
  }
  return ARN_OK;
}

static arn_status prepare(const arn_prepare *p, const tensors *t, int32_t activation,
                          arn__conv_state *s) {
  arn__clamp_f32 clamp;
  arn_status status = arn__quantised_clamp_float(p, activation, &clamp);
  if (status != ARN_OK) return status;
  s->with.real.low = clamp.low;
  s->with.real.high = clamp.high;
  if (arn__conv_is_integer(t->filter.type)) {
    status = arn__conv_read_filter(p, t, s, &s->with.real.filter_zero);
    if (status == ARN_OK) status = check_filter_scales(p, &t->filter);
    s->with.real.scales_at = t->filter.scales_at;
  }
  if (status == ARN_OK && t->has_bias && arn__conv_is_integer(t->bias.type)) {
    int32_t zero;
    status = arn__quantised_read(p, &t->bias, &s->with.real.bias_scale, &zero);
    if (status == ARN_OK && zero) status = arn_refuse(p, ARN_WHAT_ZERO_POINT, &t->bias);
  }
  return status;
}

static void begin(run *r) {
  const arn__conv_state *s = r->s;
  r->conv.low = s->with.real.low;
  r->conv.high = s->with.real.high;
  if (arn__conv_is_mixed(s)) r->conv.filter_zero = s->with.real.filter_zero;
}

static float float_bias(const run *r, uint32_t c) {
  float value;
  switch (r->s->bias_type) {
    case ARN_FLOAT16: arn__widen_f16_f32(&value, (const uint16_t *)r->bias + c, 1); return value;
    case ARN_INT8: value = (float)((const int8_t *)r->bias)[c]; break;
    case ARN_INT16: value = (float)((const int16_t *)r->bias)[c]; break;
    default: value = (float)((const int32_t *)r->bias)[c]; break;
  }
  return value * r->s->with.real.bias_scale;
}

static void set_bias(run *r, arn__conv_block *b) {
  b->bias = r->data.real.bias;
  if (r->s->bias_type == ARN_FLOAT32) {
    b->bias = (const float *)r->bias + b->first;
    return;
  }
  for (uint32_t i = 0; i < b->count; i++) r->data.real.bias[i] = float_bias(r, b->first + i);
}

static void set_scale(run *r, arn__conv_block *b) {
  const bool by_channel = r->s->flags & ARN__CONV_BY_CHANNEL;
  const uint8_t *scales = r->e->model->bytes + r->s->with.real.scales_at;
  if (by_channel) scales += 4 * b->first;
  for (uint32_t i = 0; i < b->count; i++) {
    memcpy(&r->data.real.scale[i], scales + (by_channel ? 4 * i : 0), sizeof(float));
  }
  b->scale = r->data.real.scale;
}

static void block(run *r, arn__conv_block *b) {
  if (r->bias) set_bias(r, b);
  if (arn__conv_is_integer(r->s->filter_type)) set_scale(r, b);
}

const arn__conv_real arn__conv_real_nodes = {prepare, begin, block};
