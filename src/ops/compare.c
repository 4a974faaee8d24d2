// EQUAL, NOT_EQUAL, GREATER, GREATER_EQUAL, LESS and LESS_EQUAL; STABLEHLO_COMPARE, which is one of
// them by an option.
//
// int8 and uint8 are compared as the reference does it: as multiples of 1/256 of one, rounded.
// Where scales are small, neighbours then compare as equal. int16 is compared exactly where the
// scales are the same, and to 2^-14 of a step of the larger scale otherwise.
#include "../kernels/compare.h"

#include "binary.h"
#include "stablehlo.h"

// Parameters of quantised inputs.
struct scales {
  int32_t q[2];
  int16_t zero[2];
  int8_t shift[2];
};

static void keep_scales(arn_prepare *p, arn__broadcast *b, const arn__requant *r,
                        const int32_t *zeros) {
  const struct scales kept = {{r[0].q, r[1].q},
                              {(int16_t)zeros[0], (int16_t)zeros[1]},
                              {(int8_t)r[0].shift, (int8_t)r[1].shift}};
  arn__broadcast_keep(p, b, &kept, sizeof kept);
}

static arn_status prepare_scales(arn_prepare *p, arn__broadcast *b, const arn__binary *t) {
  float scales[2];
  int32_t zeros[2];
  arn__requant r[2];
  ARN__TRY(arn__quantised_read(p, &t->in[0], &scales[0], &zeros[0]));
  ARN__TRY(arn__quantised_read(p, &t->in[1], &scales[1], &zeros[1]));
  // INT16 is relative to twice the larger scale. No conversion is conditional: gas 2.40 would take
  // it for the vector instruction VCVTN on a Cortex-M55.
  const float larger = scales[0] > scales[1] ? scales[0] : scales[1];
  const bool relative = b->type == ARN_INT16;
  const float unit = relative ? larger : 1.0f;
  for (uint32_t i = 0; i < 2; i++) {
    r[i] = arn__requant_of((relative ? 0.5 : 1.0) * (double)scales[i] / (double)unit);
  }
  // Scales of 1 and more, where the reference asserts: both are halved until they are below.
  const int32_t excess = r[0].shift > r[1].shift ? r[0].shift : r[1].shift;
  for (uint32_t i = 0; i < 2 && excess > 0; i++) r[i].shift -= excess;
  if (r[0].shift < -31 || r[1].shift < -31) return arn_refuse(p, ARN_WHAT_SCALE, &t->in[0]);
  keep_scales(p, b, r, zeros);
  return ARN_OK;
}

static arn_status compare_prepare(arn_prepare *p, void *state) {
  arn__broadcast *b = state;
  arn__binary t;
  ARN__TRY(arn__binary_open(p, b, &t, ARN_BOOL));
  const bool quantised = b->type == ARN_INT8 || b->type == ARN_UINT8 || b->type == ARN_INT16;
  return quantised ? prepare_scales(p, b, &t) : ARN_OK;
}

// The kernels of a relation, by type.
struct relation {
  arn__elementwise_kernel *s8, *s16, *s32, *s64, *f32, *boolean;
};

static arn__elementwise_kernel *choose(const struct relation *r, uint32_t type) {
  switch (type) {
    case ARN_INT8:
    case ARN_UINT8: return r->s8;
    case ARN_INT16: return r->s16;
    case ARN_INT32: return r->s32;
    case ARN_INT64: return r->s64;
    case ARN_BOOL: return r->boolean;
    default: return r->f32;
  }
}

static arn_status run(const arn_eval *e, const arn__broadcast *b, const struct relation *r,
                      uint32_t left, uint32_t invert) {
  arn__compare_params params = {.left = (uint8_t)left, .invert = (uint8_t)invert};
  if (b->type == ARN_INT8 || b->type == ARN_UINT8 || b->type == ARN_INT16) {
    struct scales kept;
    arn__broadcast_recall(b, &kept, sizeof kept);
    const uint8_t flip = arn__binary_flip(b->type);
    params.scales = (arn__compare_scales){
        {kept.zero[0] + flip, kept.zero[1] + flip},
        {{kept.q[0], kept.shift[0]}, {kept.q[1], kept.shift[1]}},
        flip};
  }
  arn__elementwise job = arn__binary_job(b->type, choose(r, b->type), &params);
  job.out_bytes = 1;
  return arn__broadcast_run(e, b, &job);
}

// ---- the six ------------------------------------------------------------------------------------

static const struct relation equal = {arn__compare_equal_s8,  arn__compare_equal_s16,
                                      arn__compare_equal_s32, arn__compare_equal_s64,
                                      arn__compare_equal_f32, arn__compare_equal_bool};
static const struct relation less = {arn__compare_less_s8,  arn__compare_less_s16,
                                     arn__compare_less_s32, arn__compare_less_s64,
                                     arn__compare_less_f32, NULL};
// a <= b is not b < a, but for floats.
static const struct relation not_less = {arn__compare_less_s8,        arn__compare_less_s16,
                                         arn__compare_less_s32,       arn__compare_less_s64,
                                         arn__compare_less_equal_f32, NULL};

static arn_status equal_eval(const arn_eval *e, const void *state) {
  return run(e, state, &equal, 0, 0);
}

static arn_status not_equal_eval(const arn_eval *e, const void *state) {
  return run(e, state, &equal, 0, 1);
}

static arn_status less_eval(const arn_eval *e, const void *state) {
  return run(e, state, &less, 0, 0);
}

static arn_status greater_eval(const arn_eval *e, const void *state) {
  return run(e, state, &less, 1, 0);
}

static arn_status less_equal_eval(const arn_eval *e, const void *state) {
  const bool is_float = ((const arn__broadcast *)state)->type == ARN_FLOAT32;
  return run(e, state, &not_less, is_float ? 0 : 1, !is_float);
}

static arn_status greater_equal_eval(const arn_eval *e, const void *state) {
  const bool is_float = ((const arn__broadcast *)state)->type == ARN_FLOAT32;
  return run(e, state, &not_less, is_float ? 1 : 0, !is_float);
}

// ---- STABLEHLO_COMPARE --------------------------------------------------------------------------
// Numbers as they are: integers are compared exactly, quantised ones where their scales are equal.

enum { DIRECTION = 0, COMPARE_TYPE = 1 };  // fields of the options
enum { EQ = 0, NE = 1, GE = 2, GT = 3, LE = 4, LT = 5 };
enum { TOTAL_ORDER = 2, UNSIGNED = 4 };

// Halves of the inputs are exact in the kernels' fixed point.
static void keep_exact(arn_prepare *p, arn__broadcast *b) {
  const arn__requant half = arn__requant_of(0.5);
  const arn__requant halves[2] = {half, half};
  const int32_t zeros[2] = {0, 0};
  keep_scales(p, b, halves, zeros);
}

static arn_status stablehlo_prepare(arn_prepare *p, void *state) {
  arn__broadcast *b = state;
  arn__binary t;
  const int32_t direction = arn__shlo_i32(p, DIRECTION, EQ);
  const int32_t how = arn__shlo_i32(p, COMPARE_TYPE, 0);
  ARN__TRY(arn__binary_open(p, b, &t, ARN_BOOL));
  ARN__TRY(arn__shlo_same_scale(p, &t.in[0], &t.in[1]));
  if (direction < EQ || direction > LT) return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  const bool is_unsigned = b->type == ARN_BOOL || b->type == ARN_UINT8;
  if (how == TOTAL_ORDER || (how == UNSIGNED && !is_unsigned)) {
    return arn_refuse(p, ARN_WHAT_OPTION, NULL);
  }
  if (b->type == ARN_BOOL && direction > NE) return arn_refuse(p, ARN_WHAT_TYPE, &t.in[0]);
  b->option = (uint8_t)direction;
  const bool small = b->type == ARN_INT8 || b->type == ARN_UINT8 || b->type == ARN_INT16;
  if (small) keep_exact(p, b);
  return ARN_OK;
}

static arn_status stablehlo_eval(const arn_eval *e, const void *state) {
  switch (((const arn__broadcast *)state)->option) {
    case EQ: return equal_eval(e, state);
    case NE: return not_equal_eval(e, state);
    case GE: return greater_equal_eval(e, state);
    case GT: return greater_eval(e, state);
    case LE: return less_equal_eval(e, state);
    default: return less_eval(e, state);
  }
}

#define ORDERED                                                                            \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |          \
   ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_INT64))

const arn_op arn_op_equal = {"EQUAL", 71, sizeof(arn__broadcast), ORDERED | ARN_TYPE_BIT(ARN_BOOL),
                             0, NULL, compare_prepare, arn__broadcast_rows, equal_eval};
const arn_op arn_op_not_equal = {"NOT_EQUAL", 72, sizeof(arn__broadcast),
                                 ORDERED | ARN_TYPE_BIT(ARN_BOOL), 0, NULL, compare_prepare,
                                 arn__broadcast_rows, not_equal_eval};
const arn_op arn_op_greater = {"GREATER", 61, sizeof(arn__broadcast), ORDERED, 0, NULL,
                               compare_prepare, arn__broadcast_rows, greater_eval};
const arn_op arn_op_greater_equal = {"GREATER_EQUAL", 62, sizeof(arn__broadcast), ORDERED, 0, NULL,
                                     compare_prepare, arn__broadcast_rows, greater_equal_eval};
const arn_op arn_op_less = {"LESS", 58, sizeof(arn__broadcast), ORDERED, 0, NULL, compare_prepare,
                            arn__broadcast_rows, less_eval};
const arn_op arn_op_less_equal = {"LESS_EQUAL", 63, sizeof(arn__broadcast), ORDERED, 0, NULL,
                                  compare_prepare, arn__broadcast_rows, less_equal_eval};
const arn_op arn_op_stablehlo_compare = {
    .name = "STABLEHLO_COMPARE",
    .code = 191,
    .state_bytes = sizeof(arn__broadcast),
    .types = ORDERED | ARN_TYPE_BIT(ARN_BOOL),
    .prepare = stablehlo_prepare,
    .rows = arn__broadcast_rows,
    .eval = stablehlo_eval,
};
