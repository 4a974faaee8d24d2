#include <math.h>
#include <stdlib.h>

#include "host/zoo/qnet.h"

// Rounds half away from zero and saturates.
static int32_t round_clamped(double value, double low, double high) {
  return (int32_t)fmin(fmax(round(value), low), high);
}

static void quantise_output(const arn_net_layer *layer, const arn_qlayer *from, arn_qlayer *out) {
  if (layer->kind == ARN_NET_SOFTMAX) {  // fixed by the specification
    out->scale = 1.0f / 256;
    out->zero_point = -128;
    return;
  }
  const float range = layer->high - layer->low;
  if (!(range > 0)) {  // a layer that is always 0
    out->scale = from ? from->scale : 1;
    return;
  }
  out->scale = range / 255;
  out->zero_point = round_clamped(-128 - (double)layer->low / out->scale, -128, 127);
}

// Where a weight goes: the net keeps output channels innermost, TFLite outermost (not depthwise).
size_t arn_qnet_place(const arn_net_layer *layer, size_t weights, size_t at) {
  const size_t channels = (size_t)layer->channels;
  if (layer->kind == ARN_NET_DEPTHWISE) return at;
  return at % channels * (weights / channels) + at / channels;
}

static void quantise_weights(const arn_net *net, const arn_net_layer *layer, arn_qlayer *out) {
  const size_t weights = arn_net_weight_count(net, layer), channels = (size_t)layer->channels;
  const bool per_channel = out->weight_scale_count > 1 || channels == 1;
  for (size_t i = 0; i < weights; i++) {
    float *scale = &out->weight_scales[per_channel ? i % channels : 0];
    *scale = fmaxf(*scale, fabsf(layer->weights[i]) / 127);
  }
  for (uint32_t c = 0; c < out->weight_scale_count; c++) {
    if (!(out->weight_scales[c] > 0)) out->weight_scales[c] = 1;  // a channel of zeros
  }
  for (size_t i = 0; i < weights; i++) {
    const double scale = out->weight_scales[per_channel ? i % channels : 0];
    out->weights[arn_qnet_place(layer, weights, i)] =
        (int8_t)round_clamped(layer->weights[i] / scale, -127, 127);
  }
}

static void quantise_bias(const arn_net_layer *layer, float input_scale, arn_qlayer *out) {
  for (int32_t c = 0; c < layer->channels; c++) {
    const float weight_scale = out->weight_scales[out->weight_scale_count > 1 ? c : 0];
    out->bias[c] = round_clamped(layer->bias[c] / ((double)input_scale * weight_scale), INT32_MIN,
                                 INT32_MAX);
  }
}

static bool quantise_layer(arn_qnet *qnet, uint32_t index) {
  const arn_net_layer *layer = &qnet->net->layers[index];
  const size_t weights = arn_net_weight_count(qnet->net, layer);
  const size_t channels = (size_t)layer->channels;
  arn_qlayer *out = &qnet->layers[index];
  quantise_output(layer, index ? &qnet->layers[layer->input] : NULL, out);
  if (!weights) return true;
  out->weight_scale_count = layer->kind == ARN_NET_DENSE ? 1 : (uint32_t)channels;
  out->weights = calloc(weights, sizeof *out->weights);
  out->weight_scales = calloc(channels, sizeof *out->weight_scales);
  out->bias = calloc(channels, sizeof *out->bias);
  if (!out->weights || !out->weight_scales || !out->bias) return false;
  quantise_weights(qnet->net, layer, out);
  quantise_bias(layer, qnet->layers[layer->input].scale, out);
  return true;
}

bool arn_qnet_quantise(arn_qnet *qnet, const arn_net *net) {
  *qnet = (arn_qnet){.net = net};
  bool done = !net->error && net->count > 0;
  for (uint32_t i = 0; done && i < net->count; i++) done = quantise_layer(qnet, i);
  if (!done) arn_qnet_free(qnet);
  return done;
}

void arn_qnet_free(arn_qnet *qnet) {
  for (uint32_t i = 0; i < ARN_NET_MAX_LAYERS; i++) {
    free(qnet->layers[i].weights);
    free(qnet->layers[i].weight_scales);
    free(qnet->layers[i].bias);
  }
  *qnet = (arn_qnet){0};
}
