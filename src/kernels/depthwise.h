// Depthwise convolution: kernels as in conv.h, over windows of one input channel. Output channel c
// reads input channel c / group; filters are [kernel rows][kernel_width][out_channels].
// Of a window, only what lies inside the image is visited.
#ifndef ARENITE_SRC_KERNELS_DEPTHWISE_H
#define ARENITE_SRC_KERNELS_DEPTHWISE_H

#include "conv.h"

// Input and output, filter, bias:
arn__conv_kernel arn__depthwise_row_s8_portable;       // int8, int8, int32
arn__conv_kernel arn__depthwise_row_s8_s4_portable;    // int8, int4, int32
arn__conv_kernel arn__depthwise_row_u8_portable;       // uint8, uint8, int32
arn__conv_kernel arn__depthwise_row_s16_portable;      // int16, int8, int64 or int32
arn__conv_kernel arn__depthwise_row_f32_portable;      // float, float, float
arn__conv_kernel arn__depthwise_row_f32_any_portable;  // float, float16 or integers, float

#if defined(ARN__X86)
arn__conv_kernel arn__depthwise_row_s8_x86;
#define arn__depthwise_row_s8 arn__depthwise_row_s8_x86
#elif defined(ARN__DSP)
arn__conv_kernel arn__depthwise_row_s8_dsp;
#define arn__depthwise_row_s8 arn__depthwise_row_s8_dsp
#elif defined(ARN__MVE)
arn__conv_kernel arn__depthwise_row_s8_mve;
#define arn__depthwise_row_s8 arn__depthwise_row_s8_mve
#elif defined(ARN__RV32)
arn__conv_kernel arn__depthwise_row_s8_rv32;
#define arn__depthwise_row_s8 arn__depthwise_row_s8_rv32
#else
#define arn__depthwise_row_s8 arn__depthwise_row_s8_portable
#endif
#define arn__depthwise_row_s8_s4 arn__depthwise_row_s8_s4_portable
#define arn__depthwise_row_u8 arn__depthwise_row_u8_portable
#define arn__depthwise_row_s16 arn__depthwise_row_s16_portable
#define arn__depthwise_row_f32 arn__depthwise_row_f32_portable
#define arn__depthwise_row_f32_any arn__depthwise_row_f32_any_portable

#endif
