// Writing a quantised network through the builder.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/zoo/qnet.h"

static const char *const kind_names[] = {"input", "conv", "depthwise", "dense",
                                         "add",   "mean", "softmax"};

// A network being written: the tensor numbers of its layers' outputs.
struct emission {
  const arn_qnet *qnet;
  arn_builder *builder;
  int32_t outputs[ARN_NET_MAX_LAYERS];
};

static void format_name(const struct emission *e, uint32_t index, const char *suffix,
                        char name[64]) {
  const char *kind = kind_names[e->qnet->net->layers[index].kind];
  if (index == 0) snprintf(name, 64, "%s%s", kind, suffix);
  else snprintf(name, 64, "%02u_%s%s", index, kind, suffix);
}

static void emit_output(struct emission *e, uint32_t index) {
  const arn_net_layer *layer = &e->qnet->net->layers[index];
  const arn_qlayer *q = &e->qnet->layers[index];
  const bool is_flat = layer->kind == ARN_NET_DENSE || layer->kind == ARN_NET_MEAN ||
                       (layer->kind == ARN_NET_SOFTMAX && arn_net_size(layer) ==
                                                              (size_t)layer->channels);
  char name[64];
  format_name(e, index, "", name);
  arn_build_tensor tensor = {.name = name, .type = ARN_INT8, .rank = is_flat ? 2 : 4,
                             .shape = {1, layer->height, layer->width, layer->channels},
                             .quant = {&q->scale, &(int64_t){q->zero_point}, 1, 0}};
  if (is_flat) tensor.shape[1] = layer->channels;
  e->outputs[index] = arn_builder_tensor(e->builder, &tensor);
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
  return arn_builder_tensor(e->builder, &tensor);
}

static int32_t emit_bias(struct emission *e, uint32_t index) {
  const arn_net_layer *layer = &e->qnet->net->layers[index];
  const arn_qlayer *q = &e->qnet->layers[index];
  const float input_scale = e->qnet->layers[layer->input].scale;
  float *scales = calloc(q->weight_scale_count, sizeof *scales);
  for (uint32_t c = 0; scales && c < q->weight_scale_count; c++) {
    scales[c] = input_scale * q->weight_scales[c];
  }
  char name[64];
  format_name(e, index, "/bias", name);
  const arn_build_tensor tensor = {.name = name, .type = ARN_INT32, .data = q->bias, .rank = 1,
                                   .data_bytes = (size_t)layer->channels * sizeof *q->bias,
                                   .shape = {layer->channels},
                                   .quant = {scales, NULL, q->weight_scale_count, 0}};
  const int32_t bias = arn_builder_tensor(e->builder, &tensor);
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

// Operator codes, versions (int8 kernels) and options, with one line a kind of layer.
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

static void emit_operator(struct emission *e, uint32_t index) {
  const arn_net_layer *layer = &e->qnet->net->layers[index];
  int32_t inputs[3] = {e->outputs[layer->input]};
  arn_build_operator operation = describe(layer);
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
  struct emission e = {.qnet = qnet, .builder = builder};
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
