// ADD, SUB, MUL and SQUARED_DIFFERENCE.
//
// Quantised sums and differences bring both inputs to twice the larger of their scales, with bits
// to spare on the right, and requantise what comes out. The input with the larger scale is merely
// halved there, so that the state keeps two multipliers, not three.
#include "../kernels/arithmetic.h"

#include "binary.h"

// Parameters of a quantised sum, difference or squared difference. The input of the smaller scale
// is arn__broadcast.option.
struct rescale {
  int32_t q_small, q_out;
  int16_t zero[3];  // of the inputs and the output
  int16_t low, high;
  int8_t shift_small, shift_out;
};

// Parameters of a quantised product.
struct product {
  int32_t q;
  int16_t zero[3];
  int16_t low, high;
  int8_t shift;
};

// What numbers that are not quantised need.
struct plain;

// What a record links (arn_op.kinds): kernels by type.
struct kernels {
  arn__elementwise_kernel *s8, *s16, *s32, *s64, *f32;
  const struct plain *plain;  // where there are s32, s64 or f32
};

struct plain {
  arn_status (*prepare)(const arn_prepare *p, arn__broadcast *b, const arn__binary *t);
  arn_status (*run)(const arn_eval *e, const arn__broadcast *b, const struct kernels *k);
};

static const struct kernels *kernels_of(const arn_prepare *p) { return p->op->kinds; }

static bool is_quantised(uint32_t type) {
  return type == ARN_INT8 || type == ARN_UINT8 || type == ARN_INT16;
}

// Fails unless int16 tensors have zero points of 0: others would overflow 32 bits, and the
// reference refuses them too.
static arn_status check_symmetric(const arn_prepare *p, const arn__binary *t) {
  const arn_tensor *const tensors[] = {&t->in[0], &t->in[1], &t->out};
  for (uint32_t i = 0; i < 3; i++) {
    if (tensors[i]->type != ARN_INT16 || arn_tensor_zero(p->model, tensors[i], 0) == 0) continue;
    return arn_refuse(p, ARN_WHAT_ZERO_POINT, tensors[i]);
  }
  return ARN_OK;
}

// Reads the bounds of a quantised output.
static arn_status clamp_output(const arn_prepare *p, const arn_tensor *out, arn__clamp *clamp) {
  float scale;
  int32_t zero;
  ARN__TRY(arn__quantised_read(p, out, &scale, &zero));
  const int32_t activation = arn_option_u8(p, 0, ARN__ACTIVATION_NONE);
  return arn__quantised_clamp(p, activation, out, scale, zero, clamp);
}

// ---- not quantised ------------------------------------------------------------------------------

// Reads the activation of operators on numbers that are not quantised.
static arn_status prepare_plain(const arn_prepare *p, arn__broadcast *b, const arn__binary *t) {
  if (b->type != ARN_FLOAT32) ARN__TRY(arn__binary_unquantised(p, t));
  return arn__binary_activation(p, &b->option);
}

static arn_status run_plain(const arn_eval *e, const arn__broadcast *b, const struct kernels *k) {
  const arn__clamp bounds = arn__binary_bounds(b->option);
  const arn__clamp_f32 bounds_f32 = arn__binary_bounds_f32(b->option);
  const arn__bounds_f32 low_high = {bounds_f32.low, bounds_f32.high};
  const arn__bounds_s64 wide = {bounds.low == INT32_MIN ? INT64_MIN : bounds.low,
                                bounds.high == INT32_MAX ? INT64_MAX : bounds.high};
  arn__elementwise job = arn__binary_job(b->type, k->s32, &bounds);
  if (b->type == ARN_FLOAT32) {
    job.kernel = k->f32;
    job.params = &low_high;
  } else if (b->type == ARN_INT64) {
    job.kernel = k->s64;
    job.params = &wide;
  }
  return arn__broadcast_run(e, b, &job);
}

static const struct plain plain = {prepare_plain, run_plain};

// ---- sums, differences, squared differences -----------------------------------------------------

// The multipliers as the reference computes them: ADD in double, SUB in float. `scales` are those
// of the inputs and the output, `small` is the input with the smaller one.
struct multipliers {
  arn__requant small, out;
};

typedef struct multipliers derive_multipliers(const float *scales, uint32_t small, uint32_t type);

static struct multipliers of_sum(const float *scales, uint32_t small, uint32_t type) {
  const float large = scales[small ^ 1];
  return (struct multipliers){
      arn__requant_ratio(scales[small], 1.0f, large, -1),
      arn__requant_ratio(large, 1.0f, scales[2], type == ARN_INT16 ? 1 - 15 : 1 - 20)};
}

static struct multipliers of_difference(const float *scales, uint32_t small, uint32_t type) {
  const float twice = 2.0f * scales[small ^ 1];
  const float shifted = (float)(type == ARN_INT16 ? 1 << 15 : 1 << 20) * scales[2];
  return (struct multipliers){arn__requant_of_float(scales[small] / twice),
                              arn__requant_of_float(twice / shifted)};
}

static struct multipliers of_square(const float *scales, uint32_t small, uint32_t type) {
  const double twice = 2.0 * (double)scales[small ^ 1];
  const float shifted = (float)(type == ARN_INT16 ? 1 : 1 << 14) * scales[2];
  return (struct multipliers){arn__requant_of((double)scales[small] / twice),
                              arn__requant_of(twice * twice / (double)shifted)};
}

// Sums must not need a multiplier of one half or more (a scale of the output 2^-18 times the
// inputs'): squares may.
static arn_status prepare_rescale(arn_prepare *p, arn__broadcast *b, const arn__binary *t,
                                  derive_multipliers *derive, arn__clamp clamp) {
  float scales[3];
  int32_t zeros[3];
  ARN__TRY(arn__binary_scales(p, t, scales, zeros));
  b->option = (uint8_t)(scales[0] < scales[1] ? 0 : 1);
  const struct multipliers real = derive(scales, b->option, b->type);
  const arn__requant small = real.small;
  arn__requant out = real.out;
  if (out.q == 0) out.shift = -1;  // nothing will come of it, whatever the shift
  if (derive != of_square && out.shift >= 0) return arn_refuse(p, ARN_WHAT_SCALE, &t->out);
  const struct rescale kept = {
      .q_small = small.q, .q_out = out.q,
      .zero = {(int16_t)zeros[0], (int16_t)zeros[1], (int16_t)zeros[2]},
      .low = (int16_t)clamp.low, .high = (int16_t)clamp.high,
      .shift_small = (int8_t)small.shift, .shift_out = (int8_t)out.shift};
  arn__broadcast_keep(p, b, &kept, sizeof kept);
  return ARN_OK;
}

static arn__rescale_params recall_rescale(const arn__broadcast *b) {
  struct rescale kept;
  arn__broadcast_recall(b, &kept, sizeof kept);
  const uint8_t flip = arn__binary_flip(b->type);
  return (arn__rescale_params){
      .small = b->option,
      .zero = {kept.zero[0] + flip, kept.zero[1] + flip},
      .to_common = {kept.q_small, kept.shift_small},
      .to_out = {kept.q_out, kept.shift_out},
      .clamp = {kept.low - kept.zero[2], kept.high - kept.zero[2]},
      .zero_out = kept.zero[2],
      .flip = flip};
}

static arn_status sum_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  const struct kernels *k = e->op->kinds;
  if (!is_quantised(b->type)) return k->plain->run(e, b, k);
  const arn__rescale_params params = recall_rescale(b);
  const arn__elementwise job =
      arn__binary_job(b->type, b->type == ARN_INT16 ? k->s16 : k->s8, &params);
  return arn__broadcast_run(e, b, &job);
}

// ---- ADD, SUB -----------------------------------------------------------------------------------

static arn_status prepare_sum(arn_prepare *p, arn__broadcast *b, derive_multipliers *derive) {
  arn__binary t;
  arn__clamp clamp;
  ARN__TRY(arn__binary_open(p, b, &t, ARN__BINARY_SAME));
  if (!is_quantised(b->type)) return kernels_of(p)->plain->prepare(p, b, &t);
  ARN__TRY(clamp_output(p, &t.out, &clamp));
  return prepare_rescale(p, b, &t, derive, clamp);
}

// On int32, the reference ignores the activation of ADD, and only of ADD; so do its cases.
static arn_status add_prepare(arn_prepare *p, void *state) {
  arn__broadcast *b = state;
  ARN__TRY(prepare_sum(p, b, of_sum));
  if (b->type == ARN_INT32) b->option = ARN__ACTIVATION_NONE;
  return ARN_OK;
}

static arn_status sub_prepare(arn_prepare *p, void *state) {
  return prepare_sum(p, state, of_difference);
}

// ---- SQUARED_DIFFERENCE -------------------------------------------------------------------------

static arn_status squared_difference_prepare(arn_prepare *p, void *state) {
  arn__broadcast *b = state;
  arn__binary t;
  ARN__TRY(arn__binary_open(p, b, &t, ARN__BINARY_SAME));
  if (b->type == ARN_INT32) ARN__TRY(arn__binary_unquantised(p, &t));
  if (!is_quantised(b->type)) return ARN_OK;
  ARN__TRY(check_symmetric(p, &t));
  return prepare_rescale(p, b, &t, of_square, arn__quantised_range(b->type));
}

// ---- MUL ----------------------------------------------------------------------------------------

static arn_status mul_prepare(arn_prepare *p, void *state) {
  arn__broadcast *b = state;
  arn__binary t;
  arn__clamp clamp;
  float scales[3];
  int32_t zeros[3];
  ARN__TRY(arn__binary_open(p, b, &t, ARN__BINARY_SAME));
  if (!is_quantised(b->type)) return kernels_of(p)->plain->prepare(p, b, &t);
  ARN__TRY(check_symmetric(p, &t));
  ARN__TRY(clamp_output(p, &t.out, &clamp));
  ARN__TRY(arn__binary_factors(p, &t, scales, zeros));
  const arn__requant r =
      arn__requant_ratio(scales[0], scales[1], scales[2], 0);
  const struct product kept = {
      .q = r.q, .zero = {(int16_t)zeros[0], (int16_t)zeros[1], (int16_t)zeros[2]},
      .low = (int16_t)clamp.low, .high = (int16_t)clamp.high, .shift = (int8_t)r.shift};
  arn__broadcast_keep(p, b, &kept, sizeof kept);
  return ARN_OK;
}

static arn_status mul_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  const struct kernels *k = e->op->kinds;
  if (!is_quantised(b->type)) return k->plain->run(e, b, k);
  struct product kept;
  arn__broadcast_recall(b, &kept, sizeof kept);
  const uint8_t flip = arn__binary_flip(b->type);
  const arn__product_params params = {
      .zero = {kept.zero[0] + flip, kept.zero[1] + flip},
      .to_out = {kept.q, kept.shift},
      .clamp = {kept.low - kept.zero[2], kept.high - kept.zero[2]},
      .zero_out = kept.zero[2],
      .flip = flip};
  const arn__elementwise job =
      arn__binary_job(b->type, b->type == ARN_INT16 ? k->s16 : k->s8, &params);
  return arn__broadcast_run(e, b, &job);
}

// ---- records ------------------------------------------------------------------------------------

#define KERNELS(name)                                                                      \
  {arn__arithmetic_##name##_s8, arn__arithmetic_##name##_s16, arn__arithmetic_##name##_s32, \
   arn__arithmetic_##name##_s64, arn__arithmetic_##name##_f32, &plain}

static const struct kernels add_kernels = KERNELS(add);
static const struct kernels sub_kernels = KERNELS(sub);
static const struct kernels mul_kernels = KERNELS(mul);
static const struct kernels squared_difference_kernels = {
    arn__arithmetic_squared_difference_s8,  arn__arithmetic_squared_difference_s16,
    arn__arithmetic_squared_difference_s32, NULL,
    arn__arithmetic_squared_difference_f32, &plain};
static const struct kernels add_int8 = {.s8 = arn__arithmetic_add_s8};
static const struct kernels sub_int8 = {.s8 = arn__arithmetic_sub_s8};
static const struct kernels mul_int8 = {.s8 = arn__arithmetic_mul_s8};

#define TYPES                                                                              \
  (ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) | ARN_TYPE_BIT(ARN_UINT8) |          \
   ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_INT32))

#define RECORD(name_, code_, types_, kinds_, prepare_, eval_)                              \
  {                                                                                        \
    .name = (name_), .code = (code_), .state_bytes = sizeof(arn__broadcast),               \
    .types = (types_), .kinds = (kinds_), .prepare = (prepare_),                           \
    .rows = arn__broadcast_rows, .eval = (eval_),                                          \
  }

const arn_op arn_op_add = RECORD("ADD", 0, TYPES | ARN_TYPE_BIT(ARN_INT64), &add_kernels,
                                 add_prepare, sum_eval);
const arn_op arn_op_add_int8 =
    RECORD("ADD", 0, ARN_TYPE_BIT(ARN_INT8), &add_int8, add_prepare, sum_eval);
const arn_op arn_op_sub = RECORD("SUB", 41, TYPES | ARN_TYPE_BIT(ARN_INT64), &sub_kernels,
                                 sub_prepare, sum_eval);
const arn_op arn_op_sub_int8 =
    RECORD("SUB", 41, ARN_TYPE_BIT(ARN_INT8), &sub_int8, sub_prepare, sum_eval);
const arn_op arn_op_mul = RECORD("MUL", 18, TYPES | ARN_TYPE_BIT(ARN_INT64), &mul_kernels,
                                 mul_prepare, mul_eval);
const arn_op arn_op_mul_int8 =
    RECORD("MUL", 18, ARN_TYPE_BIT(ARN_INT8), &mul_int8, mul_prepare, mul_eval);
const arn_op arn_op_squared_difference =
    RECORD("SQUARED_DIFFERENCE", 99, TYPES, &squared_difference_kernels,
           squared_difference_prepare, sum_eval);
