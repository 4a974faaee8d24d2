// Random weights with the statistics of a trained network.
//
// Weights alone do not make a plausible network: without training, activations die out or grow
// layer by layer, and int8 outputs are then constant or saturated. So each channel's scale and bias
// are set from what its outputs are on sample inputs (what batch normalisation leaves behind):
// spread and centre are drawn around fixed targets, a little different for each channel.
#include <math.h>
#include <stdlib.h>

#include "host/zoo/net.h"

uint64_t arn_random_u64(uint64_t *state) {
  uint64_t z = *state += 0x9E3779B97F4A7C15u;
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
  return z ^ (z >> 31);
}

float arn_random_f32(uint64_t *state) {
  return (float)((int32_t)(arn_random_u64(state) >> 40) - 8388608) * (1.0f / 8388608.0f);
}

// One noise input: even samples are flat noise over the range, odd ones lie around a level of their
// own, so that inputs differ in more than their noise.
static void draw_input(const arn_net_layer *input, uint32_t sample, uint64_t *state, float *out) {
  const float centre = (input->low + input->high) / 2, half = (input->high - input->low) / 2;
  const float level = sample % 2 ? 0.5f * arn_random_f32(state) : 0;
  const float spread = sample % 2 ? 0.5f : 1;
  for (size_t i = 0; i < arn_net_size(input); i++) {
    out[i] = centre + half * (level + spread * arn_random_f32(state));
  }
}

// Samples and random numbers of one randomisation.
struct bench {
  arn_net_values *samples;
  uint32_t sample_count;
  uint64_t state;
};

// Where the values of a group of channels lie: `step` apart, `count` in each sample.
struct group {
  size_t first, step, count;
};

// Mean and standard deviation over a group in all samples.
static void measure(const struct bench *bench, uint32_t layer, const struct group *group,
                    double *mean, double *deviation) {
  double sum = 0, squares = 0;
  for (uint32_t s = 0; s < bench->sample_count; s++) {
    const float *values = bench->samples[s].layers[layer] + group->first;
    for (size_t i = 0; i < group->count; i++) {
      const double value = values[i * group->step];
      sum += value;
      squares += value * value;
    }
  }
  const double n = (double)group->count * bench->sample_count;
  *mean = sum / n;
  const double variance = squares / n - *mean * *mean;
  *deviation = variance > 1e-12 ? sqrt(variance) : 1e-6;
}

// Turns the values of a channel, and the weights that make them, into value * gain + bias.
static void rescale(const struct bench *bench, arn_net *net, uint32_t index, int32_t channel,
                    const float affine[2]) {
  arn_net_layer *layer = &net->layers[index];
  const size_t step = (size_t)layer->channels, first = (size_t)channel;
  const size_t weights = arn_net_weight_count(net, layer);
  for (size_t i = first; i < weights; i += step) layer->weights[i] *= affine[0];
  layer->bias[channel] = affine[1];
  for (uint32_t s = 0; s < bench->sample_count; s++) {
    float *values = bench->samples[s].layers[index];
    for (size_t i = first; i < arn_net_size(layer); i += step) {
      values[i] = values[i] * affine[0] + affine[1];
    }
  }
}

// Gives each channel a spread around 1 and a centre around 0, or above it before a rectifier. The
// outputs of a dense layer are few: they are measured together.
static void normalise(struct bench *bench, arn_net *net, uint32_t index) {
  const arn_net_layer *layer = &net->layers[index];
  const bool together = layer->kind == ARN_NET_DENSE;
  const float centre = layer->activation == ARN_ACTIVATION_NONE ? 0.0f : 0.5f;
  double mean = 0, deviation = 1;
  for (int32_t c = 0; c < layer->channels; c++) {
    const struct group group = {together ? 0 : (size_t)c, together ? 1 : (size_t)layer->channels,
                                arn_net_size(layer) / (together ? 1 : (size_t)layer->channels)};
    if (!together || c == 0) measure(bench, index, &group, &mean, &deviation);
    const float spread = together ? 2.0f : 1.0f + 0.5f * arn_random_f32(&bench->state);
    const float target = together ? 0.0f : centre + 0.5f * arn_random_f32(&bench->state);
    const float gain = (float)(spread / deviation);
    rescale(bench, net, index, c, (const float[2]){gain, target - (float)mean * gain});
  }
}

static void randomise_layer(struct bench *bench, arn_net *net, uint32_t index) {
  arn_net_layer *layer = &net->layers[index];
  const size_t weights = arn_net_weight_count(net, layer);
  for (size_t i = 0; i < weights; i++) layer->weights[i] = arn_random_f32(&bench->state);
  for (int32_t c = 0; weights && c < layer->channels; c++) layer->bias[c] = 0;
  for (uint32_t s = 0; s < bench->sample_count; s++) {
    arn_net_eval_linear(net, index, &bench->samples[s]);
  }
  if (weights) normalise(bench, net, index);
  for (uint32_t s = 0; s < bench->sample_count; s++) {
    arn_net_activate(net, index, &bench->samples[s]);
  }
}

// The outputs of a dense layer are few, so their extremes were hardly seen: leave room beyond.
static void widen_dense(arn_net *net) {
  for (uint32_t i = 1; i < net->count; i++) {
    if (net->layers[i].kind != ARN_NET_DENSE) continue;
    net->layers[i].low *= 1.5f;
    net->layers[i].high *= 1.5f;
  }
}

bool arn_net_randomise(arn_net *net, uint64_t seed, uint32_t sample_count) {
  struct bench bench = {calloc(sample_count ? sample_count : 1, sizeof(arn_net_values)), 0, seed};
  while (bench.samples && bench.sample_count < sample_count && !net->error) {
    if (!arn_net_values_new(net, &bench.samples[bench.sample_count])) break;
    draw_input(&net->layers[0], bench.sample_count, &bench.state,
               bench.samples[bench.sample_count].layers[0]);
    bench.sample_count++;
  }
  const bool ready = sample_count > 0 && bench.sample_count == sample_count && !net->error;
  for (uint32_t i = 1; ready && i < net->count; i++) randomise_layer(&bench, net, i);
  for (uint32_t s = 0; s < bench.sample_count; s++) {
    if (ready) arn_net_observe(net, &bench.samples[s]);
    arn_net_values_free(&bench.samples[s]);
  }
  free(bench.samples);
  if (ready) widen_dense(net);
  return ready;
}
