// RFFT2D: the Fourier transform of real images along their last two dimensions.
//
//   images [..., height, width], cut or padded with zeros to the lengths: input 1, (height, width)
//   output [..., height, width / 2 + 1] complex
//
// Rows are transformed into the output, at once where the transform of the columns wants them,
// which then runs in place: no scratch.
#include "../kernels/fft.h"
#include "movement.h"

typedef struct rfft2d_state {
  uint32_t images;
  uint32_t in_height, in_width;
  uint16_t height, width;  // of the transform
} rfft2d_state;

static bool is_length(int32_t length) {
  return length >= 1 && length <= (int32_t)ARN__FFT_TURN && (length & (length - 1)) == 0;
}

static arn_status read_lengths(const arn_prepare *p, rfft2d_state *s) {
  arn_tensor t;
  int32_t lengths[2];
  ARN__TRY(arn_prepare_input(p, 1, &t));
  if (t.type != ARN_INT32) return arn_refuse(p, ARN_WHAT_TYPE, &t);
  if (t.rank != 1 || t.count != 2) return arn_refuse_model(p, ARN_WHAT_SHAPE, &t);
  const void *data = arn_tensor_data(p->model, &t);
  if (data == NULL) return arn_refuse(p, ARN_WHAT_TENSOR_CONSTANT, &t);
  memcpy(lengths, data, sizeof lengths);
  if (!is_length(lengths[0]) || !is_length(lengths[1])) {
    return arn_refuse(p, ARN_WHAT_DIMENSION, &t);
  }
  s->height = (uint16_t)lengths[0];
  s->width = (uint16_t)lengths[1];
  return ARN_OK;
}

static arn_status prepare_rfft2d(arn_prepare *p, void *state) {
  rfft2d_state *s = state;
  arn_tensor in, out;
  ARN__TRY(arn_prepare_counts(p, 2, 2, 1));
  ARN__TRY(arn_prepare_input(p, 0, &in));
  ARN__TRY(arn_prepare_output(p, 0, &out));
  if (in.type != ARN_FLOAT32) return arn_refuse(p, ARN_WHAT_TYPE, &in);
  if (out.type != ARN_COMPLEX64) return arn_refuse_model(p, ARN_WHAT_TYPES_DIFFER, &out);
  if (in.rank < 2 || out.rank != in.rank) return arn_refuse_model(p, ARN_WHAT_RANK, &in);
  ARN__TRY(read_lengths(p, s));
  for (uint32_t i = 0; i + 2 < in.rank; i++) {
    if (in.dims[i] != out.dims[i]) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  if (out.dims[out.rank - 2] != s->height || out.dims[out.rank - 1] != s->width / 2 + 1) {
    return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  }
  s->images = arn__movement_product(&in, 0, in.rank - 2u);
  s->in_height = (uint32_t)in.dims[in.rank - 2];
  s->in_width = (uint32_t)in.dims[in.rank - 1];
  p->work = ARN_WHOLE;
  return ARN_OK;
}

static void transform_row(float *out, const float *in, const rfft2d_state *s) {
  const arn__fft fft = {s->width, s->in_width < s->width ? s->in_width : s->width, NULL};
  if (s->width > 1) {
    arn__fft_forward_f32(out, in, &fft);
    return;
  }
  out[0] = fft.count > 0 ? in[0] : 0.0f;
  out[1] = 0.0f;
}

static void transform_image(float *out, const float *in, const rfft2d_state *s) {
  const uint32_t points = s->width / 2u + 1;
  uint32_t place = 0;
  for (uint32_t row = 0; row < s->height; row++) {
    float *to = out + 2 * place * points;
    if (row < s->in_height) {
      transform_row(to, in + row * s->in_width, s);
    } else {
      memset(to, 0, 2 * points * sizeof *to);
    }
    place = arn__fft_next_place(place, s->height);
  }
  arn__fft_across_f32(out, s->height, points);
}

static arn_status eval_rfft2d(const arn_eval *e, const void *state) {
  const rfft2d_state *s = state;
  const float *in = arn_eval_in(e, 0);
  float *out = arn_eval_out(e, 0);
  const uint32_t in_image = s->in_height * s->in_width;
  const uint32_t out_image = 2u * s->height * (s->width / 2u + 1);
  for (uint32_t i = 0; i < s->images; i++) {
    transform_image(out + i * out_image, in + i * in_image, s);
  }
  return ARN_OK;
}

const arn_op arn_op_rfft2d = {
    .name = "RFFT2D",
    .code = 131,
    .state_bytes = sizeof(rfft2d_state),
    .types = ARN_TYPE_BIT(ARN_FLOAT32),
    .prepare = prepare_rfft2d,
    .eval = eval_rfft2d,
};
