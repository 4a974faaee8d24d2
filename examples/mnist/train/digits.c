#include "examples/mnist/train/digits.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/zoo/net.h"

enum { HEADER_BYTES = 16, MAX_DIGITS = 1000000 };

static const char magic[8] = "DIGITS1";

static bool allocate(digits *set, uint32_t count) {
  set->labels = malloc(count);
  set->pixels = malloc((size_t)count * DIGIT_PIXELS);
  set->count = count;
  return set->labels && set->pixels;
}

static uint32_t get_u32(const uint8_t *at) {
  return (uint32_t)at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

// Returns what is wrong with the file, NULL if nothing is.
static const char *read_all(digits *set, FILE *file) {
  uint8_t header[HEADER_BYTES];
  if (fread(header, 1, HEADER_BYTES, file) != HEADER_BYTES || memcmp(header, magic, 8)) {
    return "not a file of digits";
  }
  const uint32_t count = get_u32(header + 8);
  if (get_u32(header + 12) != (DIGIT_SIDE | DIGIT_SIDE << 16)) return "digits are not 28x28";
  if (count < 1 || count > MAX_DIGITS) return "an impossible number of digits";
  if (!allocate(set, count)) return "out of memory";
  if (fread(set->labels, 1, count, file) != count ||
      fread(set->pixels, DIGIT_PIXELS, count, file) != count) {
    return "the file is cut short";
  }
  for (uint32_t i = 0; i < count; i++) {
    if (set->labels[i] > 9) return "a label is not a digit";
  }
  return NULL;
}

bool digits_load(digits *set, const char *path) {
  *set = (digits){0};
  FILE *file = fopen(path, "rb");
  const char *wrong = file ? read_all(set, file) : "cannot open it";
  if (file) fclose(file);
  if (!wrong) return true;
  fprintf(stderr, "%s: %s\n", path, wrong);
  digits_free(set);
  return false;
}

bool digits_save(const digits *set, uint32_t first, uint32_t count, const char *path) {
  uint8_t header[HEADER_BYTES] = {0};
  memcpy(header, magic, 8);
  for (int k = 0; k < 4; k++) header[8 + k] = (uint8_t)(count >> (8 * k));
  header[12] = header[14] = DIGIT_SIDE;
  FILE *file = fopen(path, "wb");
  bool written = file && fwrite(header, 1, HEADER_BYTES, file) == HEADER_BYTES &&
                 fwrite(set->labels + first, 1, count, file) == count &&
                 fwrite(set->pixels + first, DIGIT_PIXELS, count, file) == count;
  if (file && fclose(file)) written = false;
  if (!written) fprintf(stderr, "%s: cannot write it\n", path);
  return written;
}

bool digits_save_picture(const digits *set, uint32_t index, const char *path) {
  FILE *file = fopen(path, "wb");
  bool written = file && fprintf(file, "P5\n%d %d\n255\n", DIGIT_SIDE, DIGIT_SIDE) > 0 &&
                 fwrite(set->pixels[index], DIGIT_PIXELS, 1, file) == 1;
  if (file && fclose(file)) written = false;
  if (!written) fprintf(stderr, "%s: cannot write it\n", path);
  return written;
}

void digits_shuffle(digits *set, uint64_t seed) {
  uint8_t pixels[DIGIT_PIXELS];
  for (uint32_t i = set->count; i > 1; i--) {
    const uint32_t j = (uint32_t)(arn_random_u64(&seed) % i);
    const uint8_t label = set->labels[i - 1];
    set->labels[i - 1] = set->labels[j];
    set->labels[j] = label;
    memcpy(pixels, set->pixels[i - 1], DIGIT_PIXELS);
    memcpy(set->pixels[i - 1], set->pixels[j], DIGIT_PIXELS);
    memcpy(set->pixels[j], pixels, DIGIT_PIXELS);
  }
}

void digits_free(digits *set) {
  free(set->labels);
  free(set->pixels);
  *set = (digits){0};
}
