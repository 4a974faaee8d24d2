#include "host/zoo/net.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// ---- describing ----

static uint32_t fail(arn_net *net, const char *reason) {
  if (!net->error) net->error = reason;
  return 0;
}

size_t arn_net_size(const arn_net_layer *layer) {
  return (size_t)layer->height * (size_t)layer->width * (size_t)layer->channels;
}

size_t arn_net_weight_count(const arn_net *net, const arn_net_layer *layer) {
  const arn_net_layer *input = &net->layers[layer->input];
  const size_t taps = (size_t)layer->kernel_h * (size_t)layer->kernel_w;
  switch (layer->kind) {
    case ARN_NET_CONV: return taps * (size_t)input->channels * (size_t)layer->channels;
    case ARN_NET_DEPTHWISE: return taps * (size_t)layer->channels;
    case ARN_NET_DENSE: return arn_net_size(input) * (size_t)layer->channels;
    default: return 0;
  }
}

uint64_t arn_net_macs(const arn_net *net) {
  uint64_t macs = 0;
  for (uint32_t i = 0; i < net->count; i++) {
    const arn_net_layer *layer = &net->layers[i];
    macs += (uint64_t)arn_net_weight_count(net, layer) * (uint64_t)(layer->height * layer->width);
  }
  return macs;
}

static bool side_fits(int32_t side) { return side >= 1 && side <= ARN_NET_MAX_SIDE; }

// Adds a layer whose shape is complete, with zeroed weights.
static uint32_t add(arn_net *net, const arn_net_layer *layer) {
  if (net->error) return 0;
  if (net->count == ARN_NET_MAX_LAYERS) return fail(net, "too many layers");
  if ((layer->kind == ARN_NET_INPUT) != (net->count == 0)) {
    return fail(net, "the input must be the first layer, and the only input");
  }
  if (net->count && (layer->input >= net->count || layer->other >= net->count)) {
    return fail(net, "no such layer");
  }
  if (!side_fits(layer->height) || !side_fits(layer->width) || !side_fits(layer->channels)) {
    return fail(net, "a layer has an impossible shape");
  }
  arn_net_layer *added = &net->layers[net->count];
  *added = *layer;
  const size_t weights = arn_net_weight_count(net, added);
  if (weights) {
    added->weights = calloc(weights, sizeof *added->weights);
    added->bias = calloc((size_t)added->channels, sizeof *added->bias);
    if (!added->weights || !added->bias) {
      free(added->weights);
      free(added->bias);
      return fail(net, "out of memory");
    }
  }
  return net->count++;
}

uint32_t arn_net_input(arn_net *net, int32_t height, int32_t width, int32_t channels) {
  return add(net, &(arn_net_layer){.kind = ARN_NET_INPUT, .height = height, .width = width,
                                   .channels = channels, .low = -1, .high = 1});
}

void arn_net_input_range(arn_net *net, float low, float high) {
  if (!(low <= 0 && high > 0)) {
    fail(net, "the range of the input must hold 0");
    return;
  }
  net->layers[0].low = low;
  net->layers[0].high = high;
}

// Gives the size of the output along one side, and the padding before the first element.
static int32_t slide(int32_t input, int32_t kernel, const arn_net_filter *filter, int32_t *pad) {
  const int32_t stride = filter->stride;
  *pad = 0;
  if (filter->padding == ARN_PADDING_VALID) {
    return input < kernel ? 0 : (input - kernel) / stride + 1;
  }
  const int32_t output = (input + stride - 1) / stride;
  const int32_t missing = (output - 1) * stride + kernel - input;
  if (missing > 0) *pad = missing / 2;
  return output;
}

static uint32_t add_filter(arn_net *net, uint32_t input, const arn_net_filter *filter,
                           arn_net_kind kind) {
  if (net->error) return 0;
  if (input >= net->count) return fail(net, "no such layer");
  if (!side_fits(filter->kernel_h) || !side_fits(filter->kernel_w) || !side_fits(filter->stride)) {
    return fail(net, "a filter has an impossible shape");
  }
  const arn_net_layer *from = &net->layers[input];
  arn_net_layer layer = {.kind = kind, .input = input, .kernel_h = filter->kernel_h,
                         .kernel_w = filter->kernel_w, .stride = filter->stride,
                         .padding = filter->padding, .activation = filter->activation,
                         .channels = filter->channels};
  if (kind == ARN_NET_DEPTHWISE) layer.channels = from->channels;
  layer.height = slide(from->height, filter->kernel_h, filter, &layer.pad_top);
  layer.width = slide(from->width, filter->kernel_w, filter, &layer.pad_left);
  return add(net, &layer);
}

uint32_t arn_net_conv(arn_net *net, uint32_t input, const arn_net_filter *filter) {
  return add_filter(net, input, filter, ARN_NET_CONV);
}

uint32_t arn_net_depthwise(arn_net *net, uint32_t input, const arn_net_filter *filter) {
  return add_filter(net, input, filter, ARN_NET_DEPTHWISE);
}

uint32_t arn_net_dense(arn_net *net, uint32_t input, int32_t units, int32_t activation) {
  return add(net, &(arn_net_layer){.kind = ARN_NET_DENSE, .input = input, .height = 1, .width = 1,
                                   .channels = units, .activation = activation});
}

uint32_t arn_net_add(arn_net *net, uint32_t input, uint32_t other) {
  if (net->error) return 0;
  if (input >= net->count || other >= net->count) return fail(net, "no such layer");
  const arn_net_layer *a = &net->layers[input], *b = &net->layers[other];
  if (a->height != b->height || a->width != b->width || a->channels != b->channels) {
    return fail(net, "only layers of one shape can be added");
  }
  return add(net, &(arn_net_layer){.kind = ARN_NET_ADD, .input = input, .other = other,
                                   .height = a->height, .width = a->width,
                                   .channels = a->channels});
}

uint32_t arn_net_mean(arn_net *net, uint32_t input) {
  if (net->error) return 0;
  if (input >= net->count) return fail(net, "no such layer");
  return add(net, &(arn_net_layer){.kind = ARN_NET_MEAN, .input = input, .height = 1, .width = 1,
                                   .channels = net->layers[input].channels});
}

uint32_t arn_net_softmax(arn_net *net, uint32_t input) {
  if (net->error) return 0;
  if (input >= net->count) return fail(net, "no such layer");
  const arn_net_layer *from = &net->layers[input];
  return add(net, &(arn_net_layer){.kind = ARN_NET_SOFTMAX, .input = input, .height = from->height,
                                   .width = from->width, .channels = from->channels});
}

void arn_net_free(arn_net *net) {
  for (uint32_t i = 0; i < net->count; i++) {
    free(net->layers[i].weights);
    free(net->layers[i].bias);
  }
  *net = (arn_net){0};
}

// ---- evaluating ----

bool arn_net_values_new(const arn_net *net, arn_net_values *values) {
  *values = (arn_net_values){0};
  for (uint32_t i = 0; i < net->count; i++) {
    values->layers[i] = calloc(arn_net_size(&net->layers[i]), sizeof(float));
    if (!values->layers[i]) {
      arn_net_values_free(values);
      return false;
    }
  }
  return net->count > 0;
}

void arn_net_values_free(arn_net_values *values) {
  for (uint32_t i = 0; i < ARN_NET_MAX_LAYERS; i++) free(values->layers[i]);
  *values = (arn_net_values){0};
}

// out[j] += factor * row[j]
static void add_scaled(float *out, float factor, const float *row, int32_t count) {
  for (int32_t j = 0; j < count; j++) out[j] += factor * row[j];
}

// out[j] += a[j] * b[j]
static void add_products(float *out, const float *a, const float *b, int32_t count) {
  for (int32_t j = 0; j < count; j++) out[j] += a[j] * b[j];
}

// One output pixel of a conv or a depthwise conv: the bias, plus each tap that lies in the input.
static void eval_pixel(const arn_net_layer *layer, const arn_net_layer *from, const float *in,
                       const int32_t at[2], float *out) {
  const int32_t in_channels = from->channels;
  const bool is_depthwise = layer->kind == ARN_NET_DEPTHWISE;
  const size_t tap_weights = (size_t)layer->channels * (size_t)(is_depthwise ? 1 : in_channels);
  memcpy(out, layer->bias, (size_t)layer->channels * sizeof *out);
  for (int32_t tap = 0; tap < layer->kernel_h * layer->kernel_w; tap++) {
    const int32_t y = at[0] * layer->stride - layer->pad_top + tap / layer->kernel_w;
    const int32_t x = at[1] * layer->stride - layer->pad_left + tap % layer->kernel_w;
    if (y < 0 || x < 0 || y >= from->height || x >= from->width) continue;
    const float *pixel = in + ((size_t)y * (size_t)from->width + (size_t)x) * (size_t)in_channels;
    const float *weights = layer->weights + (size_t)tap * tap_weights;
    if (is_depthwise) {
      add_products(out, pixel, weights, in_channels);
      continue;
    }
    for (int32_t c = 0; c < in_channels; c++) {
      add_scaled(out, pixel[c], weights + (size_t)c * (size_t)layer->channels, layer->channels);
    }
  }
}

static void eval_filter(const arn_net_layer *layer, const arn_net_layer *from, const float *in,
                        float *out) {
  for (int32_t y = 0; y < layer->height; y++) {
    for (int32_t x = 0; x < layer->width; x++) {
      eval_pixel(layer, from, in, (const int32_t[2]){y, x}, out);
      out += layer->channels;
    }
  }
}

static void eval_dense(const arn_net_layer *layer, size_t inputs, const float *in, float *out) {
  memcpy(out, layer->bias, (size_t)layer->channels * sizeof *out);
  for (size_t i = 0; i < inputs; i++) {
    add_scaled(out, in[i], layer->weights + i * (size_t)layer->channels, layer->channels);
  }
}

static void eval_mean(const arn_net_layer *layer, size_t inputs, const float *in, float *out) {
  const size_t channels = (size_t)layer->channels;
  memset(out, 0, channels * sizeof *out);
  for (size_t i = 0; i < inputs; i++) out[i % channels] += in[i];
  for (size_t c = 0; c < channels; c++) out[c] /= (float)(inputs / channels);
}

static void eval_softmax(const arn_net_layer *layer, const float *in, float *out) {
  const size_t channels = (size_t)layer->channels;
  for (size_t at = 0; at < arn_net_size(layer); at += channels) {
    float largest = in[at], sum = 0;
    for (size_t c = 1; c < channels; c++) largest = fmaxf(largest, in[at + c]);
    for (size_t c = 0; c < channels; c++) sum += out[at + c] = expf(in[at + c] - largest);
    for (size_t c = 0; c < channels; c++) out[at + c] /= sum;
  }
}

void arn_net_eval_linear(const arn_net *net, uint32_t index, const arn_net_values *values) {
  const arn_net_layer *layer = &net->layers[index];
  const arn_net_layer *from = &net->layers[layer->input];
  const float *in = values->layers[layer->input];
  float *out = values->layers[index];
  switch (layer->kind) {
    case ARN_NET_INPUT: break;
    case ARN_NET_CONV:
    case ARN_NET_DEPTHWISE: eval_filter(layer, from, in, out); break;
    case ARN_NET_DENSE: eval_dense(layer, arn_net_size(from), in, out); break;
    case ARN_NET_MEAN: eval_mean(layer, arn_net_size(from), in, out); break;
    case ARN_NET_SOFTMAX: eval_softmax(layer, in, out); break;
    case ARN_NET_ADD:
      memcpy(out, in, arn_net_size(layer) * sizeof *out);
      for (size_t i = 0; i < arn_net_size(layer); i++) out[i] += values->layers[layer->other][i];
      break;
  }
}

void arn_net_activate(const arn_net *net, uint32_t index, const arn_net_values *values) {
  const arn_net_layer *layer = &net->layers[index];
  const float ceiling = layer->activation == ARN_ACTIVATION_RELU6 ? 6.0f : INFINITY;
  float *out = values->layers[index];
  if (layer->activation == ARN_ACTIVATION_NONE) return;
  for (size_t i = 0; i < arn_net_size(layer); i++) out[i] = fminf(fmaxf(out[i], 0), ceiling);
}

void arn_net_run(const arn_net *net, const arn_net_values *values) {
  for (uint32_t i = 1; i < net->count; i++) {
    arn_net_eval_linear(net, i, values);
    arn_net_activate(net, i, values);
  }
}

void arn_net_observe(arn_net *net, const arn_net_values *values) {
  arn_net_run(net, values);
  for (uint32_t i = 1; i < net->count; i++) {
    arn_net_layer *layer = &net->layers[i];
    for (size_t k = 0; k < arn_net_size(layer); k++) {
      layer->low = fminf(layer->low, values->layers[i][k]);
      layer->high = fmaxf(layer->high, values->layers[i][k]);
    }
  }
}
