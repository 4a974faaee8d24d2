#include "../model/glance.h"
#include "conv_parts.h"

enum { INPUT = ARN__CONV_INPUT, FILTER = ARN__CONV_FILTER, BIAS = ARN__CONV_BIAS, INPUTS = 3 };
enum { BATCH = 0, DOWN = 1, ALONG = 2, CHANNELS = 3, RANK = 4 };
enum { OPTION_PADDING = 0, OPTION_STRIDE_W = 1, OPTION_STRIDE_H = 2, OPTION_BIAS_TYPE = 6 };
enum { PADDING_SAME = 0, PADDING_VALID = 1 };

typedef arn__conv_tensors tensors;

// Options that DEPTHWISE_CONV_2D has one field later, behind the redundant depth multiplier.
static uint32_t option_activation(const tensors *t) { return t->depthwise ? 4 : 3; }
static uint32_t option_dilation_w(const tensors *t) { return t->depthwise ? 5 : 4; }
static uint32_t option_dilation_h(const tensors *t) { return t->depthwise ? 6 : 5; }

static arn_status read_tensors(const arn_prepare *p, tensors *t) {
  arn_status status = arn_prepare_counts(p, BIAS, INPUTS, 1);
  if (status == ARN_OK) status = arn_prepare_input(p, INPUT, &t->in);
  if (status == ARN_OK) status = arn_prepare_input(p, FILTER, &t->filter);
  if (status == ARN_OK) status = arn_prepare_output(p, 0, &t->out);
  t->has_bias = arn_prepare_has_input(p, BIAS);
  if (status == ARN_OK && t->has_bias) status = arn_prepare_input(p, BIAS, &t->bias);
  return status;
}

// ---- shapes -------------------------------------------------------------------------------------

static arn_status check_channels(const arn_prepare *p, const tensors *t) {
  const int32_t in = t->in.dims[CHANNELS], out = t->out.dims[CHANNELS];
  const int32_t filter = t->filter.dims[CHANNELS];
  if (in == 0 || t->filter.count == 0) return arn_refuse(p, ARN_WHAT_SHAPE, &t->filter);
  if (t->filter.dims[t->channel_axis] != out) return arn_refuse(p, ARN_WHAT_SHAPE, &t->out);
  if (t->depthwise) {
    const bool fits = t->filter.dims[0] == 1 && out % in == 0;
    return fits ? ARN_OK : arn_refuse(p, ARN_WHAT_SHAPE, &t->filter);
  }
  const bool fits = in % filter == 0 && out % (in / filter) == 0;
  return fits ? ARN_OK : arn_refuse(p, ARN_WHAT_SHAPE, &t->filter);
}

static arn_status check_shapes(const arn_prepare *p, const tensors *t) {
  if (t->in.rank != RANK) return arn_refuse(p, ARN_WHAT_RANK, &t->in);
  if (t->filter.rank != RANK) return arn_refuse(p, ARN_WHAT_RANK, &t->filter);
  if (t->out.rank != RANK) return arn_refuse(p, ARN_WHAT_RANK, &t->out);
  for (uint32_t i = 0; i < RANK; i++) {
    if (t->in.dims[i] > UINT16_MAX) return arn_refuse(p, ARN_WHAT_LIMIT, &t->in);
    if (t->filter.dims[i] > UINT16_MAX) return arn_refuse(p, ARN_WHAT_LIMIT, &t->filter);
    if (t->out.dims[i] > UINT16_MAX) return arn_refuse(p, ARN_WHAT_LIMIT, &t->out);
  }
  const arn_status status = check_channels(p, t);
  if (status != ARN_OK) return status;
  if (t->in.dims[BATCH] != t->out.dims[BATCH]) return arn_refuse(p, ARN_WHAT_SHAPE, &t->out);
  if (t->has_bias && t->bias.count != (uint32_t)t->out.dims[CHANNELS]) {
    return arn_refuse(p, ARN_WHAT_SHAPE, &t->bias);
  }
  return ARN_OK;
}

// One axis of the image.
typedef struct axis {
  int32_t in, out, kernel, stride, dilation, pad;
} axis;

// (in + stride - reach) / stride, rounded towards 0. Needs: reach <= INT32_MAX; 32 bits then hold
// the dividend, and divisions of 64 are large.
static int64_t outputs(const axis *a, int64_t reach) {
  const int64_t room = (int64_t)a->in + a->stride - reach;
  const uint32_t size = (uint32_t)(room < 0 ? -room : room) / (uint32_t)a->stride;
  return room < 0 ? -(int64_t)size : size;
}

// Sets the padding; stride and dilation become 1 where they make no difference. As in the
// reference, padding follows from the input and the options alone, even where they give a size
// below 1, and an output of another size is computed as if the image went on with padding: models
// rely on both.
static arn_status set_axis(const arn_prepare *p, const tensors *t, axis *a) {
  const int32_t padding = arn_option_u8(p, OPTION_PADDING, PADDING_SAME);
  if (padding > PADDING_VALID) return arn_refuse(p, ARN_WHAT_OPTION, NULL);
  if (a->stride < 1 || a->dilation < 1) return arn_refuse(p, ARN_WHAT_STRIDE, NULL);
  if (a->kernel == 1) a->dilation = 1;
  const int64_t reach = (int64_t)(a->kernel - 1) * a->dilation + 1;
  if (reach > INT32_MAX) return arn_refuse(p, ARN_WHAT_LIMIT, NULL);
  const int64_t out = outputs(a, padding == PADDING_SAME ? 1 : reach);
  const int64_t pad = ((out - 1) * a->stride + reach - a->in) / 2;
  a->pad = pad > 0 && pad <= UINT16_MAX ? (int32_t)pad : 0;
  if (a->out <= 1) a->stride = 1;
  const bool fits = a->stride <= UINT8_MAX && a->dilation <= UINT8_MAX && pad <= UINT16_MAX;
  // Positions of elements along a row, padding included, are counted in 32 bits.
  const int64_t last = a->out * (int64_t)a->stride + reach;
  const int64_t elements = (last + a->in) * t->in.dims[CHANNELS];
  if (!fits || elements > INT32_MAX) return arn_refuse(p, ARN_WHAT_LIMIT, NULL);
  return ARN_OK;
}

static void store_axes(arn__conv_state *s, const axis *down, const axis *along) {
  s->in_height = (uint16_t)down->in;
  s->out_height = (uint16_t)down->out;
  s->kernel_height = (uint16_t)down->kernel;
  s->stride_down = (uint8_t)down->stride;
  s->dilation_down = (uint8_t)down->dilation;
  s->pad_top = (uint16_t)down->pad;
  s->in_width = (uint16_t)along->in;
  s->out_width = (uint16_t)along->out;
  s->kernel_width = (uint16_t)along->kernel;
  s->stride_along = (uint8_t)along->stride;
  s->dilation_along = (uint8_t)along->dilation;
  s->pad_left = (uint16_t)along->pad;
}

static bool is_constant(const arn_tensor *t) { return t->flags & ARN_TENSOR_CONST; }

// An image one row high under a kernel one row high: the axes may be swapped.
static bool is_flat(const axis *down) {
  return down->in == 1 && down->kernel == 1 && down->out == 1;
}

// Returns ARN__CONV_WHOLE, ARN__CONV_BY_PIXELS or neither.
static uint8_t cut_of(const tensors *t, const axis *down, const axis *along) {
  const bool constant = is_constant(&t->filter) && (!t->has_bias || is_constant(&t->bias));
  if (!constant || t->in.dims[BATCH] != 1 || t->out.count == 0) return ARN__CONV_WHOLE;
  if (is_flat(down)) return 0;
  if (down->in == 1 && along->in > 1) return ARN__CONV_WHOLE;
  return down->out == 1 && along->out > 1 ? ARN__CONV_BY_PIXELS : 0;
}

static arn_status set_shapes(arn_prepare *p, const tensors *t, arn__conv_state *s) {
  axis down = {t->in.dims[DOWN], t->out.dims[DOWN], t->filter.dims[DOWN],
               arn_option_i32(p, OPTION_STRIDE_H, 0), arn_option_i32(p, option_dilation_h(t), 1),
               0};
  axis along = {t->in.dims[ALONG], t->out.dims[ALONG], t->filter.dims[ALONG],
                arn_option_i32(p, OPTION_STRIDE_W, 0),
                arn_option_i32(p, option_dilation_w(t), 1), 0};
  arn_status status = set_axis(p, t, &down);
  if (status == ARN_OK) status = set_axis(p, t, &along);
  if (status != ARN_OK) return status;
  s->batch = (uint16_t)t->in.dims[BATCH];
  s->in_channels = (uint16_t)t->in.dims[CHANNELS];
  s->out_channels = (uint16_t)t->out.dims[CHANNELS];
  s->group = (uint16_t)(t->depthwise ? t->out.dims[CHANNELS] / t->in.dims[CHANNELS]
                                     : t->filter.dims[CHANNELS]);
  s->flags = cut_of(t, &down, &along);
  const bool swap = s->flags == 0 && is_flat(&down);
  store_axes(s, swap ? &along : &down, swap ? &down : &along);
  if (s->flags == ARN__CONV_WHOLE) return ARN_OK;
  p->work = ARN_ROWS;
  p->rows = s->flags == ARN__CONV_BY_PIXELS ? s->out_width : s->out_height;
  return ARN_OK;
}

// ---- types --------------------------------------------------------------------------------------

// Returns ARN__CONV_KINDS where there is no kernel.
static arn__conv_kind kind_of(uint32_t in, uint32_t filter) {
  switch (in) {
    case ARN_INT8:
      if (filter == ARN_INT4) return ARN__CONV_S8_S4;
      return filter == ARN_INT8 ? ARN__CONV_S8 : ARN__CONV_KINDS;
    case ARN_UINT8: return filter == ARN_UINT8 ? ARN__CONV_U8 : ARN__CONV_KINDS;
    case ARN_INT16: return filter == ARN_INT8 ? ARN__CONV_S16 : ARN__CONV_KINDS;
    default: break;
  }
  switch (filter) {
    case ARN_FLOAT32: return ARN__CONV_F32;
    case ARN_FLOAT16:
    case ARN_INT8:
    case ARN_UINT8:
    case ARN_INT16:
    case ARN_INT4: return ARN__CONV_F32_ANY;
    default: return ARN__CONV_KINDS;
  }
}

static bool bias_fits(arn__conv_kind kind, uint32_t bias) {
  switch (kind) {
    case ARN__CONV_S8:
    case ARN__CONV_S8_S4:
    case ARN__CONV_U8: return bias == ARN_INT32;
    case ARN__CONV_S16: return bias == ARN_INT64 || bias == ARN_INT32;
    default:
      return bias == ARN_FLOAT32 || bias == ARN_FLOAT16 || bias == ARN_INT8 ||
             bias == ARN_INT16 || bias == ARN_INT32;
  }
}

static arn_status set_types(const arn_prepare *p, const tensors *t, arn__conv_state *s) {
  const uint32_t type = t->in.type;
  const arn__conv_kinds *kinds = p->op->kinds;
  if (!(p->op->types & ARN_TYPE_BIT(type))) return arn_refuse(p, ARN_WHAT_TYPE, &t->in);
  if (t->out.type != type) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->out);
  const arn__conv_kind kind = kind_of(type, t->filter.type);
  if (kind == ARN__CONV_KINDS) return arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->filter);
  if (kinds->rows[kind] == NULL) return arn_refuse(p, ARN_WHAT_TYPE, &t->filter);
  s->kind = (uint8_t)kind;
  s->filter_type = t->filter.type;
  if (!t->has_bias) {
    // An option says how wide the sums of CONV_2D are.
    const bool narrow = !t->depthwise && arn_option_u8(p, OPTION_BIAS_TYPE, 0) == ARN_INT32;
    if (kind == ARN__CONV_S16) s->bias_type = narrow ? ARN_INT32 : ARN_INT64;
    return ARN_OK;
  }
  s->bias_type = t->bias.type;
  if (t->bias.flags & ARN_TENSOR_SPARSE) return arn_refuse(p, ARN_WHAT_SPARSITY, &t->bias);
  return bias_fits(kind, t->bias.type) ? ARN_OK
                                       : arn_refuse(p, ARN_WHAT_TYPES_DIFFER, &t->bias);
}

// ---- quantisation -------------------------------------------------------------------------------

arn_status arn__conv_read_filter(const arn_prepare *p, const tensors *t, arn__conv_state *s,
                                 int32_t *zero) {
  const arn_tensor *f = &t->filter;
  const uint32_t channels = (uint32_t)t->out.dims[CHANNELS];
  if (f->scale_count != 1 && (f->scale_count != channels || f->quantised_axis != t->channel_axis)) {
    return arn_refuse(p, ARN_WHAT_QUANTISATION, f);
  }
  if (f->zero_count > 1 && f->zero_count != f->scale_count) {
    return arn_refuse_model(p, ARN_WHAT_QUANTISATION, f);
  }
  const int64_t first = arn_tensor_zero(p->model, f, 0);
  const arn__clamp range = arn__quantised_range(f->type);
  if (!arn__model_same_zeros(p->model, f)) return arn_refuse(p, ARN_WHAT_ZERO_POINT, f);
  if (first < range.low || first > range.high) return arn_refuse_model(p, ARN_WHAT_ZERO_POINT, f);
  *zero = (int32_t)first;
  if (f->scale_count > 1) s->flags |= ARN__CONV_BY_CHANNEL;
  return ARN_OK;
}

static arn_status set_scale(const arn_prepare *p, const tensors *t, float in, float out,
                            arn__conv_state *s) {
  const arn_tensor *f = &t->filter;
  arn__requant_source source;
  if (!arn__requant_source_init(&source, p->model->bytes, f->scales_at, f->scale_count, in, out)) {
    return arn_refuse_model(p, ARN_WHAT_SCALE, f);
  }
  arn__conv_scale *scale = &s->with.integer.scale;
  if (s->kind == ARN__CONV_U8) {
    if (f->scale_count > 1) return arn_refuse(p, ARN_WHAT_QUANTISATION, f);
    const float product = in * arn_tensor_scale(p->model, f, 0);  // as float, in the reference
    scale->one = arn__requant_ratio(product, 1.0f, out, 0);
  } else if (f->scale_count == 1) {
    scale->one = source.one;
  } else {
    if (source.step == ARN__REQUANT_REGULAR) s->flags |= ARN__CONV_REGULAR;
    scale->channels.scales_at = source.scales_at;
    scale->channels.in_scale = in;
    scale->channels.out_scale = out;
    scale->channels.ratio_high = source.ratio_high;
    scale->channels.ratio_low = source.ratio_low;
    scale->channels.ratio_exponent = source.ratio_exponent;
  }
  return ARN_OK;
}

static arn_status set_integer(const arn_prepare *p, const tensors *t, int32_t activation,
                              arn__conv_state *s) {
  float in_scale, out_scale;
  int32_t in_zero, out_zero, filter_zero;
  arn__clamp clamp;
  arn_status status = arn__quantised_read(p, &t->in, &in_scale, &in_zero);
  if (status == ARN_OK) status = arn__quantised_read(p, &t->out, &out_scale, &out_zero);
  if (status == ARN_OK) status = arn__conv_read_filter(p, t, s, &filter_zero);
  if (status == ARN_OK) {
    status = arn__quantised_clamp(p, activation, &t->out, out_scale, out_zero, &clamp);
  }
  if (status != ARN_OK) return status;
  if (s->kind != ARN__CONV_U8 && filter_zero) return arn_refuse(p, ARN_WHAT_ZERO_POINT, &t->filter);
  if (s->kind == ARN__CONV_S16 && in_zero) return arn_refuse(p, ARN_WHAT_ZERO_POINT, &t->in);
  if (s->kind == ARN__CONV_S16 && out_zero) return arn_refuse(p, ARN_WHAT_ZERO_POINT, &t->out);
  s->with.integer.low = (int16_t)(clamp.low - out_zero);
  s->with.integer.high = (int16_t)(clamp.high - out_zero);
  s->with.integer.in_zero = (int16_t)in_zero;
  s->with.integer.out_zero = (int16_t)out_zero;
  s->with.integer.filter_zero = (int16_t)filter_zero;
  return set_scale(p, t, in_scale, out_scale, s);
}

static uint32_t bytes_kept(const arn__conv_state *s) {
  if (s->flags & ARN__CONV_SPARSE) return sizeof *s;
  if (arn__conv_is_mixed(s)) return offsetof(arn__conv_state, with.real.filter_zero) + 4;
  if (s->kind >= ARN__CONV_F32) return offsetof(arn__conv_state, with.real.bias_scale);
  if (s->flags & ARN__CONV_BY_CHANNEL) return offsetof(arn__conv_state, sparse_at);
  return offsetof(arn__conv_state, with.integer.scale) + (uint32_t)sizeof(arn__requant);
}

static arn_status set_values(const arn_prepare *p, const tensors *t, arn__conv_state *s) {
  const arn__conv_kinds *kinds = p->op->kinds;
  const int32_t activation = arn_option_u8(p, option_activation(t), ARN__ACTIVATION_NONE);
  if (t->in.type == ARN_FLOAT32) return kinds->real->prepare(p, t, activation, s);
  return set_integer(p, t, activation, s);
}

static arn_status set_sparsity(arn_prepare *p, const tensors *t, arn__conv_state *s) {
  const arn__conv_kinds *kinds = p->op->kinds;
  if (!(t->filter.flags & ARN_TENSOR_SPARSE)) return ARN_OK;
  if (kinds->sparse == NULL) return arn_refuse(p, ARN_WHAT_SPARSITY, &t->filter);
  return kinds->sparse->prepare(p, t, s);
}

arn_status arn__conv_prepare(arn_prepare *p, void *state) {
  const arn__conv_kinds *kinds = p->op->kinds;
  arn__conv_state *s = state;
  tensors t;
  t.depthwise = kinds->depthwise;
  t.channel_axis = t.depthwise ? 3 : 0;
  memset(s, 0, sizeof *s);
  arn_status status = read_tensors(p, &t);
  if (status == ARN_OK) status = set_types(p, &t, s);
  if (status == ARN_OK) status = check_shapes(p, &t);
  if (status == ARN_OK) status = set_shapes(p, &t, s);
  if (status == ARN_OK) status = set_sparsity(p, &t, s);
  if (status == ARN_OK) status = set_values(p, &t, s);
  p->state_bytes = bytes_kept(s);
  return status;
}

void arn__conv_rows(const void *state, uint32_t input, arn_span out, arn_span *in) {
  const arn__conv_state *s = state;
  *in = (arn_span){0, 0};
  if (input != INPUT) return;
  if (s->flags & ARN__CONV_BY_PIXELS) {
    in->count = s->in_height;
    return;
  }
  const int32_t reach = (s->kernel_height - 1) * s->dilation_down + 1;
  const int32_t first = (int32_t)out.first * s->stride_down - s->pad_top;
  const int32_t end = first + ((int32_t)out.count - 1) * s->stride_down + reach;
  const int32_t from = first < 0 ? 0 : first, to = end < s->in_height ? end : s->in_height;
  if (to > from) *in = (arn_span){(uint32_t)from, (uint32_t)(to - from)};
}
