// Element by element, mostly of floats: SQRT, RSQRT, SQUARE, SIN, COS, CEIL, FLOOR, ROUND, SIGN.
#include <math.h>
#include <stddef.h>

#include "quantised.h"
#include "unary.h"

#define FLOATS ARN_TYPE_BIT(ARN_FLOAT32)

typedef struct elementary {
  uint32_t row_count;
  uint32_t type;
} elementary;

static arn_status prepare_elementary(arn_prepare *p, void *state) {
  elementary *s = state;
  arn_tensor in, out;
  ARN__TRY(arn__unary_prepare_same(p, &in, &out, &s->row_count));
  s->type = in.type;
  return ARN_OK;
}

static arn_status run(const arn_eval *e, const void *state, arn__unary_fn fn) {
  const elementary *s = state;
  const arn__unary_job job = {fn, NULL, s->row_count, 4, 4};
  arn__unary_run(e, &job);
  return ARN_OK;
}

static arn_status eval_sqrt(const arn_eval *e, const void *state) {
  return run(e, state, arn__unary_sqrt_f32);
}

static arn_status eval_square(const arn_eval *e, const void *state) {
  return run(e, state, arn__unary_square_f32);
}

static arn_status eval_sin(const arn_eval *e, const void *state) {
  return run(e, state, arn__unary_sin_f32);
}

static arn_status eval_cos(const arn_eval *e, const void *state) {
  return run(e, state, arn__unary_cos_f32);
}

static arn_status eval_ceil(const arn_eval *e, const void *state) {
  return run(e, state, arn__unary_ceil_f32);
}

static arn_status eval_floor(const arn_eval *e, const void *state) {
  return run(e, state, arn__unary_floor_f32);
}

static arn_status eval_round(const arn_eval *e, const void *state) {
  return run(e, state, arn__unary_round_f32);
}

static arn_status eval_sign(const arn_eval *e, const void *state) {
  const elementary *s = state;
  return run(e, state, s->type == ARN_INT32 ? arn__unary_sign_s32 : arn__unary_sign_f32);
}

// ---- RSQRT
// ---------------------------------------------------------------------------------------

typedef struct rsqrt {
  uint32_t row_count;
  uint8_t type;
  int8_t shift;
  int16_t in_zero, out_zero;
  int16_t spare;
  int32_t q;
} rsqrt;

static arn_status prepare_rsqrt(arn_prepare *p, void *state) {
  rsqrt *s = state;
  arn_tensor in, out;
  float in_scale, out_scale;
  int32_t in_zero, out_zero;
  ARN__TRY(arn__unary_prepare_same(p, &in, &out, &s->row_count));
  s->type = in.type;
  if (in.type == ARN_FLOAT32) {
    p->state_bytes = (uint32_t)offsetof(rsqrt, out_zero);
    return ARN_OK;
  }
  ARN__TRY(arn__quantised_read(p, &in, &in_scale, &in_zero));
  ARN__TRY(arn__quantised_read(p, &out, &out_scale, &out_zero));
  arn__requant r = arn__requant_of(1.0 / (sqrt((double)in_scale) * (double)out_scale));
  if (r.shift < -11) r = (arn__requant){0, 0};  // nothing is left of it
  s->q = r.q;
  s->shift = (int8_t)r.shift;
  s->in_zero = (int16_t)in_zero;
  s->out_zero = (int16_t)out_zero;
  return ARN_OK;
}

// Says whether all elements of the step have a root.
static bool has_roots(const arn_eval *e, const rsqrt *s) {
  const arn_rows in = arn_eval_input(e, 0, s->row_count * (s->type == ARN_INT8 ? 1u : 2u));
  for (uint32_t row = e->span.first; row < e->span.first + e->span.count; row++) {
    const void *at = arn_row(&in, row);
    if (s->type == ARN_INT8 ? arn__unary_any_below_s8(at, s->row_count, s->in_zero)
                            : arn__unary_any_below_s16(at, s->row_count, s->in_zero)) {
      return false;
    }
  }
  return true;
}

static arn_status eval_rsqrt(const arn_eval *e, const void *state) {
  const rsqrt *s = state;
  if (s->type == ARN_FLOAT32) return run(e, state, arn__unary_rsqrt_f32);
  if (!has_roots(e, s)) return arn_eval_fail(e, ARN_WHAT_DATA_VALUE, 0, 0);
  const arn__unary_rsqrt params = {{s->q, s->shift}, s->in_zero, s->out_zero};
  arn__unary_job job = {arn__unary_rsqrt_s8, &params, s->row_count, 1, 1};
  if (s->type == ARN_INT8) {
    arn__unary_run_8(e, &job, 0);
  } else {
    job = (arn__unary_job){arn__unary_rsqrt_s16, &params, s->row_count, 2, 2};
    arn__unary_run(e, &job);
  }
  return ARN_OK;
}

const arn_op arn_op_rsqrt = {
    .name = "RSQRT",
    .code = 76,
    .state_bytes = sizeof(rsqrt),
    .types = FLOATS | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_INT16),
    .prepare = prepare_rsqrt,
    .rows = arn__unary_rows,
    .eval = eval_rsqrt,
};

#define ELEMENTARY(record, schema_name, schema_code, type_bits) \
  const arn_op arn_op_##record = {                              \
      .name = schema_name,                                      \
      .code = schema_code,                                      \
      .state_bytes = sizeof(elementary),                        \
      .types = type_bits,                                       \
      .prepare = prepare_elementary,                            \
      .rows = arn__unary_rows,                                  \
      .eval = eval_##record,                                    \
  }

ELEMENTARY(sqrt, "SQRT", 75, FLOATS);
ELEMENTARY(square, "SQUARE", 92, FLOATS);
ELEMENTARY(sin, "SIN", 66, FLOATS);
ELEMENTARY(cos, "COS", 108, FLOATS);
ELEMENTARY(ceil, "CEIL", 104, FLOATS);
ELEMENTARY(floor, "FLOOR", 8, FLOATS);
ELEMENTARY(round, "ROUND", 116, FLOATS);
ELEMENTARY(sign, "SIGN", 158, FLOATS | ARN_TYPE_BIT(ARN_INT32));
