// Small networks in float: described, evaluated, given weights, observed.
//
// The networks of examples/ and of the zoo are made here: described layer by layer, given trained
// or random weights, run on sample inputs to see the range of every layer, and then quantised to
// int8 (qnet.h) and written as .tflite. It is a maker of test material: simple loops, batch of one.
//
// A layer is known by its index and its output is [height][width][channels]; layer 0 is the input.
// The first error is kept in net->error; later calls do nothing and return 0.
#ifndef ARENITE_HOST_ZOO_NET_H
#define ARENITE_HOST_ZOO_NET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "host/rewrite/schema.h"

enum { ARN_NET_MAX_LAYERS = 128, ARN_NET_MAX_SIDE = 4096 };

typedef enum arn_net_kind {
  ARN_NET_INPUT,
  ARN_NET_CONV,
  ARN_NET_DEPTHWISE,
  ARN_NET_DENSE,  // fully connected, over all that its input holds
  ARN_NET_ADD,
  ARN_NET_MEAN,  // over height and width
  ARN_NET_SOFTMAX,
} arn_net_kind;

typedef struct arn_net_layer {
  arn_net_kind kind;
  uint32_t input, other;  // layers read; `other` by ADD
  int32_t height, width, channels;  // of the output
  int32_t kernel_h, kernel_w, stride;
  int32_t pad_top, pad_left;
  int32_t padding, activation;  // ARN_PADDING_..., ARN_ACTIVATION_...
  float *weights;  // conv: [kernel_h][kernel_w][in][out]; depthwise: [kernel_h][kernel_w][channel];
                   // dense: [in][out]
  float *bias;     // [channels]
  float low, high;  // range of the output seen so far, with 0 inside
} arn_net_layer;

typedef struct arn_net {
  arn_net_layer layers[ARN_NET_MAX_LAYERS];
  uint32_t count;
  const char *error;
} arn_net;

// The shape of a filter. Zero padding is SAME, zero activation NONE (as in the schema).
typedef struct arn_net_filter {
  int32_t channels;  // of the output; not for depthwise, which keeps those of its input
  int32_t kernel_h, kernel_w, stride;
  int32_t padding, activation;
} arn_net_filter;

// The outputs of all layers for one input.
typedef struct arn_net_values {
  float *layers[ARN_NET_MAX_LAYERS];  // owned
} arn_net_values;

// Adds a layer and returns its index. Weights and biases are zero. Needs: *net zeroed before the
// first call. The input takes values from -1 to 1 unless arn_net_input_range says otherwise.
uint32_t arn_net_input(arn_net *net, int32_t height, int32_t width, int32_t channels);
uint32_t arn_net_conv(arn_net *net, uint32_t input, const arn_net_filter *filter);
uint32_t arn_net_depthwise(arn_net *net, uint32_t input, const arn_net_filter *filter);
uint32_t arn_net_dense(arn_net *net, uint32_t input, int32_t units, int32_t activation);
uint32_t arn_net_add(arn_net *net, uint32_t input, uint32_t other);
uint32_t arn_net_mean(arn_net *net, uint32_t input);
uint32_t arn_net_softmax(arn_net *net, uint32_t input);

// Sets the range of the input. Needs: low <= 0 < high.
void arn_net_input_range(arn_net *net, float low, float high);

// Frees the weights and zeroes the network.
void arn_net_free(arn_net *net);

// Counts of the elements of a layer's output, weights, and multiply-accumulates.
size_t arn_net_size(const arn_net_layer *layer);
size_t arn_net_weight_count(const arn_net *net, const arn_net_layer *layer);
uint64_t arn_net_macs(const arn_net *net);

// Allocates room for the outputs of all layers. Fails: false; nothing is then owned.
bool arn_net_values_new(const arn_net *net, arn_net_values *values);
void arn_net_values_free(arn_net_values *values);

// Computes layer `index` from the layers before it: without its activation, and the activation
// alone.
void arn_net_eval_linear(const arn_net *net, uint32_t index, const arn_net_values *values);
void arn_net_activate(const arn_net *net, uint32_t index, const arn_net_values *values);

// Computes all layers from values->layers[0].
void arn_net_run(const arn_net *net, const arn_net_values *values);

// As arn_net_run, and widens the range of each layer by what came out.
void arn_net_observe(arn_net *net, const arn_net_values *values);

// Gives every layer random weights from a seed, and scales and biases that leave each channel with
// a plausible spread, as training with batch normalisation would: measured on `sample_count` random
// inputs, which are then observed. The same seed gives the same network on every machine that
// computes IEEE floats without contraction. Fails: false (memory; an error of the network).
bool arn_net_randomise(arn_net *net, uint64_t seed, uint32_t sample_count);

// A stream of random numbers: splitmix64, and from it floats in [-1, 1).
uint64_t arn_random_u64(uint64_t *state);
float arn_random_f32(uint64_t *state);

#endif
