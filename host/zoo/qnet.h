// A network quantised to int8, by the TFLite int8 specification: convolution weights symmetric per
// output channel, dense weights symmetric per tensor, activations asymmetric per tensor from the
// ranges observed, bias int32 in units of input scale * weight scale.
//
// It can be written as .tflite, and it can be run here. The run is an independent simulation of the
// integer arithmetic: it shares no code with the engine, which is what makes it worth comparing
// with.
#ifndef ARENITE_HOST_ZOO_QNET_H
#define ARENITE_HOST_ZOO_QNET_H

#include "host/rewrite/builder.h"
#include "host/zoo/net.h"

// What quantisation adds to a layer. Pointers are owned.
typedef struct arn_qlayer {
  float scale;  // of the output
  int32_t zero_point;
  int8_t *weights;  // in TFLite's order: conv [out][kernel_h][kernel_w][in], depthwise
                    // [kernel_h][kernel_w][channel], dense [out][in]
  float *weight_scales;
  uint32_t weight_scale_count;  // channels, or 1 for a dense layer
  int32_t *bias;
} arn_qlayer;

typedef struct arn_qnet {
  const arn_net *net;  // borrowed
  arn_qlayer layers[ARN_NET_MAX_LAYERS];
} arn_qnet;

// The types that a network is written in: all int8; float32 without quantisation; activations of
// int16 (symmetric) with weights of int8 and biases of int64.
typedef enum arn_qnet_form { ARN_QNET_INT8, ARN_QNET_FLOAT32, ARN_QNET_INT16X8 } arn_qnet_form;

// How to write a network.
typedef struct arn_qnet_style {
  const char *name;
  arn_qnet_form form;
  // Layers in the order in which their outputs get tensor numbers, all of them once; NULL: in order
  // of execution. Weights and biases are numbered after the layers' outputs.
  const uint32_t *order;
} arn_qnet_style;

// Quantises a network whose ranges were observed. Borrows net until arn_qnet_free. Fails: false
// (memory; an error of the network); *qnet is then empty.
bool arn_qnet_quantise(arn_qnet *qnet, const arn_net *net);
void arn_qnet_free(arn_qnet *qnet);

// Returns where weight `at` of a layer with `weights` of them goes in TFLite's order.
size_t arn_qnet_place(const arn_net_layer *layer, size_t weights, size_t at);

// Adds the network to a builder as a subgraph with a signature "serving_default" (input, output).
// Errors are the builder's.
void arn_qnet_emit(const arn_qnet *qnet, arn_builder *builder, const arn_qnet_style *style);

// Room for the outputs of all layers.
typedef struct arn_qnet_values {
  int8_t *layers[ARN_NET_MAX_LAYERS];  // owned
} arn_qnet_values;

bool arn_qnet_values_new(const arn_qnet *qnet, arn_qnet_values *values);
void arn_qnet_values_free(arn_qnet_values *values);

// Computes all layers from values->layers[0]. Fails: false on a softmax that is not the last layer;
// a last softmax is left out, since it does not change which output is largest.
bool arn_qnet_run(const arn_qnet *qnet, const arn_qnet_values *values);

// Returns the index of the largest value, the first of equals. Needs: count > 0.
uint32_t arn_qnet_largest(const int8_t *values, size_t count);

#endif
