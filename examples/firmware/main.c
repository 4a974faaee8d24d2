// A keyword spotter: the model lies in flash, its operators are listed, its memory is one array.
#include <string.h>

#include "arenite/arenite.h"
#include "ports/port.h"

static const arn_op *const list[] = {&arn_op_conv_2d_int8, &arn_op_depthwise_conv_2d_int8,
                                     &arn_op_fully_connected_int8, &arn_op_softmax_int8};
static const arn_op_list ops = {list, 4, &arn_file_plans};

// A board's memory.ld says which memory ".arena" is; `arenite plan` says how many bytes it needs.
static uint8_t arena[4096] __attribute__((section(".arena"), aligned(16)));
static arn_model model;
static arn_interpreter nn;

extern const uint8_t port_model[], port_model_end[];  // linked in by ports/model.S

static uint32_t best_class(const arn_tensor_view *scores) {
  const int8_t *score = scores->data;
  uint32_t best = 0;
  for (uint32_t i = 1; i < scores->bytes; i++) best = score[i] > score[best] ? i : best;
  return best;
}

int main(void) {
  const arn_config config = {.ops = &ops};
  const size_t bytes = (size_t)(port_model_end - port_model);
  arn_error error = {0};
  if (arn_model_open(&model, port_model, bytes, &error) != ARN_OK) return 1;
  if (arn_start(&nn, &model, arena, sizeof arena, &config, &error) != ARN_OK) return 2;
  memset(arn_input(&nn, 0).data, 0, arn_input(&nn, 0).bytes);  // your features go here
  if (arn_invoke(&nn, &error) != ARN_OK) return 3;  // `error` says what and where
  const arn_tensor_view scores = arn_output(&nn, 0);
  port_put("keyword ");
  port_put_unsigned(best_class(&scores));
  port_put("\n");
  return 0;
}
