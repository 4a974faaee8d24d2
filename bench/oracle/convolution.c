// Convolutions and pools, by their definition: seven loops, or ten in three dimensions.
#include <math.h>

#include "bench/oracle/plain.h"

// ---- what all convolutions share ----------------------------------------------------------------

// Sums of quantised values; `real` of floats.
typedef struct weights {
  const plain_tensor *filter, *bias;
  plain_multiplier multipliers[1024];  // one a channel
  int32_t in_zero, filter_zero, out_zero;
} weights;

static weights w;  // of the node that runs

static void open_weights(const plain_node *n, uint32_t input, uint32_t channels) {
  const plain_tensor *in = &n->in[input], *out = &n->out[0];
  w.filter = &n->in[1];
  w.bias = &n->in[2];
  w.in_zero = in->zero;
  w.filter_zero = w.filter->zero;
  w.out_zero = out->zero;
  for (uint32_t c = 0; c < channels && in->scale > 0.0f; c++) {
    const float scale = w.filter->scales ? w.filter->scales[c] : w.filter->scale;
    w.multipliers[c] = plain_split((double)in->scale * (double)scale / (double)out->scale);
  }
}

static int8_t finish_s8(int32_t channel, int32_t sum) {
  const int32_t y = plain_requantise(sum + w.bias->s32[channel], w.multipliers[channel]);
  return (int8_t)plain_s8(y + w.out_zero);
}

static uint8_t finish_u8(int32_t channel, int32_t sum) {
  const int32_t y = plain_requantise(sum + w.bias->s32[channel], w.multipliers[channel]);
  return (uint8_t)plain_clamp(y + w.out_zero, 0, 255);
}

static int16_t finish_s16(int32_t channel, int64_t sum) {
  const int64_t y = sum + w.bias->s64[channel];
  return (int16_t)plain_s16(plain_requantise_wide(y, w.multipliers[channel]));
}

static float finish_f32(int32_t channel, float sum) {
  return sum + w.bias->f32[channel];
}

static int32_t nibble(const plain_tensor *t, int32_t i) {
  const int32_t both = t->u8[i / 2], four = i % 2 ? both >> 4 : both & 15;
  return four - (four & 8) * 2;
}

// How a filter's element i is read.
#define FILTER_s8(i) (w.filter->s8[i] - w.filter_zero)
#define FILTER_u8(i) (w.filter->u8[i] - w.filter_zero)
#define FILTER_s4(i) nibble(w.filter, i)
#define FILTER_f32(i) w.filter->f32[i]
#define FILTER_f16(i) plain_half(w.filter->u16[i])
#define FILTER_hybrid(i) ((w.filter->scales ? w.filter->scales[CHANNEL] : w.filter->scale) *      \
                          (float)w.filter->s8[i])

// Where padding begins for an output of `out` from an input of `in`.
static int32_t padding(int32_t in, int32_t out, int32_t stride, int32_t reach, bool same) {
  const int32_t all = (out - 1) * stride + reach - in;
  return same && all > 0 ? all / 2 : 0;
}

// ---- CONV_2D ------------------------------------------------------------------------------------

typedef struct plane {
  int32_t stride_y, stride_x, grow_y, grow_x, top, left;
} plane;

static plane plane_of(const plain_node *n, int32_t kernel_y, int32_t kernel_x, uint32_t grow_at) {
  plane p;
  const bool same = (int32_t)n->options[0] == ARN_PADDING_SAME;
  p.stride_x = (int32_t)n->options[1];
  p.stride_y = (int32_t)n->options[2];
  p.grow_x = grow_at ? (int32_t)n->options[grow_at] : 1;
  p.grow_y = grow_at ? (int32_t)n->options[grow_at + 1] : 1;
  const int32_t *in = n->in[0].dims, *out = n->out[0].dims;
  p.top = padding(in[1], out[1], p.stride_y, (kernel_y - 1) * p.grow_y + 1, same);
  p.left = padding(in[2], out[2], p.stride_x, (kernel_x - 1) * p.grow_x + 1, same);
  return p;
}

#define CHANNEL oc
#define CONV(name, value, kind, result, sum_type)                                                 \
  static void conv_##name(const plain_node *n) {                                                  \
    const int32_t *in = n->in[0].dims, *f = n->in[1].dims, *out = n->out[0].dims;                 \
    const plane p = plane_of(n, f[1], f[2], 4);                                                   \
    open_weights(n, 0, (uint32_t)out[3]);                                                         \
    for (int32_t oy = 0; oy < out[1]; oy++) {                                                     \
      for (int32_t ox = 0; ox < out[2]; ox++) {                                                   \
        for (int32_t oc = 0; oc < out[3]; oc++) {                                                 \
          sum_type sum = 0;                                                                       \
          for (int32_t ky = 0; ky < f[1]; ky++) {                                                 \
            const int32_t y = oy * p.stride_y - p.top + ky * p.grow_y;                            \
            for (int32_t kx = 0; kx < f[2]; kx++) {                                               \
              const int32_t x = ox * p.stride_x - p.left + kx * p.grow_x;                         \
              if (y < 0 || y >= in[1] || x < 0 || x >= in[2]) continue;                           \
              for (int32_t c = 0; c < in[3]; c++) {                                               \
                const int32_t at = (y * in[2] + x) * in[3] + c;                                   \
                const int32_t k = ((oc * f[1] + ky) * f[2] + kx) * f[3] + c;                      \
                sum += (value) * FILTER_##kind(k);                                                \
              }                                                                                   \
            }                                                                                     \
          }                                                                                       \
          n->out[0].result[(oy * out[2] + ox) * out[3] + oc] = finish_##result(oc, sum);          \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
CONV(s8, n->in[0].s8[at] - w.in_zero, s8, s8, int32_t)
CONV(s4, n->in[0].s8[at] - w.in_zero, s4, s8, int32_t)
CONV(u8, n->in[0].u8[at] - w.in_zero, u8, u8, int32_t)
CONV(s16, n->in[0].s16[at], s8, s16, int64_t)
CONV(f32, n->in[0].f32[at], f32, f32, float)
CONV(f16, n->in[0].f32[at], f16, f32, float)
CONV(hybrid, n->in[0].f32[at], hybrid, f32, float)

#define DEPTHWISE(name, value, kind, result, sum_type)                                            \
  static void depthwise_##name(const plain_node *n) {                                             \
    const int32_t *in = n->in[0].dims, *f = n->in[1].dims, *out = n->out[0].dims;                 \
    const plane p = plane_of(n, f[1], f[2], 5);                                                   \
    const int32_t times = (int32_t)n->options[3];                                                 \
    open_weights(n, 0, (uint32_t)out[3]);                                                         \
    for (int32_t oy = 0; oy < out[1]; oy++) {                                                     \
      for (int32_t ox = 0; ox < out[2]; ox++) {                                                   \
        for (int32_t oc = 0; oc < out[3]; oc++) {                                                 \
          sum_type sum = 0;                                                                       \
          for (int32_t ky = 0; ky < f[1]; ky++) {                                                 \
            const int32_t y = oy * p.stride_y - p.top + ky * p.grow_y;                            \
            for (int32_t kx = 0; kx < f[2]; kx++) {                                               \
              const int32_t x = ox * p.stride_x - p.left + kx * p.grow_x;                         \
              if (y < 0 || y >= in[1] || x < 0 || x >= in[2]) continue;                           \
              const int32_t at = (y * in[2] + x) * in[3] + oc / times;                            \
              const int32_t k = (ky * f[2] + kx) * out[3] + oc;                                   \
              sum += (value) * FILTER_##kind(k);                                                  \
            }                                                                                     \
          }                                                                                       \
          n->out[0].result[(oy * out[2] + ox) * out[3] + oc] = finish_##result(oc, sum);          \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
DEPTHWISE(s8, n->in[0].s8[at] - w.in_zero, s8, s8, int32_t)
DEPTHWISE(s4, n->in[0].s8[at] - w.in_zero, s4, s8, int32_t)
DEPTHWISE(u8, n->in[0].u8[at] - w.in_zero, u8, u8, int32_t)
DEPTHWISE(s16, n->in[0].s16[at], s8, s16, int64_t)
DEPTHWISE(f32, n->in[0].f32[at], f32, f32, float)
DEPTHWISE(hybrid, n->in[0].f32[at], hybrid, f32, float)

// ---- TRANSPOSE_CONV: input 0 is the output's shape, 1 the filter, 2 the image, 3 the bias -------

// Each input value is added to all outputs within its reach. `sums` holds the whole output.
#define TRANSPOSE(name, value, kind, result, sum_type)                                            \
  static void transpose_##name(const plain_node *n) {                                             \
    static sum_type sums[1 << 18];                                                                \
    const int32_t *in = n->in[2].dims, *f = n->in[1].dims, *out = n->out[0].dims;                 \
    const bool same = (int32_t)n->options[0] == ARN_PADDING_SAME;                                 \
    const int32_t step_x = (int32_t)n->options[1], step_y = (int32_t)n->options[2];               \
    const int32_t top = padding(out[1], in[1], step_y, f[1], same);                               \
    const int32_t left = padding(out[2], in[2], step_x, f[2], same);                              \
    open_weights(n, 2, (uint32_t)out[3]);                                                         \
    w.bias = &n->in[3];                                                                           \
    for (uint32_t i = 0; i < n->out[0].count; i++) sums[i] = 0;                                   \
    for (int32_t iy = 0; iy < in[1]; iy++) {                                                      \
      for (int32_t ix = 0; ix < in[2]; ix++) {                                                    \
        for (int32_t c = 0; c < in[3]; c++) {                                                     \
          const int32_t at = (iy * in[2] + ix) * in[3] + c;                                       \
          for (int32_t ky = 0; ky < f[1]; ky++) {                                                 \
            for (int32_t kx = 0; kx < f[2]; kx++) {                                               \
              const int32_t y = iy * step_y - top + ky, x = ix * step_x - left + kx;              \
              if (y < 0 || y >= out[1] || x < 0 || x >= out[2]) continue;                         \
              for (int32_t oc = 0; oc < out[3]; oc++) {                                           \
                const int32_t k = ((oc * f[1] + ky) * f[2] + kx) * f[3] + c;                      \
                sums[(y * out[2] + x) * out[3] + oc] += (value) * FILTER_##kind(k);               \
              }                                                                                   \
            }                                                                                     \
          }                                                                                       \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
    for (int32_t i = 0; i < (int32_t)n->out[0].count; i++) {                                      \
      n->out[0].result[i] = finish_##result(i % out[3], sums[i]);                                 \
    }                                                                                             \
  }
TRANSPOSE(s8, n->in[2].s8[at] - w.in_zero, s8, s8, int32_t)
TRANSPOSE(s16, n->in[2].s16[at], s8, s16, int64_t)
TRANSPOSE(f32, n->in[2].f32[at], f32, f32, float)
TRANSPOSE(hybrid, n->in[2].f32[at], hybrid, f32, float)

// ---- CONV_3D and its transpose: stride 1, VALID -------------------------------------------------

// One output channel block of one place; (z, y, x) of input and output.
#define CONV_3D(name, value, kind, result, sum_type)                                              \
  static sum_type sum_3d_##name(const plain_node *n, const int32_t *at, int32_t oc) {             \
    const int32_t *in = n->in[0].dims, *f = n->in[1].dims;                                        \
    sum_type sum = 0;                                                                             \
    for (int32_t kz = 0; kz < f[0]; kz++) {                                                       \
      for (int32_t ky = 0; ky < f[1]; ky++) {                                                     \
        for (int32_t kx = 0; kx < f[2]; kx++) {                                                   \
          const int32_t pixel = ((at[0] + kz) * in[2] + at[1] + ky) * in[3] + at[2] + kx;         \
          const int32_t tap = (kz * f[1] + ky) * f[2] + kx;                                       \
          for (int32_t c = 0; c < f[3]; c++) {                                                    \
            const int32_t i = pixel * f[3] + c, k = (tap * f[3] + c) * f[4] + oc;                 \
            sum += (value) * FILTER_##kind(k);                                                    \
          }                                                                                       \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
    return sum;                                                                                   \
  }                                                                                               \
  static void conv_3d_##name(const plain_node *n) {                                               \
    const int32_t *out = n->out[0].dims;                                                          \
    int32_t at[3], to = 0;                                                                        \
    open_weights(n, 0, (uint32_t)out[4]);                                                         \
    for (at[0] = 0; at[0] < out[1]; at[0]++) {                                                    \
      for (at[1] = 0; at[1] < out[2]; at[1]++) {                                                  \
        for (at[2] = 0; at[2] < out[3]; at[2]++) {                                                \
          for (int32_t oc = 0; oc < out[4]; oc++, to++) {                                         \
            n->out[0].result[to] = finish_##result(oc, sum_3d_##name(n, at, oc));                 \
          }                                                                                       \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
CONV_3D(s8, n->in[0].s8[i] - w.in_zero, s8, s8, int32_t)
CONV_3D(f32, n->in[0].f32[i], f32, f32, float)

// Filter [D,H,W,out,in]; adds to the outputs that one input value reaches.
static void spread_3d(const plain_node *n, int32_t z, int32_t y, int32_t x) {
  const int32_t *in = n->in[2].dims, *f = n->in[1].dims, *out = n->out[0].dims;
  const float *from = n->in[2].f32 + ((z * in[2] + y) * in[3] + x) * in[4];
  for (int32_t kz = 0; kz < f[0]; kz++) {
    for (int32_t ky = 0; ky < f[1]; ky++) {
      for (int32_t kx = 0; kx < f[2]; kx++) {
        const int32_t pixel = ((z + kz) * out[2] + y + ky) * out[3] + x + kx;
        const int32_t tap = (kz * f[1] + ky) * f[2] + kx;
        for (int32_t oc = 0; oc < out[4]; oc++) {
          const float *k = n->in[1].f32 + (tap * out[4] + oc) * in[4];
          float sum = 0.0f;
          for (int32_t c = 0; c < in[4]; c++) sum += from[c] * k[c];
          n->out[0].f32[pixel * out[4] + oc] += sum;
        }
      }
    }
  }
}

static void transpose_3d_f32(const plain_node *n) {
  const int32_t *in = n->in[2].dims, *out = n->out[0].dims;
  for (uint32_t i = 0; i < n->out[0].count; i++) {
    n->out[0].f32[i] = n->in[3].f32[i % (uint32_t)out[4]];
  }
  for (int32_t z = 0; z < in[1]; z++) {
    for (int32_t y = 0; y < in[2]; y++) {
      for (int32_t x = 0; x < in[3]; x++) spread_3d(n, z, y, x);
    }
  }
}

// ---- pools: padding, strides w h, sizes w h -----------------------------------------------------

// Takes every value of a window into `state`.
#define POOL(name, type, state_type, begin, take, finish)                                         \
  static void name##_##type(const plain_node *n) {                                                \
    const int32_t *in = n->in[0].dims, *out = n->out[0].dims;                                     \
    const int32_t width = (int32_t)n->options[3], height = (int32_t)n->options[4];                \
    const plane p = plane_of(n, height, width, 0);                                                \
    for (int32_t oy = 0; oy < out[1]; oy++) {                                                     \
      for (int32_t ox = 0; ox < out[2]; ox++) {                                                   \
        for (int32_t c = 0; c < out[3]; c++) {                                                    \
          state_type state = begin;                                                               \
          int32_t count = 0;                                                                      \
          for (int32_t ky = 0; ky < height; ky++) {                                               \
            for (int32_t kx = 0; kx < width; kx++) {                                              \
              const int32_t y = oy * p.stride_y - p.top + ky;                                     \
              const int32_t x = ox * p.stride_x - p.left + kx;                                    \
              if (y < 0 || y >= in[1] || x < 0 || x >= in[2]) continue;                           \
              const state_type value = n->in[0].type[(y * in[2] + x) * in[3] + c];                \
              state = take;                                                                       \
              count++;                                                                            \
            }                                                                                     \
          }                                                                                       \
          n->out[0].type[(oy * out[2] + ox) * out[3] + c] =                                       \
              (__typeof__(n->out[0].type[0]))(finish);                                            \
        }                                                                                         \
      }                                                                                           \
    }                                                                                             \
  }
#define AWAY (state + (state >= 0 ? count / 2 : -(count / 2))) / count
POOL(average, s8, int32_t, 0, state + value, AWAY)
POOL(average, s16, int32_t, 0, state + value, AWAY)
POOL(average, f32, float, 0.0f, state + value, state / (float)count)
POOL(largest, s8, int32_t, -128, value > state ? value : state, (count > 0 ? state : 0))
POOL(largest, s16, int32_t, -32768, value > state ? value : state, (count > 0 ? state : 0))
POOL(largest, f32, float, -INFINITY, value > state ? value : state, (count > 0 ? state : 0))
POOL(root, f32, float, 0.0f, state + value * value, sqrtf(state / (float)count))

#define HEAVY(op, note, tensors, loop, ...)                                                       \
  {&arn_op_##op, note, tensors, loop, true, 0, {__VA_ARGS__, {{0}}, {0}}, {{0}}}
#define CONV_OPTIONS(padding, stride, grow)                                                       \
  ARN_OPTIONS_CONV_2D, {ARN_PADDING_##padding, stride, stride, 0, grow, grow}
#define DEPTHWISE_OPTIONS(padding, stride, times)                                                 \
  ARN_OPTIONS_DEPTHWISE_CONV_2D, {ARN_PADDING_##padding, stride, stride, times, 0, 1, 1}
#define POOL_OPTIONS(padding, stride, size)                                                       \
  ARN_OPTIONS_POOL_2D, {ARN_PADDING_##padding, stride, stride, size, size, 0}
#define TRANSPOSE_OPTIONS(padding, stride)                                                        \
  ARN_OPTIONS_TRANSPOSE_CONV, {ARN_PADDING_##padding, stride, stride, 0}

const plain_case plain_convolution[] = {
    HEAVY(conv_2d, "3x3", "s8 1x48x48x32 @.05+3;s8 32x3x3x32 @0:.01 =;s32 32 =>s8 1x48x48x32 @.3-5",
          conv_s8, CONV_OPTIONS(SAME, 1, 1)),
    HEAVY(conv_2d, "1x1",
          "s8 1x32x32x64 @.05+3;s8 128x1x1x64 @0:.01 =;s32 128 =>s8 1x32x32x128 @.2-5",
          conv_s8, CONV_OPTIONS(SAME, 1, 1)),
    HEAVY(conv_2d, "3x3 of 3, stride 2",
          "s8 1x192x192x3 @.05+3;s8 16x3x3x3 @0:.01 =;s32 16 =>s8 1x96x96x16 @.1-5", conv_s8,
          CONV_OPTIONS(SAME, 2, 1)),
    HEAVY(conv_2d, "3x3, dilation 2", "s8 1x64x64x16 @.05+3;s8 16x3x3x16 @0:.01 =;s32 16 =>"
          "s8 1x64x64x16 @.2-5", conv_s8, CONV_OPTIONS(SAME, 1, 2)),
    HEAVY(conv_2d, "3x3", "s8 1x48x48x32 @.05+3;s4 32x3x3x32 @0:.1 =;s32 32 =>s8 1x48x48x32 @.3-5",
          conv_s4, CONV_OPTIONS(SAME, 1, 1)),
    HEAVY(conv_2d, "3x3", "u8 1x48x48x32 @.05+131;u8 32x3x3x32 @.01+120 =;s32 32 =>"
          "u8 1x48x48x32 @.3+100", conv_u8, CONV_OPTIONS(SAME, 1, 1)),
    HEAVY(conv_2d, "3x3",
          "s16 1x48x48x32 @.0005;s8 32x3x3x32 @0:.01 =;s64 32 =>s16 1x48x48x32 @.003",
          conv_s16, CONV_OPTIONS(SAME, 1, 1)),
    HEAVY(conv_2d, "3x3", "f32 1x48x48x32;f32 32x3x3x32 =;f32 32 =>f32 1x48x48x32", conv_f32,
          CONV_OPTIONS(SAME, 1, 1)),
    HEAVY(conv_2d, "1x1", "f32 1x32x32x64;f32 128x1x1x64 =;f32 128 =>f32 1x32x32x128", conv_f32,
          CONV_OPTIONS(SAME, 1, 1)),
    HEAVY(conv_2d, "3x3", "f32 1x48x48x32;f16 32x3x3x32 =;f32 32 =>f32 1x48x48x32", conv_f16,
          CONV_OPTIONS(SAME, 1, 1)),
    HEAVY(conv_2d, "3x3", "f32 1x48x48x32;s8 32x3x3x32 @0:.001 =;f32 32 =>f32 1x48x48x32",
          conv_hybrid,
          CONV_OPTIONS(SAME, 1, 1)),
    HEAVY(depthwise_conv_2d, "3x3", "s8 1x64x64x32 @.05+3;s8 1x3x3x32 @3:.01 =;s32 32 =>"
          "s8 1x64x64x32 @.1-5", depthwise_s8, DEPTHWISE_OPTIONS(SAME, 1, 1)),
    HEAVY(depthwise_conv_2d, "3x3, stride 2", "s8 1x64x64x32 @.05+3;s8 1x3x3x32 @3:.01 =;s32 32 =>"
          "s8 1x32x32x32 @.1-5", depthwise_s8, DEPTHWISE_OPTIONS(SAME, 2, 1)),
    HEAVY(depthwise_conv_2d, "3x3, times 8", "s8 1x64x64x4 @.05+3;s8 1x3x3x32 @3:.01 =;s32 32 =>"
          "s8 1x64x64x32 @.1-5", depthwise_s8, DEPTHWISE_OPTIONS(SAME, 1, 8)),
    HEAVY(depthwise_conv_2d, "3x3", "s8 1x64x64x32 @.05+3;s4 1x3x3x32 @3:.1 =;s32 32 =>"
          "s8 1x64x64x32 @.1-5", depthwise_s4, DEPTHWISE_OPTIONS(SAME, 1, 1)),
    HEAVY(depthwise_conv_2d, "3x3", "u8 1x64x64x32 @.05+131;u8 1x3x3x32 @.01+120 =;s32 32 =>"
          "u8 1x64x64x32 @.1+100", depthwise_u8, DEPTHWISE_OPTIONS(SAME, 1, 1)),
    HEAVY(depthwise_conv_2d, "3x3", "s16 1x64x64x32 @.0005;s8 1x3x3x32 @3:.01 =;s64 32 =>"
          "s16 1x64x64x32 @.001", depthwise_s16, DEPTHWISE_OPTIONS(SAME, 1, 1)),
    HEAVY(depthwise_conv_2d, "3x3", "f32 1x64x64x32;f32 1x3x3x32 =;f32 32 =>f32 1x64x64x32",
          depthwise_f32, DEPTHWISE_OPTIONS(SAME, 1, 1)),
    HEAVY(depthwise_conv_2d, "3x3", "f32 1x64x64x32;s8 1x3x3x32 @3:.01 =;f32 32 =>f32 1x64x64x32",
          depthwise_hybrid, DEPTHWISE_OPTIONS(SAME, 1, 1)),
    HEAVY(transpose_conv, "3x3, stride 2", "s32 4 =1,64,64,16;s8 16x3x3x32 @0:.01 =;"
          "s8 1x32x32x32 @.05+3;s32 16 =>s8 1x64x64x16 @.2-5", transpose_s8,
          TRANSPOSE_OPTIONS(SAME, 2)),
    HEAVY(transpose_conv, "3x3, stride 2", "s32 4 =1,64,64,16;s8 16x3x3x32 @0:.01 =;"
          "s16 1x32x32x32 @.0005;s64 16 =>s16 1x64x64x16 @.002", transpose_s16,
          TRANSPOSE_OPTIONS(SAME, 2)),
    HEAVY(transpose_conv, "3x3, stride 2",
          "s32 4 =1,64,64,16;f32 16x3x3x32 =;f32 1x32x32x32;f32 16 =>"
          "f32 1x64x64x16", transpose_f32, TRANSPOSE_OPTIONS(SAME, 2)),
    HEAVY(transpose_conv, "3x3, stride 2", "s32 4 =1,64,64,16;s8 16x3x3x32 @0:.01 =;f32 1x32x32x32;"
          "f32 16 =>f32 1x64x64x16", transpose_hybrid, TRANSPOSE_OPTIONS(SAME, 2)),
    HEAVY(conv_3d, "3x3x3", "s8 1x10x24x24x16 @.05+3;s8 3x3x3x16x16 @4:.01 =;s32 16 =>"
          "s8 1x8x22x22x16 @.3-5", conv_3d_s8, ARN_OPTIONS_CONV_3D, {1, 1, 1, 1, 0, 1, 1, 1}),
    HEAVY(conv_3d, "3x3x3", "f32 1x10x24x24x16;f32 3x3x3x16x16 =;f32 16 =>f32 1x8x22x22x16",
          conv_3d_f32, ARN_OPTIONS_CONV_3D, {1, 1, 1, 1, 0, 1, 1, 1}),
    HEAVY(conv_3d_transpose, "3x3x3", "s32 5 =1,8,22,22,16;f32 3x3x3x16x16 =;f32 1x6x20x20x16;"
          "f32 16 =>f32 1x8x22x22x16", transpose_3d_f32, ARN_OPTIONS_CONV_3D, {1, 1, 1, 1, 0, 1, 1,
          1}),
    HEAVY(average_pool_2d, "2x2, stride 2", "s8 1x64x64x32 @.05+3>s8 1x32x32x32 @.05+3", average_s8,
          POOL_OPTIONS(VALID, 2, 2)),
    HEAVY(average_pool_2d, "8x8", "s8 1x40x40x64 @.05+3>s8 1x5x5x64 @.05+3", average_s8,
          POOL_OPTIONS(VALID, 8, 8)),
    HEAVY(average_pool_2d, "3x3", "s16 1x64x64x16 @.05>s16 1x64x64x16 @.05", average_s16,
          POOL_OPTIONS(SAME, 1, 3)),
    HEAVY(average_pool_2d, "3x3", "f32 1x64x64x16>f32 1x64x64x16", average_f32, POOL_OPTIONS(SAME,
          1, 3)),
    HEAVY(max_pool_2d, "2x2, stride 2", "s8 1x64x64x32 @.05+3>s8 1x32x32x32 @.05+3", largest_s8,
          POOL_OPTIONS(VALID, 2, 2)),
    HEAVY(max_pool_2d, "3x3", "s8 1x64x64x16 @.05+3>s8 1x64x64x16 @.05+3", largest_s8,
          POOL_OPTIONS(SAME, 1, 3)),
    HEAVY(max_pool_2d, "3x3", "s16 1x64x64x16 @.05>s16 1x64x64x16 @.05", largest_s16,
          POOL_OPTIONS(SAME, 1, 3)),
    HEAVY(max_pool_2d, "3x3", "f32 1x64x64x16>f32 1x64x64x16", largest_f32, POOL_OPTIONS(SAME, 1,
          3)),
    HEAVY(l2_pool_2d, "3x3", "f32 1x64x64x16>f32 1x64x64x16", root_f32, POOL_OPTIONS(SAME, 1, 3)),
    {.op = NULL}};
