// mnist_train DIGITS FOLDER [EPOCHS]: trains on the digits, quantises, and writes into the folder
// the model (mnist.tflite), a sample of the digits that were held out (digits.bin), and the first
// ten different ones of them as pictures (digit0.pgm to digit9.pgm).
#include <stdio.h>
#include <stdlib.h>

#include "examples/mnist/train/digits.h"
#include "examples/mnist/train/trainer.h"
#include "host/zoo/qnet.h"

enum {
  SPLIT_SEED = 2024,   // decides which digits are held out
  HELD_OUT = 2000,     // never trained on, never used to choose anything
  CALIBRATION = 500,   // training digits that the activation ranges come from
  SAMPLE = 500,        // held-out digits written for the demonstrations
};

// Counts the held-out digits that the float network gets right.
static uint32_t count_right_float(const arn_net *net, const arn_net_values *values,
                                  const digits *set) {
  uint32_t right = 0;
  for (uint32_t i = 0; i < HELD_OUT; i++) {
    const float *scores = values->layers[net->count - 1];
    int best = 0;
    trainer_input(set->pixels[i], values->layers[0]);
    arn_net_run(net, values);
    for (int c = 1; c < 10; c++) best = scores[c] > scores[best] ? c : best;
    right += best == set->labels[i];
  }
  return right;
}

// Counts the held-out digits that the int8 network gets right, in `sample` those of the sample.
static uint32_t count_right_int8(const arn_qnet *qnet, const arn_qnet_values *values,
                                 const digits *set, uint32_t *sample) {
  uint32_t right = 0;
  for (uint32_t i = 0; i < HELD_OUT; i++) {
    for (int p = 0; p < DIGIT_PIXELS; p++) values->layers[0][p] = (int8_t)(set->pixels[i][p] - 128);
    if (!arn_qnet_run(qnet, values)) return 0;
    right += arn_qnet_largest(values->layers[qnet->net->count - 1], 10) == set->labels[i];
    if (i == SAMPLE - 1) *sample = right;
  }
  return right;
}

static void print_accuracy(const char *label, uint32_t right, uint32_t count) {
  printf("%s: %u of %u right, %.2f %%\n", label, right, count, 100.0 * right / count);
}

static bool save_model(const arn_qnet *qnet, const char *path) {
  arn_builder *builder = arn_builder_new();
  arn_builder_describe(builder, "MNIST digits, int8");
  arn_qnet_emit(qnet, builder, &(arn_qnet_style){.name = "mnist"});
  const bool saved = arn_builder_save(builder, path);
  if (!saved) fprintf(stderr, "%s\n", arn_builder_error(builder));
  arn_builder_free(builder);
  return saved;
}

// Measures the ranges, quantises, and compares both networks on the held-out digits.
static bool quantise_and_save(arn_net *net, const digits *set, const char *path) {
  arn_net_values values;
  arn_qnet_values int8_values;
  arn_qnet qnet = {0};
  uint32_t sample = 0;
  if (!arn_net_values_new(net, &values)) return false;
  for (uint32_t i = 0; i < CALIBRATION; i++) {
    trainer_input(set->pixels[HELD_OUT + i], values.layers[0]);
    arn_net_observe(net, &values);
  }
  bool done = arn_qnet_quantise(&qnet, net) && arn_qnet_values_new(&qnet, &int8_values);
  if (done) {
    print_accuracy("float, held out", count_right_float(net, &values, set), HELD_OUT);
    print_accuracy("int8, held out", count_right_int8(&qnet, &int8_values, set, &sample), HELD_OUT);
    print_accuracy("int8, the sample", sample, SAMPLE);
    arn_qnet_values_free(&int8_values);
    done = save_model(&qnet, path);
  }
  arn_net_values_free(&values);
  arn_qnet_free(&qnet);
  return done;
}

static const char *path_in(const char *folder, const char *name) {
  static char path[1024];
  snprintf(path, sizeof path, "%s/%s", folder, name);
  return path;
}

static bool save_samples(const digits *set, const char *folder) {
  bool done = digits_save(set, 0, SAMPLE, path_in(folder, "digits.bin"));
  for (uint8_t label = 0; done && label < 10; label++) {
    uint32_t i = 0;
    char name[16];
    while (i < SAMPLE && set->labels[i] != label) i++;
    snprintf(name, sizeof name, "digit%u.pgm", label);
    done = i < SAMPLE && digits_save_picture(set, i, path_in(folder, name));
  }
  return done;
}

int main(int argc, char **argv) {
  if (argc < 3 || argc > 4) {
    fprintf(stderr, "usage: mnist_train DIGITS FOLDER [EPOCHS]\n");
    return 2;
  }
  static arn_net net;
  digits set;
  if (!digits_load(&set, argv[1])) return 1;
  digits_shuffle(&set, SPLIT_SEED);
  trainer_plan plan = {.first = HELD_OUT, .epochs = 16, .batch = 64, .rate = 1e-3f, .seed = 1};
  if (argc == 4) plan.epochs = (uint32_t)strtoul(argv[3], NULL, 10);
  bool done = set.count > HELD_OUT + CALIBRATION && plan.epochs > 0;
  if (done) {
    plan.count = set.count - HELD_OUT;
    trainer_describe(&net);
    done = trainer_run(&net, &set, &plan) &&
           quantise_and_save(&net, &set, path_in(argv[2], "mnist.tflite")) &&
           save_samples(&set, argv[2]);
  }
  digits_free(&set);
  arn_net_free(&net);
  return done ? 0 : 1;
}
