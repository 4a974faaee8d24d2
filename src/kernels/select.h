// Inner loops of SELECT: signature of elementwise.h. out[i] = in[0][i] ? in[1][i] : in[2][i], where
// in[0] is bool (any byte but 0 is true) and elements have the named number of bits. No parameters.
#ifndef ARENITE_SRC_KERNELS_SELECT_H
#define ARENITE_SRC_KERNELS_SELECT_H

#include "elementwise.h"

arn__elementwise_kernel arn__select_8_portable;
arn__elementwise_kernel arn__select_16_portable;
arn__elementwise_kernel arn__select_32_portable;
arn__elementwise_kernel arn__select_64_portable;

#define arn__select_8 arn__select_8_portable
#define arn__select_16 arn__select_16_portable
#define arn__select_32 arn__select_32_portable
#define arn__select_64 arn__select_64_portable

#endif
