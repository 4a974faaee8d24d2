// The least application: opens, starts and invokes a model with the operators named by -DOPS.
// Linked by tools/size_image.sh, to see what operators cost. -DOPS='OP(conv_2d) OP(softmax)'
#include "arenite/arenite.h"

#define OP(record) &arn_op_##record,
static const arn_op *const list[] = {OPS NULL};
static const arn_op_list ops = {list, sizeof list / sizeof list[0] - 1, NULL};

static uint8_t arena[256];
static const uint32_t file[4];  // no model: where this runs, it is refused

int main(void) {
  const arn_config config = {.ops = &ops};
  arn_model model;
  arn_interpreter nn;
  if (arn_model_open(&model, file, sizeof file, NULL) != ARN_OK) return 0;
  if (arn_start(&nn, &model, arena, sizeof arena, &config, NULL) != ARN_OK) return 1;
  return arn_invoke(&nn, NULL) != ARN_OK;
}
