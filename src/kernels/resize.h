// Kernels that resize an image along its columns, a row at a time.
#ifndef ARENITE_SRC_KERNELS_RESIZE_H
#define ARENITE_SRC_KERNELS_RESIZE_H

#include "arenite/op.h"
#include "kernel.h"
#include "requant.h"

enum {
  ARN__RESIZE_ALIGN_CORNERS = 1,
  ARN__RESIZE_HALF_PIXEL = 2,
};

// One axis of the image: how output positions map to input positions.
typedef struct arn__resize_axis {
  uint32_t in, out;  // sizes; at most 2^20
  union {
    float real;      // input positions an output position; nearest neighbour, and bilinear in float
    int32_t fixed;   // the same in 1/1024
  } step;
} arn__resize_axis;

// Two neighbouring input positions, and the share that the second one has: of 1024, or of 1.
typedef struct arn__resize_point {
  uint32_t low, high;
  int32_t share;
} arn__resize_point;
typedef struct arn__resize_point_f32 {
  uint32_t low, high;
  float share;
} arn__resize_point_f32;

// The mappings below are those of the reference, except that positions beyond the image are taken
// as its border: a step rounded up to 1/1024 leads there when an image is enlarged much.

static inline arn__resize_point arn__resize_between(const arn__resize_axis *a, uint32_t flags,
                                                    uint32_t i) {
  const int32_t most = (int32_t)(a->in - 1) * 1024;
  int32_t at = (int32_t)i * a->step.fixed;
  if (flags & ARN__RESIZE_HALF_PIXEL) at += a->step.fixed / 2 - 512;
  at = at < 0 ? 0 : at > most ? most : at;
  const uint32_t low = (uint32_t)at >> 10;
  return (arn__resize_point){low, low + ((at & 1023) != 0), at & 1023};
}

static inline arn__resize_point_f32 arn__resize_between_f32(const arn__resize_axis *a,
                                                            uint32_t flags, uint32_t i) {
  const float most = (float)(a->in - 1);
  float at = (float)i * a->step.real;
  if (flags & ARN__RESIZE_HALF_PIXEL) at = ((float)i + 0.5f) * a->step.real - 0.5f;
  at = at < 0.0f ? 0.0f : at > most ? most : at;
  const uint32_t low = (uint32_t)(int32_t)at;
  const float share = at - (float)low;
  return (arn__resize_point_f32){low, low + (share > 0.0f), share};
}

// The input position that is nearest to output position `i`.
static inline uint32_t arn__resize_nearest(const arn__resize_axis *a, uint32_t flags, uint32_t i) {
  const float at = ((float)i + (flags & ARN__RESIZE_HALF_PIXEL ? 0.5f : 0.0f)) * a->step.real;
  uint32_t near = (uint32_t)(int32_t)at;  // vectors have no other conversion
  if ((flags & ARN__RESIZE_ALIGN_CORNERS) && at - (float)near >= 0.5f) near++;
  return near < a->in ? near : a->in - 1;
}

// One row of the output: [x.out][channels].
typedef struct arn__resize_row {
  arn__resize_axis x;
  uint32_t flags;
  uint32_t channels;  // bytes of a pixel for the nearest neighbour
} arn__resize_row;

// Copies pixels of the input row `in` [x.in][channels bytes].
void arn__resize_nearest_row(uint8_t *out, const uint8_t *in, const arn__resize_row *row);

// Mixes two input rows: `share` of `bottom`, and the rest of `top`. They may be the same.
void arn__resize_bilinear_s8(int8_t *out, const int8_t *top, const int8_t *bottom, int32_t share,
                             const arn__resize_row *row);
void arn__resize_bilinear_u8(uint8_t *out, const uint8_t *top, const uint8_t *bottom,
                             int32_t share, const arn__resize_row *row);
void arn__resize_bilinear_s16(int16_t *out, const int16_t *top, const int16_t *bottom,
                              int32_t share, const arn__resize_row *row);
void arn__resize_bilinear_f32(float *out, const float *top, const float *bottom, float share,
                              const arn__resize_row *row);

// How values change on the way from the input's scale to the output's.
typedef struct arn__resize_scale {
  arn__requant multiplier;  // input scale / output scale / 2^ARN__RESIZE_FRACTION_BITS
  int32_t in_zero, out_zero;
  arn__clamp range;         // of the type
} arn__resize_scale;

enum { ARN__RESIZE_FRACTION_BITS = 14 };

// As arn__resize_bilinear_..., of elements of 1 or 2 bytes, signed or not: the mean is requantised
// before it is rounded.
typedef struct arn__resize_scaled {
  const arn__resize_row *row;
  const arn__resize_scale *scale;
  uint32_t element_bytes;
  bool is_signed;
} arn__resize_scaled;
void arn__resize_bilinear_scaled(void *out, const void *top, const void *bottom, int32_t share,
                                 const arn__resize_scaled *how);

// Requantises `count` elements where they are.
void arn__resize_rescale(void *values, uint32_t count, const arn__resize_scaled *how);

#endif
