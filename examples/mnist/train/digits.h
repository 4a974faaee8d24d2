// A file of labelled grey images, all of one size:
//
//   at 0    "DIGITS1" and a zero byte
//   at 8    count, 32 bits, little-endian
//   at 12   height, width, 16 bits each
//   at 16   one label a digit, 0 to 9
//   then    the pixels of each digit, row by row, 0 (background) to 255 (ink)
#ifndef ARENITE_EXAMPLES_MNIST_TRAIN_DIGITS_H
#define ARENITE_EXAMPLES_MNIST_TRAIN_DIGITS_H

#include <stdbool.h>
#include <stdint.h>

enum { DIGIT_SIDE = 28, DIGIT_PIXELS = DIGIT_SIDE * DIGIT_SIDE };

typedef struct digits {
  uint32_t count;
  uint8_t *labels;                  // owned
  uint8_t (*pixels)[DIGIT_PIXELS];  // owned
} digits;

// Reads a file of 28x28 digits. Fails: false (no such file, wrong format or size, no memory), with
// a message on stderr; *set is then empty.
bool digits_load(digits *set, const char *path);

// Writes digits first to first + count - 1 to a file. Fails: false, with a message on stderr.
bool digits_save(const digits *set, uint32_t first, uint32_t count, const char *path);

// Writes one digit as a binary PGM picture. Fails: false, with a message on stderr.
bool digits_save_picture(const digits *set, uint32_t index, const char *path);

// Puts the digits into a random order that depends on the seed only.
void digits_shuffle(digits *set, uint64_t seed);

void digits_free(digits *set);

#endif
