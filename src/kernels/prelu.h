// Inner loops of PRELU: signature of elementwise.h. in[0] is the input, in[1] its factor (alpha)
// where it is negative.
#ifndef ARENITE_SRC_KERNELS_PRELU_H
#define ARENITE_SRC_KERNELS_PRELU_H

#include "elementwise.h"

typedef struct arn__prelu_params {
  int32_t zero_in, zero_alpha;     // + 128 for int8
  arn__requant positive, negative;  // of the input; of the product with alpha
  arn__clamp clamp;                // bounds before zero_out is added
  int32_t zero_out;
  uint8_t flip;                    // 0x80 for int8, 0 for uint8; int16 does not look
} arn__prelu_params;

arn__elementwise_kernel arn__prelu_s8_portable;   // int8 or uint8, and so is alpha
arn__elementwise_kernel arn__prelu_s16_portable;  // int16, alpha is int8; zero_alpha as it is
arn__elementwise_kernel arn__prelu_f32_portable;  // no parameters

#define arn__prelu_s8 arn__prelu_s8_portable
#define arn__prelu_s16 arn__prelu_s16_portable
#define arn__prelu_f32 arn__prelu_f32_portable

#endif
