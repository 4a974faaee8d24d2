#include "host/zoo/zoo.h"

#include <string.h>

const arn_zoo_entry arn_zoo_entries[] = {
    {"mbv2-0.35-144", 35, 144, 1000},
    {"mbv2-1.0-224", 100, 224, 1000},
    {"mbv2-0.30-80", 30, 80, 2},
    {NULL, 0, 0, 0},
};

// The table of the paper: expansion, channels, repeats, stride of the first of them.
static const struct stage {
  int32_t expand, channels, repeats, stride;
} stages[] = {{1, 16, 1, 1}, {6, 24, 2, 2},  {6, 32, 3, 2}, {6, 64, 4, 2},
              {6, 96, 3, 1}, {6, 160, 3, 2}, {6, 320, 1, 1}};

const arn_zoo_entry *arn_zoo_find(const char *name) {
  for (const arn_zoo_entry *entry = arn_zoo_entries; name && entry->name; entry++) {
    if (strcmp(entry->name, name) == 0) return entry;
  }
  return NULL;
}

// Scales a channel count and rounds it to a multiple of 8, never losing more than a tenth.
static int32_t scale_channels(int32_t channels, int32_t percent) {
  const int32_t scaled = channels * percent;  // in hundredths
  int32_t rounded = (scaled + 400) / 800 * 8;
  if (rounded < 8) rounded = 8;
  if (rounded * 1000 < scaled * 9) rounded += 8;
  return rounded;
}

static uint32_t pointwise(arn_net *net, uint32_t input, int32_t channels, int32_t activation) {
  return arn_net_conv(net, input, &(arn_net_filter){.channels = channels, .kernel_h = 1,
                                                    .kernel_w = 1, .stride = 1,
                                                    .activation = activation});
}

// Expand, filter each channel, project; add the input where shapes allow.
static uint32_t inverted_residual(arn_net *net, uint32_t input, const struct stage *stage,
                                  int32_t stride) {
  const int32_t in_channels = net->layers[input].channels;
  uint32_t x = input;
  if (stage->expand > 1) {
    x = pointwise(net, x, stage->expand * in_channels, ARN_ACTIVATION_RELU6);
  }
  x = arn_net_depthwise(net, x, &(arn_net_filter){.kernel_h = 3, .kernel_w = 3, .stride = stride,
                                                  .activation = ARN_ACTIVATION_RELU6});
  x = pointwise(net, x, stage->channels, ARN_ACTIVATION_NONE);
  const bool residual = stride == 1 && stage->channels == in_channels;
  return residual ? arn_net_add(net, x, input) : x;
}

void arn_zoo_describe(const arn_zoo_entry *entry, arn_net *net) {
  const int32_t percent = entry->width_percent;
  uint32_t x = arn_net_input(net, entry->side, entry->side, 3);
  x = arn_net_conv(net, x, &(arn_net_filter){.channels = scale_channels(32, percent),
                                             .kernel_h = 3, .kernel_w = 3, .stride = 2,
                                             .activation = ARN_ACTIVATION_RELU6});
  for (size_t s = 0; s < sizeof stages / sizeof *stages; s++) {
    struct stage stage = stages[s];
    stage.channels = scale_channels(stage.channels, percent);
    for (int32_t i = 0; i < stage.repeats; i++) {
      x = inverted_residual(net, x, &stage, i ? 1 : stage.stride);
    }
  }
  const int32_t last = percent > 100 ? scale_channels(1280, percent) : 1280;
  x = pointwise(net, x, last, ARN_ACTIVATION_RELU6);
  x = arn_net_mean(net, x);
  arn_net_dense(net, x, entry->classes, ARN_ACTIVATION_NONE);
}
