// Comparing plans and outputs: what came and went, and how far float32, int16x8 and int8 are apart.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "host/decide/compare.h"
#include "host/decide/outputs.h"
#include "host/zoo/qnet.h"

static cJSON *plan(const char *steps, const char *tensors, double arena) {
  char text[2048];
  snprintf(text, sizeof text,
           "{\"schema\":\"arenite.plan\",\"version\":1,\"arena_bytes\":%.0f,\"peak_step\":1,"
           "\"breakdown\":{\"scratch\":7},\"steps\":[%s],\"tensors\":[%s]}", arena, steps, tensors);
  return cJSON_Parse(text);
}

static void names_what_came_and_went(void **state) {
  (void)state;
  cJSON *a = plan("{\"op\":\"PAD\"},{\"op\":\"CONV_2D\",\"live_bytes\":9},{\"op\":\"SOFTMAX\"}",
                  "{\"producer\":1,\"shape\":[1,4,4,2]}", 100);
  cJSON *b = plan("{\"op\":\"CONV_2D\"},{\"op\":\"RELU\",\"live_bytes\":5},{\"op\":\"SOFTMAX\"}",
                  "{\"producer\":0,\"shape\":[1,4,4,2]}", 150);
  host_comparison c;
  assert_true(host_plan_is_known(a));
  assert_true(host_compare_plans(&c, a, b));
  assert_true(c.ops_compared);
  assert_int_equal(c.change_count, 2);
  assert_false(c.changes[0].added);
  assert_int_equal(c.changes[0].node, 0);
  assert_true(c.changes[1].added);
  assert_int_equal(c.changes[1].node, 1);
  assert_string_equal(c.categories[0].key, "arena_bytes");
  assert_true(c.categories[0].a == 100.0 && c.categories[0].b == 150.0);
  assert_string_equal(c.peak_a.op, "CONV_2D");
  assert_true(c.peak_a.live_bytes == 9.0);
  assert_string_equal(c.peak_b.op, "RELU");
  host_comparison_free(&c);
  char text[64];
  host_plan_op(a, 1, text, sizeof text);
  assert_string_equal(text, "CONV_2D 1x4x4x2");
  host_plan_op(a, 99, text, sizeof text);
  assert_string_equal(text, "?");
  cJSON_Delete(a);
  cJSON_Delete(b);
}

// A plan by rows has many steps for a node, and none for a view.
static void rows_of_a_node_are_one_operator(void **state) {
  (void)state;
  static const char tensors[] = "{\"producer\":0,\"shape\":[1,4]},{\"producer\":1,\"shape\":[4]}";
  cJSON *a = plan("{\"op\":\"CONV_2D\",\"node\":0},{\"op\":\"RESHAPE\",\"node\":1},"
                  "{\"op\":\"SOFTMAX\",\"node\":2}", tensors, 1);
  cJSON *b = plan("{\"op\":\"CONV_2D\",\"node\":0},{\"op\":\"SOFTMAX\",\"node\":2},"
                  "{\"op\":\"CONV_2D\",\"node\":0},{\"op\":\"SOFTMAX\",\"node\":2}", tensors, 1);
  host_comparison c;
  assert_true(host_compare_plans(&c, a, b));
  assert_int_equal(c.change_count, 0);
  assert_int_equal(c.peak_b.step, 1);
  assert_int_equal(c.peak_b.node, 2);
  host_comparison_free(&c);
  cJSON_Delete(a);
  cJSON_Delete(b);
}

static void another_shape_is_another_operator(void **state) {
  (void)state;
  cJSON *a = plan("{\"op\":\"CONV_2D\"}", "{\"producer\":0,\"shape\":[1,4]}", 1);
  cJSON *b = plan("{\"op\":\"CONV_2D\"}", "{\"producer\":0,\"shape\":[1,8]}", 1);
  host_comparison c;
  assert_true(host_compare_plans(&c, a, b));
  assert_int_equal(c.change_count, 2);
  host_comparison_free(&c);
  cJSON_Delete(a);
  cJSON_Delete(b);
}

static void json_of_any_kind_is_survived(void **state) {
  (void)state;
  static const char hostile[] =
      "{\"schema\":\"arenite.plan\",\"version\":1,\"steps\":[1,null],\"tensors\":[{\"producer\":"
      "1e300},"
      "{\"producer\":\"x\"},{\"producer\":0,\"shape\":[\"a\",[]]}],\"peak_step\":1e300}";
  static const char *const texts[] = {
      "{}", "[]", "7", "{\"schema\":3}", "{\"schema\":\"arenite.plan\"}",
      "{\"schema\":\"arenite.plan\",\"version\":1,\"steps\":5,\"tensors\":{},\"peak_step\":-4}",
      hostile};
  for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
    host_comparison c;
    cJSON *a = cJSON_Parse(texts[i]);
    assert_true(host_compare_plans(&c, a, a));
    assert_int_equal(c.change_count, 0);
    host_comparison_free(&c);
    assert_int_equal(host_plan_is_known(a), i >= 5);
    cJSON_Delete(a);
  }
  assert_false(host_plan_is_known(NULL));
}

// ---- outputs ------------------------------------------------------------------------------------

static void describe(arn_net *net) {
  const arn_net_filter conv = {.channels = 6, .kernel_h = 3, .kernel_w = 3, .stride = 1,
                               .activation = ARN_ACTIVATION_RELU};
  const arn_net_filter deep = {.kernel_h = 3, .kernel_w = 3, .stride = 2};
  uint32_t at = arn_net_input(net, 10, 10, 3);
  const uint32_t first = arn_net_conv(net, at, &conv);
  at = arn_net_conv(net, first, &conv);
  at = arn_net_depthwise(net, arn_net_add(net, at, first), &deep);
  arn_net_softmax(net, arn_net_dense(net, arn_net_mean(net, at), 5, 0));
}

static void open_form(host_engine *e, const arn_qnet *qnet, arn_qnet_form form, void **file) {
  arn_builder *b = arn_builder_new();
  const host_options options = {.fill = HOST_FILL_A5};
  arn_error error;
  size_t size;
  uint8_t *bytes = NULL;
  arn_qnet_emit(qnet, b, &(arn_qnet_style){.name = "small", .form = form});
  assert_true(arn_builder_finish(b, &bytes, &size));
  *file = aligned_alloc(64, (size / 64 + 1) * 64);
  memcpy(*file, bytes, size);
  free(bytes);
  arn_builder_free(b);
  assert_int_equal(host_engine_open(e, *file, size, &options, &error), ARN_OK);
}

static void three_types_of_one_network(void **state) {
  (void)state;
  static arn_net net;
  static arn_qnet qnet;
  host_engine e[3];
  void *files[3];
  describe(&net);
  assert_true(arn_net_randomise(&net, 7, 8));
  assert_true(arn_qnet_quantise(&qnet, &net));
  open_form(&e[0], &qnet, ARN_QNET_FLOAT32, &files[0]);
  open_form(&e[1], &qnet, ARN_QNET_INT16X8, &files[1]);
  open_form(&e[2], &qnet, ARN_QNET_INT8, &files[2]);
  const host_output_gap own = host_compare_outputs(&e[0], &e[0], 3, NULL);
  assert_null(own.why);
  assert_true(own.worst == 0.0 && own.mean == 0.0);
  assert_int_equal(own.same_largest, 3);
  const host_output_gap int16 = host_compare_outputs(&e[0], &e[1], 50, NULL);
  const host_output_gap int8 = host_compare_outputs(&e[0], &e[2], 50, NULL);
  assert_null(int16.why);
  assert_null(int8.why);
  // A softmax output is within 0 and 1. Bounds are what 8-bit weights, and 8-bit activations,
  // allow.
  assert_true(int16.worst < 0.05 && int16.worst > 0.0);
  assert_true(int8.worst < 0.2 && int8.mean >= int16.mean);
  assert_true(int16.signal_db > 25.0 && int8.signal_db > 15.0 && int16.signal_db >= int8.signal_db);
  assert_true(e[0].usage.dynamic_bytes > e[1].usage.dynamic_bytes);
  assert_true(e[1].usage.dynamic_bytes > e[2].usage.dynamic_bytes);
  for (int i = 0; i < 3; i++) {
    host_engine_close(&e[i]);
    free(files[i]);
  }
  arn_qnet_free(&qnet);
  arn_net_free(&net);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(names_what_came_and_went),
                                     cmocka_unit_test(rows_of_a_node_are_one_operator),
                                     cmocka_unit_test(another_shape_is_another_operator),
                                     cmocka_unit_test(json_of_any_kind_is_survived),
                                     cmocka_unit_test(three_types_of_one_network)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
