// Convolutions: CONV_2D and (depthwise.h) DEPTHWISE_CONV_2D.
//
// A kernel computes one row of output pixels for one block of output channels:
//
//            kernel rows inside the image           out
//   input row first            [width][channels]
//   input row first + step     [width][channels]    [columns][out_channels]
//   ...                                             of which channels [first, first + count)
//
// Which kernel rows lie inside the image is settled before; what of a window lies beyond the ends
// of a row is the kernel's business: it counts as zero (as the input's zero point). Sums begin at
// the bias. 32-bit sums wrap; 64-bit ones that are requantised as 32 saturate. The output overlaps
// neither input nor filter. Kernels need no scratch, and at most 512 bytes of stack (dsp/: 1,250;
// depthwise with one input channel for all, 1,900; mve/, rv32/: 1,100).
#ifndef ARENITE_SRC_KERNELS_CONV_H
#define ARENITE_SRC_KERNELS_CONV_H

#include "arenite/op.h"
#include "dsp/dsp.h"
#include "kernel.h"
#include "mve/mve.h"
#include "rv32/rv32.h"
#include "x86/x86.h"

// Vector units take several elements in one go, so kernels for them read and compute on to a
// multiple of that where memory allows; what is beyond a block's or a window's end is dropped.
// ARN__CONV_LANES: elements of a window. ARN__CONV_CHANNELS: output channels of a block, at most;
// ARN__DEPTHWISE_CHANNELS: those of DEPTHWISE_CONV_2D.
#ifndef ARN__CONV_LANES
#if defined(__SSE2__) || defined(__aarch64__)
#define ARN__CONV_LANES 16
#define ARN__CONV_CHANNELS 64u
#elif defined(ARN__DSP) || defined(ARN__MVE) || defined(ARN__RV32)
#define ARN__CONV_LANES 1
#define ARN__CONV_CHANNELS 32u
#else
#define ARN__CONV_LANES 1
#define ARN__CONV_CHANNELS 16u
#endif
#endif
#define ARN__DEPTHWISE_CHANNELS 16u

// Put before a loop over a number of lanes: gcc would unroll it before it could see a vector.
#if defined(__GNUC__) && !defined(__clang__)
#define ARN__CONV_LOOP _Pragma("GCC unroll 1")
#else
#define ARN__CONV_LOOP
#endif

// What all rows and blocks of a node share. Pixels run along a row.
typedef struct arn__conv {
  int32_t in_width;       // pixels of an input row
  int32_t in_channels;    // elements of an input pixel
  int32_t out_channels;   // elements of an output pixel
  int32_t group;          // CONV_2D: input channels that one output channel reads
                          // DEPTHWISE_CONV_2D: output channels an input channel makes
  int32_t kernel_width, stride, dilation;  // in pixels
  int32_t pad;            // pixels missing in front of a row
  uint32_t filter_step;   // CONV_2D: filter elements an output channel has
  uint32_t filter_count;  // elements of the filter
  int32_t in_zero, filter_zero, out_zero;
  arn__clamp clamp;       // integers; relative to the output's zero point
  float low, high;        // float
  uint8_t filter_type;    // arn_type; kernels ..._f32_any
  bool wide_bias;         // kernels ..._s16: the bias is int64, else int32
  bool wide_sums;         // kernels ..._s16: sums are requantised as 64 bits, else as 32
} arn__conv;

// A row of output pixels, and the input rows below the kernel's rows.
typedef struct arn__conv_row {
  arn_rows input;              // rows of [in_width][in_channels]
  uint32_t first, step;        // input rows first, first + step, ...
  uint32_t count;              // of them; 0: the whole window is padding
  uint32_t kernel_row;         // the kernel row that reads `first`
  uint32_t column, columns;    // output pixels [column, column + columns)
  void *out;                   // [columns][out_channels], at `column`
} arn__conv_row;

// A block of output channels of one group.
typedef struct arn__conv_block {
  uint32_t first, count;
  uint32_t in_first;           // CONV_2D: first input channel of their group
  const void *filter;          // CONV_2D: [..][kernel rows][kernel_width][group]
                               // DEPTHWISE_CONV_2D: [kernel rows][kernel_width][out_channels]
  uint32_t filter_at;          // element of the filter where channel `first` begins
  const void *bias;            // [count]; NULL: none
  const arn__requant *requant; // [most channels of a block], any beyond count; integers
  const float *scale;          // [count]; NULL: 1; kernels ..._f32_any
} arn__conv_block;

typedef void arn__conv_kernel(const arn__conv *conv, const arn__conv_row *row,
                              const arn__conv_block *block);

// Input and output, filter, bias:
arn__conv_kernel arn__conv_row_s8_portable;       // int8, int8, int32
arn__conv_kernel arn__conv_row_s8_s4_portable;    // int8, int4 (two a byte, even one low), int32
arn__conv_kernel arn__conv_row_u8_portable;       // uint8, uint8, int32
arn__conv_kernel arn__conv_row_s16_portable;      // int16, int8, int64 or int32
arn__conv_kernel arn__conv_row_f32_portable;      // float, float, float
arn__conv_kernel arn__conv_row_f32_any_portable;  // float, float16 or integers of a scale, float

#if defined(ARN__X86)
arn__conv_kernel arn__conv_row_s8_x86;
#define arn__conv_row_s8 arn__conv_row_s8_x86
#elif defined(ARN__DSP)
arn__conv_kernel arn__conv_row_s8_dsp;
#define arn__conv_row_s8 arn__conv_row_s8_dsp
#elif defined(ARN__MVE)
arn__conv_kernel arn__conv_row_s8_mve;
#define arn__conv_row_s8 arn__conv_row_s8_mve
#elif defined(ARN__RV32)
arn__conv_kernel arn__conv_row_s8_rv32;
#define arn__conv_row_s8 arn__conv_row_s8_rv32
#else
#define arn__conv_row_s8 arn__conv_row_s8_portable
#endif
#define arn__conv_row_s8_s4 arn__conv_row_s8_s4_portable
#define arn__conv_row_u8 arn__conv_row_u8_portable
#define arn__conv_row_s16 arn__conv_row_s16_portable
#define arn__conv_row_f32 arn__conv_row_f32_portable
#define arn__conv_row_f32_any arn__conv_row_f32_any_portable

#endif
