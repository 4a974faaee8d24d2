// PRELU: the input where it is positive, its product with a broadcast factor elsewhere.
#include "../kernels/prelu.h"

#include "binary.h"

// Parameters of quantised tensors.
struct prelu {
  int32_t q_positive, q_negative;
  int16_t zero_in, zero_alpha, zero_out;
  int8_t shift_positive, shift_negative;
};

// alpha has the type of the input, but int8 goes with int16.
static arn_status read_tensors(const arn_prepare *p, arn_tensor *in, arn_tensor *out) {
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn__movement_pair(p, 0, &in[0], out));
  ARN__TRY(arn_prepare_input(p, 1, &in[1]));
  const uint32_t alpha = in[0].type == ARN_INT16 ? ARN_INT8 : in[0].type;
  if (in[1].type != alpha) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &in[1]);
  if (in[0].count != out->count) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  return arn__broadcast_check(p, in, 2, out);
}

static arn_status keep_scales(arn_prepare *p, arn__broadcast *b, const arn_tensor *in,
                              const arn_tensor *out) {
  float scale_in, scale_alpha, scale_out;
  int32_t zero_in, zero_alpha, zero_out;
  ARN__TRY(arn__quantised_read(p, &in[0], &scale_in, &zero_in));
  ARN__TRY(arn__quantised_read(p, &in[1], &scale_alpha, &zero_alpha));
  ARN__TRY(arn__quantised_read(p, out, &scale_out, &zero_out));
  const arn__requant positive = arn__requant_ratio(scale_in, 1.0f, scale_out, 0);
  const arn__requant negative = arn__requant_ratio(scale_in, scale_alpha, scale_out, 0);
  const struct prelu kept = {
      positive.q, negative.q, (int16_t)zero_in, (int16_t)zero_alpha, (int16_t)zero_out,
      (int8_t)positive.shift, (int8_t)negative.shift};
  arn__broadcast_keep(p, b, &kept, sizeof kept);
  return ARN_OK;
}

static arn_status prelu_prepare(arn_prepare *p, void *state) {
  arn__broadcast *b = state;
  arn_tensor in[2], out;
  ARN__TRY(read_tensors(p, in, &out));
  arn__broadcast_prepare(p, b, in, 2, &out);
  b->type = out.type;
  return b->type == ARN_FLOAT32 ? ARN_OK : keep_scales(p, b, in, &out);
}

static arn_status prelu_eval(const arn_eval *e, const void *state) {
  const arn__broadcast *b = state;
  arn__elementwise job = arn__binary_job(b->type, arn__prelu_f32, NULL);
  if (b->type == ARN_FLOAT32) return arn__broadcast_run(e, b, &job);
  struct prelu kept;
  arn__broadcast_recall(b, &kept, sizeof kept);
  const arn__clamp range = arn__quantised_range(b->type);
  const uint8_t flip = arn__binary_flip(b->type);
  const arn__prelu_params params = {
      .zero_in = kept.zero_in + flip,
      .zero_alpha = kept.zero_alpha + flip,
      .positive = {kept.q_positive, kept.shift_positive},
      .negative = {kept.q_negative, kept.shift_negative},
      .clamp = {range.low - kept.zero_out, range.high - kept.zero_out},
      .zero_out = kept.zero_out,
      .flip = flip};
  job.kernel = b->type == ARN_INT16 ? arn__prelu_s16 : arn__prelu_s8;
  job.params = &params;
  job.in_bytes[1] = 1;  // also of int16
  return arn__broadcast_run(e, b, &job);
}

const arn_op arn_op_prelu = {"PRELU", 54, sizeof(arn__broadcast),
                             ARN_TYPE_BIT(ARN_FLOAT32) | ARN_TYPE_BIT(ARN_INT8) |
                                 ARN_TYPE_BIT(ARN_UINT8) | ARN_TYPE_BIT(ARN_INT16),
                             0, NULL, prelu_prepare, arn__broadcast_rows, prelu_eval};
