// The int8 arithmetic of TFLite's reference kernels, written from its published description.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/zoo/qnet.h"

// A real multiplier as q * 2^(shift - 31).
struct multiplier {
  int32_t q;
  int shift;
};

static struct multiplier split(double real) {
  struct multiplier m = {0, 0};
  if (real == 0) return m;
  int64_t q = (int64_t)round(frexp(real, &m.shift) * 0x1p31);
  if (q == INT64_C(1) << 31) {
    q /= 2;
    m.shift++;
  }
  if (m.shift < -31) return (struct multiplier){0, 0};
  m.q = (int32_t)q;
  return m;
}

// value * multiplier, rounded twice: to the nearest 2^-31 (halves up), then to an integer (halves
// away from zero).
static int32_t requantise(int32_t value, struct multiplier m) {
  const int64_t shifted = (int64_t)value * (m.shift > 0 ? INT64_C(1) << m.shift : 1);
  const int64_t product = (int64_t)(int32_t)shifted * m.q;
  const int64_t nudge = product >= 0 ? INT64_C(1) << 30 : 1 - (INT64_C(1) << 30);
  const int64_t high = (product + nudge) / (INT64_C(1) << 31);
  const int right = m.shift < 0 ? -m.shift : 0;
  const int64_t half = right ? INT64_C(1) << (right - 1) : 0;
  const int64_t magnitude = ((high < 0 ? -high : high) + half) >> right;
  return (int32_t)(high < 0 ? -magnitude : magnitude);
}

// Bounds of an output, from its activation.
struct bounds {
  int32_t low, high;
};

static struct bounds bounds_of(const arn_net_layer *layer, const arn_qlayer *q) {
  struct bounds b = {-128, 127};
  if (layer->activation == ARN_ACTIVATION_NONE) return b;
  if (q->zero_point > b.low) b.low = q->zero_point;
  const float six = (float)q->zero_point + roundf(6.0f / q->scale);
  if (layer->activation == ARN_ACTIVATION_RELU6 && six < 127) b.high = (int32_t)six;
  return b;
}

static int8_t clamp(int32_t value, struct bounds b) {
  return (int8_t)(value < b.low ? b.low : value > b.high ? b.high : value);
}

// A layer being run, with what its inner loops need.
struct run {
  const arn_net_layer *layer, *from;
  const arn_qlayer *q, *q_from;
  const int8_t *in;
  struct bounds bounds;
};

static double scale_of(const struct run *r, int32_t channel) {
  const float *scales = r->q->weight_scales;
  if (r->q->weight_scale_count > 1 || r->layer->kind != ARN_NET_DENSE) {
    return (double)r->q_from->scale * (double)scales[channel] / (double)r->q->scale;
  }
  return (double)(r->q_from->scale * scales[0]) / (double)r->q->scale;
}

// The sum over the taps of one output of a conv or a depthwise conv, at row y, column x.
static int32_t sum_taps(const struct run *r, int32_t y, int32_t x, int32_t channel) {
  const arn_net_layer *l = r->layer;
  const bool is_depthwise = l->kind == ARN_NET_DEPTHWISE;
  const int32_t in_channels = r->from->channels, taps = l->kernel_h * l->kernel_w;
  int32_t sum = r->q->bias[channel];
  for (int32_t tap = 0; tap < taps; tap++) {
    const int32_t iy = y * l->stride - l->pad_top + tap / l->kernel_w;
    const int32_t ix = x * l->stride - l->pad_left + tap % l->kernel_w;
    if (iy < 0 || ix < 0 || iy >= r->from->height || ix >= r->from->width) continue;
    const int8_t *pixel = r->in + (iy * r->from->width + ix) * in_channels;
    if (is_depthwise) {
      const int32_t weight = r->q->weights[tap * l->channels + channel];
      sum += (pixel[channel] - r->q_from->zero_point) * weight;
      continue;
    }
    const int8_t *weights = r->q->weights + (channel * taps + tap) * in_channels;
    for (int32_t c = 0; c < in_channels; c++) {
      sum += (pixel[c] - r->q_from->zero_point) * weights[c];
    }
  }
  return sum;
}

static void run_filter(const struct run *r, int8_t *out) {
  const arn_net_layer *l = r->layer;
  for (int32_t c = 0; c < l->channels; c++) {
    const struct multiplier m = split(scale_of(r, c));
    for (int32_t pixel = 0; pixel < l->height * l->width; pixel++) {
      const int32_t sum = sum_taps(r, pixel / l->width, pixel % l->width, c);
      out[pixel * l->channels + c] = clamp(requantise(sum, m) + r->q->zero_point, r->bounds);
    }
  }
}

static void run_dense(const struct run *r, int8_t *out) {
  const size_t inputs = arn_net_size(r->from);
  const struct multiplier m = split(scale_of(r, 0));
  for (int32_t c = 0; c < r->layer->channels; c++) {
    const int8_t *weights = r->q->weights + (size_t)c * inputs;
    int32_t sum = r->q->bias[c];
    for (size_t i = 0; i < inputs; i++) sum += (r->in[i] - r->q_from->zero_point) * weights[i];
    out[c] = clamp(requantise(sum, m) + r->q->zero_point, r->bounds);
  }
}

static void run_add(const struct run *r, const arn_qlayer *q_other, const int8_t *other,
                    int8_t *out) {
  const double twice = 2 * fmax((double)r->q_from->scale, (double)q_other->scale);
  const struct multiplier a = split(r->q_from->scale / twice), b = split(q_other->scale / twice);
  const struct multiplier m = split(twice / (0x1p20 * (double)r->q->scale));
  for (size_t i = 0; i < arn_net_size(r->layer); i++) {
    const int32_t left = requantise((r->in[i] - r->q_from->zero_point) * (1 << 20), a);
    const int32_t right = requantise((other[i] - q_other->zero_point) * (1 << 20), b);
    out[i] = clamp(requantise(left + right, m) + r->q->zero_point, r->bounds);
  }
}

// Sums are taken exactly; the division by their count goes into the multiplier.
static void run_mean(const struct run *r, int8_t *out) {
  const int32_t channels = r->layer->channels, pixels = r->from->height * r->from->width;
  struct multiplier m = split((double)r->q_from->scale / (double)r->q->scale);
  int shift = 0;
  while (pixels >> (shift + 1)) shift++;
  if (shift > 31 + m.shift) shift = 31 + m.shift;
  m.q = (int32_t)(((int64_t)m.q << shift) / pixels);
  m.shift -= shift;
  for (int32_t c = 0; c < channels; c++) {
    int32_t sum = -pixels * r->q_from->zero_point;
    for (int32_t pixel = 0; pixel < pixels; pixel++) sum += r->in[pixel * channels + c];
    out[c] = clamp(requantise(sum, m) + r->q->zero_point, r->bounds);
  }
}

bool arn_qnet_run(const arn_qnet *qnet, const arn_qnet_values *values) {
  const arn_net *net = qnet->net;
  for (uint32_t i = 1; i < net->count; i++) {
    const arn_net_layer *layer = &net->layers[i];
    const struct run r = {.layer = layer, .from = &net->layers[layer->input],
                          .q = &qnet->layers[i], .q_from = &qnet->layers[layer->input],
                          .in = values->layers[layer->input],
                          .bounds = bounds_of(layer, &qnet->layers[i])};
    int8_t *out = values->layers[i];
    switch (layer->kind) {
      case ARN_NET_INPUT: return false;
      case ARN_NET_CONV:
      case ARN_NET_DEPTHWISE: run_filter(&r, out); break;
      case ARN_NET_DENSE: run_dense(&r, out); break;
      case ARN_NET_ADD:
        run_add(&r, &qnet->layers[layer->other], values->layers[layer->other], out);
        break;
      case ARN_NET_MEAN: run_mean(&r, out); break;
      case ARN_NET_SOFTMAX:
        if (i + 1 < net->count) return false;
        memcpy(out, r.in, arn_net_size(layer));
        break;
    }
  }
  return true;
}

bool arn_qnet_values_new(const arn_qnet *qnet, arn_qnet_values *values) {
  *values = (arn_qnet_values){0};
  for (uint32_t i = 0; i < qnet->net->count; i++) {
    values->layers[i] = calloc(arn_net_size(&qnet->net->layers[i]), 1);
    if (!values->layers[i]) {
      arn_qnet_values_free(values);
      return false;
    }
  }
  return true;
}

void arn_qnet_values_free(arn_qnet_values *values) {
  for (uint32_t i = 0; i < ARN_NET_MAX_LAYERS; i++) free(values->layers[i]);
  *values = (arn_qnet_values){0};
}

uint32_t arn_qnet_largest(const int8_t *values, size_t count) {
  uint32_t largest = 0;
  for (uint32_t i = 1; i < count; i++) {
    if (values[i] > values[largest]) largest = i;
  }
  return largest;
}
