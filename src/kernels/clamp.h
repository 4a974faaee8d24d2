// Inner loops of STABLEHLO_CLAMP: signature of elementwise.h, three inputs (least, value, most) and
// an output of one type, no parameters. A NaN of input 1 stays; one of the bounds bounds nothing.
#ifndef ARENITE_SRC_KERNELS_CLAMP_H
#define ARENITE_SRC_KERNELS_CLAMP_H

#include "elementwise.h"

arn__elementwise_kernel arn__clamp_each_s8_portable;
arn__elementwise_kernel arn__clamp_each_u8_portable;
arn__elementwise_kernel arn__clamp_each_s16_portable;
arn__elementwise_kernel arn__clamp_each_s32_portable;
arn__elementwise_kernel arn__clamp_each_s64_portable;
arn__elementwise_kernel arn__clamp_each_f32_portable;

#define arn__clamp_each_s8 arn__clamp_each_s8_portable
#define arn__clamp_each_u8 arn__clamp_each_u8_portable
#define arn__clamp_each_s16 arn__clamp_each_s16_portable
#define arn__clamp_each_s32 arn__clamp_each_s32_portable
#define arn__clamp_each_s64 arn__clamp_each_s64_portable
#define arn__clamp_each_f32 arn__clamp_each_f32_portable

#endif
