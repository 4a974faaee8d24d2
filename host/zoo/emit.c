// Writing a network through the builder: quantised, or in float.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/zoo/qnet.h"

static const char *const kind_names[] = {"input", "conv", "depthwise", "dense",
                                         "add",   "mean", "softmax"};

// By form.
static const arn_type output_types[] = {ARN_INT8, ARN_FLOAT32, ARN_INT16};

// A network being written: the tensor numbers of its layers' outputs.
struct emission {
  const arn_qnet *qnet;
  arn_builder *builder;
  arn_qnet_form form;
  int32_t outputs[ARN_NET_MAX_LAYERS];
};

static void format_name(const struct emission *e, uint32_t index, const char *suffix,
                        char name[64]) {
  const char *kind = kind_names[e->qnet->net->layers[index].kind];
  if (index == 0) snprintf(name, 64, "%s%s", kind, suffix);
  else snprintf(name, 64, "%02u_%s%s", index, kind, suffix);
}

// The scale of a layer's output: of int16, symmetric around 0.
static float output_scale(const struct emission *e, uint32_t index) {
  const arn_net_layer *layer = &e->qnet->net->layers[index];
  const float most = layer->high > -layer->low ? layer->high : -layer->low;
  if (e->form != ARN_QNET_INT16X8) return e->qnet->layers[index].scale;
  if (layer->kind == ARN_NET_SOFTMAX) return 1.0f / 32768;  // fixed by the specification
  return most > 0 ? most / 32767 : e->qnet->layers[index].scale;
}

static void emit_output(struct emission *e, uint32_t index) {
  const arn_net_layer *layer = &e->qnet->net->layers[index];
  const int64_t zero = e->form == ARN_QNET_INT8 ? e->qnet->layers[index].zero_point : 0;
  const float scale = output_scale(e, index);
  const bool is_flat = layer->kind == ARN_NET_DENSE || layer->kind == ARN_NET_MEAN ||
                       (layer->kind == ARN_NET_SOFTMAX && arn_net_size(layer) ==
                                                              (size_t)layer->channels);
  char name[64];
  format_name(e, index, "", name);
  arn_build_tensor tensor = {.name = name, .type = output_types[e->form], .rank = is_flat ? 2 : 4,
                             .shape = {1, layer->height, layer->width, layer->channels}};
  if (e->form != ARN_QNET_FLOAT32) tensor.quant = (arn_build_quant){&scale, &zero, 1, 0};
  if (is_flat) tensor.shape[1] = layer->channels;
  e->outputs[index] = arn_builder_tensor(e->builder, &tensor);
}

// Weights in float, in TFLite's order; the caller frees.
static float *float_weights(const arn_net_layer *layer, size_t count) {
  float *weights = calloc(count, sizeof *weights);
  for (size_t i = 0; weights && i < count; i++) {
    weights[arn_qnet_place(layer, count, i)] = layer->weights[i];
  }
  return weights;
}

static int32_t emit_weights(struct emission *e, uint32_t index) {
  const arn_net_layer *layer = &e->qnet->net->layers[index];
  const arn_net_layer *from = &e->qnet->net->layers[layer->input];
  const arn_qlayer *q = &e->qnet->layers[index];
  const size_t count = arn_net_weight_count(e->qnet->net, layer);
  char name[64];
  format_name(e, index, "/weights", name);
  arn_build_tensor tensor = {.name = name, .type = ARN_INT8, .data = q->weights,
                             .data_bytes = count, .rank = 4,
                             .quant = {q->weight_scales, NULL, q->weight_scale_count, 0}};
  const int32_t kh = layer->kernel_h, kw = layer->kernel_w;
  if (layer->kind == ARN_NET_DENSE) {
    tensor.rank = 2;
    memcpy(tensor.shape, (int32_t[2]){layer->channels, (int32_t)arn_net_size(from)}, 8);
  } else if (layer->kind == ARN_NET_DEPTHWISE) {
    tensor.quant.axis = 3;
    memcpy(tensor.shape, (int32_t[4]){1, kh, kw, layer->channels}, 16);
  } else {
    memcpy(tensor.shape, (int32_t[4]){layer->channels, kh, kw, from->channels}, 16);
  }
  if (e->form != ARN_QNET_FLOAT32) return arn_builder_tensor(e->builder, &tensor);
  float *weights = float_weights(layer, count);
  tensor.type = ARN_FLOAT32;
  tensor.data = weights;
  tensor.data_bytes = count * sizeof *weights;
  tensor.quant.count = 0;
  const int32_t emitted = arn_builder_tensor(e->builder, &tensor);
  free(weights);
  return emitted;
}

// Biases of int64, in units of the scales; the caller frees.
static int64_t *wide_bias(const arn_net_layer *layer, const float *scales, uint32_t scale_count) {
  int64_t *bias = calloc((size_t)layer->channels, sizeof *bias);
  for (int32_t c = 0; bias && c < layer->channels; c++) {
    bias[c] = llround((double)layer->bias[c] / (double)scales[scale_count > 1 ? c : 0]);
  }
  return bias;
}

static int32_t emit_bias(struct emission *e, uint32_t index) {
  const arn_net_layer *layer = &e->qnet->net->layers[index];
  const arn_qlayer *q = &e->qnet->layers[index];
  const float input_scale = output_scale(e, layer->input);
  float *scales = calloc(q->weight_scale_count, sizeof *scales);
  for (uint32_t c = 0; scales && c < q->weight_scale_count; c++) {
    scales[c] = input_scale * q->weight_scales[c];
  }
  char name[64];
  format_name(e, index, "/bias", name);
  const size_t channels = (size_t)layer->channels;
  int64_t *wide = scales && e->form == ARN_QNET_INT16X8
                      ? wide_bias(layer, scales, q->weight_scale_count) : NULL;
  arn_build_tensor tensor = {.name = name, .type = ARN_INT32, .data = q->bias, .rank = 1,
                             .data_bytes = channels * sizeof *q->bias, .shape = {layer->channels},
                             .quant = {scales, NULL, q->weight_scale_count, 0}};
  if (e->form == ARN_QNET_INT16X8) {
    tensor.type = ARN_INT64;
    tensor.data = wide;
    tensor.data_bytes = channels * sizeof *wide;
  } else if (e->form == ARN_QNET_FLOAT32) {
    tensor.type = ARN_FLOAT32;
    tensor.data = layer->bias;
    tensor.quant.count = 0;
  }
  const int32_t bias = arn_builder_tensor(e->builder, &tensor);
  free(wide);
  free(scales);
  return bias;
}

// The axes over which MEAN runs: height and width.
static int32_t emit_axes(struct emission *e, uint32_t index) {
  static const int32_t axes[2] = {1, 2};
  char name[64];
  format_name(e, index, "/axes", name);
  return arn_builder_tensor(e->builder, &(arn_build_tensor){
      .name = name, .type = ARN_INT32, .data = axes, .data_bytes = sizeof axes, .rank = 1,
      .shape = {2}});
}

// Operator codes, versions (of int8) and options, with one line a kind of layer.
static arn_build_operator describe(const arn_net_layer *l) {
  const double act = l->activation, stride = l->stride, pad = l->padding;
  switch (l->kind) {
    case ARN_NET_CONV:
      return (arn_build_operator){.code = ARN_BUILTIN_CONV_2D, .version = 3,
          .options.type = ARN_OPTIONS_CONV_2D, .options.values = {pad, stride, stride, act, 1, 1}};
    case ARN_NET_DEPTHWISE:
      return (arn_build_operator){.code = ARN_BUILTIN_DEPTHWISE_CONV_2D, .version = 3,
          .options.type = ARN_OPTIONS_DEPTHWISE_CONV_2D,
          .options.values = {pad, stride, stride, 1, act, 1, 1}};
    case ARN_NET_DENSE:
      return (arn_build_operator){.code = ARN_BUILTIN_FULLY_CONNECTED, .version = 4,
          .options.type = ARN_OPTIONS_FULLY_CONNECTED, .options.values = {act}};
    case ARN_NET_ADD:
      return (arn_build_operator){.code = ARN_BUILTIN_ADD, .version = 2,
          .options.type = ARN_OPTIONS_ADD, .options.values = {act, 1}};
    case ARN_NET_MEAN:
      return (arn_build_operator){.code = ARN_BUILTIN_MEAN, .version = 2,
          .options.type = ARN_OPTIONS_REDUCER, .options.values = {0}};
    default:
      return (arn_build_operator){.code = ARN_BUILTIN_SOFTMAX, .version = 2,
          .options.type = ARN_OPTIONS_SOFTMAX, .options.values = {1}};
  }
}

// The versions of the schema in which the operators take int16 activations; float is version 1.
static int32_t version_of(const struct emission *e, const arn_build_operator *o) {
  if (e->form == ARN_QNET_FLOAT32) return 1;
  if (e->form == ARN_QNET_INT8) return o->version;
  switch (o->code) {
    case ARN_BUILTIN_CONV_2D: return 4;
    case ARN_BUILTIN_DEPTHWISE_CONV_2D: return 5;
    case ARN_BUILTIN_FULLY_CONNECTED: return 7;
    default: return 3;
  }
}

static void emit_operator(struct emission *e, uint32_t index) {
  const arn_net_layer *layer = &e->qnet->net->layers[index];
  int32_t inputs[3] = {e->outputs[layer->input]};
  arn_build_operator operation = describe(layer);
  operation.version = version_of(e, &operation);
  operation.inputs = inputs;
  operation.input_count = 1;
  operation.outputs = &e->outputs[index];
  operation.output_count = 1;
  if (layer->weights) {
    inputs[1] = emit_weights(e, index);
    inputs[2] = emit_bias(e, index);
    operation.input_count = 3;
  } else if (layer->kind == ARN_NET_ADD || layer->kind == ARN_NET_MEAN) {
    inputs[1] = layer->kind == ARN_NET_ADD ? e->outputs[layer->other] : emit_axes(e, index);
    operation.input_count = 2;
  }
  arn_builder_operator(e->builder, &operation);
}

void arn_qnet_emit(const arn_qnet *qnet, arn_builder *builder, const arn_qnet_style *style) {
  struct emission e = {.qnet = qnet, .builder = builder, .form = style->form};
  const uint32_t count = qnet->net->count;
  const int32_t subgraph = arn_builder_subgraph(builder, style->name);
  for (uint32_t i = 0; i < count; i++) emit_output(&e, style->order ? style->order[i] : i);
  for (uint32_t i = 1; i < count; i++) emit_operator(&e, i);
  arn_builder_io(builder, &e.outputs[0], 1, &e.outputs[count - 1], 1);
  const arn_build_alias input = {"input", e.outputs[0]}, output = {"output", e.outputs[count - 1]};
  arn_builder_signature(builder, &(arn_build_signature){.key = "serving_default",
                                                        .subgraph = subgraph, .inputs = &input,
                                                        .input_count = 1, .outputs = &output,
                                                        .output_count = 1});
}
