// What operators with two inputs share while they prepare, and the bounds of fused activations.
#ifndef ARENITE_SRC_OPS_BINARY_H
#define ARENITE_SRC_OPS_BINARY_H

#include "broadcast_common.h"
#include "movement.h"
#include "quantised.h"

// Inputs 0 and 1, and output 0.
typedef struct arn__binary {
  arn_tensor in[2];
  arn_tensor out;
} arn__binary;

// Reads the tensors, and checks that the inputs have the same type, one of p->op->types, the output
// `out_type` (ARN__BINARY_SAME: that of the inputs), and the shape that the inputs broadcast to.
// Fills the shape part of the state. Fails: INPUT_COUNT, OUTPUT_COUNT, TYPE, TYPES_DIFFER, SHAPE.
#define ARN__BINARY_SAME (-1)
ARN_MUST_CHECK arn_status arn__binary_open(arn_prepare *p, arn__broadcast *b, arn__binary *t,
                                           int32_t out_type);

// Checks that inputs and output carry no scales: integers that are not quantised. Fails:
// QUANTISATION.
ARN_MUST_CHECK arn_status arn__binary_unquantised(const arn_prepare *p, const arn__binary *t);

// Reads scales and zero points of inputs 0 and 1 and (index 2) the output. Fails: as
// arn__quantised_read().
ARN_MUST_CHECK arn_status arn__binary_scales(const arn_prepare *p, const arn__binary *t,
                                             float *scales, int32_t *zeros);

// The same for factors of a product: scales of inputs may be 0, as of a tensor that was always 0
// while its model was quantised. Products are 0 then.
ARN_MUST_CHECK arn_status arn__binary_factors(const arn_prepare *p, const arn__binary *t,
                                              float *scales, int32_t *zeros);

// Reads the fused activation, option 0 of arithmetic operators. Fails: ACTIVATION (TANH, SIGN_BIT).
ARN_MUST_CHECK arn_status arn__binary_activation(const arn_prepare *p, uint8_t *activation);

// Bounds of a fused activation that arn__binary_activation let pass.
arn__clamp arn__binary_bounds(uint32_t activation);
arn__clamp_f32 arn__binary_bounds_f32(uint32_t activation);

// Highest bit of a byte for int8, 0 otherwise: what kernels flip to read int8 as unsigned.
static inline uint8_t arn__binary_flip(uint32_t type) { return type == ARN_INT8 ? 0x80 : 0; }

// Fills in what every job over tensors of one type says; `type` is that of inputs and output.
static inline arn__elementwise arn__binary_job(uint32_t type, arn__elementwise_kernel *kernel,
                                               const void *params) {
  const uint8_t bytes = (uint8_t)arn_type_bytes((arn_type)type);
  return (arn__elementwise){kernel, params, ARN_WHAT_DATA_VALUE, 2, bytes, {bytes, bytes, bytes}};
}

#endif
