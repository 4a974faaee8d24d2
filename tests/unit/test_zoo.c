// The networks of the zoo: their published sizes, and weights that keep every layer alive.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "host/zoo/qnet.h"
#include "host/zoo/zoo.h"
#include "tests/unit/fbview.h"

static size_t weight_total(const arn_net *net) {
  size_t total = 0;
  for (uint32_t i = 0; i < net->count; i++) total += arn_net_weight_count(net, &net->layers[i]);
  return total;
}

// MobileNetV2 1.0 at 224: about 300 million multiply-accumulates and 3.4 million parameters, as its
// authors give them; and its first and last shapes.
static void test_mobilenet_has_its_published_size(void **state) {
  (void)state;
  static arn_net net;
  arn_zoo_describe(arn_zoo_find("mbv2-1.0-224"), &net);
  assert_null(net.error);
  assert_in_range(arn_net_macs(&net), 300000000, 301000000);
  assert_in_range(weight_total(&net), 3400000, 3500000);
  assert_int_equal(net.layers[1].height, 112);
  assert_int_equal(net.layers[1].channels, 32);
  const arn_net_layer *last = &net.layers[net.count - 3];
  assert_int_equal(last->height, 7);
  assert_int_equal(last->channels, 1280);
  uint32_t adds = 0;
  for (uint32_t i = 0; i < net.count; i++) adds += net.layers[i].kind == ARN_NET_ADD;
  assert_int_equal(adds, 10);
  arn_net_free(&net);
}

// 32 * 0.35 = 11.2 rounds to 8, which would lose 29 %: so 16. 24 * 0.35 = 8.4 gives 8.
static void test_narrow_networks_round_up(void **state) {
  (void)state;
  static arn_net net;
  arn_zoo_describe(arn_zoo_find("mbv2-0.35-144"), &net);
  assert_int_equal(net.layers[1].channels, 16);
  assert_int_equal(net.layers[3].channels, 8);
  assert_int_equal(net.layers[6].channels, 8);
  assert_int_equal(net.layers[net.count - 4].channels, 112);  // 320 * 0.35
  arn_net_free(&net);
  assert_null(arn_zoo_find("mbv2"));
  assert_null(arn_zoo_find(NULL));
}

static void fill_with_noise(const arn_qnet *qnet, arn_qnet_values *values, uint64_t seed) {
  for (size_t i = 0; i < arn_net_size(&qnet->net->layers[0]); i++) {
    values->layers[0][i] = (int8_t)(arn_random_u64(&seed) & 0xFF);
  }
}

// On an input that nothing was measured on, no layer is constant, and none is cut at its ends.
static void test_random_weights_keep_layers_alive(void **state) {
  (void)state;
  static arn_net net;
  arn_qnet qnet;
  arn_qnet_values values;
  arn_zoo_describe(arn_zoo_find("mbv2-0.30-80"), &net);
  assert_true(arn_net_randomise(&net, 77, 4));
  assert_true(arn_qnet_quantise(&qnet, &net));
  assert_true(arn_qnet_values_new(&qnet, &values));
  fill_with_noise(&qnet, &values, 123);
  assert_true(arn_qnet_run(&qnet, &values));
  for (uint32_t i = 1; i + 1 < net.count; i++) {
    const size_t size = arn_net_size(&net.layers[i]);
    size_t cut = 0, seen[256] = {0}, distinct = 0;
    for (size_t k = 0; k < size; k++) {
      distinct += seen[values.layers[i][k] + 128]++ == 0;
      cut += values.layers[i][k] == 127;
    }
    assert_true(distinct > 50);
    assert_true(cut * 20 < size);
  }
  arn_qnet_values_free(&values);
  arn_qnet_free(&qnet);
  arn_net_free(&net);
}

static view build(uint64_t seed) {
  static arn_net net;
  arn_qnet qnet;
  view v;
  arn_zoo_describe(arn_zoo_find("mbv2-0.30-80"), &net);
  assert_true(arn_net_randomise(&net, seed, 2));
  assert_true(arn_qnet_quantise(&qnet, &net));
  arn_builder *builder = arn_builder_new();
  arn_qnet_emit(&qnet, builder, &(arn_qnet_style){.name = "net"});
  if (!arn_builder_finish(builder, &v.bytes, &v.size)) fail_msg("%s", arn_builder_error(builder));
  arn_builder_free(builder);
  arn_qnet_free(&qnet);
  arn_net_free(&net);
  return v;
}

static void test_one_seed_one_file(void **state) {
  (void)state;
  const view a = build(5), b = build(5), c = build(6);
  assert_sound(&a);
  assert_int_equal(count_of(&a, graph_of(&a, 0), GRAPH_OPERATORS), 64);
  assert_int_equal(a.size, b.size);
  assert_memory_equal(a.bytes, b.bytes, a.size);
  assert_true(c.size != a.size || memcmp(a.bytes, c.bytes, a.size) != 0);
  free(a.bytes);
  free(b.bytes);
  free(c.bytes);
}

// A 1x1 convolution and an addition whose results can be worked out by hand.
static void test_quantised_arithmetic_by_hand(void **state) {
  (void)state;
  static arn_net net;
  arn_qnet qnet;
  arn_qnet_values values;
  const uint32_t in = arn_net_input(&net, 1, 2, 1);
  const arn_net_filter filter = {.channels = 1, .kernel_h = 1, .kernel_w = 1, .stride = 1};
  const uint32_t conv = arn_net_conv(&net, in, &filter);
  arn_net_add(&net, conv, in);
  arn_net_input_range(&net, -128, 127);
  net.layers[conv].weights[0] = 0.5f;
  net.layers[conv].bias[0] = 3;
  for (uint32_t i = 1; i < 3; i++) net.layers[i].low = -128, net.layers[i].high = 127;
  assert_true(arn_qnet_quantise(&qnet, &net));  // all scales 1, zero points 0, weight 127
  assert_int_equal(qnet.layers[conv].weights[0], 127);
  assert_true(arn_qnet_values_new(&qnet, &values));
  memcpy(values.layers[0], (int8_t[]){41, -101}, 2);
  assert_true(arn_qnet_run(&qnet, &values));
  assert_int_equal(values.layers[1][0], 24);   // 41 / 2 + 3 = 23.5, halves away from zero
  assert_int_equal(values.layers[1][1], -48);  // -101 / 2 + 3 = -47.5
  assert_int_equal(values.layers[2][0], 65);
  assert_int_equal(values.layers[2][1], -128);  // -149, clamped
  arn_qnet_values_free(&values);
  arn_qnet_free(&qnet);
  arn_net_free(&net);
}

static void test_bad_descriptions_are_refused(void **state) {
  (void)state;
  for (int which = 0; which < 8; which++) {
    static arn_net net;
    const arn_net_filter filter = {.channels = 1, .kernel_h = 5, .kernel_w = 1, .stride = 1,
                                   .padding = ARN_PADDING_VALID};
    if (which != 0) arn_net_input(&net, 4, 4, 1);
    switch (which) {
      case 0: arn_net_mean(&net, 0); break;
      case 1: arn_net_input(&net, 4, 4, 1); break;
      case 2: arn_net_conv(&net, 0, &filter); break;  // taller than its input
      case 3: arn_net_conv(&net, 7, &filter); break;
      case 4: arn_net_conv(&net, 0, &(arn_net_filter){.channels = 1, .kernel_h = 1}); break;
      case 5: arn_net_dense(&net, 1, 10, 0); break;
      case 6: arn_net_add(&net, 0, arn_net_mean(&net, 0)); break;
      default: arn_net_input_range(&net, 1, NAN); break;
    }
    assert_non_null(net.error);
    assert_false(arn_net_randomise(&net, 1, 1));
    arn_net_free(&net);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_mobilenet_has_its_published_size),
      cmocka_unit_test(test_narrow_networks_round_up),
      cmocka_unit_test(test_random_weights_keep_layers_alive),
      cmocka_unit_test(test_one_seed_one_file),
      cmocka_unit_test(test_quantised_arithmetic_by_hand),
      cmocka_unit_test(test_bad_descriptions_are_refused),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
