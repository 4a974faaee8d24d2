// FAKE_QUANT: float32 values as they would be after quantisation and back: clamped to a range, and
// rounded to one of 2^bits (one less with a narrow range) values in it. The range is moved so that
// 0 is one of them.
#include <math.h>

#include "unary.h"

enum { OPTION_MIN = 0, OPTION_MAX = 1, OPTION_BITS = 2, OPTION_NARROW = 3 };

typedef struct fake_quant {
  uint32_t row_count;
  arn__unary_steps steps;
} fake_quant;

static void set_steps(arn__unary_steps *s, float low, float high, int32_t least, int32_t most) {
  s->step = (high - low) / (float)(most - least);
  const float zero = (float)least - low / s->step;
  const float nudged = zero < (float)least ? (float)least
                       : zero > (float)most ? (float)most : roundf(zero);
  s->low = ((float)least - nudged) * s->step;
  s->high = ((float)most - nudged) * s->step;
}

static arn_status prepare(arn_prepare *p, void *state) {
  fake_quant *s = state;
  arn_tensor in, out;
  const float low = arn_option_f32(p, OPTION_MIN, 0.0f), high = arn_option_f32(p, OPTION_MAX, 0.0f);
  const int32_t bits = arn_option_i32(p, OPTION_BITS, 0);
  ARN__TRY(arn__unary_prepare_same(p, &in, &out, &s->row_count));
  // A range that 0 is outside of has no place for it.
  if (bits < 2 || bits > 16 || !(low <= 0.0f && high >= 0.0f && low < high) || isinf(high - low)) {
    return arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
  }
  set_steps(&s->steps, low, high, arn_option_u8(p, OPTION_NARROW, 0) != 0, (1 << bits) - 1);
  return s->steps.step > 0.0f ? ARN_OK : arn_refuse_model(p, ARN_WHAT_OPTION, NULL);
}

static arn_status eval(const arn_eval *e, const void *state) {
  const fake_quant *s = state;
  const arn__unary_job job = {arn__unary_steps_f32, &s->steps, s->row_count, 4, 4};
  arn__unary_run(e, &job);
  return ARN_OK;
}

const arn_op arn_op_fake_quant = {
    .name = "FAKE_QUANT",
    .code = 80,
    .state_bytes = sizeof(fake_quant),
    .types = ARN_TYPE_BIT(ARN_FLOAT32),
    .prepare = prepare,
    .rows = arn__unary_rows,
    .eval = eval,
};
