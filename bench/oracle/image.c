// Resizing of [1,H,W,C].
#include <math.h>

#include "bench/oracle/plain.h"

static int32_t least(int32_t a, int32_t b) { return a < b ? a : b; }

// Integers: places in 1/1024, four weights that add up to 2^20.
#define BILINEAR(type, wide)                                                                      \
  static void bilinear_##type(const plain_node *n) {                                              \
    const int32_t *d = n->in[0].dims, *o = n->out[0].dims;                                        \
    const int32_t step_y = (1024 * d[1] + o[1] / 2) / o[1];                                       \
    const int32_t step_x = (1024 * d[2] + o[2] / 2) / o[2];                                       \
    for (int32_t y = 0; y < o[1]; y++) {                                                          \
      for (int32_t x = 0; x < o[2]; x++) {                                                        \
        const int32_t y0 = least(y * step_y / 1024, d[1] - 1), y1 = least(y0 + 1, d[1] - 1);      \
        const int32_t x0 = least(x * step_x / 1024, d[2] - 1), x1 = least(x0 + 1, d[2] - 1);      \
        const wide v = y * step_y - 1024 * y0, u = x * step_x - 1024 * x0;                        \
        for (int32_t c = 0; c < d[3]; c++) {                                                      \
          const wide sum = (1024 - v) * (1024 - u) * n->in[0].type[(y0 * d[2] + x0) * d[3] + c] + \
                           v * (1024 - u) * n->in[0].type[(y1 * d[2] + x0) * d[3] + c] +          \
                           (1024 - v) * u * n->in[0].type[(y0 * d[2] + x1) * d[3] + c] +          \
                           v * u * n->in[0].type[(y1 * d[2] + x1) * d[3] + c];                    \
          const wide half = sum > 0 ? 1 << 19 : -(1 << 19);                                       \
          n->out[0].type[(y * o[2] + x) * o[3] + c] =                                             \
              (__typeof__(n->out[0].type[0]))((sum + half) / (1 << 20));                          \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
BILINEAR(s8, int32_t)
BILINEAR(u8, int32_t)
BILINEAR(s16, int64_t)

static void bilinear_f32(const plain_node *n) {
  const int32_t *d = n->in[0].dims, *o = n->out[0].dims;
  const float step_y = (float)d[1] / (float)o[1], step_x = (float)d[2] / (float)o[2];
  for (int32_t y = 0; y < o[1]; y++) {
    for (int32_t x = 0; x < o[2]; x++) {
      const float at_y = (float)y * step_y, at_x = (float)x * step_x;
      const int32_t y0 = (int32_t)floorf(at_y), y1 = least(y0 + 1, d[1] - 1);
      const int32_t x0 = (int32_t)floorf(at_x), x1 = least(x0 + 1, d[2] - 1);
      const float v = at_y - (float)y0, u = at_x - (float)x0;
      for (int32_t c = 0; c < d[3]; c++) {
        n->out[0].f32[(y * o[2] + x) * o[3] + c] =
            n->in[0].f32[(y0 * d[2] + x0) * d[3] + c] * (1 - v) * (1 - u) +
            n->in[0].f32[(y1 * d[2] + x0) * d[3] + c] * v * (1 - u) +
            n->in[0].f32[(y0 * d[2] + x1) * d[3] + c] * (1 - v) * u +
            n->in[0].f32[(y1 * d[2] + x1) * d[3] + c] * v * u;
      }
    }
  }
}

#define NEAREST(type)                                                                             \
  static void nearest_##type(const plain_node *n) {                                               \
    const int32_t *d = n->in[0].dims, *o = n->out[0].dims;                                        \
    const float step_y = (float)d[1] / (float)o[1], step_x = (float)d[2] / (float)o[2];           \
    for (int32_t y = 0; y < o[1]; y++) {                                                          \
      const int32_t from_y = least((int32_t)floorf((float)y * step_y), d[1] - 1);                 \
      for (int32_t x = 0; x < o[2]; x++) {                                                        \
        const int32_t from_x = least((int32_t)floorf((float)x * step_x), d[2] - 1);               \
        for (int32_t c = 0; c < d[3]; c++) {                                                      \
          n->out[0].type[(y * o[2] + x) * o[3] + c] =                                             \
              n->in[0].type[(from_y * d[2] + from_x) * d[3] + c];                                 \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
NEAREST(s8)
NEAREST(s16)
NEAREST(f32)

#define SMOOTH(note, in, size, out, loop)                                                         \
  {&arn_op_resize_bilinear, note, in ";s32 2 =" size ">" out, loop, true, 0,                      \
   {ARN_OPTIONS_RESIZE_BILINEAR, {0}, {{0}}, {0}}, {{0}}}
#define ROUGH(note, in, size, out, loop)                                                          \
  {&arn_op_resize_nearest_neighbor, note, in ";s32 2 =" size ">" out, loop, true, 0,              \
   {ARN_OPTIONS_RESIZE_NEAREST_NEIGHBOR, {0}, {{0}}, {0}}, {{0}}}

const plain_case plain_image[] = {
    SMOOTH("twice", "s8 1x64x64x8", "128,128", "s8 1x128x128x8", bilinear_s8),
    SMOOTH("of 3 channels", "s8 1x96x96x3", "224,224", "s8 1x224x224x3", bilinear_s8),
    SMOOTH("of 32 channels", "s8 1x32x32x32", "64,64", "s8 1x64x64x32", bilinear_s8),
    SMOOTH("of 600 channels", "s8 1x8x8x600", "16,16", "s8 1x16x16x600", bilinear_s8),
    SMOOTH("much smaller", "s8 1x64x1024x3", "32,96", "s8 1x32x96x3", bilinear_s8),
    SMOOTH("smaller", "u8 1x240x320x3", "96,96", "u8 1x96x96x3", bilinear_u8),
    SMOOTH("twice", "s16 1x64x64x8", "128,128", "s16 1x128x128x8", bilinear_s16),
    SMOOTH("twice", "f32 1x64x64x8", "128,128", "f32 1x128x128x8", bilinear_f32),
    SMOOTH("of 3 channels", "f32 1x96x96x3", "192,192", "f32 1x192x192x3", bilinear_f32),
    ROUGH("twice", "s8 1x64x64x8", "128,128", "s8 1x128x128x8", nearest_s8),
    ROUGH("of 3 channels", "s8 1x96x96x3", "224,224", "s8 1x224x224x3", nearest_s8),
    ROUGH("of 32 channels", "s8 1x32x32x32", "64,64", "s8 1x64x64x32", nearest_s8),
    ROUGH("twice", "s16 1x40x40x8", "80,80", "s16 1x80x80x8", nearest_s16),
    ROUGH("twice", "f32 1x32x32x8", "64,64", "f32 1x64x64x8", nearest_f32),
    {.op = NULL}};
