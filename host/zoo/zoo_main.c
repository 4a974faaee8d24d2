// zoo NAME -o FILE [--type T] [--seed N] [--check]: writes a network of the zoo as .tflite.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/zoo/qnet.h"
#include "host/zoo/zoo.h"

enum { SAMPLES = 4 };

static int usage(void) {
  fprintf(stderr, "usage: zoo NAME -o FILE [--type int8|int16x8|float32] [--seed N] [--check]\n"
                  "Writes a network with random weights as .tflite, the same weights in every\n"
                  "type. --check runs the int8 form on a random input, and prints what share of\n"
                  "each layer's outputs is saturated.\n"
                  "names:");
  for (const arn_zoo_entry *e = arn_zoo_entries; e->name; e++) fprintf(stderr, " %s", e->name);
  fprintf(stderr, "\n");
  return 2;
}

static int fail(const char *reason) {
  fprintf(stderr, "zoo: %s\n", reason ? reason : "out of memory");
  return 1;
}

// Prints for each layer how many distinct values its outputs have, and how many are at the largest.
static void print_layer(const arn_qnet *qnet, uint32_t index, const int8_t *values) {
  const arn_net_layer *layer = &qnet->net->layers[index];
  const size_t size = arn_net_size(layer);
  size_t counts[256] = {0}, distinct = 0;
  for (size_t i = 0; i < size; i++) counts[values[i] + 128]++;
  for (int v = 0; v < 256; v++) distinct += counts[v] > 0;
  const bool rectified = layer->activation != ARN_ACTIVATION_NONE;
  const size_t saturated = counts[255] + (rectified ? 0 : counts[0]);
  printf("%3u  %4dx%-4d x%-5d scale %-10.6g zero %-5d values %-4zu saturated %5.2f %%\n", index,
         layer->height, layer->width, layer->channels, (double)qnet->layers[index].scale,
         qnet->layers[index].zero_point, distinct, 100.0 * (double)saturated / (double)size);
}

static bool check(const arn_qnet *qnet, uint64_t seed) {
  arn_qnet_values values;
  if (!arn_qnet_values_new(qnet, &values)) return false;
  uint64_t state = ~seed;
  for (size_t i = 0; i < arn_net_size(&qnet->net->layers[0]); i++) {
    values.layers[0][i] = (int8_t)(arn_random_u64(&state) & 0xFF);
  }
  const bool done = arn_qnet_run(qnet, &values);
  for (uint32_t i = 0; done && i < qnet->net->count; i++) print_layer(qnet, i, values.layers[i]);
  arn_qnet_values_free(&values);
  return done;
}

struct request {
  const arn_zoo_entry *entry;
  const char *path;
  uint64_t seed;
  arn_qnet_form form;
  bool checked;
};

static bool parse_form(const char *text, arn_qnet_form *form) {
  static const char *const names[] = {"int8", "float32", "int16x8"};
  for (int i = 0; i < 3; i++) {
    if (strcmp(text, names[i]) == 0) return *form = (arn_qnet_form)i, true;
  }
  return false;
}

static int write(const struct request *q) {
  const arn_zoo_entry *entry = q->entry;
  const char *path = q->path;
  const uint64_t seed = q->seed;
  static arn_net net;
  static arn_qnet qnet;
  arn_zoo_describe(entry, &net);
  if (!arn_net_randomise(&net, seed, SAMPLES) || !arn_qnet_quantise(&qnet, &net)) {
    return fail(net.error);
  }
  arn_builder *builder = arn_builder_new();
  char text[96];
  snprintf(text, sizeof text, "%s, random weights, seed %llu", entry->name,
           (unsigned long long)seed);
  arn_builder_describe(builder, text);
  arn_qnet_emit(&qnet, builder, &(arn_qnet_style){.name = entry->name, .form = q->form});
  const bool saved = arn_builder_save(builder, path);
  if (!saved) fail(arn_builder_error(builder));
  else printf("%s: %u layers, %llu MACs\n", path, net.count,
              (unsigned long long)arn_net_macs(&net));
  if (saved && q->checked && !check(&qnet, seed)) fail(NULL);
  arn_builder_free(builder);
  arn_qnet_free(&qnet);
  arn_net_free(&net);
  return saved ? 0 : 1;
}

int main(int argc, char **argv) {
  struct request q = {.seed = 1};
  for (int i = 1; i < argc; i++) {
    const bool more = i + 1 < argc;
    if (!strcmp(argv[i], "-o") && more) q.path = argv[++i];
    else if (!strcmp(argv[i], "--seed") && more) q.seed = strtoull(argv[++i], NULL, 0);
    else if (!strcmp(argv[i], "--check")) q.checked = true;
    else if (!strcmp(argv[i], "--type") && more && parse_form(argv[i + 1], &q.form)) i++;
    else if (!q.entry && (q.entry = arn_zoo_find(argv[i])) != NULL) continue;
    else return usage();
  }
  if (!q.entry || !q.path) return usage();
  return write(&q);
}
