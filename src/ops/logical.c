// LOGICAL_AND, LOGICAL_OR, LOGICAL_NOT on bool; BITWISE_XOR and RIGHT_SHIFT on integers.
#include "../kernels/logical.h"

#include "binary.h"

static arn_status run(const arn_eval *e, const arn__broadcast *b, arn__elementwise_kernel *kernel,
                      uint8_t inputs) {
  const uint32_t bytes = arn_type_bytes((arn_type)b->type);
  arn__elementwise job = arn__binary_job(b->type, kernel, &bytes);
  job.inputs = inputs;
  return arn__broadcast_run(e, b, &job);
}

static arn_status pair_prepare(arn_prepare *p, void *state) {
  arn__binary t;
  return arn__binary_open(p, state, &t, ARN__BINARY_SAME);
}

static arn_status not_prepare(arn_prepare *p, void *state) {
  arn__broadcast *b = state;
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in, &out));
  ARN__TRY(arn__broadcast_check(p, &in, 1, &out));
  arn__broadcast_prepare(p, b, &in, 1, &out);
  b->type = in.type;
  return ARN_OK;
}

static arn_status and_eval(const arn_eval *e, const void *state) {
  return run(e, state, arn__logical_and_bool, 2);
}

static arn_status or_eval(const arn_eval *e, const void *state) {
  return run(e, state, arn__logical_or_bool, 2);
}

static arn_status not_eval(const arn_eval *e, const void *state) {
  return run(e, state, arn__logical_not_bool, 1);
}

static arn_status xor_eval(const arn_eval *e, const void *state) {
  return run(e, state, arn__logical_xor_bytes, 2);
}

static arn_status shift_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  switch (b->type) {
    case ARN_INT8: return run(e, b, arn__logical_shift_s8, 2);
    case ARN_UINT8: return run(e, b, arn__logical_shift_u8, 2);
    case ARN_INT16: return run(e, b, arn__logical_shift_s16, 2);
    case ARN_UINT16: return run(e, b, arn__logical_shift_u16, 2);
    case ARN_INT32: return run(e, b, arn__logical_shift_s32, 2);
    default: return run(e, b, arn__logical_shift_u32, 2);
  }
}

#define INTEGERS                                                                           \
  (ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) | ARN_TYPE_BIT(ARN_INT16) |            \
   ARN_TYPE_BIT(ARN_UINT16) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_UINT32))

#define BOOLEANS ARN_TYPE_BIT(ARN_BOOL)

const arn_op arn_op_logical_and = {"LOGICAL_AND", 86, sizeof(arn__broadcast), BOOLEANS, 0, NULL,
                                   pair_prepare, arn__broadcast_rows, and_eval};
const arn_op arn_op_logical_or = {"LOGICAL_OR", 84, sizeof(arn__broadcast), BOOLEANS, 0, NULL,
                                  pair_prepare, arn__broadcast_rows, or_eval};
const arn_op arn_op_logical_not = {"LOGICAL_NOT", 87, sizeof(arn__broadcast), BOOLEANS, 0, NULL,
                                   not_prepare, arn__broadcast_rows, not_eval};
const arn_op arn_op_bitwise_xor = {"BITWISE_XOR", 160, sizeof(arn__broadcast), INTEGERS, 0, NULL,
                                   pair_prepare, arn__broadcast_rows, xor_eval};
const arn_op arn_op_right_shift = {"RIGHT_SHIFT", 161, sizeof(arn__broadcast), INTEGERS, 0, NULL,
                                   pair_prepare, arn__broadcast_rows, shift_eval};
