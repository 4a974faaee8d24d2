// kws_model FILE: writes the keyword-spotting network of the course as int8 .tflite.
//
// The network is the smallest of its kind, and untrained: random weights from a fixed seed, scales
// measured on random inputs. It is here for its memory, which README.md counts byte by byte.
#include <stdio.h>

#include "host/zoo/qnet.h"

enum { SEED = 411, SAMPLES = 8 };

// The layers, by index.
enum { INPUT, CONV, DEPTHWISE, DENSE, SOFTMAX };

static void describe(arn_net *net) {
  uint32_t x = arn_net_input(net, 49, 10, 1);
  arn_net_input_range(net, -8, 8);
  x = arn_net_conv(net, x, &(arn_net_filter){.channels = 8, .kernel_h = 3, .kernel_w = 3,
                                             .stride = 1, .padding = ARN_PADDING_VALID,
                                             .activation = ARN_ACTIVATION_RELU});
  x = arn_net_depthwise(net, x, &(arn_net_filter){.kernel_h = 3, .kernel_w = 1, .stride = 1,
                                                  .padding = ARN_PADDING_VALID,
                                                  .activation = ARN_ACTIVATION_RELU});
  x = arn_net_dense(net, x, 10, ARN_ACTIVATION_NONE);
  arn_net_softmax(net, x);
}

int main(int argc, char **argv) {
  // Numbers that have nothing to do with the order of execution, as converters do give them. Placed
  // in this order, the convolution lands above the input and the depthwise output above both.
  static const uint32_t order[] = {SOFTMAX, DENSE, INPUT, CONV, DEPTHWISE};
  static arn_net net;
  static arn_qnet qnet;
  if (argc != 2) {
    fprintf(stderr, "usage: kws_model FILE\n");
    return 2;
  }
  describe(&net);
  if (!arn_net_randomise(&net, SEED, SAMPLES) || !arn_qnet_quantise(&qnet, &net)) {
    fprintf(stderr, "kws_model: %s\n", net.error ? net.error : "out of memory");
    return 1;
  }
  arn_builder *builder = arn_builder_new();
  arn_builder_describe(builder, "keyword spotting, random weights");
  arn_qnet_emit(&qnet, builder, &(arn_qnet_style){.name = "kws", .order = order});
  const bool saved = arn_builder_save(builder, argv[1]);
  if (!saved) fprintf(stderr, "kws_model: %s\n", arn_builder_error(builder));
  arn_builder_free(builder);
  arn_qnet_free(&qnet);
  arn_net_free(&net);
  return saved ? 0 : 1;
}
