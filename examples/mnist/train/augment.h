// Digits seen slightly differently: turned, scaled, slanted, shifted.
#ifndef ARENITE_EXAMPLES_MNIST_TRAIN_AUGMENT_H
#define ARENITE_EXAMPLES_MNIST_TRAIN_AUGMENT_H

#include "examples/mnist/train/digits.h"

// Fills out[DIGIT_PIXELS] with the digit under a random small affine map, 0 to 1, taking its random
// numbers from *state.
void augment_digit(const uint8_t *pixels, uint64_t *state, float *out);

#endif
