// SPACE_TO_DEPTH and DEPTH_TO_SPACE: blocks of pixels to pixels of more channels, and back.
#include "nest.h"

// [batches][height][width][channels] of the side with the larger space, and its block.
typedef struct blocks {
  uint32_t batches, height, width, channels, block;  // height and width in blocks
} blocks;

// Reads both tensors and checks that `space` is `depth` with blocks of pixels spread out.
static arn_status read_blocks(const arn_prepare *p, const arn_tensor *space,
                              const arn_tensor *depth, blocks *b) {
  const int32_t size = arn_option_i32(p, 0, 0);
  if (space->rank != 4 || depth->rank != 4) return arn_refuse(p, ARN_WHAT_RANK, space);
  if (size < 1 || size > 0x7FFF) return arn_refuse_model(p, ARN_WHAT_STRIDE, NULL);
  const int32_t *s = space->dims, *d = depth->dims;
  const bool fits = s[0] == d[0] && s[1] == (int64_t)d[1] * size && s[2] == (int64_t)d[2] * size &&
                    d[3] == (int64_t)s[3] * size * size;
  if (!fits) return arn_refuse_model(p, ARN_WHAT_SHAPE, depth);
  *b = (blocks){(uint32_t)d[0], (uint32_t)d[1], (uint32_t)d[2], (uint32_t)s[3], (uint32_t)size};
  return ARN_OK;
}

// Output [n][h][w][y][x][c] from input [n][h][y][w][x][c].
static arn_status space_to_depth_prepare(arn_prepare *p, void *state) {
  arn_tensor in, out;
  blocks b;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(read_blocks(p, &in, &out, &b));
  arn__nest_plan plan = arn__nest_begin(state, &in, &out);
  const uint32_t element = plan.inner_bytes, pixel = element * b.channels;
  const uint32_t line = pixel * b.block * b.width;
  arn__nest_wrap(&plan, b.channels, (int32_t)element);
  arn__nest_wrap(&plan, b.block, (int32_t)pixel);
  arn__nest_wrap(&plan, b.block, (int32_t)line);
  arn__nest_wrap(&plan, b.width, (int32_t)(pixel * b.block));
  arn__nest_wrap(&plan, b.height, (int32_t)(line * b.block));
  arn__nest_wrap(&plan, b.batches, (int32_t)(line * b.block * b.height));
  return arn__nest_finish(p, &plan, &out);
}

// Output [n][h][y][w][x][c] from input [n][h][w][y][x][c].
static arn_status depth_to_space_prepare(arn_prepare *p, void *state) {
  arn_tensor in, out;
  blocks b;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(read_blocks(p, &out, &in, &b));
  arn__nest_plan plan = arn__nest_begin(state, &in, &out);
  const uint32_t element = plan.inner_bytes, across = element * b.channels * b.block;
  const uint32_t pixel = across * b.block;
  arn__nest_wrap(&plan, b.channels, (int32_t)element);
  arn__nest_wrap(&plan, b.block, (int32_t)(element * b.channels));
  arn__nest_wrap(&plan, b.width, (int32_t)pixel);
  arn__nest_wrap(&plan, b.block, (int32_t)across);
  arn__nest_wrap(&plan, b.height, (int32_t)(pixel * b.width));
  arn__nest_wrap(&plan, b.batches, (int32_t)(pixel * b.width * b.height));
  return arn__nest_finish(p, &plan, &out);
}

const arn_op arn_op_space_to_depth = {"SPACE_TO_DEPTH", 26, sizeof(arn__nest),
                                      ARN__MOVEMENT_TYPES, 0, NULL, space_to_depth_prepare,
                                      arn__nest_rows, arn__nest_eval};
const arn_op arn_op_depth_to_space = {"DEPTH_TO_SPACE", 5, sizeof(arn__nest),
                                      ARN__MOVEMENT_TYPES, 0, NULL, depth_to_space_prepare,
                                      arn__nest_rows, arn__nest_eval};
