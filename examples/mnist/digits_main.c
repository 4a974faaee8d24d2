// digits MODEL.tflite DIGITS.bin: classifies the digits of a file and prints the accuracy, with a
// few of them drawn. The same calls as on a microcontroller: open, start, copy pixels, invoke.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arenite/arenite.h"
#include "host/check/engine.h"

#define SIDE 28u
#define PIXELS (SIDE * SIDE)
#define SHOWN 3u

// The operators that the network needs; nothing else is linked for its sake on a device.
static const arn_op *const ops[] = {&arn_op_conv_2d, &arn_op_fully_connected, &arn_op_reshape,
                                    &arn_op_softmax};
static const arn_op_list network_ops = {ops, sizeof ops / sizeof ops[0], &arn_file_plans};

// The digits of a file; its format is described in train/digits.h.
struct digits {
  uint8_t *file;
  uint32_t count;
  const uint8_t *labels, *pixels;
};

static void draw(const uint8_t *pixels) {
  static const char shades[] = " .:*#";
  for (uint32_t y = 2; y < SIDE - 2; y += 2) {
    printf("    ");
    for (uint32_t x = 0; x < SIDE; x++) {
      const uint32_t sum = pixels[y * SIDE + x] + pixels[(y + 1) * SIDE + x];
      putchar(shades[sum * 4 / 511]);
    }
    putchar('\n');
  }
}

static uint32_t largest(const arn_tensor_view *scores) {
  const int8_t *score = scores->data;
  uint32_t best = 0;
  for (uint32_t i = 1; i < scores->bytes; i++) {
    if (score[i] > score[best]) best = i;
  }
  return best;
}

static uint32_t word(const uint8_t *p) {
  uint32_t value;
  memcpy(&value, p, sizeof value);
  return value;
}

static bool read_digits(const char *path, struct digits *d) {
  size_t size;
  d->file = host_read_file(path, &size);
  if (d->file == NULL) return false;
  d->count = size >= 16 && memcmp(d->file, "DIGITS1", 8) == 0 ? word(d->file + 8) : 0;
  d->labels = d->file + 16;
  d->pixels = d->labels + d->count;
  return d->count > 0 && word(d->file + 12) == (SIDE | SIDE << 16) &&
         size == 16 + (size_t)d->count * (1 + PIXELS);
}

// Returns the number of digits that were right, or a negative number after a failure.
static int classify(arn_interpreter *nn, const struct digits *d) {
  int right = 0;
  for (uint32_t i = 0; i < d->count; i++) {
    const arn_tensor_view image = arn_input(nn, 0);
    const uint8_t *pixels = d->pixels + (size_t)i * PIXELS;
    arn_error error;
    if (arn_put_pixels(&image, pixels, PIXELS) != ARN_OK || arn_invoke(nn, &error) != ARN_OK) {
      return -1;
    }
    const arn_tensor_view scores = arn_output(nn, 0);
    const uint32_t digit = largest(&scores);
    if (i < SHOWN) {
      draw(pixels);
      printf("    is a %u%s\n", digit, digit == d->labels[i] ? "" : " (wrong)");
    }
    right += digit == d->labels[i];
  }
  return right;
}

static int fail(const char *path, const arn_error *error) {
  char text[256];
  arn_error_format(error, text, sizeof text);
  fprintf(stderr, "%s: %s\n", path, text);
  return 1;
}

int main(int argc, char **argv) {
  static uint8_t arena[192 * 1024] __attribute__((aligned(16)));
  const arn_config config = {.ops = &network_ops};
  struct digits digits = {0};
  arn_model model;
  arn_interpreter nn;
  arn_error error = {0};
  size_t size = 0;
  if (argc != 3) {
    fprintf(stderr, "Usage: digits MODEL.tflite DIGITS.bin\n");
    return 2;
  }
  void *file = host_read_file(argv[1], &size);
  if (file == NULL || !read_digits(argv[2], &digits)) {
    fprintf(stderr, "%s: can't be read\n", file ? argv[2] : argv[1]);
    return 6;
  }
  if (arn_model_open(&model, file, size, &error) != ARN_OK ||
      arn_start(&nn, &model, arena, sizeof arena, &config, &error) != ARN_OK) {
    return fail(argv[1], &error);
  }
  const int right = classify(&nn, &digits);
  if (right < 0) return fail(argv[1], &error);
  printf("%d of %u held-out digits are right (%.2f %%), in an arena of %u bytes\n", right,
         digits.count, 100.0 * right / digits.count, arn_used(&nn).arena_bytes);
  free(file);
  free(digits.file);
  return 100 * right >= 97 * (int)digits.count ? 0 : 1;
}
