// Kernels that find the position of the largest or smallest of many values.
#ifndef ARENITE_SRC_KERNELS_ARG_H
#define ARENITE_SRC_KERNELS_ARG_H

#include "kernel.h"

// A strided box of values: result [o][i] is over in[o * outer_stride + r * row_stride + i], r <
// rows, which are the values at positions first, first + 1, ... of the axis. Strides are in
// elements.
typedef struct arn__arg_box {
  uint32_t outer, outer_stride;
  uint32_t rows, row_stride;
  uint32_t inner;
  uint32_t first;
  bool smallest;     // look for the smallest value, not the largest
} arn__arg_box;

// best, index: [outer][inner], so far; set where box->first is 0. The first of equal values counts.
// A NaN counts only at position 0, where nothing beats it. `best` is in an order of the kernel's
// own and has the input's type; it must not overlap the input.
typedef void arn__arg_find(void *best, int32_t *index, const void *in, const arn__arg_box *box);

arn__arg_find arn__arg_find_s8, arn__arg_find_u8, arn__arg_find_s16;
arn__arg_find arn__arg_find_s32, arn__arg_find_f32;

#endif
