// Inner loops of POW and ATAN2: signature of elementwise.h, two inputs and an output of one type,
// no parameters.
#ifndef ARENITE_SRC_KERNELS_POWER_H
#define ARENITE_SRC_KERNELS_POWER_H

#include "elementwise.h"

// in[0] to the power of in[1]; overflow wraps. Returns false at a negative exponent.
arn__elementwise_kernel arn__power_s32_portable;
arn__elementwise_kernel arn__power_f32_portable;  // powf of the C library

// The angle of the point (in[1], in[0]); special points: by atan2f of the C library.
arn__elementwise_kernel arn__power_atan2_f32_portable;

#define arn__power_s32 arn__power_s32_portable
#define arn__power_f32 arn__power_f32_portable
#define arn__power_atan2_f32 arn__power_atan2_f32_portable

#endif
