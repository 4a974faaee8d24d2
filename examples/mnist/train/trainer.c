#include "examples/mnist/train/trainer.h"

#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "examples/mnist/train/augment.h"

// A batch is cut into shards, always the same ones, and their gradients are summed in order: the
// result does not depend on how the threads run.
enum { LAYERS = 4, SHARDS = 2, CLASSES = 10, TAPS = 9 };

// The convolutions: output side and channels, input channels. Layer 3 is dense.
static const struct conv {
  int side, channels, from_side, from_channels;
} convs[3] = {{26, 8, 28, 1}, {24, 16, 26, 8}, {22, 32, 24, 16}};

enum {
  DENSE_INPUTS = 22 * 22 * 32,
  MAX_PATCHES = 22 * 22 * 16 * TAPS,
  MAX_LAYER = DENSE_INPUTS,
};

// Weights of a layer are [tap][in][out], as in arn_net: a matrix with a column an output channel.
struct parameters {
  float *all;  // owned: weights and biases of all layers, one after the other
  float *weights[LAYERS], *bias[LAYERS];
  size_t count;
};

static bool parameters_new(struct parameters *p) {
  size_t sizes[LAYERS], at = 0;
  size_t biases[LAYERS] = {0, 0, 0, CLASSES};
  for (int i = 0; i < 3; i++) {
    sizes[i] = (size_t)(TAPS * convs[i].from_channels * convs[i].channels);
    biases[i] = (size_t)convs[i].channels;
  }
  sizes[3] = DENSE_INPUTS * CLASSES;
  p->count = 0;
  for (int i = 0; i < LAYERS; i++) p->count += sizes[i] + biases[i];
  p->all = calloc(p->count, sizeof *p->all);
  for (int i = 0; p->all && i < LAYERS; i++) {
    p->weights[i] = p->all + at;
    p->bias[i] = p->weights[i] + sizes[i];
    at += sizes[i] + biases[i];
  }
  return p->all != NULL;
}

// What one shard of a batch works with.
struct shard {
  const struct parameters *parameters;
  struct parameters gradient;
  const digits *set;
  const uint32_t *order;  // digits of this shard
  uint32_t count;
  uint64_t state;  // of its random numbers
  float *outputs[LAYERS + 1], *deltas[LAYERS + 1];  // of the input and of each layer
  float *patches, *transposed;
  double loss;
  uint32_t right;
  pthread_t thread;
};

// ---- matrices, row by row ----

// out[j] += factor * row[j]
static void add_scaled(float *restrict out, float factor, const float *restrict row, int count) {
  for (int j = 0; j < count; j++) out[j] += factor * row[j];
}

// out[rows][columns] += a[rows][inner] * b[inner][columns]. Zeros in `a` are common and are
// skipped.
static void multiply_add(float *out, const float *a, const float *b, const int size[3]) {
  const int rows = size[0], inner = size[1], columns = size[2];
  for (int i = 0; i < rows; i++) {
    for (int k = 0; k < inner; k++) {
      if (a[i * inner + k] != 0) {
        add_scaled(out + i * columns, a[i * inner + k], b + k * columns, columns);
      }
    }
  }
}

// Copies, for each output pixel, the 3x3 pixels that it sees: patches[pixel][tap][channel].
static void gather(const struct conv *conv, const float *in, float *patches) {
  const int row = 3 * conv->from_channels, line = conv->from_side * conv->from_channels;
  for (int y = 0; y < conv->side; y++) {
    for (int x = 0; x < conv->side; x++) {
      for (int ky = 0; ky < 3; ky++, patches += row) {
        memcpy(patches, in + (y + ky) * line + x * conv->from_channels, (size_t)row * sizeof *in);
      }
    }
  }
}

// The reverse: adds each patch to the pixels it came from.
static void scatter(const struct conv *conv, const float *patches, float *in) {
  const int row = 3 * conv->from_channels, line = conv->from_side * conv->from_channels;
  for (int y = 0; y < conv->side; y++) {
    for (int x = 0; x < conv->side; x++) {
      for (int ky = 0; ky < 3; ky++, patches += row) {
        add_scaled(in + (y + ky) * line + x * conv->from_channels, 1, patches, row);
      }
    }
  }
}

// ---- forward ----

static void forward_conv(struct shard *s, int i) {
  const struct conv *conv = &convs[i];
  const int pixels = conv->side * conv->side;
  float *out = s->outputs[i + 1];
  for (int p = 0; p < pixels; p++) {
    memcpy(out + p * conv->channels, s->parameters->bias[i], (size_t)conv->channels * sizeof *out);
  }
  gather(conv, s->outputs[i], s->patches);
  multiply_add(out, s->patches, s->parameters->weights[i],
               (const int[3]){pixels, TAPS * conv->from_channels, conv->channels});
  for (int j = 0; j < pixels * conv->channels; j++) out[j] = out[j] > 0 ? out[j] : 0;
}

// The dense layer and the softmax; leaves in its delta what cross-entropy asks for.
static void forward_dense(struct shard *s, int label) {
  float *out = s->outputs[LAYERS], *delta = s->deltas[LAYERS];
  memcpy(out, s->parameters->bias[3], CLASSES * sizeof *out);
  multiply_add(out, s->outputs[3], s->parameters->weights[3],
               (const int[3]){1, DENSE_INPUTS, CLASSES});
  int best = 0;
  for (int c = 1; c < CLASSES; c++) best = out[c] > out[best] ? c : best;
  float sum = 0;
  for (int c = 0; c < CLASSES; c++) sum += delta[c] = expf(out[c] - out[best]);
  for (int c = 0; c < CLASSES; c++) delta[c] /= sum;
  s->loss -= log((double)delta[label] + 1e-30);
  s->right += best == label;
  delta[label] -= 1;
}

// ---- backward ----

static void backward_dense(struct shard *s) {
  const float *in = s->outputs[3], *delta = s->deltas[LAYERS];
  const float *weights = s->parameters->weights[3];
  add_scaled(s->gradient.bias[3], 1, delta, CLASSES);
  for (int i = 0; i < DENSE_INPUTS; i++) {
    float sum = 0;
    for (int c = 0; c < CLASSES; c++) sum += weights[i * CLASSES + c] * delta[c];
    s->deltas[3][i] = in[i] > 0 ? sum : 0;
    if (in[i] > 0) add_scaled(s->gradient.weights[3] + i * CLASSES, in[i], delta, CLASSES);
  }
}

static void transpose(const float *in, int rows, int columns, float *out) {
  for (int i = 0; i < rows * columns; i++) out[i % columns * rows + i / columns] = in[i];
}

// Needs: deltas[i + 1] is that of the output, with the rectifier already taken into account.
static void backward_conv(struct shard *s, int i) {
  const struct conv *conv = &convs[i];
  const int pixels = conv->side * conv->side, inner = TAPS * conv->from_channels;
  const float *delta = s->deltas[i + 1];
  gather(conv, s->outputs[i], s->patches);
  for (int p = 0; p < pixels; p++) {
    add_scaled(s->gradient.bias[i], 1, delta + p * conv->channels, conv->channels);
    multiply_add(s->gradient.weights[i], s->patches + p * inner, delta + p * conv->channels,
                 (const int[3]){inner, 1, conv->channels});
  }
  if (i == 0) return;
  const int inputs = conv->from_side * conv->from_side * conv->from_channels;
  transpose(s->parameters->weights[i], inner, conv->channels, s->transposed);
  memset(s->patches, 0, (size_t)(pixels * inner) * sizeof *s->patches);
  multiply_add(s->patches, delta, s->transposed, (const int[3]){pixels, conv->channels, inner});
  memset(s->deltas[i], 0, (size_t)inputs * sizeof *s->patches);
  scatter(conv, s->patches, s->deltas[i]);
  for (int j = 0; j < inputs; j++) {
    if (!(s->outputs[i][j] > 0)) s->deltas[i][j] = 0;
  }
}

static void *run_shard(void *argument) {
  struct shard *s = argument;
  memset(s->gradient.all, 0, s->gradient.count * sizeof *s->gradient.all);
  for (uint32_t n = 0; n < s->count; n++) {
    augment_digit(s->set->pixels[s->order[n]], &s->state, s->outputs[0]);
    for (int i = 0; i < 3; i++) forward_conv(s, i);
    forward_dense(s, s->set->labels[s->order[n]]);
    backward_dense(s);
    for (int i = 2; i >= 0; i--) backward_conv(s, i);
  }
  return NULL;
}

// ---- a training run ----

struct run {
  struct parameters parameters, moments, squares;
  struct shard shards[SHARDS];
  uint32_t *order;
  uint64_t state;
  uint32_t steps;
};

static void run_free(struct run *run) {
  free(run->parameters.all);
  free(run->moments.all);
  free(run->squares.all);
  free(run->order);
  for (int s = 0; s < SHARDS; s++) {
    free(run->shards[s].gradient.all);
    free(run->shards[s].patches);
    free(run->shards[s].transposed);
    for (int i = 0; i <= LAYERS; i++) {
      free(run->shards[s].outputs[i]);
      free(run->shards[s].deltas[i]);
    }
  }
}

static bool shard_new(struct shard *shard, const struct run *run) {
  shard->parameters = &run->parameters;
  shard->patches = calloc(MAX_PATCHES, sizeof(float));
  shard->transposed = calloc(TAPS * 16 * 32, sizeof(float));
  bool done = parameters_new(&shard->gradient) && shard->patches && shard->transposed;
  for (int i = 0; i <= LAYERS; i++) {
    shard->outputs[i] = calloc(MAX_LAYER, sizeof(float));
    shard->deltas[i] = calloc(MAX_LAYER, sizeof(float));
    done = done && shard->outputs[i] && shard->deltas[i];
  }
  return done;
}

// Random weights of the size that keeps the spread of activations through a rectified layer.
static void initialise(struct run *run) {
  for (int i = 0; i < LAYERS; i++) {
    const int inputs = i < 3 ? TAPS * convs[i].from_channels : DENSE_INPUTS;
    const float bound = sqrtf((i < 3 ? 6.0f : 1.0f) / (float)inputs);
    for (float *w = run->parameters.weights[i]; w < run->parameters.bias[i]; w++) {
      *w = bound * arn_random_f32(&run->state);
    }
  }
}

static bool run_new(struct run *run, const digits *set, const trainer_plan *plan) {
  *run = (struct run){.state = plan->seed};
  bool done = parameters_new(&run->parameters) && parameters_new(&run->moments) &&
              parameters_new(&run->squares);
  run->order = calloc(plan->count, sizeof *run->order);
  for (int s = 0; s < SHARDS; s++) {
    done = shard_new(&run->shards[s], run) && done;
    run->shards[s].set = set;
    run->shards[s].state = arn_random_u64(&run->state);
  }
  done = done && run->order;
  if (!done) return false;
  for (uint32_t i = 0; i < plan->count; i++) run->order[i] = plan->first + i;
  initialise(run);
  return true;
}

static void shuffle(struct run *run, uint32_t count) {
  for (uint32_t i = count; i > 1; i--) {
    const uint32_t j = (uint32_t)(arn_random_u64(&run->state) % i), other = run->order[j];
    run->order[j] = run->order[i - 1];
    run->order[i - 1] = other;
  }
}

// Computes the gradients of a batch, one thread a shard.
static bool run_batch(struct run *run, const uint32_t *order, uint32_t count) {
  bool done = true;
  for (uint32_t s = 0; s < SHARDS; s++) {
    struct shard *shard = &run->shards[s];
    shard->order = order + count * s / SHARDS;
    shard->count = count * (s + 1) / SHARDS - count * s / SHARDS;
    if (done) done = pthread_create(&shard->thread, NULL, run_shard, shard) == 0;
    if (!done) shard->count = 0;
  }
  for (int s = 0; s < SHARDS; s++) {
    if (run->shards[s].count) pthread_join(run->shards[s].thread, NULL);
  }
  return done;
}

// Adam, with a decay of all parameters towards 0.
static void update(struct run *run, uint32_t count, float rate) {
  const float first = 0.9f, second = 0.999f, decay = 1e-3f;
  run->steps++;
  const float unbias = sqrtf(1 - powf(second, (float)run->steps)) /
                       (1 - powf(first, (float)run->steps));
  for (size_t i = 0; i < run->parameters.count; i++) {
    float g = 0;
    for (int s = 0; s < SHARDS; s++) g += run->shards[s].gradient.all[i];
    g /= (float)count;
    float *m = &run->moments.all[i], *v = &run->squares.all[i], *p = &run->parameters.all[i];
    *m = first * *m + (1 - first) * g;
    *v = second * *v + (1 - second) * g * g;
    *p -= rate * (unbias * *m / (sqrtf(*v) + 1e-7f) + decay * *p);
  }
}

static bool run_epoch(struct run *run, const trainer_plan *plan, uint32_t epoch) {
  const float pi = 3.14159265f;
  const uint32_t batches = (plan->count + plan->batch - 1) / plan->batch;
  shuffle(run, plan->count);
  for (uint32_t b = 0; b < batches; b++) {
    const uint32_t at = b * plan->batch;
    const uint32_t count = plan->count - at < plan->batch ? plan->count - at : plan->batch;
    const float progress = (float)run->steps / (float)(plan->epochs * batches);
    if (!run_batch(run, run->order + at, count)) return false;
    update(run, count, plan->rate * (1 + cosf(pi * progress)) / 2);
  }
  double loss = 0;
  uint32_t right = 0;
  for (int s = 0; s < SHARDS; s++) {
    loss += run->shards[s].loss;
    right += run->shards[s].right;
    run->shards[s].loss = 0;
    run->shards[s].right = 0;
  }
  printf("epoch %2u  loss %.4f  right on distorted training digits %.2f %%\n", epoch + 1,
         loss / plan->count, 100.0 * right / plan->count);
  fflush(stdout);
  return true;
}

static void copy_weights(const struct run *run, arn_net *net) {
  for (uint32_t i = 0; i < LAYERS; i++) {
    arn_net_layer *layer = &net->layers[i + 1];
    memcpy(layer->weights, run->parameters.weights[i],
           arn_net_weight_count(net, layer) * sizeof *layer->weights);
    memcpy(layer->bias, run->parameters.bias[i], (size_t)layer->channels * sizeof *layer->bias);
  }
}

void trainer_describe(arn_net *net) {
  uint32_t x = arn_net_input(net, DIGIT_SIDE, DIGIT_SIDE, 1);
  arn_net_input_range(net, 0, 1);
  for (int i = 0; i < 3; i++) {
    x = arn_net_conv(net, x, &(arn_net_filter){.channels = convs[i].channels, .kernel_h = 3,
                                               .kernel_w = 3, .stride = 1,
                                               .padding = ARN_PADDING_VALID,
                                               .activation = ARN_ACTIVATION_RELU});
  }
  arn_net_dense(net, x, CLASSES, ARN_ACTIVATION_NONE);
}

bool trainer_run(arn_net *net, const digits *set, const trainer_plan *plan) {
  struct run run;
  bool done = run_new(&run, set, plan);
  for (uint32_t e = 0; done && e < plan->epochs; e++) done = run_epoch(&run, plan, e);
  if (done) copy_weights(&run, net);
  else fprintf(stderr, "out of memory or threads\n");
  run_free(&run);
  return done;
}

void trainer_input(const uint8_t *pixels, float *input) {
  for (int i = 0; i < DIGIT_PIXELS; i++) input[i] = (float)pixels[i] / 255;
}
