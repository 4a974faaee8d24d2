// Inner loops of logical and bitwise operators: signature of elementwise.h, no parameters unless
// said. Of a bool, any byte but 0 is true; results are 0 and 1.
#ifndef ARENITE_SRC_KERNELS_LOGICAL_H
#define ARENITE_SRC_KERNELS_LOGICAL_H

#include "elementwise.h"

arn__elementwise_kernel arn__logical_and_bool_portable;
arn__elementwise_kernel arn__logical_or_bool_portable;
arn__elementwise_kernel arn__logical_not_bool_portable;  // one input

// Exclusive or, bit by bit; params is a uint32_t, the bytes of an element.
arn__elementwise_kernel arn__logical_xor_bytes_portable;

// in[0] shifted right by in[1] (arithmetic for signed types); a shift is clamped to what the type
// has.
arn__elementwise_kernel arn__logical_shift_s8_portable;
arn__elementwise_kernel arn__logical_shift_u8_portable;
arn__elementwise_kernel arn__logical_shift_s16_portable;
arn__elementwise_kernel arn__logical_shift_u16_portable;
arn__elementwise_kernel arn__logical_shift_s32_portable;
arn__elementwise_kernel arn__logical_shift_u32_portable;

#define arn__logical_and_bool arn__logical_and_bool_portable
#define arn__logical_or_bool arn__logical_or_bool_portable
#define arn__logical_not_bool arn__logical_not_bool_portable
#define arn__logical_xor_bytes arn__logical_xor_bytes_portable
#define arn__logical_shift_s8 arn__logical_shift_s8_portable
#define arn__logical_shift_u8 arn__logical_shift_u8_portable
#define arn__logical_shift_s16 arn__logical_shift_s16_portable
#define arn__logical_shift_u16 arn__logical_shift_u16_portable
#define arn__logical_shift_s32 arn__logical_shift_s32_portable
#define arn__logical_shift_u32 arn__logical_shift_u32_portable

#endif
