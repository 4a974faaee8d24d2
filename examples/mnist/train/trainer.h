// Training the network of this example in float: three 3x3 convolutions with ReLU, one dense layer,
// softmax cross-entropy, Adam, and digits that are turned, scaled and shifted a little each time.
#ifndef ARENITE_EXAMPLES_MNIST_TRAIN_TRAINER_H
#define ARENITE_EXAMPLES_MNIST_TRAIN_TRAINER_H

#include "examples/mnist/train/digits.h"
#include "host/zoo/net.h"

typedef struct trainer_plan {
  uint32_t first, count;  // the digits to train on
  uint32_t epochs, batch;
  float rate;             // of learning, at the start; falls to 0 along a cosine
  uint64_t seed;
} trainer_plan;

// Describes the network. Needs: *net zeroed.
void trainer_describe(arn_net *net);

// Trains its weights, in two threads whose results do not depend on their timing. Prints a line an
// epoch. Fails: false (memory, threads).
bool trainer_run(arn_net *net, const digits *set, const trainer_plan *plan);

// Fills the input layer's values with a digit: 0 (background) to 1 (ink).
void trainer_input(const uint8_t *pixels, float *input);

#endif
