// Folds whose accumulators have the type of the values: sums and products wrap, and truth values
// stay 0 or 1. For reductions that go on from a given value.
#include "reduce_body.h"

#define ADD_8(a, x) ((uint8_t)((a) + (x)))
#define ADD_16(a, x) ((uint16_t)((a) + (x)))
#define ADD_32(a, x) ((a) + (x))
#define MULTIPLY_8(a, x) ((uint8_t)((uint32_t)(a) * (x)))
#define MULTIPLY_16(a, x) ((uint16_t)((uint32_t)(a) * (x)))
#define ALL(a, x) ((uint8_t)(((a) != 0) & ((x) != 0)))
#define ANY(a, x) ((uint8_t)(((a) | (x)) != 0))

ARN__REDUCE_ALL(arn__reduce_add_8, uint8_t, uint8_t, ADD_8)
ARN__REDUCE_ALL(arn__reduce_add_16, uint16_t, uint16_t, ADD_16)
ARN__REDUCE_ALL(arn__reduce_add_32, uint32_t, uint32_t, ADD_32)
ARN__REDUCE_ALL(arn__reduce_multiply_8, uint8_t, uint8_t, MULTIPLY_8)
ARN__REDUCE_ALL(arn__reduce_multiply_16, uint16_t, uint16_t, MULTIPLY_16)
ARN__REDUCE_ALL(arn__reduce_all_8, uint8_t, uint8_t, ALL)
ARN__REDUCE_ALL(arn__reduce_any_8, uint8_t, uint8_t, ANY)
