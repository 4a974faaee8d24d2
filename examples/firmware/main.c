// A keyword spotter in 40 lines: the model lies in flash, its operators are listed, its memory is one array.
#include <string.h>

#include "arenite/arenite.h"
#include "ports/port.h"

static const arn_op *const list[] = {&arn_op_conv_2d, &arn_op_depthwise_conv_2d,
                                     &arn_op_fully_connected, &arn_op_softmax};
static const arn_op_list ops = {list, 4};

// A board's memory.ld says which memory ".arena" is. `arenite plan` says how many bytes a model needs.
static uint8_t arena[4096] __attribute__((section(".arena"), aligned(16)));

extern const uint8_t port_model[], port_model_end[];  // linked in by ports/model.S

static int fail(const char *what, const arn_error *error) {
  port_put(what);
  port_put(": status -");
  port_put_unsigned((uint32_t)-error->status);
  port_put("\n");
  return 1;
}

static uint32_t best_class(const arn_tensor_view *scores) {
  const int8_t *score = scores->data;
  uint32_t best = 0;
  for (uint32_t i = 1; i < scores->bytes; i++) best = score[i] > score[best] ? i : best;
  return best;
}

int main(void) {
  static arn_model model;
  static arn_interpreter nn;
  const arn_config config = {.ops = &ops};
  arn_error e = {0};
  const size_t bytes = (size_t)(port_model_end - port_model);
  if (arn_model_open(&model, port_model, bytes, &e) != ARN_OK) return fail("model", &e);
  if (arn_start(&nn, &model, arena, sizeof arena, &config, &e) != ARN_OK) return fail("start", &e);
  memset(arn_input(&nn, 0).data, 0, arn_input(&nn, 0).bytes);  // your features go here
  if (arn_invoke(&nn, &e) != ARN_OK) return fail("invoke", &e);
  const arn_tensor_view scores = arn_output(&nn, 0);
  port_put("keyword ");
  port_put_unsigned(best_class(&scores));
  port_put("\n");
  return 0;
}
