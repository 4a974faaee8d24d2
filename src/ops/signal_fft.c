// SignalRfft, SignalIrfft (custom): Fourier transforms of real signals along the last dimension,
// and back.
//
//   SignalRfft    [..., count <= fft_length]  ->  [..., fft_length + 2]: complex numbers
//   SignalIrfft   [..., fft_length + 2]       ->  [..., fft_length]
#include "../kernels/fft.h"
#include "signal.h"

#define MOST_LENGTH (1 << 20)

typedef struct fft_state {
  uint32_t signals;  // of a row
  uint32_t length;
  uint32_t in, out;  // elements of a signal
  uint32_t type;
} fft_state;

// One way of the transform, of a signal of type `type`.
typedef void transform(uint32_t type, void *out, const void *in, const arn__fft *fft);

static arn_status check_shapes(const arn_prepare *p, const arn_tensor *in, const arn_tensor *out) {
  if (in->rank < 1) return arn_refuse_model(p, ARN_WHAT_RANK, in);
  if (in->rank != out->rank) return arn_refuse_model(p, ARN_WHAT_RANK, out);
  if (!arn__signal_same_outer(in, out, 1)) return arn_refuse_model(p, ARN_WHAT_SHAPE, out);
  return ARN_OK;
}

static arn_status prepare_fft(arn_prepare *p, fft_state *s, bool inverse) {
  arn_tensor in, out;
  int32_t length;
  ARN__TRY(arn_prepare_counts(p, 1, 1, 1));
  ARN__TRY(arn__signal_pair(p, &in, &out));
  ARN__TRY(check_shapes(p, &in, &out));
  ARN__TRY(arn__signal_option(p, "fft_length", 2, INT32_MAX, &length));
  if (length % 2 != 0 || length > MOST_LENGTH) return arn_refuse(p, ARN_WHAT_OPTION, NULL);
  const int32_t count = in.dims[in.rank - 1], made = out.dims[out.rank - 1];
  const bool fits = inverse ? count == length + 2 : count <= length;
  if (!fits) return arn_refuse_model(p, ARN_WHAT_SHAPE, &in);
  if (made != (inverse ? length : length + 2)) return arn_refuse_model(p, ARN_WHAT_SHAPE, &out);
  *s = (fft_state){.length = (uint32_t)length,
                   .in = (uint32_t)count,
                   .out = (uint32_t)made,
                   .type = in.type};
  s->signals = arn__signal_by_rows(p, &in, &out);
  p->scratch_bytes = arn__fft_room(s->length) * 2 * arn_type_bytes((arn_type)in.type);
  return ARN_OK;
}

static void make_roots(const fft_state *s, void *room, bool inverse) {
  if (s->type == ARN_INT16) {
    arn__fft_roots_s16(room, s->length, inverse);
  } else if (s->type == ARN_INT32) {
    arn__fft_roots_s32(room, s->length, inverse);
  } else {
    arn__fft_roots_f32(room, s->length, inverse);
  }
}

static arn_status eval_fft(const arn_eval *e, const fft_state *s, transform *run, bool inverse) {
  const uint32_t bytes = arn_type_bytes((arn_type)s->type);
  const uint32_t in_bytes = s->in * bytes, out_bytes = s->out * bytes;
  const arn_rows in = arn_eval_input(e, 0, s->signals * in_bytes);
  const arn_rows out = arn_eval_output(e, 0, s->signals * out_bytes);
  const arn__fft fft = {s->length, s->in, e->scratch};
  if (e->scratch) make_roots(s, e->scratch, inverse);
  for (uint32_t r = e->span.first; r < e->span.first + e->span.count; r++) {
    for (uint32_t i = 0; i < s->signals; i++) {
      run(s->type, arn_row(&out, r) + i * out_bytes, arn_row(&in, r) + i * in_bytes, &fft);
    }
  }
  return ARN_OK;
}

// ---- SignalRfft ---------------------------------------------------------------------------------

static void forward(uint32_t type, void *out, const void *in, const arn__fft *fft) {
  if (type == ARN_INT16) {
    arn__fft_forward_s16(out, in, fft);
  } else if (type == ARN_INT32) {
    arn__fft_forward_s32(out, in, fft);
  } else {
    arn__fft_forward_f32(out, in, fft);
  }
}

static arn_status prepare_forward(arn_prepare *p, void *state) {
  return prepare_fft(p, state, false);
}

static arn_status eval_forward(const arn_eval *e, const void *state) {
  return eval_fft(e, state, forward, false);
}

// ---- SignalIrfft --------------------------------------------------------------------------------

static void inverse(uint32_t type, void *out, const void *in, const arn__fft *fft) {
  if (type == ARN_INT16) {
    arn__fft_inverse_s16(out, in, fft);
  } else if (type == ARN_INT32) {
    arn__fft_inverse_s32(out, in, fft);
  } else {
    arn__fft_inverse_f32(out, in, fft);
  }
}

static arn_status prepare_inverse(arn_prepare *p, void *state) {
  return prepare_fft(p, state, true);
}

static arn_status eval_inverse(const arn_eval *e, const void *state) {
  return eval_fft(e, state, inverse, true);
}

#define TYPES (ARN_TYPE_BIT(ARN_INT16) | ARN_TYPE_BIT(ARN_INT32) | ARN_TYPE_BIT(ARN_FLOAT32))

const arn_op arn_op_signal_rfft = {
    .name = "SignalRfft",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(fft_state),
    .types = TYPES,
    .prepare = prepare_forward,
    .rows = arn__signal_rows,
    .eval = eval_forward,
};

const arn_op arn_op_signal_irfft = {
    .name = "SignalIrfft",
    .code = ARN_CODE_CUSTOM,
    .state_bytes = sizeof(fft_state),
    .types = TYPES,
    .prepare = prepare_inverse,
    .rows = arn__signal_rows,
    .eval = eval_inverse,
};
